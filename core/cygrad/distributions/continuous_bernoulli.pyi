# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Sequence
from cygrad import Size, Tensor
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.exp_family import ExponentialFamily
from typing import Any
class ContinuousBernoulli(ExponentialFamily):
    arg_constraints: dict[str, Any]
    support: Constraint
    @property
    def probs(self) -> Tensor: ...
    def __init__(self, probs: Tensor | float | None = None, logits: Tensor | float | None = None, lims: Sequence[float]
            = (0.499, 0.501), validate_args: bool | None = None) -> None: ...
    @property
    def logits(self) -> Tensor: ...
    @property
    def param_shape(self) -> Size: ...
