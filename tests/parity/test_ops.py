"""If one of these fails, an op gives something else than PyTorch.

Each test is one aspect of one op in one dtype, over all its samples.
"""

import warnings

import cygrad
import pytest
import torch
from compare import KINDS, check, check_errors, dtypes_for
from op_db import OPS


def cases(kind):
    rows = [(op, dtype) for op in OPS if KINDS[kind][1](op) for dtype in dtypes_for(kind, op)]
    return pytest.mark.parametrize("op, dtype", rows, ids=[f"{op.name}-{dtype}" for op, dtype in rows])


def agree(kind, op, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, found = check(torch, cygrad, op, kind, dtype)
    assert not found, f"{len(found)} samples differ:\n" + "\n".join(f"{s}\n    {text}" for s, text in found[:10])


@cases("value")
def test_value(op, dtype):
    agree("value", op, dtype)


@cases("strides")
def test_strides(op, dtype):
    agree("strides", op, dtype)


@cases("method")
def test_method(op, dtype):
    agree("method", op, dtype)


@cases("inplace")
def test_inplace(op, dtype):
    agree("inplace", op, dtype)


@cases("out")
def test_out(op, dtype):
    agree("out", op, dtype)


@cases("grad")
def test_gradient(op, dtype):
    agree("grad", op, dtype)


@cases("inplace_grad")
def test_gradient_in_place(op, dtype):
    agree("inplace_grad", op, dtype)


@cases("grad_fn")
def test_grad_fn_name(op, dtype):
    agree("grad_fn", op, dtype)


@cases("refused")
def test_refused_dtypes(op, dtype):
    agree("refused", op, dtype)


WITH_ERRORS = [op for op in OPS if op.errors]


@pytest.mark.parametrize("op", WITH_ERRORS, ids=[op.name for op in WITH_ERRORS])
def test_errors(op):
    _, found = check_errors(torch, cygrad, op)
    assert not found, "\n".join(f"{note}\n    {text}" for note, text in found)
