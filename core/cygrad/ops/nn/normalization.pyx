# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""Layer normalisation: `layer_norm`, and `native_layer_norm`, which also gives the statistics that its gradient needs.

The backend's `layer_norm` works on (rows, n); here the normalised axes become one.
"""
import math
from functools import lru_cache

from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import call
from cygrad.dispatch.raw import cast_to, fill_
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.operand_types import FLOAT32, HALVES, need_tensors, refused
from cygrad.tensor import Tensor


def flat(t):
    """One axis instead of the normalised ones; None stays None."""
    return t if t is None or t.dim() == 1 else t.reshape(-1)


def matrix(t, axes):
    """`t` as (rows, n), the last `axes` of its axes being normalised."""
    if t.dim() == 2 and axes == 1:
        return t
    shape = tuple(t.shape)
    return t.reshape(math.prod(shape[:-axes]), math.prod(shape[-axes:]))


# The first argument lists the tensors that have gradients, so that one formula computes all three; see the table.
@primitive(name="native_layer_norm")
def _native_layer_norm(tensors, input, weight, bias, axes, eps):
    if weight is not None and weight.dtype is not input.dtype:          # a 16-bit input with parameters in float32
        out, mean, rstd = _native_layer_norm.forward((), cast_to(input, FLOAT32), weight, bias, axes, eps)
        return cast_to(out, input.dtype), mean, rstd
    rows, shape, dtype = matrix(input, axes), tuple(input.shape), input.dtype
    stats = FLOAT32 if dtype in HALVES else dtype
    kept = (*shape[:-axes], *([1] * axes))
    out, mean, rstd = empty_near(input, rows.shape), empty_near(input, kept, stats), empty_near(input, kept, stats)
    if out.numel():
        call(out, "layer_norm", (rows, flat(weight), flat(bias), eps, out, flat(mean), flat(rstd)), (4, 5, 6))
    elif mean.numel():                                                 # rows of nothing
        fill_(mean, 0)
        fill_(rstd, math.nan)
    if stats is not dtype:
        mean, rstd = cast_to(mean, dtype), cast_to(rstd, dtype)
    return out if rows is input else out.view(shape), mean, rstd


@lru_cache(1024)
def check_shapes(seen, normalized_shape, weight, bias):
    """PyTorch's refusals of shapes, of which those of weight and bias may be None, in its order; worked out once."""
    if not normalized_shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                           "element, but got normalized_shape = []")
    for name, shape in (("weight", weight), ("bias", bias)):
        if shape is not None and shape != normalized_shape:
            raise RuntimeError(f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                               f"{list(shape)} and normalized_shape = {list(normalized_shape)}")
    if tuple(seen)[-len(normalized_shape):] != normalized_shape:
        raise RuntimeError(f"Given normalized_shape={list(normalized_shape)}, expected input with shape "
                           f"[*, {', '.join(map(str, normalized_shape))}], but got input of size{list(seen)}")


def check(input, normalized_shape, weight, bias):
    """PyTorch's refusals, in its order."""
    check_shapes(input.shape, normalized_shape, *[None if t is None else t.shape for t in (weight, bias)])
    dtype = input.dtype
    if weight is not None and weight.dtype is not dtype or bias is not None and bias.dtype is not dtype:
        check_parameter_dtypes(input, *[p for p in (weight, bias) if p is not None])
    if not input.is_floating_point():
        raise refused("LayerNormKernelImpl", dtype)


@op(method=False)
def native_layer_norm(input, normalized_shape, weight, bias, eps):
    """`layer_norm` together with the mean and 1 / deviation of what was normalised.

    Parameters
    ----------
    input, normalized_shape, weight, bias, eps
        As in `layer_norm`.

    Returns
    -------
    tuple of Tensor
        The result; mean and 1 / sqrt(variance + eps), in which the normalised axes have size 1.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.native_layer_norm(cygrad.tensor([[1., 3.]]), (2,), None, None, 1e-5)[1]
    tensor([[2.]])
    """
    out, mean, rstd = normalized(input, normalized_shape, weight, bias, eps)
    return out, mean.detach(), rstd.detach()


def normalized(input, normalized_shape, weight, bias, eps):
    """The three results of the primitive, checked."""
    if not isinstance(input, Tensor):
        need_tensors("layer_norm", input=input)
    if not isinstance(normalized_shape, (tuple, list)):
        raise TypeError("layer_norm(): argument 'normalized_shape' (position 2) must be tuple of ints, not "
                        f"{type(normalized_shape).__name__}")
    normalized_shape = tuple(normalized_shape)
    check(input, normalized_shape, weight, bias)
    return _native_layer_norm((input, weight, bias), input, weight, bias, len(normalized_shape), eps)


@op(method=False)
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    """(x - mean) / sqrt(variance + eps) * weight + bias, over the last axes.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    normalized_shape : sequence of int
        The sizes of the last axes of input: those that mean and variance (the biased one) are taken over.
    weight, bias : Tensor, optional
        Of that shape and input's dtype (or float32, for 16-bit floats).
    eps : float
    cudnn_enable : bool
        Makes no difference here.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.layer_norm(cygrad.tensor([[1., 3.], [0., 10.]]), (2,))
    tensor([[-1.0000,  1.0000],
            [-1.0000,  1.0000]])
    """
    return normalized(input, normalized_shape, weight, bias, eps)[0]


def layer_norm_backward(grad, input, mean, rstd, weight, axes, wanted):
    """Raw gradients of the input, the weight and the bias, None where not `wanted`, by the backend's kernel."""
    rows = matrix(input, axes)
    shape = input.shape[input.dim() - axes:]
    made = [empty_near(rows, size) if want else None
            for want, size in zip(wanted, (rows.shape, rows.shape[1:], rows.shape[1:]))]
    if rows.numel():
        stats = FLOAT32 if input.dtype in HALVES else input.dtype
        mean, rstd = cast_to(flat(mean), stats), cast_to(flat(rstd), stats)
        call(rows, "layer_norm_backward", (matrix(grad, axes), rows, mean, rstd, flat(weight), *made), (5, 6, 7))
    else:
        for t in made:
            if t is not None:
                fill_(t, 0)
    return [t if t is None else t.view(size) for t, size in zip(made, (input.shape, shape, shape))]


def check_parameter_dtypes(input, *parameters):
    """Parameters have the input's dtype; those of a 16-bit input may be float32, too."""
    wrong = [p.dtype for p in parameters if p.dtype is not input.dtype]
    if wrong:
        if any([dtype is not FLOAT32 for dtype in wrong]):
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
        if input.dtype not in HALVES:
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
