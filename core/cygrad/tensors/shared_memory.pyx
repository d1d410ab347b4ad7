# cython: binding=False
# distutils: extra_compile_args = -Os
"""Host memory that processes share: storages on mapped files.

By the strategy "file_descriptor" a file is anonymous (a memfd, or a file whose name is gone as soon as it is made): the
system takes the memory back when the last process that maps it ends, however it ends; the file stays open, to be given
to others. By "file_system" it has a name for each process that maps it, which goes when the process lets go of the
memory, and one for each process that is to map it yet; no file stays open. A file that is mapped already is not mapped
again, so memory that comes back to a process is where it was.
"""
import itertools
import os
import tempfile
import weakref

from cpython.object cimport PyObject
from libc.string cimport memcpy

from numpy import ndarray

from cygrad.dtype cimport UINT8, dtype_of
from cygrad.storage cimport Storage, wrap_memory
from cygrad.tensor cimport Tensor, new_tensor
from cygrad.view cimport fill_dense

from cygrad.devices import discovery

cdef extern from "Python.h":
    Py_ssize_t PyObject_refcount "Py_REFCNT"(PyObject *)

cdef extern from *:
    """
    #include <errno.h>
    #ifdef _WIN32
    #define getpid() 0
    #define unlink(name) 0
    #define close(fd) 0
    static int cygrad_new_file(char *pattern) { errno = ENOSYS; return -1; }
    static void *cygrad_map(int fd, size_t length, int whole) { errno = ENOSYS; return NULL; }
    static void cygrad_unmap(void *at, size_t length) {}
    #else
    #include <fcntl.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <unistd.h>
    #ifdef __linux__
    #include <sys/syscall.h>
    #endif
    /* An open file without a name. `pattern` is for systems that have no memfd: where to make one, for mkstemp. */
    static int cygrad_new_file(char *pattern) {
        int fd;
    #ifdef SYS_memfd_create
        fd = (int)syscall(SYS_memfd_create, "cygrad", 1u);      /* MFD_CLOEXEC */
        if (fd >= 0 || errno != ENOSYS) return fd;
    #endif
        fd = mkstemp(pattern);
        if (fd >= 0) {
            unlink(pattern);
            fcntl(fd, F_SETFD, FD_CLOEXEC);
        }
        return fd;
    }
    #ifndef MAP_POPULATE
    #define MAP_POPULATE 0
    #endif
    static void *cygrad_map(int fd, size_t length, int whole) {
        void *at = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | (whole ? MAP_POPULATE : 0), fd, 0);
        return at == MAP_FAILED ? NULL : at;
    }
    static void cygrad_unmap(void *at, size_t length) { munmap(at, length); }
    #endif
    """
    int errno
    int cygrad_new_file(char *)
    void *cygrad_map(int, size_t, bint) nogil
    void cygrad_unmap(void *, size_t) nogil
    int getpid()
    int unlink(const char *)
    int close(int)


def _processes():
    """Number of the set of processes that we are one of: in another container, ours have other numbers, or none."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return 0


cdef Py_ssize_t WHOLE = 1 << 24     # up to this length all pages are mapped at once: a fault for each costs more
cdef object _numbers = itertools.count()
FOLDER = "/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir()
PREFIX = f"cygrad-{_processes()}-"   # of names in FOLDER; what follows is the number of a process, then one of its own
STRATEGIES = ("file_descriptor", "file_system")
strategy = STRATEGIES[0]
_mapped = weakref.WeakValueDictionary()     # (device, inode) of a file -> its Mapping in this process


cdef class Mapping:
    """A file's memory in this process, and what is needed to give it to another: an open file or a name.

    Attributes
    ----------
    nbytes : int
    fd : int
        The open file, or -1.
    name : bytes or None
        Path of the file, which is removed when this process lets go of the memory.
    """
    cdef void *pointer
    cdef readonly Py_ssize_t nbytes
    cdef readonly int fd
    cdef readonly bytes name
    cdef object former                  # memory that others had the address of before it was moved here
    cdef int process                    # who made the object: a forked child doesn't remove the name
    cdef object __weakref__

    def __cinit__(self, int fd, bytes name=None, bint keep=True):
        """Map an open file, which belongs to the object from now on; without `keep` it is closed then."""
        self.fd, self.process = fd, getpid()
        found = os.fstat(fd)
        self.nbytes = found.st_size
        with nogil:
            self.pointer = cygrad_map(fd, self.nbytes, self.nbytes <= WHOLE)
        if self.pointer is NULL:
            raise OSError(errno, f"mapping {self.nbytes} bytes of shared memory: {os.strerror(errno)}")
        _mapped[found.st_dev, found.st_ino] = self
        self.name = name
        if not keep:
            close(self.fd)
            self.fd = -1

    cdef void remove_name(self) noexcept:
        if self.name is not None and self.process == getpid():
            unlink(self.name)
            self.name = None

    cdef bint can_be_given(self):
        """Whether another process can get it; without a file, only what was forked from this one has the memory."""
        return self.fd >= 0 or self.name is not None

    def __dealloc__(self):
        if self.pointer is not NULL:
            cygrad_unmap(self.pointer, self.nbytes)
        if self.fd >= 0:
            close(self.fd)
        self.remove_name()


cdef bytes new_name():
    return os.fsencode(f"{FOLDER}/{PREFIX}{os.getpid()}-{next(_numbers)}")


cdef Mapping new_mapping(Py_ssize_t nbytes, bint named):
    """New memory, full of zeros."""
    cdef bytes name = new_name()
    cdef int fd
    if named:
        fd = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    else:
        name += b"-XXXXXX"
        fd = cygrad_new_file(name)
        if fd < 0:
            raise OSError(errno, f"unable to allocate {nbytes} bytes of shared memory: {os.strerror(errno)}")
    os.ftruncate(fd, max(nbytes, 1))
    return Mapping(fd, name if named else None, not named)


cdef Tensor part_of(Mapping mapping, Py_ssize_t offset, Py_ssize_t nbytes):
    """Bytes of a mapping as a tensor, in a storage of their own."""
    if offset < 0 or nbytes < 0 or offset > mapping.nbytes - nbytes:
        raise ValueError(f"bytes {offset} to {offset + nbytes} of {mapping.nbytes} in shared memory")
    cdef Tensor out = new_tensor()
    fill_dense(out, wrap_memory(discovery.load("cpu"), <char *>mapping.pointer + offset, nbytes, mapping),
               dtype_of(UINT8), 1, &nbytes)
    return out


cdef Mapping mapping_of(Tensor t):
    """The mapping that a tensor's memory is part of, or None."""
    owner = t.memory.owner
    return <Mapping>owner if isinstance(owner, Mapping) else None


def is_shared(Tensor t not None):
    """Whether other processes can have the memory: in a file that is mapped, of whatever kind."""
    owner = t.memory.owner
    while isinstance(owner, (memoryview, ndarray)):
        owner = owner.obj if isinstance(owner, memoryview) else owner.base
    return isinstance(owner, Mapping) or getattr(owner, "of_a_file", False)


def new(Py_ssize_t nbytes):
    """New shared memory in a file without a name, as a tensor of bytes."""
    return part_of(new_mapping(nbytes, False), 0, nbytes)


def alone(Tensor t not None):
    """Whether the file that a tensor's storage is part of has no other storage in this process."""
    return PyObject_refcount(<PyObject *>t.memory.owner) == 1


def part(Tensor t not None, Py_ssize_t offset, Py_ssize_t nbytes):
    """Some bytes of a shared storage, from `offset` on, in a storage of their own."""
    cdef Mapping mapping = mapping_of(t)
    return part_of(mapping, <char *>t.memory.pointer - <char *>mapping.pointer + offset, nbytes)


def share(Tensor t not None):
    """Move a host tensor's storage into shared memory that can be given to others, with all tensors on it.

    Arrays that had its memory keep it, and see no more of the tensor.
    """
    cdef Mapping mapping = mapping_of(t)
    if mapping is not None and mapping.can_be_given():
        return
    mapping = new_mapping(t.memory.nbytes_, strategy == "file_system")
    cdef Storage shared = part_of(mapping, 0, t.memory.nbytes_).memory
    memcpy(shared.pointer, t.memory.pointer, t.memory.nbytes_)
    t.memory._swap(shared)
    if shared.owner is not None:
        mapping.former = shared


# -------------------------------------------------------------- from process to process

def handle(Tensor t not None):
    """(file, offset, bytes) of a host tensor's storage: what `attach` takes in another process.

    The storage is moved into shared memory unless it is there. The file is the number of an open one, which the system
    must be asked to give to the other process, or a name, for one call of `attach`.
    """
    share(t)
    cdef Mapping mapping = mapping_of(t)
    cdef Py_ssize_t offset = <char *>t.memory.pointer - <char *>mapping.pointer
    if mapping.fd >= 0:
        return mapping.fd, offset, t.memory.nbytes_
    ticket = new_name()
    os.link(mapping.name, ticket)
    return os.fsdecode(ticket), offset, t.memory.nbytes_


def attach(file, Py_ssize_t offset=0, nbytes=None, bint keep=True):
    """Memory of another process, as a tensor of bytes: all of a file, or `nbytes` of it.

    The open file, or the name, belongs to this process from now on. Without `keep` an open file is closed; then to give
    the memory to others copies it.
    """
    cdef bytes name = None
    cdef int fd
    if isinstance(file, str):
        name = os.fsencode(file)
        fd = os.open(name, os.O_RDWR | os.O_CLOEXEC)
    else:
        fd = file
    found = os.fstat(fd)
    cdef Mapping mapping = _mapped.get((found.st_dev, found.st_ino))
    if mapping is None:
        mapping = Mapping(fd, name, keep and name is None)
    else:
        if mapping.fd != fd:
            os.close(fd)
        if name is not None:
            os.unlink(name)
    return part_of(mapping, offset, mapping.nbytes if nbytes is None else nbytes)


def remove_names(mine=False):
    """Remove the names that processes left behind that were killed; with `mine`, also all of this process."""
    for name in os.listdir(FOLDER):
        if name.startswith(PREFIX):
            owner = int(name[len(PREFIX):].split("-")[0])
            if mine if owner == os.getpid() else not _runs(owner):
                try:
                    os.unlink(f"{FOLDER}/{name}")
                except OSError:
                    pass


def let_go():
    """Remove the names under which this process has memory, at its end; not those that wait for another process."""
    for mapping in list(_mapped.values()):
        (<Mapping>mapping).remove_name()


def _runs(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
