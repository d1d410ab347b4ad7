# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from cygrad.distributions.distribution import Distribution
from typing import Any
class GeneralizedPareto(Distribution):
    arg_constraints: dict[str, Any]
    def __init__(self, loc: Tensor | float, scale: Tensor | float, concentration: Tensor | float, validate_args: bool |
            None = None) -> None: ...
    def log_survival_function(self, value: Tensor) -> Tensor: ...
    def log_cdf(self, value: Tensor) -> Tensor: ...
