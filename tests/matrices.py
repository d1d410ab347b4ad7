"""Matrices for tests, random but the same in every run, and how close to NumPy's results ours have to be."""
import cygrad
import numpy as np
import pytest


def plain(values):
    if isinstance(values, cygrad.Tensor):
        return np.array(values.detach().tolist()).reshape(tuple(values.shape))
    return values


def close(got, wanted, dtype="float64"):
    got, wanted = plain(got), plain(wanted)
    assert np.shape(got) == np.shape(wanted)
    eps = 1e-4 if dtype in ("float32", "complex64") else 1e-10
    np.testing.assert_allclose(got, wanted, rtol=eps, atol=eps)


def array(shape, dtype="float64", shift=0.0):
    """Random numbers, plus `shift` on the diagonal."""
    rng = np.random.default_rng(sum(shape) + 7 * len(shape))
    values = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.standard_normal(shape)
    return values + shift * np.eye(*shape[-2:]) if shift else values


def tensor(values, dtype="float64"):
    return cygrad.tensor(np.asarray(values).tolist(), dtype=getattr(cygrad, dtype)).reshape(np.shape(values))


def matrix(shape, dtype="float64", shift=0.0):
    return tensor(array(shape, dtype, shift), dtype)


def positive(shape, dtype="float64"):
    a = array(shape, dtype)
    return tensor(a @ a.conj().swapaxes(-1, -2) + 3 * np.eye(shape[-1]), dtype)


def identity(n, like):
    return cygrad.eye(n, dtype=like.dtype).expand(*like.shape[:-2], n, n)


def message(function, *args, **kwargs):
    with pytest.raises((RuntimeError, TypeError, NotImplementedError, IndexError)) as caught:
        function(*args, **kwargs)
    return f"{caught.type.__name__}: {caught.value}"
