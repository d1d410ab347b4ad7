"""Derivatives of matrix products and of the ops that build or mask matrices."""
import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.derivatives.helpers import conj, placed, times, written
from cygrad.ops.linalg.distances import trilinear


def adjoint(t):
    """The conjugate transpose of the last two axes."""
    return conj(t.mT)


def scaled(t, factor):
    """t * conj(factor), without a product where the factor is 1."""
    return t if factor == 1 else times(t, conj(factor))


def left_factor(grad, right, geometry):
    """The gradient of a product's left factor, in that factor's order of memory, as PyTorch's is."""
    return conj(right).mm(grad.t()).t() if column_major(geometry) else grad.mm(conj(right.t()))


def right_factor(left, grad, geometry):
    """The gradient of the right factor, which is the transpose of a weight where `linear` made the product."""
    return grad.t().mm(conj(left)).t() if column_major(geometry) else conj(left.t()).mm(grad)


def column_major(geometry):
    """Whether a matrix has its columns one after the other in memory."""
    shape, strides, _ = geometry
    return strides[0] == 1 and strides[1] == shape[0]


# -------------------------------------------------------------------- products

derivative("mm", self=lambda grad, mat2, self_geometry: left_factor(grad, mat2, self_geometry),
           mat2=lambda grad, self, mat2_geometry: right_factor(self, grad, mat2_geometry))
derivative("bmm", self=lambda grad, mat2: grad.bmm(adjoint(mat2)), mat2=lambda grad, self: adjoint(self).bmm(grad))
derivative("mv", self=lambda grad, vec: grad.outer(conj(vec)), vec=lambda grad, self: conj(self).t().mv(grad))
derivative("dot", self=lambda grad, tensor: grad * conj(tensor), tensor=lambda grad, self: grad * conj(self))
derivative("vdot", self=lambda grad, other: conj(grad) * other, other=lambda grad, self: grad * self)
derivative("addmm", self=lambda grad, beta: scaled(grad, beta),
           mat1=lambda grad, mat2, alpha, mat1_geometry: scaled(left_factor(grad, mat2, mat1_geometry), alpha),
           mat2=lambda grad, mat1, alpha, mat2_geometry: scaled(right_factor(mat1, grad, mat2_geometry), alpha))
derivative("unsafe_view", self=lambda grad, self_shape: grad.reshape(self_shape))
derivative("squeeze_in_place", name="SqueezeBackward4", self=lambda grad, self_shape: grad.reshape(self_shape))
derivative("addmv", self=lambda grad, beta: scaled(grad, beta),
           mat=lambda grad, vec, alpha: scaled(grad.outer(conj(vec)), alpha),
           vec=lambda grad, mat, alpha: scaled(conj(mat.t()).mv(grad), alpha))
derivative("addr", self=lambda grad, beta: scaled(grad, beta),
           vec1=lambda grad, vec2, alpha: scaled(grad.mv(conj(vec2).to(grad.dtype)), alpha),
           vec2=lambda grad, vec1, alpha: scaled(grad.t().mv(conj(vec1).to(grad.dtype)), alpha))
derivative("baddbmm", self=lambda grad, beta: scaled(grad, beta),
           batch1=lambda grad, batch2, alpha: scaled(grad.bmm(adjoint(batch2)), alpha),
           batch2=lambda grad, batch1, alpha: scaled(adjoint(batch1).bmm(grad), alpha))
derivative("addbmm", self=lambda grad, beta: scaled(grad, beta),
           batch1=lambda grad, batch1_shape, batch2, alpha:
           scaled(grad.unsqueeze(0).expand(batch1_shape[0], *grad.shape).bmm(adjoint(batch2)), alpha),
           batch2=lambda grad, batch1, batch2_shape, alpha:
           scaled(adjoint(batch1).bmm(grad.unsqueeze(0).expand(batch2_shape[0], *grad.shape)), alpha))
derivative("trilinear", name="TrilinearBackward0",
           first=lambda grad, weight, second: trilinear(grad, conj(weight).transpose(0, 1), conj(second)),
           weight=lambda grad, first, second: (grad.unsqueeze(2) * conj(first).unsqueeze(1)).flatten(1).t().mm(
           conj(second)).view(grad.shape[1], first.shape[1], second.shape[1]),
           second=lambda grad, first, weight: trilinear(grad, conj(weight).permute(2, 0, 1), conj(first)))
derivative("linalg_cross", self=lambda grad, other, dim: cygrad.linalg.cross(conj(other), grad, dim=dim),
           other=lambda grad, self, dim: cygrad.linalg.cross(grad, conj(self), dim=dim))

# ------------------------------------------- diagonals and triangles (`diag_embed` is in geometry)

derivative("trace", self=lambda grad, self_shape:
           trace_backward(grad, *self_shape))
derivative("diagonal_copy", name="DiagonalBackward0_copy", self=lambda grad, self_shape, offset, dim1, dim2:
           placed(grad, self_shape, lambda t: t.diagonal(offset, dim1, dim2), "Diagonal"))
derivative("tril", self=lambda grad, diagonal: grad.tril(diagonal))
derivative("triu", self=lambda grad, diagonal: grad.triu(diagonal))


def trace_backward(grad, rows, columns):
    places = cygrad.arange(min(rows, columns), device=grad.device) * (columns + 1)
    return written(grad.new_zeros(rows * columns).index_fill(0, places, grad), 2).view(rows, columns)
