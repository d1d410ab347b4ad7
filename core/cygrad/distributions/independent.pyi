# Written by docs/make_stubs.py; edit that, not this.
from cygrad.distributions.distribution import Distribution
from typing import Any
class Independent(Distribution):
    arg_constraints: dict[str, Any]
    def __init__(self, base_distribution: Distribution, reinterpreted_batch_ndims: int, validate_args: bool | None =
            None) -> None: ...
    has_rsample: Any
    has_enumerate_support: Any
