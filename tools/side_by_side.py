"""Finds the functions that small calls run through: `python tools/side_by_side.py`, which takes minutes.

Every row of the benchmarks `overhead` and `autograd` runs under callgrind. The functions of each library that a call
runs through are written to tools/side_by_side/PACKAGE.txt, which the linker lays out in that order (`layout` in
incremental.py): first what most rows have in common, then row by row what few have. A function that is gone costs
nothing, a new one lies where it would have anyway, so the lists need no care between one round of measuring and the
next. A # stands for the number that Cython gives a method; it changes with every method before it.

Needs valgrind with its headers and GNU's linker, whose map says where each function lies.
"""
import bisect
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
GROUPS = ("overhead", "autograd")
KERNEL = re.compile(r"\._\w+_(v\d|generic)$")    # the last step of a call; valgrind's processor takes another one's
HEAD = "# Functions of {} that small calls run through, in the order of memory: written by tools/side_by_side.py\n"

sys.path.insert(0, str(ROOT / "benchmarks"))
import instructions  # noqa: E402  (found through the line above)


def counts(folder):
    """For each row, {package: {address in its library: how often the instruction there ran}}."""
    source, requests = folder / "requests.c", folder / "requests.so"
    source.write_text(instructions.REQUESTS, encoding="utf-8")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-o", requests, source], check=True)
    subprocess.run(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--dump-line=no", "--compress-pos=no",
                    "--compress-strings=no", f"--callgrind-out-file={folder}/counts", sys.executable,
                    instructions.__file__, "--inside", str(requests), *GROUPS], check=True,
                   env={**os.environ, "PYTHONHASHSEED": "0"}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    rows = []
    for path in sorted(folder.glob("counts.*"), key=lambda path: int(path.suffix[1:])):
        head, *objects = re.split(r"^ob=", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        if re.search(r"^desc: Trigger: Client Request: .", head, re.MULTILINE):
            rows.append({})
            for text in objects:
                library = Path(text.partition("\n")[0])
                if library.name.startswith("_compiled"):
                    text = re.sub(r"^calls=.*\n.*\n", "", text, flags=re.MULTILINE)     # counted where it was called
                    rows[-1].setdefault(library.parent.name, {}).update(
                        (int(address, 16), int(number))
                        for address, number in re.findall(r"^0x([0-9a-f]+) (\d+)$", text, re.MULTILINE))
    return rows


def functions(package):
    """[(address, size, module, name)] of a package's library, in the order of addresses, as its linker's map has it."""
    [text] = [path.read_text(encoding="utf-8") for path in ROOT.glob(f"build/modules/*/{package}._compiled*.map")]
    return sorted((int(address, 16), int(size, 16), Path(path).stem, name) for name, address, size, path in
                  re.findall(r"^ \.text\.(\S+)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)\s(\S+)$", text, re.MULTILINE))


def named(function):
    """A function's name without what a compiler adds, and # for Cython's count of methods."""
    return re.sub(r"^(__pyx_p[wf]_\w*_)\d+(?=[A-Za-z_]\w*$)", r"\1#", function.partition(".")[0])


def used(functions, row, often):
    """The functions, (module, name), of which an instruction ran `often` in a row."""
    starts = [each[0] for each in functions]
    found = {}
    for address, number in row.items():
        at = bisect.bisect_right(starts, address) - 1
        if number >= often and at >= 0 and address < functions[at][0] + functions[at][1]:
            found[functions[at][2], named(functions[at][3])] = None
    return found


def main():
    """Write the lists."""
    os.chdir(ROOT)
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(build, check=True, env={**os.environ, "CYGRAD_UNORDERED": "1"})    # it reads .text only
    with tempfile.TemporaryDirectory() as folder:
        rows = counts(Path(folder))
    for package in sorted({package for row in rows for package in row}):
        known = functions(package)
        use = {}                                # {function: numbers of the rows that it is used in}
        for i, row in enumerate(rows):
            for function in used(known, row.get(package, {}), instructions.LOOPS):
                use.setdefault(function, []).append(i)
        use = {function: rows for function, rows in use.items() if not KERNEL.search(function[0])}
        order = sorted(use, key=lambda function: (-len(use[function]), use[function]))
        target = HERE / "side_by_side" / f"{package}.txt"
        target.parent.mkdir(exist_ok=True)
        target.write_text(HEAD.format(package) + "".join(f"{module} {name}\n" for module, name in order),
                          encoding="utf-8")
        print(f"{package}: {len(order)} functions of {len(rows)} rows")
    subprocess.run(build, check=True)


if __name__ == "__main__":
    main()
