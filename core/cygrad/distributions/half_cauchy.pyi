# Written by docs/make_stubs.py; edit that, not this.
from builtins import bool as _bool
from cygrad import Tensor
from cygrad.distributions.cauchy import Cauchy
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.transformed_distribution import TransformedDistribution
from typing import Any
class HalfCauchy(TransformedDistribution):
    whole: type[Cauchy]
    support: Constraint
    has_rsample: _bool
    @property
    def scale(self) -> Any: ...
    def __init__(self, scale: Any, validate_args: bool | None = None) -> None: ...
    def icdf(self, prob: Any) -> Tensor: ...
