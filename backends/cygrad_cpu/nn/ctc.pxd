"""Connectionist temporal classification of the CPU backend; see ctc.pyx."""
from cygrad.view cimport View

cdef object cpu_ctc_loss(View a, View labels, View starts, View counts, View steps, int blank, View out, View sums,
                         View outside)
cdef object cpu_ctc_loss_backward(View grad, View a, View labels, View starts, View counts, View steps, int blank,
                                  View losses, View sums, bint zero_infinity, View grad_a)
