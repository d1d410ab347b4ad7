# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.distribution import Distribution
from typing import Any
class FisherSnedecor(Distribution):
    arg_constraints: dict[str, Any]
    support: Constraint
    def __init__(self, df1: Tensor | float, df2: Tensor | float, validate_args: bool | None = None) -> None: ...
