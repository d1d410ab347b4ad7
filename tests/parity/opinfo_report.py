"""How much of PyTorch's table of ops is right: ``python tests/parity/opinfo_report.py [part of an op's name ...]``.

Every public op of the table (OpInfo) runs on PyTorch's own samples in float32, float64, int64 and bool, each row in a
process of its own, so that a crash is a line of the report. Four counts of ops come out: *forward* (function, method,
operator, in place, `out=`), *backward*, *second* and *errors* (the calls that must be refused, with their words).
"""

import argparse
import collections
import contextlib
import multiprocessing
import signal
import warnings

import opinfo
import torch

DTYPES = ("bool", "int64", "float32", "float64")
KINDS = {"forward": ("values", "forms", "inplace", "out"), "backward": ("gradients",), "second": ("second",),
         "errors": ("errors",)}
SECONDS = 300
# Rows without a counterpart, and why.
LEFT_OUT = {
    "jiterator_": "compiles a kernel's text for CUDA",
    "sparse.": "needs sparse tensors",
    "to_sparse": "needs sparse tensors",
    "torch.": "a private entry of PyTorch's kernels",
    "native_dropout_backward": "in torch.ops.aten alone",
    "max_pool2d_with_indices_backward": "in torch.ops.aten alone",
    "slice": "in torch.ops.aten alone",
}
# Differences that are to stay, and why.
DECIDED = {
    ("as_strided_scatter", "backward"): "PyTorch's gradient is wrong: its own gradcheck refuses it",
    **{(name, "forward"): "with `out=` PyTorch leaves it as it was and refuses dtypes in words of a copy"
       for name in ("fft.ihfft2", "fft.ihfftn")},
    **{(name, "forward"): "of more than 256 elements which of equal ones comes first is libstdc++'s choice in PyTorch"
       for name in ("sort", "argsort", "mode")},
    ("nn.functional.linear_cross_entropy", "second"): "in chunks PyTorch has no second derivative and says so nowhere",
}
PRIVATE_BUT_PUBLIC = ("_segment_reduce",)           # torch.segment_reduce, in fact


def rows(names):
    for op in opinfo.table():
        private = op.name.startswith("_") and not op.name.startswith("__") and op.name not in PRIVATE_BUT_PUBLIC
        wanted = not names or any(op.name == n[1:] if n.startswith("=") else n in op.name for n in names)
        if wanted and not private and not op.name.startswith(tuple(LEFT_OUT)):
            yield op


def judge(op, most):
    """{kind: (compared, [text, ...])} of a row."""
    torch.set_num_threads(1)
    signal.alarm(SECONDS)
    result = {}
    for kind, parts in KINDS.items():
        count, texts = 0, []
        for part in parts:
            compared, found = opinfo.problems(op, part, most)
            count += compared
            texts += [f"{part} {dtype} {case}\n        {text}" for dtype, case, text in found]
        result[kind] = count, texts
    return result


def child(op, most, pipe):
    warnings.simplefilter("ignore")
    try:
        pipe.send(judge(op, most))
    except Exception as error:      # the report's own trouble with a row
        pipe.send(f"{type(error).__name__}: {error}")


def apart(op, most):
    """What `judge` gives, or how its process ended."""
    here, there = multiprocessing.Pipe(False)
    process = multiprocessing.get_context("fork").Process(target=child, args=(op, most, there))
    process.start()
    there.close()
    result = "the process died"
    with contextlib.suppress(EOFError):
        result = here.recv()
    process.join()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--most", type=int, default=12, help="samples of each dtype")
    parser.add_argument("-n", type=int, default=1, help="differences shown of each kind")
    options = parser.parse_args()
    opinfo.DTYPES = DTYPES
    wrong, every = collections.defaultdict(set), collections.defaultdict(set)
    lacking = []
    for op in rows(options.names):
        name = op.name
        if opinfo.function_of(op) is None:
            lacking.append(name)
            result = {"forward": (1, [])}
        else:
            result = apart(op, options.most)
        if isinstance(result, str):
            print(f"{opinfo.label(op)}\n    {result}", flush=True)
            result = {kind: (1, [result]) for kind in KINDS}
        for kind, (count, texts) in result.items():
            if count:
                every[kind].add(name)
            if texts:
                wrong[kind].add(name)
                print(f"{opinfo.label(op)}: {kind} {count - len(texts)}/{count}",
                      *(f"    {text}" for text in texts[:options.n]), sep="\n", flush=True)
    print("\nlacking:", ", ".join(lacking) or "none")
    for kind in KINDS:
        right = every[kind] - wrong[kind] - set(lacking)
        decided = {name for name in every[kind] - right if (name, kind) in DECIDED}
        others = ", ".join(sorted(every[kind] - right - decided))
        print(f"{kind}: {len(right)} of {len(every[kind])} ops; by decision not: {len(decided)}; "
              f"not: {others or 'none'}")
        for name in sorted(decided):
            print(f"    {name}: {DECIDED[name, kind]}")


if __name__ == "__main__":
    main()
