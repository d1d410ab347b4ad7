# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.transformed_distribution import TransformedDistribution
from typing import Any
class Weibull(TransformedDistribution):
    concentration_reciprocal: Any
    support: Constraint
    def __init__(self, scale: Tensor | float, concentration: Tensor | float, validate_args: bool | None =
            None) -> None: ...
