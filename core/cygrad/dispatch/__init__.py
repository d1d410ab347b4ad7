"""From an op to a kernel: promotion, allocation, merging of axes, calls of kernels, what happens when one declines."""
