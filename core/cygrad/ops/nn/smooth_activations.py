"""Activation functions made of exponentials and quotients; those of straight pieces are in `piecewise_activations.py`.

Each is one node, and one pass over memory: a program (see `cygrad.dispatch.programs`).
"""
import math

from cygrad.dispatch.programs import program, where
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import functions, inplace_form, op
from cygrad.ops.declare.operand_types import need_float, refuse_complex_gradient
from cygrad.ops.reduce.sums import axis_of

ROOT_HALF, ROOT_2_PI = math.sqrt(0.5), math.sqrt(2 / math.pi)
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


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
    return silu_of_any(input)


def silu_of_any(input):
    """Complex numbers that need a gradient, too: PyTorch's form in place takes them."""
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
    >>> cygrad.nn.functional.logsigmoid(cygrad.tensor([-100., 0., 1.]))
    tensor([-100.0000,   -0.6931,   -0.3133])
    """
    need_float(input, "log_sigmoid_cpu")
    return _logsigmoid(input)


ELU = program(lambda x, scale, factor, input_scale: where(x >= 0, x * scale, (x * input_scale).expm1() * factor))
CELU = program(lambda x, alpha: where(x >= 0, x, (x / alpha).expm1() * alpha))


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
    >>> cygrad.celu(cygrad.tensor([-1., 0., 1.]), alpha=2.)
    tensor([-0.7869,  0.0000,  1.0000])
    """
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    need_float(input, "elu_cpu")
    return _celu(input, alpha)


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


for _name in ("selu", "celu"):
    functions[_name + "_"] = inplace_form(_name, functions[_name])
