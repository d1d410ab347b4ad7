"""NumPy's arrays for kernels: as tensors, compared, spread over exponents."""
import cygrad
import numpy as np


def tensor(array):
    return cygrad.from_numpy(np.ascontiguousarray(array))


def same(ours, want):
    """Equal element by element and in dtype; NaN equals NaN."""
    ours = ours.numpy()
    assert ours.dtype == want.dtype
    np.testing.assert_array_equal(ours, want)


def spread(rng, low, high, count=4000):
    """Numbers of both signs whose exponents (of 2) are spread evenly."""
    return 2.0 ** rng.uniform(low, high, count) * rng.choice([-1, 1], count)
