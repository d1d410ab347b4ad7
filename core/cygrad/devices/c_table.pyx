"""`TableBackend`: a backend whose functions are those of a table in C (`cygrad_backend.h`, beside this file).

A call makes a `cygrad_view` of each View on the stack and calls the function; nothing of Python is in between. The
class is final, so no call asks whether Python overrides it. Large operands are computed without the interpreter's lock.
"""
cimport cython
from cpython.bytes cimport PyBytes_AS_STRING
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, intptr_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

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
        CYGRAD_OUTSIDE
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
    ctypedef const cygrad_view *cygrad_in
    ctypedef cygrad_in (*cygrad_allocate)(void *, int64_t) noexcept nogil
    ctypedef struct cygrad_window:
        int64_t stride[2]
        int64_t padding[2]
        int64_t dilation[2]
        int64_t groups
    ctypedef struct cygrad_box:
        int64_t p, q, r, last_p, last_q, last_r, step, margin
    ctypedef struct cygrad_recurrent_step:
        int64_t row, rows
    ctypedef struct cygrad_step:
        int32_t kind, place
        double number
    ctypedef struct cygrad_input:
        cygrad_in view
        cygrad_number number
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
        int (*arange)(const cygrad_view *, cygrad_number, cygrad_number) noexcept nogil
        int (*scan)(int, cygrad_in, cygrad_in, cygrad_in) noexcept nogil
        int (*sort)(cygrad_in, int, int, cygrad_in, cygrad_in) noexcept nogil
        int (*partial_sort)(cygrad_in, int, int64_t, cygrad_in, cygrad_in) noexcept nogil
        int (*nonzero)(cygrad_in, cygrad_allocate, void *) noexcept nogil
        int (*gather_looking)(cygrad_in, cygrad_in, int, cygrad_in) noexcept nogil
        int (*scatter_looking)(int, cygrad_in, int, cygrad_in, cygrad_in) noexcept nogil
        int (*addmm)(cygrad_in, cygrad_in, cygrad_in, double, double, cygrad_in) noexcept nogil
        int (*softmax)(cygrad_in, int, cygrad_in) noexcept nogil
        int (*softmax_backward)(cygrad_in, cygrad_in, int, cygrad_in) noexcept nogil
        int (*layer_norm)(cygrad_in, cygrad_in, cygrad_in, double, cygrad_in, cygrad_in, cygrad_in) noexcept nogil
        int (*layer_norm_backward)(cygrad_in, cygrad_in, cygrad_in, cygrad_in, cygrad_in, cygrad_in, cygrad_in,
                                   cygrad_in) noexcept nogil
        int (*conv2d)(cygrad_in, cygrad_in, cygrad_in, const cygrad_window *, cygrad_in) noexcept nogil
        int (*conv2d_backward)(cygrad_in, cygrad_in, cygrad_in, const cygrad_window *, cygrad_in, cygrad_in,
                               cygrad_in) noexcept nogil
        int (*attention)(cygrad_in, cygrad_in, cygrad_in, cygrad_in, int, double, cygrad_in) noexcept nogil
        int (*random)(int, cygrad_in, uint64_t, uint64_t, double, double) noexcept nogil
        int (*fft)(cygrad_in, cygrad_in, int, const int32_t *, int, int) noexcept nogil
        int (*d2d)(int, const void *, int, void *, size_t) noexcept nogil
        int (*memory_info)(int, size_t *, size_t *) noexcept nogil
        int (*elementwise)(int, const cygrad_step *, int, const cygrad_input *, int, const cygrad_in *) noexcept nogil
        int (*pool)(int, cygrad_in, const cygrad_box *, cygrad_in, cygrad_in) noexcept nogil
        int (*recurrent)(int, int, const cygrad_recurrent_step *, cygrad_in, cygrad_in, cygrad_in, cygrad_in, cygrad_in,
                         cygrad_in, cygrad_in, cygrad_in, cygrad_in, cygrad_in) noexcept nogil
        int (*recurrent_backward)(int, int, const cygrad_recurrent_step *, cygrad_in, cygrad_in, cygrad_in, cygrad_in,
                                  cygrad_in, cygrad_in, cygrad_in, cygrad_in, cygrad_in, cygrad_in,
                                  cygrad_in) noexcept nogil
    size_t whole_table "sizeof(cygrad_table)"
    size_t first_table "offsetof(cygrad_table, arange)"     # what a table has at least

STEPS = ("in", "number", "unary", "binary", "where", "keep", "kept", "out")      # CYGRAD_STEP_IN and on
cdef enum:
    MOST = 16                   # inputs and outputs of a program, together
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


cdef inline const cygrad_view *looked(View v, cygrad_view *made) noexcept:
    """`look`, and where it is; NULL of None."""
    if v is None:
        return NULL
    look(v, made)
    return made


cdef cygrad_window window(tuple stride, tuple padding, tuple dilation, int groups):
    """What a convolution's numbers are in C."""
    cdef cygrad_window made
    made.stride[0], made.stride[1] = stride
    made.padding[0], made.padding[1] = padding
    made.dilation[0], made.dilation[1] = dilation
    made.groups = groups
    return made


cdef struct Allocation:         # what `nonzero`'s callback gets
    void *function              # the core's
    void *found                 # the list that keeps the View, or the error
    cygrad_view view


cdef const cygrad_view *allocated(void *context, int64_t count) noexcept with gil:
    """`cygrad_allocate`: the core's `allocate`; an error of it is raised when `nonzero` has returned."""
    cdef Allocation *place = <Allocation *>context
    cdef View out
    try:
        out = (<object>place.function)(count)
    except Exception as error:
        (<list>place.found).append(error)
        return NULL
    (<list>place.found).append(out)
    look(out, &place.view)
    return &place.view


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


cdef cygrad_number any_number(object x):
    """A Python number as C sees it, whatever it is used with."""
    cdef cygrad_number made
    cdef double complex z = x
    made.real, made.imaginary = z.real, z.imag
    made.integer = x if isinstance(x, int) else 0
    return made


cdef bytes recurrent_steps(tuple steps):
    """The steps of a recurrent layer as C sees them."""
    cdef cygrad_recurrent_step one
    cdef list found = []
    for one.row, one.rows in steps:
        found.append((<char *>&one)[:sizeof(cygrad_recurrent_step)])
    return b"".join(found)


cdef bytes program_steps(tuple program):
    """The steps of a program as C sees them."""
    cdef cygrad_step one
    cdef list found = []
    for kind, *rest in program:
        one.kind, one.place, one.number = STEPS.index(kind), 0, 0
        if kind == "number":
            one.number = rest[0]
        elif rest:
            one.place = rest[0]
        found.append((<char *>&one)[:sizeof(cygrad_step)])
    return b"".join(found)


@cython.final
cdef class TableBackend(Backend):
    """A backend over the table of functions that a shared library exports.

    Parameters
    ----------
    library : str or path
        The library; its function ``cygrad_backend`` gives the table.
    """

    interface_version = CYGRAD_INTERFACE_VERSION
    cdef cygrad_table table             # a copy: entries that the library does not know of are NULL
    cdef object library
    cdef dict programs                  # {address of a program: (the program, its steps in C)}
    cdef Py_ssize_t failing             # how many buffers are still given out until one is refused; 0: all are

    def __init__(self, library):
        cdef size_t address
        cdef const cygrad_table *table
        self.library, self.programs = ctypes.CDLL(os.fspath(library)), {}
        try:
            function = self.library.cygrad_backend
        except AttributeError:
            raise errors.BackendLoadError(f"{library} exports no function 'cygrad_backend' that gives the table of "
                                          "cygrad_backend.h") from None
        function.restype = ctypes.c_void_p
        address = function() or 0
        if not address:
            raise errors.BackendLoadError(f"{library}: cygrad_backend() returned NULL")
        table = <const cygrad_table *>address
        if table.interface_version != CYGRAD_INTERFACE_VERSION:
            raise errors.BackendLoadError(f"{library} is written for version {table.interface_version} of the "
                                          f"kernel interface, this cygrad has version {CYGRAD_INTERFACE_VERSION}; "
                                          "install matching versions")
        if table.size < first_table:
            raise errors.BackendLoadError(f"{library}: the table's size is {table.size} bytes, that of version "
                                          f"{CYGRAD_INTERFACE_VERSION} is {first_table} or more; set it to "
                                          "sizeof(cygrad_table)")
        memset(&self.table, 0, whole_table)
        memcpy(&self.table, table, min(<size_t>table.size, whole_table))
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
        cdef void *buffer = NULL
        if self.failing != 1:
            buffer = self.table.alloc(storage.index, storage.nbytes_)
        self.failing -= self.failing > 0
        if buffer == NULL:
            raise MemoryError(f"backend {self.name!r} has no {storage.nbytes_} bytes on device {storage.index}")
        if self.host_memory:
            storage.pointer = buffer
        else:
            storage.handle = <size_t>buffer
        return 0

    def fail_allocation(self, int index, Py_ssize_t number):
        """Let the number-th allocation fail (0: none), for tests; gives how far off the last one was."""
        left, self.failing = self.failing, number
        return left

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

    # ---- optional kernels

    cpdef arange(self, View out, object start, object step):
        cdef cygrad_view o
        if self.table.arange == NULL:
            return NotImplemented
        look(out, &o)
        return self.answer("arange", self.table.arange(&o, number(out, start), number(out, step)))

    cpdef scan(self, int op, View a, View out, View index):
        cdef cygrad_view x, o, i
        cdef const cygrad_view *places = looked(index, &i)
        cdef int code
        if self.table.scan == NULL:
            return NotImplemented
        look(a, &x)
        look(out, &o)
        with nogil:
            code = self.table.scan(op, &x, &o, places)
        return self.answer("scan", code)

    cpdef sort(self, View a, bint descending, bint stable, View values, View index):
        cdef cygrad_view x, v, i
        cdef int code
        if self.table.sort == NULL:
            return NotImplemented
        look(a, &x)
        look(values, &v)
        look(index, &i)
        with nogil:
            code = self.table.sort(&x, descending, stable, &v, &i)
        return self.answer("sort", code)

    cpdef partial_sort(self, View a, bint descending, Py_ssize_t first, View values, View index):
        cdef cygrad_view x, v, i
        cdef int code
        if self.table.partial_sort == NULL:
            return NotImplemented
        look(a, &x)
        look(values, &v)
        look(index, &i)
        with nogil:
            code = self.table.partial_sort(&x, descending, first, &v, &i)
        return self.answer("partial_sort", code)

    cpdef nonzero(self, View a, object allocate):
        cdef cygrad_view x
        cdef Allocation place
        cdef list found = []
        cdef int code
        if self.table.nonzero == NULL:
            return NotImplemented
        look(a, &x)
        place.function, place.found = <void *>allocate, <void *>found
        with nogil:
            code = self.table.nonzero(&x, allocated, &place)
        if found and isinstance(found[0], Exception):
            raise found[0]
        return self.answer("nonzero", code)

    def gather_looking(self, View src, View index, int dim, View out):
        cdef cygrad_view s, i, o
        cdef int code
        if self.table.gather_looking == NULL:
            return NotImplemented
        look(src, &s)
        look(index, &i)
        look(out, &o)
        with nogil:
            code = self.table.gather_looking(&s, &i, dim, &o)
        return self.looked_answer("gather_looking", code)

    def scatter_looking(self, int mode, View out, int dim, View index, View src):
        cdef cygrad_view o, i, s
        cdef int code
        if self.table.scatter_looking == NULL:
            return NotImplemented
        look(out, &o)
        look(index, &i)
        look(src, &s)
        with nogil:
            code = self.table.scatter_looking(mode, &o, dim, &i, &s)
        return self.looked_answer("scatter_looking", code)

    cdef object looked_answer(self, str entry, int code):
        """True, False for a place outside, NotImplemented; raises for the others."""
        if code == CYGRAD_OUTSIDE:
            return False
        return NotImplemented if self.answer(entry, code) is NotImplemented else True

    cpdef addmm(self, View bias, View a, View b, double beta, double alpha, View out):
        cdef cygrad_view c, x, y, o
        cdef int code
        if self.table.addmm == NULL:
            return NotImplemented
        look(bias, &c)
        look(a, &x)
        look(b, &y)
        look(out, &o)
        with nogil:
            code = self.table.addmm(&c, &x, &y, beta, alpha, &o)
        return self.answer("addmm", code)

    cpdef softmax(self, View a, bint log, View out):
        cdef cygrad_view x, o
        cdef int code
        if self.table.softmax == NULL:
            return NotImplemented
        look(a, &x)
        look(out, &o)
        with nogil:
            code = self.table.softmax(&x, log, &o)
        return self.answer("softmax", code)

    cpdef softmax_backward(self, View grad, View result, bint log, View out):
        cdef cygrad_view g, r, o
        cdef int code
        if self.table.softmax_backward == NULL:
            return NotImplemented
        look(grad, &g)
        look(result, &r)
        look(out, &o)
        with nogil:
            code = self.table.softmax_backward(&g, &r, log, &o)
        return self.answer("softmax_backward", code)

    cpdef layer_norm(self, View a, View weight, View bias, double eps, View out, View mean, View rstd):
        cdef cygrad_view[6] made
        cdef const cygrad_view *w = looked(weight, &made[1])
        cdef const cygrad_view *c = looked(bias, &made[2])
        cdef int code
        if self.table.layer_norm == NULL:
            return NotImplemented
        look(a, &made[0])
        look(out, &made[3])
        look(mean, &made[4])
        look(rstd, &made[5])
        with nogil:
            code = self.table.layer_norm(&made[0], w, c, eps, &made[3], &made[4], &made[5])
        return self.answer("layer_norm", code)

    cpdef layer_norm_backward(self, View grad, View a, View mean, View rstd, View weight, View grad_a, View grad_weight,
                              View grad_bias):
        cdef cygrad_view[8] made
        cdef const cygrad_view *w = looked(weight, &made[4])
        cdef const cygrad_view *by_a = looked(grad_a, &made[5])
        cdef const cygrad_view *by_weight = looked(grad_weight, &made[6])
        cdef const cygrad_view *by_bias = looked(grad_bias, &made[7])
        cdef int code
        if self.table.layer_norm_backward == NULL:
            return NotImplemented
        look(grad, &made[0])
        look(a, &made[1])
        look(mean, &made[2])
        look(rstd, &made[3])
        with nogil:
            code = self.table.layer_norm_backward(&made[0], &made[1], &made[2], &made[3], w, by_a, by_weight, by_bias)
        return self.answer("layer_norm_backward", code)

    cpdef conv2d(self, View a, View weight, View bias, tuple stride, tuple padding, tuple dilation, int groups,
                 View out):
        cdef cygrad_view x, w, b, o
        cdef const cygrad_view *c = looked(bias, &b)
        cdef cygrad_window steps = window(stride, padding, dilation, groups)
        cdef int code
        if self.table.conv2d == NULL:
            return NotImplemented
        look(a, &x)
        look(weight, &w)
        look(out, &o)
        with nogil:
            code = self.table.conv2d(&x, &w, c, &steps, &o)
        return self.answer("conv2d", code)

    cpdef conv2d_backward(self, View grad, View a, View weight, tuple stride, tuple padding, tuple dilation, int groups,
                          View grad_a, View grad_weight, View grad_bias):
        cdef cygrad_view[6] made
        cdef const cygrad_view *by_a = looked(grad_a, &made[3])
        cdef const cygrad_view *by_weight = looked(grad_weight, &made[4])
        cdef const cygrad_view *by_bias = looked(grad_bias, &made[5])
        cdef cygrad_window steps = window(stride, padding, dilation, groups)
        cdef int code
        if self.table.conv2d_backward == NULL:
            return NotImplemented
        look(grad, &made[0])
        look(a, &made[1])
        look(weight, &made[2])
        with nogil:
            code = self.table.conv2d_backward(&made[0], &made[1], &made[2], &steps, by_a, by_weight, by_bias)
        return self.answer("conv2d_backward", code)

    cpdef attention(self, View query, View key, View value, View mask, bint causal, double scale, View out):
        cdef cygrad_view[5] made
        cdef const cygrad_view *m = looked(mask, &made[3])
        cdef int code
        if self.table.attention == NULL:
            return NotImplemented
        look(query, &made[0])
        look(key, &made[1])
        look(value, &made[2])
        look(out, &made[4])
        with nogil:
            code = self.table.attention(&made[0], &made[1], &made[2], m, causal, scale, &made[4])
        return self.answer("attention", code)

    cpdef random(self, int kind, View out, object seed, object offset, double a, double b):
        cdef cygrad_view o
        cdef uint64_t key = seed, first = offset
        cdef int code
        if self.table.random == NULL:
            return NotImplemented
        look(out, &o)
        with nogil:
            code = self.table.random(kind, &o, key, first, a, b)
        return self.answer("random", code)

    def fft(self, View a, View out, tuple axes, bint inverse, str norm):
        cdef cygrad_view x, o
        cdef int32_t[64] places
        cdef int i, count = len(axes), divided = ("none", "root", "count").index(norm)
        cdef int code
        if self.table.fft == NULL:
            return NotImplemented
        for i in range(count):
            places[i] = axes[i]
        look(a, &x)
        look(out, &o)
        with nogil:
            code = self.table.fft(&x, &o, count, places, inverse, divided)
        return self.answer("fft", code)

    cpdef elementwise(self, tuple program, tuple ins, tuple outs):
        cdef cygrad_view[MOST] made
        cdef cygrad_input[MOST] given
        cdef cygrad_in[MOST] results
        cdef const cygrad_step *steps
        cdef int i, code, inputs = len(ins), outputs = len(outs), count = len(program)
        if self.table.elementwise == NULL or inputs + outputs > MOST:
            return Backend.elementwise(self, program, ins, outs)
        known = self.programs.get(id(program))
        if known is None:
            known = self.programs[id(program)] = program, program_steps(program)
        steps = <const cygrad_step *>PyBytes_AS_STRING(known[1])
        for i in range(inputs):
            given[i].view = NULL
            if isinstance(ins[i], View):
                given[i].view = looked(<View>ins[i], &made[i])
            else:
                given[i].number = any_number(ins[i])
        for i in range(outputs):
            results[i] = looked(<View>outs[i], &made[inputs + i])
        with nogil:
            code = self.table.elementwise(count, steps, inputs, given, outputs, results)
        if code == CYGRAD_DECLINED:
            return Backend.elementwise(self, program, ins, outs)
        return self.answer("elementwise", code)

    def pool(self, int op, View a, tuple boxes, View out, View index):
        cdef cygrad_view[3] made
        cdef cygrad_box[3] box
        cdef const cygrad_view *places = looked(index, &made[2])
        cdef int i, code
        if self.table.pool == NULL:
            return NotImplemented
        for i, (first, last, step, margin) in enumerate(boxes):
            box[i].p, box[i].q, box[i].r = first
            box[i].last_p, box[i].last_q, box[i].last_r = last
            box[i].step, box[i].margin = step, margin
        look(a, &made[0])
        look(out, &made[1])
        with nogil:
            code = self.table.pool(op, &made[0], box, &made[1], places)
        return self.answer("pool", code)

    def recurrent(self, int cell, tuple steps, View gates, View weight, View bias, View h, View c, View values,
                  View kept, View out, View last_h, View last_c):
        cdef cygrad_view[10] made
        cdef cygrad_in[10] v
        cdef bytes told = recurrent_steps(steps)
        cdef const cygrad_recurrent_step *first = <const cygrad_recurrent_step *>PyBytes_AS_STRING(told)
        cdef int i, code, count = len(steps)
        if self.table.recurrent == NULL:
            return NotImplemented
        for i, view in enumerate((gates, weight, bias, h, c, values, kept, out, last_h, last_c)):
            v[i] = looked(<View>view, &made[i])
        with nogil:
            code = self.table.recurrent(cell, count, first, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9])
        return self.answer("recurrent", code)

    def recurrent_backward(self, int cell, tuple steps, View grad_out, View grad_h, View grad_c, View values, View kept,
                           View before, View weight, View slopes, View hidden, View slope_h, View slope_c):
        cdef cygrad_view[11] made
        cdef cygrad_in[11] v
        cdef bytes told = recurrent_steps(steps)
        cdef const cygrad_recurrent_step *first = <const cygrad_recurrent_step *>PyBytes_AS_STRING(told)
        cdef int i, code, count = len(steps)
        if self.table.recurrent_backward == NULL:
            return NotImplemented
        for i, view in enumerate((grad_out, grad_h, grad_c, values, kept, before, weight, slopes, hidden, slope_h,
                                  slope_c)):
            v[i] = looked(<View>view, &made[i])
        with nogil:
            code = self.table.recurrent_backward(cell, count, first, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7],
                                                 v[8], v[9], v[10])
        return self.answer("recurrent_backward", code)

    cpdef d2d(self, Storage source, Storage target):
        cdef void *p = source.pointer if source.handle is None else <void *><size_t>source.handle
        cdef void *q = target.pointer if target.handle is None else <void *><size_t>target.handle
        if self.table.d2d == NULL:
            return NotImplemented
        return self.answer("d2d", self.table.d2d(source.index, p, target.index, q, min(source.nbytes_, target.nbytes_)))

    cpdef memory_info(self, int index):
        cdef size_t available = 0, total = 0
        if self.table.memory_info == NULL or self.answer(
                "memory_info", self.table.memory_info(index, &available, &total)) is NotImplemented:
            return None
        return available, total
