# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Size, Tensor
from cygrad.distributions.distribution import Distribution
from typing import Any
class Multinomial(Distribution):
    total_count: int
    arg_constraints: dict[str, Any]
    def __init__(self, total_count: int = 1, probs: Tensor | None = None, logits: Tensor | None = None, validate_args:
            bool | None = None) -> None: ...
    @property
    def probs(self) -> Tensor: ...
    @property
    def logits(self) -> Tensor: ...
    @property
    def param_shape(self) -> Size: ...
