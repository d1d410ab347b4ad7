"""`cygrad.special`: special functions, under PyTorch's names.

Those that the core's namespace has, too, are its ops; the others are in `ops/pointwise`: programs over Chebyshev series
(`bessel`, `normal_distribution`) and recurrences (`recurrences`).
"""
import cygrad
from cygrad.ops.declare.op_forms import functions as _functions, public as _public, with_out as _with_out
from cygrad.ops.pointwise import (bessel as _bessel, gamma_functions as _gammas, normal_distribution as _normal,
                                  recurrences as _recurrences)

_SHARED = ("digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "i0", "log1p", "log_softmax", "logit", "logsumexp",
           "polygamma", "sinc", "softmax", "xlogy")
for _name in _SHARED:
    globals()[_name] = _public(_name, _functions[_name])
expit, psi, gammaln = _functions["sigmoid"], _functions["digamma"], _functions["lgamma"]
multigammaln = _public("mvlgamma", _functions["mvlgamma"])


def round(input, *, decimals=0, out=None):
    return _functions["round"](input, decimals=decimals, out=out)


round.__doc__ = _functions["round"].__doc__
round = _public("special_round", round)
gammainc, gammaincc = (_public(_op.__name__, _op) for _op in (_gammas.igamma, _gammas.igammac))

# name: (function, what it is, an argument, what it gives)
_OF_ONE = {
    "i0e": (_bessel.i0e, "exp(-|x|) times the modified Bessel function of the first kind of order 0"),
    "i1": (_bessel.i1, "The modified Bessel function of the first kind of order 1"),
    "i1e": (_bessel.i1e, "exp(-|x|) times the modified Bessel function of the first kind of order 1"),
    "erfcx": (_normal.erfcx, "exp(x ** 2) * erfc(x), the scaled complementary error function"),
    "ndtr": (_normal.ndtr, "The part of the standard normal distribution that lies below x"),
    "log_ndtr": (_normal.log_ndtr, "The logarithm of `ndtr`, also where `ndtr` is 0"),
    "ndtri": (_normal.ndtri, "The x below which this part of the standard normal distribution lies, `ndtr` reversed"),
    "entr": (_normal.entr, "-x * log(x), 0 at 0 and -inf below"),
}
_OF_ONE |= {name: (_bessel.bessel[name], what) for name, (_, what) in _bessel.FUNCTIONS.items()}
_DOC = """{what}, of each element.

Parameters
----------
{first} : Tensor
    Real; integers become floats of the default dtype.{second}
out : Tensor, optional
    Written to.

Returns
-------
Tensor
    Of the input's shape{shape}.

Raises
------
NotImplementedError
    For complex numbers, and most functions for floats of 16 bits.

Examples
--------
>>> import cygrad
>>> cygrad.special.{name}(cygrad.tensor([{at}]){degree})
{shown}
"""
_DEGREE = """
n : Tensor or int
    The degrees."""


__all__ = [*_SHARED, "round", "expit", "psi", "gammaln", "multigammaln", "gammainc", "gammaincc", *_OF_ONE,
           *_recurrences.POLYNOMIALS]


def _add(name, function, what, first="input", second="", degree=""):
    at = cygrad.tensor([0.25, 0.5], device="cpu")      # the examples show what the CPU computes
    shown = function(at, 2) if degree else function(at)
    function.__doc__ = _DOC.format(what=what, name=name, first=first, second=second, degree=degree, at="0.25, 0.5",
                                   shape=", broadcast with that of n" if degree else "", shown=shown)
    function.__name__ = function.__qualname__ = name
    function.__module__ = "cygrad.special"
    globals()[name] = _public("special_" + name, _with_out("special_" + name, function))


for _name, (_function, _what) in _OF_ONE.items():
    _add(_name, _function, _what)
for _name, (_, _what) in _recurrences.POLYNOMIALS.items():
    _add(_name, _recurrences.polynomials[_name], _what, "x", _DEGREE, degree=", 2")
for _name, _function in (("xlog1py", _normal.xlog1py), ("zeta", _recurrences.zeta)):
    globals()[_name] = _public("special_" + _name, _with_out("special_" + _name, _function))
    __all__.append(_name)
