"""If one of these fails, threads of the CPU backend share an op wrongly: what one may write, or where it starts."""

import cygrad
import numpy as np
import pytest

pytestmark = [pytest.mark.usefixtures("threads"), pytest.mark.parametrize("threads", [1, 2, 3, 7], indirect=True)]


@pytest.mark.parametrize("share", [0, 0.001, 0.5, 1])
@pytest.mark.parametrize("shape", [(70_001,), (700, 301), (3, 70_000), (70_000, 3), (50, 60, 70), (1, 100_000)],
                         ids=str)
def test_nonzero(rng, shape, share):
    mask = rng.random(shape) < share
    expected = np.argwhere(mask)
    for tensor in (cygrad.tensor(mask), cygrad.tensor(mask.astype("f4")), cygrad.tensor(mask.T.copy()).permute(
            *range(mask.ndim)[::-1])):
        np.testing.assert_array_equal(tensor.nonzero().numpy(), expected)
    assert cygrad.tensor(mask).count_nonzero().item() == len(expected)


@pytest.mark.parametrize("places, width, count", [(1000, 128, 5000), (7, 64, 3000), (3, 33, 5000), (2, 4000, 100)])
def test_rows_go_to_places(rng, places, width, count):
    table, rows = rng.standard_normal((places, width)), rng.standard_normal((count, width))
    index = rng.integers(0, places, count)
    sums = table.copy()
    np.add.at(sums, index, rows)
    given = [cygrad.tensor(x) for x in (index, rows)]
    np.testing.assert_allclose(cygrad.tensor(table).index_add_(0, *given).numpy(), sums, rtol=1e-12)
    last = table.copy()
    last[index] = rows
    np.testing.assert_array_equal(cygrad.tensor(table).index_copy_(0, *given).numpy(), last)


def test_a_place_outside_leaves_everything(rng):
    table, index = rng.standard_normal((1000, 128)), rng.integers(0, 1000, 5000)
    index[2500] = 1000
    tensor = cygrad.tensor(table)
    with pytest.raises((IndexError, RuntimeError)):
        tensor.index_add_(0, cygrad.tensor(index), cygrad.ones(5000, 128, dtype=cygrad.float64))
    np.testing.assert_array_equal(tensor.numpy(), table)


@pytest.mark.filterwarnings("ignore:Use of index_put_ on expanded tensors")
def test_the_last_write_wins_where_all_places_are_one():
    row = cygrad.zeros(1, 256)
    for _ in range(50):
        index, values = cygrad.arange(8).repeat(64), cygrad.arange(512.0)[:, None] * cygrad.ones(256)
        row.zero_().expand(8, 256).index_put_((index,), values)
        assert (row == 511).all()


@pytest.mark.parametrize("at", [0, 70_000, 150_000, 299_999, None])
def test_any_and_all_of_everything(at):
    mask = cygrad.zeros(300_000, dtype=cygrad.bool)
    if at is not None:
        mask[at] = True
    assert mask.any().item() is (at is not None) and (~mask).all().item() is (at is None)


@pytest.mark.parametrize("shape", [(1000, 100), (3000, 257), (40, 9000)], ids=str)
def test_columns(rng, shape):
    x = rng.standard_normal(shape)
    tensor, e = cygrad.tensor(x), np.exp(x - x.max(0))
    np.testing.assert_allclose(tensor.softmax(0).numpy(), e / e.sum(0), rtol=1e-12)
    np.testing.assert_allclose(tensor.cumsum(0).numpy(), x.cumsum(0), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(tensor.half().sum(0).numpy(), x.astype("f2").astype("f8").sum(0), atol=0.2)
    np.testing.assert_array_equal((tensor > 2.5).any(0).numpy(), (x > 2.5).any(0))


@pytest.mark.parametrize("n", [65_537, 100_000, 131_073, 300_001])
def test_lengths_that_no_block_divides(rng, n):
    x, y = rng.standard_normal((2, n))
    a, b = cygrad.tensor(x), cygrad.tensor(y)
    np.testing.assert_array_equal((a * b).numpy(), x * y)
    np.testing.assert_array_equal(a.addcmul(a, b).numpy(), cygrad.tensor(x[::-1].copy()).addcmul(
        cygrad.tensor(x[::-1].copy()), cygrad.tensor(y[::-1].copy())).numpy()[::-1])
    np.testing.assert_array_equal((a[::2] + b[::2]).numpy(), x[::2] + y[::2])


@pytest.mark.parametrize("n", [1000, 524_287, 524_288, 1_300_001])
def test_variance_of_everything(rng, n):
    x = rng.standard_normal(n) + 1000
    np.testing.assert_allclose(cygrad.tensor(x).var().item(), x.var(ddof=1), rtol=1e-10)
    np.testing.assert_allclose(cygrad.tensor(x.astype("f4")).std().item(), x.std(ddof=1), rtol=1e-4)


@pytest.mark.parametrize("dtype", ["u1", "i1", "i2", "i4", "f4"])
@pytest.mark.parametrize("n", [15, 16, 31, 32, 63, 64, 65, 100, 127, 255, 256, 300])
def test_extremes_of_short_rows(rng, dtype, n):
    x = rng.integers(0, 120, (1200, n)).astype(dtype)
    tensor = cygrad.tensor(x)
    np.testing.assert_array_equal(tensor.amax(1).numpy(), x.max(1))
    np.testing.assert_array_equal(tensor.amin(1).numpy(), x.min(1))
    np.testing.assert_array_equal((tensor > 118).any(1).numpy(), (x > 118).any(1))
