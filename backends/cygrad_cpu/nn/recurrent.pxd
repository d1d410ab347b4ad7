"""Recurrent layers of the CPU backend; see recurrent.pyx."""
from cygrad.view cimport View

cdef object cpu_recurrent(int cell, tuple steps, View gates, View weight, View bias, View h, View c, View values,
                          View kept, View out, View last_h, View last_c)
cdef object cpu_recurrent_backward(int cell, tuple steps, View grad_out, View grad_h, View grad_c, View values,
                                   View kept, View before, View weight, View slopes, View hidden, View slope_h,
                                   View slope_c)
