"""How many threads a kernel may use; see thread_count.pyx."""

cdef int thread_count() noexcept nogil
cdef int threads_for(Py_ssize_t work, Py_ssize_t grain) noexcept nogil
cdef int threads_across(int threads, Py_ssize_t nbytes) noexcept nogil
cpdef int get_num_threads()
cpdef set_num_threads(int threads)
