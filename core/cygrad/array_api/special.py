"""Special functions under SciPy's names: `scipy.special` asks a namespace for them before it computes on NumPy arrays.

Most are `cygrad.special`'s. Those that cygrad has no op for are computed by SciPy on the host, here with a derivative
by the last argument; one by the others has no closed form, and is refused.
"""
import functools
import math

import cygrad
from cygrad import special as _special
from cygrad.array_api.array import giving_arrays
from cygrad.array_api.data_types import operands, result_type
from cygrad.array_api.documented import documented

_NAMES = {name: name for name in """
    entr erf erfc erfcx erfinv exp2 expit gammaln i0 i0e i1 i1e log_ndtr logit multigammaln ndtr ndtri psi xlog1py
    xlogy""".split()}
_NAMES |= {"j0": "bessel_j0", "j1": "bessel_j1", "y0": "bessel_y0", "y1": "bessel_y1", "k0": "modified_bessel_k0",
           "k1": "modified_bessel_k1", "k0e": "scaled_modified_bessel_k0", "k1e": "scaled_modified_bessel_k1"}


# ------------------------------------------------------------------ derivatives by the last argument

def _beta_density(a, b, x):
    """x ** (a - 1) * (1 - x) ** (b - 1) / B(a, b)."""
    log_beta = cygrad.lgamma(a) + cygrad.lgamma(b) - cygrad.lgamma(a + b)
    return cygrad.exp(_special.xlogy(a - 1, x) + _special.xlog1py(b - 1, -x) - log_beta)


def _gamma_density(a, x):
    """x ** (a - 1) * exp(-x) / Gamma(a)."""
    return cygrad.exp(_special.xlogy(a - 1, x) - x - cygrad.lgamma(a))


def _student_density(df, t):
    """Of Student's distribution with `df` degrees of freedom."""
    scale = cygrad.lgamma((df + 1) / 2) - cygrad.lgamma(df / 2) - 0.5 * cygrad.log(df * math.pi)
    return cygrad.exp(scale - (df + 1) / 2 * cygrad.log1p(t * t / df))


def _f_density(dfn, dfd, x):
    """Of Fisher's distribution with `dfn` and `dfd` degrees of freedom."""
    whole = dfn * x + dfd
    return _beta_density(dfn / 2, dfd / 2, dfn * x / whole) * dfn * dfd / (whole * whole)


# name: the derivative, of the arguments and the result
_DERIVATIVES = {
    "betainc": lambda a, b, x, result: _beta_density(a, b, x),
    "betaincc": lambda a, b, x, result: -_beta_density(a, b, x),
    "betaincinv": lambda a, b, y, result: 1 / _beta_density(a, b, result),
    "chdtr": lambda v, x, result: _gamma_density(v / 2, x / 2) / 2,
    "chdtrc": lambda v, x, result: -_gamma_density(v / 2, x / 2) / 2,
    "chdtri": lambda v, p, result: -2 / _gamma_density(v / 2, result / 2),
    "fdtr": lambda dfn, dfd, x, result: _f_density(dfn, dfd, x),
    "fdtrc": lambda dfn, dfd, x, result: -_f_density(dfn, dfd, x),
    "fdtri": lambda dfn, dfd, p, result: 1 / _f_density(dfn, dfd, result),
    "gammainc": lambda a, x, result: _gamma_density(a, x),
    "gammaincc": lambda a, x, result: -_gamma_density(a, x),
    "gammaincinv": lambda a, y, result: 1 / _gamma_density(a, result),
    "gammainccinv": lambda a, y, result: -1 / _gamma_density(a, result),
    "stdtr": lambda df, t, result: _student_density(df, t),
    "stdtrit": lambda df, p, result: 1 / _student_density(df, result),
}


class _ByScipy(cygrad.autograd.Function):
    """A function of SciPy's on the host, of arrays of one shape."""

    @staticmethod
    def forward(ctx, name, *arguments):
        import scipy.special                            # optional dependency; it is what asks for this
        found = getattr(scipy.special, name)(*[x.detach().cpu().numpy() for x in arguments])
        result = cygrad.as_tensor(found, dtype=arguments[0].dtype, device=arguments[0].device)
        ctx.name = name
        ctx.save_for_backward(*arguments, result)
        return result

    @staticmethod
    def backward(ctx, grad):
        if any(ctx.needs_input_grad[1:-1]):
            raise NotImplementedError(f"{ctx.name}: there is no derivative but by the last argument")
        by_last = grad * _DERIVATIVES[ctx.name](*ctx.saved_tensors)
        return (None,) * (len(ctx.needs_input_grad) - 1) + (by_last,)


def _floats(*arguments):
    """The arguments in one floating-point dtype; integers count as of the default one, as with NumPy's functions."""
    default = cygrad.get_default_dtype()
    dtypes = [x.dtype if x.is_floating_point() else default for x in arguments if isinstance(x, cygrad.Tensor)]
    return operands(*arguments, dtype=result_type(*dtypes) if dtypes else None)


def _by_scipy(name):
    def function(*arguments):
        return _ByScipy.apply(name, *cygrad.broadcast_tensors(*_floats(*arguments)))
    return documented(function, name, f"SciPy's `{name}`, with a derivative by the last argument.")


def _of_floats(ours):
    @functools.wraps(ours)
    def function(x, y, /, out=None):
        return ours(*_floats(x, y), out=out)
    return function


for _name, _ours in _NAMES.items():
    globals()[_name] = giving_arrays(getattr(_special, _ours))
for _name in ("xlogy", "xlog1py"):
    globals()[_name] = giving_arrays(_of_floats(getattr(_special, _name)))
for _name in _DERIVATIVES:
    globals()[_name] = giving_arrays(_by_scipy(_name))
