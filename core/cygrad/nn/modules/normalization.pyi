# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Sequence
from cygrad import Tensor, _DeviceLike, dtype as _dtype
from cygrad.nn.modules.module import Module
from cygrad.nn.parameter import Parameter
from typing import Any
class CrossMapLRN2d(LocalResponseNorm):
    def __init__(self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1) -> None: ...
class GroupNorm(_Affine):
    num_groups: int
    num_channels: int
    eps: float
    affine: bool
    weight: Parameter | Any
    bias: Parameter | Any
    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-05, affine: bool = True, device: _DeviceLike
            | None = None, dtype: _dtype | None = None, *, bias: bool = True) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class LayerNorm(_Affine):
    normalized_shape: Any
    eps: float
    elementwise_affine: bool
    weight: Parameter | Any
    bias: Parameter | Any
    def __init__(self, normalized_shape: int | Sequence[int], eps: float = 1e-05, elementwise_affine: bool = True, bias:
            bool = True, device: _DeviceLike | None = None, dtype: _dtype | None = None) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class LocalResponseNorm(Module):
    size: int
    alpha: float
    beta: float
    k: float
    def __init__(self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class RMSNorm(_Affine):
    normalized_shape: Any
    eps: float | Any
    elementwise_affine: bool
    weight: Parameter | Any
    def __init__(self, normalized_shape: int | Sequence[int], eps: float | None = None, elementwise_affine: bool = True,
            device: _DeviceLike | None = None, dtype: _dtype | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...
    def __call__(self, x: Tensor) -> Tensor: ...
class _Affine(Module):
    def reset_parameters(self) -> None: ...
