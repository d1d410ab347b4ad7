"""Where elements are: extremes, what is not zero, places in a sorted array; choosing by a condition."""
import cygrad
from cygrad import Tensor
from cygrad.array_api.axis_argument import axes_of
from cygrad.array_api.data_types import operands
from cygrad.array_api.documented import documented

__all__ = ["argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "where"]


_DOC = """Where the {which} element is, the first of them.

Parameters
----------
x : Tensor
    Real.
axis : int, optional
    Along which; by default the array is looked at as one row.
keepdims : bool, optional
    Whether the reduced axes stay, with size 1.

Returns
-------
Tensor
    int64.

Examples
--------
>>> from cygrad import array_api as xp
>>> xp.{name}(xp.asarray([3, 9, 1]))
Array({place})
"""


def _finding(name, op, which, place):
    """The function of this name, which says where an extreme is."""
    def function(x, /, *, axis=None, keepdims=False):
        return op(_ordered(x), axis, keepdim=keepdims)
    return documented(function, name, _DOC.format(name=name, which=which, place=place))


argmax = _finding("argmax", cygrad.argmax, "greatest", 1)
argmin = _finding("argmin", cygrad.argmin, "least", 2)


def _ordered(x):
    """The array, of bools as numbers."""
    return x.to(cygrad.uint8) if x.dtype is cygrad.bool else x


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """How many elements are not zero.

    Parameters
    ----------
    x : Tensor
        Of any dtype.
    axis : int or tuple of int, optional
        The axes that are reduced; all by default, none for an empty tuple.
    keepdims : bool, optional
        Whether the axes stay, with size 1.

    Returns
    -------
    Tensor
        int64.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.count_nonzero(xp.asarray([[1, 0], [2, 3]]), axis=0)
    Array([2, 1])
    """
    axes = axes_of(x, axis)
    found = x if x.dtype is cygrad.bool else x != 0
    return cygrad.sum(found, axes, keepdim=keepdims) if axes else found.to(cygrad.int64)


def nonzero(x, /):
    """Where the elements are that are not zero.

    Parameters
    ----------
    x : Tensor
        Of any dtype and at least one axis.

    Returns
    -------
    tuple of Tensor
        For each axis the places along it, int64, in the order of the elements.

    Raises
    ------
    ValueError
        For an array without axes.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.nonzero(xp.asarray([0, 5, 7]))
    (Array([1, 2]),)
    """
    if x.ndim == 0:
        raise ValueError("nonzero: an array without axes has no places; use expand_dims")
    return tuple(cygrad.nonzero(x, as_tuple=True))


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Where elements would have to stand in a sorted array.

    Parameters
    ----------
    x1 : Tensor
        Of one axis, sorted, or else with a `sorter`.
    x2 : Tensor, int or float
        What would be put in.
    side : {"left", "right"}, optional
        Before or behind elements that are equal.
    sorter : Tensor, optional
        Places that sort x1.

    Returns
    -------
    Tensor
        int64, of x2's shape.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.searchsorted(xp.asarray([1, 3, 5]), xp.asarray([0, 3, 9]))
    Array([0, 1, 3])
    """
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side must be 'left' or 'right', not {side!r}")
    a, b = operands(x1, x2)
    if sorter is not None:
        a = cygrad.take_along_dim(a, sorter.to(cygrad.int64), 0)
    a, b = a.contiguous(), b.contiguous()
    if not a.is_floating_point() or a.numel() == 0 or not a[-1].isnan():
        return cygrad.searchsorted(a, b, side=side)
    absent = a.isnan()                          # these are sorted behind infinity, where another NaN belongs, too
    numbers = (~absent).sum()
    found = cygrad.searchsorted(a.masked_fill(absent, cygrad.inf), b, side=side).minimum(numbers)
    return cygrad.where(b.isnan(), numbers if side == "left" else a.numel(), found)


def where(condition, x1=None, x2=None, /):
    """The elements of x1 where the condition holds, those of x2 elsewhere.

    Parameters
    ----------
    condition : Tensor
        Of bools.
    x1, x2 : Tensor or number
        Broadcast with the condition and each other. Without them, `nonzero(condition)`, as NumPy has it and some
        callers rely on.

    Returns
    -------
    Tensor
        Of the dtype that x1 and x2 promote to.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.where(xp.asarray([True, False]), xp.asarray([1, 2]), 0)
    Array([1, 0])
    """
    if x1 is None and x2 is None:
        return nonzero(condition)
    if not isinstance(x1, Tensor) and not isinstance(x2, Tensor):
        x1 = cygrad.tensor(x1, device=condition.device)
    return cygrad.where(condition, *operands(x1, x2))
