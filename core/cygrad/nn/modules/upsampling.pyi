# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Sequence
from cygrad import Tensor
from cygrad.nn.modules.module import Module
from typing import Any
class Upsample(Module):
    name: Any
    size: int | Sequence[int] | Any
    mode: str
    align_corners: bool | Any
    recompute_scale_factor: bool | Any
    scale_factor: Any
    def __init__(self, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None,
            mode: str = 'nearest', align_corners: bool | None = None, recompute_scale_factor: bool | None =
            None) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
class UpsamplingBilinear2d(Upsample):
    def __init__(self, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None =
            None) -> None: ...
class UpsamplingNearest2d(Upsample):
    def __init__(self, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None =
            None) -> None: ...
