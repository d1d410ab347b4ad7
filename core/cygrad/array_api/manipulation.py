"""Arrays put in another shape or order, joined, repeated and taken apart."""

import cygrad
from cygrad.array_api.data_types import operands

__all__ = ["broadcast_arrays", "broadcast_shapes", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis",
           "permute_dims", "repeat", "reshape", "roll", "squeeze", "stack", "tile", "unstack"]


def broadcast_arrays(*arrays):
    """Arrays, each expanded to the shape that all broadcast to.

    Parameters
    ----------
    *arrays : Tensor
        Of shapes that go together.

    Returns
    -------
    tuple of Tensor
        Views.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.broadcast_arrays(xp.asarray([1, 2]), xp.asarray([[3], [4]]))[0]
    Array([[1, 2],
           [1, 2]])
    """
    shape = broadcast_shapes(*[x.shape for x in arrays])
    return tuple([cygrad.broadcast_to(x, shape) for x in arrays])


def broadcast_shapes(*shapes):
    """The shape that shapes broadcast to.

    Parameters
    ----------
    *shapes : tuple of int
        Shapes that go together.

    Returns
    -------
    tuple of int
        Without shapes, the empty one.

    Raises
    ------
    ValueError
        If they don't go together.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    rank = max(map(len, shapes), default=0)
    found = []
    for sizes in zip(*[(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]):
        wide = {size for size in sizes if size != 1}
        if len(wide) > 1:
            raise ValueError("broadcast_shapes: the shapes " + ", ".join(str(tuple(shape)) for shape in shapes)
                             + " could not be broadcast together")
        found.append(wide.pop() if wide else 1)
    return tuple(found)


def broadcast_to(x, /, shape):
    """An array, expanded to a shape.

    Parameters
    ----------
    x : Tensor
        Of a shape that broadcasts to it.
    shape : tuple of int
        The shape.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.broadcast_to(xp.asarray([1, 2]), (2, 2))
    Array([[1, 2],
           [1, 2]])
    """
    return cygrad.broadcast_to(x, shape)


def concat(arrays, /, *, axis=0):
    """Arrays one behind the other.

    Parameters
    ----------
    arrays : sequence of Tensor
        Of the same sizes but along the axis; their dtypes are promoted.
    axis : int or None, optional
        Along which; None makes a row of each first.

    Returns
    -------
    Tensor
        Of the promoted dtype.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.concat([xp.asarray([1, 2]), xp.asarray([3])])
    Array([1, 2, 3])
    """
    arrays = operands(*arrays)
    if axis is None:
        arrays, axis = [x.reshape(-1) for x in arrays], 0
    return cygrad.cat(tuple(arrays), axis)


def stack(arrays, /, *, axis=0):
    """Arrays beside each other, along a new axis.

    Parameters
    ----------
    arrays : sequence of Tensor
        Of one shape; their dtypes are promoted.
    axis : int, optional
        Where the new axis comes.

    Returns
    -------
    Tensor
        Of the promoted dtype.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.stack([xp.asarray([1, 2]), xp.asarray([3, 4])], axis=1)
    Array([[1, 3],
           [2, 4]])
    """
    return cygrad.stack(tuple(operands(*arrays)), axis)


def unstack(x, /, *, axis=0):
    """The slices of an array along an axis.

    Parameters
    ----------
    x : Tensor
        Of at least one axis.
    axis : int, optional
        Along which; the slices don't have it.

    Returns
    -------
    tuple of Tensor
        Views.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.unstack(xp.asarray([[1, 2], [3, 4]]))
    (Array([1, 2]), Array([3, 4]))
    """
    return tuple(cygrad.unbind(x, axis))


def expand_dims(x, /, axis):
    """An array with additional axes of size 1.

    Parameters
    ----------
    x : Tensor
        Of any shape.
    axis : int or tuple of int
        Where they are in the result.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    IndexError
        If there is no such axis.
    ValueError
        If one is named twice.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.expand_dims(xp.asarray([1, 2]), (0, -1)).shape
    cygrad.Size([1, 2, 1])
    """
    if not isinstance(axis, (tuple, list)):
        return cygrad.unsqueeze(x, axis)
    rank = x.ndim + len(axis)
    for each in axis:
        if not -rank <= each < rank:
            raise IndexError(f"expand_dims: axis {each} is out of range for a result of {rank} axes")
    axes = sorted({each % rank for each in axis})
    if len(axes) < len(axis):
        raise ValueError(f"expand_dims: an axis occurs twice in {axis}")
    for each in axes:
        x = cygrad.unsqueeze(x, each)
    return x


def squeeze(x, /, axis):
    """An array without some of its axes, which have size 1.

    Parameters
    ----------
    x : Tensor
        Of any shape.
    axis : int or tuple of int
        Which axes.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    ValueError
        If one has another size.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.squeeze(xp.asarray([[1, 2]]), 0)
    Array([1, 2])
    """
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    for each in axes:
        if x.shape[each] != 1:
            raise ValueError(f"squeeze: axis {each} has {x.shape[each]} places, not 1")
    return cygrad.squeeze(x, axes) if axes else x


def flip(x, /, *, axis=None):
    """An array with the order of its elements reversed.

    Parameters
    ----------
    x : Tensor
        Of any shape.
    axis : int or tuple of int, optional
        Along which axes; all by default.

    Returns
    -------
    Tensor
        Of x's shape.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.flip(xp.asarray([1, 2, 3]))
    Array([3, 2, 1])
    """
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    return cygrad.flip(x, tuple(axes))


def roll(x, /, shift, *, axis=None):
    """An array with its elements moved along axes; those that leave at the end come back at the beginning.

    Parameters
    ----------
    x : Tensor
        Of any shape.
    shift : int or tuple of int
        By how many places, for each axis.
    axis : int or tuple of int, optional
        Along which axes; by default the array is rolled as one row.

    Returns
    -------
    Tensor
        Of x's shape.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.roll(xp.asarray([1, 2, 3]), 1)
    Array([3, 1, 2])
    """
    if isinstance(axis, (tuple, list)) and isinstance(shift, int):
        shift = (shift,) * len(axis)
    return cygrad.roll(x, shift, axis)


def moveaxis(x, source, destination, /):
    """An array with some of its axes moved; the others keep their order.

    Parameters
    ----------
    x : Tensor
        Of any shape.
    source, destination : int or tuple of int
        From where, and to where in the result.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.moveaxis(xp.ones((2, 3, 4)), 0, -1).shape
    cygrad.Size([3, 4, 2])
    """
    return cygrad.moveaxis(x, source, destination)


def permute_dims(x, /, axes):
    """An array with its axes in another order.

    Parameters
    ----------
    x : Tensor
        Of any shape.
    axes : tuple of int
        Which axis of x comes at each place.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.permute_dims(xp.ones((2, 3)), (1, 0)).shape
    cygrad.Size([3, 2])
    """
    return cygrad.permute(x, axes)


def reshape(x, /, shape, *, copy=None):
    """An array in another shape.

    Parameters
    ----------
    x : Tensor
        Of any shape.
    shape : tuple of int
        Of as many elements; one size may be -1, which is then what fits.
    copy : bool, optional
        True: always copy; False: never, raise where one would be needed; None: where needed.

    Returns
    -------
    Tensor
        A view where that is possible, unless `copy` is True.

    Raises
    ------
    ValueError
        If `copy` is False and the elements don't lie so that a view is possible.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.reshape(xp.asarray([1, 2, 3, 4]), (2, -1))
    Array([[1, 2],
           [3, 4]])
    """
    if copy is None:
        return cygrad.reshape(x, shape)
    if copy:
        return cygrad.reshape(x, shape).clone() if _is_view(x, shape) else cygrad.reshape(x, shape)
    if not _is_view(x, shape):
        raise ValueError(f"reshape: an array of shape {tuple(x.shape)} with strides {x.stride()} can't become one of "
                         f"shape {tuple(shape)} without a copy")
    return cygrad.reshape(x, shape)


def _is_view(x, shape):
    """Whether `reshape` gives a view; whether the shape fits is for `reshape` to say."""
    found = cygrad.reshape(x, shape)
    return found is x or found.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()


def repeat(x, repeats, /, *, axis=None):
    """An array with each of its elements repeated.

    Parameters
    ----------
    x : Tensor
        Of any shape.
    repeats : int or Tensor
        How many times; an array of integers says it for each element along the axis. Its values decide the result's
        shape, so that the host waits for the device.
    axis : int, optional
        Along which; by default the array is looked at as one row.

    Returns
    -------
    Tensor
        Of x's dtype.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.repeat(xp.asarray([1, 2]), xp.asarray([2, 1]))
    Array([1, 1, 2])
    """
    if isinstance(repeats, cygrad.Tensor):
        size = x.numel() if axis is None else x.shape[axis]
        repeats = cygrad.broadcast_to(repeats.to(cygrad.int64), (size,))
    return cygrad.repeat_interleave(x, repeats, dim=axis)


def tile(x, repetitions, /):
    """An array beside itself, along each axis a number of times.

    Parameters
    ----------
    x : Tensor
        Of any shape.
    repetitions : tuple of int
        How many times, the last for the last axis.

    Returns
    -------
    Tensor
        Of x's dtype.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.tile(xp.asarray([1, 2]), (2, 2))
    Array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    return cygrad.tile(x, repetitions)
