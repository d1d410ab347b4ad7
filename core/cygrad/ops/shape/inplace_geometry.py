"""Geometry changed in place: `t_`, `squeeze_` and other view ops on the tensor itself, `resize_` and `set_`."""
from math import prod

from cygrad.autograd.inplace import forget_history
from cygrad.autograd.modes import grad_mode, inference_mode_enabled, set_grad_mode
from cygrad.devices.device import contiguous_format, preserve_format
from cygrad.devices.uninitialized import is_filled
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.lazy_views import laziness, made_lazy
from cygrad.dispatch.memory_formats import format_of, orders_axes, strides_in
from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES
from cygrad.dispatch.raw import copy_ as raw_copy
from cygrad.dtype import all_dtypes
from cygrad.ops.create.filled import fill_known
from cygrad.ops.declare.op import Op
from cygrad.ops.declare.op_forms import op
from cygrad.ops.shape.geometry import take_geometry, window
from cygrad.ops.shape.views import wrap
from cygrad.tensor import Tensor

UINT8 = next(d for d in all_dtypes() if d.name == "uint8")


def _become(self, view, row, *arguments):
    """Take over the geometry of ``view(self)``, recorded by `row`."""
    mode = grad_mode()
    set_grad_mode(False)
    try:
        other = view(self)
    finally:
        set_grad_mode(mode)
    return take_geometry(self, other, row, (self, *arguments))


T_ = Op("t_", "self")
TRANSPOSE_ = Op("transpose_", "self", "dim0", "dim1")
SQUEEZE_ = Op("squeeze_", "self")
SQUEEZE_DIM_ = Op("squeeze_dim_", "self", "dim")
SQUEEZE_DIMS_ = Op("squeeze_dims_", "self", "dim")
UNSQUEEZE_ = Op("unsqueeze_", "self", "dim")
AS_STRIDED_ = Op("as_strided_", "self", "size", "stride", "storage_offset")


@op(only_method=True)
def t_(self):
    """Transpose the matrix, in place.

    Raises
    ------
    RuntimeError
        For more than two axes.

    Examples
    --------
    >>> cygrad.tensor([[1, 2], [3, 4]]).t_()
    tensor([[1, 3],
            [2, 4]])
    """
    if self.dim() > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self.dim()}D")
    return _become(self, lambda x: x.t(), T_)


@op(only_method=True, aliases=("swapaxes_", "swapdims_"))
def transpose_(self, dim0, dim1):
    """Swap two axes, in place.

    Parameters
    ----------
    dim0, dim1 : int
        The two axes.

    Examples
    --------
    >>> cygrad.zeros(2, 3).transpose_(0, 1).shape
    cygrad.Size([3, 2])
    """
    return _become(self, lambda x: x.transpose(dim0, dim1), TRANSPOSE_, dim0, dim1)


@op(only_method=True)
def squeeze_(self, dim=None):
    """Drop the axes of size 1 (all of them, or those among `dim`), in place.

    Parameters
    ----------
    dim : int or tuple of int, optional
        Which axes to drop if their size is 1; None for all.

    Examples
    --------
    >>> cygrad.zeros(2, 1).squeeze_().shape
    cygrad.Size([2])
    """
    if dim is None:
        return _become(self, lambda x: x.squeeze(), SQUEEZE_)
    return _become(self, lambda x: x.squeeze(dim), SQUEEZE_DIM_ if isinstance(dim, int) else SQUEEZE_DIMS_, dim)


@op(only_method=True)
def unsqueeze_(self, dim):
    """Add an axis of size 1 before axis `dim`, in place.

    Parameters
    ----------
    dim : int
        Where the new axis comes.

    Examples
    --------
    >>> cygrad.zeros(2).unsqueeze_(0).shape
    cygrad.Size([1, 2])
    """
    return _become(self, lambda x: x.unsqueeze(dim), UNSQUEEZE_, wrap(dim, self.dim() + 1))


@op(only_method=True)
def as_strided_(self, size, stride, storage_offset=None):
    """Take any sizes, strides and offset in the storage, in place.

    Parameters
    ----------
    size, stride : sequence of int
        Sizes, and steps in elements.
    storage_offset : int, optional
        Where the first element is in the storage; where it was when omitted.

    Raises
    ------
    RuntimeError
        If the geometry reaches beyond the storage.

    Examples
    --------
    >>> cygrad.arange(6).as_strided_((2, 2), (1, 2))
    tensor([[0, 2],
            [1, 3]])
    """
    return _become(self, lambda x: x.as_strided(size, stride, storage_offset), AS_STRIDED_, tuple(size), tuple(stride),
                   self.storage_offset() if storage_offset is None else storage_offset)


# ------------------------------------------------------------------- other storage

@op(only_method=True)
def resize_(self, *sizes, memory_format=None):
    """Take a shape, in place, row-major unless a memory format is given.

    Elements keep their places in memory, new ones are uninitialised.
    The storage grows when it is too small, for all tensors that share it.

    Parameters
    ----------
    *sizes : int, or one tuple of them
        The new shape.
    memory_format : memory_format, optional
        Order of the axes in memory.

    Raises
    ------
    RuntimeError
        If the tensor requires a gradient, or the memory format doesn't fit the number of axes.

    Examples
    --------
    >>> cygrad.arange(6).resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = tuple(sizes[0])
    if self.requires_grad and not inference_mode_enabled():
        raise RuntimeError("cannot resize variables that require grad")
    if tuple(sizes) != tuple(self.shape):
        self._check_inplace()
    if any(n < 0 for n in sizes):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(sizes)}: {list(sizes)}")
    if memory_format is preserve_format:
        raise RuntimeError("Unsupported memory formatPreserve")
    changes = tuple(sizes) != tuple(self.shape)
    if changes or memory_format is not None:
        resized(self, sizes, strides_in(memory_format, sizes) if orders_axes(memory_format) else None)
    if changes:
        self._bump_version()
    return self


def resized(self, sizes, strides=None):
    """Give self these sizes, row-major or with these strides; the caller writes its elements and raises its version."""
    count = 1
    for n in sizes:
        count *= n
    if count < 1 << 63 <= count * self.itemsize:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(sizes)}")
    held = self._storage().nbytes() // self.itemsize
    if count:
        grow_storage(self, (self.storage_offset() + count) * self.itemsize)
    if is_filled() and self._storage().nbytes() // self.itemsize > held:
        fill_known(window(self, None, held, (self._storage().nbytes() // self.itemsize - held,)))
    self._take(window(self, None, self.storage_offset(), sizes, strides))


def grow_storage(self, nbytes):
    """Make self's storage hold at least `nbytes`, keeping its bytes."""
    if self._storage().nbytes() < nbytes:
        resize_storage(self, nbytes)


def resize_storage(self, nbytes):
    """Make self's storage hold `nbytes`, keeping the first of its bytes."""
    storage = self._storage()
    held = storage.nbytes()
    if not storage._resizable():
        raise RuntimeError("Trying to resize storage that is not resizable")
    if nbytes <= storage._held():
        if nbytes != held:
            storage._show(nbytes)
        return
    larger = empty_near(self, (nbytes,), UINT8)
    if held:
        raw_copy(window(larger, UINT8, 0, (held,)), window(self, UINT8, 0, (held,)))
    storage._swap(larger._storage())


@op(only_method=True)
def is_set_to(self, tensor):
    """Whether another tensor has the same storage, offset, shape and strides.

    Parameters
    ----------
    tensor : Tensor
        The other tensor.

    Returns
    -------
    bool
        Whether both are the same window.

    Examples
    --------
    >>> x = cygrad.zeros(2)
    >>> x.is_set_to(x.view(2))
    True
    """
    return (self._storage() is tensor._storage() and self.storage_offset() == tensor.storage_offset()
            and self.shape == tensor.shape and self.stride() == tensor.stride())


@op(only_method=True)
def resize_as_(self, the_template, *, memory_format=None):
    """`self.resize_(the_template.shape)`.

    Parameters
    ----------
    the_template : Tensor
        Whose shape is taken.
    memory_format : memory_format, optional
        Order of the axes in memory; with `preserve_format` that of the template.

    Examples
    --------
    >>> cygrad.arange(6).resize_as_(cygrad.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    if memory_format is preserve_format:
        memory_format = format_of(the_template) or contiguous_format
    return self.resize_(tuple(the_template.shape), memory_format=memory_format)


def grown_window(held, dtype, offset, size, stride):
    """A window on a tensor's storage, which grows where that is too small."""
    size = (size,) if isinstance(size, int) else size
    if (stride is None or len(stride) == len(size)) and offset >= 0 and 0 not in size \
            and min((*size, *(stride or ())), default=1) >= 0:
        reach = offset + (prod(size) if stride is None else
                          1 + sum((n - 1) * step for n, step in zip(size, stride)))
        if reach * dtype.itemsize < 1 << 40:
            grow_storage(held, reach * dtype.itemsize)
    return window(held, dtype, offset, size, stride)


@op(only_method=True)
def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Become a window on another tensor's storage, in place.

    Parameters
    ----------
    source : Tensor or storage, optional
        A tensor whose storage and geometry are taken, or a storage; without it the tensor becomes empty.
    storage_offset, size, stride
        The geometry on a storage, in elements; all of it as one axis if they are omitted.

    Raises
    ------
    RuntimeError
        If the dtypes differ, or the geometry reaches beyond a storage that can't grow.

    Examples
    --------
    >>> cygrad.tensor([1, 2]).set_(cygrad.tensor([3, 4, 5]))
    tensor([3, 4, 5])
    """
    if source is None:
        other = empty_near(self, (0,))
    elif isinstance(source, Tensor):
        if source.dtype is not self.dtype and size is None:
            raise RuntimeError(f"Could not set tensor of type {C_TYPES[source.dtype.code]} to a tensor of type "
                               f"{C_TYPES[self.dtype.code]}")
        if size is not None and not source.is_contiguous():
            raise RuntimeError("passed in tensor to be used as storage must be contiguous")
        other = source.detach() if size is None else grown_window(
            source, self.dtype, source.storage_offset() + storage_offset, size, stride)
    elif not hasattr(source, "nbytes"):
        raise TypeError(f"set_() received an invalid combination of arguments - got ({type(source).__name__}), but "
                        "expected one of: a Tensor, a storage")
    else:
        held = source.elements
        if getattr(source, "dtype", self.dtype) is not self.dtype:
            raise RuntimeError(f"Expected a Storage of type {C_TYPES[self.dtype.code]} or an UntypedStorage, but got "
                               f"type {SCALAR_NAMES[source.dtype.code]} for argument 1 'storage'")
        if size is None:
            size = (held._storage().nbytes() // self.itemsize,)
        other = grown_window(held, self.dtype, storage_offset, size, stride)
    self._check_inplace()
    taken = source if isinstance(source, Tensor) and size is None else None
    if self._tracked() and self.grad_fn is not None or taken is not None and taken._tracked():
        forget_history("set", self, taken)
    self._bump_version()                        # which those that share its memory until now see, too
    self._take(made_lazy(other, laziness(self)))
    self._forget_accumulator()
    return self
