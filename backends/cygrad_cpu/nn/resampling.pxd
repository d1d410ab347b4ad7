"""Resampling along axes and by grids of the CPU backend; see resampling.pyx."""
from cygrad.view cimport View

cdef object cpu_resample(View a, View places, View weights, View out)
cdef object cpu_grid_sample(int mode, int padding, bint align, View a, View grid, View out)
cdef object cpu_grid_sample_backward(int mode, int padding, bint align, View grad, View a, View grid, View grad_a,
                                     View grad_grid)
