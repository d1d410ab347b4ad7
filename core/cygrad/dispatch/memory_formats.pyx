# cython: binding=False
# distutils: extra_compile_args = -Os
"""Orders of axes in memory: row-major, and the channels of images or volumes side by side (`channels_last`).

A memory format says which strides a tensor has; nothing else tells that it is in one. `format_of` tells by the strides,
as PyTorch does, which format the result of an op on images should have.
"""
from cygrad.tensor cimport Tensor

from cygrad.devices.device import channels_last, channels_last_3d, preserve_format
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.raw import copy_


def strides_in(memory_format, sizes):
    """The strides of a tensor of these sizes in a format that is not row-major."""
    order = memory_format.order
    if len(sizes) != len(order):
        raise RuntimeError(f"required rank {len(order)} tensor to use {memory_format.name} format")
    strides, step = [0] * len(sizes), 1
    for axis in order:
        strides[axis] = step
        step *= sizes[axis]
    return tuple(strides)


def format_of(Tensor t not None):
    """`channels_last` or `channels_last_3d` if the strides are of such an order and no other, else None."""
    cdef Py_ssize_t least = 0, stride
    cdef int axis
    if t.rank != 4 and t.rank != 5 or t.strides[t.rank - 1] < t.strides[1] * t.sizes[1]:    # row-major, almost always
        return None
    if t.strides[1] == 0 or t.elements == 0:
        return None
    found = channels_last if t.rank == 4 else channels_last_3d
    for axis in found.order:
        stride = t.strides[axis]
        if stride < least or axis == 0 and least == t.strides[1]:
            return None
        least = stride * t.sizes[axis]
    return found


def empty_in(like, sizes, memory_format, dtype=None):
    """A new raw tensor on like's device, in a format that is not row-major."""
    cdef tuple strides = strides_in(memory_format, sizes)
    cdef Tensor made = empty_near(like, sizes, dtype)
    cdef int i
    for i in range(made.rank):
        made.strides[i] = strides[i]
    made.finish()
    return made


def copied_in(t, memory_format):
    """A raw copy in a format that is not row-major."""
    made = empty_in(t, t.shape, memory_format)
    copy_(made, t)
    return made


def kept(Tensor t not None, *inputs):
    """Raw `t`, or a copy of it in the format that one of the inputs has."""
    for each in inputs:
        found = format_of(each)
        if found is not None and t.rank == (<Tensor>each).rank:
            return copied_in(t, found)
    return t


def kept_rows(Tensor t not None, Tensor weight not None):
    """The same for a convolution of rows, which for PyTorch is one of images of one row, in the weight's format."""
    cdef Tensor made
    cdef Py_ssize_t *strides = weight.strides
    if (t.elements == 0 or strides[1] == 0 or strides[2] < strides[1] * weight.sizes[1]
            or strides[0] < strides[2] * weight.sizes[2] or strides[2] * weight.sizes[2] == strides[1]):
        return t
    made = empty_near(t, t.shape)
    made.strides[0], made.strides[1], made.strides[2] = t.sizes[1] * t.sizes[2], 1, t.sizes[1]
    made.finish()
    copy_(made, t)
    return made


def orders_axes(memory_format):
    """Whether an argument `memory_format` asks for an order of axes that is not row-major."""
    return memory_format is not None and memory_format.order is not None


def refuse_preserve(memory_format):
    """`preserve_format` is no format for a new tensor."""
    if memory_format is preserve_format:
        raise RuntimeError("unsupported memory format Preserve")
