"""Build of cygrad: every .pyx under core/, backends/ and plugins/ is one extension module.

Metadata is in pyproject.toml. The roots are plain folders of packages, so `package_dir` maps each package to its
place and Cython finds `cimport cygrad.view` through `include_path`. Modules in backends/cygrad_cpu/kernels/ are
compiled once for each instruction set of the machine's architecture (see `instruction_sets`), the rest once.

Environment: CYGRAD_DEBUG=1 checks bounds and adds AddressSanitizer, with all that is generated under build/debug so
that nothing of an optimised build is taken for it or the reverse; CYGRAD_ONLY=module,... builds only these (prefixes
count), for development; CYGRAD_ISAS=v2,v3,v4 limits the instruction sets.
"""
import os
import platform
import shutil
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
ROOTS = ("core", "backends", "plugins")
DEBUG = os.environ.get("CYGRAD_DEBUG", "0") not in ("", "0")
ONLY = [name for name in os.environ.get("CYGRAD_ONLY", "").split(",") if name]
KERNELS = Path("backends/cygrad_cpu/kernels")
WIDE = {"gemm"}                 # kernels for vectors of 32 bytes or more: built for no other instruction set
NARROW = {"v2", "generic"}      # instruction sets of vectors of less
SHARED = "cygrad._cython"       # what Cython would write into each module again: its function type, parsing of keywords
BUILD = Path("build/debug" if DEBUG else "build")
JOBS = os.cpu_count() or 1

DIRECTIVES = dict(language_level=3, boundscheck=DEBUG, wraparound=False, initializedcheck=DEBUG, nonecheck=False,
                  cdivision=True, binding=True, embedsignature=False, annotation_typing=False)


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
    levels = {"v2": ["-march=x86-64-v2", "-O2", "-ftree-vectorize", "-fvect-cost-model=dynamic"],   # half of O3's size
              "v3": ["-march=x86-64-v3"], "v4": ["-march=x86-64-v4", "-mprefer-vector-width=512"]}
    wanted = os.environ.get("CYGRAD_ISAS")
    return {name: levels[name] for name in wanted.split(",")} if wanted else levels


def compile_flags(kernel):
    """Flags of one module; those of the CPU backend are optimised harder and may use OpenMP."""
    if sys.platform == "win32":
        return ["/O2"]
    flags = ["-Wall", "-Wno-unused-function", "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-psabi",
             "-fvisibility=hidden", "-fno-math-errno", "-fno-trapping-math"]
    if sys.platform.startswith("linux") and kernel:
        flags.append("-fopenmp")
    if DEBUG:
        return flags + ["-O1", "-g", "-fsanitize=address", "-fno-omit-frame-pointer"]
    flags.append("-fno-asynchronous-unwind-tables")     # a tenth of a module's size, and no C++ exception comes by
    if kernel:      # jump threading would split vectorised loops with several selections into one copy for each path
        return flags + ["-O3", "-fno-thread-jumps", "-fno-split-paths", "-g0"]
    if sys.platform.startswith("linux"):
        flags += ["-falign-jumps=1", "-falign-labels=1"]    # a twentieth of the size; processors keep decoded code
    return flags + ["-O2", "-g0"]


def link_flags(kernel):
    if sys.platform == "win32":
        return []
    flags = ["-fsanitize=address"] if DEBUG else ([] if sys.platform == "darwin" else ["-Wl,-s,-z,noseparate-code"])
    if sys.platform.startswith("linux") and kernel:
        flags.append("-fopenmp")
    return flags


def extension(name, source, kernel=False, flags=()):
    return Extension(name, [str(source)], libraries=[] if sys.platform == "win32" else ["m"],
                     extra_compile_args=compile_flags(kernel) + list(flags), extra_link_args=link_flags(kernel))


def extensions():
    """Every extension module; a kernel, once for each instruction set."""
    found = []
    for root in ROOTS:
        for source in sorted(Path(root).rglob("*.pyx")):
            if source.parent == KERNELS:
                found += [extension(f"cygrad_cpu._{source.stem}_{isa}", source.as_posix(), True, flags)
                          for isa, flags in instruction_sets().items()
                          if not (source.stem in WIDE and isa in NARROW)]
            else:
                name = ".".join(source.relative_to(root).with_suffix("").parts)
                found.append(extension(name, source.as_posix(), kernel=source.parent == KERNELS.parent))
    if not found:
        raise SystemExit("setup.py: found no .pyx file; the source distribution is incomplete")
    small = [] if sys.platform == "win32" else ["-Os"]
    found.append(extension(SHARED, f"core/{SHARED.replace('.', '/')}.c", flags=small))     # Cython writes that file
    if ONLY:
        found = [e for e in found if any(e.name == o or e.name.startswith(o) for o in ONLY)]
    return found


def copy_of_kernel(name, source):
    """A copy of a kernel that bears the name of its module, so that each instruction set has C code of its own."""
    copy = BUILD / "kernels" / f"{name.rpartition('.')[2]}.pyx"
    copy.parent.mkdir(parents=True, exist_ok=True)
    if not copy.exists() or copy.read_bytes() != source.read_bytes():
        shutil.copyfile(source, copy)
    return copy.as_posix()


class Build(build):
    """build in the folder of this kind of build."""

    def initialize_options(self):
        super().initialize_options()
        self.build_base = str(BUILD)


class BuildExt(build_ext):
    """build_ext that translates to C only when it builds, and compiles as many modules at once as there are cores.

    Asking for metadata or for the source distribution translates nothing.
    """

    def finalize_options(self):
        super().finalize_options()
        if self.parallel is None:
            self.parallel = JOBS

    def run(self):
        sources = {}
        for each in self.extensions:
            source = Path(each.sources[0])
            sources[each.name] = copy_of_kernel(each.name, source) if source.parent == KERNELS else each.sources[0]
        translated = cythonize([Extension(name, [source]) for name, source in sources.items()],
                               include_path=["core", "backends"], compiler_directives=DIRECTIVES, quiet=True,
                               shared_utility_qualified_name=SHARED,
                               build_dir=str(BUILD / "c") if DEBUG else None,
                               nthreads=JOBS if sys.platform.startswith("linux") and not ONLY else 0)
        made = {each.name: each for each in translated}
        for each in self.extensions:
            each.sources, each.depends = made[each.name].sources, made[each.name].depends
            if sys.platform != "win32":
                each.extra_compile_args += made[each.name].extra_compile_args    # a file's own, from its first line
        super().run()

    def copy_extensions_to_source(self):
        self.force = True       # an older module replaces a newer one of the other kind of build
        super().copy_extensions_to_source()


os.chdir(HERE)
PACKAGES = packages()
setup(
    packages=list(PACKAGES),
    package_dir=PACKAGES,
    include_package_data=False,       # the source distribution has more than the wheel needs
    package_data={"": ["*.pxd", "*.pyi", "*.h", "py.typed", "templates/*", "templates/*/*"]},
    exclude_package_data={"cygrad_cpu": ["*.pxd"]},         # nothing to build against: the core's are the interface
    ext_modules=extensions(),
    cmdclass={"build": Build, "build_ext": BuildExt},
    zip_safe=False,
)
