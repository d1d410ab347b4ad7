# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.exp_family import ExponentialFamily
from typing import Any
class Beta(ExponentialFamily):
    arg_constraints: dict[str, Any]
    support: Constraint
    def __init__(self, concentration1: Tensor | float, concentration0: Tensor | float, validate_args: bool | None =
            None) -> None: ...
    @property
    def concentration1(self) -> Any: ...
    @property
    def concentration0(self) -> Any: ...
