"""Derivatives of matrix products and of the ops that build or mask matrices."""
import cygrad
from cygrad.autograd.derivatives.helpers import conj
from cygrad.autograd.node import derivative


def adjoint(t):
    """The conjugate transpose of the last two axes."""
    return t.mT.conj() if t.is_complex() else t.mT


def scaled(t, factor):
    """t * conj(factor), without a product where the factor is 1."""
    return t if factor == 1 else t * conj(factor)


# -------------------------------------------------------------------- products

derivative("mm", self=lambda grad, mat2: grad.mm(adjoint(mat2)), mat2=lambda grad, self: adjoint(self).mm(grad))
derivative("bmm", self=lambda grad, mat2: grad.bmm(adjoint(mat2)), mat2=lambda grad, self: adjoint(self).bmm(grad))
derivative("mv", self=lambda grad, vec: grad.outer(conj(vec)), vec=lambda grad, self: adjoint(self).mv(grad))
derivative("dot", self=lambda grad, tensor: grad * conj(tensor), tensor=lambda grad, self: grad * conj(self))
derivative("vdot", self=lambda grad, other: conj(grad) * other, other=lambda grad, self: grad * self)
derivative("addmm", self=lambda grad, beta: scaled(grad, beta),
           mat1=lambda grad, mat2, alpha: scaled(grad.mm(adjoint(mat2)), alpha),
           mat2=lambda grad, mat1, alpha: scaled(adjoint(mat1).mm(grad), alpha))
derivative("unsafe_view", self=lambda grad, self_shape: grad.reshape(self_shape))
derivative("squeeze_in_place", name="SqueezeBackward4", self=lambda grad, self_shape: grad.reshape(self_shape))
