"""setup.py's build_ext: builds the modules whose content changed, and no others, and links them into libraries.

A module's stamp is a digest of all that it is made of: its .pyx, every file of this tree that it cimports or includes,
however indirectly, C headers too, Cython's version and directives, the compiler, its flags and Python's ABI. Times of
files say nothing: an isolated build brings a Cython newer than every file, a fresh checkout makes every file new. What
was built lies in a store beside the stamps and is copied from there: `pip install .`, `pip install -e .` (which builds
in a folder that it then throws away), `tox` and `build_ext --inplace` all find what one of them built.

Every module is an object file of its own, with its own flags; the modules of a library are linked into one shared
object, and the library's own module (library.h) creates each of them when it is imported.
"""
import filecmp
import hashlib
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import takewhile
from pathlib import Path

from setuptools import Extension
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

HERE = Path(__file__).resolve().parent
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX") or ".so"
HEADER = re.compile(r'^\s*(?:cdef extern from|#include) "([\w./]+)"', re.MULTILINE)
LAUNCHERS = {"ccache", "sccache"}           # what they start compiles the same without them


def processors():
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def digest(*parts):
    """Name of a content, given as texts and anything else that JSON knows."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class Module:
    """A module of one .pyx, which is one object file; or a kernel, of which the library takes one function in C.

    Parameters
    ----------
    name : str
        Its name, dotted.
    source : str
        The .pyx; or the .c of the code that Cython's modules share, which Cython writes by itself.
    translated_as : str, optional
        Another name that its C code bears: modules that differ in flags alone have one C file.
    headers : list of str
        Files that are included before the C code.
    flags : list of str
        The compiler's, for this module.
    include_dirs : list of str
        Where its C headers are.
    kernel : str, optional
        By which name the library knows its function ``cygrad_install``. It is no module then: nobody can import it.
    """

    def __init__(self, name, source, translated_as=None, headers=(), flags=(), include_dirs=(), kernel=None):
        self.name, self.source, self.headers, self.kernel = name, source, list(headers), kernel
        self.flags, self.include_dirs = list(flags), list(include_dirs)
        self.translated_as = translated_as or name
        self.initialisation = f"PyInit_{mangled(name)}"
        # What Cython names by a module's last word, or by the name of its C code, and lets other objects see.
        self.macros = [(f"PyInit_{self.translated_as.rpartition('.')[2]}", self.initialisation),
                       ("CYTHON_NO_PYINIT_EXPORT", "1")]
        if self.translated_as != name:
            self.macros.append(tuple(f"__pyx_module_is_main_{mangled(each)}" for each in (self.translated_as, name)))
        if kernel:
            self.macros.append(("cygrad_install", f"cygrad_install_{kernel}"))


class Library(Extension):
    """Modules that are linked into one shared object, which is a module itself: whoever imports it can import them.

    Parameters
    ----------
    name : str
        Its name, dotted.
    modules : list of Module
        What is in it.
    order : str, optional
        A file with functions that are laid out side by side; see `layout`.
    folded : str, optional
        Of functions with the same code GNU's gold keeps one, where it is installed: "safe" those that are only called,
        "all" also those whose addresses nobody compares.
    options : dict
        Extension's, for linking.
    """

    def __init__(self, name, modules, order=None, folded=None, **options):
        super().__init__(name, sorted({each.source for each in modules}), **options)
        self.modules, self.order = sorted(modules, key=lambda each: each.name), order
        self.folded = folded

    def table(self):
        """The C code of its own module; see library.h."""
        modules = [each for each in self.modules if not each.kernel]
        kernels = [each.kernel for each in self.modules if each.kernel]
        return "\n".join([
            "#include <Python.h>",
            *(f"extern PyObject *{each.initialisation}(void);" for each in modules),
            *(f"extern void cygrad_install_{each}(void *);" for each in kernels),
            f'#define LIBRARY "{self.name}"', f"#define INIT PyInit_{self.name.rpartition('.')[2]}",
            "#define MODULES \\", *(f'    {{"{each.name}", {each.initialisation}}}, \\' for each in modules), "",
            "#define KERNELS \\", *(f'    {{"{each}", cygrad_install_{each}}}, \\' for each in kernels), "",
            '#include "library.h"', ""])


class Contents:
    """Digests of files, and of the files together with all that they cimport or include."""

    def __init__(self, include_path, cache):
        self.include_path = include_path
        self.cache = cache
        self.roots = set()
        self.single = {}            # {path: digest}
        self.dependencies = {}      # {source: paths}

    def of_file(self, path):
        if path not in self.single:
            self.single[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        return self.single[path]

    def read(self, sources):
        """Find each source's dependencies, which takes seconds unless the tree is as it was the last time."""
        import Cython
        self.roots = {Path(source).parts[0] for source in sources} | set(self.include_path)
        tree = sorted(path.as_posix() for root in self.roots for path in Path(root).rglob("*")
                      if path.suffix in (".pyx", ".pxd", ".pxi", ".h"))
        state = digest(Cython.__version__, self.include_path, sources, [(path, self.of_file(path)) for path in tree])
        try:
            known = json.loads(self.cache.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            known = {}
        if known.get("state") != state:
            known = {"state": state, "dependencies": self.scan(sources)}
            self.cache.parent.mkdir(parents=True, exist_ok=True)
            self.cache.write_text(json.dumps(known, indent=0), encoding="utf-8")
        self.dependencies = known["dependencies"]

    def scan(self, sources):
        from Cython.Build.Dependencies import create_dependency_tree
        from Cython.Compiler.Main import CompilationOptions, Context
        options = CompilationOptions(include_path=self.include_path)
        tree = create_dependency_tree(Context.from_options(options), quiet=True)
        here = Path.cwd()
        inside = [here / root for root in self.roots]
        found = {source: {path.relative_to(here).as_posix()
                          for path in (Path(each).resolve() for each in tree.all_dependencies(source))
                          if any(path.is_relative_to(root) for root in inside)}
                 for source in sources}
        return {source: sorted(paths | self.headers([source, *paths])) for source, paths in found.items()}

    def headers(self, paths):
        """C headers of this tree that files declare or include, those that they include, and so on."""
        found, waiting = set(), list(paths)
        while waiting:
            for name in HEADER.findall(Path(waiting.pop()).read_text(encoding="utf-8")):
                for path in (Path(root, name).as_posix() for root in self.include_path if Path(root, name).is_file()):
                    if path not in found:
                        found.add(path)
                        waiting.append(path)
        return found

    def of_source(self, source):
        """Digest of a .pyx and its dependencies; Cython's own files are known by its version."""
        return digest([(path, self.of_file(path)) for path in [source, *self.dependencies[source]]])


class Translator:
    """A process that translates .pyx files to C, one after the other: Cython itself uses one processor only."""

    def __init__(self):
        self.process = None

    def translate(self, job):
        if self.process is None:
            self.process = subprocess.Popen([sys.executable, str(HERE / "translate.py")], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        if self.process.stdout.readline().strip() != "done":
            raise CompileError(f"Cython could not translate {job['source']}; what it says is above")

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()


class Build(build):
    """build in `base`, without what a build before left there: a module that was moved must not go into a wheel."""

    base = Path("build")

    def initialize_options(self):
        super().initialize_options()
        self.build_base = str(self.base)

    def run(self):
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class BuildExt(build_ext):
    """build_ext that goes by content. Asking for metadata or for the source distribution translates nothing."""

    base = Path("build")            # stamps, C files and modules are below
    include_path = []               # where Cython looks for .pxd files
    directives = {}                 # Cython's
    shared = None                   # name of the module that has what Cython would write into each
    only = ()                       # beginnings of names: other modules stay as they are in the store

    def build_extensions(self):
        self.store = self.base / "modules" / SUFFIX.removeprefix(".").partition(".")[0]
        self.store.mkdir(parents=True, exist_ok=True)
        contents = Contents(self.include_path, self.base / "dependencies.json")
        modules = [each for library in self.extensions for each in library.modules
                   if not self.only or each.name.startswith(tuple(self.only))]
        self.extensions = [library for library in self.extensions if not set(modules).isdisjoint(library.modules)]
        contents.read(sorted({each.source for each in modules if not each.source.endswith(".c")}))
        import Cython
        language = digest(Cython.__version__, self.directives, self.include_path, self.shared,
                          contents.of_file(str(HERE / "translate.py")))
        compiler = self.compiler_identity()
        self.c_stamps, self.stamps = {}, {}
        for each in modules:
            content = "" if each.source.endswith(".c") else contents.of_source(each.source)
            self.c_stamps[each.name] = digest(language, each.translated_as, each.source, content)
            self.stamps[each.name] = digest(self.c_stamps[each.name], compiler, each.macros, each.flags,
                                            own_flags(each.source),
                                            [(path, contents.of_file(path)) for path in each.headers])
        changed = [each for each in modules
                   if self.force or self.recorded(self.object_file(each)) != self.stamps[each.name]]
        self.say(f"{len(modules)} modules, {len(changed)} to be built with {processors()} processors")
        if changed:
            self.build_all(changed)
        for library in self.extensions:
            self.link(library, compiler, contents)
            place = Path(self.get_ext_fullpath(library.name))
            place.parent.mkdir(parents=True, exist_ok=True)
            replace(self.built(library), place)

    def compiler_identity(self):
        """What compiles and links: program, version, the flags of Python's build and the user's, and Python's ABI."""
        compile_command = getattr(self.compiler, "compiler_so", None) or [self.compiler.compiler_type]
        link_command = getattr(self.compiler, "linker_so", None) or []
        programs = [word for word in compile_command[:2] if Path(word).name not in LAUNCHERS][:1]
        try:
            version = subprocess.run([*programs, "--version"], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.SubprocessError):
            version = ""
        words = [word for word in [*compile_command, *link_command] if Path(word).name not in LAUNCHERS]
        return digest(words, version, SUFFIX, self.debug)

    def build_all(self, changed):
        """Translate, then compile: no processor is without work until nothing is left to be begun."""
        sources = {}
        for each in changed:
            sources.setdefault(each.source, []).append(each)
        stale = [source for source, modules in sources.items()
                 if self.force or self.recorded(c_file(self.base, source)) != self.c_stamps[modules[0].name]]
        stale.sort(key=lambda source: Path(source).stat().st_size if Path(source).exists() else 0, reverse=True)
        ready = [each for each in changed if each.source not in stale]
        ready.sort(key=lambda each: c_file(self.base, each.source).stat().st_size, reverse=True)
        translators = queue.SimpleQueue()
        workers = [Translator() for _ in range(min(processors(), len(stale)))]
        for worker in workers:
            translators.put(worker)
        translated = compiled = 0
        from distutils import log  # the one that setuptools brings, so not before it

        level = log.set_threshold(log.INFO if self.verbose > 1 else log.WARN)      # commands are shown with -v
        with ThreadPoolExecutor(self.parallel or processors()) as pool:
            waiting = {pool.submit(self.translate, sources[source][0], translators): source for source in stale}
            waiting |= {pool.submit(self.compile, each): each for each in ready}
            try:
                while waiting:
                    for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                        job, seconds = waiting.pop(done), done.result()
                        if isinstance(job, Module):
                            compiled += 1
                            self.say(f"[{compiled}/{len(changed)}] {job.name} ({seconds:.1f} s)")
                        else:
                            translated += 1
                            self.say(f"[{translated}/{len(stale)}] {job} translated to C ({seconds:.1f} s)")
                            waiting |= {pool.submit(self.compile, each): each for each in sources[job]}
            finally:
                pool.shutdown(cancel_futures=True)
                for worker in workers:
                    worker.close()
                log.set_threshold(level)

    def translate(self, module, translators):
        """Write the C file of a module and its stamp; return the seconds it took."""
        begun = time.perf_counter()
        target = c_file(self.base, module.source)
        target.parent.mkdir(parents=True, exist_ok=True)
        stamp_file(target).unlink(missing_ok=True)
        translator = translators.get()
        try:
            translator.translate(dict(source=module.source, target=target.as_posix(), name=module.translated_as,
                                      include_path=self.include_path, directives=self.directives, shared=self.shared))
        finally:
            translators.put(translator)
        stamp_file(target).write_text(self.c_stamps[module.name])
        return time.perf_counter() - begun

    def compile(self, module):
        """Compile a module into the store, and write its stamp; return the seconds it took."""
        begun = time.perf_counter()
        result = self.object_file(module)
        stamp_file(result).unlink(missing_ok=True)
        scratch = Path(self.build_temp, module.name)        # modules of one C file have objects of one name
        [made] = self.compiler.compile([c_file(self.base, module.source).as_posix()], output_dir=str(scratch),
                                       macros=module.macros, include_dirs=module.include_dirs, debug=self.debug,
                                       extra_preargs=[word for path in module.headers for word in ("-include", path)],
                                       extra_postargs=module.flags + own_flags(module.source))
        shutil.move(made, result)
        shutil.rmtree(scratch, ignore_errors=True)
        stamp_file(result).write_text(self.stamps[module.name])
        return time.perf_counter() - begun

    def link(self, library, compiler, contents):
        """Link a library into the store, if any of its modules is another than when it was linked."""
        objects = [self.object_file(each) for each in library.modules]
        missing = [each.name for each, path in zip(library.modules, objects) if not path.exists()]
        if missing:
            raise CompileError(f"{library.name} needs modules that were never built, {missing[0]} among "
                               f"{len(missing)}: build everything once")
        result, own = self.built(library), HERE / "library.h"
        linker = self.linker(library)
        order = layout(library, objects, linker) if library.order and linker else ""
        stamp = digest(compiler, library.table(), contents.of_file(own), order, library.libraries, linker,
                       library.folded, library.extra_link_args, [self.recorded(each) for each in objects])
        if not self.force and self.recorded(result) == stamp:
            return
        begun = time.perf_counter()
        stamp_file(result).unlink(missing_ok=True)
        scratch = Path(self.build_temp, library.name)
        scratch.mkdir(parents=True, exist_ok=True)
        table, order_file = scratch / "table.c", scratch / "order"
        table.write_text(library.table(), encoding="utf-8")
        order_file.write_text(order, encoding="utf-8")
        flags = [f"-Wl,-Map,{result}.map"] if linker else []
        if linker == "gold":
            flags += ["-fuse-ld=gold", f"-Wl,--icf={library.folded}"]
        elif linker:
            flags.append("-Wl,-z,noseparate-code")
        if order:
            flags.append(f"-Wl,--section-ordering-file,{order_file}" if linker == "gold" else f"-Wl,-T,{order_file}")
        objects += self.compiler.compile([str(table)], output_dir=str(scratch), include_dirs=[str(HERE)],
                                         debug=self.debug, extra_postargs=library.extra_compile_args)
        self.compiler.link_shared_object([str(each) for each in objects], str(result),
                                         libraries=self.get_libraries(library), library_dirs=library.library_dirs,
                                         extra_postargs=library.extra_link_args + flags,
                                         export_symbols=self.get_export_symbols(library), debug=self.debug,
                                         build_temp=str(scratch), target_lang="c")
        shutil.rmtree(scratch, ignore_errors=True)
        stamp_file(result).write_text(stamp)
        self.say(f"linked {library.name}, {len(library.modules)} modules ({time.perf_counter() - begun:.1f} s)")

    def linker(self, library):
        """"gold" where functions are folded, "ld" if the linker takes scripts that add to its own, else ""."""
        def said(*flags):
            try:
                return subprocess.run([*self.compiler.linker_so, *flags, "-Wl,--version"], capture_output=True,
                                      text=True).stdout
            except (AttributeError, OSError):       # not a compiler of Unix
                return ""
        if library.folded and "GNU gold" in said("-fuse-ld=gold"):
            return "gold"
        return "ld" if any(name in said() for name in ("GNU ld", "LLD")) else ""

    def object_file(self, module):
        """Where the store has a module."""
        return self.store / (module.name + self.compiler.obj_extension)

    def built(self, library):
        """Where the store has a library."""
        return self.store / (library.name + SUFFIX)

    def recorded(self, target):
        """The stamp with which a file was made, "" if there is none or no file."""
        try:
            return stamp_file(target).read_text() if target.exists() else ""
        except FileNotFoundError:
            return ""

    def say(self, text):
        if self.verbose:
            print(text, flush=True)

    def copy_extensions_to_source(self):
        """Put the modules beside their sources, and take away those whose sources are gone."""
        build_py = self.get_finalized_command("build_py")
        kept = set()
        for each in self.extensions:
            inplace, regular = self._get_inplace_equivalent(build_py, each)
            replace(Path(regular), Path(inplace))
            kept.add(Path(inplace).resolve())
        if not self.only:
            for root in {Path(source).parts[0] for each in self.extensions for source in each.sources}:
                for left in Path(root).rglob("*" + SUFFIX):
                    if left.resolve() not in kept:
                        self.say(f"removed {left}: nothing is built under that name any more")
                        left.unlink()


def own_flags(source):
    """Flags that a .pyx asks for in the comments at its head, as Cython reads them; for compilers that know them."""
    if sys.platform == "win32" or not source.endswith(".pyx"):
        return []
    with open(source, encoding="utf-8") as file:
        head = [line.partition("extra_compile_args =") for line in takewhile(lambda line: line.startswith("#"), file)]
    return [flag for said, _, flags in head if said.startswith("# distutils:") for flag in flags.split()]


def mangled(name):
    """A dotted name as part of a name in C."""
    return name.replace(".", "__")


def layout(library, objects, linker):
    """What tells the linker to lay the functions of `library.order` side by side: a script, for gold a list.

    Its lines are a module and a function each. The compiler gives each function a section of its own
    (-ffunction-sections); copies of it that are made for some arguments have its name and a dot before more. A # stands
    for a number.
    """
    known = {each.name: path.name for each, path in zip(library.modules, objects)}
    lines = [line.split() for line in Path(library.order).read_text(encoding="utf-8").splitlines()
             if not line.startswith("#")]
    chosen = [(known[module], [f".text.{name}{end}" for name in numbered(function) for end in ("", ".*")])
              for module, function in lines if module in known]
    if linker == "gold":
        return "\n".join(dict.fromkeys(section for _, sections in chosen for section in sections)) + "\n"
    return "\n".join(["SECTIONS {", "  .text.side_by_side : {",
                      *(f"    *{path}({' '.join(sections)})" for path, sections in chosen),
                      "  }", "} INSERT BEFORE .text;", ""])


def numbered(name):
    return [name.replace("#", "[0-9]" * digits) for digits in (range(1, 4) if "#" in name else (0,))]


def c_file(base, source):
    """Where the C code of a source is written."""
    return base / "c" / Path(source).with_suffix(".c")


def stamp_file(target):
    return target.with_name(target.name + ".stamp")


def replace(source, target):
    """Make `target` a copy of `source`, unless it is one: by a new file, so that programs that run keep theirs."""
    if target.exists() and filecmp.cmp(source, target, shallow=False):
        return
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.copyfile(source, fresh)
    shutil.copymode(source, fresh)
    os.replace(fresh, target)
