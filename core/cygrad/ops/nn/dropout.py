"""Dropout, drawn from the default generator as PyTorch draws it."""
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.create.filled import empty_like
from cygrad.ops.declare.registry import op
from cygrad.ops.pointwise.several_operands import need_tensors


@op(method=False)
def dropout(input, p, train):
    """Elements set to 0 with probability `p`, the others divided by 1 - p.

    Parameters
    ----------
    input : Tensor
    p : float
    train : bool
        Where False, the input comes back as it is.
    """
    need_tensors("dropout", input=input)
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not train or input.numel() == 0:
        return input
    if p == 1:
        return input * input.detach().new_zeros(())
    if not (input.is_floating_point() or input.is_complex()):
        raise RuntimeError("result type Float can't be cast to the desired output type "
                           f"{SCALAR_NAMES[input.dtype.code]}")
    noise = empty_like(input.detach()).bernoulli_(1 - p)
    return input * noise.div_(1 - p)
