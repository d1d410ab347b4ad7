# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Callable, Sequence
from cygrad import Tensor, _DeviceLike, _Number, dtype as _dtype, memory_format as _memory_format
from typing import Any
def assert_allclose(actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool =
        True, msg: str = '') -> None: ...
def assert_close(actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None, atol: float |
        None = None, equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True, check_layout: bool =
        True, check_stride: bool = False, msg: str | Callable[..., Any] | None = None) -> None: ...
def make_tensor(*shape: int | Sequence[int], dtype: _dtype, device: _DeviceLike | str, low: _Number | None = None, high:
        _Number | None = None, requires_grad: bool = False, noncontiguous: bool = False, exclude_zero: bool = False,
        memory_format: _memory_format | None = None) -> Tensor: ...
