"""Which dtype holds two others: PyTorch's table for pairs, by code. `dtype.promote` looks it up."""
from cygrad.dtype cimport BFLOAT16, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT8, INT16, UINT8


cdef inline int promoted_code(int a, int b) noexcept:
    """The higher category wins, within one the wider; float16 with bfloat16 is float32."""
    if a > b:
        a, b = b, a
    if a == UINT8 and b == INT8:
        return INT16
    if a == FLOAT16 and b == BFLOAT16:
        return FLOAT32
    if a == FLOAT64 and b == COMPLEX64:
        return COMPLEX128
    return b
