"""The random number generators; see generator.pyx."""
cimport cython
from libc.stdint cimport uint64_t

from cygrad.random.mt19937 cimport Engine
from cygrad.random.samplers cimport Job


cdef class Turn:
    cdef cython.pymutex lock


cdef class Generator:
    cdef Engine engine
    cdef readonly object device     # where the numbers are drawn
    cdef bint counted               # by a device's counter-based stream: its seed is engine.seed
    cdef uint64_t offset            # of that stream's next block
    cdef Turn turn                  # held while numbers are drawn, so threads may share a generator
    cdef int drawing                # threads that draw, or wait to, without the GIL
    cdef unsigned int forks         # in which process they are

    cdef int draw(self, str sampler, void* out, Py_ssize_t n, int dtype, tuple params) except -1    # as `fill`
    cdef int draw_standard(self, bint normal, void* out, Py_ssize_t n, int dtype) except -1
    cdef Turn own_turn(self)
    cdef int carry_out(self, Job* job, void* scratch) noexcept
    cpdef Generator manual_seed(self, object seed)
    cpdef bytes state_bytes(self)
