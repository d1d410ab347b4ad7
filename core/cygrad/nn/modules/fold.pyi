# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Sequence
from cygrad import Tensor
from cygrad.nn.modules.module import Module
class Fold(Unfold):
    output_size: int | Sequence[int]
    def __init__(self, output_size: int | Sequence[int], kernel_size: int | Sequence[int], dilation: int | Sequence[int]
            = 1, padding: int | Sequence[int] = 0, stride: int | Sequence[int] = 1) -> None: ...
class Unfold(Module):
    kernel_size: int | Sequence[int]
    dilation: int | Sequence[int]
    padding: int | Sequence[int]
    stride: int | Sequence[int]
    def __init__(self, kernel_size: int | Sequence[int], dilation: int | Sequence[int] = 1, padding: int | Sequence[int]
            = 0, stride: int | Sequence[int] = 1) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
