"""Calls of every op on a few elements beside PyTorch's: `python benchmarks/samples.py [part of a name ...]`.

What is called are samples of the table of ops (`tests/op_db`) in float32, without gradients, one thread. Both libraries
run in this process, in turns of about a millisecond; a ratio is PyTorch's time by ours, the median of the turns. This
finds calls with much around their kernels; how fast kernels are is the other benchmarks' matter.
"""

import argparse
import statistics
import sys
import time
import warnings
from pathlib import Path

import cygrad
import torch

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))
from op_db import OPS

TURN = 1e-3     # seconds


def called(module, op, sample):
    """A function that makes the call once more; None where the module refuses it."""
    try:
        args, kwargs = sample.build(module)
        function = op.function(module)
        function(*args, **kwargs)
    except Exception:
        return None
    return lambda: function(*args, **kwargs)


def seconds(call, times):
    begin = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - begin) / times


def compared(theirs, ours, turns):
    """(ratio, PyTorch's seconds, ours): medians."""
    times = [max(1, int(TURN / max(seconds(call, 3), 1e-7))) for call in (theirs, ours)]
    found = [(seconds(theirs, times[0]), seconds(ours, times[1])) for _ in range(turns)]
    found = [(a, b) for a, b in found if a and b]
    return statistics.median(a / b for a, b in found), *map(statistics.median, zip(*found))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="only ops with one of these in their name")
    parser.add_argument("--samples", type=int, default=3, help="of each op (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=5, help="of each sample (default: %(default)s)")
    parser.add_argument("--below", type=float, default=1.0, help="ops to list, by their slowest sample "
                        "(default: %(default)s)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    cygrad.set_num_threads(1)
    rows, worst = [], {}
    with torch.no_grad(), cygrad.no_grad():
        for op in OPS:
            if options.names and not any(name in op.name for name in options.names):
                continue
            left = options.samples
            for sample in op.samples("float32"):
                calls = called(torch, op, sample), called(cygrad, op, sample)
                if None in calls:
                    continue
                row = compared(*calls, options.turns)
                rows.append(row[0])
                worst[op.name] = min(worst.get(op.name, (row, sample)), (row, sample), key=lambda pair: pair[0])
                left -= 1
                if not left:
                    break
    print("| op | sample | PyTorch / ours | PyTorch, us | ours, us |\n|---|---|---|---|---|")
    for name, (row, sample) in sorted(worst.items(), key=lambda item: item[1][0]):
        if row[0] < options.below:
            print(f"| {name} | {str(sample)[:80]} | {row[0]:.2f} | {row[1] * 1e6:.1f} | {row[2] * 1e6:.1f} |")
    print(f"\n{len(rows)} samples of {len(worst)} ops: geometric mean {statistics.geometric_mean(rows):.2f}, "
          f"{sum(ratio < 1 for ratio in rows)} below 1, {sum(ratio < 0.5 for ratio in rows)} below 0.5")


if __name__ == "__main__":
    main()
