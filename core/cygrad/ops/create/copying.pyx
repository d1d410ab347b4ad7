# distutils: extra_compile_args = -Os
"""Copies and conversions: `clone`, `contiguous`, `to` and its relatives; writes into a tensor (`copy_`)."""
from libc.string cimport memcpy, memset

from cygrad.dispatch.allocation cimport empty_as, empty_like_strided, laid_by_kernel, laid_like
from cygrad.dispatch.kernel_calls cimport copy_into, dense_copy
from cygrad.dispatch.without_kernels cimport is_lazy
from cygrad.dtype cimport CATEGORY_FLOAT, DType, plain_of
from cygrad.ops.declare.op cimport Op
from cygrad.ops.shape.views cimport CLONE
from cygrad.tensor cimport Tensor
from cygrad.view cimport data, same_sizes

from cygrad.devices import device as _devices, discovery, transfers
from cygrad.autograd.inplace import shadow
from cygrad.dispatch.promotion import result_type as result_dtype
from cygrad.ops.declare.primitives import primitive
from cygrad.dispatch.memory_formats import copied_in, format_of
from cygrad.dispatch.raw import (cast_to, clone_dense, clone_like, copy_ as raw_copy, refuse_partial_overlap,
                                 wide_enough)
from cygrad.dtype import all_dtypes
from cygrad.ops.declare.op_forms import op
from cygrad.ops.create.from_data import tensor

DTYPES = {d.name: d for d in all_dtypes()}
cdef Op TO_COPY = Op("to_copy", "self", "dtype", "backend", "index")


def triangle(Tensor a not None, Py_ssize_t diagonal, bint lower):
    """Raw row-major copy of the matrices in `a`, with zeros above the diagonal (or below it); None off host memory."""
    cdef Tensor out
    cdef Py_ssize_t rows, width, row, size, first
    cdef char *source
    cdef char *target
    if a.memory.pointer == NULL:
        return None
    if not a.dense or is_lazy(a.dtype.code):
        a = dense_copy(a)
    out = empty_as(a, a.dtype)
    if out.elements == 0:
        return out
    rows, size = a.sizes[a.rank - 2], a.dtype.itemsize
    width = a.sizes[a.rank - 1] * size
    diagonal = min(max(diagonal, -rows), a.sizes[a.rank - 1])
    source, target = data(a), data(out)
    for row in range(a.elements // a.sizes[a.rank - 1]):
        first = min(max(row % rows + diagonal + lower, 0), a.sizes[a.rank - 1]) * size
        if lower:
            memcpy(target, source, first)
            memset(target + first, 0, width - first)
        else:
            memset(target, 0, first)
            memcpy(target + first, source + first, width - first)
        source += width
        target += width
    return out


@primitive
def clone(self):
    return clone_like(self)


@primitive
def to_copy(self, dtype, backend, index, non_blocking=False):
    """A copy with another dtype or on another device, in the same memory order."""
    if backend is self._backend() and index == self._device_index():
        return converted(self, dtype) if dtype is not self.dtype else clone_like(self)
    ours = self if self.is_contiguous() else clone_like(self)              # without gaps
    if backend.host_memory:
        non_blocking = non_blocking and dtype is self.dtype
        return converted(transfers.moved(ours, backend, index, non_blocking), dtype)    # the device may lack the dtype
    return transfers.moved(converted(ours, dtype), backend, index, non_blocking)


cdef converted(a, dtype):
    return a if dtype is a.dtype else laid_like(cast_to(a, dtype), a)


@primitive(name="to_copy")
def to_copy_in(self, dtype, backend, index, memory_format):
    """The same in another memory order."""
    made = to_copy.forward(self, dtype, backend, index)
    if memory_format.order is not None:
        return copied_in(made, memory_format)
    made = made.contiguous()
    return laid_by_kernel(made, made)


@op(name="clone")
def _clone(Tensor input not None, *, memory_format=None):
    """A copy of the tensor, recorded by autograd.

    Parameters
    ----------
    memory_format : memory_format, optional
        `contiguous_format` makes the copy row-major, `channels_last` and `channels_last_3d` in these orders;
        otherwise it keeps the memory order.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.clone(cygrad.tensor([1, 2]))
    tensor([1, 2])
    """
    cdef Tensor out
    cdef int i
    if memory_format is not None and memory_format.order is not None:
        return _ordered_clone(input, memory_format)
    if input.dense:
        out = empty_as(input, input.dtype)
        if memory_format is not _devices.contiguous_format:
            for i in range(input.rank):                 # an axis of size 1 may have any stride
                out.strides[i] = input.strides[i]
        copy_into(input, out)
        return CLONE.result(out, input, None, ())
    return _dense_clone(input) if memory_format is _devices.contiguous_format else clone(input)


@primitive(name="clone")
def _dense_clone(self):
    return clone_dense(self)


@primitive(name="clone")
def _ordered_clone(self, memory_format):
    return copied_in(self, memory_format)


@op(only_method=True)
def contiguous(self, memory_format=None):
    """The tensor itself if it is row-major, else a row-major copy.

    Parameters
    ----------
    memory_format : memory_format, optional
        `channels_last` or `channels_last_3d`: in that order, not row-major.

    Returns
    -------
    Tensor
        In this order.

    Raises
    ------
    RuntimeError
        If the tensor has not as many axes as the order.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(2, 3).t().contiguous().stride()
    (2, 1)
    """
    if memory_format is not None:
        if memory_format is _devices.preserve_format:
            if not self.is_contiguous():
                raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
            return self
        if memory_format.order is not None:
            return self if self.is_contiguous(memory_format=memory_format) else _ordered_clone(self, memory_format)
    return self if self.is_contiguous() else _dense_clone(self)


# -------------------------------------------------------------- dtype and device

cpdef Tensor convert(Tensor self, DType dtype=None, where=None, bint copy=False, bint non_blocking=False):
    """The tensor itself, or a copy with the dtype and on the device asked for; see `to`."""
    cdef Tensor out
    if where is None and dtype is not None and not copy:
        if dtype is plain_of(self.dtype):
            return self
        out = empty_like_strided(self, dtype)
        copy_into(self, out)
        if dtype.category >= CATEGORY_FLOAT:            # integers have no gradient
            TO_COPY.result(out, self, dtype, (self.memory.backend, self.memory.index))
        return out
    backend, index = (self._backend(), self._device_index()) if where is None else discovery.resolve(where)
    if dtype is None:
        dtype = plain_of(self.dtype)
    if not copy and dtype is plain_of(self.dtype) and backend is self._backend() and index == self._device_index():
        return self
    if dtype.is_floating_point or dtype.is_complex:
        return to_copy(self, dtype, backend, index, non_blocking)
    return to_copy.forward(self, dtype, backend, index, non_blocking)          # integers have no gradient


@op(only_method=True)
def to(Tensor self not None, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None):
    """The tensor with another dtype or on another device; itself where nothing changes.

    Parameters
    ----------
    *args
        A dtype, a device (object, string or CUDA index), both, or another tensor whose dtype and device are taken.
    non_blocking : bool
        Don't wait for a copy between a device and page-locked memory (`pin_memory`) of the host. What comes to the
        host so is there only after ``synchronize``.
    copy : bool
        Copy even where nothing changes.
    memory_format : memory_format, optional
        The order of the result; the tensor's own when omitted.

    Returns
    -------
    Tensor
        The tensor itself, or a converted copy.

    Raises
    ------
    RuntimeError
        For a device that is not there.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([1, 2]).to(cygrad.float64)
    tensor([1., 2.], dtype=cygrad.float64)
    """
    if len(args) == 1 and isinstance(args[0], DType) and device is None and dtype is None and memory_format is None:
        return convert(self, args[0], None, copy)
    flags = []
    if args and isinstance(args[0], (bool, float, complex)):        # PyTorch makes a tensor of it
        args = (tensor(args[0], dtype=type(args[0])), *args[1:])
    for value in args:
        if isinstance(value, DType):
            dtype = value
        elif isinstance(value, (str, _devices.device)) or (isinstance(value, int) and not isinstance(value, bool)):
            device = value
        elif isinstance(value, Tensor):
            dtype, device = value.dtype, value.device
        elif isinstance(value, bool):
            flags.append(value)
        elif value is not None:
            raise TypeError(f"to() received an invalid argument of type {type(value).__name__}: expected a dtype, a "
                            "device or a Tensor")
    if flags:
        non_blocking = flags[0]
    if len(flags) == 2:
        copy = flags[1]
    if memory_format is None or memory_format is _devices.preserve_format:
        return convert(self, dtype, device, copy, non_blocking)
    backend, index = (self._backend(), self._device_index()) if device is None else discovery.resolve(device)
    kind = plain_of(self.dtype) if dtype is None else <DType?>dtype
    if (not copy and kind is plain_of(self.dtype) and backend is self._backend() and index == self._device_index()
            and (format_of(self) or _devices.contiguous_format) is memory_format):
        return self
    make = to_copy_in if kind.is_floating_point or kind.is_complex else to_copy_in.forward
    return make(self, kind, backend, index, memory_format)


@op(method=False)
def result_type(tensor, other):
    """The dtype of an arithmetic op on two tensors or numbers.

    Parameters
    ----------
    tensor, other : Tensor or number
        In any order; numbers, and tensors without axes, count only where their category is a higher one.

    Returns
    -------
    dtype

    Examples
    --------
    >>> import cygrad
    >>> cygrad.result_type(cygrad.tensor([1, 2]), 1.0)
    cygrad.float32
    """
    return result_dtype(tensor, other)


@op(only_method=True)
def type_as(self, other):
    """The tensor with other's dtype, on other's device.

    Parameters
    ----------
    other : Tensor
        Whose dtype and device are taken.

    Returns
    -------
    Tensor
        The tensor itself where nothing changes, else a copy.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([1, 2]).type_as(cygrad.tensor(0.5))
    tensor([1., 2.])
    """
    return convert(self, other.dtype, other.device)


@op(only_method=True)
def cpu(self, memory_format=None):
    """The tensor in host memory.

    Returns
    -------
    Tensor
        The tensor itself if it is there, else a copy.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([1, 2]).cpu()
    tensor([1, 2])
    """
    return convert(self, None, "cpu")


@op(only_method=True)
def cuda(self, device=None, non_blocking=False, memory_format=None):
    """The tensor on a CUDA device (the first one, unless given).

    Returns
    -------
    Tensor
        The tensor itself if it is there, else a copy.

    Raises
    ------
    RuntimeError
        Where there is no such device.
    """
    return convert(self, None, "cuda" if device is None else device, False, non_blocking)


@op(only_method=True)
def opencl(self, device=None, non_blocking=False):
    """The tensor on an OpenCL device (the first one, unless given).

    Returns
    -------
    Tensor
        The tensor itself if it is there, else a copy.

    Raises
    ------
    RuntimeError
        Where there is no such device.
    """
    return convert(self, None,
                   "opencl" if device is None else f"opencl:{device}" if isinstance(device, int) else device)


@op(only_method=True)
def module_load(self, other, assign=False):
    """What `load_state_dict` exchanges self with, where `__future__.set_swap_module_params_on_conversion` is on.

    Parameters
    ----------
    other : Tensor
        From the checkpoint.
    assign : bool
        Whether self takes other's dtype and device, too.

    Returns
    -------
    Tensor
        Neither self nor other.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(2).module_load(cygrad.ones(2))
    tensor([1., 1.])
    """
    return other.detach() if assign else self.copy_(other).detach()


def _conversion(name, dtype):
    def method(Tensor self not None, memory_format=None):
        return convert(self, dtype) if memory_format is None else to(self, dtype, memory_format=memory_format)
    method.__doc__ = f"""The tensor with dtype {dtype.name}.

    Parameters
    ----------
    memory_format : memory_format, optional
        The order of its elements in memory.

    Returns
    -------
    Tensor
        The tensor itself if it has this dtype, else a converted copy.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([0, 1]).{name}().dtype
    cygrad.{dtype.name}
    """
    op(method, name=name, only_method=True)


for _name, _dtype in (("bool", "bool"), ("byte", "uint8"), ("char", "int8"), ("short", "int16"), ("int", "int32"),
                      ("long", "int64"), ("half", "float16"), ("bfloat16", "bfloat16"), ("float", "float32"),
                      ("double", "float64"), ("chalf", "complex32"), ("cfloat", "complex64"),
                      ("cdouble", "complex128")):
    _conversion(_name, DTYPES[_dtype])


# ----------------------------------------------------------- writing into a tensor

@primitive
def copy(self, src):
    raw_copy(self, wide_enough(src, self))
    self._bump_version()


@primitive(name="copy")
def copy_of_itself(self, src):
    self._bump_version()


copy_of_itself.may_overlap = True


def shows_the_same(Tensor t not None, Tensor other not None):
    """Whether two tensors are one window on a storage, so that to copy one to the other writes nothing."""
    return t is other or (t.memory is other.memory and t.offset == other.offset and t.dtype is other.dtype
                          and same_sizes(t, other) and t.stride() == other.stride())


@primitive(name="copy")
def copy_later(self, src):
    transfers.copy_across(wide_enough(src, self).expand(self.shape), self, True)
    self._bump_version()


@op(only_method=True)
def copy_(Tensor self not None, src, non_blocking=False):
    """Write the elements of `src`, broadcast and converted, into the tensor.

    Parameters
    ----------
    src : Tensor
        Broadcasts to self's shape; any dtype and device.
    non_blocking : bool
        As for `to`.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    RuntimeError
        If `src` does not broadcast to the tensor's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(2, 2).copy_(cygrad.tensor([1, 2]))
    tensor([[1., 2.],
            [1., 2.]])
    """
    if isinstance(src, (int, float, complex)):
        wide = "complex128" if isinstance(src, complex) else "float64" if isinstance(src, float) else "uint64"
        src = tensor(src, dtype=None if wide == "uint64" and src < 1 << 63 else DTYPES[wide])
    if not isinstance(src, Tensor):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}")
    if (<Tensor>src).memory is self.memory:
        if shows_the_same(self, src):
            return copy_of_itself.inplace(self, shadow(src))
        self._check_inplace()
        refuse_partial_overlap(self, src)
        src = shadow(src)
    if non_blocking and src.device != self.device and src.numel():
        return copy_later.inplace(self, src)
    return copy.inplace(self, src)
