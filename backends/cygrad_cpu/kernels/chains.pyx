# distutils: extra_compile_args = -O2
"""Whole programs of arithmetic over tiles: all steps on some vectors, then all on the next.

Between two steps a tile lies where the store buffers have it, so a step costs about its arithmetic. The formulas are
those of arithmetic.pyx and exact_unary.pyx, rounded alike; a step that is none of them is a call of its own loop.
"""
from libc.string cimport memcpy

cimport cygrad.backend as ops
from cygrad.dtype cimport FLOAT32, FLOAT64
from cygrad_cpu.kernels.pointwise_table cimport (BINARY_STEP, B_SCALAR, CONSTANTS, C_SCALAR, FIRST_SCALAR,
                                                 Kernels, SCALED_STEP, SECOND_SCALAR, SLOTS, Step, TERNARY_STEP, TILE,
                                                 UNARY_STEP, chain_loop, steps_loop)
from cygrad_cpu.simd.vectors cimport Doubles, Floats, Vector, factor, spread

cdef extern from *:
    """
    #include <math.h>
    #if defined(__GNUC__)
    #define CYGRAD_ROOTS(type, vector, root)                                                                          \
        static inline vector cygrad_roots_##type(vector x) {                                                          \
            type *lanes = (type *)&x;                                                                                 \
            for (int i = 0; i < (int)(sizeof x / sizeof *lanes); i++) lanes[i] = root(lanes[i]);                      \
            return x;                                                                                                 \
        }
    #else
    #define CYGRAD_ROOTS(type, vector, root) static inline vector cygrad_roots_##type(vector x) { return root(x); }
    #endif
    CYGRAD_ROOTS(float, cygrad_floats, sqrtf)
    CYGRAD_ROOTS(double, cygrad_doubles, sqrt)
    """
    Floats roots_float "cygrad_roots_float" (Floats x) noexcept nogil
    Doubles roots_double "cygrad_roots_double" (Doubles x) noexcept nogil


cdef inline Vector roots(Vector x) noexcept nogil:
    if Vector is Floats:
        return roots_float(x)
    else:
        return roots_double(x)


cdef bint arithmetic(const Step *step, char **slots, Py_ssize_t vectors, Vector *tag) noexcept nogil:
    """A step on whole vectors; False if it is none of those here."""
    cdef const Vector *a = <const Vector *>slots[step.slots[1]]
    cdef const Vector *b = NULL
    cdef const Vector *c = NULL
    cdef Vector *out = <Vector *>slots[step.slots[0]]
    cdef Vector[2] numbers                      # operands of one element: runs whose next vector is the same
    cdef Py_ssize_t i, next_a = 1, next_b = 1, next_c = 1
    cdef int kind = step.kind, op = step.op
    if kind == UNARY_STEP:
        if op != ops.SQRT:
            return False
        for i in range(vectors):
            out[i] = roots[Vector](a[i])
    elif kind == BINARY_STEP:
        b = <const Vector *>slots[step.slots[2]]
        if step.form == FIRST_SCALAR:
            numbers[0] = spread[Vector](<const char *>a, tag)
            a, next_a = numbers, 0
        elif step.form == SECOND_SCALAR:
            numbers[0] = spread[Vector](<const char *>b, tag)
            b, next_b = numbers, 0
        if op == ops.ADD:
            for i in range(vectors):
                out[i] = a[i * next_a] + b[i * next_b]
        elif op == ops.SUB:
            for i in range(vectors):
                out[i] = a[i * next_a] - b[i * next_b]
        elif op == ops.MUL:
            for i in range(vectors):
                out[i] = a[i * next_a] * b[i * next_b]
        elif op == ops.DIV:
            for i in range(vectors):
                out[i] = a[i * next_a] / b[i * next_b]
        else:
            return False
    elif kind == TERNARY_STEP:
        if op != ops.MUL:                       # a clamp
            return False
        b, c = <const Vector *>slots[step.slots[2]], <const Vector *>slots[step.slots[3]]
        if step.form & B_SCALAR:
            numbers[0] = spread[Vector](<const char *>b, tag)
            b, next_b = numbers, 0
        if step.form & C_SCALAR:
            numbers[1] = spread[Vector](<const char *>c, tag)
            c, next_c = numbers + 1, 0
        for i in range(vectors):
            out[i] = a[i] * b[i * next_b] + c[i * next_c]
    elif kind == SCALED_STEP:
        b, c = <const Vector *>slots[step.slots[2]], <const Vector *>slots[step.slots[4]]
        numbers[0] = spread[Vector](slots[step.slots[3]], tag)
        if op > ops.DIV:                        # a threshold
            return False
        numbers[1] = factor[Vector](1, tag) if step.slots[5] < 0 else spread[Vector](slots[step.slots[5]], tag)
        if op == ops.ADD:
            for i in range(vectors):
                out[i] = a[i] * numbers[0] + c[i] * numbers[1]
        elif op == ops.SUB:
            for i in range(vectors):
                out[i] = (a[i] - b[i]) * numbers[0] + c[i] * numbers[1]
        elif op == ops.MUL:
            for i in range(vectors):
                out[i] = (a[i] * b[i]) * numbers[0] + c[i] * numbers[1]
        else:
            for i in range(vectors):
                out[i] = (a[i] / b[i]) * numbers[0] + c[i] * numbers[1]
    else:
        return False
    return True


cdef void chain(const Step *steps, int count, char **slots, Py_ssize_t n, steps_loop rest, Vector *tag) noexcept nogil:
    """All steps on n elements, in tiles; `rest` does what is none of the steps here, or no whole vector."""
    cdef char *at[SLOTS]
    cdef Py_ssize_t size, item = 4 if Vector is Floats else 8, wide = <Py_ssize_t>sizeof(Vector) // item
    cdef int i, k
    memcpy(at, slots, sizeof(at))
    while n > 0:
        size = min(n, <Py_ssize_t>TILE)
        if size > wide:
            size -= size % wide
        for i in range(count):
            if size % wide or not arithmetic[Vector](steps + i, at, size // wide, tag):
                rest(steps + i, 1, at, size)
        for k in range(<int>CONSTANTS):
            at[k] += size * item
        n -= size


cdef public void cygrad_install(void *address) noexcept:
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    table.chain[<int>FLOAT32] = <chain_loop>chain[Floats]
    table.chain[<int>FLOAT64] = <chain_loop>chain[Doubles]
