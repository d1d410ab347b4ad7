# cython: boundscheck=False, wraparound=False, cdivision=True
"""A backend in Cython: memory from malloc, and one loop over the elements of an op, dense or strided.

The entries are C methods here: an op calls a kernel without a Python call, a tuple or a number object in between.
"""
from libc.math cimport exp, expf, log, logf, sqrt, sqrtf, tanh, tanhf
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memmove

from cygrad.backend cimport ADD, DIV, EXP, LOG, MUL, NEG, RELU, SQRT, SUB, TANH, Backend
from cygrad.dtype cimport FLOAT32, FLOAT64
from cygrad.storage cimport Storage
from cygrad.view cimport View, data

ctypedef fused Real:
    float
    double


cdef struct Cursor:                      # walks up to three operands of one shape in row-major order
    int rank
    Py_ssize_t place[8]
    Py_ssize_t at[3]                     # element offsets of the operands


cdef void start(Cursor *cursor, int rank) noexcept nogil:
    cdef int i
    cursor.rank = rank
    for i in range(8):
        cursor.place[i] = 0
    for i in range(3):
        cursor.at[i] = 0


cdef void advance(Cursor *cursor, const Py_ssize_t *sizes, Py_ssize_t **strides, int operands) noexcept nogil:
    cdef int axis = cursor.rank - 1, k
    while axis >= 0:
        cursor.place[axis] += 1
        for k in range(operands):
            cursor.at[k] += strides[k][axis]
        if cursor.place[axis] < sizes[axis]:
            return
        for k in range(operands):
            cursor.at[k] -= strides[k][axis] * sizes[axis]
        cursor.place[axis] = 0
        axis -= 1


# ---- formulas

cdef inline Real unary_(int op, Real x) noexcept nogil:
    if op == NEG:
        return -x
    if op == RELU:
        return <Real>0 if x < 0 else x
    if Real is float:
        return expf(x) if op == EXP else logf(x) if op == LOG else sqrtf(x) if op == SQRT else tanhf(x)
    else:
        return exp(x) if op == EXP else log(x) if op == LOG else sqrt(x) if op == SQRT else tanh(x)


cdef inline Real binary_(int op, Real x, Real y) noexcept nogil:
    return x + y if op == ADD else x - y if op == SUB else x * y if op == MUL else x / y


# ---- loops

cdef void unary_loop(int op, View a, View out, Real *p, Real *q) noexcept nogil:
    cdef Cursor cursor
    cdef Py_ssize_t *strides[3]
    cdef Py_ssize_t i
    if a.dense and out.dense:
        for i in range(out.elements):
            q[i] = unary_(op, p[i])
        return
    strides[0], strides[1] = a.strides, out.strides
    start(&cursor, out.rank)
    for i in range(out.elements):
        q[cursor.at[1]] = unary_(op, p[cursor.at[0]])
        advance(&cursor, out.sizes, strides, 2)


cdef void binary_loop(int op, View a, View b, View out, Real *p, Real *q, Real *r) noexcept nogil:
    cdef Cursor cursor
    cdef Py_ssize_t *strides[3]
    cdef Py_ssize_t i
    if a.dense and b.dense and out.dense:
        for i in range(out.elements):
            r[i] = binary_(op, p[i], q[i])
        return
    strides[0], strides[1], strides[2] = a.strides, b.strides, out.strides
    start(&cursor, out.rank)
    for i in range(out.elements):
        r[cursor.at[2]] = binary_(op, p[cursor.at[0]], q[cursor.at[1]])
        advance(&cursor, out.sizes, strides, 3)


cdef void matmul_loop(View a, View b, View out, Real *p, Real *q, Real *r) noexcept nogil:
    cdef Py_ssize_t n, i, j, k
    cdef double total
    for n in range(out.sizes[0]):
        for i in range(out.sizes[1]):
            for j in range(out.sizes[2]):
                total = 0
                for k in range(a.sizes[2]):
                    total += (<double>p[n * a.strides[0] + i * a.strides[1] + k * a.strides[2]]
                              * q[n * b.strides[0] + k * b.strides[1] + j * b.strides[2]])
                r[n * out.strides[0] + i * out.strides[1] + j * out.strides[2]] = <Real>total


cdef void copy_loop(View src, View out) noexcept nogil:
    cdef Cursor cursor
    cdef Py_ssize_t *strides[3]
    cdef Py_ssize_t i, size = out.dtype.itemsize
    cdef char *p = data(src)
    cdef char *q = data(out)
    if src.dense and out.dense:
        memmove(q, p, out.elements * size)
        return
    strides[0], strides[1] = src.strides, out.strides
    start(&cursor, out.rank)
    for i in range(out.elements):
        memcpy(q + cursor.at[1] * size, p + cursor.at[0] * size, size)
        advance(&cursor, out.sizes, strides, 2)


cdef class LoopsBackend(Backend):
    """Host memory and plain loops."""

    interface_version = 1

    def __cinit__(self):
        self.host_memory = True                  # Storage.pointer may be read and written by the core

    # ---- devices and memory; `alloc` and `free` are for backends whose buffers are Python objects

    cdef int allocate(self, Storage storage) except -1:
        storage.pointer = malloc(max(storage.nbytes_, 1))
        if storage.pointer == NULL:
            raise MemoryError(f"no room for {storage.nbytes_} bytes")
        return 0

    cdef void release(self, Storage storage) noexcept:
        free(storage.pointer)

    cpdef alloc(self, int index, Py_ssize_t nbytes):
        raise NotImplementedError("buffers are not Python objects here; see allocate")

    cpdef device_count(self):
        return 1

    cpdef h2d(self, object host, Storage storage, Py_ssize_t start):
        cdef const unsigned char[::1] source = host
        if source.shape[0]:
            memcpy(<char *>storage.pointer + start, &source[0], source.shape[0])

    cpdef d2h(self, Storage storage, Py_ssize_t start, object host):
        cdef unsigned char[::1] target = host
        if target.shape[0]:
            memcpy(&target[0], <char *>storage.pointer + start, target.shape[0])

    # ---- kernels: float32 and float64, everything else is declined

    cpdef copy(self, View src, View out):
        if src.dtype is not out.dtype:
            return NotImplemented
        with nogil:
            copy_loop(src, out)

    cpdef unary(self, int op, View a, View out):
        if op not in (NEG, EXP, LOG, SQRT, TANH, RELU):
            return NotImplemented
        if a.dtype.code == FLOAT32:
            unary_loop(op, a, out, <float *>data(a), <float *>data(out))
        elif a.dtype.code == FLOAT64:
            unary_loop(op, a, out, <double *>data(a), <double *>data(out))
        else:
            return NotImplemented

    cpdef binary(self, int op, View a, View b, View out):
        if op not in (ADD, SUB, MUL, DIV):
            return NotImplemented
        if a.dtype.code == FLOAT32:
            binary_loop(op, a, b, out, <float *>data(a), <float *>data(b), <float *>data(out))
        elif a.dtype.code == FLOAT64:
            binary_loop(op, a, b, out, <double *>data(a), <double *>data(b), <double *>data(out))
        else:
            return NotImplemented

    cpdef matmul(self, View a, View b, View out):
        if a.dtype.code == FLOAT32:
            matmul_loop(a, b, out, <float *>data(a), <float *>data(b), <float *>data(out))
        elif a.dtype.code == FLOAT64:
            matmul_loop(a, b, out, <double *>data(a), <double *>data(b), <double *>data(out))
        else:
            return NotImplemented
