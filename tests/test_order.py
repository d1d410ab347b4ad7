"""Sorting, selecting, searching and counting against NumPy, at the sizes where the way of computing changes; and that
an index outside its axis is found, whatever the layout, before anything is written."""
import cygrad
import numpy as np
import pytest

SIZES = (1, 5, 6, 16, 17, 64, 65, 100, 513, 1600, 1601, 5000)
DTYPES = ("uint8", "int16", "int32", "int64", "float16", "float32", "float64")


def numbers(rng, n, dtype, kind):
    """n numbers: many different ones, few of them, in order, or in the reverse order."""
    if kind == "few":
        a = rng.integers(0, 3, n).astype(dtype)
    elif np.dtype(dtype).kind == "f":
        a = rng.standard_normal(n).astype(dtype)
    else:
        limits = np.iinfo(dtype)
        a = rng.integers(limits.min, limits.max, n, dtype=dtype, endpoint=True)
    if kind in ("rising", "falling"):
        a = np.sort(a)[::1 if kind == "rising" else -1].copy()
    return a


KINDS = ("many", "few", "rising", "falling")


def stable_order(a, descending):
    """The places of a stable sort."""
    if not descending:
        return np.argsort(a, kind="stable")
    return len(a) - 1 - np.argsort(a[::-1], kind="stable")[::-1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_sort_is_stable(rng, n, dtype):
    for kind in KINDS:
        a = numbers(rng, n, dtype, kind)
        for descending in (False, True):
            values, indices = cygrad.from_numpy(a).sort(descending=descending, stable=True)
            order = stable_order(a, descending)
            assert np.array_equal(indices.numpy(), order), (kind, descending)
            assert np.array_equal(values.numpy(), a[order])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_parts_of_the_order(rng, n, dtype):
    for kind in KINDS:
        a = numbers(rng, n, dtype, kind)
        t, order = cygrad.from_numpy(a), stable_order(a, False)
        for k in {1, (n + 1) // 2, n, max(n // 10, 1)}:
            values, index = t.kthvalue(k)
            assert values.item() == a[order[k - 1]] == a[index.item()], (kind, k)
            largest, indices = t.topk(k)
            indices = indices.numpy()
            assert np.array_equal(largest.numpy(), np.sort(a)[::-1][:k]), (kind, k)
            assert np.array_equal(a[indices], largest.numpy()), (kind, k)
            assert len(set(indices.tolist())) == k, (kind, k)
            if n > 256:                                                 # else as in PyTorch: parity/test_ties_parity.py
                assert index.item() == order[k - 1], (kind, k)
                assert np.array_equal(indices, stable_order(a, True)[:k]), (kind, k)
        assert t.median().item() == a[order[(n - 1) // 2]]


def test_nan_is_the_largest_and_zeros_are_equal(rng):
    a = rng.standard_normal(300).astype("f4")
    a[::7], a[::5], a[1::5] = np.nan, 0.0, -0.0
    _, indices = cygrad.from_numpy(a).sort()
    assert np.array_equal(indices.numpy(), np.argsort(a, kind="stable"))
    assert cygrad.from_numpy(a).kthvalue(300).values.isnan()


@pytest.mark.parametrize("dtype", ("bool", "uint8", "int8", "int32", "int64"))
def test_distinct_integers(rng, dtype):
    wide = np.iinfo(dtype) if dtype != "bool" else None
    for n in (1, 10, 3000):
        for low, high in ((0, 2), (0, 100), (wide.min, wide.max) if wide else (0, 1)):
            a = rng.integers(low, high, n, dtype="i8", endpoint=low < 0).astype(dtype)
            assert np.array_equal(cygrad.from_numpy(a).unique().numpy(), np.unique(a))
            values, inverse, counts = cygrad.from_numpy(a).unique(return_inverse=True, return_counts=True)
            expected = np.unique(a, return_inverse=True, return_counts=True)
            for found, right in zip((values, inverse, counts), expected):
                assert np.array_equal(found.numpy(), right)


@pytest.mark.parametrize("dtype", ("float16", "float32", "float64"))
def test_distinct_floats(dtype):
    found = cygrad.tensor([2.0, -0.0, 0.0, 1.0, 2.0], dtype=getattr(cygrad, dtype)).unique()
    assert found.dtype == getattr(cygrad, dtype) and found.tolist() == [0.0, 1.0, 2.0]
    assert cygrad.tensor([float("nan"), 1.0, float("nan")]).unique().numel() == 3     # NaN equals nothing
    assert cygrad.zeros(0).unique().shape == (0,)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("right", (False, True))
def test_searchsorted(rng, dtype, right):
    for n, count in ((1, 3), (2, 8), (100, 1003), (1000, 5)):
        row, values = np.sort(numbers(rng, n, dtype, "many")), numbers(rng, count, dtype, "many")
        values[::2] = row[rng.integers(0, n, len(values[::2]))]
        found = cygrad.searchsorted(cygrad.from_numpy(row), cygrad.from_numpy(values), right=right)
        assert np.array_equal(found.numpy(), np.searchsorted(row, values, "right" if right else "left"))


def test_searchsorted_in_a_row_each(rng):
    rows, values = np.sort(rng.random((3, 4, 10))), rng.random((3, 4, 7))
    found = cygrad.searchsorted(cygrad.from_numpy(rows), cygrad.from_numpy(values)).numpy()
    for i in np.ndindex(3, 4):
        assert np.array_equal(found[i], np.searchsorted(rows[i], values[i]))
    assert cygrad.searchsorted(cygrad.zeros(0), cygrad.zeros(3)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_histc_and_bincount(rng, dtype):
    a = rng.standard_normal(1000).astype(dtype)
    a[:3] = np.nan, -2.0, 2.0
    assert np.array_equal(cygrad.from_numpy(a).histc(16, -2, 2).numpy(), np.histogram(a[1:], 16, (-2, 2))[0])
    assert cygrad.from_numpy(a[1:]).histc(10).sum().item() == 999                     # the range of the data
    for ends in [1e30], [-3e38, 3e38] if dtype == "float32" else [-1e308, 1e308]:       # a width of 0, and of infinity
        assert cygrad.tensor(ends, dtype=getattr(cygrad, dtype)).histc(4).sum().item() == len(ends)
    numbers = rng.integers(0, 40, 777)
    for kind in ("int64", "int32", "uint8"):
        assert np.array_equal(cygrad.from_numpy(numbers.astype(kind)).bincount(), np.bincount(numbers))
    assert cygrad.tensor([1]).bincount(minlength=4).tolist() == [0, 1, 0, 0]
    with pytest.raises(RuntimeError, match="non-negative"):
        cygrad.tensor([1, -1]).bincount()


# ---- places outside an axis

def wrong_places(rng, shape, size):
    """Indices all of whose places are inside but one, dense and not."""
    for wrong in (size, -size - 1, 2 ** 40, -2 ** 63):
        index = rng.integers(0, size, shape)
        index[tuple(n - 1 for n in shape)] = wrong
        yield cygrad.from_numpy(index)
        yield cygrad.from_numpy(np.repeat(index, 2, axis=-1))[..., ::2]


@pytest.mark.parametrize("shape", ((5,), (70_000,), (3, 4), (300, 300)))
def test_reads_outside_are_refused(rng, threads, shape):
    for dim in range(len(shape)):
        source = cygrad.zeros(shape)
        for index in wrong_places(rng, shape, shape[dim]):
            with pytest.raises(RuntimeError, match="out of bounds"):
                source.gather(dim, index)
            with pytest.raises(RuntimeError if dim == 1 else IndexError):
                source.index_select(dim, index.reshape(-1))
            with pytest.raises(IndexError):
                source[(slice(None),) * dim + (index,)]
    for index in wrong_places(rng, shape, source.numel()):
        with pytest.raises(IndexError):
            source.take(index)


@pytest.mark.parametrize("dtype", ("bool", "int64", "float16", "float32", "complex64"))
@pytest.mark.parametrize("size, count", ((10, 1000), (1000, 10), (100, 70_000)))
def test_writes_outside_change_nothing(rng, threads, dtype, size, count):
    target = cygrad.from_numpy(rng.integers(0, 2, size)).to(getattr(cygrad, dtype))
    source, before = cygrad.ones(count).to(target.dtype), target.clone()
    for index in wrong_places(rng, (count,), size):
        for write in (target.scatter_add_, target.scatter_, target.index_add_, target.index_copy_):
            with pytest.raises((RuntimeError, IndexError)):
                write(0, index, source)
            assert (target == before).all()


def test_scatter_along_both_axes(rng, threads):
    index = rng.integers(0, 300, (300, 300))
    source = rng.integers(0, 9, (300, 300)).astype("f4")
    for dim in (0, 1):
        right = np.zeros((300, 300), "f4")
        np.add.at(right, (index, np.arange(300)[None]) if dim == 0 else (np.arange(300)[:, None], index), source)
        found = cygrad.zeros(300, 300).scatter_add_(dim, cygrad.from_numpy(index), cygrad.from_numpy(source))
        assert np.array_equal(found.numpy(), right)


# ---- copies with the elements elsewhere

def test_roll_and_flip(rng):
    drawn = rng.random((4, 5, 6))
    for t, a in ((cygrad.from_numpy(drawn), drawn),
                 (cygrad.from_numpy(drawn).permute(2, 0, 1), drawn.transpose(2, 0, 1))):
        for shift in (0, 1, -1, 7, -13, 1000):
            assert np.array_equal(t.roll(shift), np.roll(a, shift))
            for dim in (0, 1, 2):
                assert np.array_equal(t.roll(shift, dim), np.roll(a, shift, dim))
        assert np.array_equal(t.roll((1, -2), (0, 2)), np.roll(a, (1, -2), (0, 2)))
        for dims in ((0,), (2,), (0, 1), (0, 2), (0, 1, 2)):
            assert np.array_equal(t.flip(dims), np.flip(a, dims))
    assert cygrad.tensor(3.0).roll(2).item() == 3.0 and cygrad.zeros(0, 2).roll(1, 1).shape == (0, 2)


@pytest.mark.parametrize("shape", ((1, 1), (3, 5), (5, 3), (2, 0, 4), (2, 3, 4)))
def test_triangles(rng, shape):
    a = rng.integers(1, 9, shape)
    for t, right in ((cygrad.from_numpy(a), a), (cygrad.from_numpy(a).mT, np.swapaxes(a, -1, -2))):
        for diagonal in (-7, -1, 0, 1, 2, 9):
            assert np.array_equal(t.tril(diagonal), np.tril(right, diagonal))
            assert np.array_equal(t.triu(diagonal), np.triu(right, diagonal))


@pytest.mark.parametrize("dtype", ("bool", "uint8", "int64", "float16", "float32", "float64"))
def test_runs_of_equal_elements(rng, dtype):
    for n in (1, 2, 1000):
        a = rng.integers(0, 2, n).astype(dtype)
        right = a[np.concatenate(([True], a[1:] != a[:-1]))]
        assert np.array_equal(cygrad.from_numpy(a).unique_consecutive(), right)
        assert np.array_equal(cygrad.from_numpy(np.repeat(a, 2))[::2].unique_consecutive(), right)
    zeros = cygrad.tensor([-0.0, 0.0, 1.0]).unique_consecutive()
    assert zeros.tolist() == [0.0, 1.0] and zeros.signbit().tolist() == [True, False]     # the first of a run stays


@pytest.mark.parametrize("width", (1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 100))
@pytest.mark.parametrize("dtype", ("uint8", "int16", "float32", "complex128"))
def test_rows_of_every_width_move_whole(rng, width, dtype):
    a = rng.integers(0, 99, (50, width)).astype(dtype)
    index = rng.integers(0, 50, 33)
    t, places = cygrad.from_numpy(a), cygrad.from_numpy(index)
    assert np.array_equal(t[places].numpy(), a[index])
    assert np.array_equal(t.index_select(0, places).numpy(), a[index])
    assert np.array_equal(cygrad.zeros_like(t).index_copy(0, cygrad.arange(33), t[:33]).numpy()[:33], a[:33])


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("n", [1, 7, 300, 5000])
def test_one_different_element_makes_tensors_unequal(n, dtype):
    a = cygrad.ones(n, dtype=getattr(cygrad, dtype))
    assert cygrad.equal(a, a.clone()) and cygrad.equal(a, cygrad.ones(2 * n, dtype=a.dtype)[::2])
    for place in {0, n // 2, n - 1}:
        b = a.clone()
        b[place] = 0
        assert not cygrad.equal(a, b)
    assert not cygrad.equal(a, cygrad.ones(n + 1, dtype=a.dtype))


def test_equality_of_nan_and_of_zeros():
    assert not cygrad.equal(cygrad.tensor([1.0, np.nan]), cygrad.tensor([1.0, np.nan]))
    assert cygrad.equal(cygrad.tensor([0.0, -0.0]), cygrad.tensor([-0.0, 0.0]))


@pytest.mark.parametrize("dtype", ["int16", "int64", "float32", "float64"])
def test_runs_and_modes(rng, dtype):
    for n in (1, 2, 9, 1000):
        for kinds in (1, 3, n):
            a = rng.integers(0, kinds, (6, n)).astype(dtype)
            row = a[0]
            kept = row[np.r_[True, row[1:] != row[:-1]]]
            np.testing.assert_array_equal(cygrad.tensor(row).unique_consecutive().numpy(), kept)
            values, places = cygrad.tensor(a).mode(1)
            for line, value, place in zip(a, values.tolist(), places.tolist()):
                numbers, counts = np.unique(line, return_counts=True)
                assert value == numbers[counts.argmax()] == line[place]
                assert place == np.flatnonzero(line == value)[-1] or n > 16 and dtype.startswith("int")
    values, places = cygrad.tensor(a.T.copy()).mode(0, keepdim=True)
    assert values.shape == places.shape == (1, 6)


def test_few_columns_of_many_rows(rng):
    """More rows than are in the cache at a time."""
    a, columns = rng.standard_normal((1000, 9)).astype("f4"), rng.integers(0, 9, 5)
    index = cygrad.tensor(columns)
    np.testing.assert_array_equal(cygrad.tensor(a).index_select(1, index).numpy(), a[:, columns])
    np.testing.assert_array_equal(cygrad.tensor(a)[:, index].numpy(), a[:, columns])
    with pytest.raises(IndexError):
        cygrad.tensor(a)[:, cygrad.tensor([0, 9])]


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_extremes_that_are_scattered(rng, dtype):
    old, new, places = rng.integers(-9, 9, 50).astype(dtype), rng.integers(-9, 9, 400).astype(dtype), \
        rng.integers(0, 50, 400)
    if dtype != "int32":
        old[3] = new[70] = np.nan
    for reduce, ufunc in (("amax", np.maximum), ("amin", np.minimum)):
        wanted = old.copy()
        ufunc.at(wanted, places, new)
        found = cygrad.tensor(old).scatter_reduce(0, cygrad.tensor(places), cygrad.tensor(new), reduce)
        np.testing.assert_array_equal(found.numpy(), wanted)
