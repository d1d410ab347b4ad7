"""Layer and group normalisation of the CPU backend; see normalization.pyx."""
from cygrad.view cimport View

cdef object cpu_layer_norm(View a, View weight, View bias, double eps, View out, View mean, View rstd)
cdef object cpu_layer_norm_backward(View grad, View a, View mean, View rstd, View weight, View grad_a,
                                    View grad_weight, View grad_bias)
cdef object cpu_group_norm(View a, View weight, View bias, double eps, View out, View mean, View rstd)
cdef object cpu_group_norm_backward(View grad, View a, View mean, View rstd, View weight, View grad_a,
                                    View grad_weight, View grad_bias)
