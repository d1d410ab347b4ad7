# distutils: extra_compile_args = -Os
"""Which of a kernel's compiled variants runs on this processor.

setup.py compiles each file of kernels/ for several instruction sets. Each has a function ``cygrad_install(table)`` that
writes its loops into a table of function pointers; the library knows it as ``NAME_ISA`` (tools/library.h). The best
variant that is built in and that the processor can run is taken.
"""
import os

cdef extern from *:
    """
    static int cygrad_isa_level(void) {
    #if (defined(__x86_64__) || defined(_M_X64)) && (defined(__GNUC__) || defined(__clang__))
        __builtin_cpu_init();
        if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2"))
            return 2;
        if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
            !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl") ||
            !__builtin_cpu_supports("avx512cd"))
            return 3;
        return 4;
    #else
        return 0;
    #endif
    }
    int cygrad_install_kernel(const char *name, void *table);
    """
    int cygrad_isa_level()
    bint cygrad_install_kernel(const char *name, void *table)       # 0 if the library has no such kernel

LEVELS = ("v4", "v3", "v2", "generic")


def candidates():
    """Names of the variants this processor can run, the best first; ``CYGRAD_ISA=v3`` puts a limit."""
    level = cygrad_isa_level()
    limit = os.environ.get("CYGRAD_ISA", "")
    if limit and limit not in LEVELS:
        raise ValueError(f"CYGRAD_ISA: expected one of {', '.join(LEVELS)}, got {limit!r}")
    names = [name for name in LEVELS if name == "generic" or int(name[1:]) <= level]
    return names[names.index(limit):] if limit in names else names


used = set()


def active():
    """Names of the variants in use: one, unless the build has some modules for one instruction set only."""
    return ", ".join([name for name in LEVELS if name in used])


cdef int install_if_built(str name, void *table) except -1:
    for variant in candidates():
        if cygrad_install_kernel(f"{name}_{variant}".encode(), table):
            used.add(variant)
            return 1
    return 0


cdef int install_kernels(str name, void *table) except -1:
    if install_if_built(name, table):
        return 0
    raise ImportError(f"cygrad_cpu was built without the kernels of {name!r} for this processor "
                      f"({', '.join(candidates())}): rebuild it with CYGRAD_ISAS unset")
