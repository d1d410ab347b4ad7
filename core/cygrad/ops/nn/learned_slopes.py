"""`prelu`, the activation whose slope below 0 is learned."""
from cygrad.dispatch.allocation import empty_like_strided
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.programs import program, where
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.operand_types import need_tensors, refused

PRELU = program(lambda x, weight: where(x > 0, x, weight * x))


@primitive(name="prelu")
def _prelu(self, weight):
    return PRELU.into(empty_like_strided(self, self.dtype), self, weight)


@op
def prelu(input, weight):
    """`input` where it is positive, else `weight` times it; one weight, or one for each place of axis 1.

    Parameters
    ----------
    input : Tensor
        (N, C, ...), of a floating-point dtype.
    weight : Tensor
        One factor, or (C,).

    Returns
    -------
    Tensor
        Of input's shape.

    Raises
    ------
    RuntimeError
        If the dtypes differ, or there are more weights than one and not as many as channels.

    Examples
    --------
    >>> cygrad.prelu(cygrad.tensor([-2., 3.]), cygrad.tensor(0.5))
    tensor([-1.,  3.])
    """
    need_tensors("prelu", input=input, weight=weight)
    if weight.dtype is not input.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {SCALAR_NAMES[input.dtype.code]} and "
                           f"{SCALAR_NAMES[weight.dtype.code]}")
    if weight.dim() > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.dim()}")
    if weight.numel() != 1:
        if input.dim() == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.shape[1] if input.dim() >= 2 else 1
        if channels != weight.numel():
            raise RuntimeError("Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                               f"{weight.numel()} and channel size = {channels}.")
    if not input.is_floating_point():
        raise refused("prelu_cpu", input.dtype)
    if input.dim() and weight.numel() != 1:
        weight = weight.reshape(-1, *[1] * (input.dim() - 2))
    elif weight.dim() != input.dim():
        weight = weight.reshape([1] * input.dim())
    return _prelu(input, weight)
