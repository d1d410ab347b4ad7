"""cygrad's CUDA backend: devices, memory, programs and launches through NVIDIA's driver API and NVRTC.

The kernels are cygrad_gpu's. NVIDIA's `cuda-bindings` is imported when a device is first asked for.
"""
from .backend import CUDABackend

__all__ = ["CUDABackend"]
