"""If one of these fails, an op of uint16, uint32 or uint64 gives something else than PyTorch, where PyTorch has it.

PyTorch has few ops of these dtypes; those that it calls "not implemented" are ours to add (design.md), and what they
give is held against NumPy in tests/test_unsigned.py. Every row of the table is tried in one of the three dtypes.
"""

import warnings
import zlib

import cygrad
import numpy as np
import pytest
import torch
from compare import KINDS, Error, attempt, difference
from op_db import ALL, OPS
from op_db.table import WIDE_UNSIGNED

# PyTorch's answers that are no measure: it draws no number for an empty tensor; and what it leaves unwritten in one.
NO_MEASURE = ("randn", "median")
WRAPPED = "without overflow"            # negative floats assigned to a part of a tensor: PyTorch wraps them around, too
ROWS = [op for op in OPS if "int64" in op.dtypes and op.name not in NO_MEASURE]


def dtype_of_row(op):
    """One of the three, always the same one."""
    return WIDE_UNSIGNED[zlib.crc32(op.name.encode()) % 3]


def missing(want):
    """Whether PyTorch has no such op for the dtype, or for what it would promote to."""
    return isinstance(want, Error) and want.type == "NotImplementedError"


@pytest.mark.parametrize("op", ROWS, ids=[op.name for op in ROWS])
def test_op(op):
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in op.samples(dtype_of_row(op)):
            want, got = (attempt(KINDS["value"][0], m, op, sample) for m in (torch, cygrad))
            if missing(want) or missing(got) and (isinstance(want, Error) or any(0 in t.shape for t in sample.tensors)):
                continue                        # it does not ask for the dtype of an empty tensor, or asks later
            text = difference(want, got, False, op.tolerance)
            if text and not (op.name == "x[key]=y" and WRAPPED in text):
                found.append(f"{sample}\n    {text}")
    assert not found, "\n".join(found[:5])


@pytest.mark.parametrize("name", WIDE_UNSIGNED)
def test_promotion(name):
    for other in ALL + WIDE_UNSIGNED:
        for pair in ((name, other), (other, name)):
            answers = [attempt(lambda m: str(m.promote_types(*[getattr(m, each) for each in pair])).split(".")[-1], m)
                       for m in (torch, cygrad)]
            assert str(answers[0]) == str(answers[1]) and [
                m.can_cast(*[getattr(m, each) for each in pair]) for m in (torch, cygrad)] in ([True] * 2, [False] * 2)


@pytest.mark.parametrize("name", WIDE_UNSIGNED)
def test_numbers(name):
    top = np.iinfo(name).max
    for value in (-1, -top, -top - 1, top, top + 1, 2**63, 2**64, True, 1.0, 1.5, -1.0, "a", None, [1], 1 + 0j):
        for call in (lambda m: m.tensor([value], dtype=getattr(m, name)).tolist(),
                     lambda m: m.tensor(value, dtype=getattr(m, name)).tolist()):
            want, got = attempt(call, torch), attempt(call, cygrad)
            assert repr(want) == repr(got), value
    for value in (-1, top, min(top + 1, 2**63), 1.5, -1.0, True):
        for call in (lambda m: m.full((1,), value, dtype=getattr(m, name)).tolist(),
                     lambda m: m.zeros(1, dtype=getattr(m, name)).fill_(value).tolist(),
                     lambda m: (m.ones(1, dtype=getattr(m, name)) * value).tolist(),
                     lambda m: (m.ones(1, dtype=getattr(m, name)) == value).tolist()):
            want, got = attempt(call, torch), attempt(call, cygrad)
            assert repr(want) == repr(got), value


@pytest.mark.parametrize("name", WIDE_UNSIGNED)
def test_conversions(name):
    numbers = [0.0, -1.0, 2.9, -2.9, 7e4, 3e9, 1e19, 6e4]
    for call in (lambda m: m.tensor(numbers).to(getattr(m, name)).tolist(),
                 lambda m: m.tensor(numbers, dtype=m.float64).to(getattr(m, name)).tolist(),
                 lambda m: m.tensor([-1, -5, 2**40, 2**62]).to(getattr(m, name)).tolist(),
                 lambda m: m.tensor([2**63 - 1, -1, 2**53 + 1]).to(getattr(m, name)).float().tolist(),
                 lambda m: m.tensor([3, 2**32 - 1, -1]).to(getattr(m, name)).to(m.bfloat16).tolist(),
                 lambda m: m.tensor([3, 2**32 - 1, -1]).to(getattr(m, name)).half().tolist(),
                 lambda m: m.tensor([-1], dtype=m.int64).view(getattr(m, name)).tolist(),
                 lambda m: str(m.iinfo(getattr(m, name))),
                 lambda m: m.ones(1, dtype=getattr(m, name)).type()[-12:],
                 lambda m: m.tensor([1]).type("torch.UInt" + name[4:] + "Tensor").tolist(),
                 lambda m: str(m.tensor([[1, np.iinfo(name).max]], dtype=getattr(m, name))).replace(m.__name__, ""),
                 lambda m: f"{m.tensor(7, dtype=getattr(m, name)):5d}"):
        assert call(torch) == call(cygrad)


@pytest.mark.parametrize("name", WIDE_UNSIGNED)
def test_random_integers(name):
    for bounds in ((0, 1000), (5, 60000), (0, 70000), (-5, 5), (0, 2**40)):
        answers = []
        for m in (torch, cygrad):
            m.manual_seed(3)
            answers.append(repr(attempt(lambda m: m.randint(*bounds, (20,), dtype=getattr(m, name)).tolist(), m)))
        assert answers[0] == answers[1]
