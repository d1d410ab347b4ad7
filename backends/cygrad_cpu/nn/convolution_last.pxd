"""Convolutions of images whose channels lie side by side; see convolution_last.pyx."""
from cygrad.dtype cimport DType
from cygrad.view cimport View

cdef bint conv2d_last(View a, View weight, View bias, tuple stride, tuple padding, tuple dilation, int groups, View out,
                      DType dtype) except -1
cdef bint input_last(View grad, View weight, tuple stride, tuple padding, tuple dilation, int groups, View out,
                     DType dtype) except -1
cdef bint weight_last(View grad, View a, tuple stride, tuple padding, tuple dilation, int groups, View out,
                      DType dtype) except -1
