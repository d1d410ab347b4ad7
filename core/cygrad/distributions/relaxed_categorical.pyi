# Written by docs/make_stubs.py; edit that, not this.
from builtins import bool as _bool
from cygrad import Size, Tensor
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.distribution import Distribution
from cygrad.distributions.transformed_distribution import TransformedDistribution
from typing import Any
class ExpRelaxedCategorical(Distribution):
    temperature: Tensor
    arg_constraints: dict[str, Any]
    support: Constraint
    def __init__(self, temperature: Tensor, probs: Tensor | None = None, logits: Tensor | None = None, validate_args:
            bool | None = None) -> None: ...
    @property
    def probs(self) -> Tensor: ...
    @property
    def logits(self) -> Tensor: ...
    @property
    def param_shape(self) -> Size: ...
class RelaxedOneHotCategorical(TransformedDistribution):
    support: Constraint
    has_rsample: _bool
    @property
    def temperature(self) -> Any: ...
    @property
    def logits(self) -> Tensor: ...
    @property
    def probs(self) -> Tensor: ...
    def __init__(self, temperature: Tensor, probs: Tensor | None = None, logits: Tensor | None = None, validate_args:
            bool | None = None) -> None: ...
