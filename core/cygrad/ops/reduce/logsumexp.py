"""The logarithm of a sum of exponentials: `logsumexp`."""
from cygrad.dispatch.operands import select
from cygrad.dispatch.programs import program, where
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.declare.out_arguments import refuse_out_grad, write_out
from cygrad.dispatch.raw import cast_to, reduce_dims
from cygrad.ops.declare.operand_types import HALVES, as_float
from cygrad.ops.declare.out_dtypes import check_dtypes
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.reduce.sums import EVERY, MAX, SUM, axes as axes_of

FINITE = program(lambda x: where(x.isinf(), 0.0, x))
POWERS = program(lambda x, largest: (x - largest).exp())
LOGARITHM = program(lambda total, n: total.log())


@primitive(name="logsumexp")
def _logsumexp(self, dim, keepdim):
    x = as_float(self)
    if x.numel() == 0:
        return reduce_dims(SUM, x.exp(), dim, keepdim, x.dtype).log()
    if x.is_complex() or x.dtype in HALVES:         # rounded after each step, as in PyTorch
        largest = reduce_dims(MAX, x.real, dim, True, x.dtype.to_real() if x.is_complex() else x.dtype)
        largest = select(largest.isinf(), 0, largest)
        total = reduce_dims(SUM, (x - largest).exp(), dim, keepdim, x.dtype).log()
    else:
        largest = FINITE(reduce_dims(MAX, x, dim, True, x.dtype))
        total = POWERS.reduced((SUM,), dim, keepdim, x.dtype, (x, largest), LOGARITHM)
    return cast_to(total + (largest if keepdim else largest.view(total.shape)), x.dtype)


@op(axis=True)
def logsumexp(input, dim, keepdim=False, *, out=None):
    """The logarithm of the sum of the exponentials along some axes, without overflow.

    Parameters
    ----------
    input : Tensor
    dim : int or tuple of int
        The axes to sum over; negative ones count from the last.
    keepdim : bool
        Keep the axes, with size 1.
    out : Tensor, optional
        Receives the result; its real part, if it is not complex.

    Returns
    -------
    Tensor
        input's shape without the axes; integers give the default float dtype.

    Examples
    --------
    >>> cygrad.logsumexp(cygrad.tensor([1000., 1000.]), dim=0)
    tensor(1000.6932)
    """
    rank = input.dim()
    if out is not None:
        refuse_out_grad("logsumexp", input, out)
        if not (out.is_floating_point() or out.is_complex()):
            raise RuntimeError("logsumexp(): Expected floating point type for result tensor, but got: "
                               f"{SCALAR_NAMES[out.dtype.code]}")
    axes = axes_of(dim, rank, "logsumexp")
    # PyTorch forgets that no axes are all of them when it writes the result of what is not empty.
    if not axes and rank and not keepdim and input.numel():
        raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {[1] * rank}")
    axes = axes or EVERY[rank]
    if out is None:
        return _logsumexp(input, axes, keepdim)
    result = _logsumexp(input, axes, keepdim)
    result = result.real if out.is_floating_point() else result
    check_dtypes("logsumexp", True, (result,), (out,), (input,), {})
    return write_out("logsumexp", result, out)
