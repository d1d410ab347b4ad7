"""Arrays made from numbers, shapes and other libraries' arrays."""
import builtins

import cygrad
from cygrad import Tensor
from cygrad.array_api.documented import documented

__all__ = ["arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace",
           "meshgrid", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like"]


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """An array of numbers, nested sequences of them, or another array.

    Parameters
    ----------
    obj : Tensor, number, nested sequence, or object with DLPack, the buffer protocol or ``__array__``
        What becomes an array.
    dtype : dtype, optional
        That of the array; by default the object's, of numbers the default dtype of their kind.
    device : device or str, optional
        Where the array is; by default where the object is, numbers on the default device.
    copy : bool, optional
        True: always copy; False: never, raise if the object can't be shared; None: where needed.

    Returns
    -------
    Tensor
        Over the object's memory, or a copy.

    Raises
    ------
    ValueError
        If `copy` is False and the object can't be shared.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.asarray([1, 2.5])
    Array([1.0000, 2.5000])
    """
    if isinstance(obj, Tensor):
        if type(obj) is not Tensor and isinstance(obj, cygrad.nn.Parameter):
            obj = obj.as_subclass(Tensor)       # an array over it, which a Parameter would stay otherwise
        if dtype is None and device is None and not copy:
            return obj
        target = obj.device if device is None else cygrad.device(device)
        wanted = obj.dtype if dtype is None else dtype
        if copy is False and (obj.dtype is not wanted or obj.to(target) is not obj):
            raise ValueError(f"asarray: an array of {obj.dtype!r} on {obj.device} can't become one of {wanted!r} on "
                             f"{target} without a copy")
        return obj.to(target, wanted, copy=bool(copy))
    if copy is False and (dtype is not None or isinstance(obj, (builtins.bool, int, float, complex, list, tuple))):
        return _shared(obj, dtype, device)
    if copy is not False and builtins.any(step < 0 for step in getattr(obj, "strides", None) or ()):
        obj = obj.copy()                        # a tensor's strides are not negative
    return cygrad.asarray(obj, dtype=dtype, device=device, copy=copy)


def _shared(obj, dtype, device):
    """`asarray(obj, copy=False)` with a dtype, or of what has no memory to share."""
    if isinstance(obj, (builtins.bool, int, float, complex, list, tuple)):
        raise ValueError("asarray: numbers and sequences of them can't become an array without a copy")
    found = cygrad.asarray(obj, device=device, copy=False)
    if found.dtype is not dtype:
        raise ValueError(f"asarray: an object of {found.dtype!r} can't become an array of {dtype!r} without a copy")
    return found


def from_dlpack(x, /, *, device=None, copy=None):
    """An array over the memory of another library's array.

    Parameters
    ----------
    x : object with ``__dlpack__``
        The other array.
    device : device or str, optional
        Where the array is; by default where x is.
    copy : bool, optional
        True: always copy; False: never, raise if the memory can't be shared; None: where needed.

    Returns
    -------
    Tensor
        Of x's shape and dtype.

    Examples
    --------
    >>> import numpy
    >>> from cygrad import array_api as xp
    >>> xp.from_dlpack(numpy.arange(3))
    Array([0, 1, 2])
    """
    return cygrad.from_dlpack(x, device=device, copy=copy)


# ------------------------------------------------------------------ ranges

def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """Evenly spaced numbers from `start` to before `stop`.

    Parameters
    ----------
    start : int or float
        The first; without `stop`, where to end, beginning with 0.
    stop : int or float, optional
        Where to end.
    step : int or float, optional
        From one to the next.
    dtype : dtype, optional
        By default that of integers if all three are ints, else the default floating-point dtype.
    device : device or str, optional
        Where the array is.

    Returns
    -------
    Tensor
        Of one axis; empty if `step` leads away from `stop`.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.arange(1, 10, 3), xp.arange(5, 0)
    (Array([1, 4, 7]), Array([], dtype=cygrad.int64))
    """
    start, stop = (0, start) if stop is None else (start, stop)
    if dtype is None:
        whole = builtins.all([isinstance(value, int) for value in (start, stop, step)])
        dtype = cygrad.int64 if whole else cygrad.get_default_dtype()
    if step == 0:
        raise ValueError("arange: step must not be 0")
    if (stop - start) * (1 if step > 0 else -1) <= 0:
        return cygrad.empty(0, dtype=dtype, device=device)
    return cygrad.arange(start, stop, step, dtype=dtype.to_real(), device=device).to(dtype)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """Evenly spaced numbers from `start` to `stop`.

    Parameters
    ----------
    start, stop : int, float or complex
        The first number, and the last or the one behind it.
    num : int
        How many.
    dtype : dtype, optional
        The default floating-point dtype by default.
    device : device or str, optional
        Where the array is.
    endpoint : bool, optional
        Whether `stop` is the last of them.

    Returns
    -------
    Tensor
        Of shape (num,).

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.linspace(0, 1, 4, endpoint=False)
    Array([0.0000, 0.2500, 0.5000, 0.7500])
    """
    if dtype is None:
        dtype = cygrad.get_default_dtype()
        if isinstance(start, complex) or isinstance(stop, complex):
            dtype = dtype.to_complex()
    if endpoint:
        return cygrad.linspace(start, stop, num, dtype=dtype, device=device)
    return cygrad.linspace(start, stop, num + 1, dtype=dtype, device=device)[:num]


# ------------------------------------------------------------------ filled arrays

_FILLED = """An array {what}.

Parameters
----------
shape : int or tuple of int
    Its sizes.
dtype : dtype, optional
    The default floating-point dtype by default.
device : device or str, optional
    Where it is.

Returns
-------
Tensor
    Of that shape.

Examples
--------
>>> from cygrad import array_api as xp
>>> xp.{example}
{shown}
"""
_LIKE = """An array {what}.

Parameters
----------
x : Tensor
    The other.
dtype : dtype, optional
    The other's by default.
device : device or str, optional
    The other's by default.

Returns
-------
Tensor
    Of x's shape.

Examples
--------
>>> from cygrad import array_api as xp
>>> xp.{example}
{shown}
"""


def _filled(name, what, example, shown):
    """The function of this name that makes an array of a shape."""
    make = getattr(cygrad, name)

    def function(shape, *, dtype=None, device=None):
        return make(shape, dtype=dtype, device=device)
    return documented(function, name, _FILLED.format(what=what, example=example, shown=shown))


def _like(name, what, example, shown):
    """The function of this name that makes an array like another."""
    make = getattr(cygrad, name)

    def function(x, /, *, dtype=None, device=None):
        return make(x, dtype=dtype, device=device)
    return documented(function, name, _LIKE.format(what=what, example=example, shown=shown))


empty = _filled("empty", "whose elements are left as the memory happens to be", "empty((2, 3)).shape",
                "cygrad.Size([2, 3])")
zeros = _filled("zeros", "of zeros", "zeros(2)", "Array([0., 0.])")
ones = _filled("ones", "of ones", "ones(2)", "Array([1., 1.])")
empty_like = _like("empty_like", "of the shape of another, its elements left as the memory happens to be",
                   "empty_like(xp.ones(3)).shape", "cygrad.Size([3])")
zeros_like = _like("zeros_like", "of zeros of the shape of another", "zeros_like(xp.asarray([1, 2]))", "Array([0, 0])")
ones_like = _like("ones_like", "of ones of the shape of another", "ones_like(xp.asarray([5, 6]))", "Array([1, 1])")


def full(shape, fill_value, *, dtype=None, device=None):
    """An array of one number.

    Parameters
    ----------
    shape : int or tuple of int
        Its sizes.
    fill_value : bool, int, float or complex
        The number.
    dtype : dtype, optional
        The default dtype of the number's kind by default.
    device : device or str, optional
        Where it is.

    Returns
    -------
    Tensor
        Of that shape.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.full(2, 7)
    Array([7, 7])
    """
    shape = (shape,) if isinstance(shape, int) else shape
    return cygrad.full(shape, fill_value, dtype=dtype, device=device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """An array of one number, of the shape of another array.

    Parameters
    ----------
    x : Tensor
        The other array.
    fill_value : bool, int, float or complex
        The number.
    dtype : dtype, optional
        The other's by default.
    device : device or str, optional
        The other's by default.

    Returns
    -------
    Tensor
        Of x's shape.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.full_like(xp.asarray([5, 6]), 2)
    Array([2, 2])
    """
    return cygrad.full_like(x, fill_value, dtype=dtype, device=device)


# ------------------------------------------------------------------ matrices and grids

def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """A matrix with ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    n_rows : int
        How many rows.
    n_cols : int, optional
        How many columns; as many as rows by default.
    k : int, optional
        Which diagonal: above the main one if positive, below it if negative.
    dtype : dtype, optional
        The default floating-point dtype by default.
    device : device or str, optional
        Where it is.

    Returns
    -------
    Tensor
        Of shape (n_rows, n_cols).

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.eye(2, 3, k=1)
    Array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    n_cols = n_rows if n_cols is None else n_cols
    if k == 0:
        return cygrad.eye(n_rows, n_cols, dtype=dtype, device=device)
    found = cygrad.zeros((n_rows, n_cols), dtype=dtype, device=device)
    if -n_rows < k < n_cols:
        found.diagonal(k).fill_(1)
    return found


def tril(x, /, *, k=0):
    """The lower triangles of matrices, zeros above them.

    Parameters
    ----------
    x : Tensor
        Of shape (..., M, N).
    k : int, optional
        The last diagonal that is kept: above the main one if positive, below it if negative.

    Returns
    -------
    Tensor
        Of x's shape and dtype.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.tril(xp.ones((2, 2)))
    Array([[1., 0.],
           [1., 1.]])
    """
    return cygrad.tril(x, k)


def triu(x, /, *, k=0):
    """The upper triangles of matrices, zeros below them.

    Parameters
    ----------
    x : Tensor
        Of shape (..., M, N).
    k : int, optional
        The first diagonal that is kept: above the main one if positive, below it if negative.

    Returns
    -------
    Tensor
        Of x's shape and dtype.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.triu(xp.ones((2, 2)))
    Array([[1., 1.],
           [0., 1.]])
    """
    return cygrad.triu(x, k)


def meshgrid(*arrays, indexing="xy"):
    """Coordinates of all points of a grid.

    Parameters
    ----------
    *arrays : Tensor
        The coordinates along each axis: one axis each, of one dtype.
    indexing : {"xy", "ij"}, optional
        "ij": axis i of the results belongs to array i; "xy": the first two are exchanged.

    Returns
    -------
    tuple of Tensor
        As many as arrays, each of the grid's shape.

    Raises
    ------
    ValueError
        For another `indexing`.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.meshgrid(xp.asarray([1, 2]), xp.asarray([3, 4]))[0]
    Array([[1, 2],
           [1, 2]])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing must be 'xy' or 'ij', not {indexing!r}")
    return tuple(cygrad.meshgrid(*arrays, indexing=indexing)) if arrays else ()
