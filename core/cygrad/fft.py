"""`cygrad.fft`: discrete Fourier transforms, under PyTorch's names.

Every function takes real or complex floats of 32 or 64 bits a part, and integers, which become floats of the default
dtype. `norm` says what the sums are divided by: "backward" (the default) divides those of the inverse transforms by the
number of points, "forward" those of the others, "ortho" both by its root.
"""
import math as _math

import cygrad as _cygrad
from cygrad.ops.declare.out_arguments import write_out as _write_out
from cygrad.ops.declare.primitives import own as _own
from cygrad.ops.declare.op_forms import public as _public
from cygrad.ops.fourier import discrete_transforms as _transforms

_ONE_AXIS = """

Parameters
----------
input : Tensor
    Of {takes} numbers.
n : int, optional
    {points} It is cut, or filled up with zeros, to fit.
dim : int
    The axis.
norm : {{"backward", "ortho", "forward"}}, optional
    What the sums are divided by.
out : Tensor, optional
    Written to; {gives}.

Returns
-------
Tensor
    {shape}

Raises
------
RuntimeError
    If there is no point to transform, or the dtype has 16 bits.
"""
_SEVERAL_AXES = """

Parameters
----------
input : Tensor
    Of {takes} numbers.
s : tuple of int, optional
    Sizes along the axes, -1 for the input's. {points} It is cut, or filled up with zeros, to fit.
dim : tuple of int{default}
    The axes; they differ.
norm : {{"backward", "ortho", "forward"}}, optional
    What the sums are divided by.
out : Tensor, optional
    Written to; {gives}.

Returns
-------
Tensor
    {shape}

Raises
------
RuntimeError
    If there is no point to transform, an axis occurs twice, or the dtype has 16 bits.
"""
# A transform's kind: what it takes, what its sizes are, what it gives, and of which shape.
_WHOLE = {"takes": "real or complex", "points": "How many points are transformed.", "gives": "complex",
          "shape": "Complex, of the input's shape but for the sizes given."}
_TO_HALF = {"takes": "real", "points": "How many points are transformed.", "gives": "complex",
            "shape": "Complex; n // 2 + 1 places along the (last) axis, the others being their conjugates."}
_FROM_HALF = {"takes": "real or complex", "points": "How many points come out, an even number by default.",
              "gives": "real", "shape": "Real; by default 2 * (m - 1) places along the (last) axis, of which the input "
                                        "has m."}
# What they make of `_POINTS`: three along one axis, and 2 x 2 ones along two.
_POINTS = {"": "cygrad.tensor([4., 2., 0.])", "2": "cygrad.ones(2, 2)", "n": "cygrad.ones(2, 2)"}
_SHOWN = {
    "fft": ("tensor([6.+0.0000j, 3.-1.7321j, 3.+1.7321j])", "4.+0.j, 0.+0.j", "0.+0.j, 0.+0.j"),
    "ifft": ("tensor([2.-0.0000j, 1.+0.5774j, 1.-0.5774j])", "1.+0.j, 0.+0.j", "0.+0.j, 0.+0.j"),
    "rfft": ("tensor([6.+0.0000j, 3.-1.7321j])", "4.+0.j, 0.+0.j", "0.+0.j, 0.+0.j"),
    "irfft": ("tensor([2., 1., 0., 1.])", "1., 0.", "0., 0."),
    "hfft": ("tensor([8., 4., 0., 4.])", "4., 0.", "0., 0."),
    "ihfft": ("tensor([2.-0.0000j, 1.+0.5774j])", "1.-0.j, 0.-0.j", "0.+0.j, 0.+0.j"),
}
_KINDS = {
    "fft": ("The Fourier transform of real or complex points.", _WHOLE),
    "ifft": ("The inverse of `fft`.", _WHOLE),
    "rfft": ("The first half of the Fourier transform of real points.", _TO_HALF),
    "irfft": ("The inverse of `rfft`: real points from the first half of their transform.", _FROM_HALF),
    "hfft": ("The real Fourier transform of points whose first half is given (the others are their conjugates).",
             _FROM_HALF),
    "ihfft": ("The inverse of `hfft`.", _TO_HALF),
}

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]


def _over_two(name):
    """The form of an n-dimensional transform whose axes are the last two by default."""
    function = getattr(_transforms, name)

    def over_two(input, s=None, dim=(-2, -1), norm=None, *, out=None):
        return function(input, s, dim, norm, out=out)
    return over_two


def _add(name, function, doc):
    function.__doc__ = doc
    function.__name__ = function.__qualname__ = name
    function.__module__ = "cygrad.fft"
    globals()[name] = _public("fft_" + name, function)
    __all__.append(name)


for _name, (_what, _kind) in _KINDS.items():
    for _form, _text, _default in (("", _ONE_AXIS, ""), ("2", _SEVERAL_AXES, ""), ("n", _SEVERAL_AXES, ", optional")):
        _each = _name + _form
        _words = {"": "along one axis", "2": "over the last two axes, or others", "n": "over several axes, or all"}
        _doc = f"{_what[:-1]}, {_words[_form]}." + _text.format(default=_default, **_kind)
        _one, *_rows = _SHOWN[_name]
        _one = "tensor([[{}],\n        [{}]])".format(*_rows) if _form else _one
        _doc += f"\nExamples\n--------\n>>> import cygrad\n>>> cygrad.fft.{_each}({_POINTS[_form]})\n{_one}\n"
        _add(_each, _over_two(_name + "n") if _form == "2" else getattr(_transforms, _each), _doc)


def fftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The frequencies of `fft`'s results, in cycles per unit: 0, 1, ..., -2, -1 over n * d.

    Parameters
    ----------
    n : int
        How many points are transformed.
    d : float
        The distance of two points.
    out : Tensor, optional
        Written to; of n elements.
    dtype, device, requires_grad
        Of the result.

    Returns
    -------
    Tensor
        (n,), of a floating-point dtype.

    Examples
    --------
    >>> cygrad.fft.fftfreq(5)
    tensor([ 0.0000,  0.2000,  0.4000, -0.4000, -0.2000])
    """
    places = _places("fftfreq", n, dtype if out is None else dtype or out.dtype, device, pin_memory)
    places[(n + 1) // 2:] -= n
    return _frequencies("fft_fftfreq", places, n, d, out, requires_grad)


def rfftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The frequencies of `rfft`'s results, in cycles per unit: 0, 1, ..., n // 2 over n * d.

    Parameters
    ----------
    n : int
        How many points are transformed.
    d : float
        The distance of two points.
    out : Tensor, optional
        Written to; of n // 2 + 1 elements.
    dtype, device, requires_grad
        Of the result.

    Returns
    -------
    Tensor
        (n // 2 + 1,), of a floating-point dtype.

    Examples
    --------
    >>> cygrad.fft.rfftfreq(5)
    tensor([0.0000, 0.2000, 0.4000])
    """
    count = (n if n > 0 else n + 1) // 2 + 1            # division as in C: towards 0
    places = _places("rfftfreq", count, dtype if out is None else dtype or out.dtype, device, pin_memory)
    return _frequencies("fft_rfftfreq", places, n, d, out, requires_grad)


def _places(name, count, dtype, device, pin_memory):
    """0, 1, ..., count - 1."""
    kind = dtype or _cygrad.get_default_dtype()
    if not (kind.is_floating_point or kind.is_complex):
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    return _cygrad.arange(count, dtype=kind, device=device, pin_memory=pin_memory)


def _frequencies(name, places, n, d, out, requires_grad):
    found = places.mul_(1.0 / (n * d) if n * d else _math.inf)
    if out is not None:
        if out.numel() == found.numel() and not out.requires_grad:
            found = found.reshape(out.shape)
        elif found.dtype is out.dtype and not out.requires_grad:
            _cygrad.arange(found.numel(), out=out).data.copy_(found)        # resized, and told of, as `arange` does it
            return out.requires_grad_(requires_grad)
        found = _write_out(name, found, out)
        return found.requires_grad_() if requires_grad else found
    found = _own(found, ())
    found.requires_grad = bool(requires_grad)
    return found


def fftshift(input, dim=None):
    """Put the frequency 0 in the middle: each axis is turned by half of its size.

    Parameters
    ----------
    input : Tensor
        In the order of `fft`'s results.
    dim : int or tuple of int, optional
        The axes; all by default.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> cygrad.fft.fftshift(cygrad.fft.fftfreq(4))
    tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    return _turned(input, dim, lambda size: size // 2)


def ifftshift(input, dim=None):
    """The inverse of `fftshift`.

    Parameters
    ----------
    input : Tensor
        With the frequency 0 in the middle.
    dim : int or tuple of int, optional
        The axes; all by default.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> cygrad.fft.ifftshift(cygrad.tensor([-2, -1, 0, 1, 2]))
    tensor([ 0,  1,  2, -2, -1])
    """
    return _turned(input, dim, lambda size: (size + 1) // 2)


def _turned(input, dim, steps):
    dims = range(input.dim()) if dim is None else (dim,) if isinstance(dim, int) else dim
    dims = list(dims)
    return input.roll([steps(input.shape[d]) for d in dims], dims)


for _name in ("fftfreq", "rfftfreq", "fftshift", "ifftshift"):
    globals()[_name] = _public("fft_" + _name, globals()[_name])
