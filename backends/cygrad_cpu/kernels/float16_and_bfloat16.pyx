"""16-bit floats, in PyTorch's names half and bfloat16: conversion to and from float32, the four operations of
arithmetic, sums of columns.

Whatever else is computed of them the drivers convert block by block. What is bound by memory would lose by the two
passes more, so here a strip of elements becomes float32 in registers, and is rounded once. A single element that
stands for all (see `pointwise_table.Form`) is a float32 already: PyTorch does not round it.
"""
from libc.string cimport memcpy, memset

cimport cygrad.backend as ops
from cygrad.dtype cimport BFLOAT16, FLOAT16, FLOAT32
from cygrad_cpu.simd.elementary cimport *        # inlining
from cygrad_cpu.kernels.pointwise_table cimport (BOTH_VECTORS, FIRST_SCALAR, Kernels, SECOND_SCALAR, binary_loop,
                                                 column_loop, convert_loop)
from cygrad_cpu.simd.element_types cimport uint16, uint32

cdef extern from *:
    """
    /* Conversion of a strip of halves by instruction. */
    #if defined(__F16C__)
    #include <immintrin.h>
    #define CYGRAD_F16C 1
    #if defined(__AVX512F__)
    #define CYGRAD_HALVES 16
    #define cygrad_load_halves(a) _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(a)))
    #define cygrad_store_halves(out, x) _mm256_storeu_si256((__m256i *)(out), _mm512_cvtps_ph(x, 0))
    #define cygrad_load_floats _mm512_loadu_ps
    #define cygrad_store_floats _mm512_storeu_ps
    #else
    #define CYGRAD_HALVES 8
    #define cygrad_load_halves(a) _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(a)))
    #define cygrad_store_halves(out, x) _mm_storeu_si128((__m128i *)(out), _mm256_cvtps_ph(x, 0))
    #define cygrad_load_floats _mm256_loadu_ps
    #define cygrad_store_floats _mm256_storeu_ps
    #endif
    static inline void cygrad_halves_to_floats(const unsigned short *a, float *out) {
        for (int i = 0; i < 64; i += CYGRAD_HALVES) cygrad_store_floats(out + i, cygrad_load_halves(a + i));
    }
    static inline void cygrad_floats_to_halves(const float *a, unsigned short *out) {
        for (int i = 0; i < 64; i += CYGRAD_HALVES) cygrad_store_halves(out + i, cygrad_load_floats(a + i));
    }
    #else
    #define CYGRAD_F16C 0
    static inline void cygrad_halves_to_floats(const unsigned short *a, float *out) { }
    static inline void cygrad_floats_to_halves(const float *a, unsigned short *out) { }
    #endif
    """
    enum:
        HAS_F16C "CYGRAD_F16C"
    void halves_to_floats "cygrad_halves_to_floats" (const uint16 *a, float *out) noexcept nogil
    void floats_to_halves "cygrad_floats_to_halves" (const float *a, uint16 *out) noexcept nogil

cdef enum:
    STRIP = 64              # elements that are in registers at once

cdef struct Half:
    char tag
cdef struct Bfloat:
    char tag
cdef struct Add:
    char tag
cdef struct Sub:
    char tag
cdef struct Mul:
    char tag
cdef struct Div:
    char tag

cdef fused Narrow:
    Half
    Bfloat

cdef fused Arithmetic:
    Add
    Sub
    Mul
    Div

cdef union Bits:
    float value
    uint32 bits


# ---- one element, branch-free on integers so that it vectorises on every instruction set

cdef inline float widened(Narrow *type, uint16 a) noexcept nogil:
    """Of a half: shift exponent and mantissa into place, rescale by 2^112; exact, and subnormals come out right."""
    cdef Bits value
    cdef uint32 magnitude
    if Narrow is Half:
        magnitude = <uint32>(a & 0x7FFF)
        value.bits = magnitude << 13
        value.value = value.value * <float>5.192296858534828e33
        value.bits = value.bits | (<uint32>0x7F800000 if magnitude >= 0x7C00 else <uint32>0)
        value.bits = value.bits | (<uint32>(a & 0x8000) << 16)
    else:
        value.bits = <uint32>a << 16
    return value.value


cdef inline uint16 narrowed(Narrow *type, float a) noexcept nogil:
    """Round to nearest even: a half by adding a power of two so large that the last bit to keep is the sum's last."""
    cdef Bits value, anchor, total
    cdef uint32 sign, magnitude, exponent, result
    value.value = a
    magnitude = value.bits & 0x7FFFFFFF
    if Narrow is Half:
        sign = (value.bits >> 16) & 0x8000
        exponent = magnitude & 0x7F800000
        exponent = exponent if exponent > 0x38800000 else <uint32>0x38800000      # 2^-14: below are subnormals
        value.bits = magnitude
        anchor.bits = exponent + 0x06800000                                       # times 2^13
        total.value = value.value + anchor.value
        # the sum's low bits count units of the last place kept; exponent - 2^-15's gives the half's exponent field
        result = (total.bits - anchor.bits) + (((exponent - 0x38800000) >> 13) & 0xFFFF)
        result = result if magnitude < 0x477FF000 else <uint32>0x7C00             # 65520 and above: infinity
        result = result if magnitude <= 0x7F800000 else <uint32>0x7E00
        return <uint16>(result | sign)
    else:
        return <uint16>0x7FC0 if magnitude > 0x7F800000 else <uint16>((value.bits + 0x7FFF
                                                                       + ((value.bits >> 16) & 1)) >> 16)


# ---- conversion

cdef inline void widen_strip(const uint16 *a, float *out, Narrow *type) noexcept nogil:
    cdef Py_ssize_t i
    if Narrow is Half and HAS_F16C:
        halves_to_floats(a, out)
    else:
        for i in range(STRIP):
            out[i] = widened(type, a[i])


cdef inline void narrow_strip(const float *a, uint16 *out, Narrow *type) noexcept nogil:
    cdef Py_ssize_t i
    if Narrow is Half and HAS_F16C:
        floats_to_halves(a, out)
    else:
        for i in range(STRIP):
            out[i] = narrowed(type, a[i])


cdef inline const uint16 *full_strip(const uint16 *a, Py_ssize_t rest, uint16 *padded) noexcept nogil:
    """Where a whole strip can be read whose first `rest` elements are a's: `a`, or at the end of a run `padded`."""
    if rest >= STRIP:
        return a
    memset(padded, 0, STRIP * sizeof(uint16))
    memcpy(padded, a, rest * sizeof(uint16))
    return padded


cdef inline void put_strip(const float *x, uint16 *out, Py_ssize_t rest, Narrow *type) noexcept nogil:
    """Round a strip, and write the first `rest` elements of it."""
    cdef uint16 y[STRIP]
    if rest >= STRIP:
        narrow_strip(x, out, type)
    else:
        narrow_strip(x, y, type)
        memcpy(out, y, rest * sizeof(uint16))


cdef void widen(const uint16 *a, float *out, Py_ssize_t n, Narrow *type) noexcept nogil:
    cdef uint16 padded[STRIP]
    cdef float x[STRIP]
    cdef Py_ssize_t start = 0
    while start + STRIP <= n:
        widen_strip(a + start, out + start, type)
        start += STRIP
    if start < n:
        widen_strip(full_strip(a + start, n - start, padded), x, type)
        memcpy(out + start, x, (n - start) * sizeof(float))


cdef void narrow(const float *a, uint16 *out, Py_ssize_t n, Narrow *type) noexcept nogil:
    cdef float x[STRIP]
    cdef Py_ssize_t start = 0
    while start + STRIP <= n:
        narrow_strip(a + start, out + start, type)
        start += STRIP
    if start < n:
        memset(x, 0, sizeof(x))
        memcpy(x, a + start, (n - start) * sizeof(float))
        put_strip(x, out + start, n - start, type)


# ---- arithmetic

cdef inline float evaluate(Arithmetic *op, float x, float y) noexcept nogil:
    if Arithmetic is Add:
        return x + y
    elif Arithmetic is Sub:
        return x - y
    elif Arithmetic is Mul:
        return x * y
    else:
        return x / y


cdef inline void run(const uint16 *a, const uint16 *b, uint16 *out, Py_ssize_t n, int form, Arithmetic *op,
                     Narrow *type) noexcept nogil:
    """For a `form` known when this is compiled."""
    cdef float x[STRIP]
    cdef float y[STRIP]
    cdef uint16 padded[STRIP]
    cdef float first = (<const float *>a)[0] if form == FIRST_SCALAR else <float>0
    cdef float second = (<const float *>b)[0] if form == SECOND_SCALAR else <float>0
    cdef Py_ssize_t start = 0
    cdef int k
    while start < n:
        if form != FIRST_SCALAR:
            widen_strip(full_strip(a + start, n - start, padded), x, type)
        if form != SECOND_SCALAR:
            widen_strip(full_strip(b + start, n - start, padded), y, type)
        for k in range(STRIP):
            x[k] = evaluate(op, first if form == FIRST_SCALAR else x[k], second if form == SECOND_SCALAR else y[k])
        put_strip(x, out + start, n - start, type)
        start += STRIP


cdef int arithmetic(const uint16 *a, const uint16 *b, uint16 *out, Py_ssize_t n, int form, Arithmetic *op,
                    Narrow *type) noexcept nogil:
    if form == BOTH_VECTORS:
        run(a, b, out, n, BOTH_VECTORS, op, type)
    elif form == FIRST_SCALAR:
        run(a, b, out, n, FIRST_SCALAR, op, type)
    else:
        run(a, b, out, n, SECOND_SCALAR, op, type)
    return 0


# ---- sums of columns

cdef inline void add_strip(const uint16 *a, Py_ssize_t row, Py_ssize_t rows, float *out, Narrow *type) noexcept nogil:
    cdef float sums[STRIP]
    cdef float x[STRIP]
    cdef Py_ssize_t i
    cdef int k
    for k in range(STRIP):
        sums[k] = 0
    for i in range(rows):
        widen_strip(a + i * row, x, type)
        for k in range(STRIP):
            sums[k] += x[k]
    for k in range(STRIP):
        out[k] = sums[k]


cdef void add_columns(const uint16 *a, Py_ssize_t row, Py_ssize_t rows, Py_ssize_t n, float *out,
                      Narrow *type) noexcept nogil:
    """Into float32."""
    cdef float x[STRIP]
    cdef Py_ssize_t start = 0, i, j
    while start + STRIP <= n:
        add_strip(a + start, row, rows, out + start, type)
        start += STRIP
    if start < n and n > STRIP:
        add_strip(a + n - STRIP, row, rows, out + n - STRIP, type)      # some columns twice
    elif start < n:
        memset(out, 0, n * sizeof(float))
        for i in range(rows):
            widen(a + i * row, x, n, type)
            for j in range(n):
                out[j] += x[j]


# ---- table

cdef void install_type(Kernels *table, int code, Narrow *type) noexcept:
    cdef binary_loop *loops = table.narrow[code == BFLOAT16]
    table.convert[code][<int>FLOAT32] = <convert_loop>widen[Narrow]
    table.convert[<int>FLOAT32][code] = <convert_loop>narrow[Narrow]
    loops[<int>ops.ADD] = <binary_loop>arithmetic[Add, Narrow]
    loops[<int>ops.SUB] = <binary_loop>arithmetic[Sub, Narrow]
    loops[<int>ops.MUL] = <binary_loop>arithmetic[Mul, Narrow]
    loops[<int>ops.DIV] = <binary_loop>arithmetic[Div, Narrow]
    table.add_narrow_columns[code == BFLOAT16] = <column_loop>add_columns[Narrow]


cdef public void cygrad_install(void *address) noexcept:
    """Fill the table at `address` with this module's loops."""
    cdef Kernels *table = <Kernels *>address
    install_type(table, FLOAT16, <Half *>NULL)
    install_type(table, BFLOAT16, <Bfloat *>NULL)
