"""Sums, products, extremes, means and variances, over all axes, one or several; running sums and products."""
import math

import cygrad
from cygrad.array_api.axis_argument import axes_of, one_axis
from cygrad.array_api.data_types import is_integer, of_default_size
from cygrad.array_api.results import own

__all__ = ["cumulative_prod", "cumulative_sum", "max", "mean", "min", "prod", "std", "sum", "var"]

_DOC = """{what}.

Parameters
----------
x : Tensor
    {takes}
axis : int or tuple of int, optional
    The axes that are reduced; all by default, none for an empty tuple.{more}
keepdims : bool, optional
    Whether the axes stay, with size 1.

Returns
-------
Tensor
    {gives}

Examples
--------
>>> from cygrad import array_api as xp
>>> xp.{name}(xp.asarray([[1., 2.], [3., 5.]]), axis=0)
{shown}
"""
_DTYPE = """
dtype : dtype, optional
    In which it is computed. By default x's; integers are computed with the default number of bits."""
_CORRECTION = """
correction : int or float, optional
    What is taken off the number of elements before the squares are divided by it."""


def _documented(what, takes, gives, shown, more=""):
    """A decorator that writes the docstring of a reduction."""
    def decorate(function):
        function.__doc__ = _DOC.format(what=what, takes=takes, gives=gives, shown=shown, more=more,
                                       name=function.__name__)
        return function
    return decorate


def joined(x, axes):
    """The array with these axes as one, the last."""
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    return cygrad.permute(x, (*kept, *axes)).reshape([x.shape[axis] for axis in kept] + [-1 if x.numel() else
                                                     math.prod(x.shape[axis] for axis in axes)])


def with_axes(found, x, axes, keepdims):
    """The result of a reduction of `joined` axes, which stay with size 1 if `keepdims`."""
    if not keepdims:
        return found
    return found.reshape([1 if axis in axes else size for axis, size in enumerate(x.shape)])


@_documented("The sum", "Numeric.", "Of x's dtype, or the one given.", "Array([4., 7.])", _DTYPE)
def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    axes = axes_of(x, axis)
    dtype = dtype or of_default_size(x.dtype)
    return cygrad.sum(x, axes, keepdim=keepdims, dtype=dtype) if axes else x.to(dtype, copy=True)


@_documented("The product", "Numeric.", "Of x's dtype, or the one given.", "Array([ 3., 10.])", _DTYPE)
def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    axes = axes_of(x, axis)
    dtype = dtype or of_default_size(x.dtype)
    if not axes:
        return x.to(dtype, copy=True)
    return own(with_axes(cygrad.prod(joined(x, axes), -1, dtype=dtype), x, axes, keepdims))


@_documented("The greatest element; NaN if one is", "Real, with at least one element along the axes.", "Of x's dtype.",
             "Array([3., 5.])")
def max(x, /, *, axis=None, keepdims=False):
    axes = axes_of(x, axis)
    return own(cygrad.amax(x, axes, keepdim=keepdims)) if axes else x.clone()


@_documented("The least element; NaN if one is", "Real, with at least one element along the axes.", "Of x's dtype.",
             "Array([1., 2.])")
def min(x, /, *, axis=None, keepdims=False):
    axes = axes_of(x, axis)
    return own(cygrad.amin(x, axes, keepdim=keepdims)) if axes else x.clone()


def _floating(x):
    """The array, of the default floating-point dtype if it is of integers."""
    return x.to(cygrad.get_default_dtype()) if is_integer(x.dtype) or x.dtype is cygrad.bool else x


@_documented("The arithmetic mean", "Numeric.", "Of x's dtype; of integers of the default floating-point dtype.",
             "Array([2.0000, 3.5000])")
def mean(x, /, *, axis=None, keepdims=False):
    axes = axes_of(x, axis)
    x = _floating(x)
    return cygrad.mean(x, axes, keepdim=keepdims) if axes else x.clone()


@_documented("The variance", "Real.", "Of x's dtype; NaN if not more elements than `correction` are reduced.",
             "Array([1.0000, 2.2500])", _CORRECTION)
def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    axes = axes_of(x, axis)
    x = _floating(x)
    count = math.prod(x.shape[axis] for axis in axes)
    spread = x - cygrad.mean(x, axes, keepdim=True) if axes else x - x
    if not isinstance(correction, int) and not float(correction).is_integer():
        return sum(spread * spread, axis=axes, keepdims=keepdims) / _divisor(count - correction)
    if count <= correction:
        return sum(spread * spread, axis=axes, keepdims=keepdims) * math.nan
    return cygrad.var(x, axes, correction=int(correction), keepdim=keepdims) if axes else spread


def _divisor(left):
    """What squares are divided by: as many as are left after the correction, NaN if there are none."""
    return left if left > 0 else math.nan


@_documented("The standard deviation", "Real.", "Of x's dtype; NaN if not more elements than `correction` are reduced.",
             "Array([1.0000, 1.5000])", _CORRECTION)
def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    return own(cygrad.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims)))


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """The sums of all elements up to each.

    Parameters
    ----------
    x : Tensor
        Numeric, of at least one axis.
    axis : int, optional
        Along which; may be left out if there is but one.
    dtype : dtype, optional
        In which it is computed. By default x's; integers are computed with the default number of bits.
    include_initial : bool, optional
        Whether a zero comes first.

    Returns
    -------
    Tensor
        Of x's shape, or one longer along the axis.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.cumulative_sum(xp.asarray([1, 2, 3]), include_initial=True)
    Array([0, 1, 3, 6])
    """
    return _cumulative("cumulative_sum", cygrad.cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """The products of all elements up to each.

    Parameters
    ----------
    x : Tensor
        Numeric, of at least one axis.
    axis : int, optional
        Along which; may be left out if there is but one.
    dtype : dtype, optional
        In which it is computed. By default x's; integers are computed with the default number of bits.
    include_initial : bool, optional
        Whether a one comes first.

    Returns
    -------
    Tensor
        Of x's shape, or one longer along the axis.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.cumulative_prod(xp.asarray([2, 3, 4]))
    Array([ 2,  6, 24])
    """
    return _cumulative("cumulative_prod", cygrad.cumprod, 1, x, axis, dtype, include_initial)


def _cumulative(name, op, initial, x, axis, dtype, include_initial):
    axis = one_axis(x, axis, name)
    found = op(x, axis, dtype=dtype or of_default_size(x.dtype))
    if not include_initial:
        return own(found)
    shape = list(x.shape)
    shape[axis] = 1
    return cygrad.cat([cygrad.full(shape, initial, dtype=found.dtype, device=x.device), found], axis)
