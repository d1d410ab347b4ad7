"""Derivatives of pointwise ops."""
import cygrad
from cygrad.autograd.derivatives.helpers import conj
from cygrad.autograd.node import derivative

# ------------------------------------------------------------------ arithmetic

derivative("add", self=lambda grad: grad, other=lambda grad, alpha: grad if alpha == 1 else grad * conj(alpha))
derivative("sub", self=lambda grad: grad, other=lambda grad, alpha: -grad if alpha == 1 else grad * -conj(alpha))
derivative("mul", self=lambda grad, other: grad * conj(other), other=lambda grad, self: grad * conj(self))
derivative("div", self=lambda grad, other: grad / conj(other),
           other=lambda grad, self, other: -grad * conj(self / other / other))
derivative("neg", self=lambda grad: -grad)
