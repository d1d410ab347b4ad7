"""Arithmetic of sizes, strides and offsets that notices an overflow: every view and every allocation counts with it."""

cdef extern from *:
    bint multiply_overflows "__builtin_mul_overflow"(Py_ssize_t a, Py_ssize_t b, Py_ssize_t *product) noexcept nogil
    bint add_overflows "__builtin_add_overflow"(Py_ssize_t a, Py_ssize_t b, Py_ssize_t *total) noexcept nogil


cdef inline Py_ssize_t product(Py_ssize_t a, Py_ssize_t b) except? -1:
    """a * b; raises PyTorch's error where that is too large."""
    cdef Py_ssize_t found
    if multiply_overflows(a, b, &found):
        raise RuntimeError("numel: integer multiplication overflow")
    return found


cdef inline Py_ssize_t bytes_of(Py_ssize_t elements, Py_ssize_t itemsize) except -1:
    """Bytes of a dense tensor; raises PyTorch's error where they don't fit an address."""
    cdef Py_ssize_t found
    if multiply_overflows(elements, itemsize, &found):
        raise RuntimeError(f"Storage size calculation overflowed with sizes=[{elements}]")
    return found
