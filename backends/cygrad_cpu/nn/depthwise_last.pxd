"""Convolutions of groups of few channels, channels side by side; see depthwise_last.pyx."""
from cygrad.view cimport View

cdef bint few_of_group(int groups, View seen, View made, int kind, const Py_ssize_t *kernel, tuple stride,
                       tuple padding, tuple dilation, bint turned) except -1
cdef int depthwise_last(View x, View w, View b, tuple stride, tuple padding, tuple dilation, int groups,
                        View y) except -1
cdef int depthwise_last_input(View grad, View w, tuple stride, tuple padding, tuple dilation, int groups,
                              View y) except -1
cdef int depthwise_last_weight(View grad, View x, tuple stride, tuple padding, tuple dilation, int groups, View sums,
                               int threads) except -1
cdef int depthwise_last_threads(View out, Py_ssize_t seen) noexcept
