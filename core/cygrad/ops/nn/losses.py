"""Losses that are one node each (`mse_loss`, `nll_loss`), and the composites of them.

They live in `cygrad.nn.functional`. A reduction is "none", "mean" or "sum"; a mean over classes is weighted.
"""
import math

import cygrad
from cygrad.autograd.modes import grad_mode
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import OF_OPS, call
from cygrad.dispatch.programs import program, same_floats
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import copy_, gather_op
from cygrad.dtype import all_dtypes
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.nn.loss_reduction import WORDS, reduced, reduced_in_one_pass, warn_of_broadcast, word
from cygrad.ops.declare.operand_types import HALVES, need_tensors, refused, single
from cygrad.ops.reduce.integration import divide_by_number, multiply_by_number
from cygrad.tensor import Tensor

INT64 = next(d for d in all_dtypes() if d.name == "int64")
UINT8 = next(d for d in all_dtypes() if d.name == "uint8")


# ------------------------------------------------------------------------------- numbers

SQUARED_ERROR = program(lambda input, target: (input - target).pow(2))
ABSOLUTE_ERROR = program(lambda input, target: (input - target).abs())


@primitive(name="mse_loss")
def _mse_loss(self, target, reduction):
    return reduced_in_one_pass(SQUARED_ERROR, reduction, self, target)


def word_after_shapes(input, target, *reduction):
    """The word for a reduction; where it is none, shapes that don't fit are told first."""
    try:
        return word(*reduction)
    except ValueError:
        cygrad.broadcast_tensors(input, target)
        raise


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """(input - target) ** 2, and its mean or sum.

    Parameters
    ----------
    input, target : Tensor
        They broadcast and promote.
    weight : Tensor, optional
        Factors of the squares, of their shape; the mean is then divided by the weights' sum.

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Examples
    --------
    >>> cygrad.nn.functional.mse_loss(cygrad.tensor([1., 2.]), cygrad.tensor([1., 4.]))
    tensor(2.)
    """
    need_tensors("mse_loss", input=input, target=target)
    reduction = word_after_shapes(input, target, reduction, size_average, reduce)
    alike = same_floats(input, target)
    if not alike:
        warn_of_broadcast(input, target)
    if weight is not None:
        check_factors(input, weight)
        if input.shape != target.shape:
            input, target = cygrad.broadcast_tensors(input, target)
        squares = weight * (input - target) ** 2
        return squares.sum() / weight.sum() if reduction == "mean" else reduced(squares, reduction)
    if not (alike or cygrad.result_type(input, target).is_floating_point):
        raise refused("mse_cpu", cygrad.result_type(input, target))
    if input.shape != target.shape:
        input, target = cygrad.broadcast_tensors(input, target)
    return _mse_loss(input, target, reduction)


def check_factors(input, weight):
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """abs(input - target), and its mean or sum; arguments as in `mse_loss`.

    Parameters
    ----------
    input, target, weight : Tensor
        As in `mse_loss`.
    reduction : {"mean", "sum", "none"}
        What becomes of the losses.

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Examples
    --------
    >>> cygrad.nn.functional.l1_loss(cygrad.tensor([1., 2.]), cygrad.tensor([1., 4.]))
    tensor(1.)
    """
    need_tensors("l1_loss", input=input, target=target)
    reduction = word_after_shapes(input, target, reduction, size_average, reduce)
    alike = same_floats(input, target)
    if not alike:
        warn_of_broadcast(input, target)
    elif weight is None and not (input._tracked() or target._tracked()):
        return reduced_in_one_pass(ABSOLUTE_ERROR, reduction, input, target)
    if input.shape != target.shape:             # first of all: a tensor without axes counts as others do, then
        input, target = cygrad.broadcast_tensors(input, target)
    losses = (input - target).abs()
    if weight is not None:
        check_factors(input, weight)
        losses = weight * losses
        if reduction == "mean":
            return losses.sum() / weight.sum()
    return reduced(losses, reduction)


# ------------------------------------------------------------------------------- classes

def choices(target, weight, ignore_index, valid):
    """(axis, valid, index, factor): where the classes lie, which targets count, where they point to, and how much.

    The last three have size 1 along the axis.
    """
    axis = min(target.dim(), 1)
    valid = valid.unsqueeze(axis)
    index = cygrad.where(valid, target.unsqueeze(axis), 0)
    if weight is None:
        return axis, valid, index, valid
    factor = weight.take(index)
    return axis, valid, index, cygrad.where(valid, factor, 0)


def composed_nll(a, target, weight, ignore, mean, out, outside):
    """The backend's `nll_loss` of others of its entries."""
    valid = target != ignore
    wrong = ((target < 0) | (target >= a.shape[1])) & valid
    axis, valid, index, factor = choices(cygrad.where(wrong, ignore, target), weight, ignore, valid & ~wrong)
    losses = cygrad.where(valid, gather_op(a, index, axis) * -factor.to(a.dtype), 0).squeeze(axis)
    if not out.dim():
        losses = losses.sum() / factor.sum() if mean else losses.sum()
    copy_(out, losses)
    copy_(outside, wrong.sum())


def composed_nll_backward(grad, target, weight, ignore, mean, grad_a):
    """The backend's `nll_loss_backward` of others of its entries."""
    wrong = (target < 0) | (target >= grad_a.shape[1])
    copy_(grad_a, placed_losses(grad, grad_a.shape, cygrad.where(wrong, ignore, target), weight, ignore, mean))


OF_OPS.update(nll_loss=composed_nll, nll_loss_backward=composed_nll_backward)


def in_images(t, shape):
    """A tensor of an input's sizes as the backend's `nll_loss` takes it: with one axis at most behind that of classes.
    """
    return t.unsqueeze(0) if len(shape) == 1 else t if t.dim() < 4 else t.reshape(*shape[:2], -1)


def in_rows(target, shape):
    """The same of a target."""
    return target.view(1) if len(shape) == 1 else target if target.dim() < 3 else target.reshape(shape[0], -1)


def nll(self, target, weight, reduction, ignore_index):
    """Raw losses. A target that is no class is refused here, by what the kernel has seen, before there is a result."""
    if self.dtype in HALVES:
        return nll(single(self), target, single(weight), reduction, ignore_index).to(self.dtype)
    out = empty_near(self, target.shape if reduction == "none" else ())
    if not target.numel():
        return out.fill_(math.nan if reduction == "mean" else 0)
    outside = empty_near(self, (), INT64)
    a, chosen, losses = self, target, out
    if a.dim() != 2:
        a, chosen = in_images(a, a.shape), in_rows(chosen, a.shape)
        losses = in_rows(out, self.shape) if reduction == "none" else out
    call(a, "nll_loss", (a, chosen, weight, ignore_index, reduction == "mean", losses, outside), (5, 6))
    if not outside.is_meta and outside.item():
        wrong = ((target < 0) | (target >= a.shape[1])) & (target != ignore_index)
        raise IndexError(f"Target {target[wrong][0].item()} is out of bounds.")
    return out


@primitive(name="nll_loss", constants=("nll_loss_forward", "weight"))
def _nll_loss(self, target, weight, reduction, ignore_index):
    return nll(self, target, weight, reduction, ignore_index)


@primitive(name="nll_loss2d", constants=("nll_loss2d_forward", "weight"))
def _nll_loss2d(self, target, weight, reduction, ignore_index):
    return nll(self, target, weight, reduction, ignore_index)


def nll_loss_backward(grad, shape, target, weight, reduction, ignore_index):
    """The gradient goes to the elements that the targets chose."""
    if grad_mode() or grad.dtype in HALVES or not target.numel():
        return placed_losses(grad, shape, target, weight, ignore_index, reduction == "mean")
    out = empty_near(grad, shape)
    call(grad, "nll_loss_backward", (in_rows(grad, shape) if grad.dim() else grad, in_rows(target, shape), weight,
                                     ignore_index, reduction == "mean", in_images(out, shape)), (5,))
    return out


def placed_losses(grad, shape, target, weight, ignore_index, mean):
    """`nll_loss_backward` in differentiable ops."""
    axis, valid, index, factor = choices(target, weight, ignore_index, target != ignore_index)
    factor = factor.to(grad.dtype)
    if mean:
        factor = cygrad.where(valid, factor / factor.sum(), 0)
    grad = grad.unsqueeze(axis) if grad.dim() else grad
    return grad.new_zeros(shape).scatter(axis, index, -factor * grad)


def usual_classes(input, target):
    """Whether these are rows of numbers and a class for each: most losses are, and pass all that `check_classes` asks.
    """
    return (target.dtype is INT64 and target.dim() == 1 and input.dim() == 2 and len(input) == len(target)
            and input.is_floating_point())


def check_classes(input, target, weight, ignore_index):
    """PyTorch's refusals, in its order."""
    if input.dim() < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {input.dim()})")
    if input.dim() != 1 and input.shape[0] != (target.shape[0] if target.dim() else 1):
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size "
                         f"({target.shape[0] if target.dim() else 1}).")
    axis = 0 if input.dim() == 1 else 1
    classes = input.shape[axis]
    if input.dim() <= 2 and target.dim() > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input.dim() == 1 and target.numel() != 1 and target.dtype in (INT64, UINT8):
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.numel()}")
    if input.dim() == 4 and target.dim() != 3:
        raise RuntimeError(f"only batches of spatial targets supported (3D tensors) but got targets of dimension: "
                           f"{target.dim()}")
    if input.dim() == 4 and input.shape[2:] != target.shape[1:]:
        raise RuntimeError(f"size mismatch (got input: {list(input.shape)} , target: {list(target.shape)}")
    wanted = [input.shape[0], *input.shape[2:]]
    if input.dim() > 2 and list(target.shape) != wanted:
        raise RuntimeError(f"Expected target size {wanted}, got {list(target.shape)}")
    if weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(f"weight tensor should be defined either for all {classes} classes or no classes but got "
                           f"weight tensor of shape: {list(weight.shape)}")
    if not input.is_floating_point():
        raise refused("nll_loss_out_frame" if input.dim() <= 2 else "nll_loss2d_forward_out_frame", input.dtype)
    if target.dtype not in (INT64, UINT8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {SCALAR_NAMES[target.dtype.code]}")
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(f"expected scalar type {SCALAR_NAMES[input.dtype.code]} but found "
                           f"{SCALAR_NAMES[weight.dtype.code]}")


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """The negative of the log-probability that each row of the input gives to its target class.

    Parameters
    ----------
    input : Tensor
        (N, C), (C,) or (N, C, d1, ...): log-probabilities of C classes.
    target : Tensor
        int64, of input's shape without the axis of classes.
    weight : Tensor, optional
        (C,): a factor for each class; a mean is divided by the sum of those that were used.
    ignore_index : int
        Targets of this value count nothing.

    Returns
    -------
    Tensor
        A number, or with "none" the losses, of target's shape.

    Examples
    --------
    >>> cygrad.nn.functional.nll_loss(cygrad.tensor([[-1., -2.], [-3., -4.]]), cygrad.tensor([0, 1]))
    tensor(2.5000)
    """
    usual = type(input) is Tensor and type(target) is Tensor and size_average is None and reduce is None
    if usual and weight is None and reduction in WORDS and usual_classes(input, target):
        return _nll_loss(input, target, None, reduction, ignore_index)
    reduction = word(reduction, size_average, reduce)
    need_tensors("nll_loss", input=input, target=target)
    check_classes(input, target, weight, ignore_index)
    target = target.to(INT64)
    if input.dim() > 2:
        pixels = input if input.dim() == 4 else input.view(input.shape)                    # PyTorch's graph has views
        found = _nll_loss2d(pixels, target, weight, reduction, ignore_index)
        return found.view(found.shape) if found.dim() and input.dim() != 4 else found
    if input.dim() == 2:
        return _nll_loss(input, target.reshape(-1), weight, reduction, ignore_index)
    return _nll_loss(input, target, weight, reduction, ignore_index)


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                  label_smoothing=0.0):
    """`nll_loss` of the log-softmax over the classes.

    Parameters
    ----------
    input : Tensor
        (N, C), (C,) or (N, C, d1, ...): numbers whose softmax over the classes are probabilities.
    target : Tensor
        Classes, as in `nll_loss`; or probabilities, of input's shape.
    weight, ignore_index, reduction
        As in `nll_loss`.
    label_smoothing : float
        The part of each target that is spread evenly over all classes.

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Examples
    --------
    >>> cygrad.nn.functional.cross_entropy(cygrad.tensor([[0., 0.]]), cygrad.tensor([1]))
    tensor(0.6931)
    """
    reduction = word(reduction, size_average, reduce)
    need_tensors("cross_entropy", input=input, target=target)
    if label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    axis = 0 if input.dim() == 1 else 1
    if input.shape == target.shape:
        if not target.is_floating_point():
            raise RuntimeError("Expected floating point type for target with class probabilities, got "
                               f"{SCALAR_NAMES[target.dtype.code]}")
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return soft_cross_entropy(input, target, weight, axis, reduction, label_smoothing)
    logs = input.log_softmax(axis)
    found = nll_loss(logs, target, weight, None, ignore_index, None, reduction)
    if not label_smoothing > 0:
        return found
    smooth = smooth_part(logs, target, weight, axis, ignore_index, reduction)
    return (multiply_by_number(found, 1 - label_smoothing)
            + multiply_by_number(smooth, label_smoothing / max(input.shape[axis], 1)))


def along(weight, rank, axis):
    """A factor for each class, with axes of size 1 for the others."""
    return weight.view([-1 if i == axis else 1 for i in range(rank)])


def smooth_part(logs, target, weight, axis, ignore_index, reduction):
    """The loss of evenly spread targets: a sum over all classes."""
    losses = -(logs if weight is None else logs * along(weight, logs.dim(), axis)).sum(axis)
    losses = losses.masked_fill(target == ignore_index, 0)
    if reduction != "mean":
        return reduced(losses, reduction)
    if weight is None:
        return losses.sum() / (target != ignore_index).sum()
    factor = weight.take(cygrad.where(target == ignore_index, 0, target))
    return losses.sum() / factor.masked_fill(target == ignore_index, 0).sum()


def soft_cross_entropy(input, target, weight, axis, reduction, label_smoothing):
    """The loss where the target is a distribution."""
    if label_smoothing > 0:
        target = target * (1 - label_smoothing) + label_smoothing / max(input.shape[axis], 1)
    products = input.log_softmax(axis) * target
    if weight is not None:
        products = products * along(weight, input.dim(), axis)
    if reduction == "mean":
        return divide_by_number(-products.sum(), input.numel() // max(input.shape[axis], 1))
    return -(products.sum() if reduction == "sum" else products.sum(axis))
