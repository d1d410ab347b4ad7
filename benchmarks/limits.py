"""How near large pointwise ops and sums come to what the memory gives, measured by loops in C on the same arrays.

    python benchmarks/limits.py

Needs a C compiler (`CC`, else `cc`). Arrays have 1e7 float32 (40 MB), beyond the caches. A row's C loop and cygrad's
statement take turns for some rounds, one thread, the process's own CPU time; shown are the medians and how many minor
page faults a statement cost after the first: results are fresh, but their memory is not.
"""

import ctypes
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cygrad

N = 10_000_000
LOOPS = """
#define KERNEL(name, body) \\
    void name(float *a, const float *b, const float *c, long n) { for (long i = 0; i < n; i++) body; }
KERNEL(triad, a[i] = b[i] + 0.5f * c[i])
KERNEL(update, a[i] += b[i])
KERNEL(copy, a[i] = b[i])
float total(float *a, const float *b, const float *c, long n) {
    float sums[64] = {0}, sum = 0;
    for (long i = 0; i + 64 <= n; i += 64) for (int k = 0; k < 64; k++) sums[k] += b[i + k];
    for (int k = 0; k < 64; k++) sum += sums[k];
    return sum;
}
"""
ROWS = [  # cygrad's statement by name and as a function, the C loop, bytes an element
    ("b.add(c, alpha=0.5)", lambda a, b, c: b.add(c, alpha=0.5), "triad", 12),
    ("b + c", lambda a, b, c: b + c, "triad", 12),
    ("add(b, c, alpha=0.5, out=a)", lambda a, b, c: cygrad.add(b, c, alpha=0.5, out=a), "triad", 12),
    ("a.add_(b)", lambda a, b, c: a.add_(b), "update", 12),
    ("b.clone()", lambda a, b, c: b.clone(), "copy", 8),
    ("b * 0.5", lambda a, b, c: b * 0.5, "copy", 8),
    ("b.sum()", lambda a, b, c: b.sum(), "total", 4),
]
FLAGS = ["-O3", "-march=native", "-ffast-math", "-fno-tree-loop-distribute-patterns", "-shared", "-fPIC"]


def compiled(folder):
    """The loops as a shared library."""
    source, library = Path(folder) / "loops.c", Path(folder) / "loops.so"
    source.write_text(LOOPS)
    subprocess.run([os.environ.get("CC", "cc"), *FLAGS, "-o", library, source], check=True)
    return ctypes.CDLL(str(library))


def spent(function, *operands):
    start = time.process_time_ns()
    function(*operands)
    return time.process_time_ns() - start


def main(rounds=15):
    cygrad.set_num_threads(1)
    a, b, c = (cygrad.full((N,), 1e-3 * k) for k in (1, 2, 3))
    pointers = [ctypes.c_void_p(x.data_ptr()) for x in (a, b, c)]
    print("| statement | C | cygrad | rate | of the limit | page faults |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(folder)
        for name, statement, loop, width in ROWS:
            limits, ours = [], []
            for number in range(rounds):
                limits.append(spent(getattr(library, loop), *pointers, ctypes.c_long(N)))
                ours.append(spent(statement, a, b, c))
                if number == 0:
                    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
            limit, own = statistics.median(limits), statistics.median(ours)
            print(f"| {name} | {limit / 1e6:.2f} ms | {own / 1e6:.2f} ms | {width * N / own:.1f} GB/s "
                  f"| {limit / own:.0%} | {faults} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
