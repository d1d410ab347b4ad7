# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Size, Tensor
from cygrad.distributions.distribution import Distribution
from typing import Any
class Categorical(Distribution):
    arg_constraints: dict[str, Any]
    @property
    def probs(self) -> Tensor: ...
    @property
    def logits(self) -> Tensor: ...
    def __init__(self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None =
            None) -> None: ...
    @property
    def param_shape(self) -> Size: ...
