"""The dtypes uint16, uint32 and uint64, of which backends have no kernels: their codes lie behind those of all tables.

`stand_ins` computes them in other dtypes. A kernel never sees one, so no module of kernels has to know of them.
"""
cdef enum:
    UINT16 = 12             # N_DTYPES, the length of the tables
    UINT32 = 13
    UINT64 = 14


cdef inline bint without_kernels(int code) noexcept:
    """Whether a code is one of these: a call of a kernel with such an operand counts as declined."""
    return code >= UINT16
