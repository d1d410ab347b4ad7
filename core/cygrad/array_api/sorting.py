"""Sorting along an axis."""
import cygrad

__all__ = ["argsort", "sort"]


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """The elements, sorted along an axis; NaN counts as the greatest.

    Parameters
    ----------
    x : Tensor
        Real.
    axis : int, optional
        Along which.
    descending : bool, optional
        The greatest first.
    stable : bool, optional
        Whether equal elements keep their order.

    Returns
    -------
    Tensor
        Of x's shape and dtype.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.sort(xp.asarray([3, 1, 2]), descending=True)
    Array([3, 2, 1])
    """
    return cygrad.sort(x, dim=axis, descending=descending, stable=stable)[0]


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """The places that sort the elements along an axis.

    Parameters
    ----------
    x : Tensor
        Real.
    axis : int, optional
        Along which.
    descending : bool, optional
        The greatest first.
    stable : bool, optional
        Whether equal elements keep their order.

    Returns
    -------
    Tensor
        int64, of x's shape.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.argsort(xp.asarray([3, 1, 2]))
    Array([1, 2, 0])
    """
    return cygrad.argsort(x, dim=axis, descending=descending, stable=stable)
