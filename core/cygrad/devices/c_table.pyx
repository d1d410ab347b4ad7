"""`TableBackend`: a backend whose functions are those of a table in C (`cygrad_backend.h`, beside this file).

A call makes a `cygrad_view` of each View on the stack and calls the function; nothing of Python is in between. The
class is final, so no call asks whether Python overrides it. Large operands are computed without the interpreter's lock.
"""
cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, intptr_t, uint32_t

from cygrad.backend cimport Backend
from cygrad.dtype cimport BOOL, CATEGORY_COMPLEX, CATEGORY_FLOAT
from cygrad.storage cimport Storage
from cygrad.view cimport View

import ctypes
import os

from cygrad import errors
from cygrad.dtype import all_dtypes

cdef extern from "cygrad/devices/cygrad_backend.h" nogil:
    enum:
        CYGRAD_INTERFACE_VERSION
        CYGRAD_DONE
        CYGRAD_DECLINED
        CYGRAD_ZERO_DIVISION
        CYGRAD_NO_MEMORY
    ctypedef struct cygrad_view:
        void *buffer
        int64_t offset
        int64_t elements
        const intptr_t *shape
        const intptr_t *stride
        int32_t rank
        int32_t dtype
        int32_t itemsize
        int32_t contiguous
    ctypedef struct cygrad_number:
        double real
        double imaginary
        int64_t integer
    ctypedef struct cygrad_table:
        uint32_t size
        uint32_t interface_version
        int32_t host_memory
        const char *(*error)() noexcept nogil
        int (*device_count)() noexcept nogil
        int (*open)(int) noexcept nogil
        void *(*alloc)(int, size_t) noexcept nogil
        void (*free)(int, void *, size_t) noexcept nogil
        int (*h2d)(int, void *, size_t, const void *, size_t) noexcept nogil
        int (*d2h)(int, void *, size_t, void *, size_t) noexcept nogil
        int (*synchronize)(int) noexcept nogil
        int (*supports)(int) noexcept nogil
        int (*fill)(const cygrad_view *, cygrad_number) noexcept nogil
        int (*copy)(const cygrad_view *, const cygrad_view *) noexcept nogil
        int (*unary)(int, const cygrad_view *, const cygrad_view *) noexcept nogil
        int (*binary)(int, const cygrad_view *, const cygrad_view *, const cygrad_view *) noexcept nogil
        int (*binary_scalar)(int, const cygrad_view *, cygrad_number, int, const cygrad_view *) noexcept nogil
        int (*where)(const cygrad_view *, const cygrad_view *, const cygrad_view *, const cygrad_view *) noexcept nogil
        int (*reduce)(int, const cygrad_view *, const cygrad_view *) noexcept nogil
        int (*argreduce)(int, const cygrad_view *, const cygrad_view *) noexcept nogil
        int (*matmul)(const cygrad_view *, const cygrad_view *, const cygrad_view *) noexcept nogil
        int (*gather)(const cygrad_view *, const cygrad_view *, int, const cygrad_view *) noexcept nogil
        int (*scatter)(int, const cygrad_view *, int, const cygrad_view *, const cygrad_view *) noexcept nogil
    size_t whole_table "sizeof(cygrad_table)"

cdef enum:
    LARGE = 32768               # elements from which on letting others run is worth its 50 ns


def headers():
    """The folder of `cygrad_backend.h`, for a compiler's ``-I``."""
    return os.path.dirname(os.path.abspath(__file__))


cdef inline void look(View v, cygrad_view *made) noexcept:
    """A View as C sees it; valid as long as the View."""
    made.buffer = v.memory.pointer if v.memory.handle is None else <void *><size_t>v.memory.handle
    made.offset = v.offset
    made.elements = v.elements
    made.shape = <const intptr_t *>v.sizes
    made.stride = <const intptr_t *>v.strides
    made.rank = v.rank
    made.dtype = v.dtype.code
    made.itemsize = v.dtype.itemsize
    made.contiguous = v.dense


cdef cygrad_number number(View like, object x):
    """A Python number as C sees it."""
    cdef cygrad_number made
    cdef double complex z
    if like.dtype.category == CATEGORY_COMPLEX:
        z = x
        made.real, made.imaginary, made.integer = z.real, z.imag, 0
    elif like.dtype.category == CATEGORY_FLOAT:
        made.real, made.imaginary, made.integer = x, 0, 0
    else:
        made.integer = bool(x) if like.dtype.code == BOOL else int(x)
        made.real, made.imaginary = <double>made.integer, 0
    return made


@cython.final
cdef class TableBackend(Backend):
    """A backend over the table of functions that a shared library exports.

    Parameters
    ----------
    library : str or path
        The library; its function ``cygrad_backend`` gives the table.
    """

    interface_version = CYGRAD_INTERFACE_VERSION
    cdef const cygrad_table *table
    cdef object library

    def __init__(self, library):
        cdef size_t address
        self.library = ctypes.CDLL(os.fspath(library))
        try:
            function = self.library.cygrad_backend
        except AttributeError:
            raise errors.BackendLoadError(f"{library} exports no function 'cygrad_backend' that gives the table of "
                                          "cygrad_backend.h") from None
        function.restype = ctypes.c_void_p
        address = function() or 0
        if not address:
            raise errors.BackendLoadError(f"{library}: cygrad_backend() returned NULL")
        self.table = <const cygrad_table *>address
        if self.table.interface_version != CYGRAD_INTERFACE_VERSION:
            raise errors.BackendLoadError(f"{library} is written for version {self.table.interface_version} of the "
                                          f"kernel interface, this cygrad has version {CYGRAD_INTERFACE_VERSION}; "
                                          "install matching versions")
        if self.table.size < whole_table:
            raise errors.BackendLoadError(f"{library}: the table's size is {self.table.size} bytes, that of version "
                                          f"{CYGRAD_INTERFACE_VERSION} is {whole_table}; set it to "
                                          "sizeof(cygrad_table)")
        missing = [name for name, there in (
            ("device_count", self.table.device_count != NULL), ("alloc", self.table.alloc != NULL),
            ("free", self.table.free != NULL), ("h2d", self.table.h2d != NULL), ("d2h", self.table.d2h != NULL))
            if not there]
        if missing:
            raise errors.BackendLoadError(f"{library}: the table lacks required entries: {', '.join(missing)}")
        self.host_memory = self.table.host_memory != 0

    cdef object answer(self, str entry, int code):
        """None or NotImplemented for a kernel's code; raises for the others."""
        if code == CYGRAD_DONE:
            return None
        if code == CYGRAD_DECLINED:
            return NotImplemented
        if code == CYGRAD_ZERO_DIVISION:
            raise RuntimeError("ZeroDivisionError")
        words = "no reason given" if self.table.error == NULL or self.table.error() == NULL else (
            self.table.error().decode("utf-8", "replace"))
        if code == CYGRAD_NO_MEMORY:
            raise MemoryError(f"{self.name}: {words}")
        raise RuntimeError(f"backend {self.name!r}: {entry} failed: {words}")

    # ---- devices and memory

    cpdef device_count(self):
        return self.table.device_count()

    cpdef open(self, int index):
        if self.table.open != NULL and self.answer("open", self.table.open(index)) is NotImplemented:
            raise RuntimeError(f"backend {self.name!r} declines to open device {index}")

    cpdef alloc(self, int index, Py_ssize_t nbytes):
        raise NotImplementedError("memory comes from the table's alloc")

    cdef int allocate(self, Storage storage) except -1:
        cdef void *buffer = self.table.alloc(storage.index, storage.nbytes_)
        if buffer == NULL:
            raise MemoryError(f"backend {self.name!r} has no {storage.nbytes_} bytes on device {storage.index}")
        if self.host_memory:
            storage.pointer = buffer
        else:
            storage.handle = <size_t>buffer
        return 0

    cdef void release(self, Storage storage) noexcept:
        self.table.free(storage.index,
                        storage.pointer if storage.handle is None else <void *><size_t>storage.handle, storage.nbytes_)

    cpdef address(self, object buffer):
        return buffer

    cpdef h2d(self, object host, Storage storage, Py_ssize_t start):
        cdef const unsigned char[::1] source = host
        cdef void *buffer = storage.pointer if storage.handle is None else <void *><size_t>storage.handle
        if source.shape[0]:
            self.answer("h2d", self.table.h2d(storage.index, buffer, start, &source[0], source.shape[0]))

    cpdef d2h(self, Storage storage, Py_ssize_t start, object host):
        cdef unsigned char[::1] target = host
        cdef void *buffer = storage.pointer if storage.handle is None else <void *><size_t>storage.handle
        if target.shape[0]:
            self.answer("d2h", self.table.d2h(storage.index, buffer, start, &target[0], target.shape[0]))

    cpdef synchronize(self, int index):
        if self.table.synchronize != NULL:
            self.answer("synchronize", self.table.synchronize(index))

    cpdef supports(self, object dtype):
        return self.table.supports == NULL or self.table.supports(all_dtypes().index(dtype)) != 0

    # ---- kernels

    cpdef fill(self, View out, object value):
        cdef cygrad_view o
        if self.table.fill == NULL:
            return NotImplemented
        look(out, &o)
        return self.answer("fill", self.table.fill(&o, number(out, value)))

    cpdef copy(self, View src, View out):
        cdef cygrad_view s, o
        cdef int code
        if self.table.copy == NULL:
            return NotImplemented
        look(src, &s)
        look(out, &o)
        if out.elements < LARGE:
            code = self.table.copy(&s, &o)
        else:
            with nogil:
                code = self.table.copy(&s, &o)
        return None if code == CYGRAD_DONE else self.answer("copy", code)

    cpdef unary(self, int op, View a, View out):
        cdef cygrad_view x, o
        cdef int code
        if self.table.unary == NULL:
            return NotImplemented
        look(a, &x)
        look(out, &o)
        if out.elements < LARGE:
            code = self.table.unary(op, &x, &o)
        else:
            with nogil:
                code = self.table.unary(op, &x, &o)
        return None if code == CYGRAD_DONE else self.answer("unary", code)

    cpdef binary(self, int op, View a, View b, View out):
        cdef cygrad_view x, y, o
        cdef int code
        if self.table.binary == NULL:
            return NotImplemented
        look(a, &x)
        look(b, &y)
        look(out, &o)
        if out.elements < LARGE:
            code = self.table.binary(op, &x, &y, &o)
        else:
            with nogil:
                code = self.table.binary(op, &x, &y, &o)
        return None if code == CYGRAD_DONE else self.answer("binary", code)

    cpdef binary_scalar(self, int op, View a, object x, bint swapped, View out):
        cdef cygrad_view v, o
        if self.table.binary_scalar == NULL:
            return Backend.binary_scalar(self, op, a, x, swapped, out)
        look(a, &v)
        look(out, &o)
        return self.answer("binary_scalar", self.table.binary_scalar(op, &v, number(a, x), swapped, &o))

    cpdef where(self, View cond, View a, View b, View out):
        cdef cygrad_view c, x, y, o
        if self.table.where == NULL:
            return NotImplemented
        look(cond, &c)
        look(a, &x)
        look(b, &y)
        look(out, &o)
        return self.answer("where", self.table.where(&c, &x, &y, &o))

    cpdef reduce(self, int op, View a, View out):
        cdef cygrad_view x, o
        cdef int code
        if self.table.reduce == NULL:
            return NotImplemented
        look(a, &x)
        look(out, &o)
        with nogil:
            code = self.table.reduce(op, &x, &o)
        return self.answer("reduce", code)

    cpdef argreduce(self, int op, View a, View out):
        cdef cygrad_view x, o
        if self.table.argreduce == NULL:
            return NotImplemented
        look(a, &x)
        look(out, &o)
        return self.answer("argreduce", self.table.argreduce(op, &x, &o))

    cpdef matmul(self, View a, View b, View out):
        cdef cygrad_view x, y, o
        cdef int code
        if self.table.matmul == NULL:
            return NotImplemented
        look(a, &x)
        look(b, &y)
        look(out, &o)
        with nogil:
            code = self.table.matmul(&x, &y, &o)
        return self.answer("matmul", code)

    cpdef gather(self, View src, View index, int dim, View out):
        cdef cygrad_view s, i, o
        if self.table.gather == NULL:
            return NotImplemented
        look(src, &s)
        look(index, &i)
        look(out, &o)
        return self.answer("gather", self.table.gather(&s, &i, dim, &o))

    cpdef scatter(self, int mode, View out, int dim, View index, View src):
        cdef cygrad_view o, i, s
        if self.table.scatter == NULL:
            return NotImplemented
        look(out, &o)
        look(index, &i)
        look(src, &s)
        return self.answer("scatter", self.table.scatter(mode, &o, dim, &i, &s))
