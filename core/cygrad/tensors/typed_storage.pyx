# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# distutils: extra_compile_args = -Os
"""What `Tensor.storage()` and `untyped_storage()` return: a Storage seen as a flat run of elements, or of bytes.

The wrappers are made on each call and hold a one-dimensional tensor over the whole storage. A free list gives the
next one the place of the last, so that ids of storages compare as users of PyTorch are used to.
"""
from collections.abc import Sequence

cimport cython

import cygrad

from cygrad.tensor cimport Tensor, new_tensor
from cygrad.dtype cimport DType, UINT8, dtype_of
from cygrad.storage cimport Storage
from cygrad.view cimport fill_dense


cdef Tensor flat(Storage memory, DType dtype):
    """All of a storage as a one-dimensional tensor of `dtype`."""
    cdef Py_ssize_t count = memory.nbytes_ // dtype.itemsize
    cdef Tensor out = new_tensor()
    fill_dense(out, memory, dtype, 1, &count)
    return out


cdef Tensor _nothing = None


cdef Tensor nothing():
    """What a storage without memory of its own holds: no bytes."""
    global _nothing
    if _nothing is None:
        _nothing = cygrad.empty(0, dtype=cygrad.uint8, device="cpu")
    return _nothing


cdef Tensor elements_of(name, tuple args, dtype, device):
    """The memory that a constructor's arguments ask for: a size, a sequence of numbers, or nothing.

    Without a dtype it is bytes, the lowest ones of integers.
    """
    cdef bint in_bytes = dtype is None
    if in_bytes:
        dtype = cygrad.uint8
    if not args:
        return cygrad.empty(0, dtype=dtype, device=device)
    given, = args
    if isinstance(given, int) and not isinstance(given, bool):
        if given < 0:
            raise RuntimeError(f"{name}(): the size must not be negative, got {given}")
        return cygrad.empty(given, dtype=dtype, device=device)
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise RuntimeError(f"{name}(): Expected a sequence type, but got {type(given).__name__}")
    if in_bytes and not all([isinstance(x, int) for x in given]):
        raise RuntimeError(f"{name}(): tried to construct a storage from a sequence ({type(given).__name__}), but one "
                           "of the items was of type "
                           f"{next(type(x).__name__ for x in given if not isinstance(x, int))} instead of int")
    return cygrad.tensor(list(given), dtype=cygrad.int64 if in_bytes else dtype, device=device).to(dtype)


@cython.freelist(8)
cdef class _Storage:
    """What both kinds of storage have in common: a sequence of numbers that can be read and written."""
    cdef readonly Tensor elements

    def __cinit__(self, *args, **kwargs):
        self.elements = nothing()           # until `wrap` or a constructor puts others here

    def size(self):
        """Number of elements."""
        return len(self)

    def __len__(self):
        return self.elements.numel()

    def nbytes(self):
        """Number of bytes."""
        return self.elements.memory.nbytes_

    def data_ptr(self):
        """Address of the first byte."""
        return self.elements.memory.data_ptr()

    @property
    def device(self):
        """Where the bytes are."""
        return self.elements.device

    @property
    def is_cuda(self):
        return self.elements.is_cuda

    def element_size(self):
        """Bytes of one element."""
        return self.elements.dtype.itemsize

    def __getitem__(self, index):
        found = self.elements[index]
        if found.dim() == 0:
            return found.item()
        return wrap(type(self), found.clone())

    def __setitem__(self, index, value):
        self.elements[index] = value

    def __iter__(self):
        return iter(self.tolist())

    def tolist(self):
        """The elements as a list of numbers."""
        return self.elements.tolist()

    def fill_(self, value):
        """Set every element to `value`."""
        self.elements.fill_(value)
        return self

    def copy_(self, source, non_blocking=None):
        """Write the elements of another storage into this one."""
        self.elements.copy_((<_Storage?>source).elements)
        return self

    def clone(self):
        """A copy of the storage."""
        return wrap(type(self), self.elements.clone())

    def cpu(self):
        """The storage, or a copy, in host memory."""
        return wrap(type(self), self.elements.cpu())

    def cuda(self, device=None, non_blocking=False):
        """The storage, or a copy, on a device of CUDA."""
        return wrap(type(self), self.elements.cuda(device))

    def to(self, *, device, non_blocking=False):
        """The storage, or a copy, on a device."""
        return wrap(type(self), self.elements.to(device))

    def get_device(self):
        """Number of the device; -1 in host memory."""
        return self.elements.get_device()

    def is_pinned(self, device="cuda"):
        """Whether the memory is page-locked."""
        return self.elements.is_pinned()

    def pin_memory(self, device="cuda"):
        """A copy in page-locked memory."""
        return wrap(type(self), self.elements.pin_memory())

    def resizable(self):
        """Whether PyTorch could change the size."""
        return not self.is_shared()

    @property
    def filename(self):
        """Name of the file that the memory is mapped from: None."""
        return None

    @property
    def is_sparse(self):
        return False

    @property
    def is_hpu(self):
        return False

    cdef object converted(self, str dtype):
        """A copy with elements of another dtype."""
        return wrap(TypedStorage, self.elements.to(getattr(cygrad, dtype), copy=True))

    def bfloat16(self):
        """A copy with elements of dtype bfloat16."""
        return self.converted("bfloat16")

    def bool(self):
        """A copy with elements of dtype bool."""
        return self.converted("bool")

    def byte(self):
        """A copy with elements of dtype uint8."""
        return self.converted("uint8")

    def char(self):
        """A copy with elements of dtype int8."""
        return self.converted("int8")

    def complex_double(self):
        """A copy with elements of dtype complex128."""
        return self.converted("complex128")

    def complex_float(self):
        """A copy with elements of dtype complex64."""
        return self.converted("complex64")

    def double(self):
        """A copy with elements of dtype float64."""
        return self.converted("float64")

    def float(self):
        """A copy with elements of dtype float32."""
        return self.converted("float32")

    def half(self):
        """A copy with elements of dtype float16."""
        return self.converted("float16")

    def int(self):
        """A copy with elements of dtype int32."""
        return self.converted("int32")

    def long(self):
        """A copy with elements of dtype int64."""
        return self.converted("int64")

    def short(self):
        """A copy with elements of dtype int16."""
        return self.converted("int16")

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        found = memo.get(id(self))
        if found is None:
            memo[id(self)] = found = self.clone()
        return found

    def is_shared(self):
        """Whether the memory is shared between processes; memory of devices always is said to be."""
        from cygrad.tensors import shared_memory      # start-up time
        return self.device.type != "cpu" or shared_memory.is_shared(self.elements)

    def share_memory_(self):
        """Move the memory, with all tensors on it, to where other processes can have it, too."""
        from cygrad.tensors import shared_memory      # start-up time
        if self.device.type == "cpu":
            shared_memory.share(self.elements)
        return self

    def __eq__(self, other):
        return type(self) is type(other) and (<_Storage>self).elements.memory is (<_Storage>other).elements.memory

    def __hash__(self):
        return hash(self.data_ptr())

    def __repr__(self):
        return " " + "\n ".join(map(str, self.tolist())) + "\n" + self._summary()

    def __reduce__(self):
        from cygrad.serialization.archive import rebuild_storage      # knot: it needs this module
        return rebuild_storage, (type(self).__name__, self.elements.dtype, self.tolist())


cdef object wrap(type cls, Tensor elements):
    cdef _Storage out = cls.__new__(cls)
    out.elements = elements
    return out


cdef class TypedStorage(_Storage):
    """A storage as a flat sequence of elements of one dtype.

    ``TypedStorage(size)`` is uninitialised, ``TypedStorage(numbers)`` holds them, and ``wrap_storage=`` an
    UntypedStorage shows its bytes as elements of `dtype`, the default float dtype unless it is given.
    """

    def __init__(self, *args, wrap_storage=None, dtype=None, device=None):
        cdef bint wraps = wrap_storage is not None
        if len(args) > 1 or (wraps and (args or dtype is None or device is not None)) or (
                args and not isinstance(args[0], int) and (isinstance(args[0], Tensor)
                                                           or not isinstance(args[0], Sequence))):
            given = ", ".join([type(arg).__name__ for arg in args])
            raise (RuntimeError if wraps or len(args) > 1 else TypeError)(
                "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
                " * (*, torch.device device, torch.dtype dtype)\n"
                " * (int size, *, torch.device device, torch.dtype dtype)\n"
                " * (Sequence data, *, torch.device device, torch.dtype dtype)\n"
                " * (*, UntypedStorage wrap_storage, torch.dtype dtype)\n"
                f"Received {len(args)} positional args: ({given})")
        if dtype is None:
            dtype = cygrad.get_default_dtype()
        elif not isinstance(dtype, DType):
            raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
        if not wraps:
            args = tuple([int(arg) if isinstance(arg, bool) else arg for arg in args])
            self.elements = elements_of("TypedStorage", args, dtype, device)
        elif isinstance(wrap_storage, UntypedStorage):
            self.elements = flat((<_Storage>wrap_storage).elements.memory, dtype)
        else:
            raise TypeError("Argument 'wrap_storage' must be UntypedStorage, but got "
                            f"{type(wrap_storage)}")

    @property
    def dtype(self):
        """Dtype of the elements."""
        return self.elements.dtype

    def untyped(self):
        """The storage as bytes."""
        return wrap(UntypedStorage, flat(self.elements.memory, dtype_of(UINT8)))

    def type(self, dtype=None):
        """Name of the legacy storage type, such as ``cygrad.FloatStorage``."""
        if dtype is not None:
            return wrap(TypedStorage, self.elements.to(dtype))
        return self.elements.type().replace("Tensor", "Storage")

    def pickle_storage_type(self):
        """Name of the storage's type in files."""
        return self.type().rpartition(".")[2]

    def _summary(self):
        return (f"[cygrad.storage.TypedStorage(dtype={self.elements.dtype}, device={self.device}) of size "
                f"{len(self)}]")


cdef class UntypedStorage(_Storage):
    """A storage as a flat sequence of bytes.

    ``UntypedStorage(size)`` is uninitialised, ``UntypedStorage(numbers)`` holds the lowest byte of each.
    """

    def __init__(self, *args, device=None):
        if len(args) > 1:
            raise TypeError("torch.UntypedStorage() received an invalid combination of arguments - got "
                            f"({', '.join([type(arg).__name__ for arg in args])})")
        self.elements = elements_of("torch.UntypedStorage", args, None, device)

    def untyped(self):
        """The storage itself."""
        return self

    def new(self):
        """A storage of no bytes on the same device."""
        return UntypedStorage(0, device=self.device)

    def type(self, dtype=None):
        """Name of the type; with a dtype, a copy with elements of it."""
        if dtype is None:
            return "torch.storage.UntypedStorage"
        return wrap(TypedStorage, self.elements.to(dtype, copy=True))

    def byteswap(self, DType dtype not None):
        """Turn the order of the bytes of each element of `dtype` over, in place."""
        cdef Py_ssize_t size = dtype.itemsize // (2 if dtype.is_complex else 1), whole = len(self) // size * size
        rows = self.elements[:whole].view(-1, size)
        rows.copy_(rows.flip(1))

    @property
    def is_sparse_csr(self):
        return False

    @classmethod
    def _new_shared(cls, size, *, device="cpu"):
        """New memory of `size` bytes that is shared between processes."""
        from cygrad.tensors import shared_memory      # start-up time
        return wrap(cls, shared_memory.new(size))

    def _share_cpu_(self):
        """(file, offset, bytes): what `_new_shared_cpu` takes in another process; see `shared_memory.handle`."""
        from cygrad.tensors import shared_memory      # start-up time
        return shared_memory.handle(self.elements)

    @classmethod
    def _new_shared_cpu(cls, file, offset, nbytes, keep=True):
        """The storage of another process that has this file, of which it is a part; see `shared_memory.attach`."""
        from cygrad.tensors import shared_memory      # start-up time
        return wrap(cls, shared_memory.attach(file, offset, nbytes, keep))

    def _shared_part(self, offset, nbytes):
        """Some bytes of a shared storage as a storage of their own."""
        from cygrad.tensors import shared_memory      # start-up time
        return wrap(type(self), shared_memory.part(self.elements, offset, nbytes))

    def _is_alone(self):
        """Whether no other storage is part of the same shared file."""
        from cygrad.tensors import shared_memory      # start-up time
        return shared_memory.alone(self.elements)

    def resize_(self, Py_ssize_t size):
        """Refused: tensors own their storages' sizes."""
        raise RuntimeError("resize_ of a storage is not supported; resize a tensor with Tensor.resize_")

    def _summary(self):
        return f"[cygrad.storage.UntypedStorage(device={self.device}) of size {len(self)}]"


def typed(Tensor t not None):
    """The storage of a tensor as elements of its dtype."""
    return wrap(TypedStorage, flat(t.memory, t.dtype))


def untyped(Tensor t not None):
    """The storage of a tensor as bytes."""
    return wrap(UntypedStorage, flat(t.memory, dtype_of(UINT8)))


cdef extern from *:
    """
    static void cygrad_name_type(PyObject *type, const char *name) { ((PyTypeObject *)type)->tp_name = name; }
    """
    void cygrad_name_type(object, const char *)


cygrad_name_type(TypedStorage, "cygrad.storage.TypedStorage")
cygrad_name_type(UntypedStorage, "cygrad.storage.UntypedStorage")
