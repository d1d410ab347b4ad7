# Written by docs/make_stubs.py; edit that, not this.
from builtins import int as _int
from cygrad import Tensor, dtype as _dtype
from typing import Any
from typing_extensions import Self
class SobolEngine:
    seed: int | Any
    scramble: bool
    dimension: int
    quasi: Tensor
    num_generated: int
    sobolstate: Tensor
    shift: Tensor
    MAXBIT: _int
    MAXDIM: _int
    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None: ...
    def draw(self, n: int = 1, out: Tensor | None = None, dtype: _dtype | None = None) -> Tensor: ...
    def draw_base2(self, m: int, out: Any = None, dtype: _dtype | None = None) -> Tensor: ...
    def reset(self) -> Self: ...
    def fast_forward(self, n: int) -> Self: ...
