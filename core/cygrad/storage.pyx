# cython: binding=False, embedsignature=True, embedsignature.format=clinic
"""Storage: a reference-counted run of bytes on one device.

A Storage knows its backend, where the bytes are and how often they changed in place; it knows nothing of shapes or
dtypes. Memory comes from `Backend.allocate` and goes back through `Backend.release` when the last View is gone; memory
of others (a NumPy array, a DLPack capsule) is kept alive by `owner` instead, and so is memory that was lent to others.
"""
cimport cython
from cpython.object cimport PyObject

from cygrad.backend cimport Backend
from cygrad.tensors.object_reuse cimport keep_whole

from cygrad import errors

cdef extern from "Python.h":
    PyObject *PyErr_Occurred()
    void PyErr_Fetch(PyObject **, PyObject **, PyObject **)
    void PyErr_Restore(PyObject *, PyObject *, PyObject *)

cdef extern from *:
    Storage whole_storage "whole_instance"(object cls, tuple no_args)


cdef class Kept:
    """The memory of a storage that was made smaller: tensors of before still reach all of it."""
    cdef Storage memory


cdef set _orphans = set()       # backends whose devices a parent process had opened, and whose drivers don't follow


cdef dict _counters = {}        # {address of a storage: that of the VersionCounter that counts in it}, both borrowed


@cython.freelist(16)
cdef class VersionCounter:
    """Counts the in-place changes of a tensor and its views where their storage's `version` is not what they share.

    A tensor that goes to another storage keeps its count, and so do the views that stay: the counter then counts in the
    storage that was left, for those who know only that, and keeps the number when that storage goes.
    """

    def __cinit__(self):
        self.count = &self.value

    def __dealloc__(self):
        if self.storage != NULL:
            (<Storage>self.storage).counted = False
            del _counters[<size_t>self.storage]


cdef VersionCounter counter_at(Storage storage):
    """The counter that counts in a storage."""
    cdef VersionCounter counter
    if storage.counted:
        return <VersionCounter><PyObject *><size_t>_counters[<size_t><PyObject *>storage]
    counter = VersionCounter.__new__(VersionCounter)
    counter.count = &storage.version
    counter.storage = <PyObject *>storage
    _counters[<size_t>counter.storage] = <size_t><PyObject *>counter
    storage.counted = True
    return counter


@cython.no_gc
cdef class Storage:
    """A run of bytes on one device, shared by the tensors that view it. Made by tensors, not by hand."""

    def __dealloc__(self):
        let_go(self)

    @property
    def buffer(self):
        """The backend's own buffer object; on a host backend without one, the address."""
        if self.handle is None:
            return <size_t>self.pointer
        return self.handle

    def nbytes(self):
        """Number of bytes."""
        return self.nbytes_

    def data_ptr(self):
        """Address of the first byte: on the host, or what the backend calls an address."""
        if self.pointer != NULL or self.handle is None:
            return <size_t>self.pointer
        return (<Backend>self.backend).address(self.handle)

    def _lend(self):
        """Keep the memory where it is from now on: others know its address. So the storage can't grow any more."""
        cdef Storage keeper
        if self.owner is None:
            keeper = Storage.__new__(Storage)
            self._swap(keeper)
            keeper.backend, keeper.index = self.backend, self.index
            self.pointer, self.handle, self.nbytes_ = keeper.pointer, keeper.handle, keeper.nbytes_
            self.capacity, self.owner = keeper.capacity, keeper

    def _resizable(self):
        """Whether the size may change: not of memory that belongs to others, or that others know of."""
        return self.owner is None or isinstance(self.owner, Kept)

    def _held(self):
        """Number of bytes that are there, more than `nbytes()` if the storage was made smaller."""
        return (<Kept>self.owner).memory.nbytes_ if isinstance(self.owner, Kept) else self.nbytes_

    def _show(self, Py_ssize_t nbytes):
        """Have another size within the bytes that are there. All of them stay: a tensor may have any of them."""
        cdef Kept kept
        if not isinstance(self.owner, Kept):
            self._lend()
            kept = Kept()
            kept.memory = self.owner
            self.owner = kept
        self.nbytes_ = nbytes

    def _swap(self, Storage other not None):
        """Exchange memory with another storage of the same device (how a storage grows)."""
        self.pointer, other.pointer = other.pointer, self.pointer
        self.handle, other.handle = other.handle, self.handle
        self.nbytes_, other.nbytes_ = other.nbytes_, self.nbytes_
        self.capacity, other.capacity = other.capacity, self.capacity
        self.owner, other.owner = other.owner, self.owner


cdef void leave(VersionCounter counter) noexcept:
    """Count in the counter itself from now on: the storage goes."""
    del _counters[<size_t>counter.storage]
    counter.value = counter.count[0]
    counter.count = &counter.value
    counter.storage = NULL


cdef inline void let_go(Storage storage) noexcept:
    """Give the memory of a storage back, unless it is that of others."""
    if storage.counted:
        leave(counter_at(storage))
        storage.counted = False
    if storage.owner is None and storage.backend is not None and not (_orphans and storage.backend in _orphans):
        (<Backend>storage.backend).release(storage)


cdef void let_go_in_error(Storage storage) noexcept:
    """The same while an error is on its way, which a backend written in Python must not see."""
    cdef PyObject *kind
    cdef PyObject *value
    cdef PyObject *traceback
    PyErr_Fetch(&kind, &value, &traceback)
    let_go(storage)
    PyErr_Restore(kind, value, traceback)


cdef void blank(Storage storage) noexcept:
    """Make a storage that nobody refers to any more as it was when new, but for what is set with every new one."""
    if PyErr_Occurred() is NULL:
        let_go(storage)
    else:
        let_go_in_error(storage)
    storage.backend = None
    storage.pointer = NULL
    storage.capacity = 0
    storage.version = 0
    if storage.handle is not None:
        storage.handle = None
    if storage.owner is not None:
        storage.owner = None


keep_whole(Storage, <void *>blank, False)
cdef tuple NO_ARGS = ()


cdef Storage new_storage(object backend, int index, Py_ssize_t nbytes):
    """Uninitialised memory of `nbytes` from the backend."""
    cdef Storage storage = whole_storage(Storage, NO_ARGS)
    if _orphans:
        refuse_orphan(backend)
    storage.index = index
    storage.nbytes_ = nbytes
    (<Backend>backend).allocate(storage)
    storage.backend = backend           # set last: a failed allocation releases nothing
    return storage


cdef Storage wrap_memory(object backend, void *pointer, Py_ssize_t nbytes, object owner):
    """A Storage over host memory that `owner` keeps alive."""
    cdef Storage storage = whole_storage(Storage, NO_ARGS)
    storage.backend = backend
    storage.index = 0
    storage.pointer = pointer
    storage.nbytes_ = nbytes
    storage.owner = owner
    return storage


def orphan(backends):
    """Mark backends as unusable in this process, which was forked while they were in use."""
    _orphans.update(backends)


def refuse_orphan(backend):
    """Raise if the backend was in use before this process was forked and does not survive that."""
    if backend in _orphans:
        raise errors.BackendUnavailable(
            f"backend {backend.name!r} was in use before this process was forked, and its driver does not follow; "
            "start processes with the method 'spawn', or use the backend only after the fork")


def __getattr__(name):
    """The public types of storages, which PyTorch's users look for here."""
    if name in ("TypedStorage", "UntypedStorage"):
        from cygrad.tensors import typed_storage as module      # knot: it needs this module
    elif name == "_LegacyStorage":
        from cygrad.tensors import storage_sources as module      # knot: it needs this module
    else:
        raise AttributeError(f"module 'cygrad.storage' has no attribute {name!r}")
    return getattr(module, name)
