# Written by docs/make_stubs.py; edit that, not this.
from builtins import bool as _bool
from cygrad import Tensor
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.transformed_distribution import TransformedDistribution
class Kumaraswamy(TransformedDistribution):
    support: Constraint
    has_rsample: _bool
    def __init__(self, concentration1: Tensor | float, concentration0: Tensor | float, validate_args: bool | None =
            None) -> None: ...
