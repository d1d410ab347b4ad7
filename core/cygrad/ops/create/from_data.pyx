# distutils: extra_compile_args = -Os
"""Tensors of given data: numbers and sequences, NumPy's and other libraries' arrays, buffers.

Elements are written to host memory; a tensor for another device is copied there. 16-bit floats are written as float32
and converted by the copy kernel.
"""
from cpython.complex cimport PyComplex_Check
from cpython.float cimport PyFloat_Check
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_Check
from cpython.pycapsule cimport PyCapsule_CheckExact
from cpython.tuple cimport PyTuple_CheckExact

from cygrad.dispatch.allocation cimport empty
from cygrad.dispatch.kernel_calls cimport cast
from cygrad.dtype cimport BFLOAT16, DType, FLOAT16, FLOAT32, UINT8, default_float, dtype_of
from cygrad.ops.create.arrays cimport is_array, share_array, shared_with
from cygrad.ops.create.placing cimport checked_dtype, finish, finished, placed, placed_shared
from cygrad.ops.create.sequences cimport check_ragged, infer_dtype, sequence_shape, write_nested
from cygrad.tensor cimport Tensor, alias
from cygrad.view cimport data

import cygrad
from cygrad.devices import discovery
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import clone_like
from cygrad.errors import warn
from cygrad.ops.create import foreign_arrays
from cygrad.ops.create.filled import full
from cygrad.ops.declare.op_forms import op

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


cdef bint is_device_array(object x):
    """Whether it lies in the memory of a CUDA device, as other libraries say it."""
    return not isinstance(x, (list, tuple, int, float, Tensor)) and hasattr(x, "__cuda_array_interface__")


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
    if isinstance(values, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(values).__name__}'")
    if may_be_foreign(values):
        out = foreign_arrays.taken(values)
        if out is not None:
            out = clone_like(out)
            return out if dtype is None else cast(out, dtype)
    rank = sequence_shape(values, sizes)
    if rank and not (PyList_CheckExact(values) or PyTuple_CheckExact(values)):
        host_empty(dtype_of(UINT8), rank, sizes)        # `range(2**62)` is refused before all of it is looked at
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
                        names, False)
    if may_be_foreign(data) and hasattr(data, "_as_tensor"):        # a storage
        return finished(data._as_tensor(checked_dtype(dtype, "tensor")).to(device), requires_grad, names, pin_memory)
    return finished(placed(from_data(data, checked_dtype(dtype, "tensor")), device), requires_grad, names, pin_memory)


def as_tensor(data, dtype=None, device=None):
    """`data` as a tensor, sharing memory where it can (tensors of the right dtype and device, NumPy arrays).

    Parameters
    ----------
    data : number, nested sequence, NumPy array or Tensor
    dtype : dtype, optional
    device : device, str or int, optional

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
        found = data._as_tensor(dtype) if hasattr(data, "_as_tensor") else foreign_arrays.taken(data)
        if found is not None:
            return placed_shared(found if dtype is None else cast(found, dtype), device)
    return placed(from_data(data, dtype), device)


def refuse_copy(obj, out, shareable):
    """Say why `asarray(obj, copy=False)` can't be without a copy, as `out` was made."""
    if not shareable:
        if is_array(obj):
            raise RuntimeError("can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ")
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    given = obj if isinstance(obj, Tensor) else as_tensor(obj)
    if given.device != out.device:
        raise ValueError(f"can't alias tensor from device '{given.device}' to '{out.device}'.")
    raise ValueError(f"can't alias tensor with dtype '{SCALAR_NAMES[(<Tensor>given).dtype.code]}' into dtype "
                     f"'{SCALAR_NAMES[(<Tensor>out).dtype.code]}'.")


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=None):
    """`obj` as a tensor; shares memory with tensors, arrays and buffers where nothing must change.

    Parameters
    ----------
    obj : Tensor, NumPy array, DLPack capsule, buffer, number or nested sequence
        A buffer's bytes are elements of `dtype`, the default float dtype unless it is given.
    dtype : dtype, optional
    device : device, str or int, optional
    copy : bool, optional
        True: always copy; False: raise where a copy would be needed; None: copy where needed.
    requires_grad : bool, optional
        Whether gradients are wanted; as for `obj` unless given. `obj` itself is changed if it is what is returned.

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
        refuse_copy(obj, out, shareable)
    if copy and shared:
        out = out.clone()
    if requires_grad is None and isinstance(obj, Tensor) and (<Tensor>obj).requires_grad:
        requires_grad = True
        warn("torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
             "requires_grad=False explicitly to get the old behavior and silence this warning.")
    if (<Tensor>out).grad_fn is None:
        out.requires_grad = bool(requires_grad)
    elif not requires_grad:
        out = out.detach()
    return out


def scalar_tensor(s, *, dtype=None, layout=None, device=None, pin_memory=False, bint requires_grad=False):
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
    return full((), s, dtype=default_float() if dtype is None else dtype, device=device, pin_memory=pin_memory,
                requires_grad=requires_grad)


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
    if not (is_array(ndarray) and hasattr(ndarray, "strides") and hasattr(ndarray, "__setitem__")):     # no scalars
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    return share_array(ndarray, True)


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A tensor on the memory of a Python buffer, which it shares.

    Parameters
    ----------
    buffer : object
        With Python's buffer protocol.
    dtype : dtype
        What its bytes are.
    count : int
        How many elements; all when -1.
    offset : int
        How many bytes to leave out at the beginning.

    Returns
    -------
    Tensor
        One axis.

    Raises
    ------
    ValueError
        If the buffer is too short, or empty.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.frombuffer(bytearray(b"ab"), dtype=cygrad.uint8)
    tensor([97, 98], dtype=cygrad.uint8)
    """
    import numpy      # start-up time
    try:
        given = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if not given.c_contiguous:
        raise RuntimeError("could not retrieve buffer from object")
    size, itemsize = given.nbytes, dtype.itemsize
    if size == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if count == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({size} "
                         "bytes) minus 1")
    if count < 0:
        if (size - offset) % itemsize:
            raise ValueError(f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple "
                             f"of element size ({itemsize})")
        count = (size - offset) // itemsize
    if offset + count * itemsize > size:
        raise ValueError(f"requested buffer length ({count} * {itemsize} bytes) after offset ({offset} bytes) must not "
                         f"be greater than actual buffer length ({size} bytes)")
    flat = numpy.frombuffer(buffer, numpy.uint8, count * itemsize, offset)
    if given.readonly:
        warn("The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can "
             "write to the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the "
             "buffer to protect its data or make it writable before converting it to a tensor.")
    out = share_array(flat, False).view(dtype)          # warned of already, in other words than of an array
    return finish(out, requires_grad)


for _function in (tensor, as_tensor, asarray, scalar_tensor, from_numpy, frombuffer):
    op(_function, method=False)
