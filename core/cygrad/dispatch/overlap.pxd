"""Operands that share memory: elements that lie on one place, and what an op writes to while it still reads it."""
from cygrad.view cimport View

cdef bint has_no_gaps(View v)
cdef bint shows_a_place_twice(View v) noexcept
cdef int refuse_self_overlap(View out) except -1
cdef int refuse_overlap(View out, View other, bint whole) except -1
