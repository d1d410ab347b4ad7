"""What a generator of source must know of the device it writes for."""
from typing import NamedTuple


class Traits(NamedTuple):
    """Fixed for the life of a device; part of what a compiled program is cached by.

    Attributes
    ----------
    dialect : str
        ``"opencl"`` or ``"cuda"``.
    processor : bool
        The device is a CPU: work-items of a group are lanes of vector instructions, groups are spread over threads.
    fp64 : bool
        It has double precision.
    group : int
        Work-items of a group in kernels without a need of their own.
    units : int
        Groups that run at once, roughly: what a kernel needs to fill the device.
    local_memory : int
        Bytes that a group's items can share.
    """

    dialect: str
    processor: bool
    fp64: bool
    group: int
    units: int
    local_memory: int
