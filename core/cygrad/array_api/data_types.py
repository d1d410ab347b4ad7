"""Dtypes by the standard: their kinds and limits, casts, and how dtypes and Python's numbers promote.

Promotion looks at dtypes alone, never at how many axes an array has; a number takes the dtype of the array beside it
where its kind allows. Kinds that the standard leaves open (an integer beside a float) promote as PyTorch has it.
"""
import builtins
from collections import namedtuple
from functools import reduce

import cygrad
from cygrad import Tensor

__all__ = ["astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
         "complex64", "complex128")
DTYPES = {name: vars(cygrad)[name] for name in NAMES if name in vars(cygrad)}       # the standard's, of those there are
_SIGNED = {8 * dtype.itemsize: dtype for name, dtype in DTYPES.items() if name.startswith("int")}
_NUMBERS = (builtins.bool, int, float, complex)
_KINDS = {
    "bool": lambda dtype: dtype is cygrad.bool,
    "signed integer": lambda dtype: is_integer(dtype) and dtype.is_signed,
    "unsigned integer": lambda dtype: is_integer(dtype) and not dtype.is_signed,
    "integral": lambda dtype: is_integer(dtype),
    "real floating": lambda dtype: dtype.is_floating_point,
    "complex floating": lambda dtype: dtype.is_complex,
    "numeric": lambda dtype: dtype is not cygrad.bool,
}


def is_integer(dtype):
    """Whether a dtype is one of integers, signed or not; bool is none."""
    return not (dtype.is_floating_point or dtype.is_complex or dtype is cygrad.bool)


def promoted(a, b):
    """The dtype of a result of two dtypes."""
    if a is b:
        return a
    if is_integer(a) and is_integer(b) and a.is_signed != b.is_signed:
        signed, unsigned = (a, b) if a.is_signed else (b, a)
        bits = 8 * max(signed.itemsize, 2 * unsigned.itemsize)
        if bits in _SIGNED:
            return _SIGNED[bits]
        raise TypeError(f"{signed!r} and {unsigned!r} have no common integer dtype; convert one by astype")
    if is_integer(a) and is_integer(b):
        return a if a.itemsize > b.itemsize else b
    if is_integer(a) or is_integer(b):                  # beside a bool or a float: the other's kind decides
        integer, other = (a, b) if is_integer(a) else (b, a)
        return integer if other is cygrad.bool else other
    return cygrad.promote_types(a, b)


def beside_number(dtype, number):
    """The dtype of a result of an array of this dtype and one of Python's numbers."""
    if isinstance(number, complex) and not dtype.is_complex:
        return (dtype if dtype.is_floating_point else cygrad.get_default_dtype()).to_complex()
    if isinstance(number, float) and not (dtype.is_floating_point or dtype.is_complex):
        return cygrad.get_default_dtype()
    if dtype is cygrad.bool and not isinstance(number, builtins.bool):
        return cygrad.int64
    return dtype


def operands(*values, dtype=None):
    """Arrays of one dtype (by default the promoted one) of arrays and Python's numbers, of which one is an array."""
    arrays = [value for value in values if isinstance(value, Tensor)]
    if len(arrays) == len(values) == 2 and dtype is None and values[0].dtype is values[1].dtype:
        return values
    if not arrays:
        raise TypeError("at least one of the operands must be an array, not "
                        + " and ".join(type(value).__name__ for value in values))
    common = dtype or result_type(*values)
    device = arrays[0].device
    return [value.to(common) if isinstance(value, Tensor) else number(value, common, device) for value in values]


def number(value, dtype, device):
    """An array without axes of one of Python's numbers."""
    if not isinstance(value, _NUMBERS):
        raise TypeError(f"expected an array or a number, not {type(value).__name__}")
    return cygrad.tensor(value, dtype=dtype, device=device)


def of_default_size(dtype):
    """The dtype in which sums and products of an array are taken: integers become those of the default size."""
    if dtype is cygrad.bool:
        return cygrad.int64
    if not is_integer(dtype):
        return dtype
    return cygrad.int64 if dtype.is_signed else DTYPES.get("uint64", cygrad.int64)


def astype(x, dtype, /, *, copy=True, device=None):
    """The array's elements in another dtype.

    Parameters
    ----------
    x : Tensor
        Of any dtype.
    dtype : dtype
        That of the result.
    copy : bool, optional
        False: the array itself, if it has the dtype and is on the device.
    device : device or str, optional
        That of the result; the array's by default.

    Returns
    -------
    Tensor
        Of the array's shape.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.astype(xp.asarray([1.5, -1.5]), xp.int32)
    Array([ 1, -1], dtype=cygrad.int32)
    """
    if dtype is not cygrad.bool and x.is_complex() and not dtype.is_complex:
        raise TypeError(f"astype: {x.dtype!r} can't be cast to {dtype!r}; take `real` or `imag` of the array")
    return x.to(x.device if device is None else device, dtype, copy=copy)


def can_cast(from_, to, /):
    """Whether the rules of promotion allow a cast.

    Parameters
    ----------
    from_ : dtype or Tensor
        What is to be cast.
    to : dtype
        To what.

    Returns
    -------
    bool
        True if `to` is what both promote to.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.can_cast(xp.int8, xp.int16), xp.can_cast(xp.float64, xp.float32)
    (True, False)
    """
    source = from_.dtype if isinstance(from_, Tensor) else from_
    try:
        return promoted(source, to) is to
    except TypeError:
        return False


FloatLimits = namedtuple("FloatLimits", "bits eps max min smallest_normal dtype")     # what `finfo` gives
IntegerLimits = namedtuple("IntegerLimits", "bits max min dtype")                      # what `iinfo` gives


def finfo(type, /):
    """The limits of a floating-point dtype; of a complex one, those of its parts.

    Parameters
    ----------
    type : dtype or Tensor
        Real or complex floating-point.

    Returns
    -------
    FloatLimits
        With `bits`, `eps`, `max`, `min`, `smallest_normal` and `dtype`, the real dtype.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.finfo(xp.complex64).bits
    32
    """
    dtype = (type.dtype if isinstance(type, Tensor) else type).to_real()
    limits = cygrad.finfo(dtype)
    return FloatLimits(limits.bits, limits.eps, limits.max, limits.min, limits.smallest_normal, dtype)


def iinfo(type, /):
    """The limits of an integer dtype.

    Parameters
    ----------
    type : dtype or Tensor
        Of integers.

    Returns
    -------
    IntegerLimits
        With `bits`, `max`, `min` and `dtype`.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.iinfo(xp.int16).max
    32767
    """
    dtype = type.dtype if isinstance(type, Tensor) else type
    limits = cygrad.iinfo(dtype)
    return IntegerLimits(limits.bits, limits.max, limits.min, dtype)


def isdtype(dtype, kind):
    """Whether a dtype is of a kind.

    Parameters
    ----------
    dtype : dtype
        What is asked about.
    kind : dtype, str or tuple of these
        A dtype, or "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating" or
        "numeric"; a tuple stands for any of its elements.

    Returns
    -------
    bool
        Whether it is.

    Raises
    ------
    ValueError
        For another string.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.isdtype(xp.uint8, ("bool", "unsigned integer"))
    True
    """
    if isinstance(kind, tuple):
        return builtins.any([isdtype(dtype, each) for each in kind])
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"isdtype: unknown kind {kind!r}; expected one of {', '.join(_KINDS)}")
        return _KINDS[kind](dtype)
    if not isinstance(kind, cygrad.dtype):
        raise TypeError(f"isdtype: kind must be a dtype, a string or a tuple of these, not {type(kind).__name__}")
    return dtype is kind


def result_type(*arrays_and_dtypes):
    """The dtype of a result of arrays, dtypes and Python's numbers.

    Parameters
    ----------
    *arrays_and_dtypes : Tensor, dtype, bool, int, float or complex
        At least one of them an array or a dtype.

    Returns
    -------
    dtype
        What the dtypes promote to; a number widens it to its own kind, if it is of none so wide.

    Raises
    ------
    ValueError
        Without an array or dtype.
    TypeError
        For dtypes that promote to none, such as uint64 and int64.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.result_type(xp.int8, xp.uint8, 5)
    cygrad.int16
    """
    dtypes = [value.dtype if isinstance(value, Tensor) else value for value in arrays_and_dtypes
              if isinstance(value, (Tensor, cygrad.dtype))]
    if not dtypes:
        raise ValueError("result_type: at least one array or dtype must be given")
    numbers = [value for value in arrays_and_dtypes if not isinstance(value, (Tensor, cygrad.dtype))]
    for value in numbers:
        if not isinstance(value, _NUMBERS):
            raise TypeError(f"result_type: expected arrays, dtypes and numbers, not {type(value).__name__}")
    # The widest first, so that the order of the arguments makes no difference.
    dtypes = sorted(dtypes, key=lambda dtype: (dtype.is_complex, dtype.is_floating_point), reverse=True)
    return reduce(beside_number, numbers, reduce(promoted, dtypes))
