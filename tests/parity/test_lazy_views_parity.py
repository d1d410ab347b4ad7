"""If one of these fails, an op takes a lazy conjugate or negative for something else than PyTorch does.

PyTorch's own samples of its ops run with each tensor made lazy in both libraries, or with bools in bytes of 0 and 7:
what comes out, with its flags, the gradients, what is written in place and into `out=` when that is lazy.
"""
import functools

import pytest
import torch

from opinfo import (COARSE, SEED, Case, apart, attempt, cygrad, difference, function_of, gradients, label, numbers,
                    samples, settled, table, tensors_of)

MOST = 2            # samples of each row; `python tests/parity/test_lazy_views_parity.py KIND` takes 6 and prints
KINDS = {"conj": "complex64", "neg": "float32", "both": "complex128", "bytes": "bool"}
GROUPS = 24
# What differs, with the reason.
DECIDED = {
    ("istft", "gradients"): "PyTorch has no gradient for a window that is shorter than the transform",
    ("as_strided_scatter", "gradients"): "wrong in PyTorch",
    ("addbmm", "addbmm_"): "one that grows gets memory of its own",
    ("inner", "values"): "of two lazy vectors PyTorch's result is lazy, as that of `dot` is",
    ("linalg.solve_triangular", "values"): "the strides of an axis of size 1",
    ("linalg.solve_triangular", "out"): "PyTorch solves with the memory of a lazy negative",
    ("sort", "values"): "the order of equal bools, which is PyTorch's own in long tensors",
    ("argsort", "values"): "the same",
    ("ldexp", "ldexp_"): "the words for bools",
    ("square", "square_"): "bools in bytes of another dtype may be squared",
}


@functools.cache
def rows(kind):
    dtype = getattr(torch, KINDS[kind])
    return [op for op in table() if dtype in op.dtypes and function_of(op) is not None]


def lazy(t, kind):
    """The same numbers as a lazy view."""
    if kind == "conj":
        return t.conj_physical().conj()
    if kind == "neg":
        return t.neg()._neg_view()
    if kind == "bytes":
        return t.byte().mul(7).view(t.dtype)
    return t.neg().conj_physical().conj()._neg_view()


class LazyCase:
    """A sample for both libraries, each tensor of the kind's dtype lazy."""

    def __init__(self, sample, kind):
        self.kind = kind
        case = self.case = Case(sample)
        made = {}
        self.wanted, self.ours = self.over(case.wanted, made), self.over(case.ours, made)

    def over(self, value, made):
        if isinstance(value, (torch.Tensor, cygrad.Tensor)):
            if str(value.dtype).split(".")[1] != KINDS[self.kind]:
                return value
            if id(value) not in made:
                made[id(value)] = lazy(value, self.kind), value
            return made[id(value)][0]
        if type(value) in (tuple, list):
            return type(value)(self.over(each, made) for each in value)
        if isinstance(value, dict):
            return {name: self.over(each, made) for name, each in value.items()}
        return value


def flags(result, module):
    return [(t.is_conj(), t.is_neg()) for t in tensors_of(module, result)]


def different(want, got, op, kind):
    found = difference(want, got, factor=COARSE.get((op.name, KINDS[kind]), 1.0))
    if found is None and not isinstance(want, Exception) and flags(want, torch) != flags(got, cygrad):
        found = f"flags {flags(want, torch)}, got {flags(got, cygrad)}"
    return found


def run(function, arguments, seed, **more):
    seed(SEED)
    return attempt(function, *arguments[0], **arguments[1], **more)


def check(op, kind, most):
    """(what, case, text) of each difference."""
    ours = function_of(op)
    for sample in samples(op, KINDS[kind], op.supports_autograd and kind in ("conj", "both"), most):
        case = LazyCase(sample, kind)
        want = settled(op, run(op.op, case.wanted, torch.manual_seed))
        got = settled(op, run(ours, case.ours, cygrad.manual_seed))
        text = different(want, got, op, kind)
        yield "values", case, text
        leaves = case.case.leaves()
        if text is None and leaves and not isinstance(want, Exception):
            yield "gradients", case, gradients(want, got, leaves, False, 100.0)
    for sample in samples(op, KINDS[kind], False, most):
        yield from in_place(op, kind, sample)
        yield from out(op, kind, sample)


def in_place(op, kind, sample):
    form = op.inplace_variant
    name = getattr(form, "__name__", "")
    if form is None or not hasattr(cygrad.Tensor, name):
        return
    case = LazyCase(sample, kind)
    if not isinstance(case.wanted[0][0], torch.Tensor):
        return
    want = run(form, case.wanted, torch.manual_seed)
    got = run(getattr(cygrad.Tensor, name), case.ours, cygrad.manual_seed)
    text = different(want, got, op, kind)
    if text is None and not isinstance(want, Exception):
        base = want._base, got._base
        if (base[0] is None) != (base[1] is None):
            text = f"base {base[0]}, got {base[1]}"
        elif base[0] is not None and base[0].shape == base[1].shape:
            text = apart(numbers(base[0]), numbers(base[1]), KINDS[kind])
    yield name, case, text


def out(op, kind, sample):
    if not op.supports_out:
        return
    case = LazyCase(sample, kind)
    want = run(op.op, case.wanted, torch.manual_seed)
    if not isinstance(want, torch.Tensor) or str(want.dtype)[6:] != KINDS[kind]:
        return
    targets = [lazy(m.ones(tuple(want.shape), dtype=getattr(m, KINDS[kind])), kind) for m in (torch, cygrad)]
    want = run(op.op, case.wanted, torch.manual_seed, out=targets[0])
    got = run(function_of(op), case.ours, cygrad.manual_seed, out=targets[1])
    if isinstance(want, Exception):
        return
    yield "out", case, different(want, got, op, kind)


def problems(kind, group=0, groups=1, most=6):
    found = []
    for op in rows(kind)[group::groups]:
        for what, case, text in check(op, kind, most):
            if text is not None and (label(op), what) not in DECIDED:
                found.append(f"{label(op)} {kind} {what} {case.case}\n    {text}")
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("group", range(GROUPS))
def test_ops(kind, group):
    found = problems(kind, group, GROUPS, MOST)
    assert not found, "\n".join([f"{len(found)} differ:", *found[:9]])


if __name__ == "__main__":
    import sys
    import warnings
    warnings.simplefilter("ignore")
    for each in sys.argv[1:] or KINDS:
        texts = problems(each)
        print(f"{each}: {len(rows(each))} rows, {len(texts)} differ")
        print("\n".join(texts))
