"""`python -m cygrad.testing.bench BACKEND`: the speed of every entry beside the CPU's.

Both run in turn, in rounds, and wait for the device at the end of each; a ratio is the median of a device's rounds over
the median of the CPU's: 2.0 is twice as slow, 0.5 twice as fast. Sizes: one element, where a call is all that counts,
some, and many, where work does; GB/s is what the backend reads and writes of its operands.
"""
import argparse
import statistics
import sys
import time
from functools import partial

import numpy as np

from cygrad.backend import BINARY, RANDOM, REDUCE, SCAN, SCATTER, UNARY
from cygrad.devices import discovery
from cygrad.dispatch.allocation import empty_on
from cygrad.errors import BackendError
from cygrad.testing.operands import DTYPES, Operand, dense, numbers, reordered, repeated, result

rng = np.random.default_rng(0)


def _a(*shape, put=dense, scale=1.0):
    return put(numbers(rng, shape, "float32", scale), "float32")


def _out(*shape, dtype="float32"):
    return result(shape, dtype)


def _index(top, *shape):
    return dense(rng.integers(0, top, shape), "int64")


def _pointwise(n):
    mask = dense(rng.random(n) < 0.5, "bool")
    add = BINARY.index("add")
    return [
        ("fill", f"{n}", (_out(n), 1.5)), ("copy", f"{n}", (_a(n), _out(n))),
        ("copy", f"{n} to float64", (_a(n), _out(n, dtype="float64"))),
        ("unary", f"neg {n}", (UNARY.index("neg"), _a(n), _out(n))),
        ("unary", f"exp {n}", (UNARY.index("exp"), _a(n), _out(n))),
        ("binary", f"add {n}", (add, _a(n), _a(n), _out(n))),
        ("binary", f"gt {n}", (BINARY.index("gt"), _a(n), _a(n), _out(n, dtype="bool"))),
        ("binary_scalar", f"mul {n}", (BINARY.index("mul"), _a(n), 2.5, False, _out(n))),
        ("where", f"{n}", (mask, _a(n), _a(n), _out(n))),
    ]


def rows():
    """(entry, what, arguments) of everything that is timed."""
    add, total, large = BINARY.index("add"), REDUCE.index("sum"), 1_000_000
    image, filters = _a(8, 16, 32, 32), _a(32, 16, 3, 3)
    convolution = ((1, 1), (1, 1), (1, 1), 1)
    yield from _pointwise(1)
    yield from _pointwise(1000)
    yield from _pointwise(large)
    yield "copy", "1000 x 1000 transposed", (_a(1000, 1000, put=reordered), _out(1000, 1000))
    yield "binary", "add 1000 x 1000, a row", (add, _a(1000, 1000), _a(1000, 1000, put=repeated), _out(1000, 1000))
    yield "binary", "add 1000 x 1000 transposed", (add, _a(1000, 1000), _a(1000, 1000, put=reordered), _out(1000, 1000))
    yield "reduce", "sum 1000000", (total, _a(large), _out())
    yield "reduce", "sum rows 1000 x 1000", (total, _a(1000, 1000), _out(1000))
    yield "reduce", "sum columns 1000 x 1000", (total, _a(1000, 1000, put=reordered), _out(1000))
    yield "reduce", "max rows 1000 x 1000", (REDUCE.index("max"), _a(1000, 1000), _out(1000))
    yield "argreduce", "argmax rows 1000 x 1000", (0, _a(1000, 1000), _out(1000, dtype="int64"))
    for n in (32, 512):
        yield "matmul", f"{n}", (_a(1, n, n), _a(1, n, n), _out(1, n, n))
    yield "matmul", "64 of 64", (_a(64, 64, 64), _a(64, 64, 64), _out(64, 64, 64))
    yield "addmm", "128 x 256 x 256", (_a(128, 256, put=repeated), _a(128, 256), _a(256, 256), 1.0, 1.0, _out(128, 256))
    yield "gather", "10000 of 100000", (_a(100_000), _index(100_000, 10_000), 0, _out(10_000))
    yield "scatter", "add 100000 to 1000", (SCATTER.index("add"), _a(1000), 0, _index(1000, 100_000), _a(100_000))
    yield "arange", "1000000", (_out(large), 0, 1)
    yield "scan", "cumsum 1000 x 1000", (SCAN.index("cumsum"), _a(1000, 1000), _out(1000, 1000), None)
    yield "sort", "100000", (_a(100_000), False, False, _out(100_000), _out(100_000, dtype="int64"))
    yield "nonzero", "1000000", (dense(rng.random(large) < 0.5, "bool"), None)
    yield "softmax", "1000 x 1000", (_a(1000, 1000), False, _out(1000, 1000))
    yield "softmax_backward", "1000 x 1000", (_a(1000, 1000), _a(1000, 1000), False, _out(1000, 1000))
    yield "layer_norm", "1000 x 512", (_a(1000, 512), _a(512), _a(512), 1e-5, _out(1000, 512), _out(1000), _out(1000))
    yield "layer_norm_backward", "1000 x 512", (
        _a(1000, 512), _a(1000, 512), _a(1000), _a(1000), _a(512), _out(1000, 512), _out(512), _out(512))
    yield "conv2d", "8 x 16 x 32 x 32, 32 of 3 x 3", (image, filters, _a(32), *convolution, _out(8, 32, 32, 32))
    yield "conv2d_backward", "8 x 16 x 32 x 32, 32 of 3 x 3", (_a(8, 32, 32, 32), image, filters, *convolution,
                                                              _out(*image.shape), _out(*filters.shape), _out(32))
    heads = [_a(8, 128, 64) for _ in range(3)]
    yield "attention", "8 of 128 x 64", (*heads, None, True, 0.125, _out(8, 128, 64))
    yield "random", "uniform 1000000", (RANDOM.index("uniform"), _out(large), 7, 0, 0.0, 1.0)


def prepared(backend, index, entry, args):
    """A function that runs the call once, or None if the backend declines it."""
    views = [a.place(backend, index) if isinstance(a, Operand) else a for a in args]
    if entry == "nonzero":
        views[1] = lambda count: empty_on(backend, index, DTYPES["int64"], (count, views[0].dim()))
    call = partial(getattr(backend, entry), *views)
    return None if call() is NotImplemented else call


def seconds(call, backend, index, repeats):
    """Time of one call, in a round of `repeats`."""
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    backend.synchronize(index)
    return (time.perf_counter() - start) / repeats


def compare(mine, other, rounds, round_time=0.005):
    """Median times of two (call, backend, index), run in turn."""
    repeats = [max(1, int(round_time / max(min(seconds(*one, 1) for _ in range(2)), 1e-7))) for one in (mine, other)]
    times = [[], []]
    for turn in range(rounds):
        for which in ((0, 1), (1, 0))[turn % 2]:
            times[which].append(seconds(*(mine, other)[which], repeats[which]))
    return tuple(map(statistics.median, times))


def main(arguments=None):
    """Print one line for every row."""
    parser = argparse.ArgumentParser(prog="python -m cygrad.testing.bench", description=__doc__.splitlines()[0])
    parser.add_argument("backend")
    parser.add_argument("--entry", action="append", help="only this entry (repeatable)")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--markdown", action="store_true", help="print a table for a README")
    parser.add_argument("--beside", metavar="BACKEND", help="a third backend, as PoCL's: opencl")
    options = parser.parse_args(arguments)
    try:
        places = [discovery.resolve(name) for name in (options.backend, options.beside) if name]
    except (BackendError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 2
    host = discovery.load("cpu")
    names = [name for name in (options.backend, options.beside) if name]
    header = ["entry", "what", *(f"{name}, us" for name in names), "cpu, us", *["ratio"] * len(names), "GB/s"]
    show = _markdown if options.markdown else _columns
    print(show(header))
    if options.markdown:
        print("|---|---|" + "--:|" * (len(header) - 2))
    for entry, what, args in rows():
        if options.entry and entry not in options.entry:
            continue
        print(show([entry, what, *_timed(places, host, entry, args, options.rounds)]), flush=True)
    return 0


def _columns(cells):
    return f"{cells[0]:<21}{cells[1]:<32}" + "".join(f"{cell:>12}" for cell in cells[2:])


def _markdown(cells):
    return "| " + " | ".join(cells) + " |"


def _timed(places, host, entry, args, rounds):
    """The other cells of a row: times, ratios to the CPU's, and what the first backend reads and writes a second."""
    reference = prepared(host, 0, entry, args)
    times, ratios, mine, cpu = [], [], None, None
    for backend, index in places:
        call = prepared(backend, index, entry, args)
        if call is None or reference is None:
            times.append("declined" if call is None else "")
            ratios.append("")
            continue
        took, cpu = compare((call, backend, index), (reference, host, 0), rounds)
        mine = took if not times else mine
        times.append(f"{took * 1e6:.2f}")
        ratios.append(f"{took / cpu:.2f}")
    rate = f"{_bytes(args) / mine / 1e9:.2f}" if mine else ""
    return [*times, f"{cpu * 1e6:.2f}" if cpu else "", *ratios, rate]


def _bytes(args):
    """How many bytes of its operands a call reads and writes, each once."""
    return sum(arg.memory.itemsize * int(np.prod([size for size, step in zip(arg.shape, arg.strides) if step]))
               for arg in args if isinstance(arg, Operand))


if __name__ == "__main__":
    sys.exit(main())
