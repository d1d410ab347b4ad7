"""Normalisation by a scale alone: root mean squares, norms of vectors, neighbouring channels."""
import math

import cygrad
from cygrad.autograd.derivatives.helpers import plus
from cygrad.ops.declare.operand_types import FLOAT32, HALVES, need_tensors, refused
from cygrad.ops.declare.op_forms import op


@op(method=False)
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """x / sqrt(mean(x ** 2) + eps) * weight, over the last axes.

    Parameters
    ----------
    input : Tensor
        Of a floating-point or complex dtype.
    normalized_shape : sequence of int
        The sizes of the last axes of input, over which the mean is taken.
    weight : Tensor, optional
        Of that shape.
    eps : float, optional
        The dtype's `finfo.eps` when omitted (float32's for 16-bit floats).

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> cygrad.rms_norm(cygrad.tensor([3., 4.]), (2,))
    tensor([0.8485, 1.1314])
    """
    need_tensors("rms_norm", input=input)
    if not isinstance(normalized_shape, (tuple, list)):
        raise TypeError("rms_norm(): argument 'normalized_shape' (position 2) must be tuple of ints, not "
                        f"{type(normalized_shape).__name__}")
    shape = tuple(normalized_shape)
    if not shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                           "element, but got normalized_shape = []")
    if weight is not None and tuple(weight.shape) != shape:
        raise RuntimeError("Expected weight to be of same shape as normalized_shape, but got weight of shape "
                           f"{list(weight.shape)} and normalized_shape = {list(shape)}")
    if input.dim() < len(shape):
        raise ValueError(f"Input tensor must have at least {len(shape)} dimensions, but got {input.dim()}")
    if tuple(input.shape)[-len(shape):] != shape:
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape "
                           f"[*{', '.join(map(str, shape))}], but got input of size{list(input.shape)}")
    if not (input.is_floating_point() or input.is_complex()):
        raise refused("rms_norm", input.dtype)
    x = input.to(FLOAT32) if input.dtype in HALVES else input
    if eps is None:
        eps = cygrad.finfo(x.dtype).eps
    axes = tuple(range(-len(shape), 0))
    out = x * plus(x.pow(2).mean(axes, keepdim=True), eps).rsqrt()
    if weight is not None:
        out = out * weight
    return out.to(input.dtype).contiguous()


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """`input` divided by the p-norms of its vectors along an axis; norms below `eps` count as `eps`.

    Parameters
    ----------
    input : Tensor
    p : float
    dim : int or tuple of int
    eps : float
    out : Tensor, optional

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> cygrad.nn.functional.normalize(cygrad.tensor([[3., 4.]]))
    tensor([[0.6000, 0.8000]])
    """
    p = p.item() if isinstance(p, cygrad.Tensor) else p
    norms = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / norms if out is None else cygrad.div(input, norms, out=out)


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """x / (k + alpha * mean of squares over `size` neighbouring channels) ** beta.

    Parameters
    ----------
    input : Tensor
        (N, C, ...), of three axes or more.
    size : int
    alpha, beta, k : float

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> cygrad.nn.functional.local_response_norm(cygrad.ones(1, 2, 1), 1, alpha=3.0, beta=0.5)
    tensor([[[0.5000],
             [0.5000]]])
    """
    if input.dim() < 3:
        raise ValueError("Expected 3D or higher dimensionality"
                         f"                          input (got {input.dim()} dimensions)")
    if input.numel() == 0:
        return input
    from cygrad.nn.functional import avg_pool2d, avg_pool3d, pad      # knot: it needs this module
    squares = input * input
    if input.dim() == 3:
        squares = pad(squares.unsqueeze(1), (0, 0, size // 2, (size - 1) // 2))
        means = avg_pool2d(squares, (size, 1), stride=1).squeeze(1)
    else:
        shape = input.shape
        squares = squares.view(shape[0], 1, shape[1], shape[2], math.prod(shape[3:]))
        squares = pad(squares, (0, 0, 0, 0, size // 2, (size - 1) // 2))
        means = avg_pool3d(squares, (size, 1, 1), stride=1).squeeze(1).view(shape)
    return input / (means * alpha + k) ** beta
