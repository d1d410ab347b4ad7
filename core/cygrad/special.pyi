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
def digamma(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the derivative of lgamma."""
def erf(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the error function of each element."""
def erfc(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the complementary error function of each element."""
def erfinv(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the inverse error function of each element."""
def exp2(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: 2 to the power of each element."""
def expit(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: 1 / (1 + exp(-x)) of each element."""
def expm1(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: exp(x) - 1 of each element, accurate near 0."""
def gammaln(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the logarithm of the gamma function's modulus."""
def log1p(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: log(1 + x) of each element, accurate near 0."""
def log_softmax(input: Tensor, dim: Dims, dtype: _dtype | None = None, *, axis: Dims = None, out: Any = None) -> Tensor:
    """The logarithm of `softmax`, computed without its cancellation."""
def logit(input: Tensor, eps: _float | None = None, *, out: Any = None) -> Tensor:
    """log(x / (1 - x)) of each element, the inverse of `sigmoid`."""
def logsumexp(input: Tensor, dim: Dims, keepdim: _bool = False, *, out: Any = None, axis: Dims = None, keepdims: _bool =
        False) -> Tensor:
    """The logarithm of the sum of the exponentials along some axes, without overflow."""
def polygamma(n: _int, input: Tensor, *, out: Any = None) -> Tensor:
    """The n-th derivative of `digamma`."""
def psi(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the derivative of lgamma."""
def round(input: Tensor, *, decimals: _int | None = None, out: Any = None) -> Tensor:
    """The nearest integer, or multiple of 10 ** -decimals; halves go to the even neighbour."""
def sinc(input: Tensor, *, out: Any = None) -> Tensor:
    """sin(pi * x) / (pi * x) of each element, 1 at 0."""
def softmax(input: Tensor, dim: Dims, dtype: _dtype | None = None, *, axis: Dims = None, out: Any = None) -> Tensor:
    """exp(x) divided by its sum along an axis."""
def xlogy(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input * log(other), 0 where input is 0 (NaN where other is)."""
