# Written by docs/make_stubs.py from the package itself; edit that, not this.
import builtins
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from cygrad import Axis, DeviceLike, Dims, Generator, Number, Size, Tensor, return_types
from cygrad import device as _device, dtype as _dtype, layout as _layout, memory_format as _memory_format

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_complex: TypeAlias = builtins.complex
def fft(input: Tensor, n: _int | None = None, dim: Dims = -1, norm: Any = None) -> Tensor:
    """The Fourier transform of real or complex points, along one axis."""
def fft2(input: Tensor, s: Any = None, dim: Dims = (-2, -1), norm: Any = None, *, out: Any = None) -> Tensor:
    """The Fourier transform of real or complex points, over the last two axes, or others."""
def fftfreq(n: _int, d: Any = 1.0, *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None,
        device: DeviceLike | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The frequencies of `fft`'s results, in cycles per unit: 0, 1, ..., -2, -1 over n * d."""
def fftn(input: Tensor, s: Any = None, dim: Dims = None, norm: Any = None) -> Tensor:
    """The Fourier transform of real or complex points, over several axes, or all."""
def fftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """Put the frequency 0 in the middle: each axis is turned by half of its size."""
def hfft(input: Tensor, n: _int | None = None, dim: Dims = -1, norm: Any = None) -> Tensor:
    """The real Fourier transform of points whose first half is given (the others are their conjugates), along one
    axis."""
def hfft2(input: Tensor, s: Any = None, dim: Dims = (-2, -1), norm: Any = None, *, out: Any = None) -> Tensor:
    """The real Fourier transform of points whose first half is given (the others are their conjugates), over the last
    two axes, or others."""
def hfftn(input: Tensor, s: Any = None, dim: Dims = None, norm: Any = None) -> Tensor:
    """The real Fourier transform of points whose first half is given (the others are their conjugates), over several
    axes, or all."""
def ifft(input: Tensor, n: _int | None = None, dim: Dims = -1, norm: Any = None) -> Tensor:
    """The inverse of `fft`, along one axis."""
def ifft2(input: Tensor, s: Any = None, dim: Dims = (-2, -1), norm: Any = None, *, out: Any = None) -> Tensor:
    """The inverse of `fft`, over the last two axes, or others."""
def ifftn(input: Tensor, s: Any = None, dim: Dims = None, norm: Any = None) -> Tensor:
    """The inverse of `fft`, over several axes, or all."""
def ifftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """The inverse of `fftshift`."""
def ihfft(input: Tensor, n: _int | None = None, dim: Dims = -1, norm: Any = None) -> Tensor:
    """The inverse of `hfft`, along one axis."""
def ihfft2(input: Tensor, s: Any = None, dim: Dims = (-2, -1), norm: Any = None, *, out: Any = None) -> Tensor:
    """The inverse of `hfft`, over the last two axes, or others."""
def ihfftn(input: Tensor, s: Any = None, dim: Dims = None, norm: Any = None) -> Tensor:
    """The inverse of `hfft`, over several axes, or all."""
def irfft(input: Tensor, n: _int | None = None, dim: Dims = -1, norm: Any = None) -> Tensor:
    """The inverse of `rfft`: real points from the first half of their transform, along one axis."""
def irfft2(input: Tensor, s: Any = None, dim: Dims = (-2, -1), norm: Any = None, *, out: Any = None) -> Tensor:
    """The inverse of `rfft`: real points from the first half of their transform, over the last two axes, or others."""
def irfftn(input: Tensor, s: Any = None, dim: Dims = None, norm: Any = None) -> Tensor:
    """The inverse of `rfft`: real points from the first half of their transform, over several axes, or all."""
def rfft(input: Tensor, n: _int | None = None, dim: Dims = -1, norm: Any = None) -> Tensor:
    """The first half of the Fourier transform of real points, along one axis."""
def rfft2(input: Tensor, s: Any = None, dim: Dims = (-2, -1), norm: Any = None, *, out: Any = None) -> Tensor:
    """The first half of the Fourier transform of real points, over the last two axes, or others."""
def rfftfreq(n: _int, d: Any = 1.0, *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None,
        device: DeviceLike | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The frequencies of `rfft`'s results, in cycles per unit: 0, 1, ..., n // 2 over n * d."""
def rfftn(input: Tensor, s: Any = None, dim: Dims = None, norm: Any = None) -> Tensor:
    """The first half of the Fourier transform of real points, over several axes, or all."""
