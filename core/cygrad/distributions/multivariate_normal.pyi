# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.distribution import Distribution
from typing import Any
class MultivariateNormal(Distribution):
    loc: Any
    arg_constraints: dict[str, Any]
    support: Constraint
    def __init__(self, loc: Tensor, covariance_matrix: Tensor | None = None, precision_matrix: Tensor | None = None,
            scale_tril: Tensor | None = None, validate_args: bool | None = None) -> None: ...
    @property
    def scale_tril(self) -> Any: ...
    @property
    def covariance_matrix(self) -> Any: ...
    @property
    def precision_matrix(self) -> Any: ...
