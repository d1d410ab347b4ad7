"""Exchange of memory with other libraries under PyTorch's names; see `cygrad.from_dlpack`."""
import enum

from cygrad import from_dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


class DLDeviceType(enum.IntEnum):
    """DLPack's numbers for kinds of devices."""

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


def to_dlpack(tensor):
    """A capsule of version 0 with which another library can use the tensor's memory.

    Parameters
    ----------
    tensor : Tensor

    Returns
    -------
    capsule

    Examples
    --------
    >>> cygrad.utils.dlpack.from_dlpack(cygrad.utils.dlpack.to_dlpack(cygrad.arange(3)))
    tensor([0, 1, 2])
    """
    return tensor.__dlpack__()
