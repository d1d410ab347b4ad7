"""Convolutions that make few channels, which lie side by side; see few_channels_last.pyx."""
from cygrad.view cimport View

cdef int few_channels(View grad, View weight, View bias, tuple stride, tuple padding, tuple dilation, bint turned,
                      View out) except -1
