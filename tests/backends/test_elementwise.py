"""If this fails, a backend without an `elementwise` kernel computes fused pointwise programs wrongly."""
import cygrad
import pytest
from cygrad.backend import BINARY, UNARY


def code(table, name):
    return table.index(name)


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_program_step_by_step(layout):
    x = cygrad.tensor([[-1.0, 0.5, 2.0], [3.0, -4.0, 0.25]])
    y = cygrad.tensor([[2.0, 2.0, 2.0], [0.5, 0.5, 0.5]])
    if layout == "columns":
        x, y = x.t(), y.t()
    product, chosen = cygrad.empty(x.shape), cygrad.empty(x.shape)
    program = (
        ("in", 0), ("in", 1), ("binary", code(BINARY, "mul")), ("number", 1.0), ("binary", code(BINARY, "add")),
        ("unary", code(UNARY, "exp")), ("out", 0),                                # exp(x * y + 1)
        ("in", 0), ("number", 0.0), ("binary", code(BINARY, "gt")), ("in", 0), ("in", 1), ("where",), ("out", 1),
    )  # fmt: skip
    assert x._backend().elementwise(program, (x, y), (product, chosen)) is None
    assert cygrad.allclose(product, cygrad.exp(x * y + 1))
    assert cygrad.equal(chosen, cygrad.where(x > 0, x, y))


def test_unknown_step():
    x = cygrad.ones(2)
    with pytest.raises(ValueError, match="unknown step"):
        x._backend().elementwise((("swap",),), (x,), (x.clone(),))
