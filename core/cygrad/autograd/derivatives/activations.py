"""Derivatives of activation functions."""
import math

import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.derivatives.helpers import complement, conj, flat, once, one_node, plus
from cygrad.autograd.modes import grad_mode
from cygrad.dispatch.programs import Term, one_pass, where

derivative("prelu", name="PreluKernelBackward0",
           self=one_node("PreluKernelBackwardBackward0", one_pass(
           lambda grad, self, weight: where(self > 0, grad, weight * grad)), "grad", "self", "weight",
           twice=lambda grad, self, weight: where(self >= 0, grad, weight * grad)),
           weight=one_node("PreluKernelBackwardBackward0", one_pass(
           lambda grad, self, weight: where(self > 0, 0, self * grad)), "grad", "self", "weight",
           twice=lambda grad, self, weight: where(self >= 0, 0, where(self >= 0, 0, self) * grad)))
derivative("relu", self=flat(one_pass(lambda grad, result: threshold_backward(grad, result, 0)), "result"))
derivative("threshold", inplace="ThresholdBackward1",
           self=flat(one_pass(lambda grad, self, threshold: threshold_backward(grad, self, threshold)),
                                  "self"))
derivative("leaky_relu", inplace="LeakyReluBackward1", self=flat(one_pass(lambda grad, self, negative_slope:
                                            where(self > 0, grad, grad * negative_slope)), "self"))
derivative("leaky_relu_", name="LeakyReluBackward1", self=flat(lambda grad, negative_slope, result:
           leaky_backward(grad, result, negative_slope), "result"))
derivative("rrelu_with_noise", inplace="RreluWithNoiseBackward1",
           self=flat(lambda grad, self, noise: grad * noise, "self"))
derivative("rrelu_with_noise_", name="RreluWithNoiseBackward1",
           self=flat(lambda grad, noise, result: grad * noise, "result"))
derivative("rrelu_mean_", name="RreluWithNoiseBackward1", self=flat(lambda grad, negative_slope, result:
           leaky_backward(grad, result, negative_slope), "result"))
derivative("rrelu_mean", name="RreluWithNoiseBackward0", inplace="RreluWithNoiseBackward1",
           self=flat(one_pass(lambda grad, self, negative_slope: where(self > 0, grad, grad * negative_slope)), "self"))
derivative("hardtanh", self=flat(one_pass(lambda grad, self, min_val, max_val:
                                          where((self > min_val).logical_and(self < max_val), grad, 0)), "self"))
derivative("hardsigmoid", self=once("hardsigmoid", one_pass(lambda grad, self:
           where((self > -3).logical_and(self < 3), grad / 6, 0))))
derivative("hardswish", self=one_node("HardswishBackwardBackward0", one_pass(lambda grad, self:
           where(self <= -3, 0, where(self < 3, grad * (self / 3 + 0.5), grad))), "grad", "self"))
derivative("hardshrink", self=flat(one_pass(lambda grad, self, lambd: beyond(grad, self, lambd)), "self"))
derivative("softshrink", self=flat(one_pass(lambda grad, self, lambd: beyond(grad, self, lambd)), "self"))
derivative("softplus", self=one_node("SoftplusBackwardBackward0", one_pass(lambda grad, self, beta, threshold:
           where(self * beta > threshold, grad, grad * (self * beta).sigmoid())), "grad", "self"))
derivative("log_sigmoid", self=one_node("LogSigmoidBackwardBackward0", one_pass(lambda grad, self:
           grad * (-self).sigmoid()), "grad", "self"))
derivative("silu", self=lambda grad, self: (silu_backward if grad_mode() else silu_slope)(grad, self))
derivative("mish", self=lambda grad, self: (mish_backward if grad_mode() else mish_slope)(grad, self))
derivative("gelu", self=one_node("GeluBackwardBackward0", lambda grad, self, approximate:
           (gelu_tanh_slope if approximate == "tanh" else gelu_slope)(grad, self), "grad", "self"))
derivative("elu", inplace="EluBackward1", self=one_node("EluBackwardBackward0", one_pass(
           lambda grad, self, alpha, scale, input_scale: elu_backward(grad, self, alpha, scale, input_scale)),
           "grad", "self"))
derivative("elu_", name="EluBackward1", self=one_node("EluBackwardBackward0",
           lambda grad, alpha, scale, input_scale, result:
           elu_backward_in_place(grad, result, alpha, scale, input_scale), "grad", "result"))
derivative("celu_", name="CeluBackward1", self=one_node("EluBackwardBackward0", lambda grad, alpha, result:
           elu_backward_in_place(grad, result, alpha, 1, 1 / alpha), "grad", "result"))
derivative("celu", inplace="CeluBackward1", self=one_node("EluBackwardBackward0", one_pass(
           lambda grad, self, alpha: elu_backward(grad, self, alpha, 1, 1 / alpha)), "grad", "self"))
derivative("glu", self=one_node("GluBackwardBackward0", lambda grad, self, dim: glu_backward(grad, self, dim),
                                "grad", "self"))


def threshold_backward(grad, x, threshold):
    """The gradient where x > threshold, or x is NaN."""
    return where(x <= threshold, 0, grad)


def leaky_backward(grad, result, slope):
    """The gradient by the result, in whose place the operand was: as its sign tells, which no negative slope keeps."""
    refuse_negative("leakyReLu", slope)
    return LEAKY(grad, result, slope)


def elu_backward_in_place(grad, result, alpha, scale, input_scale):
    refuse_negative("elu", alpha)
    return ELU(grad, result, alpha * scale, scale, input_scale)


def refuse_negative(name, slope):
    if slope < 0:
        raise RuntimeError(f"In-place {name} backward calculation is triggered with a negative slope which is not "
                           "supported. This is caused by calling in-place forward function with a negative slope, "
                           "please call out-of-place version instead.")


LEAKY = one_pass(lambda grad, result, slope: where(result > 0, grad, grad * slope))
ELU = one_pass(lambda grad, result, bound, scale, input_scale:
               where(result <= 0, grad * input_scale * (result + bound), grad * scale))


def beyond(grad, x, lambd):
    return where((x < -lambd).logical_or(x > lambd), grad, 0)


def silu_backward(grad, self):
    s = self.sigmoid()
    return grad * conj(s) * plus(conj(self * complement(s, 1)), 1)


def softplus(x):
    """The formula, or the op where it is recorded: the branch not taken must not add 0 * inf to the gradient."""
    if isinstance(x, Term):
        return cygrad.ops.nn.smooth_activations.softplus_formula(x, 1, 20)
    return cygrad.ops.nn.smooth_activations.softplus(x)


def mish_backward(grad, self):
    t = softplus(self).tanh()
    return grad * (t + self * self.sigmoid() * (1 - t * t))


# Where they are to be differentiated again, PyTorch composes these two of ops.
silu_slope, mish_slope = one_pass(silu_backward), one_pass(mish_backward)


@one_pass
def gelu_slope(grad, self):
    """By the product rule: the distribution's function and x times its density."""
    below = (self * math.sqrt(0.5)).erf() * 0.5 + 0.5
    density = (self * self * -0.5 + math.log(1 / math.sqrt(2 * math.pi))).exp()
    return grad * (self * density + below)


@one_pass
def gelu_tanh_slope(grad, self):
    root = math.sqrt(2 / math.pi)
    square = self * self
    t = ((square * (0.044715 * root) + root) * self).tanh()
    slope = square * (3 * 0.044715 * root) + root
    return grad * (0.5 * self * (1 - t * t) * slope + (t * 0.5 + 0.5))


def elu_backward(grad, self, alpha, scale, input_scale):
    """The slope at 0 is that from below; its own derivative there is 0, as in PyTorch."""
    exponent = where(self < 0, self * input_scale, 0)
    return where(self <= 0, grad * (alpha * scale * input_scale) * exponent.exp(), grad * scale)


def glu_backward(grad, self, dim):
    half = self.size(dim) // 2
    first, gate = self.narrow(dim, 0, half), self.narrow(dim, half, half).sigmoid()
    return cygrad.cat([grad * gate, grad * first * gate * (1 - gate)], dim)
