"""Where elements are not zero: `nonzero`, `argwhere`."""
from cygrad.dispatch.allocation import empty_near
from cygrad.ops.declare.out_arguments import refuse_self_overlapping, write_out
from cygrad.dispatch.raw import copy_ as raw_copy, fill_ as raw_fill, nonzero_op, refuse_any_overlap
from cygrad.ops.declare.op_forms import op
from cygrad.ops.index.gathering import scalar_name


@op
def nonzero(input, *, out=None, as_tuple=False):
    """The places of the elements that are not zero, in row-major order.

    Parameters
    ----------
    as_tuple : bool
        A tensor for each axis, fit for indexing, instead of one with a row for each place.
    out : Tensor, optional
        Where the result is written; int64.

    Returns
    -------
    Tensor, or tuple of Tensor
        int64; (places, axes), or a tensor of places for each axis.

    Examples
    --------
    >>> cygrad.tensor([[0, 1], [2, 0]]).nonzero()
    tensor([[0, 1],
            [1, 0]])
    """
    if not isinstance(as_tuple, bool):
        raise TypeError(f"nonzero(): argument 'as_tuple' must be bool, not {type(as_tuple).__name__}")
    if as_tuple:
        if out is not None:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        return nonzero_op(input if input.dim() else input.reshape(1)).unbind(1)
    found = nonzero_op(input)
    if out is None:
        return found
    if out.dtype is not found.dtype:
        raise RuntimeError("nonzero: Expected out tensor to have scalar type Long but got scalar type"
                           f"{scalar_name(out)}")
    refuse_any_overlap(out, (input,))
    refuse_self_overlapping(out)
    return write_out("nonzero", found, out)


@op(out="found")
def nonzero_static(input, *, size, fill_value=-1):
    """The first `size` places of `nonzero`, filled up where there are fewer.

    Parameters
    ----------
    size : int
        How many rows; not negative.
    fill_value : int
        What rows without a place are full of.

    Returns
    -------
    Tensor
        (size, number of axes), int64.

    Raises
    ------
    RuntimeError
        For a negative size.

    Examples
    --------
    >>> cygrad.nonzero_static(cygrad.tensor([0, 5]), size=2)
    tensor([[ 1],
            [-1]])
    """
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = nonzero_op(input)[:size]
    made = empty_near(input, (size, input.dim()), found.dtype)
    raw_fill(made, fill_value)
    raw_copy(made[:found.shape[0]], found)
    return made


@op
def argwhere(input):
    """The places of the elements that are not zero, a row each; `nonzero` by another name.

    Returns
    -------
    Tensor
        int64; (places, axes).

    Examples
    --------
    >>> cygrad.argwhere(cygrad.tensor([[0, 1], [2, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    return nonzero_op(input)
