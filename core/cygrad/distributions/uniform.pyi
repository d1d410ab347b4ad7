# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from cygrad.distributions.distribution import Distribution
class Uniform(Distribution):
    def __init__(self, low: Tensor | float, high: Tensor | float, validate_args: bool | None = None) -> None: ...
