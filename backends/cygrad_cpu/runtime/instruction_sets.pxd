"""Which of a kernel's compiled variants runs here: both functions fill `table` by the best of kernels/<name>.pyx."""

cdef int install_kernels(str name, void *table) except -1
cdef int install_if_built(str name, void *table) except -1      # 0 where there is none: the table stays as it is
