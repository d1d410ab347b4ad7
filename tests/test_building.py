"""The build goes by content: what didn't change is not built again, and what depends on a change is.

If this breaks, a second run of `tox` takes minutes, or a module is left as it was before a change. The project that is
built here has two modules, one of which cimports the other, and a kernel that is compiled twice from one translation.
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
    "core/pack/__init__.py": "",
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
from incremental import Build, BuildExt, Module
from setuptools import setup

class Here(BuildExt):
    include_path = ["core"]
    directives = {"language_level": 3, "binding": False}

found = [Module(f"pack.{path.stem}", path.as_posix()) for path in sorted(Path("core/pack").glob("*.pyx"))]
found += [Module(f"pack._power_{isa}", "core/pack/kernels/power.pyx", translated_as="pack._power",
                 extra_compile_args=["-Icore", f"-DPOWER={isa}{os.environ.get('ZEROS', '')}"]) for isa in (2, 3)]
setup(name="pack", version="1", packages=["pack"], package_dir={"pack": "core/pack"}, ext_modules=found,
      cmdclass={"build": Build, "build_ext": Here})
''',
}
EVERYTHING = ({"first", "second", "power"}, {"first", "second", "_power_2", "_power_3"})
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
        """The stems of the files that were translated to C, and of the modules that were compiled."""
        said = self.run("setup.py", *(command or ("build_ext", "--inplace")), **variables)
        return (set(re.findall(r"^\[\d+/\d+\] \S*?(\w+)\.pyx translated", said, re.M)),
                set(re.findall(r"^\[\d+/\d+\] pack\.(\w+) \(", said, re.M)))

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
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    assert sorted(path.name for path in (project.folder / "elsewhere").rglob("*" + suffix)) == sorted(
        name + suffix for name in EVERYTHING[1])


def test_a_module_whose_source_is_gone_is_taken_away(project):
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    (project.folder / "core/pack/second.pyx").rename(project.folder / "core/pack/third.pyx")
    assert project.build() == ({"third"}, {"third"})
    assert not (project.folder / ("core/pack/second" + suffix)).exists()
    project.build("build")
    built = {path.name for path in (project.folder / "build").glob("lib*/pack/*" + suffix)}
    assert built == {name + suffix for name in ("first", "third", "_power_2", "_power_3")}


def test_an_error_names_the_file(project):
    project.edit("core/pack/first.pyx", "self.value = value", "self.value = value +")
    with pytest.raises(AssertionError, match="could not translate core/pack/first.pyx"):
        project.build()
    project.edit("core/pack/first.pyx", "self.value = value +", "self.value = value")
    assert project.build() == NOTHING
