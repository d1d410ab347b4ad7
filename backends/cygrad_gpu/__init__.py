"""What the OpenCL and CUDA backends share: kernel source for both dialects, and the launching of kernels.

No device API is imported or called here. A family of kernels is one module: text for the compiler, and the function
behind an entry of the contract. docs/opencl.md is the map.
"""
from . import _compiled     # the library that the modules are in
