"""What `Tensor.storage()` and `untyped_storage()` return: a Storage seen as a flat run of elements, or of bytes.

`held_storage` has what they hold, and which object stands for the bytes of a Storage.
"""
from collections.abc import Sequence
from operator import index

import cygrad
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dtype import DType
from cygrad.tensor import Tensor
from cygrad.tensors.held_storage import Held, flat, set_kinds, typed, untyped, wrap  # noqa: F401 (`typed`: for others)


def elements_of(name, args, dtype, device):
    """The memory that a constructor's arguments ask for: a size, a sequence of numbers, or nothing.

    Without a dtype it is bytes, the lowest ones of integers.
    """
    in_bytes = dtype is None
    if in_bytes:
        dtype = cygrad.uint8
    if not args:
        return cygrad.empty(0, dtype=dtype, device=device)
    given, = args
    if not isinstance(given, (Tensor, bool)) and hasattr(given, "__index__"):   # a size, perhaps NumPy's
        given = index(given)
    if isinstance(given, UntypedStorage):
        return given.elements.to(dtype, copy=True)
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


class _Storage(Held):
    """What both kinds of storage have in common: a sequence of numbers that can be read and written."""

    def size(self):
        """Number of elements."""
        return len(self)

    @property
    def _cdata(self):
        """A number that two wrappers share if they have one storage."""
        return id(self.held._storage())

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

    def _place(self, index):
        count = len(self)
        if not -count <= index < count:
            raise IndexError(f"index {index} out of range for storage of size {count}")
        return index % count

    def _need_numbers(self):
        """Refuse where there are no elements to see."""
        if self.device.type == "meta":
            raise NotImplementedError("Not available for 'meta' device type")

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
        if not isinstance(source, _Storage):
            raise TypeError(f"a storage is copied from another one, not from {type(source).__name__}")
        mine, others = self.elements.nbytes, source.elements.nbytes
        if mine != others and self.held.dtype is source.held.dtype:
            raise RuntimeError(f"size does not match, self was {mine} bytes but src was {others} bytes")
        self.elements.copy_(source.elements)
        return self

    def clone(self):
        """A copy of the storage."""
        return wrap(self._kind(), self.elements.clone())

    def _kind(self):
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
        return self.held._storage()._resizable()

    def resize_(self, size):
        """Have another number of elements, in place, for all tensors on the storage.

        The first elements stay what they were, new ones are uninitialised. A tensor keeps its shape; memory that a
        tensor may still reach is not given back.

        Raises
        ------
        RuntimeError
            If the memory belongs to somebody else, or the size is negative.
        """
        if type(size) is not int:
            raise RuntimeError(f"resize_ expects an int, but got {type(size).__name__}")
        if size < 0:
            raise RuntimeError(f"resize_: the size must not be negative, got {size}")
        cygrad.ops.shape.inplace_geometry.resize_storage(self.elements, size * self.element_size())
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

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        """A copy; copies of tensors and storages made with the same `memo` share memory as the originals do."""
        key = id(self.held._storage())
        if key not in memo:
            memo[key] = untyped(self.held).clone()
        return wrap(self._kind(), flat(memo[key].held, self.held.dtype))

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
        return other is self or (isinstance(other, _Storage) and self._kind() is other._kind()
                                 and self.held._storage() is other.held._storage())

    def __hash__(self):
        return hash(id(self.held._storage()))       # as `__eq__` compares; the address changes with the size

    def __repr__(self):
        numbers = "..." if self.device.type == "meta" else " " + "\n ".join(map(str, self.tolist()))
        return numbers + "\n" + self._summary()

    def __reduce__(self):
        from cygrad.serialization.archive import rebuild_storage      # knot: it needs this module
        return rebuild_storage, (self._kind().__name__, self.elements.dtype, self.tolist())


def _converting(name, dtype):
    def convert(self):
        return wrap(TypedStorage, self.elements.to(getattr(cygrad, dtype), copy=True))
    convert.__name__, convert.__qualname__ = name, f"_Storage.{name}"
    convert.__doc__ = f"A copy with elements of dtype {dtype}."
    setattr(_Storage, name, convert)


for _name, _dtype in dict(bfloat16="bfloat16", bool="bool", byte="uint8", char="int8", complex_double="complex128",
                          complex_float="complex64", double="float64", float="float32", half="float16", int="int32",
                          long="int64", short="int16").items():
    _converting(_name, _dtype)

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


def refusal_of(args, wrap_storage):
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


class TypedStorage(_Storage):
    """A storage as a flat sequence of elements of one dtype.

    ``TypedStorage(size)`` is uninitialised, ``TypedStorage(numbers)`` holds them, and ``wrap_storage=`` an
    UntypedStorage shows its bytes as elements of `dtype`, the default float dtype unless it is given.
    """

    __module__ = "cygrad.storage"

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
            self._hold(flat(wrap_storage.held, dtype))
        elif args and isinstance(args[0], str):
            raise TypeError("new(): invalid data type 'str'")
        else:
            self._hold(elements_of("TypedStorage", args, dtype, device))

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
            raise RuntimeError(f"Expected a Storage of type {SCALAR_NAMES[wanted.code]} or an UntypedStorage"
                               f", but got {SCALAR_NAMES[self.held.dtype.code]}")
        return flat(self.held, self.held.dtype)

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


class UntypedStorage(_Storage):
    """A storage as a flat sequence of bytes.

    ``UntypedStorage(size)`` is uninitialised, ``UntypedStorage(numbers)`` holds the lowest byte of each.
    """

    __module__ = "cygrad.storage"

    def __init__(self, *args, device=None, **other):
        if len(args) > 1 or other:
            given = [type(arg).__name__ for arg in args] + [f"{n}={type(arg).__name__}" for n, arg in other.items()]
            raise TypeError("torch.UntypedStorage() received an invalid combination of arguments - got "
                            f"({', '.join(given)}{', ' if len(given) == 1 else ''}), but expected one of:\n"
                            + _UNTYPED_FORMS)
        self._hold(elements_of("torch.UntypedStorage", args, None, device))
        self._stand_for_bytes()

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
        start, stop, step = index.indices(len(self))
        if step != 1:
            raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
        stop = max(start, stop)
        part = self._part(start, stop)
        return wrap(UntypedStorage, self.elements[start:stop].clone() if part is None else part)

    def _as_tensor(self, dtype):
        """The bytes as elements of `dtype`, int64 unless it is given, on the same memory."""
        return flat(self.held, cygrad.int64 if dtype is None else dtype)

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

    def byteswap(self, dtype):
        """Turn the order of the bytes of each element of `dtype` over, in place."""
        size = dtype.itemsize // (2 if dtype.is_complex else 1)
        whole = len(self) // size * size
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


set_kinds(TypedStorage, UntypedStorage)
