"""Derivatives of reductions, scans and softmax."""
import math

import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.derivatives.helpers import conj, in_rows, one_node, over, times, written
from cygrad.autograd.forward_levels import batch_depth
from cygrad.autograd.modes import grad_mode
from cygrad.dispatch.raw import softmax_backward_op

# ------------------------------------------------------------------ sum, mean, product

derivative("sum", self=lambda grad, self_shape: grad.expand(self_shape))
derivative("sum_dim", name="SumBackward1",
           self=lambda grad, self_shape, dim, keepdim: spread(grad, self_shape, dim, keepdim))
derivative("mean", self=lambda grad, self_shape: over(grad.expand(self_shape), max(count(self_shape, None), 1)))
derivative("mean_dim", name="MeanBackward1", self=lambda grad, self_shape, dim, keepdim:
           over(spread(grad, self_shape, dim, keepdim), max(count(self_shape, dim), 1)))
derivative("nansum", self=lambda grad, self, dim, keepdim:
           spread(grad, self.shape, dim, keepdim) * self.isnan().logical_not())
derivative("prod", self=lambda grad, self, result: prod_backward(grad, self.to(result.dtype), result))
derivative("prod_dim", name="ProdBackward1", self=lambda grad, self, dim, keepdim, result:
           prod_dim_backward(restored(grad, self.shape, (dim,), keepdim), self.to(result.dtype),
                             restored(result, self.shape, (dim,), keepdim), dim))


def count(shape, dims):
    """Number of elements along the axes `dims` (None: all)."""
    return math.prod(shape if dims is None else [shape[d] for d in dims] if shape else [])


def restored(t, shape, dims, keepdim):
    """A reduction's result with the axes it lost, of size 1; where it lost all (None), as it is."""
    if keepdim or dims is None or not shape:
        return t
    if len(dims) == 1:
        return t.unsqueeze(dims[0])
    if grad_mode():
        for dim in sorted(dims):
            t = t.unsqueeze(dim)
        return t
    return t.reshape([1 if i in dims else n for i, n in enumerate(shape)])


def beside(t, shape, dims, keepdim):
    """`restored` where broadcasting does not do it."""
    return t if t.dim() == 0 and len(shape) > 1 else restored(t, shape, dims, keepdim)


def spread(grad, shape, dims, keepdim):
    """A gradient repeated along the axes that were reduced."""
    return restored(grad, shape, dims, keepdim).expand(shape)


def prod_backward(grad, self, result):
    if self.dim() == 0:
        return grad
    zeros = int((self == 0).sum())
    if not zeros:
        return grad * conj(result / self)
    if self.numel() == 1:
        return grad.reshape(self.shape)
    if zeros > 1 and not grad_mode():                   # also beside NaN and infinity
        return cygrad.zeros_like(self)
    return (grad * conj(others_product(self.reshape(-1), 0))).reshape(self.shape)


def prod_dim_backward(grad, self, result, dim):
    if self.dim() == 0:
        return grad
    if not bool((self == 0).any()):
        return grad * conj(result / self)
    return grad if self.size(dim) == 1 else grad * conj(others_product(self, dim))


def others_product(x, dim):
    """For each element the product of all others along an axis, by running products from both ends."""
    n = x.size(dim)
    if n == 0:
        return cygrad.zeros_like(x)
    one = cygrad.ones_like(x.narrow(dim, 0, 1))
    before = cygrad.cat([one, x.narrow(dim, 0, n - 1)], dim).cumprod(dim)
    after = cygrad.cat([one, x.narrow(dim, 1, n - 1).flip(dim)], dim).cumprod(dim).flip(dim)
    return before * after


# --------------------------------------------------------------------------- extremes

derivative("max", name="MaxBackward1", self=lambda grad, self, result: evenly(grad, self, result))
derivative("min", name="MinBackward1", self=lambda grad, self, result: evenly(grad, self, result))
derivative("median", self=lambda grad, self, result: evenly(grad, self, result))
derivative("nanmedian", self=lambda grad, self, result: evenly(grad, self, result))
derivative("amax", self=lambda grad, self, dim, keepdim, result: share(grad, self, result, dim, keepdim))
derivative("amin", self=lambda grad, self, dim, keepdim, result: share(grad, self, result, dim, keepdim))
derivative("aminmax", self=lambda grads, self, dim, keepdim, result:
           aminmax_backward(grads, self, dim, keepdim, result))
for _op, _name in (("max_dim", "MaxBackward0"), ("min_dim", "MinBackward0"), ("median_dim", "MedianBackward1"),
                   ("nanmedian_dim", "NanmedianBackward1"), ("mode", "ModeBackward0")):
    derivative(_op, name=_name, self=lambda grad, self_shape, dim, keepdim, result:
               at_indices(grad, self_shape, dim, keepdim, result[1]))


def evenly(grad, self, value):
    """Every element equal to the value (NaN to NaN) gets the same part of the gradient."""
    mask = self.isnan() if value.isnan().item() else self == value
    if grad_mode() and not batch_depth():
        return self.new_zeros(self.shape).masked_fill_(mask, grad / mask.sum())
    found = in_rows(cygrad.where(mask, grad / mask.sum(), 0))
    return found if batch_depth() else written(found)


def share(grad, self, result, dims, keepdim):
    """Along the reduced axes, the elements equal to the result share the gradient."""
    mask = restored(result, self.shape, dims, keepdim) == self
    return restored(grad, self.shape, dims, keepdim) / mask.sum(dims, True) * mask


def aminmax_backward(grads, self, dim, keepdim, result):
    dims = tuple(range(self.dim())) if dim is None else (dim,)
    parts = [share(g, self, r, dims, keepdim) for g, r in zip(grads, result) if g is not None]
    return parts[0] if len(parts) == 1 else parts[0] + parts[1] if batch_depth() else written(parts[0] + parts[1])


def at_indices(grad, shape, dim, keepdim, indices):
    """Zeros, with the gradient where the chosen elements were."""
    if grad is None:
        return None
    if shape and not keepdim:
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return written(grad.new_zeros(shape).scatter(dim, indices, grad), 2)


# ------------------------------------------------------------------- variance and norms

derivative("var", self=lambda grad, self, dim, correction, keepdim: var_backward(grad, self, dim, correction, keepdim))
derivative("std", self=lambda grad, self, dim, correction, keepdim, result:
           var_backward(std_to_var(grad, result), self, dim, correction, keepdim))
derivative("var_mean", self=lambda grads, self, dim, correction, keepdim:
           moments_backward(grads[0], grads[1], self, dim, correction, keepdim))
derivative("std_mean", self=lambda grads, self, dim, correction, keepdim, result:
           std_mean_backward(*grads, self, dim, correction, keepdim, result[0]))
derivative("logsumexp", self=lambda grad, self, dim, keepdim, result: restored(grad, self.shape, dim, keepdim)
           * conj((self - restored(result, self.shape, dim, keepdim)).exp()))
for _op, _name in (("linalg_vector_norm", "LinalgVectorNormBackward0"), ("norm", "NormBackward1")):
    derivative(_op, name=_name, self=lambda grad, self, ord, dim, keepdim, result:
               norm_backward(beside(grad, self.shape, dim, keepdim), self, ord, dim,
                             beside(result, self.shape, dim, keepdim)))
derivative("dist", self=lambda grad, self, other, p, result: dist_backward(grad, self, other, p, result),
           other=lambda grad, self, other, p, result: -dist_backward(grad, self, other, p, result))
derivative("renorm", self=lambda grad, self, p, dim, maxnorm: renorm_backward(grad, self, p, dim, maxnorm))


def var_backward(grad, self, dims, correction, keepdim):
    """2 (x - mean) / (n - correction); where that divides by 0 the variance is infinite or NaN, and so is this."""
    n = count(self.shape, dims)
    if n <= correction and (dims is None or not self.dim()):
        return grad * cygrad.where(self == self.mean(), math.nan, math.inf)
    factor = 2.0 / (n - correction) if n != correction else math.nan if n == 0 else math.inf
    if dims is None:
        return times(grad, factor) * (self - self.mean())
    return times(restored(grad, self.shape, dims, keepdim), factor) * (self - self.mean(dims, True))


def std_to_var(grad, result):
    """The gradient of the variance from that of its root; 0 at 0."""
    return (grad / (result * 2)).masked_fill_(result == 0, 0)


def std_mean_backward(grad, grad_mean, self, dims, correction, keepdim, std):
    """PyTorch's reads the deviation, and so refuses a changed one, also where only the mean has a gradient."""
    grad = None if grad is None else std_to_var(grad, std)
    return moments_backward(grad, grad_mean, self, dims, correction, keepdim)


def moments_backward(grad, grad_mean, self, dims, correction, keepdim):
    found = None
    if grad is not None:
        found = var_backward(grad, self, dims, correction, keepdim)
    if grad_mean is not None:
        of_mean = over(spread(grad_mean, self.shape, dims, keepdim), max(count(self.shape, dims), 1))
        found = of_mean if found is None else found + of_mean
    return found


def norm_backward(grad, self, p, dims, norm):
    """Gradient of the p-norm along `dims` (axes kept); the subgradient 0 where the norm is 0."""
    if p == 0:
        return None
    if p == 1:
        return self.sgn() * grad
    if p == 2:
        return grad * (self / norm).masked_fill_(norm == 0, 0)
    if abs(p) == math.inf:
        size = self.abs()
        chosen = (size == norm).logical_or(size.isnan().logical_and(norm.isnan()))
        return self.sgn() * (grad / chosen.sum(dims, True) * chosen)
    if p < 1:
        powers = cygrad.where(self == 0, 0, self.abs().pow(p - 1))
        return self.sgn() * powers * grad * norm.pow(1 - p)
    if p < 2:
        return self.sgn() * self.abs().pow(p - 1) * (grad / norm.pow(p - 1)).masked_fill_(norm == 0, 0)
    return self * self.abs().pow(p - 2) * (grad / norm.pow(p - 1)).masked_fill_(norm == 0, 0)


def dist_backward(grad, self, other, p, result):
    difference = self - other
    return norm_backward(grad, difference, p, tuple(range(difference.dim())), result)


def renorm_backward(grad, self, p, dim, maxnorm):
    """Slices that were scaled lose the part of the gradient along the norm's own."""
    dims = tuple([i for i in range(self.dim()) if i != dim])
    wide = cygrad.float32 if self.dtype.itemsize == 2 else cygrad.complex128 if self.is_complex() else cygrad.float64
    norm = cygrad.ops.reduce.norms.vector_norm(self, p, dims, True, dtype=wide)
    along = conj(self) * grad
    along = (along.real if along.is_complex() else along).sum(dims, True, dtype=norm.dtype)
    along = norm_backward(along, self, p, dims, norm)
    inverse = (norm + 1e-7).reciprocal()
    return cygrad.where(norm > maxnorm, (maxnorm * inverse * (grad - inverse * along)).to(grad.dtype), grad)


# ------------------------------------------------------------------------------- scans

derivative("cumsum", self=lambda grad, dim: grad if grad.numel() <= 1 or grad.size(dim) == 1 else sums_from(grad, dim))
derivative("cumprod", self=lambda grad, self, dim, result: cumprod_backward(grad, self, dim, result))
derivative("logcumsumexp", self=lambda grad, self, dim, result: logcumsumexp_backward(grad, self, dim, result))
for _op in ("cummax", "cummin"):
    derivative(_op, self=lambda grad, self, dim, result:
               written(grad.new_zeros(self.shape).scatter_add(dim, result[1], grad), 2) if grad.numel() else grad)


def sums_from(x, dim):
    """Sums of the elements from each place on."""
    return x.flip(dim).cumsum(dim).flip(dim)


def cumprod_backward(grad, self, dim, result):
    if self.dim() == 0 or self.numel() == 0 or self.size(dim) == 1:
        return grad
    zeros = self == 0
    if not bool(zeros.any()):
        return sums_from(grad * conj(result), dim) / conj(self)
    if grad_mode():
        return cumprod_backward_exact(grad, self, dim)
    seen = zeros.cumsum(dim)
    before, between = seen == 0, seen == 1
    first = zeros.logical_and(between)
    early = sums_from(cygrad.where(before, grad * conj(result), 0), dim) / conj(cygrad.where(zeros, 1, self))
    head = cygrad.where(before, self, 1).prod(dim, True)
    tail = cygrad.where(between.logical_and(zeros.logical_not()), self, 1).cumprod(dim)
    at_zero = (cygrad.where(between, grad * conj(tail), 0)).sum(dim, True) * conj(head)
    return cygrad.where(before, early, cygrad.where(first, at_zero, 0))


def cumprod_backward_exact(grad, self, dim):
    """Without a division, in quadratic time, so that it can be differentiated at zeros too."""
    n = self.size(dim)
    parts = []
    for k in range(n):
        head = self.narrow(dim, 0, k).prod(dim, True)
        one = cygrad.ones_like(self.narrow(dim, 0, 1))
        omitted = head * cygrad.cat([one, self.narrow(dim, k + 1, n - k - 1)], dim).cumprod(dim)
        parts.append((grad.narrow(dim, k, n - k) * conj(omitted)).sum(dim, True))
    return cygrad.cat(parts, dim)


def logcumsumexp_backward(grad, self, dim, result):
    """In logarithms, the positive and the negative gradients apart."""
    if grad.dim() == 0 or not grad.numel():
        return grad

    def from_here(t):
        return t.flip(dim).logcumsumexp(dim).flip(dim)
    if grad.is_complex():
        return conj((from_here(conj(grad).log() - result) + self).exp())
    logs, least = grad.abs().log(), cygrad.finfo(grad.dtype).min
    positive = (from_here(cygrad.where(grad > 0, logs, least) - result) + self).exp()
    negative = (from_here(cygrad.where(grad < 0, logs, least) - result) + self).exp()
    return positive - negative


# ----------------------------------------------------------------------------- softmax

derivative("softmax", self=one_node("SoftmaxBackwardDataBackward0", lambda grad, dim, result:
           softmax_backward(grad, result, dim), "grad", "result"))
derivative("log_softmax", self=one_node("LogSoftmaxBackwardDataBackward0", lambda grad, dim, result:
           log_softmax_backward(grad, result, dim), "grad", "result"))


def softmax_backward(grad, result, dim):
    if grad_mode() or not result.dim():
        weighted = grad * result
        return weighted - result * weighted.sum(dim, True)
    return softmax_backward_op(grad.to(result.dtype), result.detach(), dim, False)


def log_softmax_backward(grad, result, dim):
    if grad_mode() or not result.dim():
        return grad - result.exp() * grad.sum(dim, True)
    return softmax_backward_op(grad.to(result.dtype), result.detach(), dim, True)
