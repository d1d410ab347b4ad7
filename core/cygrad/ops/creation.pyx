"""Making tensors: from Python data, from NumPy arrays, and filled with values.

`tensor` walks nested sequences twice in C: once for the shape and dtype, once to write the elements into host memory;
a tensor for another device is copied there. 16-bit floats are written as float32 and converted by the copy kernel.
"""
from libc.string cimport memset

from cpython.bool cimport PyBool_Check
from cpython.complex cimport PyComplex_Check, PyComplex_ImagAsDouble, PyComplex_RealAsDouble
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check, PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_Check, PyLong_CheckExact
from cpython.tuple cimport PyTuple_CheckExact

from cygrad.backend cimport Backend
from cygrad.allocation cimport empty, empty_as
from cygrad.dispatch cimport cast, copy_into, dense_copy, fill_into
from cygrad.promotion cimport C_NAMES, LIMITS, check_scalar, scalar_dtype
from cygrad.dtype cimport (BFLOAT16, BOOL, CATEGORY_BOOL, CATEGORY_COMPLEX, CATEGORY_FLOAT, CATEGORY_INTEGER,
                           COMPLEX128, COMPLEX64, DType, FLOAT16, FLOAT32, FLOAT64, INT16, INT32, INT64, INT8, UINT8,
                           default_complex, default_float, dtype_of, promote)
from cygrad.ops.arrays cimport array_of, shared_with
from cygrad.ops.views cimport parse_shape
from cygrad.storage cimport Storage, wrap_memory
from cygrad.tensor cimport Tensor, alias, new_tensor
from cygrad.view cimport MAX_RANK, View, data, fill_strided, size_of

import warnings

from cygrad import devices as _device, discovery
from cygrad.allocation import empty_like_strided
from cygrad.ops.registry import op

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
    out = empty(backend, index, t.dtype, t.rank, t.sizes)
    copy_into(t, out)
    return out


cdef finished(Tensor t, bint requires_grad, object names):
    if names is not None:
        from cygrad.names import rename_
        rename_(t, names)
    if requires_grad:
        if t.dtype.category < CATEGORY_FLOAT:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        t.requires_grad = True
    return t


# ------------------------------------------------------------ from Python data

cdef bint is_sequence(object x):
    if PyList_CheckExact(x) or PyTuple_CheckExact(x):
        return True
    if isinstance(x, (str, bytes, Tensor)) or PyFloat_Check(x) or PyLong_Check(x) or PyComplex_Check(x):
        return False
    return hasattr(x, "__len__") and hasattr(x, "__getitem__") and not hasattr(x, "__array_interface__")


cdef bint is_array(object x):
    return hasattr(x, "__array_interface__") or hasattr(x, "__array_struct__")


cdef int sequence_shape(object x, Py_ssize_t *sizes) except -1:
    """Sizes of nested sequences, from the first element of each level."""
    cdef int rank = 0
    while True:
        if isinstance(x, Tensor):
            for n in size_of(<Tensor>x):
                sizes[rank] = n
                rank += 1
            return rank
        if is_array(x):
            for n in x.shape:
                sizes[rank] = n
                rank += 1
            return rank
        if not is_sequence(x):
            return rank
        if rank == MAX_RANK:
            raise ValueError(f"too many dimensions: more than {MAX_RANK} nested sequences")
        sizes[rank] = len(x)
        rank += 1
        if sizes[rank - 1] == 0:
            return rank
        x = x[0]


cdef DType element_dtype(object x):
    """The dtype that one element of the data stands for."""
    if PyFloat_CheckExact(x):
        return default_float()
    if isinstance(x, Tensor):
        return (<Tensor>x).dtype
    if is_array(x):
        return numpy_dtype(x.dtype)
    found = scalar_dtype(x)
    if PyComplex_Check(x) and default_float().code == BFLOAT16:
        raise RuntimeError("invalid default scalar type for complex")
    if found is None:
        if isinstance(x, str):
            raise ValueError("too many dimensions 'str'")
        if isinstance(x, dict):
            raise RuntimeError("Could not infer dtype of dict")
        if hasattr(x, "__float__"):
            return default_float()
        if hasattr(x, "__index__"):
            return dtype_of(INT64)
        raise RuntimeError(f"Could not infer dtype of {type(x).__name__}")
    return found


cdef DType infer_dtype(object x, DType found):
    """The dtype of all elements of nested sequences, combined with `found`."""
    cdef DType other
    if is_sequence(x):
        for item in x:
            if PyFloat_CheckExact(item) and found is default_float():
                continue
            found = infer_dtype(item, found)
        return found
    other = element_dtype(x)
    if found is None:
        return other
    return promote(found, other)


cdef int write_value(char *p, int code, object x) except -1:
    """Write one Python number as an element of dtype `code`."""
    cdef long long whole
    if code == FLOAT32:
        (<float *>p)[0] = <float>(PyFloat_AS_DOUBLE(x) if PyFloat_CheckExact(x) else real_of(x))
    elif code == FLOAT64:
        (<double *>p)[0] = PyFloat_AS_DOUBLE(x) if PyFloat_CheckExact(x) else real_of(x)
    elif code == COMPLEX64:
        (<float *>p)[0], (<float *>p)[1] = <float>PyComplex_RealAsDouble(x), <float>PyComplex_ImagAsDouble(x)
    elif code == COMPLEX128:
        (<double *>p)[0], (<double *>p)[1] = PyComplex_RealAsDouble(x), PyComplex_ImagAsDouble(x)
    elif code == BOOL:
        if x is None or is_sequence(x):
            raise TypeError(f"'{type(x).__name__}' object cannot be interpreted as an integer")
        p[0] = 1 if x else 0
    else:
        if not PyLong_CheckExact(x):
            if PyFloat_Check(x):
                if x != x or x - x != 0 or not -9.3e18 < x < 9.3e18:
                    raise RuntimeError(f"value cannot be converted to type {dtype_of(code).name} without overflow")
                x = int(x)
            elif is_sequence(x) or PyComplex_Check(x):
                raise TypeError(f"'{type(x).__name__}' object cannot be interpreted as an integer")
            else:
                x = int(x)
        try:
            whole = x
        except OverflowError:
            raise ValueError("Overflow when unpacking long long") from None
        if code == INT64:
            (<long long *>p)[0] = whole
            return 0
        if whole < LIMITS[code][0] - (255 if code == UINT8 else 0) or whole > LIMITS[code][1]:
            raise RuntimeError(f"value cannot be converted to type {dtype_of(code).name} without overflow")
        if code == UINT8 or code == INT8:
            p[0] = <char>whole
        elif code == INT16:
            (<short *>p)[0] = <short>whole
        else:
            (<int *>p)[0] = <int>whole
    return 0


cdef double real_of(object x) except? -1.0:
    if PyComplex_Check(x) or is_sequence(x):
        raise TypeError(f"must be real number, not {type(x).__name__}")
    return x


cdef char *write_nested(char *p, object x, DType dtype, int level, int rank, Py_ssize_t *sizes) except NULL:
    """Write the elements of nested sequences in order; returns where the next one goes."""
    cdef Tensor part, target
    if level == rank:
        if isinstance(x, Tensor):
            x = x.item()
        elif is_array(x):
            x = x.item()
        write_value(p, dtype.code, x)
        return p + dtype.itemsize
    if isinstance(x, Tensor) or is_array(x):
        x = x.tolist()
    if not is_sequence(x):
        raise TypeError("not a sequence")
    if len(x) != sizes[level]:
        raise ValueError(f"expected sequence of length {sizes[level]} at dim {level} (got {len(x)})")
    if level == rank - 1 and dtype.code == FLOAT32 and PyList_CheckExact(x):
        for item in <list>x:
            if PyFloat_CheckExact(item):
                (<float *>p)[0] = <float>PyFloat_AS_DOUBLE(item)
                p += 4
            else:
                p = write_nested(p, item, dtype, level + 1, rank, sizes)
        return p
    for item in x:
        p = write_nested(p, item, dtype, level + 1, rank, sizes)
    return p


cdef Tensor ordered_copy(Tensor t):
    """A copy in the same memory order."""
    from cygrad.raw import clone_like
    return clone_like(t)


cdef Tensor from_data(object values, DType dtype):
    """A new host tensor of the values."""
    cdef Py_ssize_t sizes[65]
    cdef int rank
    cdef DType written
    cdef Tensor out
    if isinstance(values, Tensor):
        out = ordered_copy(alias(<Tensor>values))
        return out if dtype is None else cast(out, dtype)
    if is_array(values):
        out = ordered_copy(share_array(values, False))
        return out if dtype is None else cast(out, dtype)
    if isinstance(values, str):
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(values, dict):
        raise RuntimeError("Could not infer dtype of dict")
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


cdef int check_ragged(object x, int level, int rank, Py_ssize_t *sizes) except -1:
    if level == rank:
        return 0
    if not is_sequence(x) or len(x) != sizes[level]:
        raise ValueError(f"expected sequence of length {sizes[level]} at dim {level} "
                         f"(got {len(x) if is_sequence(x) else 0})")
    for item in x:
        check_ragged(item, level + 1, rank, sizes)
    return 0


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
        warnings.warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                      "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
                      UserWarning, stacklevel=2)
        if device is None:
            device = data.device
        out = from_data(data, checked_dtype(dtype, "tensor"))
        if (<Tensor>data).names_ is not None and names is None:
            names = (<Tensor>data).names_
        return finished(out if out.device == device else out.to(device), requires_grad, names)
    return finished(placed(from_data(data, checked_dtype(dtype, "tensor")), device), requires_grad, names)


def as_tensor(data, dtype=None, device=None):
    """`data` as a tensor, sharing memory where it can (tensors of the right dtype and device, NumPy arrays).

    Parameters
    ----------
    data : number, nested sequence, NumPy array or Tensor
    dtype : dtype, optional
    device : device or str, optional
    """
    dtype = checked_dtype(dtype, "as_tensor")
    if isinstance(data, Tensor):
        return data.to(device=device, dtype=dtype) if device is not None or dtype is not None else data
    if is_array(data) and getattr(data, "shape", ()) != ():
        found = share_array(data, True)
        return placed(found if dtype is None else cast(found, dtype), device)
    return placed(from_data(data, dtype), device)


def asarray(obj, *, dtype=None, device=None, copy=None, bint requires_grad=False):
    """`obj` as a tensor; shares memory with tensors, arrays and buffers where nothing must change.

    Parameters
    ----------
    obj : Tensor, NumPy array, number or nested sequence
    dtype : dtype, optional
    device : device or str, optional
    copy : bool, optional
        True: always copy; False: raise where a copy would be needed; None: copy where needed.
    """
    cdef bint shareable = isinstance(obj, Tensor) or (is_array(obj) and getattr(obj, "shape", ()) != ())
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
    """A 0-d tensor of a number, in the default float dtype unless one is given."""
    return full((), s, dtype=default_float() if dtype is None else dtype, device=device, requires_grad=requires_grad)


# ----------------------------------------------------------------------- NumPy

cdef dict NUMPY_CODES = {"b1": BOOL, "u1": UINT8, "i1": INT8, "i2": INT16, "i4": INT32, "i8": INT64, "f2": FLOAT16,
                         "f4": FLOAT32, "f8": FLOAT64, "c8": COMPLEX64, "c16": COMPLEX128}
cdef dict NUMPY_NAMES = {code: name for name, code in NUMPY_CODES.items()}


cdef DType numpy_dtype(object dtype):
    code = NUMPY_CODES.get(dtype.str[1:])
    if code is None or dtype.str[0] == ">":
        raise TypeError(f"can't convert np.ndarray of type numpy.{dtype.type.__name__}. The only supported types are: "
                        "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, "
                        "uint16, uint8, and bool.")
    return dtype_of(code)


cdef Tensor share_array(object array, bint warn):
    """A host tensor on a NumPy array's memory."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t nbytes
    cdef Tensor out = new_tensor()
    cdef int i
    if not hasattr(array, "strides"):
        import numpy
        array = numpy.asarray(array)
    cdef DType dtype = numpy_dtype(array.dtype)
    interface = array.__array_interface__
    cdef int rank = len(array.shape)
    if rank > MAX_RANK:
        raise RuntimeError(f"tensor has too many (>{MAX_RANK}) dims: {rank}")
    for i in range(rank):
        sizes[i] = array.shape[i]
        if array.strides[i] < 0:
            if not warn:
                return share_array(array.copy(), False)
            raise ValueError("At least one stride in the given numpy array is negative, and tensors with negative "
                             "strides are not currently supported. (You can probably work around this by making a copy "
                             "of your array  with array.copy().) ")
        if array.strides[i] % dtype.itemsize:
            if not warn:
                return share_array(array.copy(), False)
            raise ValueError("given numpy array strides not a multiple of the element byte size. Copy the numpy array "
                             "to reallocate the memory.")
        strides[i] = array.strides[i] // dtype.itemsize
    address, readonly = interface["data"]
    if readonly and warn:
        warnings.warn("The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This "
                      "means writing to this tensor will result in undefined behavior. You may want to copy the array "
                      "to protect its data or make it writable before converting it to a tensor.", UserWarning,
                      stacklevel=3)
    nbytes = dtype.itemsize
    for i in range(rank):
        nbytes += (sizes[i] - 1) * strides[i] * dtype.itemsize if sizes[i] else 0
    cdef Storage storage = wrap_memory(cpu(), <void *><size_t>address, nbytes if array.size else 0, array)
    fill_strided(out, storage, dtype, 0, rank, sizes, strides)
    return out


def from_numpy(ndarray):
    """A tensor that shares the memory of a NumPy array.

    Parameters
    ----------
    ndarray : numpy.ndarray

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


class _Exposed:
    """Memory of a storage as NumPy sees it; keeps the storage alive."""

    def __init__(self, storage, interface):
        self.storage = storage
        self.__array_interface__ = interface


def to_numpy(Tensor t not None):
    """A NumPy array that shares t's memory (t is on the host and needs no gradient)."""
    cdef str kind = NUMPY_NAMES.get(t.dtype.code)
    if kind is None:
        raise TypeError("Got unsupported ScalarType BFloat16")
    if t.elements == 0:
        import numpy
        return numpy.empty(tuple(size_of(t)), dtype=kind)
    found = array_of(t, kind)
    if found is not None:
        return found
    import numpy
    shape = tuple(size_of(t))
    strides = tuple([t.strides[i] * t.dtype.itemsize for i in range(t.rank)])
    return numpy.asarray(_Exposed(t.memory, {"shape": shape, "typestr": ("|" if t.dtype.itemsize == 1 else "<") + kind,
                                             "data": (<size_t>data(t), False), "strides": strides, "version": 3}))


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
        from cygrad.promotion import SCALAR_NAMES
        raise RuntimeError(f"dtype {SCALAR_NAMES[dtype.code]} does not match dtype of out parameter "
                           f"({SCALAR_NAMES[out.dtype.code]})")
    return out.dtype


cdef target(Tensor made, object out, str name):
    """`made`, or its values in the tensor given as out=."""
    if out is None:
        return made
    from cygrad.ops.registry import write_out
    return write_out(name, made, out)


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
    """
    if out is not None:
        out.resize_(*(shape or size))
        return out
    return finished(sized(shape, size, dtype, device, "empty"), requires_grad, names)


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
    """
    cdef Tensor t = sized(shape, size, dtype_for(dtype, out), device, "zeros")
    clear(t)
    return finished(target(t, out, "zeros"), requires_grad, names)


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
    """
    cdef Tensor t = sized(shape, size, dtype_for(dtype, out), device, "ones")
    fill_into(t, 1)
    return finished(target(t, out, "ones"), requires_grad, names)


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
    return finished(target(t, out, "full"), requires_grad, names)


def drawn(tuple size, str sampler, generator):
    """A tensor of the default dtype and device, with standard numbers of a sampler: plain calls of `rand`, `randn`."""
    cdef Tensor out = sized(size, None, None, None, "rand"), host = out
    if out.elements:
        if out.memory.pointer == NULL:
            host = host_empty(out.dtype, out.rank, out.sizes)
        generator.fill(sampler, <size_t>host.memory.pointer, host.elements, host.dtype.code, 0, 1)
        if host is not out:
            copy_into(host, out)
    return out


cdef Tensor like(Tensor input, object dtype, object device):
    cdef Tensor out
    cdef int i
    cdef DType wanted = checked_dtype(dtype, "like")
    if wanted is None:
        wanted = input.dtype
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
    """An uninitialised tensor of input's shape, memory order, dtype and device, unless given."""
    return finished(like(input, dtype, device), requires_grad, None)


def zeros_like(Tensor input not None, *, dtype=None, layout=None, device=None, bint requires_grad=False,
               memory_format=None, pin_memory=False):
    """A tensor of zeros of input's shape, memory order, dtype and device, unless given."""
    cdef Tensor t = like(input, dtype, device)
    clear(t)
    return finished(t, requires_grad, None)


def ones_like(Tensor input not None, *, dtype=None, layout=None, device=None, bint requires_grad=False,
              memory_format=None, pin_memory=False):
    """A tensor of ones of input's shape, memory order, dtype and device, unless given."""
    cdef Tensor t = like(input, dtype, device)
    fill_into(t, 1)
    return finished(t, requires_grad, None)


def full_like(Tensor input not None, fill_value, *, dtype=None, layout=None, device=None, bint requires_grad=False,
              memory_format=None, pin_memory=False):
    """A tensor of one value of input's shape, memory order, dtype and device, unless given."""
    cdef Tensor t = like(input, dtype, device)
    fill_into(t, fill_value.item() if isinstance(fill_value, Tensor) else fill_value)
    return finished(t, requires_grad, None)


for _function in (tensor, as_tensor, asarray, scalar_tensor, from_numpy, zeros, ones, full, empty_like,
                  zeros_like, ones_like, full_like):
    op(_function, method=False)
op(empty_, method=False, name="empty")
