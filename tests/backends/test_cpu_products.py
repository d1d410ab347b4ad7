"""Products and depthwise convolutions of the CPU backend at the edges of their blocks, in every layout.

If one fails, results are wrong for some sizes only: sums of a tile that is not full, a block of k after the first, a
panel that was packed from another layout.
"""
import cygrad
import numpy as np
import pytest
from cygrad_cpu.runtime import instruction_sets

# Rows (a tile has 4, 8 or 16, a block 256, or 768 KB that are read where they lie), terms (a block has 384 of float32,
# 192 of float64), columns (a panel has 12, 24 or 48).
SHAPES = [(2, 2, 300), (17, 20, 17), (33, 64, 10), (5, 400, 49), (65, 385, 96), (259, 193, 25), (12, 1000, 2),
          (64, 1024, 47), (1003, 210, 20), (55, 3, 5)]


def laid_out(array, layout):
    """The array as a tensor: row-major, column-major, or with gaps in both directions."""
    if layout == "rows":
        return cygrad.from_numpy(array).clone()
    if layout == "columns":
        return cygrad.from_numpy(np.ascontiguousarray(array.T)).t()
    spaced = np.full((2 * array.shape[0], 2 * array.shape[1]), np.nan, array.dtype)
    spaced[::2, ::2] = array
    return cygrad.from_numpy(spaced)[::2, ::2]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("layouts", [("rows", "rows"), ("columns", "rows"), ("rows", "columns"), ("columns", "columns"),
                                     ("gaps", "gaps")])
def test_product(shape, dtype, layouts):
    rng = np.random.default_rng(0)
    m, k, n = shape
    a, b, c = (rng.standard_normal(size).astype(dtype) for size in ((m, k), (k, n), (m, n)))
    x, y = laid_out(a, layouts[0]), laid_out(b, layouts[1])
    exact = a.astype("f8") @ b.astype("f8")
    # A sum of k terms of size 1 grows like sqrt(k), and each addition rounds at most by eps / 2 of it.
    allowed = 2 * np.finfo(dtype).eps * k
    np.testing.assert_allclose((x @ y).numpy(), exact, rtol=0, atol=allowed)
    np.testing.assert_allclose((y.t() @ x.t()).numpy(), exact.T, rtol=0, atol=allowed)
    np.testing.assert_allclose(cygrad.addmm(laid_out(c, layouts[1]), x, y, beta=0.5, alpha=2).numpy(),
                               2 * exact + 0.5 * c.astype("f8"), rtol=0, atol=3 * allowed)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(2, 300, 300), *SHAPES])
@pytest.mark.parametrize("form", ["matrix", "row", "column", "every second row"])
def test_added_operand_is_read_where_it_lies(shape, dtype, form):
    rng = np.random.default_rng(0)
    m, k, n = shape
    a, b, c = (rng.standard_normal(size).astype(dtype) for size in ((m, k), (k, n), (2 * m, n)))
    c = {"matrix": c[:m], "row": c[:1], "column": c[:m, :1], "every second row": c[::2]}[form]
    x, y, z = cygrad.from_numpy(a), cygrad.from_numpy(b), cygrad.from_numpy(c)
    exact = 0.5 * c.astype("f8") + 2 * (a.astype("f8") @ b.astype("f8"))
    allowed = 4 * np.finfo(dtype).eps * k
    np.testing.assert_allclose(cygrad.addmm(z, x, y, beta=0.5, alpha=2).numpy(), exact, rtol=0, atol=allowed)
    turned = cygrad.empty(n, m, dtype=x.dtype).t()
    cygrad.addmm(z, x, y, beta=0.5, alpha=2, out=turned)
    np.testing.assert_allclose(turned.numpy(), exact, rtol=0, atol=allowed)


@pytest.mark.skipif(instruction_sets.candidates()[0] not in ("v3", "v4"), reason="OpenBLAS multiplies here, not we")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape[1] > 3])
@pytest.mark.parametrize("layouts", [("rows", "rows"), ("columns", "rows"), ("rows", "columns"), ("gaps", "gaps")])
def test_a_sum_does_not_depend_on_its_place(shape, dtype, layouts):
    """Rows and columns that are alike give the same bits in whole tiles, at edges and in half vectors."""
    rng = np.random.default_rng(0)
    m, k, n = shape
    a = np.repeat(rng.standard_normal((1, k)).astype(dtype), m, 0)
    b = np.repeat(rng.standard_normal((k, 1)).astype(dtype), n, 1)
    found = (laid_out(a, layouts[0]) @ laid_out(b, layouts[1])).numpy()
    np.testing.assert_array_equal(found, found[0, 0])


def test_rows_and_columns_a_page_apart():
    """Rows or columns whose distance is a multiple of 4 KB are copied before they are read."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-8, 9, (130, 1024)).astype("f4") for _ in range(2))
    np.testing.assert_array_equal((cygrad.from_numpy(a) @ cygrad.from_numpy(b).t()).numpy(), a @ b.T)
    np.testing.assert_array_equal((cygrad.from_numpy(a).t() @ cygrad.from_numpy(b)).numpy(), a.T @ b)


def test_nothing_of_the_result_survives_beta_0():
    out = cygrad.full((40, 40), float("nan"))
    cygrad.mm(cygrad.ones(40, 40), cygrad.ones(40, 40), out=out)
    assert out.eq(40).all()


@pytest.mark.parametrize("dtype", [cygrad.float32, cygrad.float64])
@pytest.mark.parametrize("size, kernel, stride, padding, dilation", [
    ((16, 16), (3, 3), (1, 1), (1, 1), (1, 1)), ((9, 37), (5, 2), (1, 1), (2, 0), (1, 3)),
    ((20, 33), (3, 3), (2, 2), (1, 1), (1, 1)), ((21, 50), (3, 4), (3, 2), (0, 2), (2, 2)),
    ((7, 5), (1, 1), (2, 3), (0, 0), (1, 1)), ((6, 6), (2, 2), (1, 1), (4, 3), (1, 1)),
])
def test_depthwise_is_channel_by_channel(dtype, size, kernel, stride, padding, dilation):
    cygrad.manual_seed(0)
    x = cygrad.randn(2, 3, *size, dtype=dtype).requires_grad_()
    w = cygrad.randn(3, 1, *kernel, dtype=dtype).requires_grad_()
    b = cygrad.randn(3, dtype=dtype).requires_grad_()
    geometry = dict(stride=stride, padding=padding, dilation=dilation)
    whole = cygrad.conv2d(x, w, b, groups=3, **geometry)
    parts = cygrad.cat([cygrad.conv2d(x[:, i:i + 1], w[i:i + 1], b[i:i + 1], **geometry) for i in range(3)], 1)
    assert cygrad.allclose(whole, parts, 1e-5, 1e-5)
    grad = cygrad.randn(*whole.shape, dtype=dtype)
    for ours, theirs in zip(cygrad.autograd.grad(whole, (x, w, b), grad), cygrad.autograd.grad(parts, (x, w, b), grad)):
        assert cygrad.allclose(ours, theirs, 1e-4, 1e-4)
