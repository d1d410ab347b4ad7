"""Elements taken by their places along an axis."""
import cygrad
from cygrad.array_api.axis_argument import one_axis

__all__ = ["take", "take_along_axis"]


def take(x, indices, /, *, axis=None):
    """The elements at places along an axis.

    Parameters
    ----------
    x : Tensor
        Of any dtype.
    indices : Tensor
        Places, integers of one axis; negative ones count from the end.
    axis : int, optional
        Along which; may be left out if there is but one.

    Returns
    -------
    Tensor
        Of x's shape, along the axis as long as `indices`.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.take(xp.asarray([10, 20, 30]), xp.asarray([-1, 0]))
    Array([30, 10])
    """
    axis = one_axis(x, axis, "take")
    return cygrad.index_select(x, axis, _from_start(indices, x.shape[axis]))


def take_along_axis(x, indices, /, *, axis=-1):
    """The elements at places along an axis, the places being different for each row.

    Parameters
    ----------
    x : Tensor
        Of any dtype.
    indices : Tensor
        Places, integers with as many axes as x, broadcast with it but for the axis; negative ones count from the end.
    axis : int, optional
        Along which.

    Returns
    -------
    Tensor
        Along the axis as long as `indices`.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.take_along_axis(xp.asarray([[1, 2], [3, 4]]), xp.asarray([[1], [-2]]))
    Array([[2],
           [3]])
    """
    return cygrad.take_along_dim(x, _from_start(indices, x.shape[axis]), axis)


def _from_start(indices, size):
    """Places as int64, negative ones counted from the end."""
    indices = indices.to(cygrad.int64)
    return cygrad.where(indices < 0, indices + size, indices)
