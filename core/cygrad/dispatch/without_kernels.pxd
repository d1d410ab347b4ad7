"""The dtypes of which backends have no kernels: their codes lie behind those of all tables.

These are uint16 to uint64, which `unsigned_stand_ins` computes in other dtypes, complex32 and floats of 8 bits,
which `narrow_stand_ins` computes in complex64 and float32, and the private dtypes of lazy conjugates and negatives and
of bools in bytes of another dtype, which `lazy_views` resolves. A kernel never sees one, so no module of kernels has to
know of them.
"""
from cygrad.dtype cimport BOOL, INT8, INT16, INT32, LAZY

cdef enum:
    UINT16 = 12             # N_DTYPES, the length of the tables
    UINT32 = 13
    UINT64 = 14
    COMPLEX32 = 15
    FLOAT8_E4M3FN = 16
    FLOAT8_E5M2 = 17
    FLOAT8_E4M3FNUZ = 18
    FLOAT8_E5M2FNUZ = 19
    FLOAT8_E8M0FNU = 20
    ANY_BYTE = 4            # the third flag of a lazy view: of bools whose bytes may be others than 0 and 1


cdef inline bint without_kernels(int code) noexcept:
    """Whether a code is one of these: a call of a kernel with such an operand counts as declined."""
    return code >= UINT16


cdef inline bint is_unsigned(int code) noexcept:
    """Whether a code is that of uint16, uint32 or uint64."""
    return UINT16 <= code <= UINT64


cdef inline bint is_float8(int code) noexcept:
    """Whether a code is that of a float of 8 bits."""
    return FLOAT8_E4M3FN <= code <= FLOAT8_E8M0FNU


cdef inline bint is_narrow(int code) noexcept:
    """Whether a code is that of complex32 or of a float of 8 bits."""
    return COMPLEX32 <= code <= FLOAT8_E8M0FNU


cdef inline bint is_lazy(int code) noexcept:
    """Whether a code, or one of several that were put together by `|`, is that of a lazy view."""
    return code >= LAZY


cdef inline bint of_any_byte(int code) noexcept:
    """Whether a code is that of bools whose bytes may be others than 0 and 1."""
    return code == BOOL + LAZY * ANY_BYTE


cdef inline int signed_code(int code) noexcept:
    """The signed dtype of as many bytes as one of these, lazy views aside: int8, int16, int32 or int64."""
    return INT8 if is_float8(code) else INT32 if code == COMPLEX32 else INT16 + code - UINT16
