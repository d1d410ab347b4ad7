"""The tangents: how that of an argument passes through an op, for ops where it need not be derived from the gradient.

    tangent("mm", self=lambda t, mat2: t.mm(mat2), mat2=lambda t, self: self.mm(t))

A row gives, for each differentiable argument of an op, a function of the argument's tangent `t` and of what else it
needs: other arguments and `result`, by the names that the table of derivatives has for them. The tangents that several
arguments lead to are added; what has not the output's shape is broadcast to it. Of an op that works element by element
(`ELEMENTWISE`) the formula of the gradient does it, since the Jacobian is diagonal. An op without a row has its tangent
by differentiating its gradient (`forward_mode.by_gradients`). Views have rows, so that the tangent of a view is a view.
"""
import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.derivatives.helpers import conj, times, unchanged, written
from cygrad.autograd.derivatives.reduce import (beside, norm_backward, prod_backward, prod_dim_backward, restored,
                                              var_backward)
from cygrad.ops.declare.primitives import primitive
from cygrad.tensor import Tensor

ELEMENTWISE = object()      # stands for the formula of the gradient
TANGENTS = {}               # {op: {argument: function or ELEMENTWISE}}


def tangent(op, **functions):
    TANGENTS[op] = functions


# ---------------------------------------------------------------- element by element

for _op in """add sub rsub scalar_sub scalar_rsub rsub_scalar div div_mode hypot fmax fmin pow
        pow_tensor scalar_pow_tensor remainder remainder_scalar fmod fmod_scalar exp exp2 expm1 log log2 log10
        log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc erfinv lgamma digamma
        polygamma sigmoid neg reciprocal where clamp clamp_tensors clamp_min clamp_max clamp_min_tensor
        clamp_max_tensor lerp lerp_tensor addcmul addcdiv frac nan_to_num deg2rad rad2deg sinc logit logaddexp
        logaddexp2 relu threshold leaky_relu hardtanh hardsigmoid hardswish hardshrink softshrink softplus log_sigmoid
        silu mish gelu elu celu masked_fill divide_by_number multiply_by_number
        add_number ldexp mvlgamma copysign copysign_scalar""".split():
    TANGENTS[_op] = dict.fromkeys(("self", "other", "condition", "exponent", "min", "max", "end", "weight", "tensor1",
                                   "tensor2"), ELEMENTWISE)

tangent("abs", self=lambda t, self: (t * conj(self.sgn())).real if t.is_complex() else t * self.sgn())

tangent("maximum", self=lambda t, self, other: t * first_of(self > other, self, other),
        other=lambda t, self, other: t - t * first_of(self > other, self, other))
tangent("minimum", self=lambda t, self, other: t * first_of(self < other, self, other),
        other=lambda t, self, other: t - t * first_of(self < other, self, other))
tangent("atan2", self=lambda t, self, other: t * other / (self * self + other * other),
        other=lambda t, self, other: t * -self / (self * self + other * other))
tangent("polar", abs=lambda t, angle: cygrad.polar(t, angle), angle=lambda t, result: result * 1j * t)
tangent("prelu", self=lambda t, self, weight: cygrad.where(self >= 0, t, t * weight),
        weight=lambda t, self: cygrad.where(self >= 0, 0, t * self))


def first_of(chosen, self, other):
    """The part that the first of two operands has in the extreme of both; with NaN it is the second's."""
    return cygrad.where(self == other, 0.5, chosen.to(self.dtype))


# ---------------------------------------------------------------------- products

@primitive
def of_nothing(t, factor):
    """The product of an operand without a tangent, recorded as the product with zeros that it is in PyTorch."""
    return cygrad.zeros_like(factor) if isinstance(factor, Tensor) else cygrad.zeros(())


derivative("of_nothing", name="MulBackward0", t=unchanged,
           factor=lambda grad, factor_shape: grad.new_zeros(factor_shape))
OF_NOTHING = {"mul"}        # the ops whose rows are asked about operands without a tangent, too

tangent("mul", other=lambda t, self: of_nothing(t, self) if t is None else t * self,
        self=lambda t, other: of_nothing(t, other) if t is None else t * other)

tangent("mm", self=lambda t, mat2: t.mm(mat2), mat2=lambda t, self: self.mm(t))
tangent("bmm", self=lambda t, mat2: t.bmm(mat2), mat2=lambda t, self: self.bmm(t))
tangent("mv", self=lambda t, vec: t.mv(vec), vec=lambda t, self: self.mv(t))
tangent("dot", self=lambda t, tensor: t.dot(tensor), tensor=lambda t, self: self.dot(t))
tangent("addmm", self=lambda t, beta: t * beta, mat1=lambda t, mat2, alpha: t.mm(mat2) * alpha,
        mat2=lambda t, mat1, alpha: mat1.mm(t) * alpha)
tangent("baddbmm", self=lambda t, beta: t * beta, batch1=lambda t, batch2, alpha: t.bmm(batch2) * alpha,
        batch2=lambda t, batch1, alpha: batch1.bmm(t) * alpha)

# -------------------------------------------------------------------- reductions

tangent("sum", self=lambda t, result: t.sum(dtype=result.dtype))
tangent("sum_dim", self=lambda t, dim, keepdim, result: t.sum(dim, keepdim, dtype=result.dtype))
tangent("mean", self=lambda t, result: t.mean(dtype=result.dtype))
tangent("mean_dim", self=lambda t, dim, keepdim, result: t.mean(dim, keepdim, dtype=result.dtype))
tangent("cumsum", self=lambda t, dim, result: t.cumsum(dim, dtype=result.dtype))
tangent("logcumsumexp", self=lambda t, self, dim: NotImplemented if t.is_complex() or not t.dim() or not t.numel()
        else running(t, (self - self.amax(dim, True)).exp(), dim))
tangent("prod", self=lambda t, self, result: (prod_backward(cygrad.ones_like(result), self, result) * t).sum())
tangent("prod_dim", self=lambda t, self, dim, keepdim, result: (prod_dim_backward(
    cygrad.ones_like(self), self, restored(result, self.shape, (dim,), keepdim), dim) * t).sum(dim, keepdim))
tangent("softmax", self=lambda t, self, dim, result: result * (t - logsumexp_slope(t, self, dim, True)))
tangent("log_softmax", self=lambda t, self, dim: t - logsumexp_slope(t, self, dim, True))
tangent("logsumexp", self=lambda t, self, dim, keepdim: written(logsumexp_slope(t, self, dim, keepdim)))
for _op in "max", "min", "median", "nanmedian":
    tangent(_op, self=lambda t, self, result: ((self == result) * (t / (self == result).sum())).sum())
tangent("var", self=lambda t, self, dim, correction, keepdim: weighed(
    var_backward(conj(t), self, dim, correction, True), dim, keepdim))
tangent("std", self=lambda t, self, dim, correction, keepdim, result: deviation(t, self, dim, correction, keepdim,
                                                                                result))
tangent("std_mean", self=lambda t, self, dim, correction, keepdim, result:
        (deviation(t, self, dim, correction, keepdim, result[0]), t.mean(dim, keepdim)))
for _op in "linalg_vector_norm", "norm":
    tangent(_op, self=lambda t, self, ord, dim, keepdim, result: None if ord == 0 else
            written((weighed(self * conj(t), dim, keepdim) / result).masked_fill(result == 0, 0), 2) if ord == 2 else
            weighed(conj(t) * norm_backward(1, self, ord, dim, beside(result, self.shape, dim, keepdim)), dim, keepdim))
for _op in ("max_dim", "min_dim", "median_dim", "nanmedian_dim", "mode"):
    tangent(_op, self=lambda t, dim, keepdim, result: (chosen(t, dim, keepdim, result[1]), None))
for _op in ("cummax", "cummin"):
    tangent(_op, self=lambda t, dim, result: (t.gather(dim, result[1]) if t.dim() else t, None))
for _op in ("sort", "sort_stable", "topk"):
    tangent(_op, self=lambda t, dim, result: (t.gather(dim, result[1]) if t.dim() else t, None))


def weighed(found, dim, keepdim):
    """The sum of a tangent's elements, each times its part of the gradient."""
    return (found.real if found.is_complex() else found).sum(dim or (), keepdim)


def logsumexp_slope(t, self, dim, keepdim):
    weights = (self - self.amax(dim, True)).exp() if self.numel() else self.exp()
    return (weights * t).sum(dim, keepdim) / weights.sum(dim, keepdim)


def deviation(t, self, dim, correction, keepdim, result):
    found = weighed(var_backward(conj(t), self, dim, correction, True), dim, keepdim)
    return written((found / times(result, 2)).masked_fill(result == 0, 0))


def running(t, weights, dim):
    return (weights * t).cumsum(dim) / (weights.cumsum(dim) + 1e-13)


def chosen(t, dim, keepdim, indices):
    """The tangents of the elements that a reduction chose."""
    if not t.dim():
        return t
    return t.gather(dim, indices) if keepdim else t.gather(dim, indices.unsqueeze(dim)).squeeze(dim)


# ----------------------------------------------------------------- views and copies

for _op in ("view", "unsafe_view", "squeeze", "squeeze_dim", "squeeze_dims", "unsqueeze", "reshape_alias"):
    tangent(_op, self=lambda t, result: t.view(result.shape) if viewable(t, result) else t.reshape(result.shape))
tangent("t", self=lambda t: t.t())
tangent("transpose", self=lambda t, dim0, dim1: t.transpose(dim0, dim1))
tangent("permute", self=lambda t, dims: t.permute(dims))
tangent("expand", self=lambda t, result: t.expand(result.shape))
tangent("select", self=lambda t, dim, index: t.select(dim, index))
tangent("slice", self=lambda t, dim, start, stop, step: t[(slice(None),) * dim + (slice(start, stop, step),)])
tangent("diagonal", self=lambda t, offset, dim1, dim2: t.diagonal(offset, dim1, dim2))
tangent("unfold", self=lambda t, dimension, size, step: t.unfold(dimension, size, step))
tangent("unbind", self=lambda t, dim: tuple(t.unbind(dim)))
tangent("split", self=lambda t, split_size, dim: tuple(t.split(split_size, dim)))
tangent("split_with_sizes", self=lambda t, split_sizes, dim: tuple(t.split(split_sizes, dim)))
tangent("as_strided", self=lambda t, self, size, stride, storage_offset: window(t, self, size, stride, storage_offset))
for _op in "alias", "primal":
    tangent(_op, self=lambda t: t.view_as(t))
tangent("clone", self=lambda t: t.clone())
tangent("to_copy", self=lambda t, result: t.to(result.device))
tangent("copy", self=lambda t: None, src=lambda t: t)
for _op in ("fill", "zero"):
    tangent(_op, self=lambda t: None)
tangent("fill_tensor", self=lambda t: None, value=lambda t: t)
tangent("cat", tensors=lambda t, tensors, dim: cygrad.cat(filled(t, tensors), dim))
tangent("stack", tensors=lambda t, tensors, dim: cygrad.stack(filled(t, tensors), dim))
tangent("flip", self=lambda t, dims: t.flip(dims) if dims else t)
tangent("roll", self=lambda t, shifts, dims: t.roll(shifts, dims))
tangent("view_as_real", self=lambda t: cygrad.view_as_real(t))
tangent("view_as_complex", self=lambda t: cygrad.view_as_complex(t))
tangent("conj", self=lambda t: t.conj())
tangent("neg_view", self=lambda t: t._neg_view())
tangent("conj_physical", self=lambda t: t.conj_physical())
tangent("gather", self=lambda t, dim, index: t.gather(dim, index))
tangent("scatter", self=lambda t, dim, index: t.scatter(dim, index, 0),
        src=lambda t, dim, index, result: cygrad.zeros_like(result).scatter(dim, index, t))
tangent("scatter_add", self=lambda t: t,
        src=lambda t, dim, index, result: cygrad.zeros_like(result).scatter_add(dim, index, t))
tangent("index_select", self=lambda t, dim, index: t.index_select(dim, index))


def window(t, self, size, stride, offset):
    """The part of a tangent that is where a view is in its tensor, if it lies in memory as the tensor does."""
    if t.stride() != self.stride():
        return NotImplemented
    start = self.storage_offset() if offset is None else offset
    return t.as_strided(size, stride, start - self.storage_offset() + t.storage_offset())


def viewable(t, result):
    """Whether a tangent lies in memory as its tensor does, of which there is a view in the result's shape."""
    return t.is_contiguous() or t.dim() == 0


def filled(tangents, tensors):
    """The tangents of a list of tensors, zeros where there is none."""
    return [cygrad.zeros_like(tensor) if t is None else t for t, tensor in zip(tangents, tensors)]
