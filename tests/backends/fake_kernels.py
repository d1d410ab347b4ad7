"""Runs the CUDA backend's kernels without a GPU: their text, in the OpenCL dialect, on PoCL.

The kernels of both dialects are one text but for its first page (`cygrad_gpu/templates`), so what is proven here is all
that the CUDA backend does around them: which kernel, in which stream, with which arguments, over how many groups.
"""
import ctypes
import threading
from functools import lru_cache

import numpy as np

EXCHANGE = """
#define EXCHANGED(T, other, value, distance, room) \
    BARRIER; room[ITEM] = value; BARRIER; const T other = room[ITEM ^ (distance)]; BARRIER
"""                         # what OpenCL C 1.2 lacks: items of a warp read each other's registers


class Executor:
    """What `FakeDriver(execute=...)` calls."""

    def __init__(self):
        import pyopencl
        from cygrad_opencl.binaries import Programs
        from cygrad_opencl.devices import devices
        device = next(each for each in devices() if "pocl" in each.platform.name.lower()
                      or "portable" in each.platform.name.lower())
        self.context = pyopencl.Context([device])
        self.queue = pyopencl.CommandQueue(self.context, device)
        self.programs = Programs(self.context, device)
        self.set_pointer = ctypes.CDLL(pyopencl._cl.__file__).clSetKernelArgSVMPointer
        self.set_pointer.argtypes = ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p
        self.kernel = lru_cache(None)(self.made)
        self.lock = threading.Lock()            # OpenCL keeps arguments in the kernel, CUDA takes them with the launch

    def made(self, source, name):
        from cygrad_gpu.codegen.source import template
        assert template("cuda") in source
        return self.programs.kernel(source.replace(template("cuda"), template("opencl") + EXCHANGE), name)[0]

    def __call__(self, source, name, groups, items, values):
        import pyopencl
        kernel = self.kernel(source, name)
        with self.lock:
            for i, (kind, raw) in enumerate(values):
                if kind.endswith("pointer"):
                    assert self.set_pointer(kernel.int_ptr, i, int.from_bytes(raw, "little")) == 0
                else:
                    kernel.set_arg(i, np.frombuffer(raw, "u1"))
            pyopencl.enqueue_nd_range_kernel(self.queue, kernel, (groups * items,), (items,))
        self.queue.finish()
