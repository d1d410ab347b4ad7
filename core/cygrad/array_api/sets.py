"""The different elements of arrays, and whether elements are among others.

Elements are the same if they compare equal: 0.0 and -0.0 are, a NaN is not even the same as itself.
"""
from collections import namedtuple

import cygrad
from cygrad.array_api.data_types import operands

__all__ = ["isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


UniqueAll = namedtuple("UniqueAll", "values indices inverse_indices counts")
UniqueCounts = namedtuple("UniqueCounts", "values counts")
UniqueInverse = namedtuple("UniqueInverse", "values inverse_indices")


def isin(x1, x2, /, *, invert=False):
    """Whether elements are among others.

    Parameters
    ----------
    x1 : Tensor or number
        Which elements.
    x2 : Tensor or number
        Among which; at least one of both is an array.
    invert : bool, optional
        Whether they are not, instead.

    Returns
    -------
    Tensor
        Of bools, of x1's shape.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.isin(xp.asarray([1, 2, 3]), xp.asarray([3, 1]))
    Array([ True, False,  True])
    """
    return cygrad.isin(*operands(x1, x2), invert=invert)


def unique_all(x, /):
    """The different elements, where each is first, which one each element is, and how often each occurs.

    Parameters
    ----------
    x : Tensor
        Of any dtype and shape.

    Returns
    -------
    UniqueAll
        `values`, ascending; `indices`, in the array as one row; `inverse_indices`, of x's shape; `counts`.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.unique_all(xp.asarray([5, 3, 5])).indices
    Array([1, 0])
    """
    flat = x.reshape(-1)
    order = _sorting(flat)
    row = flat[order]
    first = cygrad.ones(row.shape, dtype=cygrad.bool, device=x.device)
    first[1:] = row[1:] != row[:-1]
    group = cygrad.cumsum(first, 0) - 1
    inverse = cygrad.empty_like(order)
    inverse[order] = group
    indices = order[first]
    counts = cygrad.zeros_like(indices).index_add(0, group, cygrad.ones_like(order))
    return UniqueAll(flat[indices], indices, inverse.reshape(x.shape), counts)


def _sorting(row):
    """Places that sort a row, equal elements in their order; of complex numbers by real, then by imaginary part."""
    if not row.is_complex():
        return cygrad.argsort(row, stable=True)
    row = cygrad.view_as_real(row.detach().resolve_conj())
    by_imaginary = cygrad.argsort(row[:, 1], stable=True)
    return by_imaginary[cygrad.argsort(row[:, 0][by_imaginary], stable=True)]


def unique_counts(x, /):
    """The different elements, and how often each occurs.

    Parameters
    ----------
    x : Tensor
        Of any dtype and shape.

    Returns
    -------
    UniqueCounts
        `values`, ascending, and `counts`.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.unique_counts(xp.asarray([5, 3, 5])).counts
    Array([1, 2])
    """
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x, /):
    """The different elements, and which one each element is.

    Parameters
    ----------
    x : Tensor
        Of any dtype and shape.

    Returns
    -------
    UniqueInverse
        `values`, ascending, and `inverse_indices`, of x's shape.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.unique_inverse(xp.asarray([5, 3, 5])).inverse_indices
    Array([1, 0, 1])
    """
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x, /):
    """The different elements.

    Parameters
    ----------
    x : Tensor
        Of any dtype and shape.

    Returns
    -------
    Tensor
        Of one axis, ascending.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.unique_values(xp.asarray([5, 3, 5]))
    Array([3, 5])
    """
    return unique_all(x).values
