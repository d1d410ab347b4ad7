# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Size, Tensor
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.exp_family import ExponentialFamily
from typing import Any
class Bernoulli(ExponentialFamily):
    arg_constraints: dict[str, Any]
    support: Constraint
    def __init__(self, probs: Tensor | float | None = None, logits: Tensor | float | None = None, validate_args: bool |
            None = None) -> None: ...
    @property
    def probs(self) -> Tensor: ...
    @property
    def logits(self) -> Tensor: ...
    @property
    def param_shape(self) -> Size: ...
