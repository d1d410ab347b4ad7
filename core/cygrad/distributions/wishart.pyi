# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Sequence
from cygrad import Tensor
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.exp_family import ExponentialFamily
from typing import Any
class Wishart(ExponentialFamily):
    df: Any
    support: Constraint
    def __init__(self, df: Tensor | float, covariance_matrix: Tensor | None = None, precision_matrix: Tensor | None =
            None, scale_tril: Tensor | None = None, validate_args: bool | None = None) -> None: ...
    @property
    def covariance_matrix(self) -> Any: ...
    @property
    def precision_matrix(self) -> Any: ...
    @property
    def scale_tril(self) -> Any: ...
    def rsample(self, sample_shape: Sequence[int] = (), max_try_correction: int | None = None) -> Tensor: ...
