"""What formulas return, made to fit: summed over what broadcasting repeated, cast, moved; and added up.

No formula has to undo broadcasting or promotion; it is done here, once for all.
"""
from cpython.object cimport PyObject

from cygrad.autograd.modes cimport grad_enabled
from cygrad.autograd.node cimport Node, PythonNode, meta_of, takes_any_dtype
from cygrad.backend cimport ADD
from cygrad.dispatch.kernel_calls cimport binary, binary_into, cast
from cygrad.dispatch.axis_reductions cimport sum_to
from cygrad.dispatch.promotion cimport SAME
from cygrad.dtype cimport CATEGORY_COMPLEX, plain_of
from cygrad.tensor cimport CREATED_IN_NO_GRAD, Tensor, bump_version, plain, version_of
from cygrad.tensors.operators cimport add
from cygrad.view cimport View, same_sizes, size_of
from cygrad.devices.device import of
from cygrad.devices.home import brought


cdef Tensor fitted(object value, Node node, Py_ssize_t number, Node source, Py_ssize_t position):
    """A gradient that a node returned, made to fit the tensor it belongs to: summed, cast; raises where it can't."""
    cdef View meta
    cdef Tensor grad
    if not isinstance(value, Tensor):
        raise TypeError(f"{source.name()} returned a gradient of type {type(value).__name__}, expected Tensor or None")
    grad = <Tensor>value
    if type(grad.names_) is tuple:               # of a Function, or a hook
        grad = plain(grad)
    if fits(grad, node):
        return grad
    meta = meta_of(node, number)
    if meta is None:
        return grad
    if not same_sizes(grad, meta):
        if not expandable(meta, grad):
            raise RuntimeError(f"Function {source.name()} returned an invalid gradient at index {position} - got "
                               f"{list(size_of(grad))} but expected shape compatible with {list(size_of(meta))}")
        if grad.dtype.category == CATEGORY_COMPLEX and meta.dtype.category < CATEGORY_COMPLEX \
                and not takes_any_dtype(node):
            grad = grad.real                            # complex32 has no sums
        if grad_enabled():
            grad = reduced(grad, meta)
        else:
            value = sum_to(grad, meta)
            grad = dropping_axes(grad, <Tensor>value)
    if plain_of(grad.dtype) is not plain_of(meta.dtype) and not takes_any_dtype(node):
        if grad.dtype.category == CATEGORY_COMPLEX and meta.dtype.category < CATEGORY_COMPLEX:
            grad = grad.real
        if plain_of(grad.dtype) is not plain_of(meta.dtype):
            grad = grad.to(meta.dtype) if grad_enabled() else cast(grad, meta.dtype)
    if grad.memory.backend is not node.backend or grad.memory.index != node.index:
        if grad.rank and isinstance(source, PythonNode):     # ours leave the move to this place; a user's is a mistake
            found = brought(grad, of(node.backend, node.index))
            if found is None:
                raise RuntimeError(f"Function {source.name()} returned an invalid gradient at index {position} - "
                                   f"expected device {of(node.backend, node.index)} but got {grad.device}")
            return found
        grad = grad.to(of(node.backend, node.index))
    return grad


cdef Tensor dropping_axes(Tensor grad, Tensor sums):
    """`sums` of `grad`, marked as the view by which PyTorch drops axes; without axes left, it sums all at once."""
    if grad.rank != sums.rank and sums.rank != 0:
        sums.creation = CREATED_IN_NO_GRAD
    return sums


cdef Tensor reduced(Tensor grad, View meta):
    """sum_to, recorded."""
    return grad.sum_to_size(size_of(meta))


cdef bint expandable(View small, View large) noexcept:
    """Whether broadcasting takes one shape to the other."""
    cdef int i
    if small.rank > large.rank:
        return False
    for i in range(1, small.rank + 1):
        if small.sizes[small.rank - i] != large.sizes[large.rank - i] and small.sizes[small.rank - i] != 1:
            return False
    return True


cdef Tensor summed(Tensor held, Tensor grad, Tensor source, bint last):
    """held + grad; in place where the caller alone refers to `held`, and `held` alone to its memory.

    `source` is what `grad` was computed from, which the engine holds, too, and needs unless this is the `last` use of
    it. PyTorch has computed all gradients of a node before it adds the first, so there it is gone by now.
    """
    cdef bint same, shared
    cdef Tensor out
    if grad_enabled() or held.dtype is not grad.dtype or not same_sizes(held, grad):
        return add(held, grad)
    same = held is source
    shared = (source is not None and not same and source.memory is held.memory
              and references(<PyObject *>source) == 1)
    if (references(<PyObject *>held) == 1 + same and sole(held, 1 + shared)
            and held.creation != CREATED_IN_NO_GRAD                 # a shortcut's view, whose base PyTorch keeps
            and held.memory.backend is grad.memory.backend and held.memory.index == grad.memory.index):
        if (last or not same and not shared) and (held.dense or packed(held)):
            binary_into(ADD, held, grad, held)
            bump_version(held)
            return held
        if held.dense or packed(held) or repeated(held):            # PyTorch adds in place
            out = binary(ADD, held, grad, SAME)
            out.memory.version = version_of(held) + 1
            return out
    return binary(ADD, held, grad, SAME)
