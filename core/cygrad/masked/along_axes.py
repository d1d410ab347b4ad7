"""Functions along an axis that keep its length, of the elements that a mask names."""
import cygrad
from cygrad.masked.filling import ALONG, axis_of, documented, filled, highest, lowest, one, zero
from cygrad.masked.masked_reductions import norm


@documented(ALONG, "Sums of the elements up to each place, without those whose mask is False.",
            gives="Of the input's shape.", shown="tensor([3., 7., 7.])")
def cumsum(input, dim, *, dtype=None, mask=None):
    dtype, axis = dtype or input.dtype, axis_of(dim, input.ndim)
    return cygrad.cumsum(filled("sum", input, mask, zero), axis, dtype=dtype).to(dtype)


@documented(ALONG, "Products of the elements up to each place, without those whose mask is False.",
            gives="Of the input's shape.", shown="tensor([ 3., 12., 12.])")
def cumprod(input, dim, *, dtype=None, mask=None):
    dtype, axis = dtype or input.dtype, axis_of(dim, input.ndim)
    return cygrad.cumprod(filled("prod", input, mask, one), axis, dtype=dtype).to(dtype)


@documented(ALONG, "The softmax of the elements whose mask is True.", gives="0 where the mask is False.",
            shown="tensor([0.2689, 0.7311, 0.0000])")
def softmax(input, dim, *, dtype=None, mask=None):
    axis = axis_of(dim, input.ndim)
    return cygrad.softmax(filled("amax", input, mask, lowest), axis, dtype=dtype or input.dtype)


@documented(ALONG, "The logarithm of the softmax of the elements whose mask is True.",
            gives="-inf where the mask is False.", shown="tensor([-1.3133, -0.3133,    -inf])")
def log_softmax(input, dim, *, dtype=None, mask=None):
    axis = axis_of(dim, input.ndim)
    return cygrad.log_softmax(filled("amax", input, mask, lowest), axis, dtype=dtype or input.dtype)


@documented(ALONG, "The softmax of the negatives of the elements whose mask is True.",
            gives="0 where the mask is False.", shown="tensor([0.7311, 0.2689, 0.0000])")
def softmin(input, dim, *, dtype=None, mask=None):
    axis = axis_of(dim, input.ndim)
    return cygrad.nn.functional.softmin(filled("amin", input, mask, highest), axis, dtype=dtype or input.dtype)


@documented(ALONG, "The elements divided by the norm of those whose mask is True.", gives="0 where the mask is False.",
            ord="\n    ord : float\n        The order of the norm.",
            eps="\n    eps : float\n        The least divisor.", first="2., ", shown="tensor([0.6000, 0.8000, 0.0000])")
def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    dtype = dtype or input.dtype
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return filled("sum", input, mask, zero) / cygrad.maximum(length, length.new_full((), eps))
