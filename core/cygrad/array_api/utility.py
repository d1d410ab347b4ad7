"""Whether any or all elements are true, and differences of neighbours."""
import cygrad
from cygrad.array_api.axis_argument import axes_of
from cygrad.array_api.documented import documented

__all__ = ["all", "any", "diff"]


_DOC = """Whether {name} {elements} true, which is to say not zero.

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
>>> xp.{name}(xp.asarray([[True, False], [True, {last}]]), axis=0)
Array([ True, False])
"""


def _judging(name, op, elements, last):
    """The function of this name, which looks at whole axes."""
    def function(x, /, *, axis=None, keepdims=False):
        axes = axes_of(x, axis)
        x = x.to(cygrad.bool)
        return op(x, axes, keepdim=keepdims) if axes else x
    return documented(function, name, _DOC.format(name=name, elements=elements, last=last))


all = _judging("all", cygrad.all, "elements are", True)
any = _judging("any", cygrad.any, "element is", False)


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
