"""The `elementwise` entry of the CPU backend, and what `map_reduce` takes of it; see elementwise.pyx."""
from cygrad.backend cimport Backend
from cygrad_cpu.pointwise.blocks cimport Job
from cygrad_cpu.pointwise.plans cimport Plan, Step

cdef struct Details:        # what the threads share
    const Plan *plan
    char *values            # of the constants, those of this call included
    char *memory            # the buffers, `bytes` of them for each thread
    Py_ssize_t bytes
    Py_ssize_t unit         # of one buffer
    int views               # operands of the job that are inputs
    int inputs[8]           # the slot of each
    bint early[4]           # out j shares memory with an input that is read after it is written
    bint single[8]          # input k is one element for a block, which `step` takes as such
    const Step *step        # the plan's, for these
    bint chain              # they are run as one

cdef struct Workspace:      # of a thread
    char *slots[160]
    char *moved[12]         # for each operand of the job, a buffer where it needs one; or NULL
    char *converted[12]     # likewise
    char *scratch           # between two conversions

cdef object cpu_elementwise(Backend backend, tuple program, tuple ins, tuple outs)
cdef Py_ssize_t buffers_of(const Job *job, const Details *details) noexcept nogil
cdef Py_ssize_t grain_of(const Plan *plan) noexcept
cdef void open_workspace(const Job *job, const Details *details, char *memory, Workspace *w) noexcept nogil
cdef bint reads_plainly(const Plan *plan, tuple ins)
