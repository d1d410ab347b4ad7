"""All OpenCL devices of the machine, in a fixed order, and the choice among them by CYGRAD_OPENCL_DEVICE.

The variable is an index of the whole list or a part of a device's or its platform's name; what it selects becomes
``opencl:0``, and the rest stays reachable after it.
"""
import os

from cygrad.errors import BackendUnavailable
from cygrad_gpu.codegen.traits import Traits

from cygrad_opencl import pocl

_found = None


def devices():
    """pyopencl's devices: graphics processors and accelerators before CPUs, else in the platforms' order."""
    global _found
    if _found is None:
        _found = _chosen_first(_enumerate(), os.environ.get("CYGRAD_OPENCL_DEVICE", "").strip())
        for device in _found:
            pocl.repair(device)
    return _found


def _enumerate():
    import pyopencl
    pocl.configure()
    found = []
    for platform in pyopencl.get_platforms():
        try:
            found += platform.get_devices()
        except pyopencl.Error:              # a platform without devices says so by an error
            continue
    usable = [device for device in found if device.available and device.compiler_available and device.endian_little]
    return sorted(usable, key=is_processor)


def _chosen_first(found, wish):
    if not wish or not found:
        return found
    if wish.isdigit() and int(wish) < len(found):
        chosen = found[int(wish)]
    else:
        named = [device for device in found if wish.lower() in name_of(device).lower()]
        if wish.isdigit() or not named:
            names = "; ".join(f"{i}: {name_of(device)}" for i, device in enumerate(found))
            raise BackendUnavailable(f"CYGRAD_OPENCL_DEVICE={wish!r} is no device of this machine; set it to an index "
                                     f"or a part of a name of: {names}")
        chosen = named[0]
    return [chosen] + [device for device in found if device is not chosen]


def is_processor(device):
    """Whether the device is a CPU."""
    import pyopencl
    return bool(device.type & pyopencl.device_type.CPU)


def name_of(device):
    """What a user would call the device: its name and platform."""
    return f"{device.name.strip()} ({device.platform.name.strip()})"


def traits_of(device):
    """The `Traits` of a pyopencl device."""
    processor = is_processor(device)
    return Traits(dialect="opencl", processor=processor, fp64="cl_khr_fp64" in device.extensions.split(),
                  group=min(256, device.max_work_group_size), units=device.max_compute_units * (1 if processor else 8),
                  local_memory=device.local_mem_size)
