"""The dtypes uint16, uint32 and uint64, of which backends have no kernels: their codes lie behind those of all tables.

`unsigned_stand_ins` computes them in other dtypes. A kernel never sees one, so no module of kernels has to know of
them.
"""
from cygrad.dtype cimport INT16

cdef enum:
    UINT16 = 12             # N_DTYPES, the length of the tables
    UINT32 = 13
    UINT64 = 14


cdef inline bint without_kernels(int code) noexcept:
    """Whether a code is one of these: a call of a kernel with such an operand counts as declined."""
    return code >= UINT16


cdef inline int signed_code(int code) noexcept:
    """The signed dtype of as many bytes as one of these: int16, int32 or int64, whose codes follow each other, too."""
    return INT16 + code - UINT16
