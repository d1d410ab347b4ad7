"""Fourier transforms by NumPy's pocketfft, which reads and writes tensors where they lie.

NumPy 2 transforms float32 as such and fills an array that it is given; NumPy 1 computes in float64 and makes an array
of its own, which is then converted.
"""
import numpy as np

from cygrad.tensor import as_tensor_view

FILLS_OUT = int(np.__version__.split(".")[0]) >= 2
# What NumPy calls a factor: "backward" scales the inverse transform, "forward" the other one.
NORMS = {("none", False): "backward", ("none", True): "forward", ("root", False): "ortho", ("root", True): "ortho",
         ("count", False): "forward", ("count", True): "backward"}


def fourier(a, out, axes, inverse, norm):
    """The entry `fft` of the contract."""
    if a.dtype.itemsize < 4 or out.dtype.itemsize < 4:
        return NotImplemented
    source, target = as_tensor_view(a).numpy(), as_tensor_view(out).numpy()
    *others, last = axes
    inverse = inverse or not out.dtype.is_complex
    scale = NORMS[norm, inverse]
    along = np.fft.ifft if inverse else np.fft.fft
    if not out.dtype.is_complex:
        for axis in others:
            source = along(source, None, axis, scale)
        write(np.fft.irfft, source, target, target.shape[last], last, scale)
        return None
    write(along if a.dtype.is_complex else np.fft.rfft, source, target, None, last, scale)
    for axis in others:
        write(along, target, target, None, axis, scale)


def write(transform, source, target, size, axis, scale):
    """A transform along one axis into `target`, which may be the source."""
    if FILLS_OUT:
        transform(source, size, axis, scale, target)
    else:
        target[...] = transform(source, size, axis, scale)
