"""Gather, scatter and nonzero of the CPU backend; see gather_scatter.pyx."""
from cygrad.view cimport View

cdef object cpu_gather(View src, View index, int dim, View out)
cdef object cpu_scatter(int mode, View out, int dim, View index, View src)
cdef object cpu_nonzero(View a, object allocate)
