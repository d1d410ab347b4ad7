"""Joining tensors along an axis: `cat` and `stack`. Shapes and dtypes are settled here, `raw.join_into` copies."""
from cygrad.autograd.modes cimport grad_enabled
from cygrad.ops.declare.op cimport Op
from cygrad.dispatch.allocation cimport empty
from cygrad.dispatch.sizes cimport add_overflows
from cygrad.dtype cimport DType, can_cast_to, promote, plain_of
from cygrad.dispatch.raw cimport join_into
from cygrad.tensor cimport Tensor, requires_grad
from cygrad.view cimport MAX_RANK, same_sizes, size_of, wrap_dim

from cygrad import errors
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.declare.op_forms import op
from cygrad.dispatch.memory_formats import copied_in, format_of
from cygrad.ops.declare.out_arguments import refuse_out_grad, write_out

cdef Op CAT = Op("cat", "tensors", "dim", "sizes"), STACK = Op("stack", "tensors", "dim")


cpdef list listed(tensors, str name, str argument="tensors"):
    """The tensors of a list or tuple, checked, as a list."""
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{name}(): argument '{argument}' (position 1) must be tuple of Tensors, not "
                        f"{type(tensors).__name__}")
    cdef Py_ssize_t i = 0
    for t in tensors:
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
        i += 1
    return list(tensors)


cpdef DType common_dtype(list tensors):
    """The dtype that all tensors are promoted to; where some have axes, 0-d ones don't count."""
    cdef DType first = (<Tensor>tensors[0]).dtype, with_axes = None, others = None
    cdef Tensor t
    for t in tensors:
        if t.dtype is not first:
            break
    else:
        return plain_of(first)
    for t in tensors:
        if t.rank:
            with_axes = plain_of(t.dtype) if with_axes is None else promote(with_axes, t.dtype)
        else:
            others = plain_of(t.dtype) if others is None else promote(others, t.dtype)
    return others if with_axes is None else with_axes


cdef int check_devices(list tensors) except -1:
    cdef Tensor first = tensors[0], t
    for t in tensors:
        if t.memory.backend is not first.memory.backend or t.memory.index != first.memory.index:
            raise errors.on_two_devices("cat", first, t, ("the first tensor", "another"))
    return 0


cdef bint any_tracked(list tensors):
    cdef Tensor t
    if grad_enabled():
        for t in tensors:
            if requires_grad(t):
                return True
    return False


cdef int check_out_dtype(DType dtype, out) except -1:
    """Refuse an `out=` of a dtype that the result can't be cast to."""
    if isinstance(out, Tensor) and not can_cast_to(dtype, (<Tensor>out).dtype):
        raise TypeError("cygrad.cat(): input types can't be cast to the desired output type "
                        + SCALAR_NAMES[(<Tensor>out).dtype.code])
    return 0


# ------------------------------------------------------------------------ cat

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

    Returns
    -------
    Tensor
        Of the promoted dtype.

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
    cdef list parts = listed(tensors, "cat"), used = []
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t total = 0
    cdef Tensor model = None, t, result
    cdef DType dtype
    cdef int i, number, rank, d
    if out is not None:
        refuse_out_grad("cat", *parts, out, None)         # whether they overlap is asked later
    if not parts:
        raise ValueError("cygrad.cat(): expected a non-empty list of Tensors")
    for i in range(len(parts)):
        t = <Tensor>parts[i]
        if t.rank == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
        if model is None and (t.rank != 1 or t.sizes[0]):
            model = t
    if model is None:
        model = <Tensor>parts[0]
    rank = model.rank
    if rank == 1 and model.sizes[0] == 0:       # tensors without a shape all of them: any axis will do
        dim, axis = 0, None
    d = wrap_dim(dim if axis is None else axis, rank)
    if out is not None:
        check_out_dtype(common_dtype(parts), out)
    for number in range(len(parts)):
        t = <Tensor>parts[number]
        if t.rank == 1 and t.sizes[0] == 0 and rank != 1:           # an empty tensor of old: no shape at all
            continue
        if t.rank != rank:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {rank} and {t.rank}")
        for i in range(rank):
            if t.sizes[i] != model.sizes[i] and i != d:
                raise RuntimeError(f"Sizes of tensors must match except in dimension {d}. Expected size "
                                   f"{model.sizes[i]} but got size {t.sizes[i]} for tensor number {number} "
                                   "in the list.")
        if add_overflows(total, t.sizes[d], &total):
            break                                                       # `empty` refuses what it has become
        used.append(t)
    check_devices(parts)
    dtype = common_dtype(parts)
    if out is not None:
        refuse_out_grad("cat", *[t for t in parts if t.rank != 1 or t.elements], out)
    for i in range(rank):
        sizes[i] = model.sizes[i]
    sizes[d] = total
    result = empty(model.memory.backend, model.memory.index, dtype, rank, sizes)
    join_into(result, used, d, False)
    if rank > 3 and format_of(model) is not None:   # images, perhaps with channels side by side in all of them
        found = {format_of(part) for part in used}
        if len(found) == 1 and None not in found:
            result = copied_in(result, found.pop())
    if out is not None:
        return write_out("cat", result, out, False, parts)
    if any_tracked(parts):
        lengths = [(<Tensor>part).sizes[d] if (<Tensor>part).rank == rank else None for part in parts]
        CAT.record(result, (parts, d, lengths))
    return result


# ---------------------------------------------------------------------- stack

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

    Returns
    -------
    Tensor
        Of the promoted dtype, with one axis more.

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
    cdef list parts = listed(tensors, "stack")
    cdef Py_ssize_t sizes[65]
    cdef Tensor first, t, result = None
    cdef DType dtype
    cdef int i = 0, d
    if not parts:
        raise RuntimeError("stack expects a non-empty TensorList")
    if out is not None:
        refuse_out_grad("stack", *parts, out, None)
    first = <Tensor>parts[0]
    d = wrap_dim(dim, first.rank + 1)
    if out is not None:
        refuse_out_grad("stack", *[t for t in parts if t.elements], out)        # it would be a view that is none's
    if first.rank == MAX_RANK:
        raise RuntimeError(f"tensor has too many (>{MAX_RANK}) dims: {first.rank + 1}")
    for t in parts:
        if not same_sizes(t, first):
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(size_of(first))} at entry 0 "
                               f"and {list(size_of(t))} at entry {i}")
        i += 1
    check_devices(parts)
    dtype = common_dtype(parts)
    if out is not None:
        check_out_dtype(dtype, out)
    if out is None and first.rank > 3 and not first.dense and d < first.rank:     # an out is made row-major
        result = stacked_channels_last(parts, dtype, d)
    if result is None:
        for i in range(first.rank + 1):
            sizes[i] = first.sizes[i - (i > d)] if i != d else len(parts)
        result = empty(first.memory.backend, first.memory.index, dtype, first.rank + 1, sizes)
        join_into(result, parts, d, True)
    if out is not None:
        return write_out("stack", result, out, False, parts)
    if any_tracked(parts):
        STACK.record(result, (parts, d))
    return result


cdef Tensor stacked_channels_last(list parts, DType dtype, int d):
    """Images with channels side by side: joined as `cat` joins them, then seen with one axis more; None for others."""
    cdef Py_ssize_t sizes[65]
    cdef Tensor first = <Tensor>parts[0], result
    cdef set found = {format_of(part) for part in parts}
    cdef int i
    if len(found) != 1 or None in found:
        return None
    for i in range(first.rank):
        sizes[i] = first.sizes[i] * (len(parts) if i == d else 1)
    result = empty(first.memory.backend, first.memory.index, dtype, first.rank, sizes)
    join_into(result, parts, d, False)
    result = copied_in(result, found.pop())
    shape, strides = list(first.shape), list(result.stride())
    shape.insert(d, len(parts))
    strides.insert(d, strides[d] * first.sizes[d])
    return result.as_strided(shape, strides).detach()


op(_cat, name="cat", method=False, aliases=("concat", "concatenate"))
op(_stack, name="stack", method=False)
