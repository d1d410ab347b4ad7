"""If one of these fails, equal elements of small tensors are in another order than PyTorch leaves them in."""
import cygrad
import numpy as np
import pytest
import torch

DTYPES = ("uint8", "int16", "int64", "float16")
PLACES = {
    "sort": lambda t, k: t.sort()[1],
    "descending": lambda t, k: t.sort(descending=True)[1],
    "stable": lambda t, k: t.sort(stable=True)[1],
    "unstable": lambda t, k: t.sort(stable=False)[1],
    "argsort": lambda t, k: t.argsort(),
    "topk": lambda t, k: t.topk(k)[1],
    "smallest": lambda t, k: t.topk(k, largest=False)[1],
    "kthvalue": lambda t, k: t.kthvalue(k)[1],
    "mode": lambda t, k: t.mode()[1],
    "median": lambda t, k: t.median(-1)[1],
}


@pytest.mark.parametrize("name", PLACES)
def test_equal_elements(rng, name):
    for n in (2, 3, 5, 16, 17, 40, 64, 130, 200, 256):
        for kinds in (1, 2, 7, 60):
            for dtype in DTYPES:
                a = rng.integers(0, kinds, n).astype(dtype)
                k = int(rng.integers(1, n + 1))
                want, got = PLACES[name](torch.from_numpy(a), k), PLACES[name](cygrad.from_numpy(a), k)
                assert got.tolist() == want.tolist(), (n, kinds, dtype, k)


@pytest.mark.parametrize("name", PLACES)
def test_rows_and_columns(rng, name):
    a = rng.integers(0, 5, (3, 20, 4))
    for axes in ((0, 2, 1), (2, 1, 0), (0, 1, 2)):
        view = a.transpose(axes)
        want, got = PLACES[name](torch.from_numpy(view), 3), PLACES[name](cygrad.from_numpy(view), 3)
        assert got.tolist() == want.tolist() and got.stride() == want.stride()


def test_bools():
    a = np.arange(250) % 3 == 0
    assert cygrad.from_numpy(a).argsort().tolist() == torch.from_numpy(a).argsort().tolist()


def test_integers_that_no_double_holds():
    a = np.array([2**62 + 1, 2**62, 2**62 + 1, 2**62])
    assert cygrad.from_numpy(a).topk(2).values.tolist() == [2**62 + 1] * 2
    assert sorted(cygrad.from_numpy(a).topk(2).indices.tolist()) == [0, 2]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", sorted(set(PLACES) - {"mode"}))
def test_nan_and_infinity_beside_others(rng, name, dtype):
    for n in (2, 3, 5, 16, 17, 32):
        for _ in range(8):
            a = rng.choice([np.nan, 0, 1, 2, np.inf, -np.inf], n).astype(dtype)
            k = int(rng.integers(1, n + 1))
            want, got = PLACES[name](torch.from_numpy(a), k), PLACES[name](cygrad.from_numpy(a), k)
            assert got.tolist() == want.tolist(), (a, k)
