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
def airy_ai(input: Tensor, *, out: Any = None) -> Tensor:
    """The Airy function Ai, of each element."""
def bessel_j0(input: Tensor, *, out: Any = None) -> Tensor:
    """The Bessel function of the first kind of order 0, of each element."""
def bessel_j1(input: Tensor, *, out: Any = None) -> Tensor:
    """The Bessel function of the first kind of order 1, of each element."""
def bessel_y0(input: Tensor, *, out: Any = None) -> Tensor:
    """The Bessel function of the second kind of order 0, of each element."""
def bessel_y1(input: Tensor, *, out: Any = None) -> Tensor:
    """The Bessel function of the second kind of order 1, of each element."""
def chebyshev_polynomial_t(x: Any, n: _int, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial T, of each element."""
def chebyshev_polynomial_u(x: Any, n: _int, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial U, of each element."""
def chebyshev_polynomial_v(x: Any, n: _int, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial V, of each element."""
def chebyshev_polynomial_w(x: Any, n: _int, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial W, of each element."""
def entr(input: Tensor, *, out: Any = None) -> Tensor:
    """-x * log(x), 0 at 0 and -inf below, of each element."""
def erfcx(input: Tensor, *, out: Any = None) -> Tensor:
    """exp(x ** 2) * erfc(x), the scaled complementary error function, of each element."""
def hermite_polynomial_h(x: Any, n: _int, *, out: Any = None) -> Tensor:
    """The physicists' polynomial of Hermite, of each element."""
def hermite_polynomial_he(x: Any, n: _int, *, out: Any = None) -> Tensor:
    """The probabilists' polynomial of Hermite, of each element."""
def i0e(input: Tensor, *, out: Any = None) -> Tensor:
    """exp(-|x|) times the modified Bessel function of the first kind of order 0, of each element."""
def i1(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1, of each element."""
def i1e(input: Tensor, *, out: Any = None) -> Tensor:
    """exp(-|x|) times the modified Bessel function of the first kind of order 1, of each element."""
def laguerre_polynomial_l(x: Any, n: _int, *, out: Any = None) -> Tensor:
    """Laguerre's polynomial, of each element."""
def legendre_polynomial_p(x: Any, n: _int, *, out: Any = None) -> Tensor:
    """Legendre's polynomial, of each element."""
def log_ndtr(input: Tensor, *, out: Any = None) -> Tensor:
    """The logarithm of `ndtr`, also where `ndtr` is 0, of each element."""
def modified_bessel_i0(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0, of each element."""
def modified_bessel_i1(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1, of each element."""
def modified_bessel_k0(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the second kind of order 0, of each element."""
def modified_bessel_k1(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the second kind of order 1, of each element."""
def ndtr(input: Tensor, *, out: Any = None) -> Tensor:
    """The part of the standard normal distribution that lies below x, of each element."""
def ndtri(input: Tensor, *, out: Any = None) -> Tensor:
    """The x below which this part of the standard normal distribution lies, `ndtr` reversed, of each element."""
def scaled_modified_bessel_k0(input: Tensor, *, out: Any = None) -> Tensor:
    """exp(x) times the modified Bessel function of the second kind of order 0, of each element."""
def scaled_modified_bessel_k1(input: Tensor, *, out: Any = None) -> Tensor:
    """exp(x) times the modified Bessel function of the second kind of order 1, of each element."""
def shifted_chebyshev_polynomial_t(x: Any, n: _int, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial T, of 2 x - 1, of each element."""
def shifted_chebyshev_polynomial_u(x: Any, n: _int, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial U, of 2 x - 1, of each element."""
def shifted_chebyshev_polynomial_v(x: Any, n: _int, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial V, of 2 x - 1, of each element."""
def shifted_chebyshev_polynomial_w(x: Any, n: _int, *, out: Any = None) -> Tensor:
    """Chebyshev's polynomial W, of 2 x - 1, of each element."""
def spherical_bessel_j0(input: Tensor, *, out: Any = None) -> Tensor:
    """The spherical Bessel function of order 0, sin(x) / x, of each element."""
def xlog1py(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input * log(1 + other), 0 where input is 0 (NaN where other is)."""
def zeta(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """Hurwitz' zeta function, the sum of (other + k) ** -input over k = 0, 1, ..."""
