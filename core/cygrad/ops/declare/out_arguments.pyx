# distutils: extra_compile_args = -Os
"""Results that go into a tensor given as `out=`: what PyTorch refuses, what is resized, with which warning.

`refuse_out_grad` is asked before an op runs: autograd and overlaps. `write_out` puts the finished result where it goes.
Where ops differ, `out_rules.py` says how.
"""
from cygrad.autograd.fitting cimport expandable
from cygrad.autograd.inplace cimport check_inference
from cygrad.autograd.modes cimport grad_enabled
from cygrad.dispatch.overlap cimport has_no_gaps, refuse_overlap, refuse_self_overlap
from cygrad.dispatch.kernel_calls cimport copy_into, same_device
from cygrad.dtype cimport can_cast_to, plain_of
from cygrad.tensor cimport Tensor, bump_version, requires_grad
from cygrad.view cimport same_sizes

from cygrad.autograd.inplace import depend_without_derivative, forget_history
from cygrad.dispatch.overlap import OVERLAPPED
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.errors import warn
from cygrad.ops.declare.out_rules import (COPIED, LOOKED_AT_FIRST, MADE_ANEW, MAKERS, OVERLAPS, ROW_MAJOR,
                                          ROW_MAJOR_GROWN, TWICE, UNDIFFERENTIATED, WITHOUT_GRADIENT)

# What PyTorch says of operands that share memory with `out` (see OVERLAPS in out_rules.py).
cdef enum:
    WHOLE = 87      # "W"
    PARTLY = 80     # "P"
    WHOLLY_LATER = 119      # "w"
    SHAPED_LATER = 115      # "s"
    LATER = 97      # the first letter in lower case


cdef inline bint has_gradient(Tensor t):
    """Whether backward goes through `t`, by the first bit of `requires`; else what it has is a tangent."""
    return (t.requires | (0 if t.base is None else t.base.requires)) & 1


cdef int refuse_leaf(str name, Tensor out) except -1:
    """Refuse an `out` that is a leaf which requires a gradient, or its view."""
    if grad_enabled() and has_gradient(out) and (
            out.node is None or out.base is not None and out.base.node is None):
        raise RuntimeError(f"aten::{name}(): functions with out=... arguments don't support automatic "
                           "differentiation, but one of the arguments requires grad.")
    return 0


def refuse_out_grad(str name, *operands):
    """`out=` and autograd exclude each other, as in PyTorch; the last operand is `out`, which no other may overlap."""
    cdef bint recording = grad_enabled()
    cdef object out = operands[len(operands) - 1], other
    cdef str rule = OVERLAPS.get(name, "P")
    cdef Py_UCS4 said
    cdef Py_ssize_t i
    if isinstance(out, Tensor) and name in LOOKED_AT_FIRST:
        refuse_self_overlap(<Tensor>out)
    for i in range(len(operands)):
        other = operands[i]
        if not isinstance(other, Tensor):
            continue
        if other is out and name in UNDIFFERENTIATED:
            refuse_leaf(name, <Tensor>out)
        if (recording and requires_grad(<Tensor>other) and name not in WITHOUT_GRADIENT
                and name not in UNDIFFERENTIATED and name not in COPIED):
            if not has_gradient(<Tensor>other):
                raise NotImplementedError(f"Trying to use forward AD with {name}_out that does not support it because "
                                          "it is an out= function")
            raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic differentiation, "
                               "but one of the arguments requires grad.")
        if i < len(operands) - 1 and isinstance(out, Tensor):
            said = rule[min(i, len(rule) - 1)]
            if said == WHOLE or said == PARTLY:
                refuse_overlap(<Tensor>out, <Tensor>other, said == WHOLE)


def of_one_storage(Tensor a not None, Tensor b not None):
    return a.memory is b.memory


def refuse_self_overlapping(Tensor out not None):
    """Raise if places of `out` are in memory more than once."""
    refuse_self_overlap(out)


cdef int refuse_grown(str name, Tensor result, Tensor target, operands) except -1:
    """What `refuse_out_grad` looks for where `out` is still to be resized: that it will lie over an operand then."""
    cdef str rule = OVERLAPS.get(name, "P")
    cdef Py_ssize_t i = 0, start = target.offset, stop = target.offset + result.elements
    cdef Py_UCS4 said
    cdef Tensor t
    if result.elements == 0:
        return 0
    if result.rank == 0 and name in ("dot", "vdot", "matmul") and any([other is target for other in operands]):
        raise RuntimeError("1D tensors expected, but got 0D and 0D tensors")       # the operand is resized, too
    for other in operands:
        said = rule[min(i, len(rule) - 1)]
        i += 1
        if said != WHOLE and said != PARTLY or not isinstance(other, Tensor):
            continue
        t = <Tensor>other
        if said == PARTLY:                      # what lay over `out` as it was has been refused
            if t is target and expandable(target, result) and name not in OVERLAPS:
                raise RuntimeError(f"output with shape {list(target.shape)} doesn't match the broadcast shape "
                                   f"{list(result.shape)}")
        elif (name not in LOOKED_AT_FIRST and t.memory is target.memory and plain_of(t.dtype) is plain_of(target.dtype)
              and (t is target or has_no_gaps(t) and t.offset < stop and start < t.offset + t.elements)):
            raise RuntimeError(OVERLAPPED)
    return 0


cdef int refuse_under_resized(str name, Tensor result, Tensor target, operands) except -1:
    """What the rules in lower case refuse: operands that `out` will lie over once it has the result's size."""
    cdef str rule = OVERLAPS.get(name, "P")
    cdef Py_ssize_t i, start = target.offset * target.dtype.itemsize, other
    cdef bint resized = not same_sizes(target, result)
    cdef Py_UCS4 said
    cdef Tensor t
    if rule.isupper():
        return 0
    for i in range(len(operands)):
        if not isinstance(operands[i], Tensor):
            continue
        t = <Tensor>operands[i]
        said = rule[min(i, len(rule) - 1)]
        if said < LATER or said == SHAPED_LATER and not same_sizes(t, result):
            continue
        other = t.offset * t.dtype.itemsize
        if not resized:
            refuse_overlap(target, t, said == WHOLLY_LATER)
        elif (t.memory is target.memory and (t is target or has_no_gaps(t))
                and start < other + t.elements * t.dtype.itemsize
                and other < start + result.elements * target.dtype.itemsize
                and not (said != WHOLLY_LATER and start == other and same_sizes(t, result) and t.is_contiguous())):
            raise RuntimeError(OVERLAPPED)
    return 0


cdef void take_strides(Tensor target, Tensor result) noexcept:
    """Give a tensor that was resized, and is row-major, the order of axes that its new values have."""
    cdef Py_ssize_t reach = 1
    cdef int i
    for i in range(result.rank):
        if result.strides[i] == 0 and result.sizes[i] > 1 and result.elements:
            return
        reach += (result.sizes[i] - 1) * result.strides[i]
    if reach == result.elements or result.elements == 0:
        for i in range(result.rank):
            target.strides[i] = result.strides[i]
        target.finish()


cdef int refuse_written(str name, Tensor result, object out, object exact) except -1:
    """What refuses a target whatever its size."""
    cdef Tensor target
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    target = <Tensor>out
    check_inference(target)
    same_device(name, result, target, ("the result", "out"))
    if plain_of(target.dtype) is not plain_of(result.dtype):
        if exact in ("exact", "dtype"):
            raise RuntimeError(f"{name}(): expected out tensor to have dtype {result.dtype.name}, but got "
                               f"{target.dtype.name} instead")
        if exact != "any" and not can_cast_to(result.dtype, target.dtype):
            raise RuntimeError(f"result type {SCALAR_NAMES[result.dtype.code]} can't be cast to the desired output "
                               f"type {SCALAR_NAMES[target.dtype.code]}")
    return 0


def write_each(str name, results, outs, exact=False, operands=()):
    """`write_out` of several results: what would be refused of one is seen before another is written."""
    cdef Tensor target, result
    for result, out in zip(results, outs) if len(results) > 1 else ():
        refuse_written(name, result, out, exact)
        target = <Tensor>out
        if same_sizes(target, result):
            if name not in TWICE:
                refuse_self_overlap(target)
        elif ((target.offset + result.elements) * target.dtype.itemsize > target.memory.nbytes_
                and not target.memory._resizable()):
            raise RuntimeError("Trying to resize storage that is not resizable")
    return [write_out(name, result, out, exact, operands) for result, out in zip(results, outs)]


def write_out(str name, Tensor result not None, out, exact=False, operands=()):
    """Put a result into the tensor given as `out=`: resized if it is empty (or, with a warning, of another shape).

    One that is resized gets the strides of the result. `operands`: the op's, over which it may not come to lie.
    """
    cdef Tensor target
    cdef bint tracked, grown
    refuse_written(name, result, out, exact)
    target = <Tensor>out
    if grad_enabled() and has_gradient(target) and name in MADE_ANEW:
        refuse_leaf(name, target)
        forget_history(name, target)
    elif target.requires & 1 and target.node is None and name in MADE_ANEW:
        target.requires &= ~1                   # as PyTorch has it, which makes such a tensor anew, too
    refuse_under_resized(name, result, target, operands)
    if not same_sizes(target, result):
        refuse_grown(name, result, target, operands)
        grown = target.elements != 0
        resize_output(target, result.shape, name in MAKERS)
        if name not in ROW_MAJOR and not (grown and name in ROW_MAJOR_GROWN):
            take_strides(target, result)
    if name not in TWICE:
        refuse_self_overlap(target)
    tracked = grad_enabled() and (has_gradient(result) or has_gradient(target) or name in UNDIFFERENTIATED and any(
        [isinstance(t, Tensor) and (<Tensor>t).inference and has_gradient(<Tensor>t) for t in operands]))
    if tracked and name in UNDIFFERENTIATED:
        copy_into(result, target)
        bump_version(target)
        depend_without_derivative(name, target, operands)
        return target
    if tracked and name in COPIED:
        return target.copy_(result)             # so that gradients go through, as in PyTorch
    copy_into(result, target)
    bump_version(target)
    return target


def resize_output(Tensor out not None, shape, bint silent=False):
    """Give a tensor a shape, as PyTorch does with one given as `out=`: with a warning, if it has elements."""
    from cygrad.ops.shape.inplace_geometry import resized      # knot: it needs this module
    if out.elements and not silent:
        warn(
            f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not "
            f"match the required output shape {list(shape)}. This behavior is deprecated, and in a future "
            "release outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
            "tensor t by resizing it, inplace, to zero elements with t.resize_(0).")
    resized(out, shape)
