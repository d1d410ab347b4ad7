# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Sequence
from cygrad.distributions import Transform
from cygrad.distributions.distribution import Distribution
from typing import Any
class TransformedDistribution(Distribution):
    transforms: Any
    base_dist: Distribution
    arg_constraints: dict[str, Any]
    def __init__(self, base_distribution: Distribution, transforms: Transform | Sequence[Transform], validate_args: bool
            | None = None) -> None: ...
    has_rsample: Any
