# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# distutils: extra_compile_args = -Os
"""What storages as users have them hold: a one-dimensional tensor over all of a Storage. `typed_storage` has the rest.

That for bytes is one object as long as somebody has it, so that a storage is itself and keeps the attributes it is
given; the others are made on each call.
"""
import weakref

import cygrad

from cygrad.dtype cimport DType, UINT8, dtype_of, plain_of
from cygrad.storage cimport Storage, wrap_memory
from cygrad.tensor cimport Tensor, new_tensor
from cygrad.view cimport fill_dense

cdef Tensor _nothing = None
cdef object _typed = None, _untyped = None
cdef dict _bytes_of = {}        # {address of a Storage: a weak reference to its UntypedStorage}


cdef Tensor over(Storage memory, DType dtype):
    """All of a storage as a one-dimensional tensor of `dtype`."""
    cdef Py_ssize_t count = memory.nbytes_ // dtype.itemsize
    cdef Tensor out = new_tensor()
    fill_dense(out, memory, dtype, 1, &count)
    return out


def flat(Tensor t not None, DType dtype not None):
    """All of a tensor's storage as a one-dimensional tensor of `dtype`."""
    return over(t.memory, dtype)


cdef class Held:
    """The tensor that a storage holds, and what is asked of it most often."""
    cdef readonly Tensor held
    cdef size_t place           # where it stands in `_bytes_of`, or 0
    cdef object __weakref__

    def __cinit__(self, *args, **kwargs):
        global _nothing
        if _nothing is None:
            _nothing = cygrad.empty(0, dtype=cygrad.uint8, device="cpu")
        self.held = _nothing            # until `wrap` or a constructor puts another here

    def __dealloc__(self):
        if self.place:
            found = _bytes_of[self.place]()
            if found is self or found is None:      # else another one has come to stand there
                del _bytes_of[self.place]

    def _hold(self, Tensor elements not None):
        """Be the storage of this tensor of one axis."""
        self.held = elements

    @property
    def elements(self):
        """All elements as a tensor of one axis."""
        cdef Tensor held = self.held
        if held.elements != held.memory.nbytes_ // held.dtype.itemsize:     # the storage has another size now
            self.held = held = over(held.memory, held.dtype)
        return held

    def __len__(self):
        return self.held.memory.nbytes_ // self.held.dtype.itemsize

    def nbytes(self):
        """Number of bytes."""
        return self.held.memory.nbytes_

    def data_ptr(self):
        """Address of the first byte."""
        return self.held.memory.data_ptr()

    def _stand_for_bytes(self):
        """Be the one object for the bytes of this storage."""
        self.place = <size_t><void *>self.held.memory
        _bytes_of[self.place] = weakref.ref(self)

    def _part(self, Py_ssize_t start, Py_ssize_t stop):
        """Some bytes as a tensor on the same memory; None where the host can't reach it."""
        cdef Storage memory = self.held.memory
        if not 0 <= start <= stop <= memory.nbytes_:
            raise IndexError(f"bytes {start} to {stop} of a storage of {memory.nbytes_}")
        if memory.pointer == NULL:
            return None
        memory._lend()          # others have its address now
        return over(wrap_memory(memory.backend, <char *>memory.pointer + start, stop - start, memory.owner),
                    dtype_of(UINT8))


cdef Held known(Storage memory):
    """The object for the bytes of a storage, if there is one."""
    cdef Held found
    reference = _bytes_of.get(<size_t><void *>memory)
    if reference is not None:
        found = reference()
        if found is not None and found.held.memory is memory:
            return found
    return None


def set_kinds(typed, untyped):
    """Say which types `typed` and `untyped` make."""
    global _typed, _untyped
    _typed, _untyped = typed, untyped


cdef Held made(cls, Tensor elements):
    cdef Held out = cls.__new__(cls)
    out.held = elements
    if cls is _untyped:
        out._stand_for_bytes()
    return out


def wrap(cls, Tensor elements not None):
    """The storage of this type that holds a tensor of one axis over all of its memory."""
    found = known(elements.memory) if cls is _untyped else None
    return made(cls, elements) if found is None else found


def typed(Tensor t not None):
    """The storage of a tensor as elements of its dtype."""
    return made(_typed, over(t.memory, plain_of(t.dtype)))


def untyped(Tensor t not None):
    """The storage of a tensor as bytes."""
    found = known(t.memory)
    return made(_untyped, over(t.memory, dtype_of(UINT8))) if found is None else found
