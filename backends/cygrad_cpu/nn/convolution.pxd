"""Convolutions of the CPU backend; see convolution.pyx."""
from cygrad.view cimport View

cdef object cpu_conv2d(View a, View weight, View bias, tuple stride, tuple padding, tuple dilation, int groups,
                       View out)
cdef object cpu_conv2d_backward(View grad, View a, View weight, tuple stride, tuple padding, tuple dilation, int groups,
                                View grad_a, View grad_weight, View grad_bias)
