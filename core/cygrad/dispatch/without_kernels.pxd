"""The dtypes of which backends have no kernels: their codes lie behind those of all tables.

These are uint16, uint32 and uint64, which `unsigned_stand_ins` computes in other dtypes, complex32, which
`narrow_stand_ins` computes in complex64, and the private dtypes of lazy conjugates and negatives and of bools in bytes
of another dtype, which `lazy_views` resolves. A kernel never sees one,
so no module of kernels has to know of them.
"""
from cygrad.dtype cimport BOOL, INT16, INT32, LAZY

cdef enum:
    UINT16 = 12             # N_DTYPES, the length of the tables
    UINT32 = 13
    UINT64 = 14
    COMPLEX32 = 15
    ANY_BYTE = 4            # the third flag of a lazy view: of bools whose bytes may be others than 0 and 1


cdef inline bint without_kernels(int code) noexcept:
    """Whether a code is one of these: a call of a kernel with such an operand counts as declined."""
    return code >= UINT16


cdef inline bint is_unsigned(int code) noexcept:
    """Whether a code is that of uint16, uint32 or uint64."""
    return UINT16 <= code <= UINT64


cdef inline bint is_lazy(int code) noexcept:
    """Whether a code, or one of several that were put together by `|`, is that of a lazy view."""
    return code >= LAZY


cdef inline bint of_any_byte(int code) noexcept:
    """Whether a code is that of bools whose bytes may be others than 0 and 1."""
    return code == BOOL + LAZY * ANY_BYTE


cdef inline int signed_code(int code) noexcept:
    """The signed dtype of as many bytes as one of these, lazy views aside: int16, int32 or int64."""
    return INT32 if code == COMPLEX32 else INT16 + code - UINT16
