"""If one of these fails, mixed operands get another dtype than PyTorch gives them."""

import cygrad
import pytest
import torch
from compare import attempt, difference, plain
from op_db import ALL

SCALARS = (True, 2, 2.5, 2j)


def same(function):
    """``function(m)`` gives the same dtype name, or raises the same exception, on both modules."""
    want = attempt(lambda: plain(torch, function(torch)))
    got = attempt(lambda: plain(cygrad, function(cygrad)))
    return difference(want, got)


def operands(dtype):
    """(what it is, how it is made): with axes, 0-d, empty; of one dtype."""
    return [
        ("1-d", lambda m: m.ones(2, dtype=getattr(m, dtype))),
        ("0-d", lambda m: m.ones((), dtype=getattr(m, dtype))),
        ("empty", lambda m: m.ones(0, dtype=getattr(m, dtype))),
    ]


@pytest.mark.parametrize("a", ALL)
def test_promote_types(a):
    for b in ALL:
        assert not same(lambda m: m.promote_types(getattr(m, a), getattr(m, b))), (a, b)


@pytest.mark.parametrize("a", ALL)
def test_can_cast(a):
    for b in ALL:
        assert not same(lambda m: m.can_cast(getattr(m, a), getattr(m, b))), (a, b)


@pytest.mark.parametrize("a", ALL)
def test_result_type_of_tensors(a):
    for b in ALL:
        for what, left in operands(a):
            for other, right in operands(b):
                assert not same(lambda m: m.result_type(left(m), right(m))), (what, a, other, b)


@pytest.mark.parametrize("a", ALL)
def test_result_type_of_numbers(a):
    for what, left in operands(a):
        for number in SCALARS:
            assert not same(lambda m: m.result_type(left(m), number)), (what, a, number)
            assert not same(lambda m: m.result_type(number, left(m))), (number, what, a)


def test_result_type_of_two_numbers():
    for a in SCALARS:
        for b in SCALARS:
            assert not same(lambda m: m.result_type(a, b)), (a, b)


# Every rule by which an op finds its dtype: plain promotion, to float, comparison, of three operands, of lists.
RULES = {
    "add": lambda m, a, b: a + b,
    "sub": lambda m, a, b: a - b,
    "mul": lambda m, a, b: a * b,
    "div": lambda m, a, b: a / b,
    "floor_divide": lambda m, a, b: a // b,
    "remainder": lambda m, a, b: a % b,
    "pow": lambda m, a, b: a**b,
    "eq": lambda m, a, b: a == b,
    "lt": lambda m, a, b: a < b,
    "bitwise_and": lambda m, a, b: a & b,
    "logical_and": lambda m, a, b: m.logical_and(a, b),
    "maximum": lambda m, a, b: m.maximum(a, b),
    "atan2": lambda m, a, b: m.atan2(a, b),
    "where": lambda m, a, b: m.where(m.tensor(True), a, b),
    "cat": lambda m, a, b: m.cat([a.reshape(-1), b.reshape(-1)]),
    "stack": lambda m, a, b: m.stack([a.reshape(-1)[:1], b.reshape(-1)[:1]]),
    "clamp": lambda m, a, b: m.clamp(a, min=b),
    "addcmul": lambda m, a, b: m.addcmul(a, a, b),
    "iadd": lambda m, a, b: a.add_(b),
    "imul": lambda m, a, b: a.mul_(b),
    "idiv": lambda m, a, b: a.div_(b),
    "out": lambda m, a, b: m.add(a, a, out=b),
    "copy_": lambda m, a, b: a.copy_(b),
    "full_like": lambda m, a, b: m.full_like(a, 1, dtype=b.dtype),
    "masked_fill": lambda m, a, b: m.masked_fill(a, a == a, b.reshape(-1)[0]),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("a", ALL)
def test_op(rule, a):
    """The dtype (or the exception) for every other dtype, with and without axes."""
    for b in ALL:
        for what, left in operands(a)[:2]:
            for other, right in operands(b)[:2]:
                assert not same(lambda m: RULES[rule](m, left(m), right(m)).dtype), (rule, what, a, other, b)


NUMBER_RULES = ["add", "sub", "mul", "div", "floor_divide", "remainder", "pow", "eq", "lt", "bitwise_and", "iadd",
    "imul", "idiv"]


@pytest.mark.parametrize("rule", NUMBER_RULES)
@pytest.mark.parametrize("a", ALL)
def test_op_with_number(rule, a):
    for number in SCALARS:
        for what, left in operands(a)[:2]:
            assert not same(lambda m: RULES[rule](m, left(m), number).dtype), (rule, what, a, number)
            if not rule.startswith("i"):
                assert not same(lambda m: RULES[rule](m, number, left(m)).dtype), (rule, number, what, a)


UNARY = ("exp", "neg", "abs", "sqrt", "floor", "sign", "sum", "mean", "prod", "cumsum", "all", "argmax", "isnan",
    "logical_not", "std", "norm", "softmax")


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    for a in ALL:
        arguments = (0,) if name in ("cumsum", "softmax") else ()
        assert not same(lambda m: getattr(m, name)(m.ones(3, dtype=getattr(m, a)), *arguments).dtype), (name, a)


@pytest.mark.parametrize("default", ["float64", "float16", "bfloat16", "float32"])
def test_default_dtype(default):
    """Python floats take the default dtype, also where an integer meets one; complex numbers take its complex."""
    makers = [
        lambda m: m.tensor(1.5), lambda m: m.tensor([1, 2.5]), lambda m: m.zeros(2), lambda m: m.arange(3.0),
        lambda m: m.tensor([1, 2]) + 1.5,
        lambda m: m.tensor([1, 2]) / 2, lambda m: m.tensor(1j), lambda m: m.tensor([1]) * 1j,
        lambda m: m.linspace(0, 1, 3), lambda m: m.full((2,), 1.5),
        lambda m: m.rand(2), lambda m: m.eye(2), lambda m: m.tensor([1, 2]).sqrt(), lambda m: m.ones(2) + 1.5,
        lambda m: m.full((2,), 1j), lambda m: m.empty(1),
    ]  # fmt: skip
    for m in (torch, cygrad):
        m.set_default_dtype(getattr(m, default))
    try:
        for i, make in enumerate(makers):
            assert not same(lambda m: make(m).dtype), i
        assert not same(lambda m: m.get_default_dtype())
    finally:
        torch.set_default_dtype(torch.float32)
