"""If one of these fails, a step in one pass writes other values than the formula's ops, or writes where it must not."""
import pytest

import cygrad as torch


def momentum(p, b, g, down, mu):
    b = b * mu + g
    return p + b * down, b


def swapped(a, b, one):
    return b * one, a * one


def chained(a, b, c, d, one):
    return a + b, b + c, c + d, d * one + a * b - c


def lists(count, sizes, dtype=torch.float32):
    torch.manual_seed(0)
    return [[torch.randn(sizes[i % len(sizes)], dtype=dtype) for i in range(4)] for _ in range(count)]


@pytest.mark.parametrize("formula, written, numbers",
                         [(momentum, 2, (-0.1, 0.9)), (swapped, 2, (1.0,)), (chained, 4, (2.0,))])
@pytest.mark.parametrize("sizes", [[(5,), (3, 7)], [(20000,), (300, 400)], [(0,), ()]])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_values_are_those_of_the_ops(formula, written, numbers, sizes, dtype):
    operands = lists(formula.__code__.co_argcount - len(numbers), sizes, dtype)
    expected = [formula(*each, *numbers) for each in zip(*operands)]
    assert torch._foreach_update_(formula, operands[:written], operands[written:], numbers) == []
    for each, values in zip(zip(*operands), expected):
        for target, value in zip(each, values):
            assert torch.allclose(target, value, rtol=1e-6, atol=1e-6)


def by_ops(formula, rounded):
    """A formula of these names, each of whose operations is `rounded`."""
    return {"momentum": lambda p, b, g, down, mu: momentum_by_ops(rounded, p, b, g, down, mu),
            "swapped": lambda a, b, one: (rounded(b * one), rounded(a * one)),
            "read again": lambda a, b, two: (rounded(a * two), rounded(rounded(rounded(a + b) * a) + rounded(two))),
            "twice": lambda a, b, two: (rounded(a * b),) * 2}[formula]


def momentum_by_ops(rounded, p, b, g, down, mu):
    b = rounded(rounded(b * mu) + g)
    return rounded(p + rounded(b * rounded(down))), b


@pytest.mark.parametrize("formula", ["momentum", "swapped", "read again", "twice"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_what_is_rounded_is_what_ops_round(formula, dtype):
    made, numbers = by_ops(formula, lambda term: term.rounded()), {"momentum": (-0.1, 0.3)}.get(formula, (2.3,))
    operands = lists(made.__code__.co_argcount - len(numbers), [(5,), (300, 40), ()], dtype)
    element = [torch.tensor(number, dtype=dtype).item() for number in numbers]
    plain = by_ops(formula, lambda value: element[numbers.index(value)] if isinstance(value, float) else value)
    expected = [plain(*each, *numbers) for each in zip(*operands)]
    assert torch._foreach_update_(made, operands[:2], operands[2:], numbers) == []
    for each, values in zip(zip(*operands), expected):
        for target, value in zip(each, values):
            assert torch.equal(target, value) or dtype is torch.float32 and torch.allclose(
                target, value, atol=1e-5)


def test_strided_operands_of_16_bits():
    p, b, g = (torch.randn(40, 30).bfloat16().t() for _ in range(3))
    expected = momentum(p, b, g, -0.5, 0.5)
    formula = by_ops("momentum", lambda term: term.rounded())
    assert torch._foreach_update_(formula, [[p], [b]], [[g.contiguous()]], (-0.5, 0.5)) == []
    assert torch.equal(p, expected[0]) and torch.equal(b, expected[1]) and p.stride() == (1, 30)


def test_strided_operands():
    p, b, g = (torch.randn(40, 30).t() for _ in range(3))
    expected = momentum(p, b, g, -0.1, 0.9)
    assert torch._foreach_update_(momentum, [[p], [b]], [[g.contiguous()]], (-0.1, 0.9)) == []
    assert torch.allclose(p, expected[0]) and torch.allclose(b, expected[1])


def test_what_is_left_is_untouched():
    p = [torch.ones(3), torch.ones(3, dtype=torch.int64), torch.ones(2), torch.ones(4), torch.ones(3)]
    b = [torch.ones(3), torch.ones(3, dtype=torch.int64), torch.ones(3), p[3][:4], torch.ones(3)]
    g = [torch.ones(3), torch.ones(3, dtype=torch.int64), torch.ones(2), torch.ones(4), torch.ones(3).double()]
    assert torch._foreach_update_(momentum, [p, b], [g], (-1.0, 0.5)) == [1, 2, 3, 4]
    assert p[0].tolist() == [-0.5] * 3 and all((t == 1).all() for t in p[1:])


def test_versions_count_and_gradients_are_not_recorded():
    p, g = torch.ones(3, requires_grad=True), torch.ones(3)
    loss = (p * p).sum()
    assert torch._foreach_update_(lambda p, g: (p + g,), [[p]], [[g]], ()) == [0]
    with torch.no_grad():
        torch._foreach_update_(lambda p, g: (p + g,), [[p]], [[g]], ())
    assert p._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_shared_elements_are_refused():
    p = torch.ones(1).expand(3)
    with torch.no_grad(), pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch._foreach_update_(lambda p, g: (p + g,), [[p]], [[torch.ones(3)]], ())
    assert p.tolist() == [1, 1, 1]
