"""Places in a flattened tensor as places along its axes: `unravel_index`."""
import cygrad
from cygrad.ops.declare.op_forms import op


@op(method=False)
def unravel_index(indices, shape):
    """The coordinates of places counted in row-major order, as a tuple with a tensor for each axis.

    Parameters
    ----------
    indices : Tensor
        Places; of integers.
    shape : int or sequence of int
        The shape that they are places in.

    Returns
    -------
    tuple of Tensor
        int64, each of the shape of `indices`.

    Raises
    ------
    ValueError
        If a place is out of range.

    Examples
    --------
    >>> cygrad.unravel_index(cygrad.tensor([1, 5]), (2, 3))
    (tensor([0, 1]), tensor([1, 2]))
    """
    if indices.is_complex() or indices.is_floating_point() or indices.dtype is cygrad.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    shape = (shape,) if isinstance(shape, int) else shape
    if not isinstance(shape, (tuple, list)) or not {*map(type, shape)} <= {int, bool}:
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {shape}")
    if min(shape, default=0) < 0:
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(shape)}")
    out, step, indices = [], 1, indices.to(cygrad.int64)
    for size in reversed(shape):
        out.append(indices.div(step, rounding_mode="floor") % size)
        step *= size
    if not out:
        return ()
    if indices.is_contiguous():
        return cygrad.stack(out[::-1], -1).unbind(-1)
    made = cygrad.empty_like(indices.unsqueeze(-1).expand(*indices.shape, len(shape)))
    cygrad.stack(out[::-1], -1, out=made.data)
    return made.unbind(-1)
