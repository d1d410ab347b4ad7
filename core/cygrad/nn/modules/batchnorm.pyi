# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor, _DeviceLike, dtype as _dtype
from cygrad.nn.modules.lazy import LazyModuleMixin
from cygrad.nn.modules.module import Module
from cygrad.nn.parameter import Parameter
from typing import Any
class BatchNorm1d(_BatchNorm):
    weight: Parameter | Any
    bias: Parameter | Any
    running_mean: Tensor | Any
    running_var: Tensor | Any
    num_batches_tracked: Tensor | Any
    def __init__(self, num_features: int, eps: float = 1e-05, momentum: float = 0.1, affine: bool = True,
            track_running_stats: bool = True, device: _DeviceLike | None = None, dtype: _dtype | None = None, *, bias:
            bool = True) -> None: ...
class BatchNorm2d(_BatchNorm): ...
class BatchNorm3d(_BatchNorm): ...
class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    cls_to_become: type[BatchNorm1d]
class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    cls_to_become: type[BatchNorm2d]
class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    cls_to_become: type[BatchNorm3d]
class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class _LazyNormBase(LazyModuleMixin):
    affine: Any
    track_running_stats: Any
    weight: Any
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any
    bias: Any
    def __init__(self, eps: float = 1e-05, momentum: float = 0.1, affine: bool = True, track_running_stats: bool = True,
            device: _DeviceLike | None = None, dtype: _dtype | None = None, *, bias: bool = True) -> None: ...
    def reset_parameters(self) -> None: ...
    def initialize_parameters(self, input: Tensor) -> None: ...
class _NormBase(Module):
    num_features: Any
    eps: float
    momentum: Any
    affine: Any
    track_running_stats: Any
    def __init__(self, num_features: Any, eps: float = 1e-05, momentum: float = 0.1, affine: bool = True,
            track_running_stats: bool = True, device: _DeviceLike | None = None, dtype: _dtype | None = None, *, bias:
            bool = True) -> None: ...
    def reset_running_stats(self) -> None: ...
    def reset_parameters(self) -> None: ...
