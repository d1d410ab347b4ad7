"""Convolutions of few channels that lie side by side; see neighbours_last.pyx."""
from cygrad.view cimport View

cdef bint few_beside(int groups, Py_ssize_t seen, Py_ssize_t made, Py_ssize_t height, Py_ssize_t width, int kind,
                     const Py_ssize_t *kernel, tuple stride, tuple dilation, bint turned, bint weight) except -1
cdef int neighbours_last(View seen, View w, View b, tuple stride, tuple padding, tuple dilation, int groups,
                         bint turned, View made, View sums, int threads) except -1
