# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Size, Tensor
from cygrad.distributions.distribution import Distribution
from typing import Any
class Binomial(CountedOdds, Distribution):
    arg_constraints: dict[str, Any]
    def __init__(self, total_count: int | Tensor = 1, probs: Tensor | None = None, logits: Tensor | None = None,
            validate_args: bool | None = None) -> None: ...
class CountedOdds:
    @property
    def probs(self) -> Tensor: ...
    @property
    def logits(self) -> Tensor: ...
    @property
    def param_shape(self) -> Size: ...
