cdef void *kernel_table(str name) except NULL       # the struct that a module of kernels/ exports, for this processor
