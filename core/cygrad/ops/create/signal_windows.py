"""Window functions of signal processing: `hann_window` and its kin, by PyTorch's formulas and order of rounding."""
import math

import cygrad
from cygrad.autograd.forward_levels import requiring_gradient
from cygrad.dtype import get_default_dtype
from cygrad.ops.declare.operand_types import refused
from cygrad.ops.create.placing import pinned
from cygrad.ops.declare.primitives import own
from cygrad.ops.declare.op_forms import op


def _window(name, length, periodic, dtype, device, requires_grad, pin_memory, formula):
    """`formula(n, positions)` of `length` points; a periodic window is the symmetric one of a point more without it."""
    dtype = dtype or get_default_dtype()
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype.name}")
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    if length <= 1:
        return cygrad.ones(length, dtype=dtype, device=device, requires_grad=requires_grad, pin_memory=pin_memory)
    if dtype.is_complex:
        raise refused("arange_cpu", dtype)
    points = length + 1 if periodic else length
    out = formula(points, cygrad.arange(points, dtype=dtype, device=device))
    out = out.narrow(0, 0, length) if periodic else out
    out = own(pinned(out) if pin_memory else out, ())
    return requiring_gradient(out, requires_grad) if requires_grad else out


@op(method=False)
def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, layout=None, device=None,
                   pin_memory=False, requires_grad=False):
    """alpha - beta cos(2 pi n / (N - 1)).

    Parameters
    ----------
    window_length : int
        The size of the window.
    periodic : bool
        Whether the window is meant to be repeated, as a filter of a Fourier transform is: N is then one more than its
        size.
    alpha, beta : float
        The constants of the formula.

    Returns
    -------
    Tensor
        One axis of `window_length` elements.

    Examples
    --------
    >>> cygrad.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
    return _window("hamming_window", window_length, periodic, dtype, device, requires_grad, pin_memory,
                   lambda n, x: x.mul_(math.pi * 2 / (n - 1)).cos_().mul_(-beta).add_(alpha))


@op(method=False)
def hann_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False,
                requires_grad=False):
    """(1 - cos(2 pi n / (N - 1))) / 2.

    Parameters
    ----------
    window_length : int
        The size of the window.
    periodic : bool
        As for `hamming_window`.

    Returns
    -------
    Tensor
        One axis of `window_length` elements.

    Examples
    --------
    >>> cygrad.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _window("hann_window", window_length, periodic, dtype, device, requires_grad, pin_memory,
                   lambda n, x: x.mul_(math.pi * 2 / (n - 1)).cos_().mul_(-0.5).add_(0.5))


@op(method=False)
def blackman_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False,
                    requires_grad=False):
    """0.42 - 0.5 cos(2 pi n / (N - 1)) + 0.08 cos(4 pi n / (N - 1)).

    Parameters
    ----------
    window_length : int
        The size of the window.
    periodic : bool
        As for `hamming_window`.

    Returns
    -------
    Tensor
        One axis of `window_length` elements.

    Examples
    --------
    >>> cygrad.blackman_window(4)[1:]
    tensor([0.3400, 1.0000, 0.3400])
    """
    def formula(n, x):
        x.mul_(math.pi / (n - 1))
        return x.mul(4).cos_().mul_(0.08) - x.mul(2).cos_().mul_(0.5) + 0.42
    return _window("blackman_window", window_length, periodic, dtype, device, requires_grad, pin_memory, formula)


@op(method=False)
def bartlett_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False,
                    requires_grad=False):
    """A triangle from 0 to 1 and back.

    Parameters
    ----------
    window_length : int
        The size of the window.
    periodic : bool
        As for `hamming_window`.

    Returns
    -------
    Tensor
        One axis of `window_length` elements.

    Examples
    --------
    >>> cygrad.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    def formula(n, x):
        x.mul_(2 / (n - 1))
        first = ((n - 1) >> 1) + 1
        x.narrow(0, first, n - first).mul_(-1).add_(2)
        return x
    return _window("bartlett_window", window_length, periodic, dtype, device, requires_grad, pin_memory, formula)


@op(method=False)
def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None, layout=None, device=None, pin_memory=False,
                  requires_grad=False):
    """i0(beta sqrt(1 - (2 n / (N - 1) - 1) ** 2)) / i0(beta).

    Parameters
    ----------
    window_length : int
    periodic : bool
        Whether the window is meant to be repeated.
    beta : float
        How narrow it is.

    Returns
    -------
    Tensor
        (window_length,)

    Examples
    --------
    >>> cygrad.kaiser_window(5, False, 3.0)
    tensor([0.2049, 0.7269, 1.0000, 0.7269, 0.2049])
    """
    def formula(n, x):
        root = x.mul_(2 / (n - 1)).sub_(1).square_().neg_().add_(1).clamp_(min=0).sqrt_()
        return cygrad.i0(root.mul_(beta)) / cygrad.i0(cygrad.tensor(float(beta), dtype=x.dtype, device=x.device))
    return _window("kaiser_window", window_length, periodic, dtype, device, requires_grad, pin_memory, formula)
