"""Attention of the CPU backend; see attention.pyx."""
from cygrad.view cimport View

cdef object cpu_attention(View query, View key, View value, View mask, bint causal, double scale, View out)
