"""Softmax and layer normalisation of the CPU backend; see softmax.pyx."""
from cygrad.view cimport View

cdef object cpu_softmax(View a, bint log, View out)
cdef object cpu_softmax_backward(View grad, View result, bint log, View out)
cdef object cpu_layer_norm(View a, View weight, View bias, double eps, View out, View mean, View rstd)
cdef object cpu_layer_norm_backward(View grad, View a, View mean, View rstd, View weight, View grad_a,
                                    View grad_weight, View grad_bias)
cdef object cpu_group_norm(View a, View weight, View bias, double eps, View out, View mean, View rstd)
cdef object cpu_group_norm_backward(View grad, View a, View mean, View rstd, View weight, View grad_a,
                                    View grad_weight, View grad_bias)
