"""What samplers take; see sampler_parameters.pyx."""
from cygrad.random.samplers cimport Job

cdef int write_parameters(Job* job, tuple params) except -1
cdef str scalar_name(int dtype)
