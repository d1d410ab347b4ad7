"""Weighted sums: `lerp`, `addcmul`, `addcdiv`, programs of other ops' kernels, but each has a node of its own.

A `@primitive` here is the op as autograd sees it: its forward runs unrecorded. Where it is no program but written with
operators and public ops, 16-bit floats are computed in float32 and rounded once (`widened`), as PyTorch does.
"""
from cygrad.dispatch.operands import broadcast, select
from cygrad.dispatch.programs import program, same_floats, where as where_
from cygrad.dispatch.promotion import C_TYPES, checked_factor, result_type
from cygrad.dispatch.raw import cast_to
from cygrad.ops.declare.operand_types import BOOL, is_integral, need_float, need_tensors, refused
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import inplace_form, op
from cygrad.tensor import Tensor

LERP_NEAR_START = program(lambda start, end, weight: start + (end - start) * weight)
LERP_NEAR_END = program(lambda start, end, weight: end + (end - start) * (weight - 1))
LERP = program(lambda start, end, weight: where_(weight.abs() < 0.5, start + weight * (end - start),
                                                 end - (end - start) * (1 - weight)))


def lerp_program(weight):
    return LERP_NEAR_START if abs(weight) < 0.5 else LERP_NEAR_END


@primitive(name="lerp")
def _lerp(self, end, weight):
    return lerp_program(weight)(self, end, weight)


@primitive(name="lerp")
def _lerp_into(self, end, weight):
    lerp_program(weight).into(self, self, end, weight)
    self._bump_version()


def of_one_float_dtype(a, b, c):
    """Whether these are tensors, between which nothing is to be promoted, of a real floating-point dtype."""
    return type(a) is type(b) is type(c) is Tensor and a.dtype is b.dtype is c.dtype and a.is_floating_point()


@primitive(name="lerp_tensor")
def _lerp_tensor(self, end, weight):
    if self.is_complex():
        weight = cast_to(weight, self.dtype)
        return select(weight.abs() < 0.5, LERP_NEAR_START(self, end, weight), LERP_NEAR_END(self, end, weight))
    return LERP(self, end, weight)


def tensor_weight(out, input, end, weight):
    """`out=` must be of the result's dtype where the weight is a tensor with axes."""
    return "found" if isinstance(weight, Tensor) and weight.dim() else True


def _lerp_(self, end, weight):
    if not isinstance(weight, (int, float)) or not same_floats(self, end):
        return general_lerp_(self, end, weight)
    return _lerp_into.inplace(self, end, weight)


@op(inplace=_lerp_, out=tensor_weight)
def lerp(input, end, weight):
    """input + weight * (end - input), exact at both ends.

    Parameters
    ----------
    input, end : Tensor
        Of one floating-point or complex dtype.
    weight : number or Tensor
        0 gives input, 1 gives end.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Examples
    --------
    >>> cygrad.lerp(cygrad.tensor([0., 10.]), cygrad.tensor([10., 20.]), 0.25)
    tensor([ 2.5000, 12.5000])
    """
    if isinstance(weight, (float, int)) and same_floats(input, end):
        return _lerp(input, end, weight)
    if of_one_float_dtype(input, end, weight):
        return _lerp_tensor(input, end, weight)
    need_tensors("lerp", input=input, end=end)
    if input.shape != end.shape or isinstance(weight, Tensor) and weight.shape != end.shape:
        broadcast(*[value for value in (input, end, weight) if isinstance(value, Tensor)])
    for name, value in (("end", end), ("weight", weight)):
        if isinstance(value, Tensor) and value.dtype is not input.dtype and (name == "end" or value.dim()):
            raise RuntimeError(f"expected dtype {C_TYPES[input.dtype.code]} for `{name}` but got dtype "
                               f"{C_TYPES[value.dtype.code]}")
    if isinstance(weight, Tensor):
        if not weight.dim() and weight.dtype is not input.dtype:
            dtype = result_type(input, end, weight)
            input, end = input.to(dtype), end.to(dtype)
        need_float(input, "lerp_kernel_tensor", complex_too=True)
        return _lerp_tensor(input, end, weight)
    need_float(input, "lerp_kernel_scalar", complex_too=True)
    if isinstance(weight, complex) and not input.is_complex():
        raise RuntimeError("value cannot be converted to type float without overflow")
    return _lerp(input, end, weight)


general_lerp_ = inplace_form("lerp", lerp, True)


ADD_MULTIPLE = program(lambda x, y, factor: y * factor + x)
ADD_PRODUCT = program(lambda x, a, b: a * b + x)
ADD_SCALED_PRODUCT = program(lambda x, a, b, value: a * b * value + x)
ADD_QUOTIENT = program(lambda x, a, b: a / b + x)
ADD_SCALED_QUOTIENT = program(lambda x, a, b, value: a / b * value + x)


@primitive(name="addcmul")
def _addcmul(self, tensor1, tensor2, value):
    if value == 1:
        return ADD_PRODUCT(self, tensor1, tensor2)
    return ADD_SCALED_PRODUCT(self, tensor1, tensor2, checked_factor(value, self, tensor1, tensor2))


@primitive(name="addcmul")
def _addcmul_into(self, tensor1, tensor2, value):
    if value == 1:
        ADD_PRODUCT.into(self, self, tensor1, tensor2)
    else:
        ADD_SCALED_PRODUCT.into(self, self, tensor1, tensor2, checked_factor(value, self))
    self._bump_version()


@primitive(name="addcdiv")
def _addcdiv(self, tensor1, tensor2, value):
    if value == 1:
        return ADD_QUOTIENT(self, tensor1, tensor2)
    return ADD_SCALED_QUOTIENT(self, tensor1, tensor2, checked_factor(value, self, tensor1, tensor2))


@primitive(name="addcdiv")
def _addcdiv_into(self, tensor1, tensor2, value):
    if value == 1:
        ADD_QUOTIENT.into(self, self, tensor1, tensor2)
    else:
        ADD_SCALED_QUOTIENT.into(self, self, tensor1, tensor2, checked_factor(value, self))
    self._bump_version()


# Complex numbers are multiplied by the value first, and by 1, too: what is infinite reaches both parts.
ADD_COMPLEX_PRODUCT = program(lambda x, a, b, value: a * value * b + x)
ADD_COMPLEX_QUOTIENT = program(lambda x, a, b, value: a * value / b + x)


@primitive(name="addcmul")
def _complex_addcmul(self, tensor1, tensor2, value):
    return ADD_COMPLEX_PRODUCT(self, tensor1, tensor2, value)


@primitive(name="addcdiv")
def _complex_addcdiv(self, tensor1, tensor2, value):
    return ADD_COMPLEX_QUOTIENT(self, tensor1, tensor2, value)


_lerp_into.apart = _addcmul_into.apart = _addcdiv_into.apart = True


def _addcmul_(self, tensor1, tensor2, *, value=1):
    if same_floats(self, tensor1, tensor2):
        return _addcmul_into.inplace(self, tensor1, tensor2, value)
    return general_addcmul_(self, tensor1, tensor2, value=value)


def _addcdiv_(self, tensor1, tensor2, *, value=1):
    if same_floats(self, tensor1, tensor2):
        return _addcdiv_into.inplace(self, tensor1, tensor2, value)
    return general_addcdiv_(self, tensor1, tensor2, value=value)


@op(inplace=_addcmul_, out=True)
def addcmul(input, tensor1, tensor2, *, value=1):
    """input + value * tensor1 * tensor2, elementwise.

    Parameters
    ----------
    input, tensor1, tensor2 : Tensor
        Shapes broadcast and dtypes promote.
    value : number
        An integer for integer tensors.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Examples
    --------
    >>> cygrad.addcmul(cygrad.tensor([1., 1.]), cygrad.tensor([1., 2.]), cygrad.tensor([2., 2.]), value=10)
    tensor([21., 41.])
    """
    if same_floats(input, tensor1, tensor2) or of_one_float_dtype(input, tensor1, tensor2):
        return _addcmul(input, tensor1, tensor2, value)
    need_tensors("addcmul", input=input, tensor1=tensor1, tensor2=tensor2)
    if input.shape != tensor1.shape:
        broadcast(input, tensor1)
    dtype = result_type(input, tensor1, tensor2)
    if dtype is BOOL:
        raise refused("addcmul_cpu_out", dtype)
    return (_complex_addcmul if dtype.is_complex else _addcmul)(input, tensor1, tensor2, value)


@op(inplace=_addcdiv_, out=True)
def addcdiv(input, tensor1, tensor2, *, value=1):
    """input + value * tensor1 / tensor2, elementwise.

    Parameters
    ----------
    input, tensor1, tensor2 : Tensor
        Shapes broadcast and dtypes promote; tensor1 and tensor2 not both of integers.
    value : number

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Raises
    ------
    RuntimeError
        If all are tensors of integers.

    Examples
    --------
    >>> cygrad.addcdiv(cygrad.tensor([1., 1.]), cygrad.tensor([1., 2.]), cygrad.tensor([2., 2.]), value=10)
    tensor([ 6., 11.])
    """
    if same_floats(input, tensor1, tensor2) or of_one_float_dtype(input, tensor1, tensor2):
        return _addcdiv(input, tensor1, tensor2, value)
    need_tensors("addcdiv", input=input, tensor1=tensor1, tensor2=tensor2)
    if input.shape != tensor1.shape:
        broadcast(input, tensor1)
    if is_integral(tensor1) and is_integral(tensor2):
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value "
            "* torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
            "tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value "
            "* tensor1 / tensor2), for all dtypes.")
    complex_ = result_type(input, tensor1, tensor2).is_complex
    return (_complex_addcdiv if complex_ else _addcdiv)(input, tensor1, tensor2, value)


general_addcmul_, general_addcdiv_ = inplace_form("addcmul", addcmul, True), inplace_form("addcdiv", addcdiv, True)
