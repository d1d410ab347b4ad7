"""Build of cygrad: every .pyx under core/, backends/ and plugins/ is one module, those of a package one shared library.

Metadata is in pyproject.toml. The roots are plain folders of packages, so `package_dir` maps each package to its
place and Cython finds `cimport cygrad.view` through `include_path`. Files in a backend's folder `kernels` are
translated once and compiled once for each instruction set of the machine's architecture (see `instruction_sets`), the
rest once. How a module is built, and that it is built only when its content changed, is in tools/incremental.py. The
library of a package is its module `_compiled`, which creates each of the others when it is imported.

Environment: CYGRAD_DEBUG=1 checks bounds and adds AddressSanitizer, with all that is generated under build/debug so
that nothing of an optimised build is taken for it or the reverse; CYGRAD_ONLY=module,... builds only these (prefixes
count), for development; CYGRAD_ISAS=v2,v3,v4 limits the instruction sets; CYGRAD_UNORDERED=1 links functions as they
come, which tools/side_by_side.py needs.
"""
import os
import platform
import sys
import zlib
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "tools"))

from incremental import Build, BuildExt, Library, Module  # noqa: E402  (found through the line above)

ROOTS = ("core", "backends", "plugins")
DEBUG = os.environ.get("CYGRAD_DEBUG", "0") not in ("", "0")
UNORDERED = "CYGRAD_UNORDERED" in os.environ
ONLY = [name for name in os.environ.get("CYGRAD_ONLY", "").split(",") if name]
KERNELS = "kernels"             # name of the folders of what is compiled for several instruction sets
WIDE = {"gemm"}                 # kernels for vectors of 32 bytes or more: built for no other instruction set
NARROW = {"v2", "generic"}      # instruction sets of vectors of less
LINKED = {KERNELS, "simd"}      # folders of what is only compiled into others: no packages of the wheel
# Kernels that are as fast with v3's vectors, in the mean of their rows: not built for v4 where v3 is.
NOT_WIDEST = {"gather_scatter", "pool", "scan"}
ONE_BY_ONE = "--param=vect-epilogues-nomask=0"  # what a vector leaves goes by no narrower ones: a sixth less code
IN_SHORT_ROWS = {"convert", "gather_scatter", "reduce", "softmax"}      # what is left is much: narrower ones, but in v2
SHARED = "cygrad._cython"       # what Cython would write into each module again: its function type, parsing of keywords
LIBRARY = "_compiled"           # name of the module that a package's others are linked into
C_TABLE = "cygrad.devices.c_table"       # the module that reads cygrad_backend.h
COLD = ["tools/cold.h"]         # included in every C file: what only runs on the way to an error
GLIBC = ["tools/glibc.h"]       # the same: which versions of the C library's functions are called
INCLUDE = ["core", "backends"]  # where .pxd files and C headers are looked for
BUILD = Path("build/debug" if DEBUG else "build")

DIRECTIVES = dict(language_level=3, boundscheck=DEBUG, wraparound=False, initializedcheck=DEBUG, nonecheck=False,
                  cdivision=True, binding=True, embedsignature=False, annotation_typing=False,
                  autotestdict=False, auto_pickle=False)     # a class that can be pickled says how


def packages():
    """{package: folder} of every folder with an __init__.py under the roots."""
    found = {}
    for root in ROOTS:
        for init in sorted(Path(root).rglob("__init__.py")):
            folder = init.parent
            found[".".join(folder.relative_to(root).parts)] = folder.as_posix()
    return found


def instruction_sets():
    """{suffix: compiler flags}: x86-64 levels (one wheel runs everywhere, and uses AVX-512 where it is), else one."""
    if platform.machine().lower() not in ("x86_64", "amd64") or sys.platform == "win32":
        return {"generic": []}
    levels = {"v2": ["-march=x86-64-v2", "-O2", "-ftree-vectorize", "-fvect-cost-model=dynamic", ONE_BY_ONE],  # half of
              "v3": ["-march=x86-64-v3"], "v4": ["-march=x86-64-v4", "-mprefer-vector-width=512"]}      # O3's size
    wanted = os.environ.get("CYGRAD_ISAS")
    return {name: levels[name] for name in wanted.split(",")} if wanted else levels


def compile_flags(native, kernel=False):
    """Flags of one module; those of a backend with kernels (`native`) may use OpenMP, kernels are optimised harder."""
    if sys.platform == "win32":
        return ["/O2"]
    flags = ["-Wall", "-Wno-unused-function", "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-psabi",
             "-fvisibility=hidden", "-fno-math-errno", "-fno-trapping-math"]
    if sys.platform.startswith("linux") and native:
        flags.append("-fopenmp")
    if DEBUG:
        return flags + ["-O1", "-g", "-fsanitize=address", "-fno-omit-frame-pointer"]
    flags.append("-fno-asynchronous-unwind-tables")     # a tenth of a module's size, and no C++ exception comes by
    if sys.platform.startswith("linux"):
        flags += ["-ffunction-sections", "-fdata-sections"]     # the linker orders functions, and leaves some out
    if native:      # jump threading would split vectorised loops with several selections into one copy for each path
        loops = ["-O3"] if kernel else ["-O2", "-ftree-vectorize", "-fvect-cost-model=dynamic"]
        if sys.platform.startswith("linux"):            # the same rows as fast, and a twentieth smaller
            loops += ["-fno-peel-loops", *[f"-falign-{each}=1" for each in ("functions", "jumps", "labels", "loops")]]
        return flags + loops + ["-fno-thread-jumps", "-fno-split-paths", "-g0"]
    if sys.platform.startswith("linux"):
        # A twentieth of the size; processors keep decoded code.
        flags += [f"-falign-{each}=1" for each in ("functions", "jumps", "labels")]
    return flags + ["-O2", "-g0"]


def link_flags(native):
    if sys.platform == "win32":
        return []
    flags = ["-fsanitize=address"] if DEBUG else ([] if sys.platform == "darwin" else ["-Wl,-s"])
    if sys.platform.startswith("linux"):
        # What Cython writes for a module goes where a kernel is none; a text that ends as another is a part of it.
        flags += ["-Wl,--gc-sections", "-Wl,-O2"]
        if native:
            flags += ["-fopenmp", "-Wl,--wrap=GOMP_parallel"]       # cygrad_cpu/runtime/thread_count.pyx says why
    return flags


def module(name, source, native=False, flags=(), translated_as=None, kernel=None):
    headers = [] if sys.platform == "win32" or native else COLD     # it turned out slower in loops of kernels
    if (platform.libc_ver()[0], platform.machine()) == ("glibc", "x86_64"):
        headers = headers + GLIBC
    return Module(name, source.as_posix(), translated_as, headers,
                  compile_flags(native, bool(kernel)) + list(flags),
                  INCLUDE if kernel or name == C_TABLE else [], kernel)


def modules(root, package, native):
    """The modules of a package: kernels/NAME.pyx is the kernel NAME_ISA, for each instruction set."""
    found, sets = [], instruction_sets()
    for source in sorted(Path(root, package).rglob("*.pyx")):
        path = source.relative_to(root)
        if source.parent.name == KERNELS:
            name = ".".join([*path.parent.parent.parts, f"_{path.stem}"])
            short = [] if path.stem in IN_SHORT_ROWS else [ONE_BY_ONE]
            found += [module(f"{name}_{isa}", source, True, flags + short * (isa == "v3"), name, f"{path.stem}_{isa}")
                      for isa, flags in sets.items() if not (path.stem in WIDE and isa in NARROW)
                      and not (path.stem in NOT_WIDEST and isa == "v4" and "v3" in sets)]
        else:
            found.append(module(".".join(path.with_suffix("").parts), source, native))
    if SHARED.startswith(f"{package}."):
        found.append(module(SHARED, Path(root, *SHARED.split(".")).with_suffix(".c"),
                            flags=[] if sys.platform == "win32" else ["-Os"]))
    return found


def libraries():
    """A shared library for each package with modules."""
    found = []
    for root in ROOTS:
        for package in sorted({path.relative_to(root).parts[0] for path in Path(root).rglob("*.pyx")}):
            native = any(path.is_dir() for path in Path(root, package).rglob(KERNELS))
            order = Path("tools", "side_by_side", f"{package}.txt")
            found.append(Library(f"{package}.{LIBRARY}", modules(root, package, native),
                                 # kernels are called, not compared: those of bool and uint8 are one
                                 folded=None if DEBUG or UNORDERED else "all" if native else "safe",
                                 order=order.as_posix() if order.exists() and not (DEBUG or UNORDERED) else None,
                                 libraries=[] if sys.platform == "win32" else ["m"],
                                 extra_compile_args=compile_flags(False), extra_link_args=link_flags(native)))
    if not found:
        raise SystemExit("setup.py: found no .pyx file; the source distribution is incomplete")
    return found


class ThisBuild(Build):
    base = BUILD


class ThisBuildExt(BuildExt):
    base = BUILD
    include_path = INCLUDE
    directives = DIRECTIVES
    shared = SHARED
    only = ONLY


class ThisBuildPy(build_py):
    """Gives the modules of `cygrad` that are not public empty stubs: what has one here is (docs/make_stubs.py).

    Texts that errors are made from are packed: an eighth of the size.
    """

    def run(self):
        super().run()
        if not self.editable_mode:
            for source in Path(self.build_lib, "cygrad").rglob("*.py"):
                if "templates" not in source.parts:
                    source.with_suffix(".pyi").touch()
            for text in Path(self.build_lib, "cygrad", "errors").glob("*.txt"):
                text.with_suffix(".zlib").write_bytes(zlib.compress(text.read_bytes(), 9))
                text.unlink()


os.chdir(HERE)
PACKAGES = packages()
setup(
    packages=[name for name in PACKAGES if name.rpartition(".")[2] not in LINKED],
    package_dir=PACKAGES,
    include_package_data=False,       # the source distribution has more than the wheel needs
    package_data={"": ["*.pyi", "*.h", "*.txt", "*.zlib", "py.typed", "templates/*", "templates/*/*"],
                  "cygrad": ["*.pxd"]},       # the five types, which backends of others cimport
    exclude_package_data={name: ["*.h"] for name in PACKAGES if name.startswith("cygrad_cpu")},  # no interface
    ext_modules=libraries(),
    cmdclass={"build": ThisBuild, "build_ext": ThisBuildExt, "build_py": ThisBuildPy},
    zip_safe=False,
)
