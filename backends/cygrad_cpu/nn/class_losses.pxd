"""Losses by classes of the CPU backend; see class_losses.pyx."""
from cygrad.view cimport View

cdef object cpu_nll_loss(View a, View target, View weight, long long ignore, bint mean, View out, View outside)
cdef object cpu_nll_loss_backward(View grad, View target, View weight, long long ignore, bint mean, View grad_a)
