# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.distribution import Distribution
from typing import Any
class StudentT(Distribution):
    arg_constraints: dict[str, Any]
    support: Constraint
    def __init__(self, df: Tensor | float, loc: Tensor | float = 0.0, scale: Tensor | float = 1.0, validate_args: bool |
            None = None) -> None: ...
