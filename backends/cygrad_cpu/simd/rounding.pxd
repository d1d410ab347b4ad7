"""16-bit floats as values in float32: the one next to a number."""
from cygrad_cpu.simd.element_types cimport uint32


cdef union Bits:
    float value
    uint32 bits


cdef inline float as_half(float a) noexcept nogil:
    """The half next to `a`: the sum with a power of two so large that its last bit is the half's, less that power."""
    cdef Bits value, anchor
    cdef uint32 sign, exponent
    value.value = a
    sign = value.bits & <uint32>0x80000000
    value.bits = value.bits & 0x7FFFFFFF
    if value.bits < 0x477FF000:
        exponent = value.bits & 0x7F800000
        exponent = exponent if exponent > 0x38800000 else <uint32>0x38800000      # 2^-14: below are subnormals
        anchor.bits = exponent + 0x06800000                                       # times 2^13
        value.value = (value.value + anchor.value) - anchor.value
    elif value.bits < 0x7F800000:
        value.bits = 0x7F800000                                                   # 65520 and above: infinity
    value.bits = value.bits | sign
    return value.value


cdef inline float as_bfloat(float a) noexcept nogil:
    cdef Bits value
    value.value = a
    if value.bits & 0x7FFFFFFF <= 0x7F800000:
        value.bits = (value.bits + <uint32>0x7FFF + ((value.bits >> 16) & 1)) & <uint32>0xFFFF0000
    return value.value
