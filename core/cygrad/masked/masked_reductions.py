"""Reductions of the elements that a mask names: what it leaves out is replaced by what changes nothing."""
import cygrad
from cygrad.masked.filling import (REDUCED, axes_of, axis_of, chosen, documented, exponent_of_zero, filled, highest,
                                   lowest, missing, one, wide, zero)


@documented(REDUCED, "The sum of the elements whose mask is True.", gives="0 where none is.",
            shown="tensor([3., 4.])")
def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    dtype, axes = wide(input, dtype), axes_of(dim, input.ndim)
    return cygrad.sum(filled("sum", input, mask, zero), axes, bool(keepdim), dtype=dtype)


@documented(REDUCED, "The product of the elements whose mask is True.", gives="1 where none is.",
            shown="tensor([2., 0.])")
def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    dtype, axes = wide(input, dtype), axes_of(dim, input.ndim)
    result = filled("prod", input, mask, one).to(dtype)
    for axis in reversed(axes):
        result = result.prod(axis, bool(keepdim))
    return result


@documented(REDUCED, "The greatest of the elements whose mask is True.",
            gives="The least number of the dtype where none is.", shown="tensor([2., 4.])")
def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    values = filled("amax", input, mask, lowest)
    return cygrad.amax(values, axes_of(dim, input.ndim), bool(keepdim)).to(dtype or input.dtype)


@documented(REDUCED, "The least of the elements whose mask is True.",
            gives="The greatest number of the dtype where none is.", shown="tensor([1., 0.])")
def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    values = filled("amin", input, mask, highest)
    return cygrad.amin(values, axes_of(dim, input.ndim), bool(keepdim)).to(dtype or input.dtype)


@documented(REDUCED, "Where the greatest of the elements is whose mask is True.", gives="Places along the axis.",
            shown="tensor([1, 0])")
def argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    values = filled("argmax", input, mask, lowest)
    return cygrad.argmax(values, dim, bool(keepdim)).to(dtype or input.dtype)


@documented(REDUCED, "Where the least of the elements is whose mask is True.", gives="Places along the axis.",
            shown="tensor([0, 1])")
def argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    values = filled("argmin", input, mask, highest)
    return cygrad.argmin(values, dim, bool(keepdim)).to(dtype or input.dtype)


for _argument in (argmax, argmin):
    _argument.__doc__ = _argument.__doc__.replace("1, mask=mask)", "1, dtype=cygrad.int64, mask=mask)").replace(
        "Of the result.", "Of the result; the input's when omitted.")


def count_and_sum(input, dim, keepdim, dtype, mask):
    """How many elements count, and their sum."""
    if mask is None:
        count = sum(cygrad.ones(input.shape, dtype=cygrad.int64, device=input.device), dim, keepdim=keepdim)
        return count, sum(input, dim, keepdim=keepdim, dtype=dtype)
    mask = chosen(input, mask)
    return mask.sum(axes_of(dim, input.ndim), bool(keepdim)), sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask)


@documented(REDUCED, "The mean of the elements whose mask is True.", gives="NaN where none is.",
            shown="tensor([1.5000, 2.0000])")
def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    source = "Input" if dtype is None else "Optional"
    dtype = dtype or input.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(f"mean(): Could not infer output dtype. {source} dtype must be either a floating point or "
                         f"complex dtype. Got: {dtype}")
    count, total = count_and_sum(input, dim, keepdim, dtype, mask)
    return total / count


@documented(REDUCED, "The median of the elements whose mask is True.", gives="The lower one of two; NaN where none is.",
            shown="tensor([1., 0.])")
def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    real = input.is_floating_point()
    dtype, axis = dtype or input.dtype, axis_of(dim, input.ndim)
    values = filled("median", input if real else input.to(cygrad.float32), mask, missing)
    result = cygrad.nanmedian(values, axis, keepdim).values
    if real:
        return result
    if cygrad.isnan(result).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return result.to(dtype)


@documented(REDUCED, "The logarithm of the sum of exponentials of the elements whose mask is True.",
            gives="-inf where none is.", shown="tensor([2.3133, 4.0181])")
def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    axes = axes_of(dim, input.ndim)
    values = filled("logsumexp", input, mask, exponent_of_zero)
    return cygrad.logsumexp(values, axes, keepdim=keepdim).to(dtype or input.dtype)


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """log(exp(input) + exp(other)), where an element that its mask leaves out adds nothing.

    Parameters
    ----------
    input, other : Tensor
        Of floats.
    dtype : dtype, optional
        Of the result.
    input_mask, other_mask : Tensor, optional
        Which elements count.

    Returns
    -------
    Tensor
        -inf where neither counts.

    Examples
    --------
    >>> import cygrad
    >>> a, b = cygrad.tensor([0., 1.]), cygrad.tensor([0., 2.])
    >>> cygrad.masked.logaddexp(a, b, other_mask=cygrad.tensor([True, False]))
    tensor([0.6931, 1.0000])
    """
    first = filled("logaddexp", input, input_mask, lowest)
    second = filled("logaddexp", other, other_mask, lowest)
    return cygrad.logaddexp(first, second).to(dtype or input.dtype)


def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The norm of the vectors of elements whose mask is True.

    Parameters
    ----------
    input : Tensor
        Any shape.
    ord : float
        The order of the norm, as in `linalg.vector_norm`.
    dim : int or tuple of int, optional
        The axes to reduce; all when omitted.
    keepdim : bool
        Whether they stay, with one element.
    dtype : dtype, optional
        Of the result.
    mask : Tensor, optional
        Which elements count; it broadcasts to the input.

    Returns
    -------
    Tensor
        0 where none counts; inf for the order -inf.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.masked.norm(cygrad.tensor([3., 4., 6.]), mask=cygrad.tensor([True, True, False]))
    tensor(5.)
    """
    least = ord == -cygrad.inf
    if least and mask is not None and not input.is_floating_point():
        raise AssertionError(f"input must be floating point, got {input.dtype}")
    values = filled("norm", input, mask, highest if least else zero)
    return cygrad.linalg.vector_norm(values, ord, axes_of(dim, input.ndim), bool(keepdim), dtype=dtype or input.dtype)


def squares_about_mean(input, dim, unbiased, correction, keepdim, dtype, mask):
    """The variance, and the dtype that the result shall have."""
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 0.0 if unbiased is False else 1.0
    if dtype is None:
        dtype = input.dtype if input.is_floating_point() or input.is_complex() else cygrad.float32
    inside = dtype if dtype.is_floating_point or dtype.is_complex else cygrad.float32
    count, total = count_and_sum(input, dim, True, dtype, mask)
    apart = input - total / count
    squares = sum(apart * apart.conj(), dim, keepdim=keepdim, dtype=inside, mask=mask)
    if not keepdim:
        count = count.reshape(squares.shape)
    if correction != 0:
        left = count.to(cygrad.empty(0, dtype=inside).real.dtype if inside.is_complex else inside) - float(correction)
        count = cygrad.maximum(left, left.new_zeros(()))
    return (squares / count).to(dtype)


def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The variance of the elements whose mask is True.

    Parameters
    ----------
    input : Tensor
        Any shape.
    dim : int or tuple of int, optional
        The axes to reduce; all when omitted.
    unbiased : bool, optional
        Whether to divide by the count less 1; True when omitted.
    correction : float, optional
        What is taken from the count, instead of `unbiased`.
    keepdim : bool
        Whether the axes stay, with one element.
    dtype : dtype, optional
        Of the result.
    mask : Tensor, optional
        Which elements count; it broadcasts to the input.

    Returns
    -------
    Tensor
        NaN where none counts.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.masked.var(cygrad.tensor([1., 3., 8.]), mask=cygrad.tensor([True, True, False]))
    tensor(2.)
    """
    return squares_about_mean(input, dim, unbiased, correction, keepdim, dtype, mask)


def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The standard deviation of the elements whose mask is True.

    Parameters
    ----------
    input, dim, unbiased, correction, keepdim, dtype, mask
        As in `var`.

    Returns
    -------
    Tensor
        NaN where none counts.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.masked.std(cygrad.tensor([1., 5., 9.]), unbiased=False, mask=cygrad.tensor([True, True, False]))
    tensor(2.)
    """
    return cygrad.sqrt(squares_about_mean(input, dim, unbiased, correction, keepdim, dtype, mask))


