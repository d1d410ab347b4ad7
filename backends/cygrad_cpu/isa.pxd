cdef int install_kernels(str name, void *table) except -1   # fills `table` by the best variant of kernels/<name>.pyx
