"""Derivatives of indexing, gather, scatter and masks."""
import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.derivatives.helpers import (conj, fresh, no_derivative, not_implemented, of_composite, one_node,
                                                 placed, times, written)
from cygrad.autograd.derivatives.reduce import at_indices
from cygrad.autograd.forward_levels import batch_depth
from cygrad.autograd.function import final
from cygrad.autograd.modes import grad_mode
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.index import index_put as ops
from cygrad.ops.index.segment_reduction import reduced
from cygrad.ops.shape.slices import slice_along

# ------------------------------------------------------------- x[index] and masks

derivative("index", self=lambda grad, self_shape, indices, first: written((
    ops.index_put if batch_depth() else ops.index_put_impl)(grad.new_zeros(self_shape), indices, grad, True)))
derivative("index_rows", name="IndexBackward0", self=lambda grad, self_shape, positions, axes, mask: written((
    ops.put_rows if batch_depth() else ops.put_rows_impl)(grad.new_zeros(self_shape), positions, axes, grad, True)))
for _op, _name in ("", "IndexPutBackward0"), ("_impl", "IndexPutImplBackward0"):
    derivative("index_put" + _op, name=_name, self=lambda grad, indices, accumulate:
               grad if accumulate else ops.index_put(grad, indices, grad.new_zeros(()), False),
               values=lambda grad, indices: ops.recorded_index(grad, indices.read()))
    derivative("put_rows" + _op, name=_name, self=lambda grad, positions, axes, accumulate:
               grad if accumulate else ops.put_rows(grad, positions, axes, grad.new_zeros(()), False),
               values=lambda grad, positions, axes: ops.index_rows(grad, positions, axes, None))
derivative("masked_fill", self=lambda grad, mask: grad.masked_fill(mask, 0))
derivative("masked_fill_tensor", name="MaskedFillBackward1", self=lambda grad, mask: grad.masked_fill(mask, 0),
           value=lambda grad, mask: (grad.masked_select(mask) if grad_mode() and not batch_depth() else
                                      grad.where(mask, 0)).sum())
derivative("masked_select", self=lambda grad, self, mask, positions, shape: masked_select_backward(
    grad, self.expand(shape), mask, positions))
derivative("masked_scatter", self=lambda grad, mask: grad.masked_fill(mask, 0),
           source=one_node("MaskedScatterBackwardBackward0", lambda grad, mask, source_shape:
                           _leading(grad[mask.expand(grad.shape)] if batch_depth() else grad.masked_select(mask),
                                    source_shape), "grad"))


def masked_select_backward(grad, like, mask, positions):
    """Zeros laid out as `like`, with the gradient at the places where the mask is true."""
    into = cygrad.zeros_like(like)
    if not grad_mode() or batch_depth():
        return written(ops.put_rows(into, positions, like.dim(), grad, False))
    return written(into.masked_scatter(mask, grad))

# --------------------------------------------------------------- along an axis

derivative("index_select", self=lambda grad, self_shape, dim, index: written(grad.new_zeros(self_shape).index_add(
    dim, index, grad)))
derivative("index_add", self=lambda grad: grad,
           source=lambda grad, dim, index, alpha, source: _scaled(_slices(grad, dim, index, source.shape), alpha))
derivative("index_copy", self=lambda grad, dim, index: grad.index_fill(dim, index, 0),
           source=lambda grad, dim, index, source: _slices(grad, dim, index, source.shape))
derivative("index_fill", self=lambda grad, dim, index: grad.index_fill(dim, index, 0))
derivative("index_fill_tensor", name="IndexFillBackward1", self=lambda grad, dim, index: grad.index_fill(dim, index, 0),
           value=lambda grad, dim, index: _filled_part(grad, dim, index))
derivative("gather", self=lambda grad, self, dim, index:     # no place needs no dtype: an empty index has any
           written(grad.new_zeros(self.shape).scatter_add(dim, index if index.numel() else index.long(), grad)))
derivative("take", self=lambda grad, self, index:
           written(grad.new_zeros(self.shape).put(index, grad, True)))
derivative("put", self=lambda grad, index, accumulate:
           grad if accumulate else grad.put(index, grad.new_zeros(index.shape)),
           source=lambda grad, index, source: grad.take(index).reshape(source.shape))
derivative("scatter", self=lambda grad, dim, index: grad.scatter(dim, index, 0),
           src=lambda grad, dim, index: grad.gather(dim, index))
derivative("scatter_value", name="ScatterBackward1", self=lambda grad, dim, index: grad.scatter(dim, index, 0))
derivative("scatter_add", self=lambda grad: grad,
           src=lambda grad, dim, index: grad.gather(dim, index))
derivative("scatter_with", name="NotImplemented", self=not_implemented("aten::scatter"),
           src=not_implemented("aten::scatter"))
derivative("scatter_reduce", self=lambda grad, result, self, dim, index, src, reduce, include_self:
           reduced_self(grad, result, self, dim, index, src, reduce, include_self),
           src=lambda grad, result, self, dim, index, src, reduce, include_self:
           reduced_source(grad, result, self, dim, index, src, reduce, include_self))
derivative("index_reduce", self=lambda grad, result, self, dim, index, source, reduce, include_self:
           reduced_self(grad, result, self, dim, _wide(index, dim, source), source, reduce, include_self),
           source=lambda grad, result, self, dim, index, source, reduce, include_self:
           reduced_source(grad, result, self, dim, _wide(index, dim, source), source, reduce, include_self,
                                 ("index_reduce", "source")))

# ------------------------------------------------------------ sorting and counting

derivative("sort", self=lambda grads, self_shape, dim, result: at_indices(grads[0], self_shape, dim, True, result[1]))
derivative("sort_stable", name="SortBackward1", self=lambda grads, self_shape, dim, result:
           at_indices(grads[0], self_shape, dim, True, result[1]))
derivative("topk", self=lambda grads, self_shape, dim, result: at_indices(grads[0], self_shape, dim, True, result[1]))
derivative("kthvalue", self=lambda grads, self_shape, dim, keepdim, result:
           at_indices(grads[0], self_shape, dim, keepdim, result[1]))
derivative("distinct", name="Unique2Backward0", self=no_derivative("_unique2"))
derivative("unique_elements", name="Unique2Backward0", self=no_derivative("_unique2"))
derivative("unique_slices", name="UniqueDimBackward0", self=no_derivative("unique_dim"))
derivative("distinct_runs", name="UniqueConsecutiveBackward0",
           self=no_derivative("unique_consecutive"))
derivative("unique_runs", name="UniqueConsecutiveBackward0", self=no_derivative("unique_consecutive"))
derivative("segment_reduce", data=lambda grad, result, data, pieces, sizes, reduce, axis, initial:
           segment_slope(grad, result, data, pieces, sizes, reduce, axis, initial))
derivative("segment_slope", name="NotImplemented", **{argument: not_implemented("aten::_segment_reduce_backward")
                                                      for argument in ("grad", "result", "data")})


@primitive
def segment_slope(grad, result, data, pieces, sizes, reduce, axis, initial):
    """Where an extreme is what the reduction began with, elements that equal it get its gradient all the same."""
    if reduce in ("max", "min", "amax", "amin") and initial is not None:
        own = reduced(data.detach(), pieces, sizes, reduce, axis, None)
        grad, initial = grad.masked_fill((own != result.detach()).logical_and(own.isnan().logical_not()), 0), None
    return fresh(of_composite(lambda x: reduced(x, pieces, sizes, reduce, axis, initial), (data,), (grad,))[0])


derivative("weighted_bincount", name="NotImplemented", weights=not_implemented("aten::bincount"))

# --------------------------------------------------------------------- windows

derivative("select_scatter", self=lambda grad, src_shape, dim, index:
           grad.select_scatter(grad.new_zeros(src_shape), dim, index),
           src=lambda grad, dim, index: grad.select(dim, index))
derivative("slice_scatter", self=lambda grad, src_shape, dim, start, end, step:
           grad.slice_scatter(grad.new_zeros(src_shape), dim, start, end, step),
           src=lambda grad, dim, start, end, step: slice_along(grad, dim, slice(start, end, step)))
derivative("diagonal_scatter", self=lambda grad, src_shape, offset, dim1, dim2:
           grad.diagonal_scatter(grad.new_zeros(src_shape), offset, dim1, dim2),
           src=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2))
derivative("as_strided_scatter", self=lambda grad, src_shape, size, stride, storage_offset, self_geometry:
           laid_out(grad, self_geometry).as_strided_scatter(grad.new_zeros(src_shape), size, stride, storage_offset),
           src=lambda grad, size, stride, storage_offset, self_geometry:
           laid_out(grad, self_geometry).as_strided(size, stride, storage_offset))


def laid_out(grad, geometry):
    """`grad` with the strides and the offset of the tensor that it is a gradient of."""
    size, stride, offset = geometry
    reach = offset + 1 + sum((n - 1) * s for n, s in zip(size, stride)) if grad.numel() else 0
    return grad.new_zeros(reach).as_strided(size, stride, offset).copy_(grad)


def _slices(grad, dim, index, shape):
    """The slices of `grad` that a source of `shape` was written to."""
    return grad.index_select(dim, index).expand(shape) if shape else grad.index_select(dim, index.reshape(()))


def _scaled(grad, alpha):
    return grad if alpha == 1 else times(grad, conj(alpha))


def _filled_part(grad, dim, index):
    """The sum over the slices that were filled, each of them once."""
    return grad.index_select(dim, index.unique()).sum()


def _leading(grad, shape):
    """A gradient of the first elements of a tensor of `shape`, in row-major order, as one of all."""
    count = 1
    for n in shape:
        count *= n
    if grad.numel() < count:
        grad = cygrad.cat([grad, grad.new_zeros(count - grad.numel())])
    return grad.reshape(shape)


def _sources(grad, dim, index, shape):
    """The gradient of a scattered source, which may be longer than the index along any axis."""
    found = grad.gather(dim, index)
    if found.shape == shape:
        return found
    return placed(found, shape, lambda t: t[tuple([slice(n) for n in found.shape])], "Slice")


def _wide(index, dim, source):
    """The index of slices as the index of single elements."""
    if source.dim() == 0:
        return index.reshape(())
    return index.reshape((-1,) + (1,) * (source.dim() - dim - 1)).expand(source.shape)


def reduced_self(grad, result, self, dim, index, src, reduce, include_self):
    """Gradient of `scatter_reduce` with respect to self."""
    if not include_self:
        return _shared_self(grad, result, self, dim, index, src, reduce, False).scatter(dim, index, 0)
    return _shared_self(grad, result, self, dim, index, src, reduce, True)


def _shared_self(grad, result, self, dim, index, src, reduce, include_self):
    if reduce == "sum":
        return grad
    if reduce == "mean":
        return grad / _counts(grad, dim, index, src, include_self)
    if reduce == "prod":                                 # the product of the others: a zero of self is left out
        kept = self.masked_fill(self == 0, 1)
        return grad * conj(kept.scatter_reduce(dim, index, src, "prod", include_self=include_self)) / conj(kept)
    mine, _, share = _extremes(grad, result, self, dim, index, src)
    return mine * share


def reduced_source(grad, result, self, dim, index, src, reduce, include_self, words=("scatter_reduce", "src")):
    """Gradient of `scatter_reduce` with respect to its source."""
    if reduce == "sum":
        return grad.gather(dim, index)
    if reduce == "mean":
        return grad.gather(dim, index) / _counts(grad, dim, index, src, include_self).gather(dim, index)
    if reduce == "prod":
        zero = src == 0
        zeros = cygrad.zeros_like(self).scatter_add(dim, index, zero.to(self.dtype)).gather(dim, index)
        used = src[tuple([slice(n) for n in index.shape])]
        alone = (used == 0) & (zeros == 1)               # the only zero among its factors
        others = self.scatter_reduce(dim, index, used.masked_fill(alone, 1), "prod", include_self=include_self)
        found = cygrad.where(alone, (grad * conj(others)).gather(dim, index),
                             (grad * conj(result)).gather(dim, index) / conj(used.masked_fill(used == 0, 1)))
        if grad_mode() and (zero & (zeros > 1)).any():
            found = final.apply(f"{words[0]}(): Double backward is unsupported for {words[1]} when >1 zeros in "
                                f"{words[1]} are scattered to the same position in self", found)
        return found if found.shape == src.shape else _padded(found, src.shape)
    _, theirs, share = _extremes(grad, result, self, dim, index, src)
    return theirs * _sources(share, dim, index, src.shape)


def _padded(found, shape):
    return placed(found, shape, lambda t: t[tuple([slice(n) for n in found.shape])], "Slice")


def _counts(grad, dim, index, src, include_self):
    """How many elements each mean is of; 1 where there is none."""
    start = cygrad.ones_like(grad) if include_self else cygrad.zeros_like(grad)
    count = start.scatter_add(dim, index, cygrad.ones_like(src))
    return count.masked_fill(count == 0, 1)


def _extremes(grad, result, self, dim, index, src):
    """(which of self are the extreme, which of src are, the gradient's share of each of them)."""
    mine = (self == result).to(grad.dtype)
    theirs = _sources(result, dim, index, src.shape)
    theirs = (src == theirs).to(grad.dtype)
    return mine, theirs, grad / mine.scatter_add(dim, index, theirs)
