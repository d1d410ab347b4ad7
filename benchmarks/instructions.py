"""Counts the instructions of each statement of the benchmarks: `python benchmarks/instructions.py overhead autograd`.

Times of calls of 100 ns are noise on a machine that does something else besides; instructions are the same on every
run. They don't see caches, waiting and vectors' widths: this is for what a call costs before and after its kernel.
Needs valgrind with its headers, and a C compiler. `--against FOLDER` counts another built tree of cygrad, too, and
shows what grew or shrank.
"""
import argparse
import ctypes
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
REQUESTS = """
#include <valgrind/callgrind.h>
void zero(void) { CALLGRIND_ZERO_STATS; }
void dump(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
"""
LOOPS = 60


def count_rows(library, words):
    """Run inside valgrind: every row of the groups, with a dump of the counters after each."""
    import run
    from worker import Worker
    requests = ctypes.CDLL(library)
    requests.zero()
    requests.dump(b"")                      # the first dump is part of what it counts
    for group, rows in run.GROUPS.items():
        for row in rows if any(word in group for word in words) else ():
            worker = Worker("cygrad", 1)
            names = dict(worker.given, rng=worker.given["np"].random.default_rng(0))
            lines = row.statement.replace("\n", "\n        ")
            try:
                exec(row.setup, names)
                changed = sorted(set(re.findall(r"(?m)^(\w+) [-+*/@]?= ", row.statement)) & set(names))
                head = f"    global {', '.join(changed)}\n" if changed else ""
                exec(f"def loop(n):\n{head}    for _ in range(n):\n        {lines}\n", names)
                names["loop"](20)
                requests.zero()
                names["loop"](LOOPS)
                requests.dump(row.name.encode())
            except Exception as error:
                print(f"{row.name}: {error}", file=sys.stderr)


def counted(tree, words):
    """{row: instructions a statement} for the cygrad of a tree."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "requests.c"), Path(folder, "requests.so")
        source.write_text(REQUESTS, encoding="utf-8")
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
        paths = [str(Path(tree, part)) for part in ("core", "backends", "plugins")]
        counter = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONHASHSEED": "0"}
        subprocess.run([*counter, sys.executable, __file__, "--inside", str(library), *words], env=environment,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = {}
        for path in Path(folder).glob("counts*"):
            text = path.read_text(encoding="utf-8")
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
            if name and name[1]:
                found[name[1]] = int(re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)[1]) / LOOPS
        return found


def main():
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="+", help="words of the groups' names")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another tree, built in place")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return count_rows(options.inside, options.words)
    if not shutil.which("valgrind"):
        sys.exit("valgrind is not installed; on Debian: apt install valgrind")
    ours = counted(HERE.parent, options.words)
    theirs = counted(options.against, options.words) if options.against else {}
    ratios = {name: ours[name] / theirs[name] for name in ours if name in theirs}
    print("| statement | instructions |" + (" before | now / before |" if theirs else ""))
    print("|---|---|" + ("---|---|" if theirs else ""))
    for name in sorted(ours, key=lambda name: -ratios.get(name, 0)):
        before = f" {theirs[name]:.0f} | {ratios[name]:.2f} |" if name in ratios else ""
        print(f"| {name} | {ours[name]:.0f} |{before}")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        print(f"\ngeometric mean of {len(ratios)} rows: {mean:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
