"""If one of these fails, a derivative disagrees with finite differences in float64: first or second order."""

from itertools import islice

import cygrad
import numpy as np
import pytest
from op_db import OPS, tensors_of

pytestmark = pytest.mark.filterwarnings("ignore")  # samples include what PyTorch warns of
CHECKED = [op for op in OPS if op.diff and op.gradcheck and "float64" in op.dtypes]
PRECISE = cygrad.float64, cygrad.complex128
MOST_ELEMENTS = 40  # a check costs two calls an element


def problems(op):
    """(function, inputs, sample) for every small smooth sample of the op that does not raise."""
    for sample in op.samples("float64"):
        leaves = sample.leaves(cygrad, requires_grad=True)
        inputs = [t for t in leaves.values() if t.requires_grad]
        if sample.special or not inputs or sum(t.numel() for t in inputs) > MOST_ELEMENTS:
            continue
        if any(t.dtype != cygrad.float64 for t in inputs):
            continue  # finite differences mean nothing in lower precision
        try:
            results = call(op, sample, leaves)
        except (RuntimeError, ValueError, TypeError, IndexError):
            continue  # the table has refused samples too; tests/parity compares how they are refused
        smooth = all(t.dtype in PRECISE and np.isfinite(np.array(t.tolist())).all() for t in results)
        if smooth and any(t.requires_grad for t in results):
            yield (lambda *given, o=op, s=sample, old=leaves: call(o, s, replaced(old, given))), inputs, sample


def call(op, sample, leaves):
    """The differentiable results of the op on these leaves."""
    args, kwargs = sample.build(cygrad, leaves)
    results = tensors_of(cygrad, op.function(cygrad)(*args, **kwargs))
    return tuple(t for t in results if t.requires_grad) or tuple(results)


def replaced(leaves, given):
    given = iter(given)
    return {t: next(given) if leaf.requires_grad else leaf for t, leaf in leaves.items()}


@pytest.mark.parametrize("op", CHECKED, ids=[op.name for op in CHECKED])
def test_gradcheck(op):
    checked = 0
    for function, inputs, sample in problems(op):
        assert cygrad.autograd.gradcheck(function, inputs, atol=1e-6, rtol=1e-4), sample
        checked += 1
    assert checked, "no sample of this op was differentiable"


TWICE = [op for op in CHECKED if op.gradgradcheck]


@pytest.mark.parametrize("op", TWICE, ids=[op.name for op in TWICE])
def test_gradgradcheck(op):
    checked = 0
    for function, inputs, sample in problems(op):
        assert cygrad.autograd.gradgradcheck(function, inputs, atol=1e-5, rtol=1e-4), sample
        checked += 1
    assert checked, "no sample of this op was differentiable"


@pytest.mark.parametrize("op", CHECKED, ids=[op.name for op in CHECKED])
def test_gradients_of_a_batch(op):
    """What comes of two gradients at once is what comes of one after the other."""
    for function, inputs, sample in islice(problems(op), 3):
        outputs = [out for out in function(*inputs) if out.requires_grad]
        seeds = [cygrad.randn(2, *out.shape, dtype=out.dtype) for out in outputs]
        given = {"retain_graph": True, "allow_unused": True}
        together = cygrad.autograd.grad(outputs, inputs, seeds, is_grads_batched=True, **given)
        for i in range(2):
            alone = cygrad.autograd.grad(outputs, inputs, [seed[i] for seed in seeds], **given)
            for both, one in zip(together, alone, strict=True):
                assert (both is None) == (one is None), sample
                assert both is None or cygrad.allclose(both[i], one, equal_nan=True), sample
