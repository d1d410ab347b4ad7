# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from cygrad.distributions.transformed_distribution import TransformedDistribution
class Pareto(TransformedDistribution):
    def __init__(self, scale: Tensor | float, alpha: Tensor | float, validate_args: bool | None = None) -> None: ...
