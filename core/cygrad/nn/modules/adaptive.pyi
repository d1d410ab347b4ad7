# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Sequence
from cygrad import Tensor, _DeviceLike, dtype as _dtype
from cygrad.nn.modules.module import Module
from typing import Any
class AdaptiveLogSoftmaxWithLoss(Module):
    in_features: int
    n_classes: int
    cutoffs: Any
    div_value: float
    head_bias: bool
    shortlist_size: Any
    n_clusters: Any
    head_size: Any
    head: Any
    tail: Any
    def __init__(self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0, head_bias: bool
            = False, device: _DeviceLike | None = None, dtype: _dtype | None = None) -> None: ...
    def reset_parameters(self) -> None: ...
    def forward(self, input_: Any, target_: Any) -> Tensor: ...
    def log_prob(self, input: Tensor) -> Tensor: ...
    def predict(self, input: Tensor) -> Any: ...
    def __call__(self, input_: Any, target_: Any) -> Tensor: ...
