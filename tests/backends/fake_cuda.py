"""`cuda.bindings.driver` without a GPU: devices whose memory is the host's and whose kernels only leave a record.

``calls`` lists what was called, ``launches`` (kernel, groups, items, first three arguments, context) of each launch,
where an argument is its first 8 bytes as an integer. ``limit`` is how many bytes a device has, ``failing`` {name of a
call: status}.
"""
import ctypes
import enum
import sys
import types

import numpy as np


class CUresult(enum.IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_INVALID_VALUE = 1
    CUDA_ERROR_OUT_OF_MEMORY = 2
    CUDA_ERROR_NO_DEVICE = 100
    CUDA_ERROR_INVALID_IMAGE = 200
    CUDA_ERROR_NOT_READY = 600
    CUDA_ERROR_ILLEGAL_ADDRESS = 700


class CUdevice_attribute(enum.IntEnum):
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76


class CUevent_flags(enum.IntFlag):
    CU_EVENT_DEFAULT = 0
    CU_EVENT_BLOCKING_SYNC = 1
    CU_EVENT_DISABLE_TIMING = 2


OK = CUresult.CUDA_SUCCESS
ATTRIBUTES = {8: 49152, 16: 4, 75: 9, 76: 0}
WORDS = {CUresult.CUDA_ERROR_OUT_OF_MEMORY: b"out of memory", CUresult.CUDA_ERROR_NO_DEVICE: b"no CUDA-capable device",
         CUresult.CUDA_ERROR_ILLEGAL_ADDRESS: b"an illegal memory access was encountered"}


class FakeDriver(types.ModuleType):
    """The module.

    Parameters
    ----------
    devices : int
    limit : int
        Bytes of a device.
    """

    CUresult, CUdevice_attribute, CUevent_flags = CUresult, CUdevice_attribute, CUevent_flags

    def __init__(self, devices=2, limit=1 << 20):
        super().__init__("cuda.bindings.driver")
        self.devices, self.limit = devices, limit
        self.calls, self.launches, self.failing = [], [], {}
        self.current = None
        self.memory, self.owner = {}, {}        # {address: array}, {address: context}
        self.functions = []
        integer, pointer = ctypes.c_uint, ctypes.c_void_p
        self.pointers = {
            b"cuLaunchKernel": ctypes.CFUNCTYPE(ctypes.c_int, pointer, *[integer] * 7, pointer, pointer, pointer)(
                self.launch),
            b"cuCtxSetCurrent": ctypes.CFUNCTYPE(ctypes.c_int, pointer)(self.set_current),
            b"cuMemFree": ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_size_t)(self.free)}

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        if not name.startswith("cu") or name in ("cuGetErrorString", "current"):
            return found

        def call(*args):
            self.calls.append(name)
            return (self.failing[name], *[None] * 3)[:2] if self.failing.get(name) else found(*args)

        return call

    @property
    def used(self):
        return sum(array.size for array in self.memory.values())

    # ---- what is called through pointers

    def launch(self, function, groups, y, z, items, *rest):
        if self.failing.get("cuLaunchKernel"):
            return int(self.failing["cuLaunchKernel"])
        values = ctypes.cast(rest[-2], ctypes.POINTER(ctypes.c_void_p))
        arguments = [ctypes.c_int64.from_address(values[i]).value for i in range(3)]
        self.launches.append((self.functions[function - 1], groups, items, arguments, self.current))
        return 0

    def set_current(self, context):
        self.current = context
        return 0

    def free(self, address):
        self.calls.append("cuMemFree")
        return 0 if self.memory.pop(address, None) is not None else int(CUresult.CUDA_ERROR_INVALID_VALUE)

    # ---- what is called through the module

    def cuInit(self, flags):
        return (OK,)

    def cuGetErrorString(self, status):
        return OK, WORDS.get(status, b"something went wrong")

    def cuGetProcAddress(self, name, version, flags):
        return OK, ctypes.cast(self.pointers[name], ctypes.c_void_p).value, 0

    def cuDeviceGetCount(self):
        return OK, self.devices

    def cuDeviceGet(self, index):
        return OK, index

    def cuDeviceGetName(self, length, device):
        return OK, f"Fake {device}".encode().ljust(length, b"\0")

    def cuDeviceGetAttribute(self, attribute, device):
        return OK, ATTRIBUTES[int(attribute)]

    def cuDevicePrimaryCtxRetain(self, device):
        return OK, 1000 + device

    def cuMemGetInfo(self):
        return OK, self.limit - self.used, self.limit

    def cuMemAlloc(self, size):
        if self.used + size > self.limit:
            return CUresult.CUDA_ERROR_OUT_OF_MEMORY, None
        array = np.full(size, 0xCD, "u1")
        self.memory[array.ctypes.data] = array
        self.owner[array.ctypes.data] = self.current
        return OK, array.ctypes.data

    def cuMemcpyHtoD(self, target, source, size):
        return self.move(target, source, size)

    def cuMemcpyDtoH(self, target, source, size):
        return self.move(target, source, size)

    def cuMemcpyPeer(self, target, target_context, source, source_context, size):
        assert (self.owner[target], self.owner[source]) == (target_context, source_context)
        return self.move(target, source, size)

    def move(self, target, source, size):
        ctypes.memmove(target, source, size)
        return (OK,)

    def cuCtxSynchronize(self):
        return (OK,)

    def cuModuleLoadData(self, binary):
        assert bytes(binary[:4]) == b"\x7fELF" or b".target" in binary
        return OK, binary

    def cuModuleGetFunction(self, module, name):
        self.functions.append(name.decode())
        return OK, len(self.functions)

    def cuEventCreate(self, flags):
        return OK, object()

    def cuEventRecord(self, event, stream):
        return (OK,)

    def cuEventQuery(self, event):
        return (OK,)

    def cuEventSynchronize(self, event):
        return (OK,)

    def cuEventElapsedTime(self, start, end):
        return OK, 1.5

    def cuEventDestroy(self, event):
        return (OK,)


def install(monkeypatch, driver, nvrtc=None):
    """Let `import cuda.bindings.driver` find this driver (None: no cuda-bindings at all)."""
    if driver is None:
        for name in ("cuda", "cuda.bindings", "cuda.bindings.driver", "cuda.bindings.nvrtc"):
            monkeypatch.setitem(sys.modules, name, None)
        return
    bindings = sys.modules.get("cuda.bindings") or types.ModuleType("cuda.bindings")
    monkeypatch.setitem(sys.modules, "cuda", sys.modules.get("cuda") or types.ModuleType("cuda"))
    monkeypatch.setitem(sys.modules, "cuda.bindings", bindings)
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", driver)
    monkeypatch.setattr(bindings, "driver", driver, raising=False)
    if nvrtc is not None:
        monkeypatch.setitem(sys.modules, "cuda.bindings.nvrtc", nvrtc)
        monkeypatch.setattr(bindings, "nvrtc", nvrtc, raising=False)


class FakeNVRTC(types.ModuleType):
    """`cuda.bindings.nvrtc` that compiles whatever does not contain "nonsense", for architectures up to 90."""

    def __init__(self):
        super().__init__("cuda.bindings.nvrtc")
        self.built = []

    def nvrtcVersion(self):
        return 0, 13, 0

    def nvrtcGetSupportedArchs(self):
        return 0, [75, 80, 90]

    def nvrtcGetErrorString(self, status):
        return 0, b"NVRTC_ERROR"

    def nvrtcCreateProgram(self, source, name, *headers):
        return 0, source

    def nvrtcCompileProgram(self, program, count, options):
        self.built.append((program, options))
        return (6 if b"nonsense" in program else 0,)

    def nvrtcGetProgramLogSize(self, program):
        return 0, 16

    def nvrtcGetProgramLog(self, program, room):
        ctypes.memmove(room, b"error: nonsense\0", 16)
        return (0,)

    def nvrtcGetCUBINSize(self, program):
        return 0, 4

    def nvrtcGetCUBIN(self, program, room):
        ctypes.memmove(room, b"\x7fELF", 4)
        return (0,)

    def nvrtcDestroyProgram(self, program):
        return (0,)
