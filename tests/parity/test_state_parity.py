"""If one of these fails, a result shows how it was made: its version, or whether it is a view, is not PyTorch's.

Every op of the table: the version, being a view, being a leaf and the number of each result; what `out=` is given is
compared by `compare.out`.
"""
import cygrad
import pytest
import torch
from compare import attempt, difference
from op_db import OPS, tensors_of

# What differs, and why.
LEFT_OUT = {"lobpcg": "its version in PyTorch is the number of its steps in place",
            "histogramdd": "the edges that were given come back"}


def state(m, op, sample):
    args, kwargs = sample.build(m)
    given = {id(t) for t in tensors_of(m, [*args, *kwargs.values()])}
    return [[t._version, t._is_view(), t.is_leaf, t.output_nr]
            for t in tensors_of(m, op.function(m)(*args, **kwargs)) if id(t) not in given]


FAMILY = [op for op in OPS if op.name not in LEFT_OUT]


@pytest.mark.parametrize("op", FAMILY, ids=[op.name for op in FAMILY])
def test_state_of_results(op):
    dtype = next((name for name in ("float32", "int64", "bool") if name in op.dtypes), op.dtypes[0])
    assert not differing(op, dtype)


def differing(op, dtype):
    found = []
    for sample in op.samples(dtype):
        want, got = (attempt(state, m, op, sample) for m in (torch, cygrad))
        if isinstance(want, list) and isinstance(got, list) and difference(want, got):
            found.append((sample, want, got))
    return found


@pytest.mark.parametrize("made", [
    "m.Tensor(2, 2).zero_()", "m.Tensor().zero_()", "m.Tensor(m.ones(2)).zero_()", "m.normal(0., 1., (2,))",
    "m.normal(m.zeros(2), 1.)", "m.randn(2, dtype=m.complex64)", "m.hann_window(4)", "m.hamming_window(4, False)",
    "m.tril_indices(2, 3)", "m.triu_indices(2, 3, 1)", "m.rand_like(m.ones(2))", "m.randint_like(m.ones(2), 3)",
    "m.fft.fftfreq(4)", "m.searchsorted(m.arange(3.), m.tensor([[1.]]))", "m.randperm(3)", "m.kaiser_window(4)",
    "m.add(m.ones(2), 1, out=m.zeros(0))", "m.sum(m.ones(2, 3), 0, out=m.ones(5))",
    "m.eq(m.ones(2), 1, out=m.ones(3, requires_grad=True))", "m.ones(2).resize_(2)", "m.ones(2).resize_(3).zero_()"])
@pytest.mark.filterwarnings("ignore")
def test_state_of_what_is_made(made):
    found = [eval(made, {"m": m}) for m in (torch, cygrad)]
    assert len({(t._version, t._is_view(), t.requires_grad, t.shape) for t in found}) == 1
