"""A weight as a length times a direction: what `nn.utils.weight_norm` computes before each call."""
import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.derivatives.helpers import fresh
from cygrad.autograd.forward_levels import batch_depth, depth
from cygrad.autograd.modes import grad_mode
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.operand_types import need_tensors


@primitive
def weight_norm_interface(tensors, v, g, dim):
    norms = cygrad.norm_except_dim(v, 2, dim)
    return v * (g / norms), norms


def slopes(grads, v, g, dim, result):
    """Gradients by v and g, of the scaled weight alone: nobody sees the norms."""
    grad, norms = grads[0], cygrad.norm_except_dim(v, 2, dim) if grad_mode() else result[1]
    along = (grad * v).sum([axis for axis in range(v.dim()) if axis != dim], keepdim=True) / norms
    return fresh([g / norms * (grad - v * (along / norms)), along])


derivative("weight_norm_interface", name="WeightNormInterfaceBackward0", tensors=lambda grads, v, g, dim, result:
           slopes(grads, v, g, dim, result))


@op(method=False)
def _weight_norm(v, g, dim=0):
    """`v` with its norms over all axes but one set to `g`.

    Parameters
    ----------
    v : Tensor
    g : Tensor
        The norms: of v's rank, with sizes of 1 but along `dim`.
    dim : int
        The axis that is left out; -1: none, and `g` is one number.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import cygrad
    >>> cygrad._weight_norm(cygrad.tensor([[3., 4.]]), cygrad.tensor([[10.]]))
    tensor([[6., 8.]])
    """
    need_tensors("_weight_norm", v=v, g=g)
    # As one node along the axes for which PyTorch has a kernel; transforms go through ops that they know.
    if dim != -1 and dim in (0, v.dim() - 1) and v.dtype is g.dtype and not (depth() or batch_depth()):
        return weight_norm_interface([v, g], v, g, dim)[0]
    return v * (g / cygrad.norm_except_dim(v, 2, dim))
