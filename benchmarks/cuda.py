"""Proves the CUDA backend where a GPU is, in one call of under ten minutes, and says what passed.

    python benchmarks/cuda.py                                   # all stages
    python benchmarks/cuda.py --tutorials FOLDER                # and the scripts of a folder, with cygrad as torch
    python benchmarks/cuda.py --stages rows --rows softmax

It needs no installation and no network: PyTorch with CUDA, cuda-bindings, NVRTC, NumPy, pytest, Cython and a C compiler
are enough. Stages: build; features (cuda_features.py: streams, graphs, sharing ...); programs (the examples, the
tutorials); rows (cuda_rows.py: figures beside PyTorch's); conformance and parity, in as many processes as there are
cores; sanitizer (compute-sanitizer over the conformance suite, where it is installed). Each has a limit of its own, and
one that fails or is cut off hides no other.
``--device opencl --peer-device cpu`` runs the same on another device, to try out the script.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cuda_rows

ROOT = Path(__file__).resolve().parents[1]
sys.path[:] = [each for each in sys.path if Path(each or ".").resolve() != ROOT / "benchmarks"]
# From here on `import cuda` finds NVIDIA's package, not this file.
LIMITS = {"build": 150, "features": 60, "programs": 50, "rows": 150, "conformance": 90, "parity": 90,
          "sanitizer": 50}          # seconds
AS_TORCH = """
import os, runpy, sys, cygrad, cygrad.nn.functional
for name, module in list(sys.modules.items()):
    if name == "cygrad" or name.startswith("cygrad."):
        sys.modules["torch" + name[len("cygrad"):]] = module
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def environment(device):
    """Variables for a process that uses the checkout's backend of this name as if it were installed."""
    folder = Path(tempfile.mkdtemp(prefix="cygrad-")) / "cygrad_checkout-0.dist-info"
    folder.mkdir()
    name = device.partition(":")[0]
    cls = {"cuda": "CUDABackend", "opencl": "OpenCLBackend"}[name]
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: cygrad-checkout\nVersion: 0\n")
    (folder / "entry_points.txt").write_text(f"[cygrad.backends]\n{name} = cygrad_{name}:{cls}\n")
    paths = [str(folder.parent), *(str(ROOT / each) for each in ("core", "backends", "plugins"))]
    return os.environ | {"PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")]), "MPLBACKEND": "Agg"}


def run_all(commands, variables, limit, folder=ROOT):
    """Run commands side by side, for `limit` seconds at most: [(status, what it printed)]; None: cut off."""
    end = time.perf_counter() + limit
    running = []
    for command in commands:
        output = tempfile.TemporaryFile("w+")       # noqa: SIM115  read below, when the process has ended
        running.append((subprocess.Popen(list(map(str, command)), cwd=folder, env=variables, stdout=output,
                                         stderr=subprocess.STDOUT, start_new_session=True), output))
    found = []
    for process, output in running:
        try:
            status = process.wait(max(end - time.perf_counter(), 0.1))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)          # a process of this script's own, and its children
            process.wait()
            status = None
        output.seek(0)
        found.append((status, output.read()))
    return found


def report(names, found, lines, logs):
    """Print the last lines of what each command printed, which `logs` keeps whole; how many did not pass."""
    for name, (status, text) in zip(names, found):
        outcome = "passed" if status == 0 else "cut off" if status is None else f"FAILED ({status})"
        print(f"- {name}: {outcome}")
        if logs:
            with open(Path(logs) / "cuda.log", "a") as file:
                file.write(f"\n#### {name}: {outcome}\n{text}")
        shown = text.strip().splitlines()[-(lines if status == 0 else max(lines, 25)):]
        print("".join(f"    {line}\n" for line in shown), end="", flush=True)
    return sum(status != 0 for status, _ in found)


def sharded(arguments, options, variables, limit):
    """pytest in several processes, each of which runs every n-th test."""
    count = options.processes
    found = run_all([[sys.executable, __file__, "--shard", f"{i}/{count}", *arguments] for i in range(count)],
                    variables, limit)
    return report([f"part {i + 1} of {count}" for i in range(count)], found, 1, options.logs)


class Shard:
    """A plugin of pytest that keeps every n-th test."""

    def __init__(self, text):
        self.first, self.step = map(int, text.split("/"))

    def pytest_collection_modifyitems(self, items):
        items[:] = items[self.first::self.step]


# ---- stages: each returns how much of it did not pass

def build(options, variables):
    return report(["setup.py build_ext"], run_all([[sys.executable, "setup.py", "build_ext", "--inplace"]], variables,
                                                  LIMITS["build"]), 0, options.logs)


def features(options, variables):
    if not options.device.startswith("cuda"):
        print("- features of cygrad.cuda only")
        return 0
    command = [sys.executable, ROOT / "benchmarks" / "cuda_features.py"]
    return report(["features"], run_all([command], variables, LIMITS["features"]), 100, options.logs)


def programs(options, variables):
    files = [file for file in sorted((ROOT / "examples").glob("*.py")) if "cygrad" in file.read_text()
             and "ranks" not in file.name]          # those want other processes, and cuda:1, ...
    for each in options.tutorials:
        files += sorted(Path(each).resolve().rglob("*.py")) if Path(each).is_dir() else [Path(each).resolve()]
    here = variables | {"CYGRAD_BACKEND": options.device, "CYGRAD_FALLBACK": "silent"}
    found = run_all([[sys.executable, "-c", AS_TORCH, file, *(["--quick"] if "arguments(" in file.read_text() else [])]
                     for file in files], here, LIMITS["programs"],
                    tempfile.mkdtemp(prefix="cygrad-"))
    return report([file.name for file in files], found, 1, options.logs)


def rows(options, variables):
    command = [sys.executable, __file__, "--table", "--device", options.device, "--peer-device", options.peer_device,
               "--rounds", options.rounds, "--seconds", LIMITS["rows"] - 20]
    command += ["--rows", *options.rows] if options.rows else []
    return report(["rows"], run_all([command], variables, LIMITS["rows"]), 1000, options.logs)


def conformance(options, variables):
    arguments = ["-p", "cygrad.testing.pytest_plugin", "--pyargs", "cygrad.testing", "--backend", options.device,
                 "-q", "-p", "no:cacheprovider", *(["--thorough"] if options.thorough else [])]
    return sharded(arguments, options, variables, LIMITS["conformance"])


def parity(options, variables):
    here = variables | {"CYGRAD_BACKEND": options.device, "CYGRAD_FALLBACK": "silent"}      # what tests make is there
    arguments = [str(ROOT / "tests" / "parity" / "test_ops.py"), "-q", "-p", "no:cacheprovider"]
    return sharded(arguments, options, here, LIMITS["parity"])


def sanitizer(options, variables):
    tool = shutil.which("compute-sanitizer") or shutil.which("/usr/local/cuda/bin/compute-sanitizer")
    if tool is None or not options.device.startswith("cuda"):
        print("- compute-sanitizer is not installed")
        return 0
    found = run_all([[tool, "--tool", kind, "--error-exitcode", "9", sys.executable, "-m", "cygrad.testing",
                      options.device, "--entry", *entries] for kind, entries in (
                          ("memcheck", ["copy", "--entry", "reduce", "--entry", "matmul"]),
                          ("memcheck", ["gather", "--entry", "scatter", "--entry", "scan", "--entry", "nonzero"]),
                          ("racecheck", ["reduce", "--entry", "sort", "--entry", "softmax", "--entry", "layer_norm"]))],
                    variables, LIMITS["sanitizer"])
    return report(["memcheck, copies", "memcheck, indices", "racecheck"], found, 2, options.logs)


STAGES = {"build": build, "features": features, "programs": programs, "rows": rows, "conformance": conformance,
          "parity": parity, "sanitizer": sanitizer}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES))
    parser.add_argument("--device", default="cuda", help="ours")
    parser.add_argument("--peer-device", default="cuda", help="PyTorch's")
    parser.add_argument("--tutorials", nargs="+", default=[], help="scripts, or folders of them, that import torch")
    parser.add_argument("--rows", nargs="+", help="only rows with one of these words in their group or name")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--processes", type=int, default=min(os.cpu_count() or 1, 12), help="of the tests' stages")
    parser.add_argument("--logs", help="a folder: all that the stages print is kept in cuda.log there")
    parser.add_argument("--limit", nargs=2, action="append", default=[], metavar=("STAGE", "SECONDS"))
    parser.add_argument("--thorough", action="store_true", help="all cases of the conformance suite")
    parser.add_argument("--seconds", type=float, default=1e9, help=argparse.SUPPRESS)
    parser.add_argument("--table", action="store_true", help=argparse.SUPPRESS)     # in a process of its own
    options = parser.parse_args()
    if options.table:
        return min(cuda_rows.main(options), 99)
    LIMITS.update((stage, int(seconds)) for stage, seconds in options.limit)
    variables = environment(options.device)
    summary = []
    for name in STAGES:
        if name in options.stages:
            print(f"\n## {name}", flush=True)
            start = time.perf_counter()
            try:
                missed = STAGES[name](options, variables)
            except Exception as error:                      # the other stages still have something to say
                print(f"- {type(error).__name__}: {error}")
                missed = 1
            summary.append((name, missed, time.perf_counter() - start))
    print("\n## Summary\n")
    for name, missed, seconds in summary:
        print(f"- {name}: {'passed' if not missed else f'FAILED ({missed})'} in {seconds:.0f} s")
    return int(any(missed for _, missed, _ in summary))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--shard"]:
        import pytest
        sys.exit(pytest.main(sys.argv[3:], plugins=[Shard(sys.argv[2])]))
    sys.exit(main())
