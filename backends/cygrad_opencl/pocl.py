"""PoCL 3.0, the version on PyPI: what makes it compile quickly, and a repair for processors newer than its compiler.

Its LLVM 14 knows processors by model numbers. For one it has never heard of the name is "generic", which its own
compiler then refuses ("unknown target CPU 'generic'", PoCL issue 1049), so that no kernel can be built, although
every instruction set is known to it. A Zen 4 it takes for a Zen 3, which has no AVX-512: without masks for bytes and
16-bit numbers a loop's end is written out lane by lane, and programs compile up to four times as long. The name is a C
string to which PoCL's device structure points, and there is no setting for it; so the pointer is replaced by one to the
name of the instruction set level that the processor has. The options for the linker are repaired likewise.
"""
import ctypes
import importlib.util
import os
import re
import struct
from functools import lru_cache

# What kernels use of the header that PoCL 3.0 puts before every program, a megabyte of declarations. Reading it takes
# three times as long as all else that is done before a kernel's code is generated; defining its guard leaves it out.
LEAN_OPTION = "-D_OPENCL_H_"
ONCE_OPTION = "-DCOMPILED_ONCE"         # a kernel's text once instead of three times, see opencl.h of cygrad_gpu
_INSTEAD = "\t-remap-file\t{};/dev/null"      # clang's own, which PoCL refuses, but hands on where a tab parts it
_LIGHT = b"-nodefaultlibs", b"-lgcc"    # a kernel's library needs nothing of the process's own, libc above all
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
_kept = []                  # what the structure points to now


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


def is_known(device):
    """Whether how kernels are put into functions, compiled and linked is known: it is PoCL 3."""
    return is_pocl(device) and "PoCL 3." in device.platform.version


def lean_options(device):
    """Options for a program that begins with `lean_words`."""
    return [LEAN_OPTION, ONCE_OPTION + _without_header()] if is_known(device) else [LEAN_OPTION]


@lru_cache(None)
def _without_header():
    """An option that has the compiler find nothing in the header, for even to skip it takes a tenth of the time."""
    found = importlib.util.find_spec("pocl_binary_distribution")
    for folder in found.submodule_search_locations if found is not None else ():
        header = os.path.join(folder, ".libs", "share", "pocl", "include", "opencl-c.h")
        if os.path.exists(header) and not re.search(r"[\s;\"']", header):
            return _INSTEAD.format(header)
    return ""


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
    """Give the device a processor's name that the compiler accepts, and the linker as little to do as it may have."""
    if needs_repair(device):
        _replace(device, processor_of(device).encode(), _text, ctypes.create_string_buffer(level().encode()))
    if is_known(device) and os.path.exists("/proc/self/mem"):
        flags = [b"-nostartfiles", b"-shared"]
        _replace(device, flags, _texts, (ctypes.c_char_p * 5)(*flags, *_LIGHT))


def _replace(device, old, read, new):
    """Let the first pointer in a device's structure to what is read as `old` point to `new`, if there is one."""
    with open("/proc/self/mem", "rb", buffering=0) as memory:       # reads of wrong addresses fail without a crash
        for at, pointer in enumerate(_pointers(memory, device.int_ptr, _STRUCTURE // 8)):
            if read(memory, pointer) == old:
                _kept.append(new)
                ctypes.c_uint64.from_address(device.int_ptr + 8 * at).value = ctypes.addressof(new)
                return


def _pointers(memory, address, count):
    """Up to `count` words, 0 for those that point nowhere."""
    words = _read(memory, address, 8 * count)
    return [word if 4096 < word < 1 << 47 else 0 for word, in struct.iter_unpack("Q", words[:len(words) // 8 * 8])]


def _text(memory, address):
    """The C string there."""
    return _read(memory, address, 64).partition(b"\0")[0]


def _texts(memory, address):
    """The C strings to which the words there point, up to one that points nowhere."""
    found = []
    for pointer in _pointers(memory, address, 5):
        if not pointer:
            return found
        found.append(_text(memory, pointer))
    return None


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
