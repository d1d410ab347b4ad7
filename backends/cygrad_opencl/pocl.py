"""PoCL 3.0, the version on PyPI: what makes it compile quickly, and a repair for processors newer than its compiler.

Its LLVM 14 knows processors by model numbers. For one it has never heard of the name is "generic", which its own
compiler then refuses ("unknown target CPU 'generic'", PoCL issue 1049), so that no kernel can be built, although
every instruction set is known to it. A Zen 4 it takes for a Zen 3, which has no AVX-512: without masks for bytes and
16-bit numbers a loop's end is written out lane by lane, and programs compile up to four times as long. The name is a C
string to which PoCL's device structure points, and there is no setting for it; so the pointer is replaced by one to the
name of the instruction set level that the processor has.
"""
import ctypes
import os
import struct
from functools import lru_cache

# What kernels use of the header that PoCL 3.0 puts before every program, a megabyte of declarations. Reading it takes
# three times as long as all else that is done before a kernel's code is generated; defining its guard leaves it out.
LEAN_OPTION = "-D_OPENCL_H_"
ONCE_OPTION = "-DCOMPILED_ONCE"         # a kernel's text once instead of three times, see opencl.h of cygrad_gpu
_MATH = (("acos acosh asin asinh atan atanh ceil cos cosh erf erfc exp exp2 expm1 fabs floor lgamma log log10 log1p "
          "log2 rint sin sinh sqrt tan tanh trunc"), "atan2 copysign fmod hypot nextafter pow", "fma")
_WORDS = """
typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint; typedef unsigned long ulong;
typedef uint cl_mem_fence_flags;
typedef long long8 __attribute__((ext_vector_type(8)));
#define as_uint(x) __builtin_astype((x), uint)
#define as_float(x) __builtin_astype((x), float)
#define as_ulong(x) __builtin_astype((x), ulong)
#define as_double(x) __builtin_astype((x), double)
#define CLK_LOCAL_MEM_FENCE 1
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
void __attribute__((overloadable, convergent)) barrier(cl_mem_fence_flags);
"""

_STRUCTURE = 2048           # bytes of PoCL's structure of a device that are looked through
_names = []                 # keeps the strings alive


def configure():
    """Before PoCL is loaded: let it compile a kernel once, and keep each of its threads on a processor of its own.

    It would compile a kernel again, at its first launch, for offsets of 0 and for small grids, also after a program was
    taken from the disk. That takes 0.1 s each and makes nothing faster here: kernels name the size of their groups.

    Its threads sleep between launches. Linux wakes the second one where it finds room, which is beside the first while
    the host's thread enqueues, and leaves it there for milliseconds: exp of 1e6 elements took 103 us with one thread,
    102 with two, and 56 with two that stay apart. Fewer threads than processors, or a process that may not use all
    processors, are left alone.
    """
    os.environ.setdefault("POCL_WORK_GROUP_SPECIALIZATION", "0")
    processors = os.cpu_count() or 1
    if (hasattr(os, "sched_getaffinity") and os.sched_getaffinity(0) == set(range(processors))
            and os.environ.get("POCL_MAX_PTHREAD_COUNT", str(processors)) == str(processors)):
        os.environ.setdefault("POCL_AFFINITY", "1")


def is_pocl(device):
    """Whether the device is PoCL's."""
    return device.platform.name == "Portable Computing Language"


def lean_options(device):
    """Options for a program that begins with `lean_words`; how kernels are put into functions is known of PoCL 3."""
    return [LEAN_OPTION, ONCE_OPTION] if "PoCL 3." in device.platform.version else [LEAN_OPTION]


@lru_cache(None)
def lean_words(fp64):
    """Declarations for a program that is built with `lean_options`."""
    lines = [_WORDS]
    lines += [f"size_t __attribute__((overloadable, const)) {name}(uint);"
              for name in ("get_group_id", "get_num_groups", "get_local_id")]
    for T in ("float", "double")[:1 + fp64]:
        for n in (2, 4, 8, 16):
            lines += [f"typedef {T} {T}{n} __attribute__((ext_vector_type({n})));",
                      f"{T}{n} __attribute__((overloadable, pure)) vload{n}(size_t, const {T} *);",
                      f"void __attribute__((overloadable)) vstore{n}({T}{n}, size_t, {T} *);"]
        for count, names in enumerate(_MATH, 1):
            lines += [f"{T} __attribute__((overloadable, const)) {name}({', '.join([T] * count)});"
                      for name in names.split()]
    return "\n".join(lines) + "\n"


def needs_repair(device):
    """Whether this is a PoCL device of a processor that its compiler does not know, or takes for an older one."""
    if not (is_pocl(device) and "x86_64" in device.version and os.path.exists("/proc/self/mem")):
        return False
    name = processor_of(device)
    return name == "generic" or name == "znver3" and level() == "x86-64-v4"


def processor_of(device):
    """LLVM's name of the processor, the end of "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-generic"."""
    return device.version.rpartition("-")[2]


def options(device):
    """Options that tell programs apart, in PoCL's cache and in ours, which know the device by its old name."""
    return [f"-DCOMPILED_FOR={level()}"] if needs_repair(device) else []


def repair(device):
    """Give the device a processor's name that the compiler accepts; nothing if it has one."""
    if not needs_repair(device):
        return
    name, old = ctypes.create_string_buffer(level().encode()), processor_of(device).encode() + b"\0"
    with open("/proc/self/mem", "rb", buffering=0) as memory:       # reads of wrong addresses fail without a crash
        words = _read(memory, device.int_ptr, _STRUCTURE)
        for at in range(0, len(words) - 7, 8):
            pointer, = struct.unpack_from("Q", words, at)
            if 4096 < pointer < 1 << 47 and _read(memory, pointer, len(old)) == old:
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
