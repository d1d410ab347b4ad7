"""If one of these fails, `func.rearrange` puts an element elsewhere than its pattern says, or takes a wrong pattern."""
import cygrad
import pytest
from cygrad.func import rearrange
from cygrad.func.axis_patterns import DimensionBindError

X = cygrad.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("pattern, sizes, expected", [
    ("a b c -> c a b", {}, X.permute(2, 0, 1)), ("a b c -> (a b) c", {}, X.reshape(6, 4)),
    ("a b c -> (c a) b", {}, X.permute(2, 0, 1).reshape(8, 3)), ("a b (c d) -> a d b c", {"c": 2},
                                                                X.reshape(2, 3, 2, 2).permute(0, 3, 1, 2)),
    ("... c -> c ...", {}, X.permute(2, 0, 1)), ("a ... -> a (...)", {}, X.reshape(2, 12)),
    ("a b c -> a 1 b c ()", {}, X.reshape(2, 1, 3, 4, 1)), ("a ... -> ... a", {}, X.permute(1, 2, 0))])
def test_elements(pattern, sizes, expected):
    assert rearrange(X, pattern, **sizes).equal(expected)


def test_a_list_is_stacked():
    assert rearrange([X, X + 1], "n a b c -> a (n b) c").equal(cygrad.cat([X, X + 1], 1))


def test_it_is_recorded():
    x = X.clone().requires_grad_()
    (rearrange(x, "a b c -> c (b a)") * cygrad.arange(24.0).reshape(4, 6)).sum().backward()
    assert x.grad.equal(cygrad.arange(24.0).reshape(4, 3, 2).permute(2, 1, 0))


@pytest.mark.parametrize("pattern, sizes, error", [
    ("a b c", {}, ValueError), ("a b -> a b", {}, ValueError), ("a b c -> a b", {}, ValueError),
    ("a a b -> a b", {}, ValueError), ("a b c -> (a b c", {}, ValueError), ("a b c -> a b c)", {}, ValueError),
    ("a b ((c) d) -> a", {}, ValueError), ("a b 2 -> a b", {}, ValueError), ("a b _c -> a b _c", {}, ValueError),
    ("a b c -> a b c ...", {}, ValueError), ("(...) -> ...", {}, ValueError), ("a b c -> a b c", {"z": 1}, ValueError),
    ("a b c -> a b c", {"a": "x"}, TypeError), ("a b (c d) -> a b c d", {}, DimensionBindError),
    ("a b (c d) -> a b c d", {"c": 3}, DimensionBindError), ("a b c -> a b c", {"a": 3}, DimensionBindError)])
def test_wrong_patterns(pattern, sizes, error):
    with pytest.raises(error):
        rearrange(X, pattern, **sizes)
