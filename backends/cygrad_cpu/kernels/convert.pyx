"""Loops that move elements: dtype conversion, strided blocks, selection.

Conversions follow PyTorch on x86: floats truncate towards zero and out-of-range values take what the hardware's
conversion to int64 (uint8, int64) or int32 (the rest) leaves; anything but 0 is true; the imaginary part is dropped.
16-bit floats convert to and from float32 only; the drivers chain the two steps.
"""
from libc.string cimport memcpy

from cygrad.dtype cimport (BFLOAT16, BOOL, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64,
                           UINT8)
from cygrad_cpu.loops cimport Kernels, convert_loop, move_loop, where_loop

ctypedef unsigned char uint8
ctypedef signed char int8
ctypedef short int16
ctypedef int int32
ctypedef long long int64
ctypedef unsigned short uint16
ctypedef unsigned int uint32
ctypedef unsigned long long uint64

cdef struct Wide:           # a complex128
    uint64 low
    uint64 high

cdef fused Source:
    uint8
    int8
    int16
    int32
    int64
    float
    double

cdef fused Target:
    uint8
    int8
    int16
    int32
    int64
    float
    double

cdef fused Real:
    float
    double

cdef fused Part:
    float
    double

cdef fused Item:
    uint8
    uint16
    uint32
    uint64
    Wide

cdef union Bits:
    float value
    uint32 bits


# ---- real and integer types

cdef void convert_to(const Source *a, Target *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    if Source is float or Source is double:
        if Target is uint8:
            for i in range(n):
                out[i] = <Target><int64>a[i]
        elif Target is int8 or Target is int16:
            for i in range(n):
                out[i] = <Target><int32>a[i]
        else:
            for i in range(n):
                out[i] = <Target>a[i]
    else:
        for i in range(n):
            out[i] = <Target>a[i]


cdef void convert_to_bool(const Source *a, uint8 *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = a[i] != 0


# ---- complex types, as pairs

cdef void convert_to_complex(const Source *a, Real *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[2 * i] = <Real>a[i]
        out[2 * i + 1] = 0


cdef void convert_from_complex(const Real *a, Target *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if Target is uint8:
            out[i] = <Target><int64>a[2 * i]
        elif Target is int8 or Target is int16:
            out[i] = <Target><int32>a[2 * i]
        else:
            out[i] = <Target>a[2 * i]


cdef void convert_complex_to_bool(const Real *a, uint8 *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = (a[2 * i] != 0) | (a[2 * i + 1] != 0)


cdef void convert_complex(const Real *a, Part *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(2 * n):
        out[i] = <Part>a[i]


# ---- 16-bit floats, branch-free on integers so that they vectorise on every instruction set

cdef void half_to_float(const uint16 *a, float *out, Py_ssize_t n) noexcept nogil:
    """Shift exponent and mantissa into place, then rescale by 2^112: exact, and subnormals come out right."""
    cdef Py_ssize_t i
    cdef Bits value
    cdef uint32 magnitude
    for i in range(n):
        magnitude = <uint32>(a[i] & 0x7FFF)
        value.bits = magnitude << 13
        value.value = value.value * <float>5.192296858534828e33
        value.bits = value.bits | (<uint32>0x7F800000 if magnitude >= 0x7C00 else <uint32>0)
        value.bits = value.bits | (<uint32>(a[i] & 0x8000) << 16)
        out[i] = value.value


cdef void float_to_half(const float *a, uint16 *out, Py_ssize_t n) noexcept nogil:
    """Round to nearest even by adding 1.5 * 2^k in float32, k chosen so that the last kept bit is the last of the sum."""
    cdef Py_ssize_t i
    cdef Bits value, anchor, total
    cdef uint32 sign, magnitude, exponent, result
    for i in range(n):
        value.value = a[i]
        sign = (value.bits >> 16) & 0x8000
        magnitude = value.bits & 0x7FFFFFFF
        exponent = magnitude & 0x7F800000
        exponent = exponent if exponent > 0x38800000 else <uint32>0x38800000      # 2^-14: below are subnormals
        value.bits = magnitude
        anchor.bits = exponent + 0x06800000                                       # times 2^13
        total.value = value.value + anchor.value
        # the sum's low bits count units of the last place kept; exponent - 2^-15's gives the half's exponent field
        result = (total.bits - anchor.bits) + (((exponent - 0x38800000) >> 13) & 0xFFFF)
        result = result if magnitude < 0x477FF000 else <uint32>0x7C00             # 65520 and above: infinity
        result = result if magnitude <= 0x7F800000 else <uint32>0x7E00
        out[i] = <uint16>(result | sign)


cdef void bfloat_to_float(const uint16 *a, float *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef uint32 *bits = <uint32 *>out
    for i in range(n):
        bits[i] = <uint32>a[i] << 16


cdef void float_to_bfloat(const float *a, uint16 *out, Py_ssize_t n) noexcept nogil:
    """Round to nearest even; NaN becomes the quiet 0x7FC0."""
    cdef Py_ssize_t i
    cdef const uint32 *bits = <const uint32 *>a
    for i in range(n):
        out[i] = (<uint16>0x7FC0 if (bits[i] & 0x7FFFFFFF) > 0x7F800000
                  else <uint16>((bits[i] + 0x7FFF + ((bits[i] >> 16) & 1)) >> 16))


# ---- strided blocks and selection, by item size

cdef void move(const Item *a, Py_ssize_t a_row, Py_ssize_t a_column, Item *out, Py_ssize_t out_row,
               Py_ssize_t out_column, Py_ssize_t rows, Py_ssize_t columns) noexcept nogil:
    cdef Py_ssize_t i, j, block, stop
    cdef const Item *source
    cdef Item *target
    cdef Item item
    if a_column == 1 and out_column == 1 and columns >= 8:
        for i in range(rows):
            memcpy(out + i * out_row, a + i * a_row, columns * sizeof(Item))
    elif a_column == 0 and out_column == 1:
        for i in range(rows):
            item = a[i * a_row]
            target = out + i * out_row
            for j in range(columns):
                target[j] = item
    elif a_row == 1 and out_column == 1 and rows > 1:      # a transpose: by bands of columns that stay in the cache
        for block in range(0, columns, 16):
            stop = min(block + 16, columns)
            for i in range(rows):
                target = out + i * out_row
                for j in range(block, stop):
                    target[j] = a[i + j * a_column]
    else:
        for i in range(rows):
            source = a + i * a_row
            target = out + i * out_row
            for j in range(columns):
                target[j * out_column] = source[j * a_column]


cdef void select(const uint8 *condition, const Item *a, const Item *b, Item *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef Item x, y
    for i in range(n):
        x = a[i]
        y = b[i]
        out[i] = x if condition[i] else y


# ---- table

cdef void put(Kernels *table, int source, int target, convert_loop loop) noexcept:
    table.convert[source][target] = loop


cdef void install_source(Kernels *table, int code, Source *tag) noexcept:
    if Source is not uint8:
        put(table, code, UINT8, <convert_loop>convert_to[Source, uint8])
    if Source is not int8:
        put(table, code, INT8, <convert_loop>convert_to[Source, int8])
    if Source is not int16:
        put(table, code, INT16, <convert_loop>convert_to[Source, int16])
    if Source is not int32:
        put(table, code, INT32, <convert_loop>convert_to[Source, int32])
    if Source is not int64:
        put(table, code, INT64, <convert_loop>convert_to[Source, int64])
    if Source is not float:
        put(table, code, FLOAT32, <convert_loop>convert_to[Source, float])
    if Source is not double:
        put(table, code, FLOAT64, <convert_loop>convert_to[Source, double])
    put(table, code, BOOL, <convert_loop>convert_to_bool[Source])
    put(table, code, COMPLEX64, <convert_loop>convert_to_complex[Source, float])
    put(table, code, COMPLEX128, <convert_loop>convert_to_complex[Source, double])


cdef void install_complex(Kernels *table, int code, Real *tag) noexcept:
    put(table, code, BOOL, <convert_loop>convert_complex_to_bool[Real])
    put(table, code, UINT8, <convert_loop>convert_from_complex[Real, uint8])
    put(table, code, INT8, <convert_loop>convert_from_complex[Real, int8])
    put(table, code, INT16, <convert_loop>convert_from_complex[Real, int16])
    put(table, code, INT32, <convert_loop>convert_from_complex[Real, int32])
    put(table, code, INT64, <convert_loop>convert_from_complex[Real, int64])
    put(table, code, FLOAT32, <convert_loop>convert_from_complex[Real, float])
    put(table, code, FLOAT64, <convert_loop>convert_from_complex[Real, double])
    if Real is float:
        put(table, code, COMPLEX128, <convert_loop>convert_complex[Real, double])
    else:
        put(table, code, COMPLEX64, <convert_loop>convert_complex[Real, float])


def install(size_t address):
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    cdef int target
    install_source(table, UINT8, <uint8 *>NULL)
    install_source(table, INT8, <int8 *>NULL)
    install_source(table, INT16, <int16 *>NULL)
    install_source(table, INT32, <int32 *>NULL)
    install_source(table, INT64, <int64 *>NULL)
    install_source(table, FLOAT32, <float *>NULL)
    install_source(table, FLOAT64, <double *>NULL)
    install_complex(table, COMPLEX64, <float *>NULL)
    install_complex(table, COMPLEX128, <double *>NULL)
    for target in range(12):            # a bool is a uint8 that is 0 or 1
        if target != <int>BOOL and target != <int>UINT8:
            put(table, BOOL, target, table.convert[<int>UINT8][target])
    put(table, FLOAT16, FLOAT32, <convert_loop>half_to_float)
    put(table, FLOAT32, FLOAT16, <convert_loop>float_to_half)
    put(table, BFLOAT16, FLOAT32, <convert_loop>bfloat_to_float)
    put(table, FLOAT32, BFLOAT16, <convert_loop>float_to_bfloat)
    table.move[0] = <move_loop>move[uint8]
    table.move[1] = <move_loop>move[uint16]
    table.move[2] = <move_loop>move[uint32]
    table.move[3] = <move_loop>move[uint64]
    table.move[4] = <move_loop>move[Wide]
    table.where[0] = <where_loop>select[uint8]
    table.where[1] = <where_loop>select[uint16]
    table.where[2] = <where_loop>select[uint32]
    table.where[3] = <where_loop>select[uint64]
    table.where[4] = <where_loop>select[Wide]
