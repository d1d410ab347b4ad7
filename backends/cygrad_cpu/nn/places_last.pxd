"""Convolutions of 1x1 filters and few channels that lie side by side; see places_last.pyx."""
from cygrad.view cimport View

cdef bint alike(int groups, Py_ssize_t seen, Py_ssize_t made, int kind, bint weight) noexcept
cdef int places_last(View seen, View w, View b, int groups, View made, View sums, int threads) except -1
