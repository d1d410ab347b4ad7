"""The build goes by content: what didn't change is not built again, and what depends on a change is.

If this breaks, a second run of `tox` takes minutes, or a module is left as it was before a change. The project that is
built here has two modules, one of which cimports the other, a third whose name ends as the first's, and a kernel that
is compiled twice from one translation; all of them are one library.
"""
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TOOLS = Path(__file__).parents[1] / "tools"
FILES = {
    "core/pack/__init__.py": "from pack import _compiled\n",
    "core/pack/inner/__init__.py": "",
    "core/pack/inner/first.pyx": "cdef class Inner:\n    pass\n\ndef where():\n    return __name__\n",
    "core/pack/first.pxd": "cdef class Number:\n    cdef int value\n",
    "core/pack/first.pyx": "cdef class Number:\n    def __init__(self, value):\n        self.value = value\n",
    "core/pack/second.pyx": "from pack.first cimport Number\n\ndef value(Number number):\n    return number.value\n",
    "core/pack/kernels/power.pyx": ('cdef extern from "pack/kernels/power.h":\n    int power_of_two()\n\n'
                                    "def power():\n    return power_of_two(), __name__\n"),
    "core/pack/kernels/power.h": ('#include "pack/kernels/factor.h"\n'
                                  "static int power_of_two(void) { return POWER * FACTOR; }\n"),
    "core/pack/kernels/factor.h": "#define FACTOR 1\n",
    "setup.py": '''
import os, sys
sys.path.insert(0, "tools")
from pathlib import Path
from incremental import Build, BuildExt, Library, Module
from setuptools import setup

class Here(BuildExt):
    include_path = ["core"]
    directives = {"language_level": 3, "binding": False}

    only = os.environ.get("ONLY", "").split()

flags = ["-ffunction-sections"] if "ORDER" in os.environ else []
found = [Module(".".join(path.with_suffix("").parts[1:]), path.as_posix(), flags=flags)
         for path in sorted(Path("core/pack").rglob("*.pyx")) if path.parent.name != "kernels"]
found += [Module(f"pack._power_{isa}", "core/pack/kernels/power.pyx", translated_as="pack._power",
                 flags=["-Icore", f"-DPOWER={isa}{os.environ.get('ZEROS', '')}"]) for isa in (2, 3)]
setup(name="pack", version="1", packages=["pack", "pack.inner"], package_dir={"": "core"},
      ext_modules=[Library("pack._compiled", found, order=os.environ.get("ORDER"), folded=os.environ.get("FOLDED"))],
      cmdclass={"build": Build, "build_ext": Here})
''',
}
EVERYTHING = ({"first", "inner/first", "second", "power"}, {"first", "inner.first", "second", "_power_2", "_power_3"})
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
NOTHING = (set(), set())


class Project:
    """A folder with the files above, and what building it does."""

    def __init__(self, folder):
        self.folder = folder
        shutil.copytree(TOOLS, folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        for path, text in FILES.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")

    def run(self, *arguments, **variables):
        done = subprocess.run([sys.executable, *arguments], cwd=self.folder, capture_output=True, text=True,
                              env=os.environ | {"CFLAGS": "-O0 -g0"} | variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def build(self, *command, **variables):
        """The names in the package of the files that were translated to C, and of the modules that were compiled."""
        said = self.run("setup.py", *(command or ("build_ext", "--inplace")), **variables)
        return (set(re.findall(r"^\[\d+/\d+\] core/pack/(?:kernels/)?(\S+)\.pyx translated", said, re.M)),
                set(re.findall(r"^\[\d+/\d+\] pack\.(\S+) \(", said, re.M)))

    def edit(self, path, before, after):
        text = (self.folder / path).read_text(encoding="utf-8")
        assert before in text
        (self.folder / path).write_text(text.replace(before, after), encoding="utf-8")

    def answer(self, program):
        return self.run("-c", "import sys; sys.path.insert(0, 'core'); " + program).strip()


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("project"))
    assert project.build() == EVERYTHING
    return project


def test_one_translation_makes_a_module_for_each_set_of_flags(project):
    program = "from pack import _power_2, _power_3; print(_power_2.power()[0], _power_3.power()[0], _power_3.__name__)"
    assert project.answer(program) == "2 3 pack._power_3"


def test_files_that_are_only_newer_are_not_built(project):
    for path in FILES:
        os.utime(project.folder / path)
    assert project.build() == NOTHING


def test_a_declaration_builds_all_that_cimport_it(project):
    project.edit("core/pack/first.pxd", "cdef int value", "cdef int other, value")
    assert project.build() == ({"first", "second"}, {"first", "second"})
    assert project.answer("from pack import first, second; print(second.value(first.Number(7)))") == "7"


def test_a_header_builds_all_that_include_it(project):
    project.edit("core/pack/kernels/factor.h", "1", "10")
    assert project.build()[1] == {"_power_2", "_power_3"}
    assert project.answer("from pack import _power_2; print(_power_2.power()[0])") == "20"
    project.edit("core/pack/kernels/factor.h", "10", "1")
    project.build()


def test_a_change_is_built_alone_and_undone_again(project):
    project.edit("core/pack/second.pyx", "number.value", "number.value + 1")
    assert project.build() == ({"second"}, {"second"})
    assert project.answer("from pack import first, second; print(second.value(first.Number(7)))") == "8"
    project.edit("core/pack/second.pyx", "number.value + 1", "number.value")
    assert project.build() == ({"second"}, {"second"})


def test_flags_compile_again_what_is_not_translated_again(project):
    assert project.build(ZEROS="00") == (set(), {"_power_2", "_power_3"})
    assert project.answer("from pack import _power_2; print(_power_2.power()[0])") == "200"
    assert project.build() == (set(), {"_power_2", "_power_3"})


def test_a_file_asks_for_flags_anywhere_in_the_comments_at_its_head(project):
    head = ("# cython: binding=False\n# distutils: extra_compile_args = -DGIVEN=5\n"
            "cdef extern from *:\n    int GIVEN\n\ndef given():\n    return GIVEN\n\n")
    project.edit("core/pack/second.pyx", "from pack", head + "from pack")
    project.build()
    assert project.answer("from pack import second; print(second.given())") == "5"
    project.edit("core/pack/second.pyx", head, "")
    project.build()


def test_a_build_in_another_folder_finds_what_was_built(project):
    assert project.build("build_ext", "--build-lib", "elsewhere", "--build-temp", "objects") == NOTHING
    assert [path.name for path in (project.folder / "elsewhere").rglob("*" + SUFFIX)] == ["_compiled" + SUFFIX]


def test_a_module_whose_source_is_gone_is_taken_away(project):
    before = project.folder / ("core/pack/second" + SUFFIX)
    before.write_text("a shared object of its own, as modules once were")
    (project.folder / "core/pack/second.pyx").rename(project.folder / "core/pack/third.pyx")
    assert project.build() == ({"third"}, {"third"})
    assert not before.exists()
    assert project.answer("import pack; print(*pack._compiled.names())") == (
        "pack._power_2 pack._power_3 pack.first pack.inner.first pack.third")
    project.build("build")
    assert [path.name for path in (project.folder / "build").glob("lib*/**/*" + SUFFIX)] == ["_compiled" + SUFFIX]
    (project.folder / "core/pack/third.pyx").rename(project.folder / "core/pack/second.pyx")
    assert project.build() == NOTHING      # the store still has it
    assert project.answer("from pack import first, second; print(second.value(first.Number(7)))") == "7"


def test_modules_named_alone_are_built_alone(project):
    project.edit("core/pack/first.pyx", "= value", "= value + 1")
    project.edit("core/pack/second.pyx", "number.value", "10 * number.value")
    assert project.build(ONLY="pack.second") == ({"second"}, {"second"})
    assert project.answer("from pack import first, second; print(second.value(first.Number(7)))") == "70"
    assert project.build() == ({"first"}, {"first"})
    assert project.answer("from pack import first, second; print(second.value(first.Number(7)))") == "80"
    project.edit("core/pack/first.pyx", "= value + 1", "= value")
    project.edit("core/pack/second.pyx", "10 * number.value", "number.value")
    project.build()


def test_a_module_is_made_when_it_is_imported(project):
    assert project.answer("""
import pack, sys, pickle, importlib.util
assert sorted(name for name in sys.modules if name.partition(".")[0] == "pack") == ["pack", "pack._compiled"]
import pack.second
assert "pack.first" in sys.modules and "pack.inner.first" not in sys.modules        # second cimports first
from pack.inner import first as inner
assert inner.where() == inner.__name__ == "pack.inner.first" and inner is not pack.first
assert pack.first.__file__ == pack._compiled.__file__ == importlib.util.find_spec("pack.first").origin
assert pack.first.__loader__ is pack._compiled is pack.first.__spec__.loader and pack.first.__package__ == "pack"
assert type(pickle.loads(pickle.dumps(inner.Inner()))) is inner.Inner
assert importlib.reload(pack.first) is pack.first
assert importlib.util.find_spec("pack.third") is None and importlib.util.find_spec("packs") is None
for name in "pack.inner.second", "pack.firsts", "pack.":
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        assert error.name == name
    else:
        raise AssertionError(name)
print("right")
""") == "right"
    done = subprocess.run([sys.executable, "-m", "pack.first"], cwd=project.folder / "core", capture_output=True,
                          text=True)
    assert "No code object available for pack.first" in done.stderr


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("nm"),
                    reason="the linkers of other systems take no order; nm reads it back")
def test_functions_are_laid_out_in_the_order_of_a_list(project):
    def starts():
        said = subprocess.run(["nm", project.folder / ("core/pack/_compiled" + SUFFIX)], capture_output=True, text=True)
        return [int(re.search(rf"^(\w+) t {name}$", said.stdout, re.M)[1], 16) for name in functions]

    functions = ["__pyx_pymod_exec_second", "__pyx_pf_4pack_5inner_5first_where"]
    lines = ["pack.gone function", "pack.second __pyx_pymod_exec_second",
             "pack.inner.first __pyx_pf_4pack_#inner_5first_where"]
    sizes = {}              # with and without what Cython writes into each module
    for order in (0, 1), (1, 0):
        (project.folder / "order.txt").write_text("# a module and a function\n" + "\n".join(
            [lines[0], *(lines[1 + i] for i in order)]))
        for folded in {}, {"FOLDED": "safe"}:
            project.build(ORDER="order.txt", **folded)
            first, second = [starts()[i] for i in order]
            assert first < second < first + 0x4000
            sizes[bool(folded)] = (project.folder / ("core/pack/_compiled" + SUFFIX)).stat().st_size
    assert sizes[True] < sizes[False] - 1000 or not shutil.which("ld.gold")
    project.build()


def test_the_code_that_runs_at_import_looks_up_globals_without_a_cache(project):
    """tools/translate.py finds that code by what Cython writes above it, and calls a macro of Cython's by name."""
    project.edit("core/pack/second.pyx", "def value(", "LENGTH = len(__name__)\nSHORTER = LENGTH - 1\n\ndef value(")
    project.build()
    before, mark, after = (project.folder / "build/c/core/pack/second.c").read_text(encoding="utf-8").partition(
        "/*--- Execution code ---*/")
    assert mark and "__Pyx_GetModuleGlobalName(" in before          # as Cython defines it
    code = after.partition("\n}\n")[0]
    assert "__Pyx_GetModuleGlobalNameUncached(" in code and "__Pyx_GetModuleGlobalName(" not in code
    assert project.answer("from pack import second; print(second.SHORTER)") == "10"


def test_an_error_names_the_file(project):
    project.edit("core/pack/first.pyx", "self.value = value", "self.value = value +")
    with pytest.raises(AssertionError, match="could not translate core/pack/first.pyx"):
        project.build()
    project.edit("core/pack/first.pyx", "self.value = value +", "self.value = value")
    assert project.build() == NOTHING
