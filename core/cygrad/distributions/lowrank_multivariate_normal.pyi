# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.distribution import Distribution
from typing import Any
class LowRankMultivariateNormal(Distribution):
    loc: Any
    cov_diag: Any
    cov_factor: Any
    arg_constraints: dict[str, Any]
    support: Constraint
    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None =
            None) -> None: ...
    @property
    def scale_tril(self) -> Any: ...
    @property
    def covariance_matrix(self) -> Any: ...
    @property
    def precision_matrix(self) -> Any: ...
