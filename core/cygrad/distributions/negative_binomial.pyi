# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from cygrad.distributions.binomial import CountedOdds
from cygrad.distributions.constraints import Constraint
from cygrad.distributions.distribution import Distribution
from typing import Any
class NegativeBinomial(CountedOdds, Distribution):
    arg_constraints: dict[str, Any]
    support: Constraint
    def __init__(self, total_count: float | Tensor, probs: Tensor | None = None, logits: Tensor | None = None,
            validate_args: bool | None = None) -> None: ...
