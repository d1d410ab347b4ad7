"""`cuda.bindings.nvrtc` without NVIDIA's compiler."""
import ctypes
import types


class FakeNVRTC(types.ModuleType):
    """`cuda.bindings.nvrtc` whose code is the source; refuses "nonsense"; knows architectures up to 90."""

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
        return 0, len(program) + 4

    def nvrtcGetCUBIN(self, program, room):
        ctypes.memmove(room, b"\x7fELF" + program, len(program) + 4)
        return (0,)

    def nvrtcDestroyProgram(self, program):
        return (0,)
