"""Elements kept between bounds: clamp, clamp_min, clamp_max, with numbers or tensors as bounds; `nan_to_num`."""
import math

from cygrad.backend import BINARY
from cygrad.dispatch.allocation import empty_like_strided
from cygrad.dispatch.programs import program, same_floats
from cygrad.dispatch.promotion import C_TYPES, SCALAR_NAMES, check_scalar, result_type
from cygrad.dispatch.raw import binary_op, cast_to, fill_
from cygrad.ops.declare.operand_types import BOOL, HALVES, refused
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import inplace_form, op
from cygrad.ops.pointwise.single_kernel import clamped_few
from cygrad.tensor import Tensor
import cygrad
from cygrad.autograd.inplace import shadow
from cygrad.dispatch.programs import where as where_
from cygrad.dispatch.raw import clone_like
from cygrad.dtype import finfo
from cygrad.ops.declare.operand_types import (is_integral, refuse_complex_gradient)
from cygrad.ops.pointwise.single_kernel import check_writable, inplace_result

CLAMP = program(lambda x, low, high: x.maximum(low).minimum(high))
AT_LEAST = program(lambda x, low: x.maximum(low))
AT_MOST = program(lambda x, high: x.minimum(high))
MAXIMUM, MINIMUM = BINARY.index("maximum"), BINARY.index("minimum")


def is_nan(min, max):
    """Whether a bound is the number NaN, which the programs' loops don't hold against elements."""
    return isinstance(min, float) and min != min or isinstance(max, float) and max != max


def alike_floats(self, bound):
    """Whether both are tensors of one real floating-point dtype, between which nothing is to be promoted."""
    return type(bound) is Tensor and bound.dtype is self.dtype and self.is_floating_point()


def _clamped(self, min, max):
    """`self` in the dtype that all operands promote to, between the bounds."""
    if is_nan(min, max):
        return cast_to(self, result_type(self, *[x for x in (min, max) if x is not None])) * math.nan
    if isinstance(min, float) and isinstance(max, float) and same_floats(self):
        return CLAMP(self, min, max)
    if min is None or max is None:
        bound = max if min is None else min
        if alike_floats(self, bound):
            return binary_op(MINIMUM if min is None else MAXIMUM, self, bound)
        if type(bound) is float and same_floats(self):
            return AT_MOST(self, bound) if min is None else AT_LEAST(self, bound)
    bounds = [value for value in (min, max) if value is not None]
    self = cast_to(self, result_type(self, *bounds))
    if len(bounds) == 2:
        return CLAMP(self, min, max)
    return AT_MOST(self, max) if min is None else AT_LEAST(self, min)


@primitive(name="clamp")
def _clamp(self, min, max):
    return _clamped(self, min, max)


def _write_clamped(self, min, max):
    if is_nan(min, max):
        fill_(self, math.nan)
    elif min is None or max is None:
        AT_MOST.into(self, self, max) if min is None else AT_LEAST.into(self, self, min)
    else:
        CLAMP.into(self, self, min, max)
    self._bump_version()


@primitive(name="clamp")
def _clamp_into(self, min, max):
    _write_clamped(self, min, max)


@primitive(name="clamp_min")
def _clamp_min_into(self, min):
    _write_clamped(self, min, None)


@primitive(name="clamp_max")
def _clamp_max_into(self, max):
    _write_clamped(self, None, max)


@primitive(name="clamp_tensors")
def _clamp_tensors(self, min, max):
    return _clamped(self, min, max)


@primitive(name="clamp_min_tensor")
def _clamp_min_tensor(self, min):
    return _clamped(self, min, None)


@primitive(name="clamp_max_tensor")
def _clamp_max_tensor(self, max):
    return _clamped(self, None, max)


@primitive(name="clamp_min")
def _clamp_min(self, min):
    return _clamped(self, min, None)


@primitive(name="clamp_max")
def _clamp_max(self, max):
    return _clamped(self, None, max)


def alike(min, max):
    """Bounds of which one is a tensor and one a number, as two numbers: as in PyTorch, the tensor must have no axes."""
    if isinstance(min, Tensor) and isinstance(max, (int, float)) and not (min.dim() or min.requires_grad):
        return min.item(), max
    if isinstance(max, Tensor) and isinstance(min, (int, float)) and not (max.dim() or max.requires_grad):
        return min, max.item()
    return min, max


def bounded(name, input, min, max):
    """Check the arguments of `clamp`: returns whether the bounds are tensors."""
    given = [value for value in (min, max) if value is not None]
    if not given:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    tensors = isinstance(given[0], Tensor)
    for value in given:
        if isinstance(value, Tensor) is not tensors or not isinstance(value, (Tensor, int, float, complex)):
            raise TypeError(f"{name}() received an invalid combination of arguments - got (Tensor, "
                            f"{type(min).__name__}, {type(max).__name__})")
    if input.is_floating_point():
        may_be_beyond = (float, int) if input.dtype in HALVES else float
        for value in given:
            if isinstance(value, may_be_beyond):
                check_scalar(input.dtype, value)
    if input.is_complex():
        raise NotImplementedError("clamp is not supported for complex types")
    if not tensors and (isinstance(min, complex) or isinstance(max, complex)):
        if name == "clamp" and input.dtype.is_floating_point:
            raise RuntimeError("value cannot be converted to type double without overflow")
        raise NotImplementedError("clamp is not supported for complex types")
    if not (tensors or input.is_floating_point() or input.dtype is BOOL):
        for value in given:
            if isinstance(value, int):
                check_scalar(input.dtype, value)
    if not tensors and input.dtype is BOOL and result_type(input, *given) is BOOL:
        which = "clamp_max" if min is None else "clamp_min" if max is None else "clamp"
        raise refused(f"{which}_scalar_cpu", BOOL)
    return tensors


def numbers_only(out, *args, **kwargs):
    """`out=` must be of the result's dtype where the bounds are numbers."""
    bounds = *args[1:], *(value for word, value in kwargs.items() if word != "input")
    return "" if any(isinstance(x, Tensor) for x in bounds) else "exact"


def fits(self, *bounds):
    """Whether the result of bounds that are numbers has the tensor's dtype; it can't be written to it otherwise."""
    if self.is_floating_point() and complex not in map(type, bounds):
        return True
    dtype = result_type(self, *[x for x in bounds if x is not None])
    if dtype is not self.dtype and dtype.is_floating_point:
        raise RuntimeError(f"result type {SCALAR_NAMES[dtype.code]} can't be cast to the desired output type "
                           f"{C_TYPES[self.dtype.code]}")
    return dtype is self.dtype


def _clamp_(self, min=None, max=None):
    if self.is_complex():
        self._check_inplace()                   # which is PyTorch's first error
    min, max = alike(min, max)
    if bounded("clamp", self, min, max) or not fits(self, min, max):
        return general_clamp_(self, min, max)
    return _clamp_into.inplace(self, min, max)


@op(inplace=_clamp_, out=numbers_only, aliases=("clip",))
def clamp(input, min=None, max=None):
    """Each element, but not below `min` and not above `max`; NaN stays.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    min, max : number or Tensor, optional
        At least one; both numbers or tensors without axes, or both tensors. Where min > max the result is max.

    Returns
    -------
    Tensor
        Of the broadcast shape of input and bounds.

    Raises
    ------
    RuntimeError
        If both bounds are omitted, or for a complex tensor.

    Examples
    --------
    >>> cygrad.clamp(cygrad.tensor([-2., 0.5, 3.]), -1, 1)
    tensor([-1.0000,  0.5000,  1.0000])
    """
    out = clamped_few(input, min, max)
    if out is not None:
        return out
    if isinstance(min, float) and isinstance(max, float) and same_floats(input):
        check_scalar(input.dtype, min)
        check_scalar(input.dtype, max)
        return _clamp(input, min, max)
    min, max = alike(min, max)
    if not bounded("clamp", input, min, max):
        return _clamp(input, min, max)
    if min is not None and max is not None and result_type(input, min, max) is BOOL:
        raise refused("clamp_cpu", BOOL)
    return _clamp_tensors(input, min, max)


general_clamp_ = inplace_form("clamp", clamp, True)


def _clamp_min_(self, min):
    if self.is_complex() or isinstance(min, complex):
        self._check_inplace()
    if bounded("clamp_min", self, min, None) or not fits(self, min):
        return general_clamp_min_(self, min)
    return _clamp_min_into.inplace(self, min)


def _clamp_max_(self, max):
    if self.is_complex() or isinstance(max, complex):
        self._check_inplace()
    if bounded("clamp_max", self, None, max) or not fits(self, max):
        return general_clamp_max_(self, max)
    return _clamp_max_into.inplace(self, max)


@op(inplace=_clamp_min_, out=numbers_only)
def clamp_min(input, min):
    """Each element, but not below `min` (a number or a tensor).

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    min : number or Tensor
        The lower bound; a tensor broadcasts with `input`.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Examples
    --------
    >>> cygrad.clamp_min(cygrad.tensor([1, 5, 3]), 3)
    tensor([3, 5, 3])
    """
    out = clamped_few(input, min, None)
    if out is not None:
        return out
    if alike_floats(input, min):
        return _clamp_min_tensor(input, min)
    if type(min) is float and same_floats(input):
        check_scalar(input.dtype, min)
        return _clamp_min(input, min)
    return _clamp_min_tensor(input, min) if bounded("clamp_min", input, min, None) else _clamp_min(input, min)


@op(inplace=_clamp_max_, out=numbers_only)
def clamp_max(input, max):
    """Each element, but not above `max` (a number or a tensor).

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    max : number or Tensor
        The upper bound; a tensor broadcasts with `input`.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Examples
    --------
    >>> cygrad.clamp_max(cygrad.tensor([1, 5, 3]), 3)
    tensor([1, 3, 3])
    """
    out = clamped_few(input, None, max)
    if out is not None:
        return out
    if alike_floats(input, max):
        return _clamp_max_tensor(input, max)
    if type(max) is float and same_floats(input):
        check_scalar(input.dtype, max)
        return _clamp_max(input, max)
    return _clamp_max_tensor(input, max) if bounded("clamp_max", input, None, max) else _clamp_max(input, max)


general_clamp_min_ = inplace_form("clamp_min", clamp_min, True)
general_clamp_max_ = inplace_form("clamp_max", clamp_max, True)


NAN_TO_NUM = program(lambda x, nan, posinf, neginf: where_(
    x.isnan(), nan, where_(x.eq(math.inf), posinf, where_(x.eq(-math.inf), neginf, x))))


@primitive(name="nan_to_num")
def _nan_to_num(self, nan, posinf, neginf):
    if self.is_complex():
        out = clone_like(self)
        parts = cygrad.view_as_real(out)
        parts.copy_(_nan_to_num.forward(parts, nan, posinf, neginf))
        return out.detach()
    if is_integral(self):
        return clone_like(self)
    limits = finfo(self.dtype)
    return NAN_TO_NUM.into(empty_like_strided(self, self.dtype), self, 0.0 if nan is None else nan,
                           limits.max if posinf is None else posinf, limits.min if neginf is None else neginf)


def _nan_to_num_(self, nan=None, posinf=None, neginf=None):
    if is_integral(self):
        self._check_inplace()
        self._bump_version()
        return self
    check_writable(self)
    return inplace_result(self, _nan_to_num(shadow(self), nan, posinf, neginf))


@op(inplace=_nan_to_num_, out="exact")
def nan_to_num(input, nan=None, posinf=None, neginf=None):
    """Replace NaN by `nan` (0), and infinities by `posinf` and `neginf` (the dtype's largest and smallest numbers).

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    nan : number, optional
        In the place of NaN; 0 when omitted.
    posinf, neginf : number, optional
        In the place of the infinities; the dtype's largest and smallest numbers when omitted.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> cygrad.nan_to_num(cygrad.tensor([cygrad.nan, cygrad.inf, 1.]), posinf=9)
    tensor([0., 9., 1.])
    """
    refuse_complex_gradient(input, "nan_to_num")
    return _nan_to_num(input, nan, posinf, neginf)
