"""Mutants that were drawn by lot: which fault, in which entry, of which op, dtype and operand. See `mutants`.

What a fault is stands in FAULTS; where one lies is drawn, once and for all, so that nobody's eye has chosen it.
"""
import numpy as np
from cygrad.backend import OPS
from mirror import array, load, store
from mutant import FLOATS, dense, from_the_start, in_a_row, reading, right

# entry: positions of what is read, of what is written, how many mutants
ENTRIES = {
    "copy": ((0,), 1, 4), "unary": ((1,), 2, 7), "binary": ((1, 2), 3, 9), "where": ((0, 1, 2), 3, 3),
    "reduce": ((1,), 2, 7), "argreduce": ((1,), 2, 3), "matmul": ((0, 1), 2, 4), "gather": ((0, 1), 3, 3),
    "scatter": ((3, 4), 1, 4), "binary_scalar": ((1,), 4, 3), "scan": ((1,), 2, 4), "sort": ((0,), 3, 2),
    "partial_sort": ((0,), 3, 2), "addmm": ((0, 1, 2), 5, 2), "softmax": ((0,), 2, 2),
    "softmax_backward": ((0, 1), 3, 2), "layer_norm": ((0, 1, 2), 4, 2), "layer_norm_backward": ((0, 1, 2, 3), 5, 2),
    "group_norm": ((0, 1, 2), 4, 2), "conv2d": ((0, 1), 7, 3), "conv2d_backward": ((0, 1, 2), 7, 2),
    "pool": ((1,), 3, 2), "pool_backward": ((0, 1), 2, 2), "nll_loss": ((0, 1), 5, 2), "attention": ((0, 1, 2), 6, 2),
    "gather_sum": ((0, 1), 4, 1), "resample": ((0, 1, 2), 3, 1), "grid_sample": ((3, 4), 5, 2)}
NARROW = {"float64": "float32", "int64": "int32", "float32": "float16", "int32": "int16", "complex128": "complex64",
          "int16": "int8"}
INDEX = {("gather", 1): (0, 2), ("scatter", 3): (1, 2)}       # the operand that an index leads into, and its axis
PLACES = {("pool_backward", 1), ("nll_loss", 1), ("gather_sum", 1), ("resample", 1)}
WHOLE = {*INDEX, *PLACES, ("where", 0)}                       # operands that never hold floats


def _floats(view):
    return view.dtype.name in FLOATS[2:]


def _operand(fault, unit):
    """(when, what is read instead) of faults of one operand."""
    return {
        "without its offset": (lambda a: a.storage_offset() > 0, from_the_start),
        "as if it were dense": (lambda a: not dense(a) and a.numel() > 1, in_a_row),
        "on where its stride is 0": (lambda a: 0 in a.stride() and a.numel() > 1, in_a_row),
        "in columns as rows": (lambda a: a.ndim > 1 and a.stride()[-1] > a.stride()[-2], in_a_row),
        "of so many axes, the first of the first axis": (
            lambda a: a.ndim >= 3 and not dense(a), lambda a: np.broadcast_to(array(a)[:1], a.shape)),
        "its last one, in rows of no whole vectors, as the first": (
            lambda a: a.ndim > 0 and a.shape[-1] % unit and a.shape[-1] > unit, _first_for_last),
        "NaN as 0": (lambda a: _floats(a), lambda a: np.where(np.isnan(array(a)), 0, array(a)).astype(array(a).dtype)),
        "infinity as the largest": (lambda a: _floats(a), lambda a: np.clip(
            array(a), np.finfo(array(a).dtype).min, np.finfo(array(a).dtype).max)),
        "-infinity as infinity": (lambda a: _floats(a), lambda a: np.where(
            array(a) == -np.inf, np.inf, array(a)).astype(array(a).dtype)),
    }[fault]


def _first_for_last(a):
    found = array(a).copy()
    found[..., -1] = found[..., 0]
    return found


def _result(fault, unit):
    """(when, function of out and what it held) of faults of the result."""
    return {
        "what is left of whole vectors is not written": (
            lambda out: dense(out) and out.numel() % unit and out.numel() > unit,
            lambda out, before: array(out).reshape(-1).__setitem__(
                np.s_[out.numel() // unit * unit:], before.reshape(-1)[out.numel() // unit * unit:])),
        "what is beyond some rows is not written": (
            lambda out: out.ndim > 1 and out.shape[0] > unit,
            lambda out, before: array(out).__setitem__(np.s_[unit:], before[unit:])),
        "what is beyond some columns is not written": (
            lambda out: out.ndim > 1 and out.shape[-1] > 4 * unit,
            lambda out, before: array(out).__setitem__(np.s_[..., 4 * unit:], before[..., 4 * unit:])),
        "it went through a narrower type": (
            lambda out: out.dtype.name in NARROW,
            lambda out, before: store(out, load(out).astype(NARROW[out.dtype.name]))),
        "gaps are forgotten": (lambda out: not dense(out), _closed),
    }[fault]


def _closed(out, before):
    found, size = array(out).copy(), out.element_size()
    array(out)[...] = before
    end = np.frombuffer(out.buffer, found.dtype, -1, out.storage_offset() * size)
    end[:found.size] = found.reshape(-1)[:end.size]


FAULTS = ("without its offset", "as if it were dense", "on where its stride is 0", "in columns as rows",
          "of so many axes, the first of the first axis", "its last one, in rows of no whole vectors, as the first",
          "NaN as 0", "infinity as the largest", "-infinity as infinity")
LOSSES = ("what is left of whole vectors is not written", "what is beyond some rows is not written",
          "what is beyond some columns is not written", "it went through a narrower type", "gaps are forgotten")
OF_VALUES = FAULTS[6:]


def _lot(rng, entry, number):
    reads, written, _ = ENTRIES[entry]
    unit = int(rng.choice([2, 3, 4, 8, 16, 32, 64]))
    op = int(rng.integers(len(OPS[entry]))) if entry in OPS and rng.random() < 0.5 else None
    where = f" of {OPS[entry][op]}" if op is not None else ""

    def concerns(args):
        return op is None or args[0] == op
    if rng.random() < 0.4:
        fault = str(rng.choice(LOSSES))
        when, spoil = _result(fault, unit)

        def kernel(self, *args):
            out = args[written]
            if not hasattr(out, "stride") or not (concerns(args) and when(out)):
                return right(entry, self, *args)
            before = array(out).copy()
            answer = right(entry, self, *args)
            if answer is None:
                with np.errstate(all="ignore"):
                    spoil(out, before)
            return answer
        return f"{entry}{where} {number}: {fault} (by {unit})", (entry,), {entry: kernel}
    at, fault = int(rng.choice(reads)), str(rng.choice(FAULTS))
    if (entry, at) in WHOLE and fault in OF_VALUES:
        return None
    when, change = _operand(fault, unit)

    def changed(*args):
        found = change(args[at])
        if (entry, at) in INDEX:
            other, axis = INDEX[entry, at]
            return np.clip(found, 0, args[other].shape[args[axis]] - 1)
        return np.clip(found, 0, max(array(args[at]).max(), 0)) if (entry, at) in PLACES else found
    return f"{entry}{where} {number}: operand {at} is read {fault} (by {unit})", (entry,), reading(
        entry, lambda *args: hasattr(args[at], "stride") and concerns(args) and when(args[at]), (at, changed))


def _drawn(seed):
    rng = np.random.default_rng(seed)
    for entry, (*_, count) in ENTRIES.items():
        yield from filter(None, [_lot(rng, entry, number) for number in range(count)])


def lots_drawn():
    yield from _drawn(28)


def lots_drawn_again():
    yield from _drawn(60)
