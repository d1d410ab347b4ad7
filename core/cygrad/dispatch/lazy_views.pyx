# distutils: extra_compile_args = -Os
"""Lazy conjugates and negatives: views whose elements are what lies in memory, conjugated or negated.

Such a view has a private dtype (`lazy_dtype`), of which no backend has a kernel: a call with one counts as declined and
comes here, to be made again on copies of what the views stand for. So views of views keep the dtype that they have, and
neither kernels nor tensors that are not lazy know of it.
"""
from cygrad.dispatch.kernel_calls cimport bare, copy_into, copy_of, lacks
from cygrad.dispatch.without_kernels cimport is_lazy
from cygrad.dtype cimport CONJUGATED as CONJUGATED_, NEGATED as NEGATED_, lazy_dtype, lazy_flags, plain_of
from cygrad.tensor cimport Tensor
from cygrad.view cimport View, make_view

from cygrad.devices.watching import seen


NEGATED, CONJUGATED = NEGATED_, CONJUGATED_


def laziness(View v not None):
    """What is still to be done to the elements of a view: NEGATED, CONJUGATED, both or 0."""
    return lazy_flags(v.dtype)


def made_lazy(Tensor t not None, int lazy):
    """The tensor, which nobody else has yet, with this still to be done to its elements."""
    t.dtype = lazy_dtype(plain_of(t.dtype), lazy)
    return t


def run_resolved(backend, str entry, tuple args, tuple outs):
    """Make a call of an entry with lazy views among its arguments; `outs` are the positions of those that it writes."""
    cdef list written = [], found = []
    cdef Py_ssize_t i
    for i in range(len(args)):
        found.append(settled(args[i], i in outs and entry != "scatter", written))
    if entry == "scatter" and is_lazy((<View>args[1]).dtype.code):
        return scatter_resolved(backend, args, found)
    called(backend, entry, found, outs)
    for target, made in written:
        copy_into(<View>made, <View>target)


cdef int called(backend, str entry, list args, tuple outs) except -1:
    from cygrad.dispatch import fallback      # knot: it needs this module
    if fallback.stand_in_needed(tuple(args)) or lacks(entry, getattr(seen(backend), entry)(*args)):
        fallback.run(backend, entry, tuple(args), outs)
    return 0


cdef object settled(object value, bint written, list targets):
    """An argument as kernels take it: what a lazy view stands for, or memory for what is to be written into one."""
    if isinstance(value, tuple):
        return tuple([settled(each, written, targets) for each in <tuple>value])
    if not isinstance(value, View) or not is_lazy((<View>value).dtype.code):
        return value
    made = copy_of(<View>value)
    if written:
        targets.append((value, made))
    return made


cdef int scatter_resolved(backend, tuple args, list found) except -1:
    """`scatter` into a lazy view, which may overlap itself: all of its memory changes before, and back after."""
    cdef View out = <View>args[1], memory
    cdef Py_ssize_t span = span_of(out), one = 1
    memory = make_view(out.memory, out.dtype, out.offset, 1, &span, &one)
    found[1] = bare(out)
    copy_into(memory, bare(memory))
    try:
        called(backend, "scatter", found, (1,))
    finally:
        copy_into(memory, bare(memory))
    return 0


cdef Py_ssize_t span_of(View v) noexcept:
    """How many elements there are from a view's first to its last."""
    cdef Py_ssize_t span = 1
    cdef int i
    for i in range(v.rank):
        span += (v.sizes[i] - 1) * v.strides[i]
    return span
