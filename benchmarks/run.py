"""All benchmarks, or the groups with one of the words given in their name: `python benchmarks/run.py matmul random`."""

import sys

import elementwise
import harness
import layers
import matmul
import networks
import overhead
import random_numbers
import reductions
import sorting
import training

MODULES = [overhead, elementwise, reductions, sorting, matmul, training, networks, layers, random_numbers]
GROUPS = {name: rows for module in MODULES for name, rows in module.GROUPS.items()}

if __name__ == "__main__":
    words = []
    while len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        words.append(sys.argv.pop(1))
    chosen = {name: rows for name, rows in GROUPS.items() if not words or any(word in name for word in words)}
    if not chosen:
        sys.exit("no such group; there are: " + "; ".join(GROUPS))
    sys.exit(harness.main(chosen, __doc__))
