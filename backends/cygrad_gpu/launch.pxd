"""What passes between a family of kernels and the backend that launches them."""
from cygrad.backend cimport Backend
from cygrad.storage cimport Storage
from cygrad.view cimport View

cdef enum:
    MAX_ARGUMENTS = 64

cdef struct Arguments:              # of one launch: where each value lies, and room for those that are not elsewhere
    int count
    bint wide                       # floating-point numbers are passed as double, else as float
    size_t used
    size_t sizes[MAX_ARGUMENTS]
    void *values[MAX_ARGUMENTS]
    long long room[256]

cdef class Memory:
    """A buffer on a device: what `Storage.handle` is on these backends."""
    cdef size_t address             # the driver's handle or device address, 8 bytes as a kernel takes it
    cdef Py_ssize_t capacity        # bytes really taken

cdef class Kernel:
    """A compiled kernel of one device."""
    cdef void *function             # the driver's handle
    cdef readonly int group         # work-items of a group, fixed in the source as GROUP
    cdef readonly str name
    cdef readonly object program    # keeps the driver's object alive

cdef class GPUBackend(Backend):
    cdef readonly list opened       # devices by index, None where not opened yet; each has `pool` and `programs`
    cdef list kernels               # for each device {key: Kernel}
    cdef object lock                # held while a kernel is made

    cdef Kernel kernel_of(self, int index, object key)
    cdef int run(self, int index, Kernel kernel, Py_ssize_t groups, Arguments *arguments) except -1

cdef void begin(Arguments *arguments, bint wide) noexcept
cdef int add_view(Arguments *arguments, View v) except -1
cdef int add_long(Arguments *arguments, long long value) except -1
cdef int add_number(Arguments *arguments, double value) except -1
cdef int add_axes(Arguments *arguments, const Py_ssize_t *values, int count) except -1
