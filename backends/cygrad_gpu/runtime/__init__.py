"""Entries, launches, memory pools and compiled kernels, as the OpenCL and CUDA backends share them."""
