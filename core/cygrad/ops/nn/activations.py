"""Activation functions, as `torch.nn.functional` has them (`cygrad.nn.functional` lists them).

Each is one node, and one pass over memory: a program (see `cygrad.dispatch.programs`).
"""
import math

from cygrad.dispatch.programs import program, where
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.registry import functions, inplace_form, op
from cygrad.ops.pointwise.clamping import CLAMP
from cygrad.ops.declare.operand_types import BOOL, DTYPES, need_float, refuse_complex_gradient, refused
from cygrad.ops.reduce.sums import axis_of

ROOT_HALF, ROOT_2_PI = math.sqrt(0.5), math.sqrt(2 / math.pi)
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


def writes_in_place(function, name):
    """`function` with a last argument `inplace`."""
    form = inplace_form(name, function)
    parameters = getattr(function, "__wrapped__", function).__code__.co_argcount        # within its `out=`

    def choose(input, *args, inplace=False, **kwargs):
        if len(args) == parameters:
            *args, inplace = args
        return form(input, *args, **kwargs) if inplace else function(input, *args, **kwargs)
    choose.__name__ = choose.__qualname__ = name
    choose.__doc__, choose.without_inplace = function.__doc__, function
    return choose


# ------------------------------------------------------------- smooth, from the exponential

def softplus_formula(x, beta, threshold):
    scaled = x * beta
    return where(scaled > threshold, x, scaled.exp().log1p() / beta)


SOFTPLUS = program(softplus_formula)
SOFTPLUS_OF_1 = program(lambda x, threshold: where(x > threshold, x, x.exp().log1p()))


@primitive(name="softplus")
def _softplus(self, beta, threshold):
    return SOFTPLUS_OF_1(self, threshold) if beta == 1 else SOFTPLUS(self, beta, threshold)


def softplus(input, beta=1.0, threshold=20.0):
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    beta, threshold : float

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.softplus(cygrad.tensor([-1., 0., 30.]))
    tensor([ 0.3133,  0.6931, 30.0000])
    """
    need_float(input, "softplus_cpu")
    return _softplus(input, beta, threshold)


GELU = program(lambda x: ((x * ROOT_HALF).erf() + 1) * 0.5 * x)
# (1 + tanh(u)) / 2 = sigmoid(2 u)
GELU_TANH = program(lambda x: ((x * x * (2 * 0.044715 * ROOT_2_PI) + 2 * ROOT_2_PI) * x).sigmoid() * x)


@primitive(name="gelu")
def _gelu(self, approximate):
    return GELU_TANH(self) if approximate == "tanh" else GELU(self)


def gelu(input, approximate="none"):
    """x times the normal distribution's cumulative function at x.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    approximate : {"none", "tanh"}
        With "tanh": 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x ** 3))).

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.gelu(cygrad.tensor([-1., 0., 1.]))
    tensor([-0.1587,  0.0000,  0.8413])
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    need_float(input, "GeluKernelImpl")
    return _gelu(input, approximate)


SILU = program(lambda x: x.sigmoid() * x)


@primitive(name="silu")
def _silu(self):
    return SILU(self)


def silu(input):
    """x * sigmoid(x).

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.silu(cygrad.tensor([-1., 0., 1.]))
    tensor([-0.2689,  0.0000,  0.7311])
    """
    refuse_complex_gradient(input, "silu")
    need_float(input, "silu_cpu", complex_too=True)
    return _silu(input)


MISH = program(lambda x: softplus_formula(x, 1, 20).tanh() * x)


@primitive(name="mish")
def _mish(self):
    return MISH(self)


def mish(input):
    """x * tanh(softplus(x)).

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.mish(cygrad.tensor([-1., 0., 1.]))
    tensor([-0.3034,  0.0000,  0.8651])
    """
    need_float(input, "mish_cpu")
    return _mish(input)


LOG_SIGMOID = program(lambda x: x.minimum(0) - (-x.abs()).exp().log1p())


@primitive(name="log_sigmoid")
def _logsigmoid(self):
    return LOG_SIGMOID(self).contiguous()


def logsigmoid(input):
    """log(sigmoid(x)), without its underflow.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.logsigmoid(cygrad.tensor([-100., 0., 1.]))
    tensor([-100.0000,   -0.6931,   -0.3133])
    """
    need_float(input, "log_sigmoid_cpu")
    return _logsigmoid(input)


ELU = program(lambda x, scale, factor, input_scale: where(x > 0, x * scale, (x * input_scale).expm1() * factor))
CELU = program(lambda x, alpha: where(x > 0, x, (x / alpha).expm1() * alpha))


@primitive(name="elu")
def _elu(self, alpha, scale, input_scale):
    return ELU(self, scale, alpha * scale, input_scale)


@primitive(name="celu")
def _celu(self, alpha):
    return CELU(self, alpha)


def elu(input, alpha=1.0):
    """x where x > 0, else alpha * (exp(x) - 1).

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    alpha : float
        The bound of negative results.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.elu(cygrad.tensor([-1., 0., 1.]))
    tensor([-0.6321,  0.0000,  1.0000])
    """
    return scaled_elu(input, alpha)


def scaled_elu(input, alpha, scale=1, input_scale=1):
    need_float(input, "elu_cpu")
    return _elu(input, alpha, scale, input_scale)


@op(method=False, inplace=False)
def selu(input):
    """`elu` with the scale and alpha that keep mean 0 and variance 1 (Klambauer et al., 2017).

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.selu(cygrad.tensor([-1., 0., 1.]))
    tensor([-1.1113,  0.0000,  1.0507])
    """
    need_float(input, "elu_cpu")
    return _elu(input, SELU_ALPHA, SELU_SCALE, 1)


@op(method=False, inplace=False)
def celu(input, alpha=1.0):
    """x where x > 0, else alpha * (exp(x / alpha) - 1).

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    alpha : float
        The bound of negative results; not 0.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.celu(cygrad.tensor([-1., 0., 1.]), alpha=2.)
    tensor([-0.7869,  0.0000,  1.0000])
    """
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    need_float(input, "elu_cpu")
    return _celu(input, alpha)


# -------------------------------------------------------------------------- piecewise linear

LEAKY_RELU = program(lambda x, slope: where(x > 0, x, x * slope))
LEAKY_RELU_BELOW_1 = program(lambda x, slope: (x * slope).maximum(x))


@primitive(name="leaky_relu")
def _leaky_relu(self, negative_slope):
    return (LEAKY_RELU_BELOW_1 if 0 <= negative_slope <= 1 else LEAKY_RELU)(self, negative_slope)


def leaky_relu(input, negative_slope=0.01):
    """x where x > 0, else negative_slope * x.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    negative_slope : float
        The factor of negative elements.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.leaky_relu(cygrad.tensor([-1., 0., 1.]), 0.1)
    tensor([-0.1000,  0.0000,  1.0000])
    """
    need_float(input, "leaky_relu_cpu")
    return _leaky_relu(input, negative_slope)


@primitive(name="hardtanh")
def _hardtanh(self, min_val, max_val):
    return CLAMP(self, min_val, max_val)


def hardtanh(input, min_val=-1.0, max_val=1.0):
    """x, but not below min_val and not above max_val.

    Parameters
    ----------
    input : Tensor
        Of a real dtype other than bool.
    min_val, max_val : number
        The bounds.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.hardtanh(cygrad.tensor([-3., 0.5, 3.]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if input.dtype is BOOL:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if input.is_complex():
        raise NotImplementedError("clamp is not supported for complex types")
    if not input.is_floating_point():
        min_val, max_val = int(min_val), int(max_val)
        if input.dtype is DTYPES["uint8"] and (min_val < 0 or max_val < 0):
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return _hardtanh(input, min_val, max_val)


def relu6(input):
    """`hardtanh` between 0 and 6.

    Parameters
    ----------
    input : Tensor
        Of a real dtype other than bool.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.relu6(cygrad.tensor([-3., 0.5, 9.]))
    tensor([0.0000, 0.5000, 6.0000])
    """
    return hardtanh(input, 0.0, 6.0)


HARDSIGMOID = program(lambda x: (x + 3).maximum(0).minimum(6) / 6)
HARDSWISH = program(lambda x: (x + 3).maximum(0).minimum(6) * x / 6)


@primitive(name="hardsigmoid")
def _hardsigmoid(self):
    return HARDSIGMOID(self)


def hardsigmoid(input):
    """relu6(x + 3) / 6.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.hardsigmoid(cygrad.tensor([-4., 0., 1.5]))
    tensor([0.0000, 0.5000, 0.7500])
    """
    need_float(input, "hardsigmoid_cpu")
    return _hardsigmoid(input)


@primitive(name="hardswish")
def _hardswish(self):
    return HARDSWISH(self)


def hardswish(input):
    """x * relu6(x + 3) / 6.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.hardswish(cygrad.tensor([-4., 0., 1.]))
    tensor([-0.0000, 0.0000, 0.6667])
    """
    need_float(input, "hardswish_cpu")
    return _hardswish(input)


THRESHOLD = program(lambda x, threshold, value: where(x <= threshold, value, x))


@primitive(name="threshold")
def _threshold(self, threshold, value):
    return THRESHOLD(self, threshold, value)


@op(method=False, inplace=False, out=True)
def threshold(input, threshold, value):
    """x where x > threshold, else value.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    threshold, value : number
        The bound, and what replaces elements that are not above it.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.threshold(cygrad.tensor([-1., 0.5, 2.]), 0.5, 9)
    tensor([9., 9., 2.])
    """
    if input.is_complex() or input.dtype is BOOL:
        raise refused("threshold_cpu", input.dtype)
    return _threshold(input, threshold, value if input.is_floating_point() else int(value))


HARDSHRINK = program(lambda x, lambd: where((x >= -lambd) & (x <= lambd), 0, x))
SOFTSHRINK = program(lambda x, lambd: where(x > lambd, x - lambd, where(x < -lambd, x + lambd, x * 0)))


@primitive(name="hardshrink")
def _hardshrink(self, lambd):
    return HARDSHRINK(self, lambd)


@op(out="found")
def hardshrink(input, lambd=0.5):
    """0 where abs(x) <= lambd, else x.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    lambd : float
        The bound.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.hardshrink(cygrad.tensor([-1., 0.2, 2.]))
    tensor([-1.,  0.,  2.])
    """
    need_float(input, "hardshrink_cpu")
    return _hardshrink(input, lambd)


@primitive(name="softshrink")
def _softshrink(self, lambd):
    return SOFTSHRINK(self, lambd)


def softshrink(input, lambd=0.5):
    """x moved towards 0 by lambd, not beyond it.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    lambd : float
        The step; not negative.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Raises
    ------
    RuntimeError
        For a negative `lambd`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.softshrink(cygrad.tensor([-1., 0.2, 2.]))
    tensor([-0.5000,  0.0000,  1.5000])
    """
    need_float(input, "softshrink_check")
    if not lambd >= 0:
        raise RuntimeError("lambda must be in range [0, 3.40282e+38] for input dtype Float, but found "
                           f"{lambd:g}")
    return _softshrink(input, lambd)


# ------------------------------------------------------------------------------ others

def softsign(input):
    """x / (abs(x) + 1).

    Parameters
    ----------
    input : Tensor
        Any shape; integers give the default float dtype.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.softsign(cygrad.tensor([-1., 0., 3.]))
    tensor([-0.5000,  0.0000,  0.7500])
    """
    return input / (input.abs() + 1)


def tanhshrink(input):
    """x - tanh(x).

    Parameters
    ----------
    input : Tensor
        Any shape; integers give the default float dtype.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.tanhshrink(cygrad.tensor([-1., 0., 1.]))
    tensor([-0.2384,  0.0000,  0.2384])
    """
    return input - input.tanh()


GLU = program(lambda first, gate: gate.sigmoid() * first)


@primitive(name="glu")
def _glu(self, dim):
    half = self.size(dim) // 2
    return GLU(self.narrow(dim, 0, half), self.narrow(dim, half, half))


def glu(input, dim=-1):
    """The first half along an axis times the sigmoid of the second.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    dim : int
        The axis, of an even size.

    Returns
    -------
    Tensor
        Half as long along the axis.

    Raises
    ------
    RuntimeError
        If the axis has an odd size.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.functional.glu(cygrad.tensor([1., 2., 0., 100.]))
    tensor([0.5000, 2.0000])
    """
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = axis_of(dim, input.dim(), "glu")
    if input.size(dim) % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.size(dim)}")
    need_float(input, "glu_cpu")
    return _glu(input, dim)


for _name in ("selu", "celu", "threshold"):
    functions[_name + "_"] = inplace_form(_name, functions[_name])
