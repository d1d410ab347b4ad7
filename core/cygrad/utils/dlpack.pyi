# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor, _DeviceLike
from enum import IntEnum
from typing import Any
class DLDeviceType(IntEnum):
    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17
def from_dlpack(ext_tensor: Any, *, device: _DeviceLike | None = None, copy: bool | None = None) -> Tensor: ...
def to_dlpack(tensor: Tensor) -> Any: ...
