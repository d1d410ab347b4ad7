# distutils: extra_compile_args = -O2 -ftree-vectorize -fvect-cost-model=dynamic
"""Binary loops over integers and real floats: the formulas, three loops, the table.

Assumes contiguous runs (see `pointwise_table`). Bool shares the loops of uint8, whose arithmetic on 0 and 1 is its own.
Semantics are PyTorch's: integers wrap, NaN propagates through MAXIMUM and MINIMUM only. Divisions with a remainder are
in division.pyx, POW in power.pyx, ATAN2 and HYPOT in trigonometric.pyx.
"""
from libc.math cimport copysign, nextafter

cimport cygrad.backend as ops
from cygrad.dtype cimport BFLOAT16, BOOL, FLOAT16, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8
from cygrad_cpu.kernels.pointwise_table cimport (BOTH_VECTORS, B_SCALAR, CLAMP, C_SCALAR, FIRST_SCALAR, Kernels,
                                                 MULTIPLY_ADD, ROBUST, SECOND_SCALAR, binary_loop, scaled_loop,
                                                 ternary_loop)
from cygrad_cpu.simd.element_types cimport Integer, Number, Real, int16, int32, int64, int8, uint16, uint64, uint8

cdef extern from "<math.h>" nogil:
    float copysignf(float, float)
    float nextafterf(float, float)


# ---- tags: one empty type an op, so that each loop is compiled once for each formula

cdef struct Add:
    char tag
cdef struct Sub:
    char tag
cdef struct Mul:
    char tag
cdef struct Div:
    char tag
cdef struct Maximum:
    char tag
cdef struct Minimum:
    char tag
cdef struct Fmax:
    char tag
cdef struct Fmin:
    char tag
cdef struct Copysign:
    char tag
cdef struct Nextafter:
    char tag
cdef struct Gcd:
    char tag
cdef struct Lcm:
    char tag
cdef struct And:
    char tag
cdef struct Or:
    char tag
cdef struct Xor:
    char tag
cdef struct LeftShift:
    char tag
cdef struct RightShift:
    char tag
cdef struct Equal:
    char tag
cdef struct NotEqual:
    char tag
cdef struct Less:
    char tag
cdef struct LessEqual:
    char tag
cdef struct LogicalAnd:
    char tag
cdef struct LogicalOr:
    char tag
cdef struct LogicalXor:
    char tag

cdef struct Half:
    char tag
cdef struct Bfloat:
    char tag

cdef fused Narrow:
    Half
    Bfloat

cdef fused Arithmetic:      # any number
    Add
    Sub
    Mul
    Maximum
    Minimum

cdef fused Scalable:        # what comes before `* scale + c * weight`; Add: nothing
    Add
    Sub
    Mul
    Div

cdef fused IntegerOp:
    Gcd
    Lcm
    And
    Or
    Xor
    LeftShift
    RightShift

cdef fused RealOp:
    Div
    Fmax
    Fmin
    Copysign
    Nextafter

cdef fused Comparison:
    Equal
    NotEqual
    Less
    LessEqual
    LogicalAnd
    LogicalOr
    LogicalXor


# ---- formulas

cdef inline Integer greatest_divisor(Integer a, Integer b) noexcept nogil:
    """Euclid's algorithm on the magnitudes; that of the least integer is itself, as in PyTorch."""
    cdef Integer x = <Integer>(-<uint64>a) if a < 0 else a
    cdef Integer y = <Integer>(-<uint64>b) if b < 0 else b
    cdef Integer rest
    while x != 0:
        rest = <Integer>0 if x == -1 else <Integer>(y % x)
        y = x
        x = rest
    return y


cdef inline Number number_op(Arithmetic *op, Number a, Number b) noexcept nogil:
    if Arithmetic is Add:
        return <Number>(a + b)
    elif Arithmetic is Sub:
        return <Number>(a - b)
    elif Arithmetic is Mul:
        return <Number>(a * b)
    elif Arithmetic is Maximum:
        if Number is float or Number is double:
            return a if (a > b) | (a != a) else b
        else:
            return a if a > b else b
    else:
        if Number is float or Number is double:
            return a if (a < b) | (a != a) else b
        else:
            return a if a < b else b


cdef inline Integer integer_op(IntegerOp *op, Integer a, Integer b) noexcept nogil:
    cdef int bits = 8 * sizeof(Integer)
    cdef Integer divisor
    cdef int32 product
    if IntegerOp is Gcd:
        return greatest_divisor(a, b)
    elif IntegerOp is Lcm:
        divisor = greatest_divisor(a, b)
        if divisor == 0:
            return 0
        a = <Integer>-a if divisor == -1 else <Integer>(a // divisor)
        if Integer is int32 or Integer is int64:
            a = a * b
            return -a if a < 0 else a
        else:
            product = <int32>a * <int32>b       # the small types overflow only at the end
            return <Integer>-product if product < 0 else <Integer>product
    elif IntegerOp is And:
        return a & b
    elif IntegerOp is Or:
        return a | b
    elif IntegerOp is Xor:
        return a ^ b
    elif IntegerOp is LeftShift:
        return <Integer>0 if (b < 0) | (b >= bits) else <Integer>(<unsigned long long>a << b)
    else:
        if Integer is uint8:
            return <Integer>0 if b >= bits else <Integer>(a >> b)
        else:
            return a >> (bits - 1) if (b < 0) | (b >= bits) else a >> b


cdef inline Real real_op(RealOp *op, Real a, Real b) noexcept nogil:
    if RealOp is Div:
        return a / b
    elif RealOp is Fmax:
        return a if (a >= b) | (b != b) else b
    elif RealOp is Fmin:
        return a if (a <= b) | (b != b) else b
    elif RealOp is Copysign:
        return copysignf(a, b) if Real is float else copysign(a, b)
    else:
        return nextafterf(a, b) if Real is float else nextafter(a, b)


cdef inline uint8 compare_op(Comparison *op, Number a, Number b) noexcept nogil:
    if Comparison is Equal:
        return a == b
    elif Comparison is NotEqual:
        return a != b
    elif Comparison is Less:
        return a < b
    elif Comparison is LessEqual:
        return a <= b
    elif Comparison is LogicalAnd:
        return (a != 0) & (b != 0)
    elif Comparison is LogicalOr:
        return (a != 0) | (b != 0)
    else:
        return (a != 0) ^ (b != 0)


# ---- loops

cdef int number_loop(const Number *a, const Number *b, Number *out, Py_ssize_t n, int form,
                     Arithmetic *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef Number scalar
    if form == BOTH_VECTORS:
        for i in range(n):
            out[i] = number_op[Arithmetic, Number](op, a[i], b[i])
    elif form == FIRST_SCALAR:
        scalar = a[0]
        for i in range(n):
            out[i] = number_op[Arithmetic, Number](op, scalar, b[i])
    else:
        scalar = b[0]
        for i in range(n):
            out[i] = number_op[Arithmetic, Number](op, a[i], scalar)
    return 0


cdef int extreme_loop(const Real *a, const Real *b, Real *out, Py_ssize_t n, int form, Arithmetic *op) noexcept nogil:
    """Of equal numbers (0, -0) the run's; of two runs' the second in PyTorch's vectors, the first in what is left."""
    cdef Py_ssize_t whole = n - n % (64 // <Py_ssize_t>sizeof(Real))
    if form != BOTH_VECTORS and n > 1:
        return number_loop[Real, Arithmetic](a if form == FIRST_SCALAR else b, b if form == FIRST_SCALAR else a, out, n,
                                             FIRST_SCALAR, op)
    if whole:
        number_loop[Real, Arithmetic](a, b, out, whole, BOTH_VECTORS, op)
    return number_loop[Real, Arithmetic](b + whole, a + whole, out + whole, n - whole, BOTH_VECTORS, op)


cdef int integer_loop(const Integer *a, const Integer *b, Integer *out, Py_ssize_t n, int form,
                      IntegerOp *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef Integer scalar
    if form == BOTH_VECTORS:
        for i in range(n):
            out[i] = integer_op[IntegerOp, Integer](op, a[i], b[i])
    elif form == FIRST_SCALAR:
        scalar = a[0]
        for i in range(n):
            out[i] = integer_op[IntegerOp, Integer](op, scalar, b[i])
    else:
        scalar = b[0]
        for i in range(n):
            out[i] = integer_op[IntegerOp, Integer](op, a[i], scalar)
    return 0


cdef int real_loop(const Real *a, const Real *b, Real *out, Py_ssize_t n, int form, RealOp *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef Real scalar
    if form == BOTH_VECTORS:
        for i in range(n):
            out[i] = real_op[RealOp, Real](op, a[i], b[i])
    elif form == FIRST_SCALAR:
        scalar = a[0]
        for i in range(n):
            out[i] = real_op[RealOp, Real](op, scalar, b[i])
    else:
        scalar = b[0]
        for i in range(n):
            out[i] = real_op[RealOp, Real](op, a[i], scalar)
    return 0


cdef int compare_loop(const Number *a, const Number *b, uint8 *out, Py_ssize_t n, int form,
                      Comparison *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef Number scalar
    if form == BOTH_VECTORS:
        for i in range(n):
            out[i] = compare_op[Comparison, Number](op, a[i], b[i])
    elif form == FIRST_SCALAR:
        scalar = a[0]
        for i in range(n):
            out[i] = compare_op[Comparison, Number](op, scalar, b[i])
    else:
        scalar = b[0]
        for i in range(n):
            out[i] = compare_op[Comparison, Number](op, a[i], scalar)
    return 0


cdef void multiply_add_loop(const Real *a, const Real *b, const Real *c, Real *out, Py_ssize_t n,
                            int form) noexcept nogil:
    cdef Py_ssize_t i
    cdef Real factor = b[0], term = c[0]
    if form == 0:
        for i in range(n):
            out[i] = a[i] * b[i] + c[i]
    elif form == B_SCALAR:
        for i in range(n):
            out[i] = a[i] * factor + c[i]
    elif form == C_SCALAR:
        for i in range(n):
            out[i] = a[i] * b[i] + term
    else:
        for i in range(n):
            out[i] = a[i] * factor + term


cdef void scaled_loop_of(const Real *a, const Real *b, const Real *scale, const Real *c, const Real *weight, Real *out,
                         Py_ssize_t n, Scalable *op) noexcept nogil:
    cdef Py_ssize_t i
    cdef Real factor = scale[0], other = weight[0] if weight != NULL else 1
    for i in range(n):
        if Scalable is Sub:
            out[i] = (a[i] - b[i]) * factor + c[i] * other
        elif Scalable is Mul:
            out[i] = (a[i] * b[i]) * factor + c[i] * other
        elif Scalable is Div:
            out[i] = (a[i] / b[i]) * factor + c[i] * other
        else:
            out[i] = a[i] * factor + c[i] * other


cdef void threshold_loop(const Real *x, const Real *_, const Real *bound, const Real *b, const Real *number, Real *out,
                         Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef Real limit = bound[0], value = number[0], other
    for i in range(n):
        other = b[i]                            # read in any case: a load in a branch would not vectorise
        out[i] = value if x[i] <= limit else other


cdef void clamp_loop(const Number *a, const Number *b, const Number *c, Number *out, Py_ssize_t n,
                     int form) noexcept nogil:
    cdef Py_ssize_t i
    cdef Number low = b[0], high = c[0], x
    for i in range(n):
        x = a[i]
        x = low if x < low else x           # NaN stays
        out[i] = high if x > high else x


cdef void robust_loop(const float *a, const float *b, const float *c, float *out, Py_ssize_t n,
                      int form) noexcept nogil:
    cdef Py_ssize_t i
    cdef float low = b[0], high = c[0], half = -0.5, x
    for i in range(n):
        x = a[i]
        x = low if x < low else x
        x = high if x > high else x
        out[i] = (x * half + a[i]) * x


cdef int next_loop(const uint16 *a, const uint16 *b, uint16 *out, Py_ssize_t n, int form, Narrow *op) noexcept nogil:
    """NEXTAFTER of 16-bit floats, on their bits: sign and magnitude, so neighbours differ by one."""
    cdef Py_ssize_t i
    cdef uint16 infinity = 0x7C00 if Narrow is Half else 0x7F80
    cdef int x, y
    for i in range(n):
        x = a[0 if form == FIRST_SCALAR else i]
        y = b[0 if form == SECOND_SCALAR else i]
        if (x & 0x7FFF) > infinity or (y & 0x7FFF) > infinity:
            out[i] = <uint16>0x7E00 if Narrow is Half else <uint16>0x7FC0
        elif x == y or (x | y) & 0x7FFF == 0:
            out[i] = <uint16>y
        elif x & 0x7FFF == 0:
            out[i] = <uint16>((y & 0x8000) | 1)
        elif (x ^ y) & 0x8000 or (x & 0x7FFF) > (y & 0x7FFF):
            out[i] = <uint16>(x - 1)        # towards zero
        else:
            out[i] = <uint16>(x + 1)
    return 0


cdef int greater_loop(const Number *a, const Number *b, uint8 *out, Py_ssize_t n, int form,
                      Comparison *op) noexcept nogil:
    """a > b is b < a."""
    return compare_loop[Number, Comparison](b, a, out, n, 3 - form if form != BOTH_VECTORS else form, op)


# ---- table

cdef void put(Kernels *table, int op, int code, binary_loop loop) noexcept:
    table.binary[op][code] = loop


cdef void install_number(Kernels *table, int code, Number *tag) noexcept:
    put(table, ops.ADD, code, <binary_loop>number_loop[Number, Add])
    put(table, ops.SUB, code, <binary_loop>number_loop[Number, Sub])
    put(table, ops.MUL, code, <binary_loop>number_loop[Number, Mul])
    put(table, ops.MAXIMUM, code, <binary_loop>number_loop[Number, Maximum])
    put(table, ops.MINIMUM, code, <binary_loop>number_loop[Number, Minimum])
    put(table, ops.EQ, code, <binary_loop>compare_loop[Number, Equal])
    put(table, ops.NE, code, <binary_loop>compare_loop[Number, NotEqual])
    put(table, ops.LT, code, <binary_loop>compare_loop[Number, Less])
    put(table, ops.LE, code, <binary_loop>compare_loop[Number, LessEqual])
    put(table, ops.GT, code, <binary_loop>greater_loop[Number, Less])
    put(table, ops.GE, code, <binary_loop>greater_loop[Number, LessEqual])
    put(table, ops.LOGICAL_AND, code, <binary_loop>compare_loop[Number, LogicalAnd])
    put(table, ops.LOGICAL_OR, code, <binary_loop>compare_loop[Number, LogicalOr])
    put(table, ops.LOGICAL_XOR, code, <binary_loop>compare_loop[Number, LogicalXor])
    table.ternary[<int>CLAMP][code] = <ternary_loop>clamp_loop[Number]


cdef void install_integer(Kernels *table, int code, Integer *tag) noexcept:
    install_number[Integer](table, code, tag)
    put(table, ops.FMAX, code, <binary_loop>number_loop[Integer, Maximum])
    put(table, ops.FMIN, code, <binary_loop>number_loop[Integer, Minimum])
    put(table, ops.GCD, code, <binary_loop>integer_loop[Integer, Gcd])
    put(table, ops.LCM, code, <binary_loop>integer_loop[Integer, Lcm])
    put(table, ops.BITWISE_AND, code, <binary_loop>integer_loop[Integer, And])
    put(table, ops.BITWISE_OR, code, <binary_loop>integer_loop[Integer, Or])
    put(table, ops.BITWISE_XOR, code, <binary_loop>integer_loop[Integer, Xor])
    put(table, ops.LEFT_SHIFT, code, <binary_loop>integer_loop[Integer, LeftShift])
    put(table, ops.RIGHT_SHIFT, code, <binary_loop>integer_loop[Integer, RightShift])


cdef void install_real(Kernels *table, int code, Real *tag) noexcept:
    install_number[Real](table, code, tag)
    put(table, ops.MAXIMUM, code, <binary_loop>extreme_loop[Real, Maximum])
    put(table, ops.MINIMUM, code, <binary_loop>extreme_loop[Real, Minimum])
    put(table, ops.DIV, code, <binary_loop>real_loop[Real, Div])
    put(table, ops.FMAX, code, <binary_loop>real_loop[Real, Fmax])
    put(table, ops.FMIN, code, <binary_loop>real_loop[Real, Fmin])
    put(table, ops.COPYSIGN, code, <binary_loop>real_loop[Real, Copysign])
    put(table, ops.NEXTAFTER, code, <binary_loop>real_loop[Real, Nextafter])
    table.ternary[<int>MULTIPLY_ADD][code] = <ternary_loop>multiply_add_loop[Real]
    table.scaled[<int>ops.ADD][code] = <scaled_loop>scaled_loop_of[Real, Add]
    table.scaled[<int>ops.SUB][code] = <scaled_loop>scaled_loop_of[Real, Sub]
    table.scaled[<int>ops.MUL][code] = <scaled_loop>scaled_loop_of[Real, Mul]
    table.scaled[<int>ops.DIV][code] = <scaled_loop>scaled_loop_of[Real, Div]
    table.threshold[code] = <scaled_loop>threshold_loop[Real]


cdef void install_bool(Kernels *table) noexcept:
    cdef int op
    for op in (ops.MAXIMUM, ops.MINIMUM, ops.FMAX, ops.FMIN, ops.BITWISE_AND, ops.BITWISE_OR, ops.BITWISE_XOR, ops.EQ,
               ops.NE, ops.LT, ops.LE, ops.GT, ops.GE, ops.LOGICAL_AND, ops.LOGICAL_OR, ops.LOGICAL_XOR):
        put(table, op, BOOL, table.binary[op][<int>UINT8])
    put(table, ops.ADD, BOOL, <binary_loop>integer_loop[uint8, Or])
    put(table, ops.MUL, BOOL, <binary_loop>integer_loop[uint8, And])


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
    table.ternary[<int>ROBUST][<int>FLOAT32] = <ternary_loop>robust_loop
    install_bool(table)
    put(table, ops.NEXTAFTER, FLOAT16, <binary_loop>next_loop[Half])
    put(table, ops.NEXTAFTER, BFLOAT16, <binary_loop>next_loop[Bfloat])
