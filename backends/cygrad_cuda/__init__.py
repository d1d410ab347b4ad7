"""cygrad's CUDA backend: devices, memory, programs and launches through NVIDIA's driver API and NVRTC.

The kernels are cygrad_gpu's. NVIDIA's `cuda-bindings` is imported when a device is first asked for.
"""
from . import _compiled     # first: it is the library that the others are in
from .backend import CUDABackend

__all__ = ["CUDABackend"]
