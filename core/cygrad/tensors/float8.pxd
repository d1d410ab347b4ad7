"""Floats of 8 bits, one at a time: float8_e4m3fn, float8_e5m2, their forms without a negative zero, float8_e8m0fnu.

A float is rounded to the nearest, of two to the one with an even last bit. What is larger than all is what PyTorch
makes of it: the largest (float8_e4m3fn), infinity (float8_e5m2) or nan.
"""
from libc.stdint cimport uint8_t, uint32_t

from cygrad.dispatch.without_kernels cimport (FLOAT8_E4M3FN, FLOAT8_E4M3FNUZ, FLOAT8_E5M2, FLOAT8_E5M2FNUZ,
                                              FLOAT8_E8M0FNU)
from cygrad.tensors.element_stores cimport bits_float, float_bits


cdef inline int digits(int code) noexcept nogil:
    """Bits of the fraction."""
    return 3 if code == FLOAT8_E4M3FN or code == FLOAT8_E4M3FNUZ else 2


cdef inline int bias(int code) noexcept nogil:
    """What is added to exponents."""
    return (7 if code == FLOAT8_E4M3FN else 15 if code == FLOAT8_E5M2 else 8 if code == FLOAT8_E4M3FNUZ else 16)


cdef inline bint one_zero(int code) noexcept nogil:
    """Whether the negative zero is nan."""
    return code == FLOAT8_E4M3FNUZ or code == FLOAT8_E5M2FNUZ


cdef inline uint8_t to_exponent(uint32_t bits) noexcept nogil:
    """float8_e8m0fnu: the exponent of a float's magnitude."""
    cdef uint32_t exponent = (bits >> 23) & 0xff
    if exponent == 0xff:
        return 0xff
    return <uint8_t> (exponent + ((bits & 0x400000u) != 0 and ((bits & 0x3fffffu) != 0 or exponent != 0)))


cdef inline uint8_t to_float8(float x, int code) noexcept nogil:
    cdef uint32_t bits = float_bits(x)
    cdef uint32_t size = bits & 0x7fffffffu, sign = (bits >> 24) & 0x80u, result, magic
    cdef int cut = 23 - digits(code), start = 127 - bias(code)
    if code == FLOAT8_E8M0FNU:
        return to_exponent(bits)
    if size > 0x7f800000u:
        return 0x80 if one_zero(code) else <uint8_t> (0x7fu | sign)
    if size >= <uint32_t> (start + 1) << 23:
        result = ((size + (1u << (cut - 1)) - 1 + ((size >> cut) & 1)) >> cut) - (<uint32_t> start << digits(code))
    else:                                   # below the normal ones the adder of floats rounds
        magic = <uint32_t> (start + 24 - digits(code)) << 23
        result = float_bits(bits_float(size) + bits_float(magic)) - magic
    if code == FLOAT8_E4M3FN:
        return <uint8_t> ((0x7eu if result > 0x7eu else result) | sign)
    if code == FLOAT8_E5M2:
        return <uint8_t> ((0x7cu if result > 0x7cu else result) | sign)
    return 0x80 if result > 0x7fu else 0 if result == 0 else <uint8_t> (result | sign)


cdef inline float from_float8(uint8_t x, int code) noexcept nogil:
    cdef uint32_t size = x & 0x7fu, sign = <uint32_t> (x & 0x80u) << 24
    cdef int cut = 23 - digits(code), start = 127 - bias(code)
    if code == FLOAT8_E8M0FNU:
        return bits_float(0x7fc00000u if x == 0xff else 0x400000u if x == 0 else <uint32_t> x << 23)
    if one_zero(code):
        if x == 0x80:
            return bits_float(0x7fc00000u)
    elif code == FLOAT8_E4M3FN:
        if size == 0x7fu:
            return bits_float(0x7fc00000u | sign)
    elif size >= 0x7cu:
        return bits_float((0x7f800000u if size == 0x7cu else 0x7fc00000u) | sign)
    if size < 1u << digits(code):           # a whole number of the smallest
        return bits_float(float_bits(<float> size * bits_float(<uint32_t> (start + 1 - digits(code)) << 23)) | sign)
    return bits_float(((size << cut) + (<uint32_t> start << 23)) | sign)
