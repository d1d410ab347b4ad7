"""Numbers as traced programs write them: `sym_int` and its kind, and checks that a tracer could reason about.

Nothing is traced here, so that numbers are Python's, and no number is an instance of `SymInt`.
"""
import math
import warnings

import cygrad

_UNSAID = ("Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
           "enhancement request to PyTorch.)")


class _Traced:
    """A number of a traced program, of which there are none."""

    def __new__(cls, *args, **kwargs):
        raise TypeError(f"there are no instances of {cls.__name__}: nothing is traced here")


class SymInt(_Traced):
    """An int of a traced program; no number here is one."""


class SymFloat(_Traced):
    """A float of a traced program; no number here is one."""


class SymBool(_Traced):
    """A bool of a traced program; no value here is one."""


# ------------------------------------------------------------------------------------ numbers

def sym_int(a):
    """A number without what is behind its point: ``int(a)``.

    Parameters
    ----------
    a : number

    Returns
    -------
    int

    Examples
    --------
    >>> import cygrad
    >>> cygrad.sym_int(-2.7)
    -2
    """
    return math.trunc(a) if isinstance(a, float) else int(a)


def sym_float(a):
    """``float(a)``.

    Parameters
    ----------
    a : number

    Returns
    -------
    float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.sym_float(3)
    3.0
    """
    return float(a)


def sym_not(a):
    """``not a``.

    Parameters
    ----------
    a : object

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.sym_not(True)
    False
    """
    return not a


def _extreme(function, a, b):
    """The result is a float if one of both is."""
    for value in (a, b):
        if not isinstance(value, (int, float)) and not hasattr(value, "dtype"):
            raise AssertionError(f"expected a number, got {type(value)}")
    found = function(a, b)
    return float(found) if isinstance(a, float) or isinstance(b, float) else found


def sym_max(a, b):
    """The larger of two numbers, a float if one of them is.

    Parameters
    ----------
    a, b : number

    Returns
    -------
    int or float

    Raises
    ------
    AssertionError
        For what is no number.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.sym_max(2., 3)
    3.0
    """
    return _extreme(max, a, b)


def sym_min(a, b):
    """The smaller of two numbers, a float if one of them is.

    Parameters
    ----------
    a, b : number

    Returns
    -------
    int or float

    Raises
    ------
    AssertionError
        For what is no number.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.sym_min(2., 3)
    2.0
    """
    return _extreme(min, a, b)


def sym_sum(*args):
    """The sum of numbers, given one by one or as one sequence.

    Parameters
    ----------
    *args
        Numbers, or one sequence of them.

    Returns
    -------
    int or float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.sym_sum([1, 2, 3])
    6
    """
    return sum(args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args)


def sym_ite(b, t, f):
    """`t` if `b` is true, else `f`.

    Parameters
    ----------
    b : bool
    t, f : object
        Of one type.

    Returns
    -------
    object

    Raises
    ------
    AssertionError
        If `b` is no bool, or the types differ.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.sym_ite(True, 1, 2)
    1
    """
    if not isinstance(b, bool):
        raise AssertionError(f"expected SymBool or bool, got {type(b)}")
    if type(t) is not type(f):
        raise AssertionError(f"type mismatch: {type(t)} vs {type(f)}")
    return t if b else f


# ------------------------------------------------------------------------------------- checks

def _check_with(error_type, cond, message):
    """Raise an error of the type, unless `cond`, a bool, is true; `message` is None or makes the words."""
    if not isinstance(cond, bool):
        if isinstance(cond, cygrad.Tensor):
            raise TypeError("cond must be a bool, but got a Tensor. For tensor conditions, use "
                            "torch._check_tensor_all() to assert that all elements are true.")
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is not None and not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(_UNSAID if message is None else str(message()))


def _check(cond, message=None):
    """Raise a RuntimeError unless `cond` is true."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond, message=None):
    """Raise an IndexError unless `cond` is true."""
    _check_with(IndexError, cond, message)


def _check_value(cond, message=None):
    """Raise a ValueError unless `cond` is true."""
    _check_with(ValueError, cond, message)


def _check_type(cond, message=None):
    """Raise a TypeError unless `cond` is true."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond, message=None):
    """Raise a NotImplementedError unless `cond` is true."""
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i, message=None, *, max=None):
    """Raise a RuntimeError if a size is negative, or above `max`."""
    warnings.warn("_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious.     "
                  "Use _check(i >= 0) instead.", FutureWarning, stacklevel=2)
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_tensor_all_with(error_type, cond, message=None):
    """Raise an error of the type, unless all elements of a bool tensor are true."""
    if not isinstance(cond, cygrad.Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype is not cygrad.bool:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {str(cond.dtype).replace('cygrad', 'torch')}")
    _check_with(error_type, cond.all().item(), message)


def _check_tensor_all(cond, message=None):
    """Raise a RuntimeError unless all elements of a bool tensor are true."""
    _check_tensor_all_with(RuntimeError, cond, message)
