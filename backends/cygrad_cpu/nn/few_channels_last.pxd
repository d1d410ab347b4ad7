"""The gradient of an input of few channels, channels side by side; see few_channels_last.pyx."""
from cygrad.view cimport View

cdef int few_channels_input(View grad, View weight, tuple stride, tuple padding, tuple dilation, View out) except -1
