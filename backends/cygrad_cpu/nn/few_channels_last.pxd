"""Convolutions that make few channels, which lie side by side; see few_channels_last.pyx."""
from cygrad.view cimport View

cdef int few_channels(View grad, View weight, View bias, tuple stride, tuple padding, tuple dilation, bint turned,
                      View out) except -1

cdef enum:
    FEWEST = 8                  # filters of a group: products of fewer would leave most of a vector empty

cdef enum Way:
    PRODUCTS                    # see convolution_last.pyx
    SUMS                        # ... `few_channels`
    ROW_MAJOR                   # ... convolution.pyx, of copies

cdef Py_ssize_t time_of(Py_ssize_t columns, Py_ssize_t lanes, Py_ssize_t depth) noexcept    # of a product
cdef Way best_way(int kind, Py_ssize_t made, Py_ssize_t seen, Py_ssize_t taps, bint strided) noexcept
