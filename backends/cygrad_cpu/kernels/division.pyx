# distutils: extra_compile_args = -O2 -ftree-vectorize -fvect-cost-model=dynamic
"""Divisions with a whole quotient: FLOOR_DIVIDE, TRUNC_DIVIDE, REMAINDER, FMOD over integers and real floats.

Assumes contiguous runs (see `pointwise_table`). A quotient floored or truncated comes from the exact remainder, since
a / b may round up to it. Integers up to 2^52 and float32 divide in a wider float type, where the whole quotient is
exact and the division vectorises; so does float64 where the processor multiplies and adds in one rounding
(cygrad/formulas/division.h). What is beyond that goes to fmod of libm. An integer divisor of 0 is replaced by 1 and
reported by the loop's result.
"""
from libc.math cimport copysign, floor, fmod, trunc

cimport cygrad.backend as ops
from cygrad.dtype cimport FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8
from cygrad_cpu.simd.elementary cimport *
from cygrad_cpu.kernels.pointwise_table cimport BOTH_VECTORS, FIRST_SCALAR, SECOND_SCALAR, Kernels, binary_loop
from cygrad_cpu.simd.element_types cimport Integer, Real, int16, int32, int64, int8, uint64, uint8

cdef extern from "<math.h>" nogil:
    float truncf(float)

cdef struct FloorDivide:
    char tag
cdef struct TruncDivide:
    char tag
cdef struct Remainder:
    char tag
cdef struct Fmod:
    char tag

cdef fused Division:
    FloorDivide
    TruncDivide
    Remainder
    Fmod

cdef enum:
    RUN = 64                # elements between two looks for rare operands


# ---- integers

cdef inline bint is_wide(int64 x) noexcept nogil:
    """Whether a double may not hold x, or not tell a quotient of such numbers from the next integer."""
    return <uint64>(x + (<int64>1 << 52)) > <uint64>1 << 53


cdef inline Integer whole_quotient(Integer a, Integer b, bint wide) noexcept nogil:
    """Truncated; 24 bits of a float hold what 16-bit operands need, 53 of a double what others do that are not wide."""
    if Integer is int64 and wide:
        return -a if b == -1 else a // b        # the least integer over -1 traps
    elif Integer is int32 or Integer is int64:
        return <Integer><int64>(<double>a / <double>b)
    else:
        return <Integer><int32>(<float>a / <float>b)


cdef inline Integer divide_integers(Division *op, Integer a, Integer b, bint wide) noexcept nogil:
    cdef Integer quotient = whole_quotient(a, b, wide)
    cdef Integer rest
    cdef bint lower
    if Division is not TruncDivide:
        rest = <Integer>(a - quotient * b)
        if Integer is uint8 or Division is Fmod:
            if Division is not FloorDivide:
                quotient = rest
        else:
            lower = (rest != 0) & ((rest ^ b) < 0)
            if Division is FloorDivide:
                quotient = <Integer>(quotient - lower)
            else:
                quotient = <Integer>(rest + b * lower)
    return quotient


# ---- floats

cdef inline Real divide_slowly(Division *op, Real a, Real b) noexcept nogil:
    cdef Real rest = <Real>fmod(a, b), quotient, whole
    if Division is Fmod:
        return rest
    elif Division is Remainder:
        return rest + b if rest != 0 and (b < 0) != (rest < 0) else rest
    else:
        if b == 0:
            return a / b
        quotient = (a - rest) / b
        if rest != 0 and (b < 0) != (rest < 0):
            quotient -= <Real>1
        if quotient == 0:
            return <Real>copysign(0, a / b)
        whole = <Real>floor(quotient)
        return whole + <Real>1 if quotient - whole > 0.5 else whole


cdef inline int is_rare(Real a, Real b) noexcept nogil:
    return rare_fmod_f32(a, b) if Real is float else rare_fmod_f64(a, b) | (HAS_FMA == 0)


cdef inline Real divide_reals(Division *op, Real a, Real b) noexcept nogil:
    if Division is Fmod:
        return usual_fmod_f32(a, b) if Real is float else usual_fmod_f64(a, b)
    elif Division is Remainder:
        return usual_remainder_f32(a, b) if Real is float else usual_remainder_f64(a, b)
    else:
        return usual_floor_divide_f32(a, b) if Real is float else usual_floor_divide_f64(a, b)


# ---- loops

cdef int integer_loop(const Integer *a, const Integer *b, Integer *out, Py_ssize_t n, int form,
                      Division *op) noexcept nogil:
    cdef Py_ssize_t start = 0, count, i
    cdef Integer scalars[RUN]
    cdef const Integer *x
    cdef const Integer *y
    cdef int zeros = 0, wide
    if form != BOTH_VECTORS:
        for i in range(RUN):
            scalars[i] = a[0] if form == FIRST_SCALAR else b[0]
    while start < n:
        count = min(<Py_ssize_t>RUN, n - start)
        x = <const Integer *>&scalars[0] if form == FIRST_SCALAR else a + start
        y = <const Integer *>&scalars[0] if form == SECOND_SCALAR else b + start
        wide = 0
        if Integer is int64:
            for i in range(count):
                wide |= is_wide(x[i]) | is_wide(y[i])
        for i in range(count):
            zeros |= y[i] == 0
        if Integer is int64 and wide:
            for i in range(count):
                out[start + i] = divide_integers[Division, Integer](op, x[i], <Integer>1 if y[i] == 0 else y[i], True)
        else:
            for i in range(count):
                out[start + i] = divide_integers[Division, Integer](op, x[i], <Integer>1 if y[i] == 0 else y[i], False)
        start += count
    return zeros


cdef int real_loop(const Real *a, const Real *b, Real *out, Py_ssize_t n, int form, Division *op) noexcept nogil:
    cdef Py_ssize_t start = 0, count, i
    cdef Real scalars[RUN]
    cdef const Real *x
    cdef const Real *y
    cdef int rare
    if form != BOTH_VECTORS:
        for i in range(RUN):
            scalars[i] = a[0] if form == FIRST_SCALAR else b[0]
    while start < n:
        count = min(<Py_ssize_t>RUN, n - start)
        x = <const Real *>&scalars[0] if form == FIRST_SCALAR else a + start
        y = <const Real *>&scalars[0] if form == SECOND_SCALAR else b + start
        rare = 0
        if Division is TruncDivide:
            for i in range(count):
                out[start + i] = truncf(x[i] / y[i]) if Real is float else trunc(x[i] / y[i])
        else:
            for i in range(count):
                rare |= is_rare(x[i], y[i])
            if rare:
                for i in range(count):
                    out[start + i] = (divide_slowly[Division, Real](op, x[i], y[i]) if is_rare(x[i], y[i])
                                      else divide_reals[Division, Real](op, x[i], y[i]))
            else:
                for i in range(count):
                    out[start + i] = divide_reals[Division, Real](op, x[i], y[i])
        start += count
    return 0


# ---- table

cdef void put(Kernels *table, int op, int code, binary_loop loop) noexcept:
    table.binary[op][code] = loop


cdef void install_integer(Kernels *table, int code, Integer *tag) noexcept:
    put(table, ops.FLOOR_DIVIDE, code, <binary_loop>integer_loop[Integer, FloorDivide])
    put(table, ops.TRUNC_DIVIDE, code, <binary_loop>integer_loop[Integer, TruncDivide])
    put(table, ops.REMAINDER, code, <binary_loop>integer_loop[Integer, Remainder])
    put(table, ops.FMOD, code, <binary_loop>integer_loop[Integer, Fmod])


cdef void install_real(Kernels *table, int code, Real *tag) noexcept:
    put(table, ops.FLOOR_DIVIDE, code, <binary_loop>real_loop[Real, FloorDivide])
    put(table, ops.TRUNC_DIVIDE, code, <binary_loop>real_loop[Real, TruncDivide])
    put(table, ops.REMAINDER, code, <binary_loop>real_loop[Real, Remainder])
    put(table, ops.FMOD, code, <binary_loop>real_loop[Real, Fmod])


cdef public void cygrad_install(void *address) noexcept:
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    install_integer(table, UINT8, <uint8 *>NULL)
    install_integer(table, INT8, <int8 *>NULL)
    install_integer(table, INT16, <int16 *>NULL)
    install_integer(table, INT32, <int32 *>NULL)
    install_integer(table, INT64, <int64 *>NULL)
    install_real(table, FLOAT32, <float *>NULL)
    install_real(table, FLOAT64, <double *>NULL)
