"""What NVIDIA's compiler makes of kernels, where there is no GPU: registers, spilled bytes, loads and stores by width.

    pip install nvidia-cuda-nvrtc cuda-bindings nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm
    python tools/gpu_code.py                        # rows, reductions and pointwise kernels for compute capability 9.0
    python tools/gpu_code.py --words softmax --keep FOLDER      # some, whose assembly is kept

A multiprocessor has 65,536 registers for 2,048 items; the loads that are under way are what hides memory's latency. An
H200 moves 4.3 TB/s and issues 33e12 instructions a second, each for one item: float32's `x + y`, 12 bytes an element,
may take 92 of them before they take longer than memory.
"""
import argparse
import re
import subprocess
import sysconfig
import tempfile
from collections import Counter
from pathlib import Path

from cygrad.backend import BINARY, REDUCE
from cygrad.dtype import all_dtypes
from cygrad_cuda import compiler
from cygrad_gpu.codegen.element_types import ELEMENTS
from cygrad_gpu.codegen.teams_gpu import Team
from cygrad_gpu.codegen.traits import Traits
from cygrad_gpu.nn import layer_norm, softmax
from cygrad_gpu.pointwise import pointwise
from cygrad_gpu.pointwise.pointwise import Layout
from cygrad_gpu.reduce import map_reduce_kernels
from cygrad_gpu.reduce.map_reduce_programs import Mapped, loaded

TRAITS = Traits(dialect="cuda", processor=False, fp64=True, group=256, units=1056, local_memory=49152)
CODES = {dtype.name: dtype.code for dtype in all_dtypes() if dtype.code < len(ELEMENTS)}
SHOWN = re.compile(r"\b((?:LDG|STG|LDL|STL|LDS|STS|SHFL|BAR|CALL)[A-Z0-9.]*)")


def kernels():
    """{title: (name, source, items of a group)}."""
    found = {}
    for items, held in ((16, 1), (8, 8), (128, 8), (256, 16), (256, 0)):
        team, f32 = Team(items, held, True), CODES["float32"]
        title = f"{items} items of {held or 'any number of'} elements"
        found[f"softmax, {title}"] = softmax.make(TRAITS, f32, False, team)
        found[f"softmax_backward, {title}"] = softmax.make_backward(TRAITS, f32, False, team)
        found[f"layer_norm, {title}"] = layer_norm.make(TRAITS, f32, True, True, team)
        found[f"layer_norm_backward, {title}"] = layer_norm.make_backward(TRAITS, f32, True, team)
    for dtype in ("float32", "float16", "float64"):
        code = CODES[dtype]
        for team in (0, 128, 8):
            mapped = Mapped(loaded(1), code, (code,), (REDUCE.index("sum"),), None, 1, code, "1", team)
            found[f"sum of {dtype}, {team or 256} items"] = map_reduce_kernels.make_rows(TRAITS, mapped)
        found[f"sum of columns, {dtype}"] = map_reduce_kernels.make_columns(TRAITS, mapped)
        program = ("in", 0), ("in", 1), ("binary", BINARY.index("add")), ("out", 0)
        found[f"x + y, {dtype}"] = pointwise.make(TRAITS, program, (code,) * 2, (code,), Layout("run", "111"))
    return found


def tool(name):
    """A program of NVIDIA's packages for Python."""
    return next(Path(sysconfig.get_path("purelib")).glob(f"nvidia/*/bin/{name}"))


def printed(*command):
    """What a command prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def report(title, name, source, capability, keep):
    """Print a line about a kernel."""
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "kernel.cubin"
        binary.write_bytes(compiler.compile(source, name, capability))
        used = printed(tool("cuobjdump"), "-res-usage", binary)
        code = printed(tool("nvdisasm"), "-c", binary)
    if keep:
        (Path(keep) / f"{re.sub('[^a-z0-9]+', '_', title)}.sass").write_text(code)
    registers, stack = re.search(r"REG:(\d+) STACK:(\d+)", used).groups()
    counts = Counter(SHOWN.findall(code))
    print(f"| {title} | {registers} | {stack} | {len(re.findall(r'/[*][0-9a-f]{4,}[*]/', code))} | "
          f"{', '.join(f'{count} {word}' for word, count in sorted(counts.items()))} |", flush=True)


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", nargs="+", default=[""], help="only kernels whose title has one of these")
    parser.add_argument("--capability", type=int, default=90)
    parser.add_argument("--keep", metavar="FOLDER", help="where the assembly is kept")
    options = parser.parse_args()
    print("| kernel | registers | stack | instructions, all paths | memory |\n|---|---|---|---|---|")
    for title, (name, source, _) in kernels().items():
        if any(word in title for word in options.words):
            report(title, name, source, options.capability, options.keep)


if __name__ == "__main__":
    main()
