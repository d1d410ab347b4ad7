"""Write a short run of drawn values as elements of any dtype: the last step of every sampler.

Inline functions only. dtype codes are those of `cygrad.dtype`. 16-bit floats are rounded to nearest even; a double or
an integer reaches them by way of float32, as in PyTorch. Doubles become small integers by way of int32.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from cygrad.dtype cimport BOOL, UINT8, INT8, INT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64

ctypedef fused drawn:
    uint8_t
    int64_t
    float
    double

ctypedef fused element:
    uint8_t
    int8_t
    int16_t
    int32_t
    int64_t
    float
    double


cdef inline uint32_t float_bits(float x) noexcept nogil:
    cdef uint32_t bits
    memcpy(&bits, &x, 4)
    return bits


cdef inline float bits_float(uint32_t bits) noexcept nogil:
    cdef float x
    memcpy(&x, &bits, 4)
    return x


cdef inline uint16_t to_half(float x) noexcept nogil:
    """IEEE binary16; below 2**-14 adding 0.5 moves the subnormal's last bit to the float's, so the adder rounds."""
    cdef uint32_t bits = float_bits(x)
    cdef uint32_t size = bits & 0x7fffffffu
    cdef uint32_t normal = (size + 0xc8000fffu + ((size >> 13) & 1)) >> 13
    cdef uint32_t small = float_bits(bits_float(size) + <float> 0.5) - 0x3f000000u
    cdef uint32_t large = 0x7e00u if size > 0x7f800000u else 0x7c00u
    cdef uint32_t result = small if size < 0x38800000u else normal
    result = large if size >= 0x47800000u else result
    return <uint16_t> (result | ((bits >> 16) & 0x8000u))


cdef inline float from_half(uint16_t half) noexcept nogil:
    """Exact: exponent and fraction read as a float that is 2**112 too small, then scaled."""
    cdef uint32_t size = <uint32_t> (half & 0x7fff) << 13
    cdef float x = bits_float(size) * bits_float(0x77800000u)
    if size >= 0x0f800000u:
        x = bits_float(size | 0x7f800000u)
    return bits_float(float_bits(x) | (<uint32_t> (half & 0x8000) << 16))


cdef inline uint16_t to_bfloat(float x) noexcept nogil:
    cdef uint32_t bits = float_bits(x)
    cdef uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16
    return <uint16_t> (0x7fc0u if (bits & 0x7fffffffu) > 0x7f800000u else rounded)


cdef inline float from_bfloat(uint16_t value) noexcept nogil:
    return bits_float(<uint32_t> value << 16)


cdef inline double load(const void* source, int dtype, Py_ssize_t i) noexcept nogil:
    """Element i of an array of floats."""
    if dtype == FLOAT64:
        return (<const double*> source)[i]
    if dtype == FLOAT32:
        return (<const float*> source)[i]
    if dtype == FLOAT16:
        return from_half((<const uint16_t*> source)[i])
    return from_bfloat((<const uint16_t*> source)[i])


cdef inline void cast(element* out, const drawn* values, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if drawn is double and (element is uint8_t or element is int8_t or element is int16_t):
            out[i] = <element> <int32_t> values[i]
        else:
            out[i] = <element> values[i]


cdef inline void store(void* out, int dtype, Py_ssize_t start, const drawn* values, Py_ssize_t n) noexcept nogil:
    """out[start:start + n] = values"""
    cdef Py_ssize_t i
    cdef uint16_t* out16 = <uint16_t*> out + start
    if dtype == FLOAT32:
        cast(<float*> out + start, values, n)
    elif dtype == FLOAT64:
        cast(<double*> out + start, values, n)
    elif dtype == INT64:
        cast(<int64_t*> out + start, values, n)
    elif dtype == FLOAT16:
        for i in range(n):
            out16[i] = to_half(<float> values[i])
    elif dtype == BFLOAT16:
        for i in range(n):
            out16[i] = to_bfloat(<float> values[i])
    elif dtype == INT32:
        cast(<int32_t*> out + start, values, n)
    elif dtype == INT16:
        cast(<int16_t*> out + start, values, n)
    elif dtype == INT8:
        cast(<int8_t*> out + start, values, n)
    elif dtype == UINT8:
        cast(<uint8_t*> out + start, values, n)
    elif dtype == BOOL:
        for i in range(n):
            (<uint8_t*> out)[start + i] = values[i] != 0
