"""Activation functions, as `torch.nn.functional` has them (`cygrad.functional` lists them), from other ops' kernels.

Each is one node. 16-bit floats are computed in float32 and rounded once.
"""
import math

from cygrad.autograd.node import primitive
from cygrad.operands import binary_to, select
from cygrad.ops.clamping import _clamp
from cygrad.ops.composite import BOOL, MAXIMUM, need_float, refuse_complex_gradient, refused, widened
from cygrad.ops.registry import functions, inplace_form, op
from cygrad.ops.reductions import UINT8, axis_of

ROOT_HALF, ROOT_2_PI = math.sqrt(0.5), math.sqrt(2 / math.pi)
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


def writes_in_place(function, name):
    """`function` with an argument `inplace`."""
    form = inplace_form(name, function)

    def choose(input, *args, inplace=False, **kwargs):
        return form(input, *args, **kwargs) if inplace else function(input, *args, **kwargs)
    choose.__name__ = choose.__qualname__ = name
    choose.__doc__ = function.__doc__
    return choose


# ------------------------------------------------------------- smooth, from the exponential

@primitive(name="softplus")
@widened
def _softplus(self, beta, threshold):
    scaled = self * beta
    out = scaled.exp().log1p_()
    if beta != 1:
        out /= beta
    return select(scaled > threshold, self, out)


def softplus(input, beta=1.0, threshold=20.0):
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    beta, threshold : float
    """
    need_float(input, "softplus_cpu")
    return _softplus(input, beta, threshold)


@primitive(name="gelu")
@widened
def _gelu(self, approximate):
    if approximate == "tanh":
        inner = self * self
        inner *= self
        inner *= 0.044715
        inner += self
        inner *= ROOT_2_PI
        inner.tanh_()
    else:
        inner = self * ROOT_HALF
        inner.erf_()
    inner += 1
    inner *= 0.5
    inner *= self
    return inner


def gelu(input, approximate="none"):
    """x times the normal distribution's cumulative function at x.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    approximate : {"none", "tanh"}
        With "tanh": 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x ** 3))).
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    need_float(input, "GeluKernelImpl")
    return _gelu(input, approximate)


@primitive(name="silu")
@widened
def _silu(self):
    out = self.sigmoid()
    out *= self
    return out


def silu(input):
    """x * sigmoid(x)."""
    refuse_complex_gradient(input, "silu")
    need_float(input, "silu_cpu", complex_too=True)
    return _silu(input)


@primitive(name="mish")
@widened
def _mish(self):
    return self * _softplus.forward(self, 1, 20).tanh()


def mish(input):
    """x * tanh(softplus(x))."""
    need_float(input, "mish_cpu")
    return _mish(input)


@primitive(name="log_sigmoid")
@widened
def _logsigmoid(self):
    return (self.clamp_max(0) - (-self.abs()).exp().log1p()).contiguous()


def logsigmoid(input):
    """log(sigmoid(x)), without its underflow."""
    need_float(input, "log_sigmoid_cpu")
    return _logsigmoid(input)


@primitive(name="elu")
@widened
def _elu(self, alpha, scale, input_scale):
    return select(self > 0, self * scale, (self * input_scale).expm1() * (alpha * scale))


@primitive(name="celu")
@widened
def _celu(self, alpha):
    return select(self > 0, self, (self / alpha).expm1() * alpha)


def elu(input, alpha=1.0):
    """x where x > 0, else alpha * (exp(x) - 1)."""
    need_float(input, "elu_cpu")
    return _elu(input, alpha, 1, 1)


@op(method=False, inplace=False)
def selu(input):
    """`elu` with the scale and alpha that keep mean 0 and variance 1 (Klambauer et al., 2017)."""
    need_float(input, "elu_cpu")
    return _elu(input, SELU_ALPHA, SELU_SCALE, 1)


@op(method=False, inplace=False)
def celu(input, alpha=1.0):
    """x where x > 0, else alpha * (exp(x / alpha) - 1)."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    need_float(input, "elu_cpu")
    return _celu(input, alpha)


# -------------------------------------------------------------------------- piecewise linear

@primitive(name="leaky_relu")
@widened
def _leaky_relu(self, negative_slope):
    out = self * negative_slope
    if 0 <= negative_slope <= 1:
        return binary_to(MAXIMUM, out, self, out)
    return select(self > 0, self, out)


def leaky_relu(input, negative_slope=0.01):
    """x where x > 0, else negative_slope * x."""
    need_float(input, "leaky_relu_cpu")
    return _leaky_relu(input, negative_slope)


@primitive(name="hardtanh")
def _hardtanh(self, min_val, max_val):
    return _clamp.forward(self, min_val, max_val)


def hardtanh(input, min_val=-1.0, max_val=1.0):
    """x, but not below min_val and not above max_val."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if input.dtype is BOOL:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if input.is_complex():
        raise NotImplementedError("clamp is not supported for complex types")
    if not input.is_floating_point():
        min_val, max_val = int(min_val), int(max_val)
        if input.dtype is UINT8 and (min_val < 0 or max_val < 0):
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return _hardtanh(input, min_val, max_val)


def relu6(input):
    """`hardtanh` between 0 and 6."""
    return hardtanh(input, 0.0, 6.0)


@primitive(name="hardsigmoid")
@widened
def _hardsigmoid(self):
    return _clamp.forward(self + 3, 0, 6) / 6


def hardsigmoid(input):
    """relu6(x + 3) / 6."""
    need_float(input, "hardsigmoid_cpu")
    return _hardsigmoid(input)


@primitive(name="hardswish")
@widened
def _hardswish(self):
    return self * _clamp.forward(self + 3, 0, 6) / 6


def hardswish(input):
    """x * relu6(x + 3) / 6."""
    need_float(input, "hardswish_cpu")
    return _hardswish(input)


@primitive(name="threshold")
def _threshold(self, threshold, value):
    return select(self <= threshold, value, self).to(self.dtype)


@op(method=False, inplace=False)
def threshold(input, threshold, value):
    """x where x > threshold, else value."""
    if input.is_complex() or input.dtype is BOOL:
        raise refused("threshold_cpu", input.dtype)
    return _threshold(input, threshold, value if input.is_floating_point() else int(value))


@primitive(name="hardshrink")
def _hardshrink(self, lambd):
    return select((self >= -lambd).logical_and(self <= lambd), 0, self)


@op(out="exact")
def hardshrink(input, lambd=0.5):
    """0 where abs(x) <= lambd, else x."""
    need_float(input, "hardshrink_cpu")
    return _hardshrink(input, lambd)


@primitive(name="softshrink")
@widened
def _softshrink(self, lambd):
    return select(self > lambd, self - lambd, select(self < -lambd, self + lambd, self * 0))


def softshrink(input, lambd=0.5):
    """x moved towards 0 by lambd, not beyond it."""
    need_float(input, "softshrink_check")
    if not lambd >= 0:
        raise RuntimeError("lambda must be in range [0, 3.40282e+38] for input dtype Float, but found "
                           f"{lambd:g}")
    return _softshrink(input, lambd)


# ------------------------------------------------------------------------------ others

def softsign(input):
    """x / (abs(x) + 1)."""
    return input / (input.abs() + 1)


def tanhshrink(input):
    """x - tanh(x)."""
    return input - input.tanh()


@primitive(name="glu")
@widened
def _glu(self, dim):
    half = self.size(dim) // 2
    return self.narrow(dim, 0, half) * self.narrow(dim, half, half).sigmoid()


def glu(input, dim=-1):
    """The first half along an axis times the sigmoid of the second."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = axis_of(dim, input.dim(), "glu")
    if input.size(dim) % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.size(dim)}")
    need_float(input, "glu_cpu")
    return _glu(input, dim)


for _name in ("selu", "celu", "threshold"):
    functions[_name + "_"] = inplace_form(_name, functions[_name])
