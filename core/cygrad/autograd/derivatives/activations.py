"""Derivatives of activation functions."""
import math

import cygrad
from cygrad.autograd.derivatives.helpers import conj
from cygrad.autograd.node import derivative

derivative("relu", self=lambda grad, result: threshold_backward(grad, result, 0))
derivative("threshold", self=lambda grad, self, threshold: threshold_backward(grad, self, threshold))
derivative("leaky_relu", self=lambda grad, self, negative_slope: cygrad.where(self > 0, grad, grad * negative_slope))
derivative("hardtanh", self=lambda grad, self, min_val, max_val:
           cygrad.where((self > min_val).logical_and(self < max_val), grad, 0))
derivative("hardsigmoid", self=lambda grad, self: cygrad.where((self > -3).logical_and(self < 3), grad / 6, 0))
derivative("hardswish", self=lambda grad, self:
           cygrad.where(self <= -3, 0, cygrad.where(self < 3, grad * (self / 3 + 0.5), grad)))
derivative("hardshrink", self=lambda grad, self, lambd: cygrad.where((self < -lambd).logical_or(self > lambd), grad, 0))
derivative("softshrink", self=lambda grad, self, lambd: cygrad.where((self < -lambd).logical_or(self > lambd), grad, 0))
derivative("softplus", self=lambda grad, self, beta, threshold:
           cygrad.where(self * beta > threshold, grad, grad * (self * beta).sigmoid()))
derivative("log_sigmoid", self=lambda grad, self: grad * (-self).sigmoid())
derivative("silu", self=lambda grad, self: silu_backward(grad, self))
derivative("mish", self=lambda grad, self: mish_backward(grad, self))
derivative("gelu", self=lambda grad, self, approximate: gelu_backward(grad, self, approximate))
derivative("elu", self=lambda grad, self, alpha, scale, input_scale:
           elu_backward(grad, self, alpha, scale, input_scale))
derivative("celu", self=lambda grad, self, alpha: elu_backward(grad, self, alpha, 1, 1 / alpha))
derivative("glu", self=lambda grad, self, dim: glu_backward(grad, self, dim))


def threshold_backward(grad, x, threshold):
    """The gradient where x > threshold, or x is NaN."""
    return cygrad.where(x <= threshold, 0, grad)


def silu_backward(grad, self):
    s = self.sigmoid()
    return grad * conj(s * (1 + self * (1 - s)))


def mish_backward(grad, self):
    t = cygrad.ops.activations.softplus(self).tanh()
    return grad * (t + self * self.sigmoid() * (1 - t * t))


def gelu_backward(grad, self, approximate):
    """By the product rule: the distribution's function and x times its density, or those of the approximation."""
    if approximate == "tanh":
        root = math.sqrt(2 / math.pi)
        t = (root * (self + 0.044715 * self.pow(3))).tanh()
        slope = root * (1 + 3 * 0.044715 * self * self)
        return grad * (0.5 * (1 + t) + 0.5 * self * (1 - t * t) * slope)
    below = 0.5 * (1 + (self * math.sqrt(0.5)).erf())
    density = (self * self * -0.5).exp() / math.sqrt(2 * math.pi)
    return grad * (below + self * density)


def elu_backward(grad, self, alpha, scale, input_scale):
    return cygrad.where(self <= 0, grad * (alpha * scale * input_scale) * (self * input_scale).exp(), grad * scale)


def glu_backward(grad, self, dim):
    half = self.size(dim) // 2
    first, gate = self.narrow(dim, 0, half), self.narrow(dim, half, half).sigmoid()
    return cygrad.cat([grad * gate, grad * first * gate * (1 - gate)], dim)
