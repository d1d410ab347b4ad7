# distutils: extra_compile_args = -O2 -ftree-vectorize -fvect-cost-model=dynamic
"""Unary loops whose result is exact or correctly rounded, and the predicates.

Assumes contiguous runs (see `pointwise_table`). Bool shares the loops of uint8 where they mean the same.
"""
from libc.math cimport ceil, fabs, floor, rint, sqrt, trunc

cimport cygrad.backend as ops
from cygrad.dtype cimport BOOL, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8
from cygrad_cpu.kernels.pointwise_table cimport Kernels, unary_loop
from cygrad_cpu.simd.element_types cimport Integer, Number, Real, int16, int32, int64, int8, uint8

cdef extern from "<math.h>" nogil:
    float ceilf(float)
    float fabsf(float)
    float floorf(float)
    float rintf(float)
    float sqrtf(float)
    float truncf(float)

cdef struct Neg:
    char tag
cdef struct Abs:
    char tag
cdef struct Sign:
    char tag
cdef struct Square:
    char tag
cdef struct Relu:
    char tag
cdef struct BitwiseNot:
    char tag
cdef struct LogicalNot:
    char tag
cdef struct Sqrt:
    char tag
cdef struct Rsqrt:
    char tag
cdef struct Reciprocal:
    char tag
cdef struct Floor:
    char tag
cdef struct Ceil:
    char tag
cdef struct Trunc:
    char tag
cdef struct Round:
    char tag
cdef struct Angle:
    char tag
cdef struct IsNan:
    char tag
cdef struct IsInf:
    char tag
cdef struct IsFinite:
    char tag
cdef struct Copy:
    char tag

cdef fused NumberOp:
    Neg
    Abs
    Sign
    Square
    Relu
    Copy

cdef fused RealOp:
    Sqrt
    Rsqrt
    Reciprocal
    Floor
    Ceil
    Trunc
    Round
    Angle

cdef fused Predicate:
    LogicalNot
    IsNan
    IsInf
    IsFinite


cdef inline Number number_op(NumberOp *op, Number x) noexcept nogil:
    if NumberOp is Neg:
        return <Number>-x
    elif NumberOp is Abs:
        if Number is uint8:
            return x
        elif Number is float:
            return fabsf(x)
        elif Number is double:
            return fabs(x)
        else:
            return <Number>-x if x < 0 else x
    elif NumberOp is Sign:
        return <Number>((x > 0) - (x < 0))
    elif NumberOp is Square:
        return <Number>(x * x)
    elif NumberOp is Relu:
        return 0 if x < 0 else x
    else:
        return x


cdef inline Real real_op(RealOp *op, Real x) noexcept nogil:
    if RealOp is Sqrt:
        return sqrtf(x) if Real is float else sqrt(x)
    elif RealOp is Rsqrt:
        return <float>1 / sqrtf(x) if Real is float else 1 / sqrt(x)
    elif RealOp is Reciprocal:
        return <Real>1 / x
    elif RealOp is Floor:
        return floorf(x) if Real is float else floor(x)
    elif RealOp is Ceil:
        return ceilf(x) if Real is float else ceil(x)
    elif RealOp is Trunc:
        return truncf(x) if Real is float else trunc(x)
    elif RealOp is Round:
        return rintf(x) if Real is float else rint(x)
    else:
        return x if x != x else (<Real>3.141592653589793 if x < 0 else <Real>0)


cdef inline bint predicate(Predicate *op, Number x) noexcept nogil:
    if Predicate is LogicalNot:
        return x == 0
    elif Number is float or Number is double:
        if Predicate is IsNan:
            return x != x
        elif Predicate is IsInf:
            return (x - x != 0) & (x == x)
        else:
            return x - x == 0
    else:
        return Predicate is IsFinite


cdef void number_loop(const Number *a, Number *out, Py_ssize_t n, NumberOp *op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = number_op[NumberOp, Number](op, a[i])


cdef void not_loop(const Integer *a, Integer *out, Py_ssize_t n, BitwiseNot *op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = ~a[i]


cdef void real_loop(const Real *a, Real *out, Py_ssize_t n, RealOp *op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = real_op[RealOp, Real](op, a[i])


cdef void predicate_loop(const Number *a, uint8 *out, Py_ssize_t n, Predicate *op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = predicate[Predicate, Number](op, a[i])


cdef void complex_predicate_loop(const Real *a, uint8 *out, Py_ssize_t n, Predicate *op) noexcept nogil:
    """Of pairs: NaN or infinite where a part is; finite or zero where both are."""
    cdef Py_ssize_t i
    for i in range(n):
        if Predicate is IsNan or Predicate is IsInf:
            out[i] = predicate[Predicate, Real](op, a[2 * i]) | predicate[Predicate, Real](op, a[2 * i + 1])
        else:
            out[i] = predicate[Predicate, Real](op, a[2 * i]) & predicate[Predicate, Real](op, a[2 * i + 1])


cdef void put(Kernels *table, int op, int code, unary_loop loop) noexcept:
    table.unary[op][code] = loop


cdef void install_number(Kernels *table, int code, Number *tag) noexcept:
    put(table, ops.NEG, code, <unary_loop>number_loop[Number, Neg])
    put(table, ops.ABS, code, <unary_loop>number_loop[Number, Abs])
    put(table, ops.SIGN, code, <unary_loop>number_loop[Number, Sign])
    put(table, ops.SQUARE, code, <unary_loop>number_loop[Number, Square])
    put(table, ops.RELU, code, <unary_loop>number_loop[Number, Relu])
    put(table, ops.CONJ, code, <unary_loop>number_loop[Number, Copy])
    put(table, ops.LOGICAL_NOT, code, <unary_loop>predicate_loop[Number, LogicalNot])
    put(table, ops.ISNAN, code, <unary_loop>predicate_loop[Number, IsNan])
    put(table, ops.ISINF, code, <unary_loop>predicate_loop[Number, IsInf])
    put(table, ops.ISFINITE, code, <unary_loop>predicate_loop[Number, IsFinite])


cdef void install_integer(Kernels *table, int code, Integer *tag) noexcept:
    cdef int op
    install_number[Integer](table, code, tag)
    put(table, ops.BITWISE_NOT, code, <unary_loop>not_loop[Integer])
    for op in (ops.FLOOR, ops.CEIL, ops.TRUNC, ops.ROUND):
        put(table, op, code, <unary_loop>number_loop[Integer, Copy])


cdef void install_real(Kernels *table, int code, Real *tag) noexcept:
    install_number[Real](table, code, tag)
    put(table, ops.SQRT, code, <unary_loop>real_loop[Real, Sqrt])
    put(table, ops.RSQRT, code, <unary_loop>real_loop[Real, Rsqrt])
    put(table, ops.RECIPROCAL, code, <unary_loop>real_loop[Real, Reciprocal])
    put(table, ops.FLOOR, code, <unary_loop>real_loop[Real, Floor])
    put(table, ops.CEIL, code, <unary_loop>real_loop[Real, Ceil])
    put(table, ops.TRUNC, code, <unary_loop>real_loop[Real, Trunc])
    put(table, ops.ROUND, code, <unary_loop>real_loop[Real, Round])
    put(table, ops.ANGLE, code, <unary_loop>real_loop[Real, Angle])


cdef void install_complex(Kernels *table, int code, Real *tag) noexcept:
    put(table, ops.LOGICAL_NOT, code, <unary_loop>complex_predicate_loop[Real, LogicalNot])
    put(table, ops.ISNAN, code, <unary_loop>complex_predicate_loop[Real, IsNan])
    put(table, ops.ISINF, code, <unary_loop>complex_predicate_loop[Real, IsInf])
    put(table, ops.ISFINITE, code, <unary_loop>complex_predicate_loop[Real, IsFinite])


cdef public void cygrad_install(void *address) noexcept:
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    cdef int op
    install_integer(table, UINT8, <uint8 *>NULL)
    install_integer(table, INT8, <int8 *>NULL)
    install_integer(table, INT16, <int16 *>NULL)
    install_integer(table, INT32, <int32 *>NULL)
    install_integer(table, INT64, <int64 *>NULL)
    install_real(table, FLOAT32, <float *>NULL)
    install_real(table, FLOAT64, <double *>NULL)
    install_complex(table, COMPLEX64, <float *>NULL)
    install_complex(table, COMPLEX128, <double *>NULL)
    for op in (ops.ABS, ops.SIGN, ops.CONJ, ops.LOGICAL_NOT, ops.ISNAN, ops.ISINF, ops.ISFINITE):
        put(table, op, BOOL, table.unary[op][<int>UINT8])
    put(table, ops.BITWISE_NOT, BOOL, table.unary[<int>ops.LOGICAL_NOT][<int>UINT8])
