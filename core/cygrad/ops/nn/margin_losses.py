"""Losses that ask for a margin: between scores of classes, between two inputs, between distances.

Those with a node of their own (of classes) have the gradient's formula here, beside the loss's; the others are
composites, as in PyTorch.
"""
import math
import operator

import cygrad
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.operand_types import need_tensors, refused
from cygrad.ops.nn.loss_reduction import WORDS, numbered, reduced, reduced_in_one_pass, share, word
from cygrad.ops.declare.op_forms import op
from cygrad.ops.reduce.integration import add_number
from cygrad.ops.reduce.sums import MEAN, SUM
from cygrad.dispatch.programs import program, where
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import in_steps


# ---------------------------------------------------------------------------- scores of classes

def rows_of(t):
    """A batch of one where there is no axis for the batch."""
    return t.reshape(1, -1) if t.dim() < 2 else t


def check_scores(input):
    if not (input.dim() == 2 and input.size(1) or input.dim() == 1 and input.numel() or input.dim() == 0):
        raise RuntimeError("Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
                           f"{list(input.shape)}")


def margins(input, target, margin):
    """margin - score of the target + score of each class; (rows, classes)."""
    return margin - input.gather(1, target) + input


def above(apart, power):
    """What lies above 0, in its power; a NaN does not."""
    return where(apart > 0, apart * apart if power == 2 else apart, 0)


HINGES = {1: program(lambda x, own, margin: above(margin - own + x, 1)),
          2: program(lambda x, own, margin: above(margin - own + x, 2))}
WEIGHTED_HINGES = {1: program(lambda x, own, margin, weight: above(margin - own + x, 1) * weight),
                   2: program(lambda x, own, margin, weight: above(margin - own + x, 2) * weight)}


@primitive(name="multi_margin_loss", constants=("multi_margin_loss", "weight"))
def _multi_margin_loss(self, target, p, margin, weight, reduction):
    rows, index = rows_of(self), target.reshape(-1, 1)
    # The target's own score becomes one that is above nothing.
    operands = rows.scatter(1, index, -math.inf), rows.gather(1, index), margin
    formula = HINGES[p] if weight is None else WEIGHTED_HINGES[p]
    operands = operands if weight is None else (*operands, weight[index])
    if reduction == "mean":
        return reduced_in_one_pass(formula, "mean", *operands)
    losses = formula.reduced((SUM,), (1,), False, None, operands, MEAN)
    return losses if reduction == "none" and (target.dim() or self.dim() > 1) else losses.sum()


def multi_margin_slope(grad, input, target, p, margin, weight, reduction):
    rows, index = rows_of(input), target.reshape(-1, 1)
    grad = (share(grad, index, reduction) / rows.size(1)).reshape(-1, 1)
    apart = margins(rows, index, margin)
    slope = cygrad.where(apart > 0, apart * 2 if p == 2 else 1.0, 0).to(grad.dtype) * grad
    slope = slope if weight is None else slope * weight[index]
    slope = slope.scatter(1, index, 0)
    return slope.scatter_add(1, index, -slope.sum(1, keepdim=True)).reshape(input.shape)


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The sum over other classes i of max(0, margin - input[target] + input[i]) ** p, divided by the number of classes.

    Parameters
    ----------
    input : Tensor
        (N, C) or (C,): scores of C classes.
    target : Tensor
        (N,) or (), int64.
    p : {1, 2}
    margin : float
    weight : Tensor, optional
        (C,): a factor for each target class.

    Returns
    -------
    Tensor
        A number, or with "none" the losses, (N,).

    Examples
    --------
    >>> cygrad.nn.functional.multi_margin_loss(cygrad.tensor([[0.5, 2., 0.]]), cygrad.tensor([1]))
    tensor(0.)
    """
    reduction = word(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    check_scores(input)
    rows = rows_of(input)
    if target.dim() > 1 or target.numel() != len(rows):
        raise RuntimeError("multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
                           f"samples (batch size). Expected target size [{len(rows)}], but got {list(target.shape)}. "
                           f"Input has shape {list(input.shape)}.")
    if weight is not None and weight.numel() != rows.size(1):
        raise RuntimeError(f"inconsistent weight size, expected {rows.size(1)} but got {list(weight.shape)}")
    if input.dtype not in (cygrad.float32, cygrad.float64):
        raise refused("multi_margin_loss_cpu_kernel", input.dtype)
    need_dtype(target, cygrad.int64)
    if weight is not None:
        need_dtype(weight, input.dtype)
    try:
        return _multi_margin_loss(input, target, p, margin, weight, reduction)
    except (IndexError, RuntimeError):          # `scatter` looks at the index anyway
        if target.numel() and not ((target >= 0) & (target < rows.size(1))).all().item():
            raise RuntimeError("target out of range") from None
        raise


def need_dtype(t, dtype):
    if t.dtype is not dtype:
        raise RuntimeError(f"expected scalar type {SCALAR_NAMES[dtype.code]} but found {SCALAR_NAMES[t.dtype.code]}")


def labels(target):
    """(index, valid, is_target) of rows of labels: valid up to the first -1; is_target marks them as classes."""
    valid = (target != -1).to(cygrad.int64).cumprod(1) != 0
    index = cygrad.where(valid, target, 0)
    marked = cygrad.zeros_like(index).scatter_add(1, index, valid.to(cygrad.int64)) != 0
    return index, valid, marked


def label_margins(input, target):
    """1 - score of each label + score of each class that is none, and where it is above 0: (rows, labels, classes)."""
    index, valid, marked = labels(target)
    apart = 1 - input.gather(1, index).unsqueeze(2) + input.unsqueeze(1)
    return apart, (apart > 0) & valid.unsqueeze(2) & ~marked.unsqueeze(1), index


@primitive(name="multilabel_margin_loss")
def _multilabel_margin_loss(self, target, reduction):
    rows = rows_of(self)
    apart, counted, _ = label_margins(rows, rows_of(target))
    losses = cygrad.where(counted, apart, 0).sum((1, 2)) / rows.size(1)
    return reduced(losses, reduction) if target.dim() > 1 else losses.squeeze(0)


def multilabel_margin_slope(grad, input, target, reduction):
    rows = rows_of(input)
    _, counted, index = label_margins(rows, rows_of(target))
    counted = counted.to(grad.dtype)
    grad = (share(grad, rows[:, :1], reduction) / rows.size(1)).reshape(-1, 1)
    return (counted.sum(1).scatter_add(1, index, -counted.sum(2)) * grad).reshape(input.shape)


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """The sum over labels j and classes i that are none of max(0, 1 - input[j] + input[i]), divided by their number.

    Parameters
    ----------
    input : Tensor
        (N, C) or (C,): scores of C classes.
    target : Tensor
        Of input's shape, int64: the labels of each row, ended by -1.

    Returns
    -------
    Tensor
        A number, or with "none" the losses, (N,).

    Examples
    --------
    >>> scores, labels = cygrad.tensor([0.1, 0.2, 0.4, 0.8]), cygrad.tensor([3, 0, -1, 1])
    >>> cygrad.nn.functional.multilabel_margin_loss(scores, labels)
    tensor(0.8500)
    """
    reduction = word(reduction, size_average, reduce)
    check_scores(input)
    if input.dim() < 2 and (target.dim() > 1 or target.numel() != rows_of(input).size(1)) or input.dim() == 2 and (
            target.shape != input.shape):
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}")
    if input.dtype not in (cygrad.float32, cygrad.float64):
        raise refused("multilabel_margin_loss_forward_out_frame", input.dtype)
    need_dtype(target, cygrad.int64)
    if target.numel():
        if target.min().item() < -1:
            raise RuntimeError("argument #2 'target' is out of range")
        if target.max().item() >= rows_of(input).size(1):
            raise RuntimeError("argument #2 'target' is out of range")
    return _multilabel_margin_loss(input, target, reduction)


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """`binary_cross_entropy_with_logits`, averaged over the last axis, of classes.

    Parameters
    ----------
    input, target : Tensor
        (N, C); targets are 0 or 1.
    weight : Tensor, optional
        (C,): a factor for each class.

    Returns
    -------
    Tensor
        A number, or with "none" the losses, (N,).

    Examples
    --------
    >>> cygrad.nn.functional.multilabel_soft_margin_loss(cygrad.tensor([[2., -2.]]), cygrad.tensor([[1., 0.]]))
    tensor(0.1269)
    """
    if size_average is not None or reduce is not None:
        reduction = word(reduction, size_average, reduce)
    logsigmoid = cygrad.nn.functional.logsigmoid
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    losses = losses.sum(dim=input.dim() - 1) / input.size(input.dim() - 1)
    if reduction not in WORDS:
        raise ValueError(reduction + " is not valid")
    return reduced(losses, reduction)


# ------------------------------------------------------------------------------ pairs, triplets

@op(method=False, name="margin_ranking_loss")
def numbered_margin_ranking_loss(input1, input2, target, margin=0.0, reduction=0):
    """`nn.functional.margin_ranking_loss` with a number for the reduction: none, mean, sum.

    Parameters
    ----------
    input1, input2, target, margin
        As in `nn.functional.margin_ranking_loss`.
    reduction : {0, 1, 2}
        "none", "mean" and "sum".

    Returns
    -------
    Tensor
        A number, or the losses.

    Examples
    --------
    >>> cygrad.margin_ranking_loss(cygrad.tensor([1.]), cygrad.tensor([3.]), cygrad.tensor([1.]))
    tensor([2.])
    """
    apart = input1 - input2
    return reduced(in_steps(add_number(-target * apart, 0.0 + margin).clamp_min(0)), numbered(reduction))


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """max(0, margin - target * (input1 - input2)): which of two is to be the larger one.

    Parameters
    ----------
    input1, input2 : Tensor
    target : Tensor
        1 where input1 is to be larger, -1 where input2 is.
    margin : float

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Examples
    --------
    >>> cygrad.nn.functional.margin_ranking_loss(cygrad.tensor([1.]), cygrad.tensor([3.]), cygrad.tensor([1.]))
    tensor(2.)
    """
    reduction = word(reduction, size_average, reduce)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError("margin_ranking_loss : All input tensors should have same dimension but got sizes: "
                           f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} ")
    return numbered_margin_ranking_loss(input1, input2, target, margin, WORDS.index(reduction))


@op(method=False, name="hinge_embedding_loss")
def numbered_hinge_embedding_loss(input, target, margin=1.0, reduction=0):
    """`nn.functional.hinge_embedding_loss` with a number for the reduction: none, mean, sum.

    Parameters
    ----------
    input, target, margin
        As in `nn.functional.hinge_embedding_loss`.
    reduction : {0, 1, 2}
        "none", "mean" and "sum".

    Returns
    -------
    Tensor
        A number, or the losses.

    Examples
    --------
    >>> cygrad.hinge_embedding_loss(cygrad.tensor([0.25, 0.25]), cygrad.tensor([1, -1]), 1.0, 0)
    tensor([0.2500, 0.7500])
    """
    none, margin = cygrad.zeros_like(input), float(margin)
    if not (input.is_floating_point() or input.is_complex()):
        margin = int(margin)                # the difference has input's dtype in PyTorch
    negative = cygrad.where(target != 1, (margin - input).clamp_min(0), none)
    return reduced(negative + cygrad.where(target != -1, input, none), numbered(reduction))


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """The input, a distance, where the target is 1; max(0, margin - input) where it is -1.

    Parameters
    ----------
    input, target : Tensor
    margin : float

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Examples
    --------
    >>> cygrad.nn.functional.hinge_embedding_loss(cygrad.tensor([0.25, 0.25]), cygrad.tensor([1, -1]), reduction="none")
    tensor([0.2500, 0.7500])
    """
    return numbered_hinge_embedding_loss(input, target, margin, WORDS.index(word(reduction, size_average, reduce)))


@op(method=False, name="cosine_embedding_loss")
def numbered_cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=0):
    """`nn.functional.cosine_embedding_loss` with a number for the reduction: none, mean, sum.

    Parameters
    ----------
    input1, input2, target, margin
        As in `nn.functional.cosine_embedding_loss`.
    reduction : {0, 1, 2}
        "none", "mean" and "sum".

    Returns
    -------
    Tensor
        A number, or the losses.

    Examples
    --------
    >>> cygrad.cosine_embedding_loss(cygrad.tensor([1., 0.]), cygrad.tensor([0., 1.]), cygrad.tensor(1))
    tensor(1.)
    """
    need_tensors("cosine_embedding_loss", input1=input1, input2=input2, target=target)
    if target.dim() > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.dim() == 1 and not input1.dim() == input2.dim() == 2:
        raise RuntimeError(f"1D target tensor expects 2D input tensors, but found inputs with sizes "
                           f"{list(input1.shape)} and {list(input2.shape)}.")
    if target.dim() == 0 and not input1.dim() == input2.dim() == 1:
        raise RuntimeError(f"0D target tensor expects 1D input tensors, but found inputs with sizes "
                           f"{list(input1.shape)} and {list(input2.shape)}.")
    axis, eps = target.dim(), 1e-12
    squares = [(x * x).sum(axis) + eps for x in (input1, input2)]
    cosine = (input1 * input2).sum(axis) / (squares[0] * squares[1]).sqrt()
    none = cygrad.zeros_like(cosine)
    positive = cygrad.where(target == 1, cygrad.sub(1, cosine), none)
    negative = cygrad.where(target == -1, (cosine - float(margin)).clamp_min(0), none)
    return reduced(positive + negative, numbered(reduction))


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """1 - cosine of the angle between two vectors where the target is 1, max(0, cosine - margin) where it is -1.

    Parameters
    ----------
    input1, input2 : Tensor
        (N, D) or (D,).
    target : Tensor
        (N,) or ().
    margin : float

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Examples
    --------
    >>> cygrad.nn.functional.cosine_embedding_loss(cygrad.tensor([1., 0.]), cygrad.tensor([0., 1.]), cygrad.tensor(1))
    tensor(1.)
    """
    return numbered_cosine_embedding_loss(input1, input2, target, margin,
                                          WORDS.index(word(reduction, size_average, reduce)))


def same_dims(anchor, positive, negative):
    dims = anchor.dim(), positive.dim(), negative.dim()
    if len(set(dims)) > 1:
        raise RuntimeError("The anchor, positive, and negative tensors are expected to have the same number of "
                           f"dimensions, but got: anchor {dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D "
                           "inputs")


def triplets(anchor, positive, negative, distance, margin, swap, reduction, plus=add_number):
    same_dims(anchor, positive, negative)
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = cygrad.minimum(far, distance(positive, negative))
    return reduced((plus(near, margin) - far).clamp_min(0), reduction)


@op(method=False, name="triplet_margin_loss")
def numbered_triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction=0):
    """`nn.functional.triplet_margin_loss` with a number for the reduction: none, mean, sum.

    Parameters
    ----------
    anchor, positive, negative, margin, p, eps, swap
        As in `nn.functional.triplet_margin_loss`.
    reduction : {0, 1, 2}
        "none", "mean" and "sum".

    Returns
    -------
    Tensor
        A number, or the losses.

    Examples
    --------
    >>> cygrad.triplet_margin_loss(cygrad.tensor([0., 0.]), cygrad.tensor([0., 2.]), cygrad.tensor([2., 0.]))
    tensor(1.)
    """
    need_tensors("triplet_margin_loss", anchor=anchor, positive=positive, negative=negative)
    return triplets(anchor, positive, negative, lambda a, b: cygrad.pairwise_distance(a, b, p, eps), margin, swap,
                    numbered(reduction))


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None,
                        reduce=None, reduction="mean"):
    """max(0, margin + distance of anchor and positive - distance of anchor and negative).

    Parameters
    ----------
    anchor, positive, negative : Tensor
        (N, D) or (D,).
    margin : float
    p : float
        Of the norm that is the distance.
    eps : float
        Added to the differences.
    swap : bool
        The distance of positive and negative counts instead where it is smaller.

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Examples
    --------
    >>> a, b = cygrad.tensor([0., 0.]), cygrad.tensor([0., 2.])
    >>> cygrad.nn.functional.triplet_margin_loss(a, b, cygrad.tensor([2., 0.]))
    tensor(1.)
    """
    reduction = word(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return numbered_triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, WORDS.index(reduction))


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False,
                                      reduction="mean"):
    """`triplet_margin_loss` with any distance.

    Parameters
    ----------
    anchor, positive, negative : Tensor
    distance_function : callable, optional
        Of two tensors; `pairwise_distance` if None.
    margin, swap, reduction
        As in `triplet_margin_loss`.

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Examples
    --------
    >>> a, b = cygrad.tensor([0., 0.]), cygrad.tensor([0., 2.])
    >>> cygrad.nn.functional.triplet_margin_with_distance_loss(a, b, cygrad.tensor([2., 0.]))
    tensor(1.)
    """
    if reduction not in WORDS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    distance = cygrad.pairwise_distance if distance_function is None else distance_function
    return triplets(anchor, positive, negative, distance, margin, swap, reduction, operator.add)
