"""Window functions under PyTorch's names: M points, symmetric, or (`sym=False`) one period of a periodic window.

Formulas: Harris, Proc. IEEE 66 (1978); Nuttall, IEEE Trans. ASSP 29 (1981). n counts points from 0, and P is M - 1 for
a symmetric window and M for a periodic one.
"""
import collections.abc as _abc
import functools as _functools
import inspect as _inspect
import math as _math
import operator as _operator

import cygrad as _cygrad

__all__ = ["bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming",
           "hann", "kaiser", "nuttall"]
_COMMON = """
    sym : bool
        Symmetric, for filters; otherwise periodic, for spectra.
    dtype : dtype, optional
        float32 or float64; the default dtype otherwise.
    device, requires_grad
        Of the result.

    Returns
    -------
    Tensor
        (M,).

    Raises
    ------
    ValueError
        If M is negative, or the dtype another one."""


def _keywords(M, *, sym=True, dtype=None, layout=_cygrad.strided, device=None, requires_grad=False):
    """What every window takes."""


def _window(formula):
    """A window of a formula that gets M, P and the window's own words, and ``line(start, end)`` for its M points."""
    @_functools.wraps(formula)
    def window(M, *args, sym=True, dtype=None, layout=_cygrad.strided, device=None, requires_grad=False, **words):
        name = formula.__name__ if formula.__name__ not in _COSINES else "general_cosine"
        dtype = dtype or _cygrad.get_default_dtype()
        if M < 0:
            raise ValueError(f"{name} requires non-negative window length, got M={M}")
        if layout is not _cygrad.strided:
            raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
        if dtype not in (_cygrad.float32, _cygrad.float64):
            raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
        if args:
            raise TypeError(f"{formula.__name__}() takes 1 positional argument but {1 + len(args)} were given")
        M = _operator.index(M)
        points = M - 1 if sym or M == 1 else M
        make = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
        found = formula(_functools.partial(_cygrad.linspace, steps=M, **make), M, points, sym, **words)
        return found if M > (formula.__name__ not in _OF_ONE) else _cygrad.ones(M, **make)
    shown, rest = (_inspect.signature(each).parameters for each in (formula, _keywords))
    own = [p for name, p in shown.items() if p.kind is p.KEYWORD_ONLY]
    window.__signature__ = _inspect.Signature([*rest.values()][:1] + own + [*rest.values()][1:])
    window.__doc__ = formula.__doc__.replace("COMMON", _COMMON.strip())
    return window


_COSINES = ("hamming", "hann", "nuttall", "general_hamming")
_OF_ONE = ("cosine", "exponential", "gaussian")       # whose formula gives a window of one point, too


@_window
def bartlett(line, M, P, sym):
    """A triangle from 0 to 1 and back: 1 - \\|2 n / P - 1\\|.

    Parameters
    ----------
    M : int
        How many points.
    COMMON

    Examples
    --------
    >>> import cygrad
    >>> cygrad.signal.windows.bartlett(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return 1 - line(-1, (M - 1) * (2 / max(P, 1)) - 1).abs()


def _cosines(line, M, P, a):
    """The sum of (-1) ** i a[i] cos(2 pi i n / P)."""
    angles = line(0, (M - 1) * (2 * _math.pi / max(P, 1)))
    make = {"dtype": angles.dtype, "device": angles.device, "requires_grad": angles.requires_grad}
    weights = _cygrad.tensor([(-1) ** i * weight for i, weight in enumerate(a)], **make)
    numbers = _cygrad.arange(len(weights), **make)
    return (weights.unsqueeze(-1) * (numbers.unsqueeze(-1) * angles).cos()).sum(0)


@_window
def blackman(line, M, P, sym):
    """0.42 - 0.5 cos(2 pi n / P) + 0.08 cos(4 pi n / P).

    Parameters
    ----------
    M : int
        How many points.
    COMMON

    Examples
    --------
    >>> import cygrad
    >>> cygrad.signal.windows.blackman(5)
    tensor([-1.4901e-08,  3.4000e-01,  1.0000e+00,  3.4000e-01, -1.4901e-08])
    """
    return _cosines(line, M, P, (0.42, 0.5, 0.08))


@_window
def cosine(line, M, P, sym):
    """Half a period of a sine: sin(pi (n + 1 / 2) / (P + 1)).

    Parameters
    ----------
    M : int
        How many points.
    COMMON

    Examples
    --------
    >>> import cygrad
    >>> cygrad.signal.windows.cosine(5)
    tensor([0.3090, 0.8090, 1.0000, 0.8090, 0.3090])
    """
    step = _math.pi / max(P + 1, 1)
    return line(0.5 * step, (0.5 + (M - 1)) * step).sin()


@_window
def exponential(line, M, P, sym, *, center=None, tau=1.0):
    """exp(-\\|n - center\\| / tau).

    Parameters
    ----------
    M : int
        How many points.
    center : float, optional
        The place of the largest value, P / 2; only periodic windows may have another.
    tau : float
        How fast it decays.
    COMMON

    Examples
    --------
    >>> import cygrad
    >>> cygrad.signal.windows.exponential(5)
    tensor([0.1353, 0.3679, 1.0000, 0.3679, 0.1353])
    """
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    center = P / 2 if center is None else center
    return (-line(-center * (1 / tau), (-center + (M - 1)) * (1 / tau)).abs()).exp()


@_window
def gaussian(line, M, P, sym, *, std=1.0):
    """exp(-((n - P / 2) / std) ** 2 / 2).

    Parameters
    ----------
    M : int
        How many points.
    std : float
        The standard deviation.
    COMMON

    Examples
    --------
    >>> import cygrad
    >>> cygrad.signal.windows.gaussian(5)
    tensor([0.1353, 0.6065, 1.0000, 0.6065, 0.1353])
    """
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    step = 1 / (std * _math.sqrt(2))
    return (-line(-P / 2 * step, (-P / 2 + (M - 1)) * step) ** 2).exp()


@_window
def general_cosine(line, M, P, sym, *, a):
    """The sum of (-1) ** i a[i] cos(2 pi i n / P).

    Parameters
    ----------
    M : int
        How many points.
    a : sequence of float
        The weights.
    COMMON

    Examples
    --------
    >>> import cygrad
    >>> cygrad.signal.windows.general_cosine(5, a=[0.5, 0.5])
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    if M > 1 and not isinstance(a, _abc.Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if M > 1 and not a:
        raise ValueError("Coefficients cannot be empty")
    return _cosines(line, M, P, a if M > 1 else ())


@_window
def general_hamming(line, M, P, sym, *, alpha=0.54):
    """alpha - (1 - alpha) cos(2 pi n / P).

    Parameters
    ----------
    M : int
        How many points.
    alpha : float
        The mean.
    COMMON

    Examples
    --------
    >>> import cygrad
    >>> cygrad.signal.windows.general_hamming(5, alpha=0.5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return _cosines(line, M, P, (alpha, 1 - alpha))


@_window
def hamming(line, M, P, sym):
    """0.54 - 0.46 cos(2 pi n / P).

    Parameters
    ----------
    M : int
        How many points.
    COMMON

    Examples
    --------
    >>> import cygrad
    >>> cygrad.signal.windows.hamming(5)
    tensor([0.0800, 0.5400, 1.0000, 0.5400, 0.0800])
    """
    return _cosines(line, M, P, (0.54, 0.46))


@_window
def hann(line, M, P, sym):
    """(1 - cos(2 pi n / P)) / 2.

    Parameters
    ----------
    M : int
        How many points.
    COMMON

    Examples
    --------
    >>> import cygrad
    >>> cygrad.signal.windows.hann(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return _cosines(line, M, P, (0.5, 0.5))


@_window
def kaiser(line, M, P, sym, *, beta=12.0):
    """i0(beta sqrt(1 - (2 n / P - 1) ** 2)) / i0(beta), of which most lies in the main lobe.

    Parameters
    ----------
    M : int
        How many points.
    beta : float
        How narrow the window is.
    COMMON

    Examples
    --------
    >>> import cygrad
    >>> cygrad.signal.windows.kaiser(5)
    tensor([5.2773e-05, 2.1567e-01, 1.0000e+00, 2.1567e-01, 5.2773e-05])
    """
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    beta = _cygrad.tensor(beta, dtype=line.keywords["dtype"], device=line.keywords["device"])
    end = _cygrad.minimum(beta, -beta + (M - 1) * (2.0 * beta / max(P, 1)))
    return _cygrad.i0((beta * beta - line(-beta, end).pow(2)).sqrt()) / _cygrad.i0(beta)


@_window
def nuttall(line, M, P, sym):
    """Nuttall's minimum of four terms: 0.3635819, 0.4891775, 0.1365995, 0.0106411.

    Parameters
    ----------
    M : int
        How many points.
    COMMON

    Examples
    --------
    >>> import cygrad
    >>> cygrad.signal.windows.nuttall(5)
    tensor([3.6280e-04, 2.2698e-01, 1.0000e+00, 2.2698e-01, 3.6280e-04])
    """
    return _cosines(line, M, P, (0.3635819, 0.4891775, 0.1365995, 0.0106411))
