"""If one of these fails, a tensor given as `out=` that is resized has its axes in another order than PyTorch's."""
import itertools

import pytest
import torch

import cygrad

CASES = {
    "whole": lambda m: m.zeros(2, 3, 4), "stepped": lambda m: m.zeros(2, 3, 8)[:, :, ::2],
    "axes of one": lambda m: m.zeros(1, 1, 4, 12)[:, :, :, ::2]}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("op", ("exp", "eq", "add", "where", "lerp", "logical_not"))
def test_pointwise(op, case):
    for order in itertools.permutations(range(CASES[case](torch).dim())):
        for turned in (False, True):
            found = []
            for m in (cygrad, torch):
                x = CASES[case](m).permute(order)
                y = m.zeros(x.size(-1))
                pair = (y, x) if turned else (x, y)
                operands = {"exp": (x,), "logical_not": (x,), "where": (x > 0, *pair), "lerp": (*pair, y)}.get(op, pair)
                function = getattr(m, op)
                result = function(*operands)
                out = m.empty(0, dtype=result.dtype)
                function(*operands, out=out)
                found.append((result.stride(), out.stride()))
            assert found[0] == found[1], (order, turned)


@pytest.mark.parametrize("call", (
    lambda m, x, **out: m.linalg.inv(m.eye(3), **out),
    lambda m, x, **out: m.linalg.cholesky(m.eye(3), **out),
    lambda m, x, **out: m.linalg.solve(m.eye(3), m.ones(3, 2), **out),
    lambda m, x, **out: m.matmul(m.eye(3), m.eye(3).t(), **out),
    lambda m, x, **out: m.cumsum(x, 0, **out),
    lambda m, x, **out: m.sum(m.ones(4, 2, 3).transpose(0, 2), 1, **out),
    lambda m, x, **out: m.cat([x] * 2, **out),
    lambda m, x, **out: m.gather(x, 0, m.zeros(2, 2).long(), **out),
    lambda m, x, **out: m.softmax(x, 0, **out),
    lambda m, x, **out: m.index_select(x, 0, m.tensor([1]), **out),
    lambda m, x, **out: m.tril(x, **out),
    lambda m, x, **out: m.clamp(x, 0, **out)))
def test_others(call):
    found = []
    for m in (cygrad, torch):
        out = m.empty(0)
        call(m, m.ones(2, 3).t(), out=out)
        found.append((tuple(out.shape), out.stride()))
    assert found[0] == found[1]
