"""Variance, medians, quantiles, the mode, covariance, logsumexp."""
import math
import warnings

import cygrad
from cygrad import return_types
from cygrad.autograd.node import primitive
from cygrad.dispatch import SCALAR_NAMES, cast_to, clone_like, reduce_dims, sort_op
from cygrad.operands import select
from cygrad.ops.composite import (BOOL, DTYPES, FLOAT32, HALVES, as_float, is_integral, refuse_complex_gradient, refused,
                                  widened)
from cygrad.ops.reductions import EVERY, INT64, MAX, SUM, axes_of, axis_of, count_of, need_elements, take_along
from cygrad.ops.registry import op, refuse_out_grad, write_out
from cygrad.tensor import Tensor


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
    squares = reduce_dims(SUM, apart * apart, axes, True, x.dtype)
    var = (squares - rest * rest / float(n)) / float(max(n - correction, 0))
    if not keepdim and x.dim():
        shape = tuple([m for i, m in enumerate(x.shape) if i not in axes])
        var, mean = var.view(shape).detach(), mean.view(shape).detach()
    return var, mean


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
        warnings.warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
                      "factor (input numel divided by output numel).", UserWarning, stacklevel=4)
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
def var(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    return spread(_var, "var", input, dim, unbiased, keepdim, correction)


@op(axis=True, out=True)
def std(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
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


# --------------------------------------------------------------------------- medians

def middle(t, dim, skip_nan, keepdim):
    """(values, indices) of the lower median along an axis: from a stable sort, in which NaN comes last."""
    if not t.dim():
        return clone_like(t), cygrad.zeros_like(t, dtype=INT64)
    values, order = sort_op(t, dim, False, True)
    n = t.size(dim)
    if t.is_floating_point():
        missing = reduce_dims(SUM, t.isnan(), (dim,), True, INT64)
        if skip_nan:
            place = ((n - missing - 1) // 2).clamp_min(0)
        else:
            place = select(missing > 0, n - missing, (n - 1) // 2)
    else:
        shape = tuple([1 if i == dim else m for i, m in enumerate(t.shape)])
        place = cygrad.full(shape, (n - 1) // 2, dtype=INT64, device=t.device)
    if not keepdim:
        place = place.squeeze(dim)
    return take_along(values, place, dim, keepdim), take_along(order, place, dim, keepdim)


@primitive(name="median")
def _median(self):
    return middle(self.reshape(-1), 0, False, False)[0] if self.numel() else median_of_nothing(self)


@primitive(name="nanmedian")
def _nanmedian(self):
    return middle(self.reshape(-1), 0, True, False)[0] if self.numel() else median_of_nothing(self)


def median_of_nothing(t):
    """NaN, as PyTorch converts it to the dtype."""
    if t.dtype is BOOL:
        value = True
    elif is_integral(t):
        value = -2 ** 63 if t.dtype is INT64 else -2 ** 31 if t.dtype is DTYPES["int32"] else 0
    else:
        value = math.nan
    return cygrad.full((), value, dtype=t.dtype, device=t.device)


@primitive(name="median_dim")
def _median_dim(self, dim, keepdim):
    return middle(self, dim, False, keepdim)


@primitive(name="nanmedian_dim")
def _nanmedian_dim(self, dim, keepdim):
    return middle(self, dim, True, keepdim)


def median_form(name, whole, some, input, dim, keepdim):
    if dim is not None:
        dim = axis_of(dim, input.dim(), name)
        need_elements(input, (dim,), "median")
    if (input.is_complex() or input.dtype is BOOL) and (input.numel() or dim is not None):
        raise refused("median_cpu" if dim is None else "median_out", input.dtype)
    if dim is None:
        refuse_complex_gradient(input, name)
        return whole(input)
    return getattr(return_types, name)(some(input, dim, keepdim))


@op(axis=True, out="exact")
def median(input, dim=None, keepdim=False):
    """The lower median of all elements, or along an axis; NaN if any element is.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    dim : int, optional
    keepdim : bool
        Keep the axis, with size 1.

    Returns
    -------
    Tensor, or return_types.median
        With `dim`: values and indices.
    """
    return median_form("median", _median, _median_dim, input, dim, keepdim)


@op(axis=True, out="exact")
def nanmedian(input, dim=None, keepdim=False):
    """The lower median of the elements that are not NaN, of all or along an axis."""
    return median_form("nanmedian", _nanmedian, _nanmedian_dim, input, dim, keepdim)


@primitive(name="mode")
def _mode(self, dim, keepdim):
    """Runs of equal elements in the sorted tensor; the first of the longest ends where the length is largest."""
    if not self.dim():
        return clone_like(self), cygrad.zeros_like(self, dtype=INT64)
    values, order = sort_op(self, dim, False, True)
    n = self.size(dim)
    if n == 0 or self.numel() == 0:
        shape = tuple([1 if i == dim else m for i, m in enumerate(self.shape) if keepdim or i != dim])
        return cygrad.empty(shape, dtype=self.dtype, device=self.device), cygrad.empty(shape, dtype=INT64,
                                                                                      device=self.device)
    places = cygrad.arange(n, device=self.device).view((n,) + (1,) * (self.dim() - 1 - dim)).expand(self.shape)
    starts = cygrad.zeros_like(places)
    fresh = values.narrow(dim, 1, n - 1) != values.narrow(dim, 0, n - 1)
    starts = cygrad.cat([starts.narrow(dim, 0, 1), select(fresh, places.narrow(dim, 1, n - 1), 0)], dim)
    length = places - starts.cummax(dim).values
    best = length.argmax(dim, keepdim)
    return take_along(values, best, dim, keepdim), take_along(order, best, dim, keepdim)


@op(axis=True, out="exact")
def mode(input, dim=-1, keepdim=False):
    """The most frequent element along an axis (the smallest of several) and the last place where it is.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    dim : int
    keepdim : bool
        Keep the axis, with size 1.

    Returns
    -------
    return_types.mode
        (values, indices).
    """
    dim = axis_of(dim, input.dim(), "mode")
    need_elements(input, (dim,), "mode")
    if input.is_complex():
        raise refused("mode_cpu", input.dtype)
    return return_types.mode(_mode(input, dim, keepdim))


# ------------------------------------------------------------------------- quantiles

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantiles(name, input, q, dim, keepdim, interpolation, skip_nan):
    """Sorted values between which each quantile lies, and their weighted mean."""
    if input.dtype not in (FLOAT32, DTYPES["float64"]):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if input.numel() == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if isinstance(q, Tensor):
        if q.dim() > 1:
            raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
        if q.dtype is not input.dtype:
            raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
        if not bool(((q >= 0).logical_and(q <= 1)).all()):
            raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    elif not 0 <= q <= 1:
        raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q:g}")
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError(f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
                           f"{interpolation}")
    several = isinstance(q, Tensor) and q.dim() == 1
    if not isinstance(q, Tensor):
        q = cygrad.tensor(q, dtype=input.dtype, device=input.device)
    if dim is None or not input.dim():
        moved = input.reshape([1] * input.dim() + [-1]) if keepdim else input.reshape(-1)
    else:
        dim = axis_of(dim, input.dim(), name)
        moved = input.unsqueeze(-1).transpose(dim, -1) if keepdim else input.movedim(dim, -1)
    ordered = moved.sort(-1).values
    found = between(moved, ordered, q.reshape(-1), interpolation, skip_nan)       # (..., number of quantiles)
    if several:
        found = found.unsqueeze_(0).transpose_(0, -1)
    return found.squeeze_(-1)


def between(moved, ordered, q, interpolation, skip_nan):
    n = moved.size(-1)
    nan = moved.isnan()
    if skip_nan:
        last = ((n - 1) - nan.sum(-1, True)).clamp_min(0)
        ranks = q * last
    else:
        ranks = q * (n - 1)
        ranks = ranks.expand(tuple(moved.shape[:-1]) + (q.numel(),))
        ranks = select(nan.any(-1, True), float(n - 1), ranks)
    if interpolation == "lower":
        ranks = ranks.floor()
    elif interpolation == "higher":
        ranks = ranks.ceil()
    elif interpolation == "nearest":
        ranks = ranks.round()
    below = ranks.long()
    values = ordered.gather(-1, below)
    if interpolation in ("linear", "midpoint"):
        weights = cygrad.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
        values = values.lerp(ordered.gather(-1, ranks.ceil().long()), weights)
    return values


@op(axis=True, out="exact")
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """The q-quantiles of all elements, or along an axis; NaN if any element is.

    Parameters
    ----------
    input : Tensor
        Of dtype float32 or float64.
    q : float or Tensor
        In [0, 1]; a 1-d tensor gives a result with a first axis for the quantiles.
    dim : int, optional
    keepdim : bool
        Keep the axis, with size 1.
    interpolation : {"linear", "lower", "higher", "midpoint", "nearest"}
        What a quantile between two elements is.
    """
    return quantiles("quantile", input, q, dim, keepdim, interpolation, False)


@op(axis=True, out="exact")
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """`quantile` of the elements that are not NaN."""
    return quantiles("nanquantile", input, q, dim, keepdim, interpolation, True)


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
        warnings.warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
                      "observations.", UserWarning, stacklevel=3)
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
