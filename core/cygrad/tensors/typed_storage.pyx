# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# distutils: extra_compile_args = -Os
"""What `Tensor.storage()` and `untyped_storage()` return: a Storage seen as a flat run of elements, or of bytes.

A wrapper holds a one-dimensional tensor over the whole storage. That for bytes is one object as long as somebody has
it, so that a storage is itself and keeps the attributes it is given; the others are made on each call.
"""
import weakref
from collections.abc import Sequence
from operator import index

cimport cython

import cygrad

from cygrad.tensor cimport Tensor, new_tensor
from cygrad.dtype cimport DType, UINT8, dtype_of, plain_of
from cygrad.storage cimport Storage, wrap_memory
from cygrad.view cimport fill_dense

from cygrad.dispatch.promotion import SCALAR_NAMES


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
    if not isinstance(given, (Tensor, bool)) and hasattr(given, "__index__"):   # a size, perhaps NumPy's
        given = index(given)
    if isinstance(given, UntypedStorage):
        return (<_Storage>given).elements.to(dtype, copy=True)
    if isinstance(given, int) and not isinstance(given, bool):
        if given < 0:
            raise RuntimeError(f"{name}(): the size must not be negative, got {given}")
        return cygrad.empty(given, dtype=dtype, device=device)
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise RuntimeError(f"{name}(): Expected a sequence type, but got {type(given).__name__}")
    if in_bytes and not all([isinstance(x, int) for x in given]):
        raise RuntimeError(f"{name}(): tried to construct a storage from a sequence ({type(given).__name__}), but one "
                           "of the items was of type "
                           f"{[type(x).__name__ for x in given if not isinstance(x, int)][0]} instead of int")
    return cygrad.tensor(list(given), dtype=cygrad.int64 if in_bytes else dtype, device=device).to(dtype)


_bytes_of = weakref.WeakValueDictionary()       # address of a Storage -> its UntypedStorage


@cython.freelist(8)
cdef class _Storage:
    """What both kinds of storage have in common: a sequence of numbers that can be read and written."""
    cdef Tensor held
    cdef dict __dict__
    cdef object __weakref__

    def __cinit__(self, *args, **kwargs):
        self.held = nothing()           # until `wrap` or a constructor puts others here

    @property
    def elements(self):
        """All elements as a tensor of one axis."""
        cdef Tensor held = self.held
        if held.elements != held.memory.nbytes_ // held.dtype.itemsize:     # the storage has another size now
            self.held = held = flat(held.memory, held.dtype)
        return held

    def size(self):
        """Number of elements."""
        return len(self)

    def __len__(self):
        return self.elements.numel()

    def nbytes(self):
        """Number of bytes."""
        return self.held.memory.nbytes_

    def data_ptr(self):
        """Address of the first byte."""
        return self.held.memory.data_ptr()

    @property
    def _cdata(self):
        """A number that two wrappers share if they have one storage."""
        return id(self.held.memory)

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
        if not isinstance(index, (int, slice)):
            raise self._no_index(index)
        self._need_numbers()
        if isinstance(index, int):
            return self.elements[self._place(index)].item()
        return self._sliced(index)

    cdef Py_ssize_t _place(self, index) except -1:
        cdef Py_ssize_t count = len(self)
        if not -count <= index < count:
            raise IndexError(f"index {index} out of range for storage of size {count}")
        return index % count

    cdef int _need_numbers(self) except -1:
        """Refuse where there are no elements to see."""
        if self.device.type == "meta":
            raise NotImplementedError("Not available for 'meta' device type")
        return 0

    def __setitem__(self, index, value):
        if isinstance(value, _Storage):
            raise RuntimeError(f"cannot set item with value type {type(value)}")
        self.elements[index] = value

    def __iter__(self):
        return iter(self.tolist())

    def tolist(self):
        """The elements as a list of numbers."""
        self._need_numbers()
        return self.elements.tolist()

    def fill_(self, value):
        """Set every element to `value`."""
        if isinstance(value, _Storage):
            raise RuntimeError(f"cannot set item with value type {type(value)}")
        self.elements.fill_(value)
        return self

    def copy_(self, source, non_blocking=None):
        """Write the elements of another storage into this one."""
        cdef Py_ssize_t mine = len(self), others = len(<_Storage?>source)
        if mine * self.element_size() != others * source.element_size() and self.held.dtype is source.elements.dtype:
            raise RuntimeError(f"size does not match, self was {mine * self.element_size()} bytes but src was "
                               f"{others * source.element_size()} bytes")
        self.elements.copy_(source.elements)
        return self

    def clone(self):
        """A copy of the storage."""
        return wrap(self._kind(), self.elements.clone())

    cdef type _kind(self):
        return TypedStorage if isinstance(self, TypedStorage) else UntypedStorage

    def cpu(self):
        """The storage, or a copy, in host memory."""
        return wrap(self._kind(), self.elements.cpu())

    def cuda(self, device=None, non_blocking=False):
        """The storage, or a copy, on a device of CUDA."""
        return wrap(self._kind(), self.elements.cuda(device))

    def to(self, *, device, non_blocking=False):
        """The storage, or a copy, on a device."""
        return wrap(self._kind(), self.elements.to(device))

    def get_device(self):
        """Number of the device; -1 in host memory."""
        return self.elements.get_device()

    def is_pinned(self, device="cuda"):
        """Whether the memory is page-locked."""
        return self.elements.is_pinned()

    def pin_memory(self, device="cuda"):
        """A copy in page-locked memory."""
        return wrap(self._kind(), self.elements.pin_memory())

    def resizable(self):
        """Whether the size can change: nobody else has the memory."""
        return self.held.memory._resizable()

    def resize_(self, size):
        """Have another number of elements, in place, for all tensors on the storage.

        The first elements stay what they were, new ones are uninitialised. A tensor keeps its shape; memory that a
        tensor may still reach is not given back.

        Raises
        ------
        RuntimeError
            If the memory belongs to somebody else, or the size is negative.
        """
        from cygrad.ops.shape.inplace_geometry import resize_storage      # knot: it needs this module
        if type(size) is not int:
            raise RuntimeError(f"resize_ expects an int, but got {type(size).__name__}")
        if size < 0:
            raise RuntimeError(f"resize_: the size must not be negative, got {size}")
        resize_storage(self.elements, size * self.element_size())
        return self

    def __sizeof__(self):
        return object.__sizeof__(self) + self.nbytes()

    filename = None     # of the file that all processes with this storage map

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
        """A copy; copies of tensors and storages made with the same `memo` share memory as the originals do."""
        key = id(self.held.memory)
        if key not in memo:
            memo[key] = untyped(self.held).clone()
        return wrap(self._kind(), flat((<_Storage?>memo[key]).held.memory, self.held.dtype))

    def is_shared(self):
        """Whether the memory is shared between processes; memory of devices always is said to be."""
        if self.device.type == "meta":
            return False
        from cygrad.tensors import shared_memory      # start-up time
        return self.device.type != "cpu" or self.filename is not None or shared_memory.is_shared(self.elements)

    def share_memory_(self):
        """Move the memory, with all tensors on it, to where other processes can have it, too."""
        from cygrad.tensors import shared_memory      # start-up time
        if self.device.type == "meta":
            raise RuntimeError("_share_fd_: only available on CPU")
        if self.device.type == "cpu":
            shared_memory.share(self.elements)
        return self

    def __eq__(self, other):
        return (isinstance(other, _Storage) and isinstance(self, TypedStorage) is isinstance(other, TypedStorage)
                and (<_Storage>self).held.memory is (<_Storage>other).held.memory)

    def __hash__(self):
        return hash(id(self.held.memory))       # as `__eq__` compares; the address changes with the size

    def __repr__(self):
        numbers = "..." if self.device.type == "meta" else " " + "\n ".join(map(str, self.tolist()))
        return numbers + "\n" + self._summary()

    def __reduce__(self):
        from cygrad.serialization.archive import rebuild_storage      # knot: it needs this module
        return rebuild_storage, (self._kind().__name__, self.elements.dtype, self.tolist())


cdef object wrap(type cls, Tensor elements):
    cdef _Storage out
    if cls is UntypedStorage:
        out = _bytes_of.get(id(elements.memory))
        if out is not None and out.held.memory is elements.memory:
            return out
    out = cls.__new__(cls)
    out.held = elements
    if cls is UntypedStorage:
        _bytes_of[id(elements.memory)] = out
    return out


_TYPED_FORMS = """TypedStorage.__init__ received an invalid combination of arguments. Expected one of:
 * (*, torch.device device, torch.dtype dtype)
 * (int size, *, torch.device device, torch.dtype dtype)
 * (Sequence data, *, torch.device device, torch.dtype dtype)
 * (*, UntypedStorage wrap_storage, torch.dtype dtype)
"""
_UNTYPED_FORMS = """ * (*, int allocator = None, torch.device device = None)
 * (int size, *, int allocator = None, torch.device device = None)
 * (object sequence, *, int allocator = None, torch.device device = None)
"""


cpdef tuple refusal_of(tuple args, wrap_storage):
    """(type, last line) of the error for a constructor's arguments, or None."""
    if wrap_storage is not None:
        if args:
            return RuntimeError, "No positional arguments should be given when using 'wrap_storage'"
        if not isinstance(wrap_storage, UntypedStorage):
            return TypeError, f"Argument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}"
    elif len(args) > 1:
        return RuntimeError, "Too many positional arguments"
    elif args and (isinstance(args[0], Tensor) or not hasattr(args[0], "__index__")
                   and not isinstance(args[0], Sequence)):
        return TypeError, f"Argument type not recognized: {type(args[0])}"
    return None


cdef class TypedStorage(_Storage):
    """A storage as a flat sequence of elements of one dtype.

    ``TypedStorage(size)`` is uninitialised, ``TypedStorage(numbers)`` holds them, and ``wrap_storage=`` an
    UntypedStorage shows its bytes as elements of `dtype`, the default float dtype unless it is given.
    """

    def __init__(self, *args, wrap_storage=None, dtype=None, device=None):
        refused = refusal_of(args, wrap_storage)
        if refused is None and wrap_storage is not None:
            if dtype is None:
                refused = RuntimeError, "Argument 'dtype' must be specified"
            elif not isinstance(dtype, DType):
                refused = TypeError, f"Argument 'dtype' must be torch.dtype, not {type(dtype)}"
            elif device is not None:
                refused = RuntimeError, "Argument 'device' should not be specified when 'wrap_storage' is given"
        if refused is not None:
            raise refused[0](_TYPED_FORMS + refused[1])
        if dtype is None:
            dtype = cygrad.get_default_dtype()
        elif not isinstance(dtype, DType):
            raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
        if wrap_storage is not None:
            self.held = flat((<_Storage>wrap_storage).held.memory, dtype)
        elif args and isinstance(args[0], str):
            raise TypeError("new(): invalid data type 'str'")
        else:
            self.held = elements_of("TypedStorage", args, dtype, device)

    @property
    def dtype(self):
        """Dtype of the elements."""
        return self.held.dtype

    @property
    def _untyped_storage(self):
        """The storage as bytes."""
        return self.untyped()

    def _no_index(self, index):
        return RuntimeError(f"can't index a {type(self)} with {type(index)}")

    def _sliced(self, index):
        raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")

    def _as_tensor(self, dtype):
        """The elements as a tensor on the same memory, as `tensor` takes a storage."""
        wanted = cygrad.get_default_dtype() if dtype is None else dtype
        if wanted is not self.held.dtype:
            raise RuntimeError(f"Expected a Storage of type {SCALAR_NAMES[(<DType?>wanted).code]} or an UntypedStorage"
                               f", but got {SCALAR_NAMES[self.held.dtype.code]}")
        return flat(self.held.memory, self.held.dtype)

    @classmethod
    def from_buffer(cls, *args, dtype=None, device=None, **kwargs):
        """A storage with a copy of a buffer's bytes; see `UntypedStorage.from_buffer`."""
        if dtype is None:
            dtype = cygrad.get_default_dtype()
        if device is not None and cygrad.device(device).type != "cpu":
            raise RuntimeError(f"Not available for {cygrad.device(device).type.upper()} storage")
        return TypedStorage(wrap_storage=UntypedStorage.from_buffer(*args, dtype=dtype, **kwargs), dtype=dtype)

    @classmethod
    def from_file(cls, filename, shared=False, size=0):
        """Refused: the legacy types, such as ``FloatStorage``, have it."""
        raise RuntimeError("from_file can only be called on derived classes")

    def untyped(self):
        """The storage as bytes."""
        return untyped(self.held)

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

    def __init__(self, *args, device=None, **other):
        if len(args) > 1 or other:
            given = [type(arg).__name__ for arg in args] + [f"{n}={type(arg).__name__}" for n, arg in other.items()]
            raise TypeError("torch.UntypedStorage() received an invalid combination of arguments - got "
                            f"({', '.join(given)}{', ' if len(given) == 1 else ''}), but expected one of:\n"
                            + _UNTYPED_FORMS)
        self.held = elements_of("torch.UntypedStorage", args, None, device)
        _bytes_of[id(self.held.memory)] = self

    def __setitem__(self, index, value):
        if not isinstance(value, int):
            raise RuntimeError(f"can only set storage content with a int types, but got {type(value).__name__} instead")
        if isinstance(index, int) and not -len(self) <= index < len(self):
            raise RuntimeError("out of bounds")
        self.elements[index] = value & 255

    def _no_index(self, index):
        return TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")

    def _sliced(self, index):
        """Some bytes as a storage of their own, on the same memory where the host can reach it."""
        cdef Py_ssize_t start, stop, step
        cdef Storage memory = self.held.memory
        start, stop, step = index.indices(len(self))
        if step != 1:
            raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
        stop = max(start, stop)
        if memory.pointer == NULL:
            return wrap(UntypedStorage, self.elements[start:stop].clone())
        memory._lend()          # others have its address now
        return wrap(UntypedStorage, flat(wrap_memory(memory.backend, <char *>memory.pointer + start, stop - start,
                                                     memory.owner), dtype_of(UINT8)))

    def _as_tensor(self, dtype):
        """The bytes as elements of `dtype`, int64 unless it is given, on the same memory."""
        return flat(self.held.memory, cygrad.int64 if dtype is None else dtype)

    @classmethod
    def from_buffer(cls, buffer, byte_order=None, count=-1, offset=0, *, dtype=None):
        """A storage with a copy of a buffer's bytes.

        Parameters
        ----------
        buffer : bytes-like
        byte_order : "native", "little" or "big"
            How the elements lie in the buffer; not needed for single bytes.
        count : int, optional
            Number of elements; negative: as many as there are.
        offset : int, optional
            Where to begin, in bytes.
        dtype : dtype
            Kind of the elements; bool reads bytes that are not zero as True.

        Raises
        ------
        ValueError
            If the buffer doesn't have that many elements from there on.
        RuntimeError
            If `dtype` or `byte_order` is missing.
        """
        from cygrad.tensors import storage_sources      # start-up time
        return untyped(storage_sources.from_buffer(buffer, byte_order, count, offset, dtype))

    @classmethod
    def from_file(cls, filename, shared=False, nbytes=0):
        """The bytes of a file, mapped: they are read when they are used.

        Parameters
        ----------
        filename : str
        shared : bool, optional
            Changes go to the file, for all who map it; it is made, or grows to `nbytes`, if need be. Else they are
            this process's own.
        nbytes : int, optional
            How many bytes are mapped.

        Raises
        ------
        RuntimeError
            If the file can't be opened, or is shorter and not shared.
        """
        from cygrad.ops.create.file_memory import mapped      # start-up time
        out = untyped(mapped(filename, shared, nbytes))
        if shared:
            out.filename = str(filename)
        return out

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

    def _summary(self):
        return f"[cygrad.storage.UntypedStorage(device={self.device}) of size {len(self)}]"


def typed(Tensor t not None):
    """The storage of a tensor as elements of its dtype."""
    return wrap(TypedStorage, flat(t.memory, plain_of(t.dtype)))


def untyped(Tensor t not None):
    """The storage of a tensor as bytes."""
    cdef _Storage found = _bytes_of.get(id(t.memory))
    if found is not None and found.held.memory is t.memory:
        return found
    return wrap(UntypedStorage, flat(t.memory, dtype_of(UINT8)))


cdef extern from *:
    """
    static void cygrad_name_type(PyObject *type, const char *name) { ((PyTypeObject *)type)->tp_name = name; }
    """
    void cygrad_name_type(object, const char *)


cygrad_name_type(TypedStorage, "cygrad.storage.TypedStorage")
cygrad_name_type(UntypedStorage, "cygrad.storage.UntypedStorage")
