# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor, _DeviceLike, dtype as _dtype
from cygrad.nn.modules.batchnorm import _LazyNormBase, _NormBase
from typing import Any
class InstanceNorm1d(_InstanceNorm):
    def __init__(self, num_features: int, eps: float = 1e-05, momentum: float = 0.1, affine: bool = False,
            track_running_stats: bool = False, device: _DeviceLike | None = None, dtype: _dtype | None = None, *, bias:
            bool = True) -> None: ...
class InstanceNorm2d(_InstanceNorm): ...
class InstanceNorm3d(_InstanceNorm): ...
class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    cls_to_become: type[InstanceNorm1d]
class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    cls_to_become: type[InstanceNorm2d]
class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    cls_to_become: type[InstanceNorm3d]
class _InstanceNorm(_NormBase):
    def __init__(self, num_features: Any, eps: float = 1e-05, momentum: float = 0.1, affine: bool = False,
            track_running_stats: bool = False, device: _DeviceLike | None = None, dtype: _dtype | None = None, *, bias:
            bool = True) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
