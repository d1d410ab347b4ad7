"""NumPy arrays as tensors and tensors as NumPy arrays without copies, by NumPy's C interface.

Nothing here is compiled against NumPy: it is imported when the first array comes, and building needs none. What is
used of it has been the same since NumPy 1.7 and is public: the first fields of an array and of a dtype (ndarraytypes.h:
`PyArrayObject_fields`, `PyArray_Descr`), and two functions by their places in the table `_ARRAY_API`. `start` tries
them on an array first; should they ever differ, None is returned, and callers go by `__array_interface__`.
"""
from cpython.exc cimport PyErr_Clear
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject, PyTypeObject

from cygrad.autograd.modes cimport grad_enabled
from cygrad.backend cimport Backend
from cygrad.dispatch.kernel_calls cimport cast
from cygrad.dispatch.without_kernels cimport UINT16, UINT32, UINT64, of_any_byte
from cygrad.dtype cimport (BOOL, COMPLEX128, COMPLEX64, CONJUGATED, DType, FLOAT16, FLOAT32, FLOAT64, INT16, INT32,
                           INT64, INT8, UINT8, dtype_of, lazy_flags, plain_of)
from cygrad.storage cimport Storage, wrap_memory
from cygrad.tensor cimport Tensor, new_tensor, requires_grad
from cygrad.view cimport INLINE_RANK, MAX_RANK, data, fill_strided, size_of

from cygrad import errors
from cygrad.devices import discovery
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import seen_as
from cygrad.ops.declare.op_forms import op
from cygrad.devices import home

cdef extern from *:
    """
    typedef struct {
        PyObject_HEAD PyTypeObject *typeobj; char kind, type, byteorder, flags; int type_num;
    } cygrad_descr;
    typedef struct {
        PyObject_HEAD char *data; int nd; Py_ssize_t *dimensions, *strides; PyObject *base; cygrad_descr *descr;
        int flags;
    } cygrad_array;
    """
    ctypedef struct cygrad_descr:
        char byteorder
        int type_num
    ctypedef struct cygrad_array:
        char *data
        int nd
        Py_ssize_t *dimensions
        Py_ssize_t *strides
        cygrad_descr *descr
        int flags

ctypedef PyObject *(*NewFromDescr)(PyTypeObject *, PyObject *, int, const Py_ssize_t *, const Py_ssize_t *, void *, int,
                                   PyObject *)
ctypedef int (*SetBaseObject)(PyObject *, PyObject *) except -1

cdef enum:
    WRITEABLE = 0x0400
    NEW_FROM_DESCR = 94         # places in NumPy's table of functions
    SET_BASE_OBJECT = 282
    TYPES = 24                  # type numbers up to this one are looked at

cdef bint _started = False
cdef bint _usable = False
cdef PyTypeObject *_array_type = NULL
cdef object _keep = None                # the array type and its capsule
cdef NewFromDescr _new = NULL
cdef SetBaseObject _set_base = NULL
cdef list _dtypes = [None] * TYPES      # by NumPy's type number; None where tensors have no such dtype
cdef dict _descriptors = {}             # code of a dtype -> NumPy's dtype
cdef object _cpu = None


cdef int start() except -1:
    """Find NumPy's functions, and see that an array is laid out as expected."""
    global _started, _usable, _array_type, _keep, _new, _set_base, _cpu
    cdef void **table
    cdef cygrad_array *raw
    import numpy      # start-up time
    _started = True
    _cpu = discovery.load("cpu")
    core = numpy._core if hasattr(numpy, "_core") else numpy.core
    capsule = core.multiarray._ARRAY_API
    sample = numpy.arange(6, dtype="f4").reshape(2, 3)[:, ::2]
    raw = <cygrad_array *><PyObject *>sample
    if not (raw.nd == 2 and <size_t>raw.data == sample.ctypes.data and raw.dimensions[1] == 2 and raw.strides[1] == 8
            and raw.descr.type_num == sample.dtype.num and raw.flags & WRITEABLE and raw.descr.byteorder == b"="):
        return 0
    for code, kind in ((BOOL, "?"), (UINT8, "u1"), (INT8, "i1"), (INT16, "i2"), (INT32, "i4"), (INT64, "i8"),
                       (FLOAT16, "f2"), (FLOAT32, "f4"), (FLOAT64, "f8"), (COMPLEX64, "c8"), (COMPLEX128, "c16"),
                       (UINT16, "u2"), (UINT32, "u4"), (UINT64, "u8")):
        descriptor = numpy.dtype(kind)
        _descriptors[code] = descriptor
        if descriptor.num < TYPES:
            _dtypes[<int>descriptor.num] = dtype_of(code)
    table = <void **>PyCapsule_GetPointer(capsule, NULL)
    _new = <NewFromDescr>table[NEW_FROM_DESCR]
    _set_base = <SetBaseObject>table[SET_BASE_OBJECT]
    _keep = (numpy.ndarray, capsule)
    _array_type = <PyTypeObject *><PyObject *>numpy.ndarray
    _usable = True
    return 0


cdef Tensor shared_with(object array):
    """A host tensor on a plain array's memory; None for any other object, and for arrays that need a closer look."""
    cdef cygrad_array *raw
    cdef DType dtype
    cdef Tensor out
    cdef Py_ssize_t strides[INLINE_RANK]
    cdef Py_ssize_t nbytes
    cdef int i
    if not _started:
        start()
    if not _usable or type(array) is not <object>_array_type:
        return None
    raw = <cygrad_array *><PyObject *>array
    if raw.nd > INLINE_RANK or raw.descr.type_num >= TYPES or raw.descr.type_num < 0 or not raw.flags & WRITEABLE:
        return None
    dtype = <DType>_dtypes[raw.descr.type_num]
    if dtype is None or raw.descr.byteorder == b">":
        return None
    nbytes = dtype.itemsize
    for i in range(raw.nd):
        if raw.strides[i] < 0 or raw.strides[i] % dtype.itemsize or raw.dimensions[i] == 0:
            return None
        strides[i] = raw.strides[i] // dtype.itemsize
        nbytes += (raw.dimensions[i] - 1) * raw.strides[i]
    out = new_tensor()
    fill_strided(out, wrap_memory(_cpu, raw.data, nbytes, array), dtype, 0, raw.nd, raw.dimensions, strides)
    return out


cdef object array_of(Tensor t):
    """An array on the memory of a host tensor with elements; None where NumPy's functions can't be used."""
    cdef Py_ssize_t strides[64]
    cdef PyObject *made
    cdef int i
    if not _started:
        start()
    if not _usable:
        return None
    for i in range(t.rank):
        strides[i] = t.strides[i] * t.dtype.itemsize
    descriptor = _descriptors[t.dtype.code]
    Py_INCREF(descriptor)                       # the call takes this reference
    made = _new(_array_type, <PyObject *>descriptor, t.rank, t.sizes, strides, data(t), WRITEABLE, NULL)
    if made is NULL:
        PyErr_Clear()                           # more axes than NumPy has: the slow way says so
        return None
    array = <object>made
    Py_DECREF(array)
    Py_INCREF(t.memory)                         # and this one
    _set_base(made, <PyObject *>t.memory)
    return array


# ------------------------------------------------- any object that tells where its memory is

cdef bint tells_its_memory(object x):
    return hasattr(x, "__array_interface__") or hasattr(x, "__array_struct__")


cdef dict NUMPY_CODES = {"b1": BOOL, "u1": UINT8, "i1": INT8, "i2": INT16, "i4": INT32, "i8": INT64, "f2": FLOAT16,
                         "f4": FLOAT32, "f8": FLOAT64, "c8": COMPLEX64, "c16": COMPLEX128, "u2": UINT16, "u4": UINT32,
                         "u8": UINT64}
cdef dict NUMPY_NAMES = {code: name for name, code in NUMPY_CODES.items()}


cdef DType numpy_dtype(object dtype):
    code = NUMPY_CODES.get(dtype.str[1:])
    if code is None:
        raise TypeError(f"can't convert np.ndarray of type numpy.{dtype.type.__name__}. The only supported types are: "
                        "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, "
                        "uint16, uint8, and bool.")
    if not dtype.isnative:
        raise ValueError("given numpy array has byte order different from the native byte order. Conversion between "
                         "byte orders is currently not supported.")
    return dtype_of(code)


cdef Tensor share_array(object array, bint warn):
    """A host tensor on a NumPy array's memory."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t nbytes
    cdef Tensor out = new_tensor()
    cdef int i
    import numpy      # start-up time
    if type(array) is not numpy.ndarray:                # a subclass may say anything of itself
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
        errors.warn("The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This "
                    "means writing to this tensor will result in undefined behavior. You may want to copy the array "
                    "to protect its data or make it writable before converting it to a tensor.")
    nbytes = dtype.itemsize
    for i in range(rank):
        nbytes += (sizes[i] - 1) * strides[i] * dtype.itemsize if sizes[i] else 0
    cdef Storage storage = wrap_memory(discovery.load("cpu"), <void *><size_t>address, nbytes if array.size else 0,
                                       array)
    fill_strided(out, storage, dtype, 0, rank, sizes, strides)
    return out


class _Exposed:
    """Memory of a storage as NumPy sees it; keeps the storage alive."""

    def __init__(self, storage, interface):
        self.storage = storage
        self.__array_interface__ = interface


def to_numpy(Tensor t not None, bint lasting=True):
    """A NumPy array that shares t's memory (t is on the host and needs no gradient); unless `lasting` for a call."""
    cdef str kind = NUMPY_NAMES.get(t.dtype.code)
    if kind is None:
        raise TypeError("Got unsupported ScalarType " + SCALAR_NAMES[t.dtype.code])
    if t.elements == 0:
        import numpy      # start-up time
        return numpy.empty(tuple(size_of(t)), dtype=kind)
    if lasting and t.memory.owner is None:
        t.memory._lend()
    found = array_of(t)
    if found is not None:
        return found
    import numpy      # start-up time
    shape = tuple(size_of(t))
    strides = tuple([t.strides[i] * t.dtype.itemsize for i in range(t.rank)])
    return numpy.asarray(_Exposed(t.memory, {"shape": shape, "typestr": ("|" if t.dtype.itemsize == 1 else "<") + kind,
                                             "data": (<size_t>data(t), False), "strides": strides, "version": 3}))


cdef int refuse_lazy(Tensor t) except -1:
    """Raise PyTorch's error: NumPy would see what is in memory."""
    kind, name = ("conjugate", "conj") if lazy_flags(t.dtype) & CONJUGATED else ("negative", "neg")
    raise RuntimeError(f"Can't call numpy() on Tensor that has {kind} bit set. Use tensor.resolve_{name}().numpy() "
                       "instead.")


def numpy(Tensor self not None, *, force=False):
    """A NumPy array that shares the tensor's memory.

    Parameters
    ----------
    force : bool
        Detach, move to the host and convert as needed instead of raising.

    Returns
    -------
    numpy.ndarray
        Of the tensor's shape and strides.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([1, 2]).numpy()
    array([1, 2])
    """
    if force:
        self = self.detach().cpu()
        self = cast(self, plain_of(self.dtype))
    if requires_grad(self) and grad_enabled():
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if of_any_byte(self.dtype.code):
        self = seen_as(self, plain_of(self.dtype))
    if lazy_flags(self.dtype):
        refuse_lazy(self)
    if (<Backend>self.memory.backend).name != "cpu":
        if self.device == discovery.home():
            return home.array_of(self)
        raise TypeError(f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor "
                        "to host memory first.")
    return to_numpy(self)


op(numpy, only_method=True)
