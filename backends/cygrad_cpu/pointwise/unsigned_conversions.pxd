"""Conversions between uint16, uint32, uint64 and other numbers."""
from cygrad.view cimport View

cdef object cpu_convert_unsigned(View src, View out)
