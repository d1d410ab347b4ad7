"""Making tensors: from Python data, from NumPy arrays, and filled with values.

Elements are written to host memory; a tensor for another device is copied there. 16-bit floats are written as float32
and converted by the copy kernel.
"""
from cpython.complex cimport PyComplex_Check
from cpython.float cimport PyFloat_Check
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_Check
from cpython.pycapsule cimport PyCapsule_CheckExact
from cpython.tuple cimport PyTuple_CheckExact
from libc.string cimport memset

from cygrad.devices.uninitialized cimport filled
from cygrad.dispatch.allocation cimport empty, empty_as, empty_like_strided
from cygrad.dispatch.kernel_calls cimport cast, copy_into, fill_into
from cygrad.dtype cimport (BFLOAT16, BOOL, CATEGORY_FLOAT, COMPLEX128, DType, FLOAT16, FLOAT32, FLOAT64, INT64,
                           default_float, dtype_of)
from cygrad.ops.create.arrays cimport is_array, share_array, shared_with
from cygrad.ops.create.sequences cimport check_ragged, infer_dtype, sequence_shape, write_nested
from cygrad.ops.shape.views cimport parse_shape
from cygrad.dispatch.promotion cimport scalar_dtype
from cygrad.tensor cimport Tensor, alias
from cygrad.view cimport data

import cygrad
from cygrad.devices import discovery, home, transfers
from cygrad.errors import warn
from cygrad.ops.create import foreign_arrays
from cygrad.ops.declare.registry import op
from cygrad.devices.device import preserve_format
from cygrad.dispatch.memory_formats import empty_in, refuse_preserve
from cygrad.dispatch.raw import clone_like, write_out
from cygrad.devices import pinning
from cygrad.named_tensors.names import rename_
from cygrad.dispatch.promotion import SCALAR_NAMES

cdef enum:
    FEW_BYTES = 4096            # up to which memory is cleared here, and not by the backend's `fill`

cdef object _cpu = None
cdef object _MISSING = object()
cdef DType _float32 = dtype_of(FLOAT32)


cdef object cpu():
    global _cpu
    if _cpu is None:
        _cpu = discovery.load("cpu")
    return _cpu


cdef Tensor host_empty(DType dtype, int rank, const Py_ssize_t *sizes):
    return empty(cpu(), 0, dtype, rank, sizes)


cdef dict _discovered = discovery.__dict__


cdef tuple resolved(object where):
    """(Backend, index) of a device; of the default one without a call while nobody changed it."""
    if where is None and not _discovered["_ever_overridden"]:
        found = _discovered["_default"]
        if found is not None:
            return found
    return discovery.resolve(where)


cdef Tensor placed(Tensor t, object where):
    """A host tensor on the device asked for (None: the default one)."""
    cdef Tensor out
    backend, index = resolved(where)
    if backend is t.memory.backend:
        return t
    if not t.dense:                             # its memory order is kept
        return transfers.moved(clone_like(t), backend, index)
    out = empty(backend, index, t.dtype, t.rank, t.sizes)
    copy_into(t, out)
    return out


cdef Tensor placed_shared(Tensor t, object where):
    """`placed`, but where kernels use the host's memory without a copy, if no device was asked for."""
    backend, index = resolved(where)
    if where is None and backend is not t.memory.backend and (backend, index) == discovery.home_place():
        found = home.shared(t)
        if found is not None:
            return found
    return placed(t, where)


cdef finished(Tensor t, bint requires_grad, object names, bint pin_memory=False):
    if pin_memory:
        t = pinned(t)
    if names is not None:
        rename_(t, names)
    if requires_grad:
        if t.dtype.category < CATEGORY_FLOAT:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        t.requires_grad = True
    return t


def pinned(t):
    """The tensor in page-locked memory, for `pin_memory=True`."""
    if pinning.locking_backend() is None:
        raise RuntimeError("pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator "
                           "is available on this system.")
    return pinning.pin_memory(t)


cdef bint is_device_array(object x):
    """Whether it lies in the memory of a CUDA device, as other libraries say it."""
    return not isinstance(x, (list, tuple, int, float, Tensor)) and hasattr(x, "__cuda_array_interface__")


# ------------------------------------------------------------ from Python data

cdef bint may_be_foreign(object values):
    """Whether an object that tells no `__array_interface__` may be another library's array: it is not Python's own."""
    return not (PyList_CheckExact(values) or PyTuple_CheckExact(values) or PyFloat_Check(values)
                or PyLong_Check(values) or PyComplex_Check(values) or is_array(values))


cdef Tensor from_data(object values, DType dtype):
    """A new host tensor of the values."""
    cdef Py_ssize_t sizes[65]
    cdef int rank
    cdef DType written
    cdef Tensor out
    if isinstance(values, Tensor):
        out = clone_like(alias(<Tensor>values))
        return out if dtype is None else cast(out, dtype)
    if is_array(values):
        out = clone_like(share_array(values, False))
        return out if dtype is None else cast(out, dtype)
    if isinstance(values, str):
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(values, dict):
        raise RuntimeError("Could not infer dtype of dict")
    if may_be_foreign(values):
        out = foreign_arrays.taken(values)
        if out is not None:
            out = clone_like(out)
            return out if dtype is None else cast(out, dtype)
    rank = sequence_shape(values, sizes)
    if dtype is None:
        dtype = infer_dtype(values, None)
        if dtype is None:
            dtype = default_float()
    written = dtype
    if dtype.code == FLOAT16 or dtype.code == BFLOAT16:
        written = _float32
    out = host_empty(written, rank, sizes)
    if out.elements:
        write_nested(data(out), values, written, 0, rank, sizes)
    elif rank > 0:
        check_ragged(values, 0, rank, sizes)
    return out if written is dtype else cast(out, dtype)


cdef DType checked_dtype(object dtype, str name):
    if dtype is None or isinstance(dtype, DType):
        return dtype
    if dtype is float:
        return dtype_of(FLOAT64)
    if dtype is int:
        return dtype_of(INT64)
    if dtype is bool:
        return dtype_of(BOOL)
    if dtype is complex:
        return dtype_of(COMPLEX128)
    raise TypeError(f"{name}(): argument 'dtype' must be cygrad.dtype, not {type(dtype).__name__}")


def tensor(data=_MISSING, *extra, dtype=None, device=None, bint requires_grad=False, bint pin_memory=False, names=None):
    """A new leaf tensor that copies `data`.

    Parameters
    ----------
    data : number, nested sequence, NumPy array or Tensor
    dtype : dtype, optional
        Inferred from the data: bool, int64, the default float or complex dtype.
    device : device or str, optional
        The default device when omitted.
    requires_grad : bool
        Whether backward computes its gradient.
    names : sequence of str or None, optional
        Names of the axes.
    *extra
        None: for PyTorch's error where there are more arguments.

    Returns
    -------
    Tensor
        Dense, and a leaf.

    Raises
    ------
    ValueError
        If nested sequences differ in length.
    RuntimeError
        If an element has no dtype or does not fit it.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([[1., 2.], [3., 4.]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    if extra:
        raise TypeError(f"tensor() takes 1 positional argument but {1 + len(extra)} were given")
    if data is _MISSING:
        raise TypeError('tensor() missing 1 required positional arguments: "data"')
    if isinstance(data, Tensor):
        warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
             "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).")
        if device is None:
            device = data.device
        out = from_data(data, checked_dtype(dtype, "tensor"))
        if (<Tensor>data).names_ is not None and names is None:
            names = (<Tensor>data).names_
        return finished(out if out.device == device else out.to(device), requires_grad, names, pin_memory)
    if is_device_array(data):
        out = discovery.load("cuda").from_interface(data).clone()
        return finished(out.to(out.device if device is None else device, checked_dtype(dtype, "tensor")), requires_grad,
                        names)
    return finished(placed(from_data(data, checked_dtype(dtype, "tensor")), device), requires_grad, names, pin_memory)


def as_tensor(data, dtype=None, device=None):
    """`data` as a tensor, sharing memory where it can (tensors of the right dtype and device, NumPy arrays).

    Parameters
    ----------
    data : number, nested sequence, NumPy array or Tensor
    dtype : dtype, optional
    device : device or str, optional

    Returns
    -------
    Tensor
        `data` itself where nothing changes.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.as_tensor([1, 2])
    tensor([1, 2])
    """
    dtype = checked_dtype(dtype, "as_tensor")
    if isinstance(data, Tensor):
        return data.to(device=device, dtype=dtype) if device is not None or dtype is not None else data
    if is_device_array(data):
        found = discovery.load("cuda").from_interface(data)
        return found.to(device=device, dtype=dtype) if device is not None or dtype is not None else found
    if is_array(data) and getattr(data, "shape", ()) != ():
        found = share_array(data, True)
        return placed_shared(found if dtype is None else cast(found, dtype), device)
    if may_be_foreign(data):
        found = foreign_arrays.taken(data)
        if found is not None:
            return placed_shared(found if dtype is None else cast(found, dtype), device)
    return placed(from_data(data, dtype), device)


def asarray(obj, *, dtype=None, device=None, copy=None, bint requires_grad=False):
    """`obj` as a tensor; shares memory with tensors, arrays and buffers where nothing must change.

    Parameters
    ----------
    obj : Tensor, NumPy array, DLPack capsule, buffer, number or nested sequence
        A buffer's bytes are elements of `dtype`, the default float dtype unless it is given.
    dtype : dtype, optional
    device : device or str, optional
    copy : bool, optional
        True: always copy; False: raise where a copy would be needed; None: copy where needed.

    Returns
    -------
    Tensor
        On the memory of `obj`, or a copy.

    Raises
    ------
    ValueError
        If `copy` is False and the memory can't be shared.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.asarray([1, 2])
    tensor([1, 2])
    """
    cdef bint shareable = (isinstance(obj, Tensor) or is_device_array(obj)
                           or is_array(obj) and getattr(obj, "shape", ()) != ())
    cdef Tensor found = None
    if PyCapsule_CheckExact(obj):
        obj, shareable = cygrad.from_dlpack(obj), True
    if not shareable and may_be_foreign(obj):
        found = foreign_arrays.taken(obj)
        if found is None:
            found = foreign_arrays.on_buffer(obj, default_float() if dtype is None else checked_dtype(dtype, "asarray"))
    if found is not None:
        out = as_tensor(found, dtype, device)
        shared = (<Tensor>out).memory is found.memory
    else:
        out = as_tensor(obj, dtype, device)
        shared = shareable and (out is obj or not isinstance(obj, Tensor)
                            and (<Tensor>out).memory.owner is not None)
    if copy is False and not shared:
        raise ValueError("can't alias tensor with dtype or device changed, or a sequence, without a copy"
                         if shareable else "can't alias arbitrary sequence into a tensor.")
    if copy and shared:
        out = out.clone()
    if requires_grad:
        out = out.detach() if isinstance(obj, Tensor) and out is not obj else out
        out.requires_grad_()
    return out


def scalar_tensor(s, *, dtype=None, layout=None, device=None, bint requires_grad=False):
    """A 0-d tensor of a number, in the default float dtype unless one is given.

    Parameters
    ----------
    s : number
        The number.

    Returns
    -------
    Tensor
        Without axes.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.scalar_tensor(2)
    tensor(2.)
    """
    return full((), s, dtype=default_float() if dtype is None else dtype, device=device, requires_grad=requires_grad)


def from_numpy(ndarray):
    """A tensor that shares the memory of a NumPy array.

    Parameters
    ----------
    ndarray : numpy.ndarray

    Returns
    -------
    Tensor
        On the array's memory.

    Raises
    ------
    TypeError
        If it is no array, or of a dtype that tensors don't have.
    ValueError
        If it has negative strides.

    Examples
    --------
    >>> import cygrad, numpy
    >>> a = numpy.zeros(2)
    >>> t = cygrad.from_numpy(a)
    >>> a[0] = 7
    >>> t
    tensor([7., 0.], dtype=cygrad.float64)
    """
    cdef Tensor found = shared_with(ndarray)
    if found is not None:
        return found
    if not is_array(ndarray) or not hasattr(ndarray, "strides"):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    return share_array(ndarray, True)


# -------------------------------------------------------------- filled tensors

cdef Tensor new_on(object device, DType dtype, int rank, const Py_ssize_t *sizes):
    backend, index = resolved(device)
    return empty(backend, index, default_float() if dtype is None else dtype, rank, sizes)


cdef int clear(Tensor t) except -1:
    """Fill a new tensor with zeros, which are zero bytes in every dtype."""
    if t.memory.pointer != NULL and t.memory.nbytes_ <= FEW_BYTES:
        memset(t.memory.pointer, 0, t.memory.nbytes_)
        return 0
    return fill_into(t, 0)


cdef Tensor sized(tuple size, object kwsize, object dtype, object device, str name):
    cdef Py_ssize_t sizes[64]
    if kwsize is not None:
        size = (tuple(kwsize),) if not isinstance(kwsize, int) else (kwsize,)
    elif not size:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    cdef int rank = parse_shape(size, sizes, name), i
    for i in range(rank):
        if sizes[i] < 0:
            if name == "zeros":
                raise RuntimeError("zeros: Dimension size must be non-negative.")
            raise RuntimeError(f"Trying to create tensor with negative dimension {sizes[i]}: "
                               f"{[sizes[j] for j in range(rank)]}")
    return new_on(device, checked_dtype(dtype, name), rank, sizes)


def dtype_for(dtype, out):
    """The dtype of a new tensor for `out=`: out's, which a dtype given must agree with."""
    if out is None:
        return dtype
    if dtype is not None and dtype is not out.dtype:
        raise RuntimeError(f"dtype {SCALAR_NAMES[dtype.code]} does not match dtype of out parameter "
                           f"({SCALAR_NAMES[out.dtype.code]})")
    return out.dtype


cdef target(Tensor made, object out, str name):
    """`made`, or its values in the tensor given as out=."""
    if out is None:
        return made
    return write_out(name, made, out)


def fill_known(Tensor t not None):
    """Fill a new tensor with what stands for uninitialised memory: NaN, or the largest number of its dtype."""
    if t.numel():
        t.fill_(cygrad.nan if t.dtype.category >= CATEGORY_FLOAT else t.dtype.code == BOOL or cygrad.iinfo(t.dtype).max)


def empty_(*shape, size=None, out=None, dtype=None, layout=None, device=None, bint requires_grad=False,
           bint pin_memory=False, memory_format=None, names=None):
    """An uninitialised tensor.

    Parameters
    ----------
    *shape : int, or one sequence of them
        Sizes of the axes; also as `size`.
    dtype : dtype, optional
        The default float dtype when omitted.
    device : device or str, optional
    requires_grad : bool
    memory_format : memory_format, optional
        Order of the axes in memory; row-major when omitted.

    Returns
    -------
    Tensor
        Its elements are what the memory held.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.empty(2, 3).shape
    cygrad.Size([2, 3])
    """
    cdef Tensor made
    if out is not None:
        out.resize_(*(shape or size))
        if filled:
            fill_known(out)
        return out
    made = sized(shape, size, dtype, device, "empty")
    if memory_format is not None:
        refuse_preserve(memory_format)
        if memory_format.order is not None:
            made = empty_in(made, made.shape, memory_format)
    if filled:
        fill_known(made)
    return finished(made, requires_grad, names, pin_memory)


def zeros(*shape, size=None, out=None, dtype=None, layout=None, device=None, bint requires_grad=False,
          bint pin_memory=False, names=None):
    """A tensor of zeros.

    Parameters
    ----------
    *shape : int, or one sequence of them
        Sizes of the axes; also as `size`.
    dtype : dtype, optional
        The default float dtype when omitted.
    device : device or str, optional
    requires_grad : bool

    Returns
    -------
    Tensor
        Row-major.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    cdef Tensor t = sized(shape, size, dtype_for(dtype, out), device, "zeros")
    clear(t)
    return finished(target(t, out, "zeros"), requires_grad, names, pin_memory)


def ones(*shape, size=None, out=None, dtype=None, layout=None, device=None, bint requires_grad=False,
         bint pin_memory=False, names=None):
    """A tensor of ones.

    Parameters
    ----------
    *shape : int, or one sequence of them
        Sizes of the axes; also as `size`.
    dtype : dtype, optional
        The default float dtype when omitted.
    device : device or str, optional
    requires_grad : bool

    Returns
    -------
    Tensor
        Row-major.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.ones(2, dtype=cygrad.int64)
    tensor([1, 1])
    """
    cdef Tensor t = sized(shape, size, dtype_for(dtype, out), device, "ones")
    fill_into(t, 1)
    return finished(target(t, out, "ones"), requires_grad, names, pin_memory)


def full(size, fill_value=_MISSING, *, out=None, dtype=None, layout=None, device=None, bint requires_grad=False,
         bint pin_memory=False, names=None):
    """A tensor of one value.

    Parameters
    ----------
    size : int or sequence of int
    fill_value : number
        Decides the dtype (bool, int64, default float or complex) if `dtype` is omitted.
    dtype : dtype, optional
    device : device or str, optional
    requires_grad : bool

    Returns
    -------
    Tensor
        Row-major.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.full((2,), 5)
    tensor([5, 5])
    """
    if fill_value is _MISSING:
        raise TypeError('full() missing 1 required positional arguments: "fill_value"')
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    dtype = dtype_for(dtype, out)
    if dtype is None:
        dtype = scalar_dtype(fill_value)
    if dtype is None:
        raise TypeError(f"full(): argument 'fill_value' (position 2) must be Number, not {type(fill_value).__name__}")
    cdef Tensor t = sized((size,), None, dtype, device, "full")
    fill_into(t, fill_value)
    return finished(target(t, out, "full"), requires_grad, names, pin_memory)


cdef Tensor like(Tensor input, object dtype, object device, object memory_format=None):
    cdef Tensor out
    cdef int i
    cdef DType wanted = checked_dtype(dtype, "like")
    if wanted is None:
        wanted = input.dtype
    if memory_format is not None and memory_format is not preserve_format:
        out = new_on(input.device if device is None else device, wanted, input.rank, input.sizes)
        return out if memory_format.order is None else empty_in(out, input.shape, memory_format)
    if device is None:
        if input.dense:
            out = empty_as(input, wanted)
            for i in range(input.rank):                 # an axis of size 1 may have any stride
                out.strides[i] = input.strides[i]
            return out
        return empty_like_strided(input, wanted)
    return new_on(device, wanted, input.rank, input.sizes)


def empty_like(Tensor input not None, *, dtype=None, layout=None, device=None, bint requires_grad=False,
               memory_format=None, pin_memory=False):
    """An uninitialised tensor of input's shape, memory order, dtype and device, unless given.

    Returns
    -------
    Tensor
        Its elements are what the memory held.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.empty_like(cygrad.tensor([1, 2])).dtype
    cygrad.int64
    """
    cdef Tensor t = like(input, dtype, device, memory_format)
    if filled:
        fill_known(t)
    return finished(t, requires_grad, None, pin_memory)


def zeros_like(Tensor input not None, *, dtype=None, layout=None, device=None, bint requires_grad=False,
               memory_format=None, pin_memory=False):
    """A tensor of zeros of input's shape, memory order, dtype and device, unless given.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros_like(cygrad.tensor([1, 2]))
    tensor([0, 0])
    """
    cdef Tensor t = like(input, dtype, device, memory_format)
    clear(t)
    return finished(t, requires_grad, None, pin_memory)


def ones_like(Tensor input not None, *, dtype=None, layout=None, device=None, bint requires_grad=False,
              memory_format=None, pin_memory=False):
    """A tensor of ones of input's shape, memory order, dtype and device, unless given.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.ones_like(cygrad.tensor([1, 2]))
    tensor([1, 1])
    """
    cdef Tensor t = like(input, dtype, device, memory_format)
    fill_into(t, 1)
    return finished(t, requires_grad, None, pin_memory)


def full_like(Tensor input not None, fill_value, *, dtype=None, layout=None, device=None, bint requires_grad=False,
              memory_format=None, pin_memory=False):
    """A tensor of one value of input's shape, memory order, dtype and device, unless given.

    Parameters
    ----------
    fill_value : number
        What every element is.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.full_like(cygrad.tensor([1, 2]), 5)
    tensor([5, 5])
    """
    cdef Tensor t = like(input, dtype, device, memory_format)
    fill_into(t, fill_value.item() if isinstance(fill_value, Tensor) else fill_value)
    return finished(t, requires_grad, None, pin_memory)


for _function in (tensor, as_tensor, asarray, scalar_tensor, from_numpy, zeros, ones, full, empty_like,
                  zeros_like, ones_like, full_like):
    op(_function, method=False)
op(empty_, method=False, name="empty")
