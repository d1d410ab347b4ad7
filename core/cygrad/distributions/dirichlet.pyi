# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.exp_family import ExponentialFamily
from typing import Any
class Dirichlet(ExponentialFamily):
    concentration: Tensor
    arg_constraints: dict[str, Any]
    support: Constraint
    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None: ...
