# Written by docs/make_stubs.py; edit that, not this.
from builtins import bool as _bool
from cygrad import Tensor
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.transformed_distribution import TransformedDistribution
from typing import Any
class LogNormal(TransformedDistribution):
    support: Constraint
    has_rsample: _bool
    @property
    def loc(self) -> Any: ...
    @property
    def scale(self) -> Any: ...
    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None: ...
