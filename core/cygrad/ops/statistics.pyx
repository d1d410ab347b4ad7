# distutils: extra_compile_args = -Os
"""Variance and its relatives, logsumexp, covariance."""
from cygrad cimport backend as k
from cygrad.dispatch cimport binary, binary_into, reduce, scalar_into, unary_into
from cygrad.elements cimport scalar_value
from cygrad.promotion cimport SAME
from cygrad.dtype cimport FLOAT32 as FLOAT32_CODE, FLOAT64 as FLOAT64_CODE
from cygrad.ops.products cimport Row
from cygrad.ops.reductions cimport every_axis, plus, recorded, slabs
from cygrad.tensor cimport Tensor

import cygrad
from cygrad.autograd.primitives import primitive
from cygrad.errors import warn
from cygrad.promotion import SCALAR_NAMES
from cygrad.raw import cast_to, reduce_dims, refuse_out_grad, write_out
from cygrad.operands import select
from cygrad.ops.composite import BOOL, FLOAT32, HALVES, as_float, is_integral, widened
from cygrad.ops.reductions import EVERY, MAX, SQUARE_SUM, SUM, axes as axes_of, count_of
from cygrad.ops.registry import op

cdef Row VAR = Row("var", "self", "dim", "correction", "keepdim")
cdef Row STD = Row("std", "self", "dim", "correction", "keepdim")


# ------------------------------------------------------------------------ variance

def variance(x, axes, correction, keepdim):
    """(variance, mean), raw: the mean is subtracted first, and what rounding left of it corrected for."""
    if axes is None:
        axes = EVERY[x.dim()]
    if x.dtype in HALVES:
        return tuple([cast_to(t, x.dtype) for t in variance(cast_to(x, FLOAT32), axes, correction, keepdim)])
    if x.is_complex():
        (var_r, mean_r), (var_i, mean_i) = [variance(part, axes, correction, keepdim) for part in (x.real, x.imag)]
        return var_r + var_i, cygrad.complex(mean_r, mean_i)
    n = count_of(x, axes)
    mean = reduce_dims(SUM, x, axes, True, x.dtype) / float(n)
    apart = x - mean
    rest = reduce_dims(SUM, apart, axes, True, x.dtype)
    squares = reduce_dims(SQUARE_SUM, apart, axes, True, x.dtype)
    var = (squares - rest * rest / float(n)) / float(max(n - correction, 0))
    if not keepdim and x.dim():
        shape = tuple([m for i, m in enumerate(x.shape) if i not in axes])
        var, mean = var.view(shape).detach(), mean.view(shape).detach()
    return var, mean


cdef Tensor whole_variance(Tensor x):
    """The variance of all elements of a float32 or float64 tensor, raw: as `variance` computes it, without axes."""
    cdef Tensor mean = reduce(k.SUM, x, every_axis(x), False, x.dtype), part, apart, rest = None, squares = None
    scalar_into(k.DIV, mean, <double>x.elements, False, mean)
    center = scalar_value(mean)
    for part in slabs(x):
        apart = binary(k.SUB, part, center, SAME)
        rest = plus(rest, reduce(k.SUM, apart, every_axis(part), False, x.dtype))
        squares = plus(squares, reduce(k.SQUARE_SUM, apart, every_axis(part), False, x.dtype))
    binary_into(k.MUL, rest, rest, rest)
    scalar_into(k.DIV, rest, <double>x.elements, False, rest)
    binary_into(k.SUB, squares, rest, squares)
    scalar_into(k.DIV, squares, <double>(x.elements - 1), False, squares)
    return squares


cdef bint is_plain(Tensor x, dim, unbiased, keepdim, correction):
    """Whether `whole_variance` serves a call of `var` or `std`."""
    return (dim is None and unbiased is None and keepdim is False and correction is None and x.elements > 1
            and (x.dtype.code == FLOAT32_CODE or x.dtype.code == FLOAT64_CODE))


@primitive(name="var")
def _var(self, dim, correction, keepdim):
    return variance(self, dim, correction, keepdim)[0]


@primitive(name="std")
@widened
def _std(self, dim, correction, keepdim):
    return variance(self, dim, correction, keepdim)[0].sqrt()


@primitive(name="var_mean")
def _var_mean(self, dim, correction, keepdim):
    return variance(self, dim, correction, keepdim)


@primitive(name="std_mean")
def _std_mean(self, dim, correction, keepdim):
    wide = cast_to(self, FLOAT32) if self.dtype in HALVES else self
    var, mean = variance(wide, dim, correction, keepdim)
    return cast_to(var.sqrt(), self.dtype.to_real()), cast_to(mean, self.dtype)


def spread(moment, name, input, dim, unbiased, keepdim, correction):
    """Sort out the arguments of `var` and its relatives, whose second positional one may be `unbiased`."""
    if isinstance(dim, bool):
        if unbiased is not None:
            raise TypeError(f"{name}() received an invalid combination of arguments")
        dim, unbiased = None, dim
    if unbiased is not None:
        if correction is not None:
            raise TypeError(f"{name}() received an invalid combination of arguments - got unbiased and correction")
        correction = 1 if unbiased else 0
    elif correction is None:
        correction = 1
    if is_integral(input):
        which = "std and var" if name in ("std", "var") else name
        raise RuntimeError(f"{which} only support floating point and complex dtypes")
    rank = input.dim()
    axes = None if dim is None else axes_of(dim, rank, name) or EVERY[rank]
    if count_of(input, EVERY[rank] if axes is None else axes) <= correction:
        warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
             "factor (input numel divided by output numel).")
    return moment(input, axes, correction, keepdim)


PARAMETERS = """

    Parameters
    ----------
    input : Tensor
        Of a floating-point or complex dtype.
    dim : int or tuple of int, optional
        Axes to reduce; None or () for all.
    unbiased : bool, optional
        Divide by n - 1 (the default) or n. As the only positional argument after `input` it may stand first.
    keepdim : bool
        Keep the axes, with size 1.
    correction : number, optional
        Divide by n - correction.
    """


@op(axis=True, out=True)
def var(Tensor input not None, dim=None, unbiased=None, keepdim=False, *, correction=None):
    if is_plain(input, dim, unbiased, keepdim, correction):
        return recorded(VAR, whole_variance(input), input, None, (1, False))
    return spread(_var, "var", input, dim, unbiased, keepdim, correction)


@op(axis=True, out=True)
def std(Tensor input not None, dim=None, unbiased=None, keepdim=False, *, correction=None):
    cdef Tensor spread_
    if is_plain(input, dim, unbiased, keepdim, correction):
        spread_ = whole_variance(input)
        unary_into(k.SQRT, spread_, spread_)
        return recorded(STD, spread_, input, None, (1, False))
    return spread(_std, "std", input, dim, unbiased, keepdim, correction)


@op(axis=True, method=False)
def var_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    return spread(_var_mean, "var_mean", input, dim, unbiased, keepdim, correction)


@op(axis=True, method=False)
def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    return spread(_std_mean, "std_mean", input, dim, unbiased, keepdim, correction)


var.__doc__ = "The variance of all elements, or of those along some axes." + PARAMETERS
std.__doc__ = "The standard deviation of all elements, or of those along some axes." + PARAMETERS
var_mean.__doc__ = "(variance, mean) of all elements, or of those along some axes." + PARAMETERS
std_mean.__doc__ = "(standard deviation, mean) of all elements, or of those along some axes." + PARAMETERS


# ------------------------------------------------------------------------- logsumexp

@primitive(name="logsumexp")
@widened
def _logsumexp(self, dim, keepdim):
    x = as_float(self)
    if x.numel() == 0:
        return reduce_dims(SUM, x.exp(), dim, keepdim, x.dtype).log()
    real = x.real if x.is_complex() else x
    largest = reduce_dims(MAX, real, dim, True, real.dtype)
    largest = select(largest.isinf(), 0, largest)
    total = reduce_dims(SUM, (x - largest).exp(), dim, keepdim, x.dtype).log()
    return total + (largest if keepdim else largest.view(total.shape))


@op(axis=True)
def logsumexp(input, dim, keepdim=False, *, out=None):
    """The logarithm of the sum of the exponentials along some axes, without overflow.

    Parameters
    ----------
    input : Tensor
    dim : int or tuple of int
    keepdim : bool
        Keep the axes, with size 1.
    out : Tensor, optional
        Receives the result; its real part, if it is not complex.
    """
    rank = input.dim()
    axes = axes_of(dim, rank, "logsumexp") or EVERY[rank]
    if out is None:
        return _logsumexp(input, axes, keepdim)
    refuse_out_grad("logsumexp", input, out)
    result = _logsumexp(input, axes, keepdim)
    return write_out("logsumexp", result.real if out.is_floating_point() else result, out)


# ------------------------------------------------------------------------ covariance

@op
def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariance matrix of variables in rows and observations in columns.

    Parameters
    ----------
    input : Tensor
        With at most two axes; one axis is one variable.
    correction : int
        The sum of products is divided by n - correction.
    fweights : Tensor, optional
        Integer frequencies of the observations.
    aweights : Tensor, optional
        Weights of the observations.
    """
    if input.dim() > 2:
        raise RuntimeError("cov(): expected input to have two or fewer dimensions but got an input with "
                           f"{input.dim()} dimensions")
    if input.dtype is BOOL:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input.view(1, -1) if input.dim() < 2 else input
    count = x.size(1)
    weights = checked_weights(fweights, aweights, count)
    total = count if weights is None else weights.sum()
    if count == 0 or (weights is not None and float(total) == 0):
        mean = x.sum(1, dtype=None if not is_integral(x) else cygrad.get_default_dtype()) / total
    else:
        mean = (x if weights is None else x * weights).sum(1) / total
    if weights is not None and aweights is not None and correction:
        divisor = total - correction * (weights * aweights).sum() / total
    else:
        divisor = total - correction
    if float(divisor) <= 0:
        warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
             "observations.")
        divisor = divisor * 0 if isinstance(divisor, Tensor) else 0
    apart = x - mean.unsqueeze(1)
    weighted = apart if weights is None else apart * weights
    return (cygrad.mm(apart, weighted.t().conj()) / divisor).squeeze()


def checked_weights(fweights, aweights, count):
    """The product of both kinds of weights, or None."""
    for name, weights, integral in (("fweights", fweights, True), ("aweights", aweights, False)):
        if weights is None:
            continue
        if weights.dim() > 1:
            raise RuntimeError(f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
                               f"{weights.dim()} dimensions")
        if is_integral(weights) != integral:
            kind = "integral" if integral else "floating point"
            raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {name} with "
                               f"{SCALAR_NAMES[weights.dtype.code]} dtype")
        if weights.numel() != count:
            raise RuntimeError(f"cov(): expected {name} to have the same numel as there are observations in the input "
                               f"but got {weights.numel()} != {count}")
        if count and bool((weights < 0).any()):
            raise RuntimeError(f"cov(): {name} cannot be negative")
    if fweights is None or aweights is None:
        return aweights if fweights is None else fweights
    return fweights * aweights


@op
def corrcoef(input):
    """Pearson's correlation coefficients of variables in rows and observations in columns."""
    if input.dim() > 2:
        raise RuntimeError("corrcoef(): expected input to have two or fewer dimensions but got an input with "
                           f"{input.dim()} dimensions")
    c = cov(input)
    if c.dim() == 0:
        return c / c
    deviation = c.diagonal().real.sqrt() if c.is_complex() else c.diagonal().sqrt()
    c = c / deviation.view(-1, 1) / deviation.view(1, -1)
    return cygrad.complex(c.real.clip(-1, 1), c.imag.clip(-1, 1)) if c.is_complex() else c.clip(-1, 1)
