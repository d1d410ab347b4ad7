# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Sequence
from cygrad import Tensor, _DeviceLike, dtype as _dtype
from cygrad.nn.modules.module import Module
from cygrad.nn.parameter import Parameter
from typing import Any
class Conv1d(_Conv):
    weight: Parameter
    bias: Parameter | Any
    def forward(self, input: Tensor) -> Tensor: ...
    def __init__(self, in_channels: int, out_channels: int, kernel_size: int | Sequence[int], stride: int |
            Sequence[int] = 1, padding: int | Sequence[int] | str = 0, dilation: int | Sequence[int] = 1, groups: int =
            1, bias: bool = True, padding_mode: str = 'zeros', device: _DeviceLike | None = None, dtype: _dtype | None =
            None) -> None: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class Conv2d(_Conv):
    weight: Parameter
    bias: Parameter
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class Conv3d(_Conv):
    weight: Parameter
    bias: Parameter
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class ConvTranspose1d(_ConvTransposeNd):
    weight: Parameter
    bias: Parameter | Any
    def __init__(self, in_channels: int, out_channels: int, kernel_size: int | Sequence[int], stride: int |
            Sequence[int] = 1, padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, groups: int =
            1, bias: bool = True, dilation: int | Sequence[int] = 1, padding_mode: str = 'zeros', device: _DeviceLike |
            None = None, dtype: _dtype | None = None) -> None: ...
class ConvTranspose2d(_ConvTransposeNd):
    weight: Parameter
    bias: Parameter
class ConvTranspose3d(_ConvTransposeNd):
    weight: Parameter
    bias: Parameter
class _Conv(_ConvNd):
    def __init__(self, in_channels: Any, out_channels: Any, kernel_size: Any, stride: Sequence[int] | int = 1, padding:
            int = 0, dilation: int = 1, groups: int = 1, bias: bool = True, padding_mode: str = 'zeros', device:
            _DeviceLike | None = None, dtype: _dtype | None = None) -> None: ...
class _ConvNd(Module):
    in_channels: Any
    out_channels: Any
    kernel_size: Any
    stride: Sequence[int] | int
    padding: Any
    dilation: Any
    transposed: Any
    output_padding: Any
    groups: Any
    padding_mode: Any
    weight: Any
    bias: Any
    def __init__(self, in_channels: Any, out_channels: Any, kernel_size: Any, stride: Sequence[int] | int, padding: Any,
            dilation: Any, transposed: Any, output_padding: Any, groups: Any, bias: Tensor | None, padding_mode: Any,
            device: _DeviceLike | None = None, dtype: _dtype | None = None) -> None: ...
    def reset_parameters(self) -> None: ...
class _ConvTransposeNd(_ConvNd):
    def __init__(self, in_channels: Any, out_channels: Any, kernel_size: Any, stride: Sequence[int] | int = 1, padding:
            int = 0, output_padding: int = 0, groups: int = 1, bias: bool = True, dilation: int = 1, padding_mode: str =
            'zeros', device: _DeviceLike | None = None, dtype: _dtype | None = None) -> None: ...
    def forward(self, input: Tensor, output_size: Any = None) -> Tensor: ...
    def __call__(self, input: Tensor, output_size: Any = None) -> Tensor: ...
