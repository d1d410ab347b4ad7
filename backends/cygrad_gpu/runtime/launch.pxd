"""What passes between a family of kernels and the backend that launches them."""
from cygrad.backend cimport Backend
from cygrad.storage cimport Storage
from cygrad.view cimport View
from cygrad_gpu.runtime.memory_pool cimport Pool

cdef enum:
    MAX_ARGUMENTS = 64
    MAX_WORDS = 256
    OWN = 255                       # in Launch.which: no operand, no scratch, but memory that stays

cdef struct Arguments:              # of one launch: where each value lies, and room for those that are not elsewhere
    int count
    bint wide                       # floating-point numbers are passed as double, else as float
    size_t used
    size_t sizes[MAX_ARGUMENTS]
    void *values[MAX_ARGUMENTS]
    int views                       # how many of the arguments are Views, which they are, and the word of each
    void *viewed[MAX_ARGUMENTS]
    int places[MAX_ARGUMENTS]
    long long room[MAX_WORDS]

cdef class Kernel:
    """A compiled kernel of one device."""
    cdef void *function             # the driver's handle
    cdef readonly int group         # work-items of a group, fixed in the source as GROUP
    cdef readonly str name
    cdef readonly object program    # keeps the driver's object alive

cdef class Launch:
    """One launch of a plan: the arguments, but for the memory that they lie in."""
    cdef Kernel kernel
    cdef Py_ssize_t groups
    cdef bytes words                # of Arguments.room
    cdef int count
    cdef unsigned char sizes[MAX_ARGUMENTS]     # in bytes
    cdef int views
    cdef unsigned char which[MAX_ARGUMENTS]     # the operand or, beyond, the scratch; or OWN
    cdef short places[MAX_ARGUMENTS]

cdef class Plan:
    """What a family launches for operands of a geometry; while it is made, the operands and scratches, too."""
    cdef unsigned long thread
    cdef list views
    cdef list scratch               # bytes of each
    cdef list launches              # [Launch], or None where they can't be done again

cdef class GPUDevice:
    """An opened device. A backend's own is a subclass, which makes these three."""
    cdef readonly Pool pool
    cdef readonly object programs   # compiled ones: ``programs.kernel(source, name) -> (object, the driver's handle)``
    cdef readonly object traits
    cdef View arrivals              # see `GPUBackend.arrivals`; None before they are wanted

cdef class GPUBackend(Backend):
    cdef readonly list opened       # [GPUDevice], None where not opened yet
    cdef list kernels               # for each device {key: Kernel}
    cdef object lock                # held while a kernel is made
    cdef dict plans                 # {(family, numbers, geometry of operands): Plan}
    cdef Plan planning              # the one that is made now

    cdef GPUDevice device(self, int index)
    cdef Kernel kernel_of(self, int index, object key)
    cdef int run(self, int index, Kernel kernel, Py_ssize_t groups, Arguments *arguments) except -1
    cdef int enqueue(self, int index, Kernel kernel, Py_ssize_t groups, Arguments *arguments) except -1
    cdef object planned(self, object family, tuple operands, tuple numbers)
    cdef int launch_again(self, Plan plan, tuple operands) except -1

cdef void begin(Arguments *arguments, bint wide) noexcept
cdef int add_view(Arguments *arguments, View v) except -1
cdef int add_long(Arguments *arguments, long long value) except -1
cdef int add_number(Arguments *arguments, double value) except -1
cdef int add_axes(Arguments *arguments, const Py_ssize_t *values, int count) except -1
