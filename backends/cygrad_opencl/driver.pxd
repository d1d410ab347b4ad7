"""The few calls of the OpenCL API that are on every op's path; see driver.pyx."""

cdef class Queue:
    """An in-order queue of a device."""
    cdef void *queue
    cdef readonly object opened         # pyopencl's CommandQueue
    cdef unsigned int launches          # since the start; every so often the driver is told to go on
    cdef public int shares              # tensors in memory that the host uses, too: launches are waited for

cdef bint forked
cdef int refuse_forked() except -1
cdef int watch_forks() except -1

cdef int check(int code, str call) except -1
cdef int set_argument(void *kernel, unsigned int position, size_t size, const void *value) noexcept nogil
cdef int enqueue(Queue queue, void *kernel, size_t groups, size_t group) noexcept nogil
cdef int write(Queue queue, void *buffer, size_t start, size_t size, const void *host) except -1
cdef int read(Queue queue, void *buffer, size_t start, size_t size, void *host) except -1
cdef int copy(Queue queue, void *source, size_t source_start, void *target, size_t target_start, size_t size) except -1
cdef int finish(Queue queue) except -1
