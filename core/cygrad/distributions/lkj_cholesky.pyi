# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.distribution import Distribution
from typing import Any
class LKJCholesky(Distribution):
    dim: int
    arg_constraints: dict[str, Any]
    support: Constraint
    def __init__(self, dim: int, concentration: Tensor | float = 1.0, validate_args: bool | None = None) -> None: ...
