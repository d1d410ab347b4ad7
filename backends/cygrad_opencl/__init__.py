"""cygrad's OpenCL backend: devices, buffers, programs and launches through pyopencl; the kernels are cygrad_gpu's.

pyopencl itself is imported when a device is first asked for.
"""
from .backend import OpenCLBackend

__all__ = ["OpenCLBackend"]
