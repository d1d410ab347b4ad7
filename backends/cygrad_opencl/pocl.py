"""PoCL 3.0, the version on PyPI, on processors that are newer than its compiler.

Its LLVM 14 knows processors by model numbers. For one it has never heard of the name is "generic", which its own
compiler then refuses ("unknown target CPU 'generic'", PoCL issue 1049), so that no kernel can be built, although
every instruction set is known to it. The name is a C string to which PoCL's device structure points, and there is no
setting for it; so the pointer is replaced by one to the name of the instruction set level that the processor has.
"""
import ctypes
import os
import struct

_STRUCTURE = 2048           # bytes of PoCL's structure of a device that are looked through
_names = []                 # keeps the strings alive


def needs_repair(device):
    """Whether this is a PoCL device of a processor that its compiler does not know."""
    return (device.platform.name == "Portable Computing Language" and "x86_64" in device.version
            and device.version.endswith("-generic") and os.path.exists("/proc/self/mem"))


def repair(device):
    """Give the device a processor's name that the compiler accepts; nothing if it has one."""
    if not needs_repair(device):
        return
    name = ctypes.create_string_buffer(level().encode())
    with open("/proc/self/mem", "rb", buffering=0) as memory:       # reads of wrong addresses fail without a crash
        words = _read(memory, device.int_ptr, _STRUCTURE)
        for at in range(0, len(words) - 7, 8):
            pointer, = struct.unpack_from("Q", words, at)
            if 4096 < pointer < 1 << 47 and _read(memory, pointer, 8) == b"generic\0":
                _names.append(name)
                ctypes.c_uint64.from_address(device.int_ptr + at).value = ctypes.addressof(name)
                return


def _read(memory, address, size):
    try:
        return os.pread(memory.fileno(), size, address)
    except OSError:
        return b""


def level():
    """The x86-64 level of this processor: one of LLVM's names."""
    with open("/proc/cpuinfo") as info:
        flags = set(next((line for line in info if line.startswith("flags")), "").split())
    if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags:
        return "x86-64-v4"
    return "x86-64-v3" if {"avx2", "bmi2", "fma", "f16c"} <= flags else "x86-64-v2"
