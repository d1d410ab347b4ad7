# distutils: extra_compile_args = -Os
"""What `Tensor.storage()` and `untyped_storage()` return: a Storage seen as a flat run of elements, or of bytes.

The wrappers are made on each call and hold a one-dimensional tensor over the whole storage. A free list gives the
next one the place of the last, so that ids of storages compare as users of PyTorch are used to.
"""
cimport cython

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


@cython.freelist(8)
cdef class _Storage:
    """What both kinds of storage have in common: a sequence of numbers that can be read and written."""
    cdef readonly Tensor elements

    def __cinit__(self):
        self.elements = Tensor.__new__(Tensor)          # without elements, until `wrap` puts others here

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
        return "".join(f" {x}\n" for x in self.tolist()) + self._summary()

    def __reduce__(self):
        from cygrad.serialization.archive import rebuild_storage      # knot: it needs this module
        return rebuild_storage, (type(self).__name__, self.elements.dtype, self.tolist())


cdef object wrap(type cls, Tensor elements):
    cdef _Storage out = cls.__new__(cls)
    out.elements = elements
    return out


cdef class TypedStorage(_Storage):
    """A storage as a flat sequence of elements of one dtype."""

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

    def _summary(self):
        return (f"[cygrad.storage.TypedStorage(dtype={self.elements.dtype}, device={self.device}) of size "
                f"{len(self)}]")


cdef class UntypedStorage(_Storage):
    """A storage as a flat sequence of bytes."""

    def untyped(self):
        """The storage itself."""
        return self

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
