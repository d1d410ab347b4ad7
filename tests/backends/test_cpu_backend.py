"""The CPU backend through the public API: memory, products of every layout, sorting, scans, scatter, linear algebra.

If a test here fails, a kernel or the allocator of `cygrad_cpu` is wrong. NumPy is the reference.
"""
import functools
import itertools
import os
import subprocess
import sys
import textwrap

import cygrad
import numpy as np
import pytest
from cygrad.backend import UNARY, Backend
from cygrad_cpu.runtime import allocator

FLOATS = ["float32", "float64", "complex64", "complex128"]
INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]
TOLERANCE = {"float32": 2e-4, "float64": 1e-10, "complex64": 2e-4, "complex128": 1e-10}
pytestmark = pytest.mark.usefixtures("threads")


def values(rng, shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -9, 10, shape).astype(dtype)
    if dtype.kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def layouts(rng, shape, dtype):
    """(name, NumPy array, tensor) of the same values: dense, transposed, with steps, broadcast along each axis."""
    *batch, m, n = shape
    dense = cygrad.from_numpy(values(rng, shape, dtype))
    yield "dense", dense.numpy(), dense
    transposed = cygrad.from_numpy(values(rng, (*batch, n, m), dtype)).transpose(-1, -2)
    yield "transposed", transposed.numpy(), transposed
    steps = cygrad.from_numpy(values(rng, (*batch, 2 * m, 3 * n), dtype))[..., ::2, ::3]
    yield "steps", steps.numpy(), steps
    row = cygrad.from_numpy(values(rng, (*batch, 1, n), dtype)).expand(*shape)
    yield "one row", row.numpy(), row
    column = cygrad.from_numpy(values(rng, (*batch, m, 1), dtype)).expand(*shape)
    yield "one column", column.numpy(), column


# ---- memory

@pytest.fixture
def cache():
    """`set_cache_limit`, put back as it was afterwards."""
    limit = cygrad.cpu.memory_stats()["limit"]
    yield cygrad.cpu.set_cache_limit
    cygrad.cpu.set_cache_limit(limit)


def test_large_results_cost_no_page_faults_after_the_first():
    """Ten fresh results of 40 MB would be 200 faults even if all pages were huge ones."""
    resource = pytest.importorskip("resource", reason="this system does not count page faults")
    a, b = cygrad.ones(10_000_000), cygrad.ones(10_000_000)
    for _ in range(3):
        c = a + b
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        c = a * b
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 20 and c[-1] == 1


def test_memory_is_counted_and_reused(cache):
    cache(1 << 30)
    cygrad.cpu.empty_cache()                                # no larger block that would serve
    base = cygrad.cpu.memory_allocated()
    cygrad.cpu.reset_peak_memory_stats()
    a = cygrad.empty(1000, 1000)
    held = cygrad.cpu.memory_allocated() - base
    assert 4_000_000 <= held <= 4_500_000                   # at most an eighth is lost to the size class
    assert cygrad.cpu.max_memory_allocated() - base == held
    address = a.data_ptr()
    assert address % 64 == 0
    del a
    assert cygrad.cpu.memory_allocated() == base
    assert cygrad.cpu.memory_reserved() >= base + held      # kept for reuse
    assert cygrad.empty(1000, 1000).data_ptr() == address
    cygrad.cpu.empty_cache()
    assert cygrad.cpu.memory_reserved() == cygrad.cpu.memory_allocated()


def test_views_keep_memory_alive():
    base = cygrad.cpu.memory_allocated()
    view = cygrad.ones(1000)[10:20]
    assert cygrad.cpu.memory_allocated() >= base + 4000
    assert view.tolist() == [1.0] * 10
    del view
    assert cygrad.cpu.memory_allocated() == base


def test_cache_limit_bounds_what_is_kept(cache):
    cache(1_000_000)
    for size in range(1000, 200_000, 7001):
        tensors = [cygrad.empty(size) for _ in range(4)]
        del tensors
        assert cygrad.cpu.memory_stats()["cached"] <= 1_000_000


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="asks Linux what a process holds")
def test_blocks_of_arenas_go_back_to_the_system_and_return():
    """Blocks from 36 KB to below 4 MB lie together in arenas: their pages can go while the arena stays."""
    program = textwrap.dedent("""
        import os, cygrad

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        sizes = [40_000, 90_000, 1 << 18, 700_000, 3_500_000]
        for _ in range(2):
            tensors = [cygrad.full((sizes[i % 5] // 4,), i) for i in range(100)]
            assert all((t == i).all() for i, t in enumerate(tensors))
            held, before = sum(t.nbytes for t in tensors), resident()
            del tensors
            cygrad.cpu.empty_cache()
            assert before - resident() > 0.8 * held, (before, resident(), held)
        """)
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program], check=True, env=variables)


def test_blocks_never_overlap():
    rng = np.random.default_rng(0)
    live = []
    for _ in range(400):
        tensor = cygrad.empty(int(2 ** rng.uniform(0, 14)), dtype=cygrad.uint8)
        live.append(tensor)
        if len(live) > 50:
            del live[rng.integers(len(live))]
    spans = sorted((t.data_ptr(), t.data_ptr() + t.numel()) for t in live)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))


@pytest.mark.parametrize("elements", [10**15, 2**61 - 1])
def test_impossible_sizes_are_refused(elements):
    with pytest.raises(RuntimeError, match="can't allocate memory: you tried to allocate|overflow"):
        cygrad.empty(elements)
    with pytest.raises(RuntimeError, match="you tried to allocate 4000000000000000 bytes. Error code 12"):
        cygrad.empty(10**15)


@pytest.mark.parametrize("text, nbytes", [("1000", 1000), ("2k", 2048), ("1.5 MB", 1572864), ("3G", 3 << 30), ("0", 0)])
def test_cache_size_texts(text, nbytes):
    assert allocator.parse_size(text) == nbytes


@pytest.mark.parametrize("text", ["lots", "-1", "1X", "G"])
def test_bad_cache_size_is_refused(text):
    code = "import cygrad_cpu"
    run = subprocess.run([sys.executable, "-c", code], env={**os.environ, "CYGRAD_CPU_CACHE": text},
                         capture_output=True, text=True)
    assert run.returncode != 0
    assert f"CYGRAD_CPU_CACHE: expected a number of bytes such as 1000000, 512M or 2G, got {text!r}" in run.stderr


@pytest.mark.parametrize("text", ["v9", "avx2"])
def test_senseless_instruction_set(text):
    run = subprocess.run([sys.executable, "-c", "import cygrad; cygrad.ones(3).exp()"],
                         env={**os.environ, "CYGRAD_ISA": text}, capture_output=True, text=True)
    assert run.returncode == 1
    assert f"CYGRAD_ISA: expected one of v4, v3, v2, generic, got {text!r}" in run.stderr


# ---- matrix products

SHAPES = [(1, 1, 1), (2, 3, 4), (1, 40, 1), (7, 1, 9), (12, 16, 11), (1, 300, 1), (30, 20, 1), (1, 50, 60),
          (33, 35, 70), (90, 110, 300)]


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("m, k, n", SHAPES)
def test_matmul_layouts(m, k, n, dtype):
    rng = np.random.default_rng(0)
    for (left, a, ta), (right, b, tb) in itertools.product(layouts(rng, (m, k), dtype), layouts(rng, (k, n), dtype)):
        expected = a @ b
        found = cygrad.mm(ta, tb).numpy()
        assert found.dtype == expected.dtype
        if dtype in TOLERANCE:
            np.testing.assert_allclose(found, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * k**0.5,
                                       err_msg=f"{left} @ {right}")
        else:
            np.testing.assert_array_equal(found, expected, err_msg=f"{left} @ {right}")


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex128"])
@pytest.mark.parametrize("b, m, k, n", [(3, 5, 2, 7), (40, 8, 8, 8), (5, 1, 30, 1), (4, 65, 130, 9), (200, 16, 16, 16)])
def test_bmm_layouts(b, m, k, n, dtype):
    rng = np.random.default_rng(0)
    for (_, x, tx), (_, y, ty) in itertools.product(layouts(rng, (b, m, k), dtype), layouts(rng, (b, k, n), dtype)):
        np.testing.assert_allclose(cygrad.bmm(tx, ty).numpy(), x @ y, rtol=2e-4, atol=2e-4 * k**0.5)


def test_broadcast_batch():
    rng = np.random.default_rng(0)
    a, b = values(rng, (6, 20, 30), "float64"), values(rng, (30, 40), "float64")
    ta, tb = cygrad.from_numpy(a), cygrad.from_numpy(b)
    np.testing.assert_allclose(cygrad.matmul(ta, tb).numpy(), a @ b, rtol=1e-12)
    np.testing.assert_allclose(cygrad.matmul(tb.t(), ta.mT).numpy(), b.T @ a.transpose(0, 2, 1), rtol=1e-12)


@pytest.mark.parametrize("dtype, epsilon", [("float16", 2.0**-11), ("bfloat16", 2.0**-8)])
@pytest.mark.parametrize("m, k, n", [(2, 3, 4), (40, 200, 30)])
def test_16_bit_products_accumulate_in_float32(dtype, epsilon, m, k, n):
    """Rounded once: half a unit in the last place of the result, which accumulation in 16 bits would miss by far."""
    a = cygrad.rand(m, k).to(getattr(cygrad, dtype))
    b = cygrad.rand(k, n).to(getattr(cygrad, dtype))
    expected = a.double().numpy() @ b.double().numpy()
    np.testing.assert_allclose((a @ b).double().numpy(), expected, rtol=1.01 * epsilon)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int64"])
@pytest.mark.parametrize("m, k, n", [(2, 3, 4), (1, 1, 1), (60, 70, 80)])
@pytest.mark.parametrize("beta, alpha", [(1, 1), (2, 3), (0, 2)])
def test_addmm(m, k, n, dtype, beta, alpha):
    rng = np.random.default_rng(0)
    a, b, c = values(rng, (m, k), dtype), values(rng, (k, n), dtype), values(rng, (1, n), dtype)
    expected = beta * np.broadcast_to(c, (m, n)) + alpha * (a @ b)
    found = cygrad.addmm(cygrad.from_numpy(c), cygrad.from_numpy(a), cygrad.from_numpy(b), beta=beta, alpha=alpha)
    np.testing.assert_allclose(found.numpy(), expected, rtol=2e-4, atol=1e-3)


def test_addmm_with_beta_0_ignores_nan():
    bias = cygrad.full((40, 40), float("nan"))
    a = cygrad.ones(40, 40)
    assert cygrad.addmm(bias, a, a, beta=0).eq(40).all()
    assert cygrad.addmm(bias[:2, :2], a[:2, :2], a[:2, :2], beta=0).eq(2).all()


def test_single_columns_are_rounded_once():
    """The digits that the tutorials print for their regressions depend on it: 1 + 31 * 2^-24, added one by one in
    float32, would be 1; added in double and rounded once (a tie, to even) it is 1 + 2^-19."""
    row = cygrad.tensor([[1.0] + [2.0**-24] * 31])
    ones = cygrad.ones(32, 1)
    assert (row @ ones).item() == 1.0 + 2.0**-19
    assert (row.flip(1) @ ones).item() == 1.0 + 2.0**-19


def test_products_are_the_same_on_any_number_of_threads(threads):
    a = cygrad.rand(200, 150)
    found = a @ a.t()
    cygrad.cpu.set_num_threads(1)
    np.testing.assert_allclose(found.numpy(), (a @ a.t()).numpy(), rtol=1e-5)


# ---- gather and scatter

def test_gather_rows_and_elements():
    rng = np.random.default_rng(0)
    table = values(rng, (50, 300), "float32")
    rows = rng.integers(0, 50, 200)
    tensor = cygrad.from_numpy(table)
    np.testing.assert_array_equal(tensor[cygrad.from_numpy(rows)].numpy(), table[rows])
    index = rng.integers(0, 50, (80, 300))
    np.testing.assert_array_equal(cygrad.gather(tensor, 0, cygrad.from_numpy(index)).numpy(),
                                  np.take_along_axis(table, index, 0))
    index = rng.integers(0, 50, (300, 70))
    np.testing.assert_array_equal(cygrad.gather(tensor.t(), 1, cygrad.from_numpy(index)).numpy(),
                                  np.take_along_axis(table.T, index, 1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "float16", "complex64"])
@pytest.mark.parametrize("dim", [0, 1])
def test_scatter_add_with_repeated_places(dtype, dim):
    rng = np.random.default_rng(0)
    source = rng.integers(0, 5, (60, 400)).astype(dtype)
    index = rng.integers(0, 7, (60, 400))
    start = np.ones((7, 400) if dim == 0 else (60, 7), dtype)
    expected = start.copy()
    other = np.indices(index.shape)[1 - dim]
    np.add.at(expected, (index, other) if dim == 0 else (other, index), source)
    found = cygrad.from_numpy(start.copy()).scatter_add_(dim, cygrad.from_numpy(index), cygrad.from_numpy(source))
    np.testing.assert_array_equal(found.numpy(), expected)


def test_scatter_keeps_the_last_of_several_writes():
    n = 100_000
    out = cygrad.zeros(10, dtype=cygrad.int64)
    out.scatter_(0, cygrad.arange(n) % 10, cygrad.arange(n))
    assert out.tolist() == list(range(n - 10, n))


@pytest.mark.parametrize("reduce, function", [("amax", np.maximum), ("amin", np.minimum), ("prod", np.multiply)])
def test_scatter_reduce(reduce, function):
    rng = np.random.default_rng(0)
    source = rng.integers(1, 3, (500, 8)).astype("float64")
    index = rng.integers(0, 40, (500, 8))
    expected = np.full((40, 8), 1.5)
    function.at(expected, (index, np.arange(8)), source)
    found = cygrad.full((40, 8), 1.5, dtype=cygrad.float64)
    found.scatter_reduce_(0, cygrad.from_numpy(index), cygrad.from_numpy(source), reduce=reduce)
    np.testing.assert_array_equal(found.numpy(), expected)


@pytest.mark.parametrize("shape", [(100,), (7, 9), (3, 4, 5), (1000, 70), (1, 6, 1)])
@pytest.mark.parametrize("dtype", ["bool", "float32", "int64", "complex64"])
def test_nonzero(shape, dtype):
    rng = np.random.default_rng(0)
    array = (rng.integers(0, 3, shape) - 1).astype(dtype)
    for view, tensor in [(array, cygrad.from_numpy(array)), (array.T, cygrad.from_numpy(array).permute(
            *range(array.ndim - 1, -1, -1))), (array[..., ::2], cygrad.from_numpy(array)[..., ::2])]:
        np.testing.assert_array_equal(cygrad.nonzero(tensor).numpy(), np.argwhere(view))


# ---- scans

@pytest.mark.parametrize("shape", [(5,), (4, 5), (300, 40), (3, 4, 50), (50_000,)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "complex64"])
def test_running_sums(shape, dtype):
    rng = np.random.default_rng(0)
    array = values(rng, shape, dtype)
    wide = {"float32": "float64", "complex64": "complex128"}.get(dtype, dtype)
    tensor = cygrad.from_numpy(array)
    for dim in range(len(shape)):
        expected = np.cumsum(array.astype(wide), dim)           # accumulates in double and rounds each element once
        found = cygrad.cumsum(tensor, dim, dtype=tensor.dtype).numpy()
        np.testing.assert_array_equal(found, expected.astype(dtype))


def test_running_extremes():
    """The latest of equal elements gives the index; after NaN everything is NaN."""
    nan = float("nan")
    found, index = cygrad.cummax(cygrad.tensor([1.0, 3, 3, 2, nan, 5, nan, 1]), 0)
    assert found[:4].tolist() == [1, 3, 3, 3] and found[4:].isnan().all()
    assert index.tolist() == [0, 1, 2, 2, 4, 4, 6, 6]
    array = np.random.default_rng(0).integers(0, 50, (60, 70))
    for dim in (0, 1):
        found, index = cygrad.cummin(cygrad.from_numpy(array), dim)
        np.testing.assert_array_equal(found.numpy(), np.minimum.accumulate(array, dim))
        np.testing.assert_array_equal(np.take_along_axis(array, index.numpy(), dim), found.numpy())


# ---- sorting

LENGTHS = [1, 3, 5, 16, 17, 100, 384, 385, 3000, 70_000]


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "int16", "int8", "uint8", "bool", "float16"])
def test_sort_is_stable(dtype, n):
    """Against NumPy's stable argsort, ascending and descending, on keys with many ties."""
    array = (np.random.default_rng(n).integers(-40, 40, (2, n)) % (2 if dtype == "bool" else 256)).astype(dtype)
    tensor = cygrad.from_numpy(array)
    found, index = cygrad.sort(tensor, dim=1, stable=True)
    expected = np.argsort(array, 1, kind="stable")
    np.testing.assert_array_equal(index.numpy(), expected)
    np.testing.assert_array_equal(found.numpy(), np.take_along_axis(array, expected, 1))
    found, index = cygrad.sort(tensor, dim=1, descending=True, stable=True)
    expected = n - 1 - np.argsort(array[:, ::-1], 1, kind="stable")[:, ::-1]
    np.testing.assert_array_equal(index.numpy(), expected)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sort_special_values(dtype, n):
    """NaN of either sign comes last, zeros of either sign are equal, values keep their bits."""
    rng = np.random.default_rng(n)
    special = np.array([np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, 1e-310, -1e-310, 2.5, -2.5])
    array = rng.choice(special, n).astype(dtype)
    found, index = cygrad.sort(cygrad.from_numpy(array), stable=True)
    expected = np.argsort(array, kind="stable")             # NumPy too puts NaN last
    np.testing.assert_array_equal(index.numpy(), expected)
    np.testing.assert_array_equal(np.signbit(found.numpy()), np.signbit(array[expected]))


def test_sort_of_wide_integers():
    """Keys that differ in the upper half, in the lower half only, and by less than 2^32."""
    rng = np.random.default_rng(0)
    for array in (rng.integers(-2**63, 2**63 - 1, 5000), rng.integers(0, 3, 5000) * 2**40 + rng.integers(0, 9, 5000),
                  2**60 + rng.integers(0, 2**31, 5000), np.array([2**63 - 1, -2**63, 0] * 40)):
        found, index = cygrad.sort(cygrad.from_numpy(array), stable=True)
        np.testing.assert_array_equal(index.numpy(), np.argsort(array, kind="stable"))
        np.testing.assert_array_equal(found.numpy(), np.sort(array))


def test_sort_along_any_axis():
    array = np.random.default_rng(0).standard_normal((30, 40, 50)).astype("float32")
    for dim in range(3):
        found, index = cygrad.sort(cygrad.from_numpy(array), dim=dim)
        np.testing.assert_array_equal(found.numpy(), np.sort(array, dim))
        np.testing.assert_array_equal(np.take_along_axis(array, index.numpy(), dim), found.numpy())
    swapped = cygrad.from_numpy(array).transpose(0, 2)
    np.testing.assert_array_equal(cygrad.sort(swapped, dim=1)[0].numpy(), np.sort(array.transpose(2, 1, 0), 1))


# ---- softmax

@pytest.mark.parametrize("dtype, rtol", [("float32", 1e-5), ("float64", 1e-13), ("float16", 2e-3)])
@pytest.mark.parametrize("shape, dim", [((5,), 0), ((7, 33), 1), ((300, 17), 0), ((3, 40, 5), 1), ((64, 1000), 1)])
def test_softmax(shape, dim, dtype, rtol):
    array = (10 * np.random.default_rng(0).standard_normal(shape)).astype(dtype)
    exact = array.astype("float64")
    shifted = exact - exact.max(dim, keepdims=True)
    expected = np.exp(shifted) / np.exp(shifted).sum(dim, keepdims=True)
    tensor = cygrad.from_numpy(array)
    np.testing.assert_allclose(cygrad.softmax(tensor, dim).numpy(), expected, rtol=rtol, atol=rtol * 1e-3)
    np.testing.assert_allclose(cygrad.log_softmax(tensor, dim).numpy(), np.log(expected), rtol=rtol, atol=2 * rtol)


def test_softmax_of_infinities():
    """-inf has probability 0; a row of nothing but -inf, or with +inf or NaN, is NaN."""
    inf, nan = float("inf"), float("nan")
    found = cygrad.softmax(cygrad.tensor([[-inf, 0.0, 0.0], [-inf] * 3, [inf, 0.0, 0.0], [nan, 0.0, 0.0]]), 1)
    assert found[0].tolist() == [0.0, 0.5, 0.5]
    assert found[1].isnan().all() and found[2, 0].isnan() and found[3].isnan().all()
    tiny = cygrad.softmax(cygrad.tensor([0.0, -100.0, -104.5]), 0)
    assert tiny[1].item() == pytest.approx(float(np.exp(-100.0)), rel=1e-2)     # below the normal numbers, not 0
    assert tiny[2].item() == 0.0


# ---- linear algebra

@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(3, 3), (4, 10, 10), (2, 3, 1, 1), (150, 150)])
def test_square_matrices(shape, dtype):
    rng = np.random.default_rng(0)
    n, tolerance = shape[-1], 50 * TOLERANCE[dtype]
    a = values(rng, shape, dtype) + (2 + n**0.5) * np.eye(n, dtype=dtype)
    b = values(rng, (*shape[:-1], 2), dtype)
    hermitian = a + a.conj().swapaxes(-1, -2)
    positive = a @ a.conj().swapaxes(-1, -2)
    linalg = cygrad.linalg

    def close(found, expected):
        np.testing.assert_allclose(found.numpy(), expected, rtol=tolerance, atol=tolerance)

    ta, tb = cygrad.from_numpy(a), cygrad.from_numpy(b)
    close(linalg.inv(ta) @ ta, np.broadcast_to(np.eye(n), shape))
    close(ta @ linalg.solve(ta, tb), b)
    close(ta.transpose(-1, -2) @ linalg.solve(ta.transpose(-1, -2), tb), b)
    close(linalg.det(ta / n**0.5), np.linalg.det(a / n**0.5))
    lower = linalg.cholesky(cygrad.from_numpy(positive))
    close(lower @ lower.conj().transpose(-1, -2) / n, positive / n)
    w, v = linalg.eigh(cygrad.from_numpy(hermitian))
    close(w, np.linalg.eigvalsh(hermitian))
    close(cygrad.from_numpy(hermitian) @ v, v.numpy() * w.numpy()[..., None, :])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 20, 30), (3, 30, 20), (1, 1), (6, 1)])
def test_any_matrices(shape, dtype):
    rng = np.random.default_rng(0)
    a = values(rng, shape, dtype)
    ta, tolerance, k = cygrad.from_numpy(a), 50 * TOLERANCE[dtype], min(shape[-2:])

    def close(found, expected):
        np.testing.assert_allclose(found.numpy(), expected, rtol=tolerance, atol=tolerance)

    for mode in ("reduced", "complete"):
        q, r = cygrad.linalg.qr(ta, mode=mode)
        close(q @ r, a)
        close(q.conj().transpose(-1, -2) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*shape[:-2], *q.shape[-1:] * 2)))
        assert np.all(np.tril(r.numpy(), -1) == 0)
    for full in (False, True):
        u, s, vh = cygrad.linalg.svd(ta, full_matrices=full)
        close(s, np.linalg.svd(a)[1])
        close(u[..., :k] * s.unsqueeze(-2) @ vh[..., :k, :], a)
    b = values(rng, (*shape[:-1], 2), dtype)
    close(cygrad.linalg.pinv(ta) @ cygrad.from_numpy(b), np.linalg.pinv(a) @ b)
    close(cygrad.linalg.lstsq(ta, cygrad.from_numpy(b)).solution, np.linalg.pinv(a) @ b)


def test_singular_matrices_are_refused():
    with pytest.raises(RuntimeError, match="singular"):
        cygrad.linalg.inv(cygrad.zeros(3, 3))
    with pytest.raises(RuntimeError, match="positive-definite"):
        cygrad.linalg.cholesky(-cygrad.eye(3))


def test_blas_is_loaded_when_first_needed():
    """`import cygrad` and small or pointwise work leave the BLAS library alone."""
    code = ("import cygrad; a = cygrad.ones(4, 4); (a @ a + a).sum().item()\n"
            "maps = open('/proc/self/maps').read(); assert 'scipy_openblas' not in maps\n"
            "a = cygrad.ones(100, 100); assert (a @ a[0]).eq(100).all()\n"
            "maps = open('/proc/self/maps').read(); assert 'scipy_openblas' in maps")
    if not os.path.exists("/proc/self/maps"):
        pytest.skip("needs /proc/self/maps")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_python_finds_entries_in_the_base_class_and_calls_those_of_the_object():
    """tools/translate.py: only `Backend` has wrappers, whose calls go where those from C do."""
    cpu = cygrad.ones(1)._backend()
    a, out = cygrad.ones(2), cygrad.zeros(2)
    assert "unary" not in vars(type(cpu)) and type(cpu).unary is Backend.unary
    for call in (cpu.unary, functools.partial(Backend.unary, cpu)):
        assert call(UNARY.index("neg"), a, out.zero_()) is None and out.tolist() == [-1, -1]

    class Mine(Backend):
        def unary(self, op, a, out):
            return super().unary(op, a, out)

    assert Mine().unary(0, a, out) is NotImplemented
