"""Products of matrices and vectors, the part of linear algebra that every namespace has."""
import builtins

import cygrad
from cygrad.array_api.data_types import operands

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]


def matmul(x1, x2, /):
    """The matrix product; arrays of one axis are a row on the left, a column on the right.

    Parameters
    ----------
    x1, x2 : Tensor
        Of shape (..., M, K) and (..., K, N), or (K,); what comes before is broadcast.

    Returns
    -------
    Tensor
        Of shape (..., M, N), of the dtype that both promote to.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.matmul(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 1]))
    Array([3, 7])
    """
    return cygrad.matmul(*operands(x1, x2))


def matrix_transpose(x, /):
    """Matrices with rows and columns exchanged.

    Parameters
    ----------
    x : Tensor
        Of shape (..., M, N).

    Returns
    -------
    Tensor
        A view of shape (..., N, M).

    Raises
    ------
    ValueError
        For an array of less than two axes.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.matrix_transpose(xp.asarray([[1, 2], [3, 4]]))
    Array([[1, 3],
           [2, 4]])
    """
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose: an array of {x.ndim} axes has no matrices")
    return x.mT


def tensordot(x1, x2, /, *, axes=2):
    """The sums of products of the elements along some axes of both.

    Parameters
    ----------
    x1, x2 : Tensor
        Numeric.
    axes : int or tuple of two sequences of int, optional
        How many of x1's last and x2's first axes, or which axes of x1 and of x2.

    Returns
    -------
    Tensor
        With the other axes of x1, then those of x2.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.tensordot(xp.ones((2, 3)), xp.ones((3, 4)), axes=1).shape
    cygrad.Size([2, 4])
    """
    a, b = operands(x1, x2)
    if not isinstance(axes, int):
        axes = tuple([list(each) if isinstance(each, (tuple, list)) else [each] for each in axes])
    return cygrad.tensordot(a, b, dims=axes)


def vecdot(x1, x2, /, *, axis=-1):
    """The inner products of vectors; those of x1 are conjugated.

    Parameters
    ----------
    x1, x2 : Tensor
        Numeric, of one size along the axis; the others are broadcast.
    axis : int, optional
        Along which the vectors lie, counted from the end.

    Returns
    -------
    Tensor
        Without the axis.

    Raises
    ------
    ValueError
        If the axis has not one size, or is none of both arrays.

    Examples
    --------
    >>> from cygrad import array_api as xp
    >>> xp.vecdot(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 10]))
    Array([21, 43])
    """
    if axis >= 0 and x1.ndim == x2.ndim:
        axis -= x1.ndim
    if not -builtins.min(x1.ndim, x2.ndim) <= axis < 0:
        raise ValueError(f"vecdot: {axis=} is none of arrays of {x1.ndim} and {x2.ndim} axes")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot: the vectors have {x1.shape[axis]} and {x2.shape[axis]} elements")
    a, b = operands(x1, x2)
    rows = cygrad.matmul(cygrad.conj_physical(cygrad.movedim(a, axis, -1)).unsqueeze(-2),
                         cygrad.movedim(b, axis, -1).unsqueeze(-1))
    return rows.squeeze(-1).squeeze(-1)
