"""If one of these fails, a result, or a tensor given as `out=` that is resized, has other strides than PyTorch's."""
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


LAYOUTS = (((3, 1), (1, 3)), ((1, 3), (1, 1)), ((1, 3), (1, 2)), ((2, 1, 3), (1, 7, 2)), ((2, 1, 3), (3, 1, 1)),
           ((2, 3, 1), (1, 2, 9)), ((1, 1), (5, 7)), ((2, 1, 1, 3), (3, 9, 1, 1)), ((1, 4, 1), (4, 1, 3)),
           ((0, 1, 3), (3, 3, 1)), ((2, 0, 1, 3), (3, 3, 3, 1)))
WAYS = (lambda m, x: x * 1, lambda m, x: x > 0, lambda m, x: x / 2, lambda m, x: x.fmod(2), lambda m, x: x + x,
        lambda m, x: x ** 2, lambda m, x: -x, lambda m, x: x.exp(), lambda m, x: x.relu(), lambda m, x: x.clamp(0),
        lambda m, x: m.addcmul(x, x, x), lambda m, x: x.double() + x, lambda m, x: x + m.ones(1),
        lambda m, x: x.clone(), lambda m, x: x + m.ones(x.shape), lambda m, x: x + m.ones(2, *x.shape),
        lambda m, x: m.nan_to_num(x), lambda m, x: m.prelu(x, m.ones(1)), lambda m, x: m.where(x > 0, x, x),
        lambda m, x: x.to(m.float64), lambda m, x: x.to("cpu", m.float64, copy=True), lambda m, x: m.deg2rad(x),
        lambda m, x: m.rad2deg(x), lambda m, x: m.rad2deg(x.int()), lambda m, x: m.nn.functional.hardtanh(x),
        lambda m, x: m.nn.functional.relu6(x), lambda m, x: m.frexp(x)[0], lambda m, x: m.frexp(x)[1],
        lambda m, x: m.isposinf(x), lambda m, x: m.isneginf(x.int()), lambda m, x: m.signbit(x.int()),
        lambda m, x: m.signbit(x > 0), lambda m, x: m.isfinite(x.int()), lambda m, x: m.isinf(x.int()),
        lambda m, x: m.round(x.int()), lambda m, x: x.to(m.complex64).abs(),
        lambda m, x: x.to(m.complex64).conj_physical(),
        lambda m, x: m.nn.functional.binary_cross_entropy_with_logits(x, x, x, reduction="none"))


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_axes_of_one_element(way):
    for shape, strides in LAYOUTS:
        want, got = (WAYS[way](m, m.empty_strided(shape, strides).fill_(2)).stride() for m in (torch, cygrad))
        assert want == got, (shape, strides)


@pytest.mark.parametrize("function", (lambda x: x, lambda x: x * 2, lambda x: x.floor(), lambda x: x.sgn(),
                                      lambda x: x.cumsum(0), lambda x: x.clone().zero_(), lambda x: x.mean()))
def test_gradients_of_leaves(function):
    for shape, strides in LAYOUTS:
        found = []
        for m in (cygrad, torch):
            leaf = m.empty_strided(shape, strides).fill_(2).requires_grad_()
            function(leaf).sum().backward()
            found.append((leaf.grad.stride(), leaf.grad._version))
        assert found[0] == found[1], (shape, strides)


@pytest.mark.parametrize("name", ("conv1d", "conv3d", "conv_transpose1d", "conv_transpose3d"))
@pytest.mark.parametrize("dtype", ("float32", "float64", "complex64"))
def test_convolutions(name, dtype):
    """Of rows the weight's order is kept, of volumes the order of both where oneDNN convolves them."""
    axes = int(name[-2])
    for batch, size, seen_last, weight_last in itertools.product((1, 2), (1, 2), (False, True), (False, True)):
        found = []
        for m in (cygrad, torch):
            tensors = [m.ones(n, 3, *(k,) * axes, dtype=getattr(m, dtype)) for n, k in ((batch, 4), (3, size))]
            tensors = [t.movedim(1, -1).contiguous().movedim(-1, 1) if last else t
                       for t, last in zip(tensors, (seen_last, weight_last))]
            leaves = [t.detach().requires_grad_() for t in tensors]
            result = getattr(m.nn.functional, name)(*leaves)
            grads = m.autograd.grad(result, leaves, m.ones_like(result))
            found.append([t.stride() for t in (result, *grads)])
        assert found[0] == found[1], (batch, size, seen_last, weight_last)


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
