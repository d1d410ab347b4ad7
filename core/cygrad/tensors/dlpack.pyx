# distutils: extra_compile_args = -Os
"""Tensors handed to other libraries, and taken from them, without a copy, by DLPack (dmlc.github.io/dlpack, 1.2).

A library that gives memory away wraps a struct in a capsule: where the memory is, sizes, strides, dtype, and a function
that the taker calls when it needs the memory no longer. A capsule is taken once: its name says whether it was.
Two structs are in use, that of version 0 and the versioned one; a taker says by `max_version` which one it knows.
"""
from cpython.pycapsule cimport (PyCapsule_CheckExact, PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New,
                                PyCapsule_SetName)
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from cygrad.backend cimport Backend
from cygrad.dispatch.sizes cimport bytes_of, product
from cygrad.dispatch.without_kernels cimport (COMPLEX32, FLOAT8_E4M3FN, FLOAT8_E4M3FNUZ, FLOAT8_E5M2, FLOAT8_E5M2FNUZ,
                                              FLOAT8_E8M0FNU, UINT16, UINT32, UINT64, of_any_byte)
from cygrad.dtype cimport (BFLOAT16, BOOL, COMPLEX128, COMPLEX64, CONJUGATED, DType, FLOAT16, FLOAT32, FLOAT64, INT16,
                           INT32, INT64, INT8, LAZY, UINT8, dtype_of, lazy_flags, plain_of)
from cygrad.storage cimport wrap_memory
from cygrad.tensor cimport Tensor, new_tensor, requires_grad
from cygrad.view cimport MAX_RANK, fill_strided

from cygrad.devices import discovery
from cygrad.devices.device import device as named_device
from cygrad.dispatch.raw import seen_as
from cygrad.errors import warn
from cygrad.ops.declare.op_forms import functions

cdef extern from *:
    """
    #include <stdint.h>
    typedef struct { int32_t device_type, device_id; } cygrad_dl_device;
    typedef struct { uint8_t code, bits; uint16_t lanes; } cygrad_dl_dtype;
    typedef struct {
        void *data; cygrad_dl_device device; int32_t ndim; cygrad_dl_dtype dtype; int64_t *shape, *strides;
        uint64_t byte_offset;
    } cygrad_dl_tensor;
    typedef struct cygrad_dl_managed {
        cygrad_dl_tensor dl_tensor; void *manager_ctx; void (*deleter)(struct cygrad_dl_managed *);
    } cygrad_dl_managed;
    typedef struct cygrad_dl_versioned {
        uint32_t major, minor; void *manager_ctx; void (*deleter)(struct cygrad_dl_versioned *); uint64_t flags;
        cygrad_dl_tensor dl_tensor;
    } cygrad_dl_versioned;
    typedef struct {
        uint32_t major, minor; void *before, *allocator; int (*from_object)(void *, cygrad_dl_versioned **);
    } cygrad_dl_exchange;                   /* how it begins */
    """
    ctypedef struct cygrad_dl_device:
        int32_t device_type, device_id
    ctypedef struct cygrad_dl_dtype:
        uint8_t code, bits
        uint16_t lanes
    ctypedef struct cygrad_dl_tensor:
        void *data
        cygrad_dl_device device
        int32_t ndim
        cygrad_dl_dtype dtype
        int64_t *shape
        int64_t *strides
        uint64_t byte_offset
    ctypedef struct cygrad_dl_managed:
        cygrad_dl_tensor dl_tensor
        void *manager_ctx
        void (*deleter)(cygrad_dl_managed *) noexcept nogil
    ctypedef struct cygrad_dl_versioned:
        uint32_t major, minor
        void *manager_ctx
        void (*deleter)(cygrad_dl_versioned *) noexcept nogil
        uint64_t flags
        cygrad_dl_tensor dl_tensor
    ctypedef struct cygrad_dl_exchange:
        uint32_t major, minor
        int (*from_object)(void *, cygrad_dl_versioned **) noexcept

cdef extern from "Python.h":
    void PyErr_Clear()
    int Py_IsInitialized() nogil

cdef enum:
    CPU = 1             # kinds of devices
    CUDA = 2
    CUDA_HOST = 3
    COMPLEX = 5         # a kind of numbers
    READ_ONLY = 1       # flags
    COPIED = 2

# DLPack's codes of types: 0 int, 1 unsigned, 2 float, 4 bfloat16, 5 complex, 6 bool, 10 to 14 floats of 8 bits; each
# with its bits.
cdef dict CODES = {BOOL: (6, 8), UINT8: (1, 8), INT8: (0, 8), INT16: (0, 16), INT32: (0, 32), INT64: (0, 64),
                   FLOAT16: (2, 16), BFLOAT16: (4, 16), FLOAT32: (2, 32), FLOAT64: (2, 64), COMPLEX64: (5, 64),
                   COMPLEX128: (5, 128), UINT16: (1, 16), UINT32: (1, 32), UINT64: (1, 64), COMPLEX32: (5, 32),
                   FLOAT8_E4M3FN: (10, 8), FLOAT8_E4M3FNUZ: (11, 8), FLOAT8_E5M2: (12, 8), FLOAT8_E5M2FNUZ: (13, 8),
                   FLOAT8_E8M0FNU: (14, 8)}
# dtype by code and bits, code * 256 + bits; -1: there is none. A dict with pairs took a tenth of an exchange.
cdef signed char DTYPES[16 << 8]
cdef cygrad_dl_dtype KINDS[LAZY]          # of a dtype
cdef dict WORDS = {0: "int", 1: "uint", 2: "float", 3: "opaque", 4: "bfloat", 5: "complex", 6: "bool"}

cdef char *OLD = b"dltensor"
cdef char *NEW = b"dltensor_versioned"
cdef char *OLD_TAKEN = b"used_dltensor"
cdef char *NEW_TAKEN = b"used_dltensor_versioned"
cdef char *EXCHANGE = b"dlpack_exchange_api"


cdef int fill_tables() except -1:
    cdef int i
    for i in range(16 << 8):
        DTYPES[i] = -1
    for code, (kind, bits) in CODES.items():
        DTYPES[kind << 8 | bits] = code
        KINDS[code].code, KINDS[code].bits, KINDS[code].lanes = kind, bits, 1
    return 0


fill_tables()
cdef tuple VERSION = (1, 0)             # the latest that is taken
cdef object host = None                 # the backend of memory on the host, from the first exchange on


# ------------------------------------------------------------------ giving

def device_of(Tensor t not None):
    """(kind, number) of a tensor's device; BufferError where DLPack has no kind for it, or nobody else could use it."""
    kind = (<Backend>t.memory.backend).name
    if kind == "cpu":
        return CPU, 0
    if kind == "cuda":
        return CUDA, t.memory.index
    number = getattr(t.memory.backend, "dlpack_kind", None)
    if number is not None:
        return number, t.memory.index
    raise BufferError(f"memory of {t.device} can't be handed to another library; ask for a copy on the host: "
                      "dl_device=(1, 0), or tensor.cpu()")


def give(Tensor self not None, stream, max_version, dl_device, copy):
    """`Tensor.__dlpack__`."""
    if requires_grad(self):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    if of_any_byte(self.dtype.code):
        self = seen_as(self, plain_of(self.dtype))
    if lazy_flags(self.dtype):
        raise BufferError("Can't export tensors with the "
                          f"{'conjugate' if lazy_flags(self.dtype) & CONJUGATED else 'negative'} bit set")
    cdef Tensor t = self
    cdef bint copied = False
    if dl_device is not None:
        dl_device = int(dl_device[0]), int(dl_device[1])
        if dl_device[0] == CPU and (<Backend>t.memory.backend).name != "cpu":
            seen = NotImplemented if copy else (<Backend>t.memory.backend).host_view(t)
            if seen is not NotImplemented:              # kernels use the host's memory
                t.memory._lend()
                t = seen
            elif copy is not None and not copy:
                raise BufferError(f"a tensor on {t.device} can't be used on the host without a copy")
            else:
                t, copied = t.cpu(), True
        elif dl_device != device_of(t):
            raise BufferError(f"a tensor on {t.device} can't be handed out as one of the device {dl_device}")
    device = device_of(t)
    if device[0] == CPU and stream is not None and stream != -1:
        raise AssertionError("stream should be None on cpu.")
    if copy and not copied:
        t, copied = t.clone(), True
    if (<Backend>t.memory.backend).name != "cpu" and (device[0] != CUDA or stream != -1):  # -1: who takes it waits
        (<Backend>t.memory.backend).synchronize(t.memory.index)
    if t.memory.owner is None and t.elements:
        t.memory._lend()
    if max_version is not None and max_version[0] >= 1:
        return new_capsule(t, device, COPIED if copied else 0)
    return old_capsule(t, device)


cdef object old_capsule(Tensor t, tuple device):
    cdef cygrad_dl_managed *managed = <cygrad_dl_managed *>calloc(1, sizeof(cygrad_dl_managed) + room_for(t))
    if managed is NULL:
        raise MemoryError()
    describe(&managed.dl_tensor, <int64_t *>(managed + 1), t, device)
    managed.manager_ctx = <void *>t.memory
    managed.deleter = give_up_old
    Py_INCREF(t.memory)
    return PyCapsule_New(managed, OLD, drop_capsule)


cdef object new_capsule(Tensor t, tuple device, uint64_t flags):
    cdef cygrad_dl_versioned *managed = <cygrad_dl_versioned *>calloc(1, sizeof(cygrad_dl_versioned) + room_for(t))
    if managed is NULL:
        raise MemoryError()
    describe(&managed.dl_tensor, <int64_t *>(managed + 1), t, device)
    managed.major, managed.minor, managed.flags = 1, 0, flags
    managed.manager_ctx = <void *>t.memory
    managed.deleter = give_up_new
    Py_INCREF(t.memory)
    return PyCapsule_New(managed, NEW, drop_capsule)


cdef size_t room_for(Tensor t) noexcept:
    """Bytes for sizes and strides, which lie behind the struct."""
    return 2 * t.rank * sizeof(int64_t)


cdef int describe(cygrad_dl_tensor *out, int64_t *numbers, Tensor t, tuple device) except -1:
    cdef int i
    if device[0] == CPU and (<Backend>t.memory.backend).host_memory:
        out.data = <char *>t.memory.pointer + t.offset * t.dtype.itemsize if t.elements else NULL
    elif device[0] == CUDA:
        out.data = <void *><size_t>t.data_ptr()
    else:
        out.data = <void *><size_t>t.memory.backend.dlpack_address(t)
        out.byte_offset = t.offset * t.dtype.itemsize
    out.device.device_type, out.device.device_id = device
    out.ndim = t.rank
    out.dtype = KINDS[t.dtype.code]
    out.shape, out.strides = numbers, numbers + t.rank
    for i in range(t.rank):
        out.shape[i], out.strides[i] = t.sizes[i], t.strides[i]
    return 0


cdef void give_up_old(cygrad_dl_managed *managed) noexcept nogil:
    if Py_IsInitialized():                      # else the process ends, and nothing of Python's may be touched
        let_go(managed.manager_ctx)
    free(managed)


cdef void give_up_new(cygrad_dl_versioned *managed) noexcept nogil:
    if Py_IsInitialized():
        let_go(managed.manager_ctx)
    free(managed)


cdef void let_go(void *storage) noexcept with gil:
    Py_DECREF(<object><PyObject *>storage)


cdef void drop_capsule(object capsule) noexcept:
    """What nobody took is given up with its capsule."""
    cdef cygrad_dl_managed *old
    cdef cygrad_dl_versioned *new
    if PyCapsule_IsValid(capsule, OLD):
        old = <cygrad_dl_managed *>PyCapsule_GetPointer(capsule, OLD)
        old.deleter(old)
    elif PyCapsule_IsValid(capsule, NEW):
        new = <cygrad_dl_versioned *>PyCapsule_GetPointer(capsule, NEW)
        new.deleter(new)


# ------------------------------------------------------------------ taking

cdef class Taken:
    """Memory of another library; it is told when the last tensor over it is gone."""

    cdef cygrad_dl_managed *old
    cdef cygrad_dl_versioned *new
    cdef object __cuda_array_interface__        # what the CUDA backend shares memory by

    def __dealloc__(self):
        if self.old is not NULL and self.old.deleter is not NULL:
            self.old.deleter(self.old)
        if self.new is not NULL and self.new.deleter is not NULL:
            self.new.deleter(self.new)

    def __getattr__(self, name):
        if name == "__cuda_array_interface__" and self.__cuda_array_interface__ is not None:
            return self.__cuda_array_interface__
        raise AttributeError(name)


def take(ext_tensor, device, copy):
    """`cygrad.from_dlpack`."""
    cdef Tensor out
    out = taken_at_once(ext_tensor)
    if out is None:
        asked = not PyCapsule_CheckExact(ext_tensor) and hasattr(ext_tensor, "__dlpack__")
        out = taken(capsule_of(ext_tensor) if asked else ext_tensor)
    if device is not None:
        device = named_device(device)
        if device.type != out.device.type or device.index is not None and device.index != (out.device.index or 0):
            if copy is not None and not copy:
                raise ValueError(f"cannot move DLPack tensor from device {out.device} to {device} without copying. "
                                 "Set copy=None or copy=True.")
            return out.to(device)
    return out.clone() if copy else out


cdef object without_exchange = None     # the type that was asked last for its table in C, and has none


cdef Tensor taken_at_once(object array):
    """The tensor over an array on the host whose type has a table of functions in C (DLPack 1.2); None for others.

    PyTorch's function asks neither for gradients nor for conjugates that are still to be taken, which its method does.
    """
    global without_exchange
    cdef cygrad_dl_versioned *new = NULL
    cdef cygrad_dl_exchange *exchange
    cdef Taken owner
    if type(array) is without_exchange:
        return None
    capsule = getattr(type(array), "__dlpack_c_exchange_api__", None)
    if not PyCapsule_IsValid(capsule, EXCHANGE):
        without_exchange = type(array)
        return None
    exchange = <cygrad_dl_exchange *>PyCapsule_GetPointer(capsule, EXCHANGE)
    if exchange.major != 1 or getattr(array, "requires_grad", False):
        return None
    if exchange.from_object(<void *>array, &new) != 0:
        PyErr_Clear()                       # the method says it in words for users
        return None
    owner = Taken.__new__(Taken)
    owner.new = new
    if new.dl_tensor.device.device_type != CPU or new.dl_tensor.dtype.code == COMPLEX:
        return None
    return tensor_over(&new.dl_tensor, owner, new.flags & READ_ONLY)


cdef object capsule_of(object array):
    """The capsule of an array, by the latest version of the protocol that it knows."""
    cdef int kind = array.__dlpack_device__()[0]
    try:
        if kind != CUDA:
            return array.__dlpack__(max_version=VERSION)
        return array.__dlpack__(max_version=VERSION, stream=None)
    except TypeError:                           # a library from before version 1
        return array.__dlpack__(stream=None) if kind == CUDA else array.__dlpack__()


cdef Tensor taken(object capsule):
    """The tensor that a capsule describes; the capsule counts as taken from then on."""
    cdef Taken owner = Taken.__new__(Taken)
    cdef cygrad_dl_versioned *new
    cdef Tensor out
    if PyCapsule_IsValid(capsule, OLD):
        out = tensor_over(&(<cygrad_dl_managed *>PyCapsule_GetPointer(capsule, OLD)).dl_tensor, owner, False)
        owner.old = <cygrad_dl_managed *>PyCapsule_GetPointer(capsule, OLD)
        PyCapsule_SetName(capsule, OLD_TAKEN)
        return out
    if PyCapsule_IsValid(capsule, NEW):
        new = <cygrad_dl_versioned *>PyCapsule_GetPointer(capsule, NEW)
        if new.major > 1:
            raise BufferError(f"the array was exported by version {new.major}.{new.minor} of DLPack; version 1 is "
                              "the latest that is known here")
        out = tensor_over(&new.dl_tensor, owner, new.flags & READ_ONLY)
        owner.new = new
        PyCapsule_SetName(capsule, NEW_TAKEN)
        return out
    raise RuntimeError("from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only "
                       "once, so you might have already constructed a tensor from it once.")


cdef Tensor tensor_over(cygrad_dl_tensor *given, Taken owner, bint readonly):
    global host
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t last = 0, step = 1
    cdef bint filled = True
    cdef void *address = <void *>(<char *>given.data + given.byte_offset)
    cdef Tensor out
    cdef int i
    cdef DType dtype = dtype_for(given.dtype.code, given.dtype.bits, given.dtype.lanes)
    if given.ndim < 0 or given.ndim > MAX_RANK:
        raise BufferError(f"tensor has too many (>{MAX_RANK}) dims: {given.ndim}")
    if given.ndim and given.shape is NULL:
        raise BufferError(f"an array of {given.ndim} axes has no shape")
    for i in reversed(range(given.ndim)):
        sizes[i] = given.shape[i]
        strides[i] = step if given.strides is NULL else given.strides[i]
        if sizes[i] < 0 or strides[i] < 0 and sizes[i] > 1:
            raise BufferError("an array with negative strides can't be shared: copy it first")
        step = product(step, max(sizes[i], 1))
        filled = filled and sizes[i] > 0
    for i in range(given.ndim):
        if filled:
            last += product(sizes[i] - 1, max(strides[i], 0))
    if filled and given.data is NULL and given.device.device_type == CPU:
        raise BufferError("an array of some elements has no memory")
    if readonly:
        warn("The given array is not writable, and tensors that can't be written don't exist. This means writing to "
             "this tensor will result in undefined behavior. You may want to copy the array to protect its data "
             "before converting it to a tensor.")
    if given.device.device_type == CUDA:
        return on_cuda(given, owner, dtype, address, sizes, strides)
    if given.device.device_type != CPU and given.device.device_type != CUDA_HOST:
        for backend in discovery.in_use():      # who knows the memory has it in a context that is in use already
            if getattr(backend, "dlpack_kind", None) == given.device.device_type:
                return backend.from_dlpack(given.device.device_id, <size_t>given.data, given.byte_offset, owner, dtype,
                                           [sizes[i] for i in range(given.ndim)],
                                           [strides[i] for i in range(given.ndim)])
        raise BufferError(f"memory of DLPack's device kind {given.device.device_type} can't be used here; copy the "
                          "array to the host first")
    if host is None:
        host = discovery.load("cpu")
    out = new_tensor()
    fill_strided(out, wrap_memory(host, address, bytes_of(last + 1, dtype.itemsize) if filled else 0,
                                  owner), dtype, 0, given.ndim, sizes, strides)
    return out


cdef DType dtype_for(int code, int bits, int lanes):
    cdef int found = DTYPES[code << 8 | bits] if code < 16 else -1
    if found < 0 or lanes != 1:
        groups = f" in groups of {lanes}" if lanes != 1 else ""
        raise BufferError(f"elements of DLPack's type {WORDS.get(code, code)}{bits}{groups} have no dtype here; "
                          "convert the array first")
    return dtype_of(found)


cdef Tensor on_cuda(cygrad_dl_tensor *given, Taken owner, DType dtype, void *address, Py_ssize_t *sizes,
                    Py_ssize_t *strides):
    """A tensor over memory of a CUDA device, all of whose work is waited for."""
    kinds = {"bfloat16": "<V2", "bool": "|b1", "uint8": "|u1", "int8": "|i1"}
    letters = {0: "i", 1: "u", 2: "f", 5: "c"}
    owner.__cuda_array_interface__ = {
        "shape": tuple([sizes[i] for i in range(given.ndim)]), "version": 3, "data": (<size_t>address, False),
        "strides": tuple([strides[i] * dtype.itemsize for i in range(given.ndim)]), "stream": None,
        "typestr": kinds.get(dtype.name) or f"<{letters[given.dtype.code]}{dtype.itemsize}"}
    cdef Tensor out = functions["as_tensor"](owner)
    (<Backend>out.memory.backend).synchronize(out.memory.index)
    return out
