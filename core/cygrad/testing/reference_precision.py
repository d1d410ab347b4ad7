"""The precision in which the reference computes."""
import numpy as np


def wide(x):
    """Floats in NumPy's widest type; everything else as it is."""
    x = np.asarray(x)
    if x.dtype.kind == "f":
        return x.astype(np.longdouble)
    return x.astype(np.clongdouble) if x.dtype.kind == "c" else x


def exact(x):
    """Floats in a type in which one +, -, *, / or sqrt, rounded to x's, is as if it were rounded once."""
    return x.astype("float64") if x.dtype.kind == "f" else wide(x)


def quietly(function):
    """Without NumPy's warnings about infinities and NaN."""
    def call(*args, **options):
        with np.errstate(all="ignore"):
            return function(*args, **options)
    return call


def wider(x):
    """A type wide enough for a long sum of x's elements, with products of which BLAS knows."""
    return {"f": "float64", "c": "complex128"}[x.dtype.kind] if x.itemsize < 8 or (
        x.dtype == "complex64") else wide(x).dtype
