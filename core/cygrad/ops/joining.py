"""Joining tensors along an axis: `cat` and `stack`."""
from cygrad.autograd.node import primitive
from cygrad.dispatch import SCALAR_NAMES, empty_near, join_into
from cygrad.dtype import can_cast, promote_types
from cygrad.ops.registry import op, refuse_out_grad, write_out
from cygrad.ops.views import wrap
from cygrad.tensor import Tensor


def listed(tensors, name, argument="tensors"):
    """The tensors of a list or tuple, checked, as a list."""
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{name}(): argument '{argument}' (position 1) must be tuple of Tensors, not "
                        f"{type(tensors).__name__}")
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    return list(tensors)


def common_dtype(tensors):
    """The dtype that all tensors are promoted to; 0-d ones and numbers do not count less here."""
    first = tensors[0].dtype
    for t in tensors:
        if t.dtype is not first:
            break
    else:
        return first
    dtype = None
    for with_axes in (True, False):
        found = None
        for t in tensors:
            if (t.dim() > 0) is with_axes:
                found = t.dtype if found is None else promote_types(found, t.dtype)
        dtype = found if dtype is None else dtype
    return dtype


# ------------------------------------------------------------------------ cat

@primitive
def cat(tensors, dim, sizes, shape, dtype):
    out = empty_near(tensors[0], shape, dtype)
    join_into(out, tensors if len(sizes) == len(tensors) and None not in sizes else
              [t for t, n in zip(tensors, sizes) if n is not None], dim, False)
    return out


def joined_shape(tensors, dim):
    """(dim, size of each tensor along it or None for a skipped one, shape of the result) of `cat`."""
    rank = model = None
    for i, t in enumerate(tensors):
        shape = t.shape
        if not shape:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
        if model is None and (len(shape) != 1 or shape[0]):
            model, rank = shape, len(shape)
    if model is None:
        return wrap(dim, 1), [0] * len(tensors), [0]
    dim = wrap(dim, rank)
    rest = model[:dim] + model[dim + 1:]
    sizes = []
    for i, t in enumerate(tensors):
        shape = t.shape
        if len(shape) == 1 and not shape[0] and rank != 1:          # an empty tensor of old: no shape at all
            sizes.append(None)
            continue
        if len(shape) != rank:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {rank} and {len(shape)}")
        if shape[:dim] + shape[dim + 1:] != rest:
            k = next(k for k in range(rank) if k != dim and shape[k] != model[k])
            raise RuntimeError(f"Sizes of tensors must match except in dimension {dim}. Expected size {model[k]} but "
                               f"got size {shape[k]} for tensor number {i} in the list.")
        sizes.append(shape[dim])
    shape = list(model)
    shape[dim] = sum(n for n in sizes if n is not None)
    return dim, sizes, shape


@op(name="cat", method=False, aliases=("concat", "concatenate"))
def _cat(tensors, dim=0, *, out=None, axis=None):
    """The tensors one after the other along an existing axis.

    Parameters
    ----------
    tensors : sequence of Tensor
        Of one shape but for axis `dim`; dtypes are promoted. 1-d tensors without elements are skipped.
    dim : int
        The axis along which they are joined.
    out : Tensor, optional
        Where the result is written.

    Raises
    ------
    ValueError
        If there are no tensors.
    RuntimeError
        If sizes or ranks differ.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.cat([cygrad.tensor([1, 2]), cygrad.tensor([3])])
    tensor([1, 2, 3])
    """
    tensors = listed(tensors, "cat")
    if axis is not None:
        dim = axis
    if not tensors:
        raise ValueError("cygrad.cat(): expected a non-empty list of Tensors")
    dim, sizes, shape = joined_shape(tensors, dim)
    dtype = common_dtype(tensors)
    if out is not None:
        check_out("cat", tensors, dtype, out)
        return write_out("cat", cat(tensors, dim, sizes, shape, dtype), out)
    return cat(tensors, dim, sizes, shape, dtype)


def check_out(name, tensors, dtype, out):
    """Refuse an `out=` that can't take the result."""
    refuse_out_grad(name, *tensors, out)
    if not can_cast(dtype, out.dtype):
        raise TypeError("cygrad.cat(): input types can't be cast to the desired output type "
                        + SCALAR_NAMES[out.dtype.code])


# ---------------------------------------------------------------------- stack

@primitive
def stack(tensors, dim, dtype):
    shape = list(tensors[0].shape)
    shape.insert(dim, len(tensors))
    out = empty_near(tensors[0], shape, dtype)
    join_into(out, tensors, dim, True)
    return out


@op(name="stack", method=False)
def _stack(tensors, dim=0, *, out=None):
    """Tensors of one shape along a new axis.

    Parameters
    ----------
    tensors : sequence of Tensor
        Of one shape; dtypes are promoted.
    dim : int
        Where the new axis comes in the result.
    out : Tensor, optional
        Where the result is written.

    Raises
    ------
    RuntimeError
        If there are no tensors or their shapes differ.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.stack([cygrad.tensor([1, 2]), cygrad.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    tensors = listed(tensors, "stack")
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0].shape
    dim = wrap(dim, len(first) + 1)
    for i, t in enumerate(tensors):
        if t.shape != first:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                               f"{list(t.shape)} at entry {i}")
    dtype = common_dtype(tensors)
    if out is not None:
        check_out("stack", tensors, dtype, out)
        return write_out("stack", stack(tensors, dim, dtype), out)
    return stack(tensors, dim, dtype)
