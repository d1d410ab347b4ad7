"""Functions about the normal distribution's tails: erfcx, ndtr, ndtri, log_ndtr; and of entropies: entr, xlog1py."""
import math

from cygrad.autograd.modes import grad_mode
from cygrad.dispatch.operands import broadcast
from cygrad.dispatch.programs import program, where
from cygrad.dispatch.promotion import result_type
from cygrad.ops.declare.operand_types import refused
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.pointwise import special_tables as table
from cygrad.ops.pointwise.bessel import chebyshev, formula_op
from cygrad.ops.pointwise.special import stepwise
from cygrad.ops.reduce.integration import add_number, multiply_by_number
from cygrad.tensor import Tensor


def erfcx_formula(x):
    """Shepherd and Laframboise, Math. Comp. 36 (1981): (1 + 2 x) erfcx(x) is smooth in (x - c) / (x + c), c = 3.75."""
    a = x.abs()
    t = where(a.isinf(), 1, (a - 3.75) / (a + 3.75))
    right = chebyshev(table.ERFCX, t) / (1 + 2 * a)
    return where(x < 0, 2 * (x * x).exp() - right, right)


def log_ndtr_formula(x):
    t = x * math.sqrt(0.5)
    return where(x < -1, (erfcx_formula(-t) / 2).log() - t * t, (-t.erfc() / 2).log1p())


def ndtri_formula(p):
    """Near 1/2 a series in p - 1/2; in the tails one in 1 / sqrt(-2 log p)."""
    distance = p - 0.5
    middle = distance * chebyshev(table.NDTRI_MIDDLE, distance * distance * (128 / 9) - 1)
    upper = distance > 0
    r = (-2 * where(upper, (-p).log1p(), p.log())).sqrt()
    near = chebyshev(table.NDTRI_NEAR, (1 / r - 0.35) / 0.15)
    far = chebyshev(table.NDTRI_FAR, (1 / r - 0.1125) / 0.0875)
    tail = r * where(r < 5, near, far)
    value = where(distance.abs() <= 0.36, middle, where(upper, tail, -tail))
    value = where(p.eq(0), -math.inf, where(p.eq(1), math.inf, value))
    return where((p < 0).logical_or(p > 1), math.nan, value)


def entr_formula(x):
    return where(x.isnan(), x, where(x > 0, -x * x.log(), where(x.eq(0), x.abs(), -math.inf)))


erfcx = formula_op(erfcx_formula, "special_erfcx", "erfcx_cpu", halves=False)
log_ndtr = formula_op(log_ndtr_formula, "special_log_ndtr", "log_ndtr_cpu", halves=False)
ndtri = formula_op(ndtri_formula, "special_ndtri", "ndtri_cpu", halves=False)
plain_ndtr = formula_op(lambda x: ((x * math.sqrt(0.5)).erf() + 1) * 0.5, "special_ndtr", "erf_vml_cpu", "in steps")


def ndtr(input):
    """By the ops that PyTorch composes it of where they are recorded, else in one pass."""
    if not (isinstance(input, Tensor) and input.requires_grad and grad_mode()) or input.is_complex():
        return plain_ndtr(input)
    return multiply_by_number(add_number(multiply_by_number(input, math.sqrt(0.5)).erf(), 1), 0.5)


entr = formula_op(entr_formula, "special_entr", "entr_cpu", "in steps")


XLOG1PY = program(lambda x, y: where(y.isnan(), y, where(x.eq(0), 0, x * y.log1p())), floats=True)


@primitive(name="special_xlog1py")
def _xlog1py(self, other):
    return stepwise(XLOG1PY, self, other)


@primitive(name="special_xlog1py_scalar")
def _xlog1py_scalar(self, other):
    return _xlog1py.forward(self, other)


@primitive(name="special_scalar_xlog1py")
def _scalar_xlog1py(self, other):
    return _xlog1py.forward(self, other)


def xlog1py(input, other):
    """input * log(1 + other), 0 where input is 0 (NaN where other is).

    Parameters
    ----------
    input, other : Tensor or number
        At least one tensor, of real dtypes.
    out : Tensor, optional
        Written to.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Examples
    --------
    >>> cygrad.special.xlog1py(cygrad.tensor([0., 2.]), cygrad.tensor([-1., 1.]))
    tensor([0.0000, 1.3863])
    """
    need_one(input, other, "special_xlog1py")
    dtype = result_type(input, other)
    if dtype.is_complex:
        raise refused("xlog1py_cpu", dtype)
    if not isinstance(input, Tensor):
        return _scalar_xlog1py(input, other)
    return _xlog1py(input, other) if isinstance(other, Tensor) else _xlog1py_scalar(input, other)


def need_one(input, other, name):
    """Raise unless one of two operands is a tensor; tensors must broadcast."""
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        broadcast(input, other)
