"""cygrad's OpenCL backend: devices, buffers, programs and launches through pyopencl; the kernels are cygrad_gpu's.

pyopencl itself is imported when a device is first asked for.
"""
from . import _compiled     # first: it is the library that the others are in
from .backend import OpenCLBackend

__all__ = ["OpenCLBackend"]
