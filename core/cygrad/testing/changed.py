"""Cases of all entries once more, with their operands changed: in one buffer, or with NaN and infinities in them.

Operands that are parts of one tensor lie one behind the other in its buffer, what is written among them: a kernel that
knows an operand by its buffer takes them for the same, or for the start of it.
"""
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from cygrad.testing.operands import window
from cygrad.testing.runner import Key, flat

OPS = 3                                 # of an entry, so many have such a case
NAN, ALL = ("nan",), ("nan", "inf", "-inf")
# Entries in which an element that is no number leaves others alone, however they are computed: (operands, which).
ODD = {"softmax": ((0,), ALL), "softmax_backward": ((0, 1), NAN), "layer_norm": ((0,), NAN),
       "layer_norm_backward": ((0, 1), NAN), "group_norm": ((0,), NAN), "group_norm_backward": ((0, 1), NAN),
       "pool": ((1,), ALL), "pool_backward": ((0,), ALL), "nll_loss": ((0,), ALL), "nll_loss_backward": ((0,), ALL),
       "gather_sum": ((0,), ALL), "resample": ((0, 2), ALL), "attention": ((0, 1), NAN), "conv2d": ((1,), NAN),
       "grid_sample": ((3,), NAN)}


def joined(make, rng):
    """What `make` gives, with all operands of one dtype in one run of memory."""
    args = make(rng)
    operands = [x for value in args for x in flat(value) if hasattr(x, "memory")]
    moved = {}
    for dtype in {x.dtype for x in operands}:
        runs = list({id(x.memory): x.memory for x in operands if x.dtype == dtype}.values())
        starts = np.cumsum([0, *(run.size for run in runs)])
        whole = np.concatenate(runs)
        for x in operands:
            for start, run in zip(starts, runs):
                if x.memory is run:
                    moved[x] = replace(x, memory=whole, offset=x.offset + int(start))
    return tuple([tuple([moved.get(x, x) for x in value]) if isinstance(value, tuple) and moved.keys() & set(value)
                  else moved.get(value, value) if hasattr(value, "memory") else value for value in args])


def with_odd(make, at, odd, rng, classes=False):
    """What `make` gives, with one element of operand `at` that is no number, or all of its `classes`."""
    args = make(rng)
    elements = window(args[at], args[at].memory)
    where = [size // 2 for size in elements.shape]
    elements[tuple(slice(None) if classes and axis == 1 else place for axis, place in enumerate(where))] = odd
    return args


def with_changes(entry, cases):
    """The cases of an entry, and behind them the first of some of its ops once more."""
    ops = {}
    for case in cases():
        if case.key.dtype == "float32" and case.key.op != "drawn":
            ops.setdefault(case.key.op, case)
        yield case
    for op, case in list(ops.items())[:OPS]:
        yield replace(case, key=Key(entry, "one buffer", "float32", op), make=partial(joined, case.make))
        operands, elements = ODD.get(entry, ((), ()))
        for at, odd in product(operands, elements):
            yield replace(case, key=Key(entry, "odd", "float32", f"{op} {odd} in {at}"),
                          make=partial(with_odd, case.make, at, float(odd), classes=entry == "nll_loss"))
