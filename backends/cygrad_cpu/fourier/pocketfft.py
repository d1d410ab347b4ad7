"""Fourier transforms by NumPy's pocketfft, which reads and writes tensors where they lie.

NumPy 2 has a ufunc for each transform, which fills an array that it is given. What `numpy.fft` puts around them takes
longer than 64 points do, and gives them the factor as an int: its conversion sends all rows through a buffer, and
float32 takes 2 to 10 times as long. So the ufuncs are called themselves where they are found; NumPy 1 computes in
float64 and makes an array of its own, which is then converted.
"""
import math
from functools import lru_cache

import numpy as np

from cygrad.ops.create.arrays import to_numpy
from cygrad.tensor import as_tensor_view

try:
    from numpy.fft import _pocketfft_umath as ufuncs    # optional dependency: NumPy 1 has no ufuncs for them
except ImportError:
    ufuncs = None
FILLS_OUT = int(np.__version__.split(".")[0]) >= 2
# What NumPy calls a factor: "backward" scales the inverse transform, "forward" the other one.
NORMS = {("none", False): "backward", ("none", True): "forward", ("root", False): "ortho", ("root", True): "ortho",
         ("count", False): "forward", ("count", True): "backward"}


def fourier(a, out, axes, inverse, norm):
    """The entry `fft` of the contract."""
    if a.dtype.itemsize < 4 or out.dtype.itemsize < 4:
        return NotImplemented
    source, target = to_numpy(as_tensor_view(a), False), to_numpy(as_tensor_view(out), False)
    last = axes[-1]
    along = "ifft" if inverse else "fft"
    if not out.dtype.is_complex:
        for axis in axes[:-1]:
            made = np.empty(source.shape, source.dtype)
            write("ifft", source, made, source.shape[axis], axis, norm)
            source = made
        write("irfft", source, target, target.shape[last], last, norm)
        return None
    write(along if a.dtype.is_complex else "rfft", source, target, source.shape[last], last, norm)
    for axis in axes[:-1]:
        write(along, target, target, target.shape[axis], axis, norm)


def write(name, source, target, size, axis, norm):
    """A transform of `size` points along one axis into `target`, which may be the source."""
    if ufuncs is None:
        return write_by_name(name, source, target, size, axis, norm)
    if name == "rfft":
        name = "rfft_n_odd" if size % 2 else "rfft_n_even"
    factor = factor_of(source.dtype.char, size, norm)
    if axis == source.ndim - 1:
        getattr(ufuncs, name)(source, factor, target)
    else:
        getattr(ufuncs, name)(source, factor, target, axes=[(axis,), (), (axis,)])


@lru_cache(256)
def factor_of(kind, size, norm):
    """What a transform is multiplied with, as a number of NumPy."""
    real = np.float32 if kind in "fF" else np.float64
    return real(1 if norm == "none" else 1 / size if norm == "count" else 1 / math.sqrt(size))


def write_by_name(name, source, target, size, axis, norm):
    """The same by NumPy's public functions."""
    scale = NORMS[norm, name in ("ifft", "irfft")]
    if FILLS_OUT:
        getattr(np.fft, name)(source, size, axis, scale, target)
    else:
        target[...] = getattr(np.fft, name)(source, size, axis, scale)
