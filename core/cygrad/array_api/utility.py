"""Whether any or all elements are true, and differences of neighbours."""
import cygrad
from cygrad.array_api.axis_argument import axes_of

__all__ = ["all", "any", "diff"]


def all(x, /, *, axis=None, keepdims=False):
    """Whether all elements are true, which is to say not zero.

    Parameters
    ----------
    x : Tensor
        Of any dtype.
    axis : int or tuple of int, optional
        The axes that are reduced; all by default, none for an empty tuple.
    keepdims : bool, optional
        Whether the axes stay, with size 1.

    Returns
    -------
    Tensor
        Of bools.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.all(xp.asarray([[True, False], [True, True]]), axis=0)
    Array([ True, False])
    """
    axes = axes_of(x, axis)
    x = x.to(cygrad.bool)
    return cygrad.all(x, axes, keepdim=keepdims) if axes else x


def any(x, /, *, axis=None, keepdims=False):
    """Whether any element is true, which is to say not zero.

    Parameters
    ----------
    x : Tensor
        Of any dtype.
    axis : int or tuple of int, optional
        The axes that are reduced; all by default, none for an empty tuple.
    keepdims : bool, optional
        Whether the axes stay, with size 1.

    Returns
    -------
    Tensor
        Of bools.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.any(xp.asarray([[True, False], [True, False]]), axis=0)
    Array([ True, False])
    """
    axes = axes_of(x, axis)
    x = x.to(cygrad.bool)
    return cygrad.any(x, axes, keepdim=keepdims) if axes else x


def diff(x, /, n=1, *, axis=-1, prepend=None, append=None):
    """Differences of neighbours along an axis, taken n times.

    Parameters
    ----------
    x : Tensor
        Numeric.
    n : int, optional
        How many times; by position, too, as in NumPy and as scikit-learn has it.
    axis : int, optional
        Along which.
    prepend, append : Tensor, optional
        What is put before and behind x along the axis first.

    Returns
    -------
    Tensor
        By n shorter along the axis.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.diff(xp.asarray([1, 4, 9]), n=2)
    Array([2])
    """
    return cygrad.diff(x, n=n, dim=axis, prepend=prepend, append=append)
