"""Derivatives of indexing, gather, scatter and masks."""
import cygrad
from cygrad.autograd.derivatives.helpers import conj
from cygrad.autograd.node import derivative
from cygrad.ops import indexing as ops

derivative("index", self=lambda grad, self_shape, indices: ops.index_put(grad.new_zeros(self_shape), indices, grad, True))
derivative("index_rows", name="IndexBackward0", self=lambda grad, self_shape, positions, axes: ops.put_rows(
    grad.new_zeros(self_shape), positions, axes, grad, True))
derivative("index_put", self=lambda grad, indices, accumulate:
           grad if accumulate else ops.index_put(grad, indices, grad.new_zeros(()), False),
           values=lambda grad, indices: ops.index(grad, indices))
derivative("put_rows", name="IndexPutBackward0", self=lambda grad, positions, axes, accumulate:
           grad if accumulate else ops.put_rows(grad, positions, axes, grad.new_zeros(()), False),
           values=lambda grad, positions, axes: ops.index_rows(grad, positions, axes))
derivative("index_select", self=lambda grad, self_shape, dim, index: grad.new_zeros(self_shape).index_add(
    dim, index, grad))
derivative("index_add", self=lambda grad: grad,
           source=lambda grad, dim, index, alpha, source_shape: _scaled(_slices(grad, dim, index, source_shape), alpha))


def _slices(grad, dim, index, shape):
    """The slices of `grad` that a source of `shape` was written to."""
    return grad.index_select(dim, index).reshape(shape)


def _scaled(grad, alpha):
    return grad if alpha == 1 else grad * conj(alpha)
