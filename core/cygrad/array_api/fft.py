"""The extension `fft`: discrete Fourier transforms, along one axis or several."""
from cygrad import fft as _fft
from cygrad.array_api.documented import documented

# name: what it gives, what it takes, what it gives for ones
_TRANSFORMS = {
    "fft": ("The discrete Fourier transform", "Complex or real", "Array([4.+0.j, 0.+0.j, 0.+0.j, 0.-0.j])"),
    "ifft": ("The inverse of `fft`", "Complex or real", "Array([1.-0.j, 0.-0.j, 0.-0.j, 0.+0.j])"),
    "fftn": ("The discrete Fourier transform along several axes", "Complex or real",
             "Array([4.+0.j, 0.+0.j, 0.+0.j, 0.+0.j])"),
    "ifftn": ("The inverse of `fftn`", "Complex or real", "Array([1.+0.j, 0.+0.j, 0.+0.j, 0.+0.j])"),
    "rfft": ("The half of `fft` that is not the conjugate of the other", "Real", "Array([4.+0.j, 0.+0.j, 0.+0.j])"),
    "irfft": ("The inverse of `rfft`", "Complex", "Array([1., 0., 0., 0., 0., 0.])"),
    "rfftn": ("The half of `fftn` that is not the conjugate of the other", "Real", "Array([4.+0.j, 0.+0.j, 0.+0.j])"),
    "irfftn": ("The inverse of `rfftn`", "Complex", "Array([1., 0., 0., 0., 0., 0.])"),
    "hfft": ("The transform of an array whose other half is its conjugate, which is real", "Complex",
             "Array([6., 0., 0., 0., 0., 0.])"),
    "ihfft": ("The inverse of `hfft`", "Real", "Array([1.-0.j, 0.-0.j, 0.-0.j])"),
}
__all__ = [*_TRANSFORMS, "fftfreq", "fftshift", "ifftshift", "rfftfreq"]
_DOC = """{what}.

Parameters
----------
x : Tensor
    {takes} floats.
{sizes}
norm : {{"backward", "ortho", "forward"}}, optional
    What is divided by the number of points: the inverse, both by its root, or the other.

Returns
-------
Tensor
    {gives}

Examples
--------
>>> from cygrad import array_api as xp
>>> xp.fft.{name}(xp.ones(4{dtype}))
{shown}
"""
_ONE = """n : int, optional
    How many points there are in time; x is cut off or filled up with zeros.
axis : int, optional
    Along which."""
_SEVERAL = """s : sequence of int, optional
    How many points there are in time along each axis; x is cut off or filled up with zeros.
axes : sequence of int, optional
    Along which; all by default, or the last ones if `s` is given."""


def _described(name, function):
    what, takes, shown = _TRANSFORMS[name]
    return documented(function, name, _DOC.format(
        name=name, what=what, takes=takes, sizes=_SEVERAL if name.endswith("n") else _ONE, shown=shown,
        gives="Real." if name in ("irfft", "irfftn", "hfft") else "Complex.",
        dtype=", dtype=xp.complex64" if takes == "Complex" else ""))


def _along_one(name):
    op = getattr(_fft, name)

    def function(x, /, *, n=None, axis=-1, norm="backward"):
        return op(x, n, axis, norm).resolve_conj()      # NumPy and others get at the memory of any array
    return _described(name, function)


def _along_several(name):
    op = getattr(_fft, name)

    def function(x, /, *, s=None, axes=None, norm="backward"):
        return op(x, s, axes, norm).resolve_conj()
    return _described(name, function)


for _name in _TRANSFORMS:
    globals()[_name] = (_along_several if _name.endswith("n") else _along_one)(_name)


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of `fft`'s results, in the order in which they come.

    Parameters
    ----------
    n : int
        How many points.
    d : float, optional
        From one point to the next.
    dtype : dtype, optional
        The default floating-point dtype by default.
    device : device or str, optional
        Where the array is.

    Returns
    -------
    Tensor
        Of shape (n,).

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.fft.fftfreq(4)
    Array([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    return _fft.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of `rfft`'s results.

    Parameters
    ----------
    n : int
        How many points there are in time.
    d : float, optional
        From one point to the next.
    dtype : dtype, optional
        The default floating-point dtype by default.
    device : device or str, optional
        Where the array is.

    Returns
    -------
    Tensor
        Of shape (n // 2 + 1,).

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.fft.rfftfreq(4)
    Array([0.0000, 0.2500, 0.5000])
    """
    return _fft.rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(x, /, *, axes=None):
    """The results of `fft` with frequency 0 in the middle.

    Parameters
    ----------
    x : Tensor
        Of any shape.
    axes : int or sequence of int, optional
        Along which; all by default.

    Returns
    -------
    Tensor
        Of x's shape.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.fft.fftshift(xp.asarray([0, 1, -2, -1]))
    Array([-2, -1,  0,  1])
    """
    return _fft.fftshift(x, axes)


def ifftshift(x, /, *, axes=None):
    """The inverse of `fftshift`.

    Parameters
    ----------
    x : Tensor
        Of any shape.
    axes : int or sequence of int, optional
        Along which; all by default.

    Returns
    -------
    Tensor
        Of x's shape.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.fft.ifftshift(xp.asarray([-2, -1, 0, 1]))
    Array([ 0,  1, -2, -1])
    """
    return _fft.ifftshift(x, axes)
