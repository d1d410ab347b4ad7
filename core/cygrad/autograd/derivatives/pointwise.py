"""Derivatives of pointwise ops. Gradients of complex ops are PyTorch's: the conjugate of dy/dx, for holomorphic ops.

Formulas of several steps are programs (`one_pass`, or `in_steps` where PyTorch has no kernel for them), so they use
`where` from there, and `eq` for `==`.
"""
import cmath
import math

import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.modes import grad_mode
from cygrad.autograd.derivatives.helpers import (complement, conj, minus, no_derivative, not_implemented, one_node,
                                                 over, plus, quotient, times, without, written)
from cygrad.dispatch.programs import in_steps, one_pass, where

# ------------------------------------------------------------------ arithmetic

derivative("add", self=lambda grad: grad, other=lambda grad, alpha: grad if alpha == 1 else times(grad, conj(alpha)))
derivative("sub", self=lambda grad: grad, other=lambda grad, alpha: -grad if alpha == 1 else times(-grad, conj(alpha)))
derivative("rsub", other=lambda grad, alpha: -grad if alpha == 1 else times(-grad, conj(alpha)), self=lambda grad: grad)
derivative("scalar_sub", name="RsubBackward1",
           other=lambda grad, alpha: -grad if alpha == 1 else times(-grad, conj(alpha)))
derivative("scalar_rsub", name="RsubBackward1",
           other=lambda grad, alpha: -grad if alpha == 1 else times(-grad, conj(alpha)))
derivative("rsub_scalar", name="RsubBackward1", self=lambda grad: grad)
derivative("mul", self=lambda grad, other: grad * conj(other), other=lambda grad, self: grad * conj(self))
derivative("div", self=lambda grad, other: grad / conj(other),
           other=in_steps(lambda grad, self, other: -grad * conj(self / other / other)))
derivative("div_mode", name="DivBackward2", self=lambda grad, other: grad / conj(other),
           other=in_steps(lambda grad, self, other: -grad * conj(self / other / other)))
for _name in ("floor_divide", "floor_divide_"):
    derivative(_name, name="NotImplemented", self=not_implemented("aten::" + _name),
               other=not_implemented("aten::" + _name))
derivative("heaviside", name="NotImplemented", self=not_implemented("aten::heaviside"),
           values=not_implemented("aten::heaviside"))
derivative("nextafter", self=lambda grad, self, other: cygrad.where(self != other, grad, 0),
           other=lambda grad, other_shape: written(grad.new_zeros(other_shape)))
for _name in ("div_floor", "trunc_divide"):         # they read tensors that PyTorch keeps: changes are noticed as there
    derivative(_name, name="DivBackward2", self=lambda grad, other: zero(grad),
               other=lambda grad, self, other: zero(grad))
derivative("remainder", name="RemainderBackward1", self=lambda grad: grad,
           other=lambda grad, self, other: -grad * self.div(other, rounding_mode="floor"))
derivative("remainder_scalar", name="RemainderBackward0", self=lambda grad: grad)
derivative("scalar_remainder", name="NotImplemented", other=not_implemented("aten::remainder"))
derivative("fmod", name="FmodBackward1", self=lambda grad: grad,
           other=lambda grad, self, other: -grad * self.div(other, rounding_mode="trunc"))
derivative("fmod_scalar", name="FmodBackward0", self=lambda grad: grad)
derivative("neg", self=lambda grad: -grad)
derivative("reciprocal", self=in_steps(lambda grad, result: -grad * conj(result * result)))
derivative("abs", self=lambda grad, self: grad * self.sgn())
derivative("sign", self=lambda grad: zero(grad))
derivative("copysign", self=lambda grad, self, result: copysign_backward(grad, self, result),
           other=lambda grad, other_shape, result: written(grad.new_zeros(other_shape)))    # (see pow_tensor)
derivative("copysign_scalar", name="CopysignBackward1",
           self=lambda grad, self, result: copysign_backward(grad, self, result))
derivative("hypot", self=in_steps(lambda grad, self, result: grad * self / result),
           other=in_steps(lambda grad, other, result: grad * other / result))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):      # in place: what was there has no influence any more
    derivative(_name + "_", name=_name.capitalize() + "Backward1", self=lambda grad: zero(grad),
               other=lambda grad, other_shape: written(grad.new_zeros(other_shape)))
    derivative(_name + "__scalar", name=_name.capitalize() + "Backward0", self=lambda grad: zero(grad))
for _name in ("floor", "ceil", "trunc", "round"):
    derivative(_name, self=lambda grad: zero(grad))


def zero(grad):
    return cygrad.zeros_like(grad)


def copysign_backward(grad, self, result):
    """The sign that each element was given; 0 where it was 0."""
    return grad * (result / self).masked_fill(self == 0, 0)


# ---------------------------------------------------- maximum and its relatives

derivative("maximum", self=lambda grad, self, other: of_larger(grad, self, other),
           other=lambda grad, self, other: of_larger(grad, other, self))
derivative("minimum", self=lambda grad, self, other: of_smaller(grad, self, other),
           other=lambda grad, self, other: of_smaller(grad, other, self))
derivative("fmax", self=in_steps(lambda grad, self, other:
                              without(grad, (self >= other).logical_or(other.isnan()).logical_not())),
           other=in_steps(lambda grad, self, other: without(grad, (self >= other).logical_or(other.isnan()))))
derivative("fmin", self=in_steps(lambda grad, self, other:
                              without(grad, (self <= other).logical_or(other.isnan()).logical_not())),
           other=in_steps(lambda grad, self, other: without(grad, (self <= other).logical_or(other.isnan()))))


def of_larger(grad, x, y):
    return written_once(shared_by_larger(grad, x, y))


def of_smaller(grad, x, y):
    return written_once(shared_by_smaller(grad, x, y))


def written_once(t):
    return t if t._version else written(t)


shared_by_larger = in_steps(lambda grad, x, y: shared(grad, x, y, x < y))
shared_by_smaller = in_steps(lambda grad, x, y: shared(grad, x, y, x > y))


def shared(grad, self, other, lost):
    """Half of the gradient to each of two equal elements, none to the one that lost."""
    found = where(self.eq(other), over(grad, 2), grad)
    return found.masked_fill_(lost, 0) if isinstance(found, cygrad.Tensor) else where(lost, 0, found)


# ---------------------------------------------------------- powers and exponentials

derivative("pow", self=lambda grad, self, other: pow_backward(grad, self, other))
derivative("pow_tensor", name="PowBackward1",      # PyTorch looks at a result that is kept, whoever reads it
           self=lambda grad, self, other, result: pow_backward_self(grad, self, other),
           other=lambda grad, self, other, result: pow_backward_exponent(grad, self, other, result))
derivative("scalar_pow_tensor", name="PowBackward2",
           other=lambda grad, self, other, result: scalar_pow_backward(grad, self, other, result))
derivative("exp", self=lambda grad, result: grad * conj(result))
derivative("ldexp", self=lambda grad, other, result: grad * conj(cygrad.pow(2.0, other)),
           other=lambda grad, result: times(grad * conj(result), math.log(2)))
derivative("mvlgamma", self=lambda grad, self, p: mvlgamma_backward(grad, self, p))
derivative("exp2", self=in_steps(lambda grad, result: times(grad * conj(result), math.log(2))))
derivative("expm1", self=in_steps(lambda grad, result: grad * plus(conj(result), 1)))
derivative("log", self=lambda grad, self: grad / conj(self))
derivative("log2", self=in_steps(lambda grad, self: grad / times(conj(self), math.log(2))))
derivative("log10", self=in_steps(lambda grad, self: grad / times(conj(self), math.log(10))))
derivative("log1p", name="Log1PBackward0", self=in_steps(lambda grad, self: grad / conj(plus(self, 1))))
derivative("sqrt", self=in_steps(lambda grad, result: grad / times(conj(result), 2)))
derivative("rsqrt", self=in_steps(lambda grad, result: times(grad, -0.5) * conj(result.pow(3))))


def mvlgamma_backward(grad, self, p):
    """The sum of the digammas of the shifted values."""
    shifts = cygrad.arange(-p * 0.5 + 0.5, 0.5, 0.5, dtype=self.dtype, device=self.device)
    return grad * (shifts + self.unsqueeze(-1)).digamma().sum(-1)


def pow_backward(grad, self, exponent):
    if exponent == 0:
        return cygrad.zeros_like(self)
    if exponent == 2 and not grad_mode():  # recorded, it would lose the graph of 2 * self ** 1
        return square_slope(grad, self)
    if isinstance(exponent, complex):
        return grad * conj(times(self.pow(exponent - 1), exponent))
    return pow_slope(grad, self, exponent)


square_slope = in_steps(lambda grad, self: grad * conj(2 * self))
pow_slope = in_steps(lambda grad, self, exponent: grad * conj(times(self.pow(exponent - 1), exponent)))


def pow_backward_self(grad, self, exponent):
    """exponent * self ** (exponent - 1), which is 0 for the exponent 0 even where self is (there NaN twice)."""
    if exponent.dtype is cygrad.bool:
        exponent = exponent.to(self.dtype)
    return cygrad.where(exponent == 0, 0, grad * conj(exponent * self.pow(exponent - 1)))


def pow_backward_exponent(grad, self, exponent, result):
    """result * log(self); 0 where self is 0 and the exponent is not negative, the limit from above."""
    base = self.to(cygrad.result_type(self, exponent))
    none = (base == 0).logical_and(not_negative(exponent))
    return grad * cygrad.where(none, 0, conj(result * base.log()))


def scalar_pow_backward(grad, base, exponent, result):
    if base == 0:
        return grad * cygrad.where(not_negative(exponent), 0.0, conj(result * -math.inf))
    if isinstance(base, complex) or base < 0 and exponent.is_complex():
        logarithm = cmath.log(base)
    else:
        logarithm = math.log(base) if base > 0 else math.nan
    return grad * conj(times(result, logarithm))


def not_negative(exponent):
    if exponent.is_complex():
        return (exponent.imag == 0).logical_and(exponent.real >= 0)
    return exponent >= 0


# --------------------------------------------------- circular and hyperbolic functions

derivative("sin", self=in_steps(lambda grad, self: grad * conj(self.cos())))
derivative("cos", self=in_steps(lambda grad, self: grad * -conj(self.sin())))
derivative("tan", self=in_steps(lambda grad, result: grad * conj(plus(result.pow(2), 1))))
derivative("asin", self=in_steps(lambda grad, self: grad * conj(plus(-self * self, 1).rsqrt())))
derivative("acos", self=in_steps(lambda grad, self: grad * -conj(plus(-self * self, 1).rsqrt())))
derivative("atan", self=in_steps(lambda grad, self: grad / conj(plus(self * self, 1))))
derivative("sinh", self=in_steps(lambda grad, self: grad * conj(self.cosh())))
derivative("cosh", self=in_steps(lambda grad, self: grad * conj(self.sinh())))
derivative("tanh", self=one_node("TanhBackwardBackward0", one_pass(lambda grad, result:
           grad * conj(1 - result.pow(2))), "grad", "result"))
derivative("asinh", self=in_steps(lambda grad, self: grad * conj(plus(self.pow(2), 1).rsqrt())))
derivative("acosh", self=in_steps(lambda grad, self: grad * conj(acosh_slope(self))))
derivative("atanh", self=in_steps(lambda grad, self: times(grad, 1) / conj(complement(self.pow(2), 1))))
for _name in ("asinh", "acosh", "atanh"):
    derivative(_name + "_", name=_name.capitalize() + "Backward1", self=no_derivative("inplace version of " + _name))


def acosh_slope(x):
    """Of complex numbers the product of two roots, which is right on both sides of the branch cut."""
    if isinstance(x, cygrad.Tensor) and x.is_complex():
        return plus(x, 1).rsqrt() * (x - 1).rsqrt()
    return minus(x.pow(2), 1).rsqrt()


derivative("atan2", self=in_steps(lambda grad, self, other: grad * other * inverse_square(self, other)),
           other=in_steps(lambda grad, self, other: grad * -self * inverse_square(self, other)))


def inverse_square(x, y):
    """1 / (x ** 2 + y ** 2), 0 at the origin."""
    square = x * x + y * y
    return without(square.reciprocal(), square.eq(0))


# ------------------------------------------------------------------ special functions

derivative("erf", self=in_steps(lambda grad, self: times((-self.pow(2)).exp(), 2 / math.sqrt(math.pi)) * grad))
derivative("erfc", self=in_steps(lambda grad, self: times((-self.pow(2)).exp(), -2 / math.sqrt(math.pi)) * grad))
derivative("erfinv", self=in_steps(lambda grad, self: times(self.erfinv().pow(2).exp(),
           math.sqrt(math.pi) / 2) * grad))
derivative("lgamma", self=in_steps(lambda grad, self: grad * self.digamma()))
derivative("digamma", self=lambda grad, self: grad * cygrad.polygamma(1, self))
derivative("polygamma", inplace="PolygammaBackward1", self=lambda grad, n, self: grad * cygrad.polygamma(n + 1, self))
derivative("sigmoid", self=one_node("SigmoidBackwardBackward0", lambda grad, result: (
           sigmoid_steps if grad.dtype is cygrad.float16 else sigmoid_slope)(grad, result), "grad", "result"))


sigmoid_slope = one_pass(lambda grad, result: grad * conj(1 - result) * conj(result))
sigmoid_steps = in_steps(lambda grad, result: grad * (1 - result) * result)


def special():
    """The module of special functions, which programs that call none don't import."""
    from cygrad import special      # start-up time
    return special


derivative("i0", self=lambda grad, self: grad * special().i1(self))
derivative("special_i0e", name="SpecialI0EBackward0",
           self=lambda grad, self, result: grad * (special().i1e(self) - self.sgn() * result))
derivative("special_i1", name="SpecialI1Backward0", self=lambda grad, self, result: i1_backward(grad, self, result))
derivative("special_i1e", name="SpecialI1EBackward0", self=lambda grad, self, result: i1e_backward(grad, self, result))
derivative("special_ndtri", name="SpecialNdtriBackward0",
           self=lambda grad, result: times(grad, math.sqrt(2 * math.pi)) * over(result.square(), 2).exp())
derivative("special_log_ndtr", name="SpecialLogNdtrBackward0",
           self=lambda grad, self, result:
           over(grad, math.sqrt(2 * math.pi)) * (result + over(self.square(), 2)).neg().exp())
derivative("special_erfcx", name="SpecialErfcxBackward0",
           self=lambda grad, self, result: minus(times(self, 2) * result, 2 / math.sqrt(math.pi)) * grad)
derivative("special_entr", name="SpecialEntrBackward0", self=lambda grad, self: grad * -plus(self.log(), 1))
derivative("special_xlog1py", name="SpecialXlog1PyBackward0",
           self=lambda grad, self, other: xlog1py_backward(grad, self, other),
           other=lambda grad, self, other: grad * self / plus(other, 1))
derivative("special_xlog1py_scalar", name="SpecialXlog1PyBackward2",
           self=lambda grad, self, other: xlog1py_backward(grad, self, other))
derivative("special_scalar_xlog1py", name="SpecialXlog1PyBackward1",
           other=lambda grad, self, other: grad * self / plus(other, 1))
derivative("special_ndtr", name="MulBackward1",         # PyTorch composes it: the node of its last step
           self=in_steps(lambda grad, self: times(grad * (self * self * -0.5).exp(), 1 / math.sqrt(2 * math.pi))))
derivative("zeta", name="SpecialZetaBackward0", self=no_derivative("zeta"),
           other=lambda grad, self, other: grad * -self * special().zeta(self + 1, other))
derivative("zeta_scalar", name="SpecialZetaBackward2", self=no_derivative("zeta"))
derivative("scalar_zeta", name="SpecialZetaBackward1",
           other=lambda grad, self, other: grad * -self * special().zeta(self + 1, other))


def i1_backward(grad, self, result):
    """i0(x) - i1(x) / x, 1/2 at 0."""
    large = self.abs() > cygrad.finfo(self.dtype).eps
    x = cygrad.where(large, self, 1)
    return grad * cygrad.where(large, cygrad.i0(x) - result / x, 0.5)


def i1e_backward(grad, self, result):
    """i0e(x) - i1e(x) * (sign(x) + 1 / x), 1/2 at 0."""
    large = self.abs() > cygrad.finfo(self.dtype).eps
    x = cygrad.where(large, self, 1)
    return grad * cygrad.where(large, special().i0e(x) - result * (x.sgn() + 1 / x), 0.5)


def xlog1py_backward(grad, self, other):
    value = special().xlog1py(grad, other)
    singular = self == 0
    if isinstance(other, (int, float)):
        return value if other > -1 else value.masked_fill(singular, 0)
    return value.masked_fill(singular.logical_and(other <= -1), 0)


# ------------------------------------------------------------------ complex numbers

derivative("angle", self=lambda grad, self: angle_backward(grad, self))
derivative("sgn", self=lambda grad, self, result: sgn_backward(grad, self, result))
derivative("conj", self=lambda grad: grad.conj())
derivative("neg_view", self=lambda grad: -grad)
derivative("conj_physical", inplace="ConjPhysicalBackward1", self=lambda grad: grad.conj_physical())


def angle_backward(grad, self):
    """i * self / |self| ** 2; real numbers have a constant angle but at 0."""
    if not self.is_complex():
        return cygrad.zeros_like(self)
    return cygrad.where(self == 0, 0, times(grad * self / self.abs().pow(2), 1j))


def sgn_backward(grad, self, result):
    """The part of the gradient along the circle, over the modulus."""
    if not grad.is_complex():
        return grad.new_zeros(grad.shape)
    modulus = self.abs()
    return ((grad - result * result * conj(grad)) / times(modulus, 2)).masked_fill_(modulus == 0, 0)


# ------------------------------------------------------- ops of three operands, and parts

derivative("where", self=lambda grad, condition: cygrad.where(condition, grad, 0),
           other=lambda grad, condition: cygrad.where(condition, 0, grad))
derivative("clamp", name="ClampBackward1", self=lambda grad, self, min, max: clamp_backward(grad, self, min, max))
derivative("clamp_tensors", name="ClampBackward0",
           self=lambda grad, self, min, max: clamp_backward(grad, self, min, max),
           min=lambda grad, self, min, max: clamp_min_backward(grad, self, min, max),
           max=lambda grad, self, min, max: clamp_max_backward(grad, self, min, max))
derivative("clamp_min", self=in_steps(lambda grad, self, min: where(self >= min, grad, 0)))
derivative("clamp_max", self=in_steps(lambda grad, self, max: where(self <= max, grad, 0)))
derivative("clamp_min_tensor", name="ClampMinBackward1",
           self=in_steps(lambda grad, self, min: where(self >= min, grad, 0)),
           min=in_steps(lambda grad, self, min: where(self < min, grad, 0)))
derivative("clamp_max_tensor", name="ClampMaxBackward1",
           self=in_steps(lambda grad, self, max: where(self <= max, grad, 0)),
           max=in_steps(lambda grad, self, max: where(self > max, grad, 0)))
derivative("lerp", self=lambda grad, weight: times(grad, conj(1 - weight)),
           end=lambda grad, weight: times(grad, conj(weight)))
derivative("lerp_tensor", name="LerpBackward1", self=lambda grad, weight: grad * conj(complement(weight, 1)),
           end=lambda grad, weight: grad * conj(weight),
           weight=in_steps(lambda grad, self, end: grad * conj(end - self)))
derivative("addcmul", self=lambda grad: grad,
           tensor1=in_steps(lambda grad, tensor2, value: grad * conj(times(tensor2, value))),
           tensor2=in_steps(lambda grad, tensor1, value: grad * conj(times(tensor1, value))))
derivative("addcdiv", self=lambda grad: grad,
           tensor1=in_steps(lambda grad, tensor2, value: grad * conj(quotient(tensor2, value))),
           tensor2=in_steps(lambda grad, tensor1, tensor2, value:
                            -grad * conj(times(tensor1, value) / (tensor2 * tensor2))))
derivative("frac", self=lambda grad: grad)
derivative("round_decimals", name="RoundBackward1", self=lambda grad: zero(grad))
derivative("nan_to_num", self=in_steps(lambda grad, self: grad * self.isfinite()))
derivative("deg2rad", name="Deg2RadBackward0", self=lambda grad: times(grad, math.pi / 180))
derivative("rad2deg", name="Rad2DegBackward0", self=lambda grad: times(grad, 180 / math.pi))
derivative("igamma", self=no_derivative("igamma: input"),
           other=in_steps(lambda grad, self, other: grad * gamma_density(self, other)))
derivative("igammac", self=no_derivative("igammac: input"),
           other=in_steps(lambda grad, self, other: -grad * gamma_density(self, other)))
derivative("frexp", self=lambda grads, result: None if grads[0] is None else grads[0] / result[1].exp2())
derivative("sinc", self=in_steps(lambda grad, self: sinc_backward(grad, self)))
derivative("logit", self=lambda grad, self, eps: logit_backward(grad, self, eps))
derivative("xlogy", self=lambda grad, self, other: xlogy_backward(grad, self, other),
           other=lambda grad, self, other: grad * self / other)
derivative("xlogy_scalar", name="XlogyBackward2", self=lambda grad, self, other: xlogy_backward(grad, self, other))
derivative("scalar_xlogy", name="XlogyBackward1", other=lambda grad, self, other: grad * self / other)
derivative("logaddexp", self=in_steps(lambda grad, self, other: grad / conj(plus((other + -1.0 * self).exp(), 1))),
           other=in_steps(lambda grad, self, other: grad / conj(plus((self + -1.0 * other).exp(), 1))))
derivative("logaddexp2", self=lambda grad, self, other: grad / conj(plus(cygrad.pow(2, other + -1.0 * self), 1)),
           other=lambda grad, self, other: grad / conj(plus(cygrad.pow(2, self + -1.0 * other), 1)))


def clamp_backward(grad, self, min, max):
    """The gradient of what lies between the bounds, the bounds themselves included."""
    if min is None:
        return where_at_most(grad, self, max)
    return where_at_least(grad, self, min) if max is None else where_between(grad, self, min, max)


where_at_least = in_steps(lambda grad, self, min: where(self >= min, grad, 0))
where_at_most = in_steps(lambda grad, self, max: where(self <= max, grad, 0))
where_between = in_steps(lambda grad, self, min, max: where((self >= min).logical_and(self <= max), grad, 0))


def clamp_min_backward(grad, self, min, max):
    below = self < min
    return cygrad.where(below if max is None else below.logical_and(min < max), grad, 0)


def clamp_max_backward(grad, self, min, max):
    above = self > max
    return cygrad.where(above if min is None else above.logical_or(max < min), grad, 0)


def gamma_density(a, x):
    """x ** (a - 1) * exp(-x) / gamma(a), the slope of the regularized lower incomplete gamma function."""
    return ((a - 1) * x.log() - x - a.lgamma()).exp()


def sinc_backward(grad, self):
    x, square = self * math.pi, self * self * math.pi
    return where(square.eq(0), 0, grad * conj((x * x.cos() - x.sin()) / square))


def logit_backward(grad, self, eps):
    return logit_slope(grad, self) if eps is None else logit_slope_within(grad, self, eps)


logit_slope = one_pass(lambda grad, self: where((self >= 0).logical_and(self <= 1), grad / (self * complement(self, 1)),
                                                math.nan))
logit_slope_within = one_pass(lambda grad, self, eps: where((self < eps).logical_or(self > 1 - eps).logical_not(),
                                                            grad / (self * complement(self, 1)), 0))


def xlogy_backward(grad, self, other):
    value = cygrad.xlogy(grad, other)
    singular = self == 0
    if isinstance(other, (int, float)):
        return value if other > 0 else value.masked_fill(singular, 0)
    return value.masked_fill(singular.logical_and(other <= 0), 0)


# ------------------------------------------------------------------ complex tensors

derivative("view_as_real", self=lambda grad: cygrad.view_as_complex(grad.contiguous()))
derivative("view_as_complex", self=lambda grad: cygrad.view_as_real(grad.resolve_conj()))
derivative("complex", real=lambda grad, real: cygrad.real(grad), imag=lambda grad, imag: cygrad.imag(grad))
derivative("polar", abs=lambda grad, result: cygrad.real(conj(grad) * result.sgn()),
           angle=lambda grad, result: cygrad.real(conj(grad) * (result * 1j)))
