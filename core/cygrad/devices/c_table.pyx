# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# distutils: extra_compile_args = -Os
"""`TableBackend`: a backend whose functions are those of a table in C (`cygrad_backend.h`, beside this file).

What an entry takes is written once, in the header. A bridge here is a call of `run`, a macro, so that C's compiler
converts and checks its arguments; `see` makes a `cygrad_view` of each View on the stack. Nothing of Python is in
between. The class is final, so no call asks whether Python overrides it.
"""
cimport cython
from cpython.bytes cimport PyBytes_AS_STRING
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, intptr_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from cygrad.backend cimport Backend
from cygrad.dtype cimport BOOL, CATEGORY_COMPLEX, CATEGORY_FLOAT, DType
from cygrad.storage cimport Storage
from cygrad.view cimport View, make_view

import ctypes
import os

from cygrad import errors
from cygrad.dtype import all_dtypes
from cygrad.tensor import as_tensor_view

ctypedef void *entry

cdef extern from "cygrad/devices/cygrad_backend.h" nogil:
    enum:
        CYGRAD_INTERFACE_VERSION
        CYGRAD_DONE
        CYGRAD_DECLINED
        CYGRAD_ZERO_DIVISION
        CYGRAD_NO_MEMORY
        CYGRAD_OUTSIDE, CYGRAD_FAILED
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
    ctypedef struct cygrad_program:
        int32_t count
        const cygrad_step *steps
    ctypedef struct cygrad_input:
        cygrad_in view
        cygrad_number number
    ctypedef struct cygrad_option:
        const char *name
        const char *word
        double number
    ctypedef struct cygrad_table:
        uint32_t size
        uint32_t interface_version
        int32_t host_memory, dlpack_kind
        const char *(*error)() noexcept nogil
        int (*device_count)() noexcept nogil
        void *(*alloc)(int, size_t) noexcept nogil
        void (*free)(int, void *, size_t) noexcept nogil
        int (*supports)(int) noexcept nogil
        void *(*dlpack_address)(int, void *) noexcept nogil
        void *(*dlpack_buffer)(int, void *, size_t) noexcept nogil
        void (*dlpack_free)(int, void *) noexcept nogil
        # What `run` calls; the header says what they take.
        entry open, h2d, d2h, d2d, synchronize, memory_info, fill, copy, unary, binary, binary_scalar, where, reduce
        entry argreduce, matmul, gather, scatter, arange, scan, sort, partial_sort, nonzero, gather_looking
        entry scatter_looking, addmm, softmax, softmax_backward, layer_norm, layer_norm_backward, conv2d
        entry conv2d_backward, attention, random, fft, elementwise, pool, recurrent, recurrent_backward, group_norm
        entry group_norm_backward, resample, grid_sample, grid_sample_backward, map_reduce, linalg, pool_backward
        entry nll_loss, nll_loss_backward, ctc_loss, ctc_loss_backward, gather_sum
    size_t whole_table "sizeof(cygrad_table)"
    size_t first_table "offsetof(cygrad_table, arange)"     # what a table has at least

cdef extern from *:
    """
    typedef struct { PyThreadState *state; cygrad_view views[16]; } cygrad_operands;

    static inline int cygrad_back(PyThreadState *state, int code) { PyEval_RestoreThread(state); return code; }

    /* What an entry returns; a NULL one declines. With many elements others may run meanwhile, which costs 50 ns. */
    #define CYGRAD_RUN(v, elements, entry, ...) \\
        ((entry) == NULL ? CYGRAD_DECLINED : (elements) < 32768 ? (entry)(__VA_ARGS__) : \\
         ((v).state = PyEval_SaveThread(), cygrad_back((v).state, (entry)(__VA_ARGS__))))
    """
    ctypedef struct cygrad_operands:
        cygrad_view[16] views
    int run "CYGRAD_RUN"(cygrad_operands, Py_ssize_t, ...) nogil

STEPS = ("in", "number", "unary", "binary", "where", "keep", "kept", "out")      # CYGRAD_STEP_IN and on
DIVISORS = ("none", "root", "count")                                             # CYGRAD_FFT_NONE and on
cdef enum:
    MOST = 16                   # inputs and outputs of a call, together
    LONG = 1 << 30              # elements of what always lets others run


def headers():
    """The folder of `cygrad_backend.h`, for a compiler's ``-I``."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "devices")     # beside the library it is in


# ------------------------------------------------------------ arguments as C sees them

cdef inline void *buffer_of(Storage storage) noexcept nogil:
    """What the table's `alloc` returned; of memory that no host can read it is where an allocator notes things."""
    return storage.pointer if storage.pointer != NULL else <void *>storage.capacity


cdef inline void look(View v, cygrad_view *made) noexcept nogil:
    """A View as C sees it; valid as long as the View."""
    made.buffer = buffer_of(v.memory)
    made.offset = v.offset
    made.elements = v.elements
    made.shape = <const intptr_t *>v.sizes
    made.stride = <const intptr_t *>v.strides
    made.rank = v.rank
    made.dtype = v.dtype.code
    made.itemsize = v.dtype.itemsize
    made.contiguous = v.dense


cdef inline const cygrad_view *see(View v, cygrad_operands *all, int place) noexcept nogil:
    """`look`, and where it is among the call's operands; NULL of None."""
    if v is None:
        return NULL
    look(v, &all.views[place])
    return &all.views[place]


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


cdef bint to_number(View like, object x, cygrad_number *made) except -1:
    """A Python number as C sees it, with operands like this one; whether C's numbers are large enough for it."""
    cdef double complex z
    made.real = made.imaginary = made.integer = 0
    try:
        if like.dtype.category == CATEGORY_COMPLEX:
            z = x
            made.real, made.imaginary = z.real, z.imag
        elif like.dtype.category == CATEGORY_FLOAT:
            made.real = x
        else:
            made.integer = bool(x) if like.dtype.code == BOOL else int(x)
            made.real = <double>made.integer
    except OverflowError:
        return False
    return True


cdef bint any_number(object x, cygrad_number *made) except -1:
    """A Python number as C sees it, whatever it is used with; whether C's numbers are large enough for it."""
    cdef double complex z
    try:
        z = x
        made.real, made.imaginary, made.integer = z.real, z.imag, x if isinstance(x, int) else 0
    except OverflowError:
        return False
    return True


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


cdef bint inputs_of(tuple ins, cygrad_input *given, cygrad_operands *all) except -1:
    """The inputs of a program, whose views come first among the operands; whether C can take them all."""
    cdef int i
    for i in range(len(ins)):
        given[i].view = NULL
        if isinstance(ins[i], View):
            given[i].view = see(<View>ins[i], all, i)
        elif not any_number(ins[i], &given[i].number):
            return False
    return True


cdef void views_of(tuple views, cygrad_in *found, cygrad_operands *all, int first) noexcept:
    """Views, the first of which is this one among the operands."""
    cdef int i
    for i in range(len(views)):
        found[i] = see(<View>views[i], all, first + i)


cdef class Foreign:
    """Keeps memory of another library, and the table's buffer over it."""
    cdef TableBackend backend
    cdef object owner
    cdef void *buffer
    cdef int index

    def __dealloc__(self):
        if self.buffer != NULL and self.backend.table.dlpack_free != NULL:
            self.backend.table.dlpack_free(self.index, self.buffer)


@cython.final
cdef class TableBackend(Backend):
    """A backend over the table of functions that a shared library exports.

    Parameters
    ----------
    library : str or path
        The library; its function ``cygrad_backend`` gives the table.
    """

    interface_version = CYGRAD_INTERFACE_VERSION
    found_in_base = True
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

    cdef inline object answer(self, str entry, int code):
        """None or NotImplemented for a kernel's code; raises for the others."""
        return None if code == CYGRAD_DONE else self.other_answer(entry, code)

    cdef object other_answer(self, str entry, int code):
        if code == CYGRAD_DECLINED:
            return NotImplemented
        if code == CYGRAD_ZERO_DIVISION:
            raise RuntimeError("ZeroDivisionError")
        if code != CYGRAD_NO_MEMORY and code != CYGRAD_FAILED:
            raise RuntimeError(f"backend {self.name!r}: {entry} returned {code}, which is none of what "
                               "cygrad_backend.h says that an entry returns")
        words = "no reason given" if self.table.error == NULL or self.table.error() == NULL else (
            self.table.error().decode("utf-8", "replace") or "no reason given")
        if code == CYGRAD_NO_MEMORY:
            raise MemoryError(f"{self.name}: {words}")
        raise RuntimeError(f"backend {self.name!r}: {entry} failed: {words}")

    # ---- devices and memory

    cpdef device_count(self):
        return self.table.device_count()

    cpdef open(self, int index):
        cdef cygrad_operands v
        if self.table.open != NULL and self.answer("open", run(v, LONG, self.table.open, index)) is NotImplemented:
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
        self.hand_over(storage, buffer)
        return 0

    cdef int hand_over(self, Storage storage, void *buffer) except -1:
        """Let a storage have a buffer of the table's."""
        if self.host_memory:
            storage.pointer = buffer
        else:
            storage.handle, storage.capacity = <size_t>buffer, <Py_ssize_t>buffer
        return 0

    def fail_allocation(self, int index, Py_ssize_t number):
        """Let the number-th allocation fail (0: none), for tests; gives how far off the last one was."""
        left, self.failing = self.failing, number
        return left

    cdef void release(self, Storage storage) noexcept:
        self.table.free(storage.index, buffer_of(storage), storage.nbytes_)

    cpdef address(self, object buffer):
        return buffer

    cpdef h2d(self, object host, Storage storage, Py_ssize_t start):
        cdef cygrad_operands v
        cdef const unsigned char[::1] source = host
        cdef size_t count = source.shape[0]
        if count:
            self.answer("h2d", run(v, <Py_ssize_t>count, self.table.h2d, storage.index, buffer_of(storage), start,
                                   &source[0], count))

    cpdef d2h(self, Storage storage, Py_ssize_t start, object host):
        cdef cygrad_operands v
        cdef unsigned char[::1] target = host
        cdef size_t count = target.shape[0]
        if count:
            self.answer("d2h", run(v, LONG, self.table.d2h, storage.index, buffer_of(storage), start, &target[0],
                                   count))

    cpdef d2d(self, Storage source, Storage target):
        cdef cygrad_operands v
        return self.answer("d2d", run(v, LONG, self.table.d2d, source.index, buffer_of(source), target.index,
                                      buffer_of(target), min(source.nbytes_, target.nbytes_)))

    cpdef synchronize(self, int index):
        cdef cygrad_operands v
        self.answer("synchronize", run(v, LONG, self.table.synchronize, index))

    cpdef supports(self, object dtype):
        return self.table.supports == NULL or self.table.supports(all_dtypes().index(dtype)) != 0

    cpdef memory_info(self, int index):
        cdef cygrad_operands v
        cdef size_t available = 0, total = 0
        if self.answer("memory_info", run(v, 0, self.table.memory_info, index, &available, &total)) is NotImplemented:
            return None
        return available, total

    @property
    def dlpack_kind(self):
        """What DLPack calls such devices, or None."""
        return self.table.dlpack_kind or None

    def dlpack_address(self, View t):
        """What DLPack tells others of a tensor's memory."""
        cdef void *buffer = buffer_of(t.memory)
        return <size_t>(buffer if self.table.dlpack_address == NULL
                        else self.table.dlpack_address(t.memory.index, buffer))

    def from_dlpack(self, int index, size_t address, size_t start, owner, DType dtype, shape, strides):
        """A tensor over memory of another library."""
        cdef Storage storage = Storage.__new__(Storage)
        cdef Foreign keeper = Foreign.__new__(Foreign)
        cdef void *buffer = <void *>address
        cdef Py_ssize_t[64] sizes
        cdef Py_ssize_t[64] steps
        cdef Py_ssize_t last = 0
        cdef int i, rank = len(shape)
        for i in range(rank):
            sizes[i], steps[i] = shape[i], strides[i]
            last += (sizes[i] - 1) * steps[i]
        if 0 in shape:
            last = -1
        elif start % dtype.itemsize:
            raise BufferError("from_dlpack: the array does not start at a whole element")
        storage.index, storage.nbytes_ = index, start + (last + 1) * dtype.itemsize
        if self.table.dlpack_buffer != NULL:
            buffer = self.table.dlpack_buffer(index, buffer, storage.nbytes_)
            if buffer == NULL:
                raise BufferError(f"from_dlpack: backend {self.name!r} can't use this memory; copy the array to the "
                                  "host first")
            keeper.buffer = buffer
        keeper.backend, keeper.owner, keeper.index = self, owner, index
        storage.owner = keeper
        self.hand_over(storage, buffer)
        storage.backend = self
        return as_tensor_view(make_view(storage, dtype, start // dtype.itemsize, rank, sizes, steps))

    # ---- kernels

    cpdef fill(self, View out, object value):
        cdef cygrad_operands v
        cdef cygrad_number x
        if not to_number(out, value, &x):
            return NotImplemented
        return self.answer("fill", run(v, out.elements, self.table.fill, see(out, &v, 0), x))

    cpdef copy(self, View src, View out):
        cdef cygrad_operands v
        return self.answer("copy", run(v, out.elements, self.table.copy, see(src, &v, 0), see(out, &v, 1)))

    cpdef unary(self, int op, View a, View out):
        cdef cygrad_operands v
        return self.answer("unary", run(v, out.elements, self.table.unary, op, see(a, &v, 0), see(out, &v, 1)))

    cpdef binary(self, int op, View a, View b, View out):
        cdef cygrad_operands v
        return self.answer("binary", run(v, out.elements, self.table.binary, op, see(a, &v, 0), see(b, &v, 1),
                                         see(out, &v, 2)))

    cpdef binary_scalar(self, int op, View a, object x, bint swapped, View out):
        cdef cygrad_operands v
        cdef cygrad_number y
        if self.table.binary_scalar == NULL:
            return Backend.binary_scalar(self, op, a, x, swapped, out)
        if not to_number(a, x, &y):
            return NotImplemented
        return self.answer("binary_scalar", run(v, out.elements, self.table.binary_scalar, op, see(a, &v, 0), y,
                                                swapped, see(out, &v, 1)))

    cpdef where(self, View cond, View a, View b, View out):
        cdef cygrad_operands v
        return self.answer("where", run(v, out.elements, self.table.where, see(cond, &v, 0), see(a, &v, 1),
                                        see(b, &v, 2), see(out, &v, 3)))

    cpdef reduce(self, int op, View a, View out):
        cdef cygrad_operands v
        return self.answer("reduce", run(v, a.elements, self.table.reduce, op, see(a, &v, 0), see(out, &v, 1)))

    cpdef argreduce(self, int op, View a, View out):
        cdef cygrad_operands v
        return self.answer("argreduce", run(v, a.elements, self.table.argreduce, op, see(a, &v, 0), see(out, &v, 1)))

    cpdef matmul(self, View a, View b, View out):
        cdef cygrad_operands v
        return self.answer("matmul", run(v, out.elements * a.sizes[2], self.table.matmul, see(a, &v, 0), see(b, &v, 1),
                                         see(out, &v, 2)))

    cpdef gather(self, View src, View index, int dim, View out):
        cdef cygrad_operands v
        return self.answer("gather", run(v, out.elements, self.table.gather, see(src, &v, 0), see(index, &v, 1), dim,
                                         see(out, &v, 2)))

    cpdef scatter(self, int mode, View out, int dim, View index, View src):
        cdef cygrad_operands v
        return self.answer("scatter", run(v, index.elements, self.table.scatter, mode, see(out, &v, 0), dim,
                                          see(index, &v, 1), see(src, &v, 2)))

    # ---- optional kernels

    def gather_looking(self, View src, View index, int dim, View out):
        cdef cygrad_operands v
        return self.looked("gather_looking", run(v, out.elements, self.table.gather_looking, see(src, &v, 0),
                                                 see(index, &v, 1), dim, see(out, &v, 2)))

    def scatter_looking(self, int mode, View out, int dim, View index, View src):
        cdef cygrad_operands v
        return self.looked("scatter_looking", run(v, index.elements, self.table.scatter_looking, mode, see(out, &v, 0),
                                                  dim, see(index, &v, 1), see(src, &v, 2)))

    cdef object looked(self, str entry, int code):
        """True, False for a place outside, NotImplemented; raises for the others."""
        if code == CYGRAD_OUTSIDE:
            return False
        return NotImplemented if self.answer(entry, code) is NotImplemented else True

    cpdef arange(self, View out, object start, object step):
        cdef cygrad_operands v
        cdef cygrad_number first, distance
        if not to_number(out, start, &first) or not to_number(out, step, &distance):
            return NotImplemented
        return self.answer("arange", run(v, out.elements, self.table.arange, see(out, &v, 0), first, distance))

    cpdef scan(self, int op, View a, View out, View index):
        cdef cygrad_operands v
        return self.answer("scan", run(v, a.elements, self.table.scan, op, see(a, &v, 0), see(out, &v, 1),
                                       see(index, &v, 2)))

    cpdef sort(self, View a, bint descending, bint stable, View values, View index):
        cdef cygrad_operands v
        return self.answer("sort", run(v, a.elements, self.table.sort, see(a, &v, 0), descending, stable,
                                       see(values, &v, 1), see(index, &v, 2)))

    cpdef partial_sort(self, View a, bint descending, Py_ssize_t first, View values, View index):
        cdef cygrad_operands v
        return self.answer("partial_sort", run(v, a.elements, self.table.partial_sort, see(a, &v, 0), descending, first,
                                               see(values, &v, 1), see(index, &v, 2)))

    cpdef nonzero(self, View a, object allocate):
        cdef cygrad_operands v
        cdef Allocation place
        cdef list found = []
        place.function, place.found = <void *>allocate, <void *>found
        code = run(v, a.elements, self.table.nonzero, see(a, &v, 0), allocated, &place)
        if found and isinstance(found[0], Exception):
            raise found[0]
        return self.answer("nonzero", code)

    cpdef addmm(self, View bias, View a, View b, double beta, double alpha, View out):
        cdef cygrad_operands v
        return self.answer("addmm", run(v, out.elements * a.sizes[1], self.table.addmm, see(bias, &v, 0), see(a, &v, 1),
                                        see(b, &v, 2), beta, alpha, see(out, &v, 3)))

    cpdef softmax(self, View a, bint log, View out):
        cdef cygrad_operands v
        return self.answer("softmax", run(v, a.elements, self.table.softmax, see(a, &v, 0), log, see(out, &v, 1)))

    cpdef softmax_backward(self, View grad, View result, bint log, View out):
        cdef cygrad_operands v
        return self.answer("softmax_backward", run(v, out.elements, self.table.softmax_backward, see(grad, &v, 0),
                                                   see(result, &v, 1), log, see(out, &v, 2)))

    cpdef layer_norm(self, View a, View weight, View bias, double eps, View out, View mean, View rstd):
        cdef cygrad_operands v
        return self.answer("layer_norm", run(v, a.elements, self.table.layer_norm, see(a, &v, 0), see(weight, &v, 1),
                                             see(bias, &v, 2), eps, see(out, &v, 3), see(mean, &v, 4),
                                             see(rstd, &v, 5)))

    cpdef layer_norm_backward(self, View grad, View a, View mean, View rstd, View weight, View grad_a, View grad_weight,
                              View grad_bias):
        cdef cygrad_operands v
        return self.answer("layer_norm_backward", run(
            v, a.elements, self.table.layer_norm_backward, see(grad, &v, 0), see(a, &v, 1), see(mean, &v, 2),
            see(rstd, &v, 3), see(weight, &v, 4), see(grad_a, &v, 5), see(grad_weight, &v, 6), see(grad_bias, &v, 7)))

    def group_norm(self, View a, View weight, View bias, double eps, View out, View mean, View rstd):
        cdef cygrad_operands v
        return self.answer("group_norm", run(v, a.elements, self.table.group_norm, see(a, &v, 0), see(weight, &v, 1),
                                             see(bias, &v, 2), eps, see(out, &v, 3), see(mean, &v, 4),
                                             see(rstd, &v, 5)))

    def group_norm_backward(self, View grad, View a, View mean, View rstd, View weight, View grad_a, View grad_weight,
                            View grad_bias):
        cdef cygrad_operands v
        return self.answer("group_norm_backward", run(
            v, a.elements, self.table.group_norm_backward, see(grad, &v, 0), see(a, &v, 1), see(mean, &v, 2),
            see(rstd, &v, 3), see(weight, &v, 4), see(grad_a, &v, 5), see(grad_weight, &v, 6), see(grad_bias, &v, 7)))

    cpdef conv2d(self, View a, View weight, View bias, tuple stride, tuple padding, tuple dilation, int groups,
                 View out):
        cdef cygrad_operands v
        cdef cygrad_window steps = window(stride, padding, dilation, groups)
        return self.answer("conv2d", run(v, LONG, self.table.conv2d, see(a, &v, 0), see(weight, &v, 1),
                                         see(bias, &v, 2), &steps, see(out, &v, 3)))

    cpdef conv2d_backward(self, View grad, View a, View weight, tuple stride, tuple padding, tuple dilation, int groups,
                          View grad_a, View grad_weight, View grad_bias):
        cdef cygrad_operands v
        cdef cygrad_window steps = window(stride, padding, dilation, groups)
        return self.answer("conv2d_backward", run(
            v, LONG, self.table.conv2d_backward, see(grad, &v, 0), see(a, &v, 1), see(weight, &v, 2), &steps,
            see(grad_a, &v, 3), see(grad_weight, &v, 4), see(grad_bias, &v, 5)))

    def pool(self, int op, View a, tuple boxes, View out, View index):
        cdef cygrad_operands v
        cdef cygrad_box[3] box
        cdef int i
        for i, (first, last, step, margin) in enumerate(boxes):
            box[i].p, box[i].q, box[i].r = first
            box[i].last_p, box[i].last_q, box[i].last_r = last
            box[i].step, box[i].margin = step, margin
        return self.answer("pool", run(v, a.elements, self.table.pool, op, see(a, &v, 0), box, see(out, &v, 1),
                                       see(index, &v, 2)))

    def pool_backward(self, View grad, View index, View out):
        cdef cygrad_operands v
        return self.answer("pool_backward", run(v, out.elements, self.table.pool_backward, see(grad, &v, 0),
                                                see(index, &v, 1), see(out, &v, 2)))

    def nll_loss(self, View a, View target, View weight, long long ignore, bint mean, View out, View outside):
        cdef cygrad_operands v
        return self.answer("nll_loss", run(v, target.elements, self.table.nll_loss, see(a, &v, 0), see(target, &v, 1),
                                           see(weight, &v, 2), ignore, mean, see(out, &v, 3), see(outside, &v, 4)))

    def nll_loss_backward(self, View grad, View target, View weight, long long ignore, bint mean, View grad_a):
        cdef cygrad_operands v
        return self.answer("nll_loss_backward", run(
            v, grad_a.elements, self.table.nll_loss_backward, see(grad, &v, 0), see(target, &v, 1), see(weight, &v, 2),
            ignore, mean, see(grad_a, &v, 3)))

    def ctc_loss(self, View a, View labels, View starts, View counts, View steps, int blank, View out, View sums,
                 View outside):
        cdef cygrad_operands v
        return self.answer("ctc_loss", run(
            v, sums.elements, self.table.ctc_loss, see(a, &v, 0), see(labels, &v, 1), see(starts, &v, 2),
            see(counts, &v, 3), see(steps, &v, 4), blank, see(out, &v, 5), see(sums, &v, 6), see(outside, &v, 7)))

    def ctc_loss_backward(self, View grad, View a, View labels, View starts, View counts, View steps, int blank,
                          View losses, View sums, bint zero_infinity, View grad_a):
        cdef cygrad_operands v
        return self.answer("ctc_loss_backward", run(
            v, sums.elements, self.table.ctc_loss_backward, see(grad, &v, 0), see(a, &v, 1), see(labels, &v, 2),
            see(starts, &v, 3), see(counts, &v, 4), see(steps, &v, 5), blank, see(losses, &v, 6), see(sums, &v, 7),
            zero_infinity, see(grad_a, &v, 8)))

    def gather_sum(self, View a, View index, View starts, View weights, View out):
        cdef cygrad_operands v
        return self.answer("gather_sum", run(
            v, index.elements * out.sizes[1], self.table.gather_sum, see(a, &v, 0), see(index, &v, 1),
            see(starts, &v, 2), see(weights, &v, 3), see(out, &v, 4)))

    def resample(self, View a, View places, View weights, View out):
        cdef cygrad_operands v
        return self.answer("resample", run(v, out.elements, self.table.resample, see(a, &v, 0), see(places, &v, 1),
                                           see(weights, &v, 2), see(out, &v, 3)))

    def grid_sample(self, int mode, int padding, bint align, View a, View grid, View out):
        cdef cygrad_operands v
        return self.answer("grid_sample", run(v, out.elements, self.table.grid_sample, mode, padding, align,
                                              see(a, &v, 0), see(grid, &v, 1), see(out, &v, 2)))

    def grid_sample_backward(self, int mode, int padding, bint align, View grad, View a, View grid, View grad_a,
                             View grad_grid):
        cdef cygrad_operands v
        return self.answer("grid_sample_backward", run(
            v, grad.elements, self.table.grid_sample_backward, mode, padding, align, see(grad, &v, 0), see(a, &v, 1),
            see(grid, &v, 2), see(grad_a, &v, 3), see(grad_grid, &v, 4)))

    cpdef attention(self, View query, View key, View value, View mask, bint causal, double scale, View out):
        cdef cygrad_operands v
        return self.answer("attention", run(v, LONG, self.table.attention, see(query, &v, 0), see(key, &v, 1),
                                            see(value, &v, 2), see(mask, &v, 3), causal, scale, see(out, &v, 4)))

    def recurrent(self, int cell, tuple steps, View gates, View weight, View bias, View h, View c, View values,
                  View kept, View out, View last_h, View last_c):
        cdef cygrad_operands v
        cdef bytes told = recurrent_steps(steps)
        return self.answer("recurrent", run(
            v, LONG, self.table.recurrent, cell, <int>len(steps),
            <const cygrad_recurrent_step *>PyBytes_AS_STRING(told), see(gates, &v, 0), see(weight, &v, 1),
            see(bias, &v, 2), see(h, &v, 3), see(c, &v, 4), see(values, &v, 5), see(kept, &v, 6), see(out, &v, 7),
            see(last_h, &v, 8), see(last_c, &v, 9)))

    def recurrent_backward(self, int cell, tuple steps, View grad_out, View grad_h, View grad_c, View values, View kept,
                           View before, View weight, View slopes, View hidden, View slope_h, View slope_c):
        cdef cygrad_operands v
        cdef bytes told = recurrent_steps(steps)
        return self.answer("recurrent_backward", run(
            v, LONG, self.table.recurrent_backward, cell, <int>len(steps),
            <const cygrad_recurrent_step *>PyBytes_AS_STRING(told), see(grad_out, &v, 0), see(grad_h, &v, 1),
            see(grad_c, &v, 2), see(values, &v, 3), see(kept, &v, 4), see(before, &v, 5), see(weight, &v, 6),
            see(slopes, &v, 7), see(hidden, &v, 8), see(slope_h, &v, 9), see(slope_c, &v, 10)))

    cpdef random(self, int kind, View out, object seed, object offset, double a, double b):
        cdef cygrad_operands v
        cdef uint64_t key = seed, first = offset
        return self.answer("random", run(v, out.elements, self.table.random, kind, see(out, &v, 0), key, first, a, b))

    def fft(self, View a, View out, tuple axes, bint inverse, str norm):
        cdef cygrad_operands v
        cdef int32_t[64] places
        cdef int i, count = len(axes), divisor = DIVISORS.index(norm)
        for i in range(count):
            places[i] = axes[i]
        return self.answer("fft", run(v, a.elements, self.table.fft, see(a, &v, 0), see(out, &v, 1), count, places,
                                      inverse, divisor))

    cdef cygrad_program told(self, tuple program):
        """A program as C sees it, kept under its address; without steps where C has no number that large."""
        cdef cygrad_program made
        known = self.programs.get(id(program))
        if known is None:
            try:
                known = program, program_steps(program)
            except OverflowError:
                known = program, None
            self.programs[id(program)] = known
        made.count, made.steps = <int32_t>len(program), NULL
        if known[1] is not None:
            made.steps = <const cygrad_step *>PyBytes_AS_STRING(<bytes>known[1])
        return made

    cpdef elementwise(self, tuple program, tuple ins, tuple outs):
        cdef cygrad_operands v
        cdef cygrad_input[MOST] given
        cdef cygrad_in[MOST] results
        cdef cygrad_program made
        cdef int code = CYGRAD_DECLINED, inputs = len(ins), outputs = len(outs)
        if self.table.elementwise != NULL and inputs + outputs <= MOST:
            made = self.told(program)
            if made.steps != NULL and inputs_of(ins, given, &v):
                views_of(outs, results, &v, inputs)
                code = run(v, (<View>outs[0]).elements, self.table.elementwise, made.count, made.steps, inputs, given,
                           outputs, results)
        if code == CYGRAD_DECLINED:
            return Backend.elementwise(self, program, ins, outs)
        return self.answer("elementwise", code)

    cpdef map_reduce(self, tuple program, tuple ins, tuple ops, tuple finish, tuple numbers, tuple outs):
        cdef cygrad_operands v
        cdef cygrad_input[MOST] given
        cdef cygrad_in[MOST] results
        cdef cygrad_number[MOST] constants
        cdef int32_t[MOST] codes
        cdef cygrad_program first, last
        cdef const cygrad_program *then = NULL
        cdef int i, inputs = len(ins), outputs = len(outs), count = len(ops), more = len(numbers)
        if self.table.map_reduce == NULL or inputs + outputs > MOST or count > MOST or more > MOST:
            return NotImplemented
        first = self.told(program)
        if finish is not None:
            last = self.told(finish)
            then = &last
        if first.steps == NULL or then != NULL and last.steps == NULL or not inputs_of(ins, given, &v):
            return NotImplemented
        for i in range(count):
            codes[i] = ops[i]
        for i in range(more):
            if not any_number(numbers[i], &constants[i]):
                return NotImplemented
        views_of(outs, results, &v, inputs)
        return self.answer("map_reduce", run(v, LONG, self.table.map_reduce, &first, inputs, given, count, codes, then,
                                             more, constants, outputs, results))

    cpdef linalg(self, str routine, tuple ins, tuple outs, dict options):
        cdef cygrad_operands v
        cdef cygrad_in[MOST] given
        cdef cygrad_in[MOST] results
        cdef cygrad_option[MOST] chosen
        cdef bytes name = routine.encode()
        cdef list words = []                    # keeps them alive
        cdef int i = 0, inputs = len(ins), outputs = len(outs)
        if self.table.linalg == NULL:
            return NotImplemented
        for key, value in options.items():
            if value is None:
                continue
            words.append((key.encode(), value.encode() if isinstance(value, str) else None))
            chosen[i].name = PyBytes_AS_STRING(<bytes>words[i][0])
            chosen[i].word, chosen[i].number = NULL, 0
            if isinstance(value, str):
                chosen[i].word = PyBytes_AS_STRING(<bytes>words[i][1])
            else:
                chosen[i].number = value
            i += 1
        views_of(ins, given, &v, 0)
        views_of(outs, results, &v, inputs)
        return self.answer("linalg", run(v, LONG, self.table.linalg, <const char *>PyBytes_AS_STRING(name), inputs,
                                         given, outputs, results, i, chosen))
