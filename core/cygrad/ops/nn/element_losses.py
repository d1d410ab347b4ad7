"""Losses of an input beside a target, element by element: of numbers, of probabilities and their logits, of counts.

Those with a node of their own are one program, reduced as it runs; the others are composites, as in PyTorch.
"""
import math

import cygrad
from cygrad.ops.declare.primitives import primitive
from cygrad.errors import warn
from cygrad.ops.nn.smooth_activations import logsigmoid
from cygrad.ops.declare.operand_types import HALVES, need_float, need_tensors, refused
from cygrad.ops.nn.loss_reduction import WORDS, numbered, reduced, reduced_in_one_pass, warn_of_broadcast, word
from cygrad.ops.declare.op_forms import op
from cygrad.ops.shape.broadcasting import common_shape
from cygrad.dispatch.allocation import empty_like_strided, laid_like
from cygrad.dispatch.programs import program
from cygrad.dispatch.promotion import SCALAR_NAMES, result_type
from cygrad.dispatch.raw import cast_to
from cygrad.tensor import Tensor


def need_floats(kernel, *tensors):
    """Raise where operands promote to no real floating-point dtype."""
    dtype = result_type(*tensors)
    if not dtype.is_floating_point:
        raise refused(kernel, dtype)


# -------------------------------------------------------------------------------- distances

# With c the difference d, but not below -delta and not above delta: c * (d - c / 2) is d ** 2 / 2 or
# delta (|d| - delta / 2).
SMOOTH_L1 = program(lambda x, target, beta, least: robust(x - target, beta, least) / beta)
HUBER = program(lambda x, target, delta, least: robust(x - target, delta, least))


def refuse_narrow(input, made):
    """Raise where losses of this dtype can't be written in that of the input."""
    if not cygrad.can_cast(made, input.dtype):
        raise RuntimeError(f"result type {SCALAR_NAMES[made.code]} can't be cast to the desired output type "
                           f"{SCALAR_NAMES[input.dtype.code]}")


def robust(d, delta, least):
    c = d.maximum(least).minimum(delta)
    return (c * -0.5 + d) * c               # one loop multiplies and adds


@primitive(name="smooth_l1_loss")
def _smooth_l1_loss(self, target, reduction, beta):
    return reduced_in_one_pass(HUBER if beta == 1 else SMOOTH_L1, reduction, self, target, beta, -beta)


@primitive(name="huber_loss")
def _huber_loss(self, target, reduction, delta):
    if reduction == "none" and self.dtype is target.dtype:
        return HUBER.into(empty_like_strided(self, self.dtype), self, target, delta, -delta)
    return cast_to(reduced_in_one_pass(HUBER, reduction, self, target, delta, -delta), self.dtype)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """Squares of small differences, absolute values of large: d ** 2 / (2 beta) if abs(d) < beta, abs(d) - beta / 2.

    Parameters
    ----------
    input, target : Tensor
        They broadcast, with a warning, and promote.
    beta : float
        Where the two meet; 0 gives `l1_loss`.

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Examples
    --------
    >>> cygrad.nn.functional.smooth_l1_loss(cygrad.tensor([0., 3.]), cygrad.tensor([1., 1.]), reduction="none")
    tensor([0.5000, 1.5000])
    """
    input, target = warn_of_broadcast(input, target)
    reduction = word(reduction, size_average, reduce)
    if beta == 0:
        return reduced((input - target).abs(), reduction)
    if not beta >= 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    need_floats("smooth_l1_cpu", input, target)
    return _smooth_l1_loss(input, target, reduction, beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """Squares of small differences, absolute values of large: d ** 2 / 2 or, past delta, delta (abs(d) - delta / 2).

    Parameters
    ----------
    input, target : Tensor
        They broadcast, with a warning, and promote.
    delta : float
        Where the two meet; positive.
    weight : Tensor, optional
        Factors of the losses, of input's shape.

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Examples
    --------
    >>> cygrad.nn.functional.huber_loss(cygrad.tensor([0., 0.]), cygrad.tensor([0.5, 3.]), reduction="none")
    tensor([0.1250, 2.5000])
    """
    weighted = weight is not None
    a, b = warn_of_broadcast(input, target)
    if weighted:
        if weight.size() != input.size():
            raise ValueError("Weights and input must have the same size.")
        losses = huber_loss(a, b, "none", delta) * weight
        if reduction not in WORDS:
            raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")
        return reduced(losses, reduction)
    reduction = word(reduction)
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    refuse_narrow(a, result_type(a, b))
    need_floats("huber_cpu", a, b)
    return _huber_loss(a, b, reduction, delta)


def soft_margin(x, target):
    return (x * -target).exp().log1p()          # in the order of x in memory


SOFT_MARGIN = program(soft_margin)


@primitive(name="soft_margin_loss", constants=("soft_margin_loss", "target"))
def _soft_margin_loss(self, target, reduction):
    if self.dtype in HALVES:            # for which PyTorch has ops, each of which rounds
        return reduced(soft_margin(self, target), reduction)
    return reduced_in_one_pass(SOFT_MARGIN, reduction, self, target)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(-target * input)) with targets of 1 and -1.

    Parameters
    ----------
    input, target : Tensor
        Of one shape.

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Examples
    --------
    >>> cygrad.nn.functional.soft_margin_loss(cygrad.tensor([2., -2.]), cygrad.tensor([1., 1.]), reduction="none")
    tensor([0.1269, 2.1269])
    """
    reduction = word(reduction, size_average, reduce)
    need_tensors("soft_margin_loss", input=input, target=target)
    if input.dtype is cygrad.bool:
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert "
                           "a mask, use the `~` or `logical_not()` operator instead.")
    made = result_type(input, target)
    refuse_narrow(input, made if made.is_floating_point or made.is_complex else cygrad.get_default_dtype())
    shape = common_shape((input, target))
    if shape != input.shape:            # which the losses are written to one after the other
        raise RuntimeError(f"output with shape {list(input.shape)} doesn't match the broadcast shape {list(shape)}")
    if target.dtype is not input.dtype:
        target = target.to(input.dtype)
    return _soft_margin_loss(input, target, reduction)


# ---------------------------------------------------------------------------- probabilities

# Logarithms below -100 count as -100, so that a loss is finite.
ENTROPY = program(lambda x, target: (target - 1) * (-x).log1p().maximum(-100) - target * x.log().maximum(-100))
ENTROPY_OF_LOGITS = program(lambda target, x: (1 - target) * x - log_sigmoid(x))      # in the target's memory order
WEIGHTED_ENTROPY_OF_LOGITS = program(lambda target, x, factor: (1 - target) * x
                                     - ((factor - 1) * target + 1) * log_sigmoid(x))


def log_sigmoid(x):
    if isinstance(x, Tensor):
        return logsigmoid(x)
    return x.minimum(0) - (-x.abs()).exp().log1p()


@primitive(name="binary_cross_entropy", constants=("binary_cross_entropy", "weight"))
def _binary_cross_entropy(self, target, weight, reduction):
    if weight is None:
        return reduced_in_one_pass(ENTROPY, reduction, self, target)
    return reduced(ENTROPY(self, target) * weight, reduction)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """-(target * log(input) + (1 - target) * log(1 - input)): the cross-entropy of two classes.

    Parameters
    ----------
    input : Tensor
        Probabilities.
    target : Tensor
        Probabilities, of input's shape and dtype.
    weight : Tensor, optional
        Factors of the losses; broadcasts to their shape.

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Raises
    ------
    RuntimeError
        Where an element of input is below 0 or above 1.

    Examples
    --------
    >>> cygrad.nn.functional.binary_cross_entropy(cygrad.tensor([0.5, 1.]), cygrad.tensor([1., 1.]), reduction="none")
    tensor([0.6931, -0.0000])
    """
    reduction = word(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) "
                         "is deprecated. Please ensure they have the same size.")
    if weight is not None:
        weight = weight.expand(cygrad.broadcast_shapes(target.size(), weight.size()))
        if weight.shape != input.shape:
            raise RuntimeError(f"output with shape {list(input.shape)} doesn't match the weight's")
        if weight.dtype is not input.dtype and cygrad.can_cast(weight.dtype, input.dtype):
            weight = weight.to(input.dtype)
    for t in (target, weight):
        if t is not None and t.dtype is not input.dtype:
            raise RuntimeError(f"Found dtype {SCALAR_NAMES[t.dtype.code]} but expected "
                               f"{SCALAR_NAMES[input.dtype.code]}")
    if not input.is_floating_point():
        raise refused("binary_cross_entropy", input.dtype)
    for words, t in (("input", input), ("target", target)):
        if t.numel() and not cygrad.logical_and(t >= 0, t <= 1).all().item():
            raise RuntimeError(f"all elements of {words} should be between 0 and 1")
    return _binary_cross_entropy(input, target, weight, reduction)


@primitive(name="binary_cross_entropy_with_logits",
           constants=("binary_cross_entropy_with_logits", "weight", "pos_weight"))
def _binary_cross_entropy_with_logits(self, target, weight, pos_weight, reduction, dtype):
    formula, operands = ((ENTROPY_OF_LOGITS, (target, self)) if pos_weight is None
                         else (WEIGHTED_ENTROPY_OF_LOGITS, (target, self, pos_weight)))
    if self.dtype in HALVES:            # rounded after each step, as in PyTorch
        formula = formula.formula
    elif weight is None:
        return reduced_in_one_pass(formula, reduction, *operands).to(dtype)
    losses = formula(*operands)
    if weight is not None:
        losses = losses * weight
        losses = laid_like(losses, target) if losses.shape == target.shape else losses
    return reduced(losses, reduction).to(dtype)


@op(method=False, name="binary_cross_entropy_with_logits")
def numbered_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=0):
    """`nn.functional.binary_cross_entropy_with_logits` with a number for the reduction: none, mean, sum.

    Parameters
    ----------
    input, target, weight, pos_weight
        As in `nn.functional.binary_cross_entropy_with_logits`.
    reduction : {0, 1, 2}
        "none", "mean" and "sum".

    Returns
    -------
    Tensor
        A number, or the losses.

    Examples
    --------
    >>> cygrad.binary_cross_entropy_with_logits(cygrad.tensor([0., 0.]), cygrad.tensor([1., 0.]))
    tensor([0.6931, 0.6931])
    """
    need_float(input, "log_sigmoid_cpu")
    reduction = numbered(reduction)
    size, dtype = input.shape, input.dtype
    for given in (target, weight, pos_weight):
        if given is not None and (given.dtype is not dtype or given.shape != size[len(size) - given.dim():]):
            dtype = written_in_place(input, target, weight, pos_weight)
            break
    else:
        if target.shape != size:
            dtype = written_in_place(input, target, weight, pos_weight)
    return _binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction, dtype)


def written_in_place(input, target, weight, pos_weight):
    """The dtype of PyTorch's result, which it takes steps in place for: they refuse what doesn't fit a step's tensor.

    They are taken on the device that computes nothing.
    """
    input, target, weight, pos_weight = [x if x is None else cygrad.empty_like(x, device="meta", requires_grad=False)
                                         for x in (input, target, weight, pos_weight)]
    if pos_weight is not None:
        input.mul_((pos_weight - 1).mul(target).add_(1))
    losses = (1 - target).mul_(input).sub_(input)
    return losses.dtype if weight is None else losses.mul_(weight).dtype


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean",
                                     pos_weight=None):
    """`binary_cross_entropy` of the sigmoid of the input, computed without its overflow.

    Parameters
    ----------
    input, target : Tensor
        Of one shape; target has probabilities.
    weight : Tensor, optional
        Factors of the losses; broadcasts to their shape.
    pos_weight : Tensor, optional
        Factors of what the targets' positive part adds; broadcasts.

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Examples
    --------
    >>> cygrad.nn.functional.binary_cross_entropy_with_logits(cygrad.tensor([0.]), cygrad.tensor([1.]))
    tensor(0.6931)
    """
    reduction = word(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return numbered_entropy_with_logits(input, target, weight, pos_weight, WORDS.index(reduction))


def divergence(input, target, reduction, log_target):
    need_tensors("kl_div", input=input, target=target)
    if input.is_complex() or target.is_complex():
        raise RuntimeError("kl_div: Complex inputs not supported.")
    if not all(x.is_floating_point() for x in (input, target)):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        losses = target.exp() * (target - input)
    else:
        product = target * input                # before, as the order of the sum of target's gradients tells
        losses = cygrad.xlogy(target, target) - product
    return reduced(losses, reduction)


@op(method=False, name="kl_div")
def numbered_divergence(input, target, reduction=0, *, log_target=False):
    """`nn.functional.kl_div` with a number for the reduction: none, mean, sum.

    Parameters
    ----------
    input, target, log_target
        As in `nn.functional.kl_div`.
    reduction : {0, 1, 2}
        "none", "mean" and "sum".

    Returns
    -------
    Tensor
        A number, or the terms.

    Examples
    --------
    >>> cygrad.kl_div(cygrad.tensor([0.5, 0.5]).log(), cygrad.tensor([0.25, 0.75]), 2)
    tensor(0.1308)
    """
    return divergence(input, target, numbered(reduction), log_target)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """The Kullback-Leibler divergence's terms, target * (log(target) - input).

    Parameters
    ----------
    input : Tensor
        Logarithms of probabilities.
    target : Tensor
        Probabilities, or their logarithms with `log_target`.
    reduction : {"mean", "batchmean", "sum", "none"}
        "batchmean" divides the sum by the size of the first axis.
    log_target : bool

    Returns
    -------
    Tensor
        A number, or with "none" the terms.

    Examples
    --------
    >>> p = cygrad.tensor([[0.5, 0.5]])
    >>> cygrad.nn.functional.kl_div(p.log(), p, reduction="batchmean")
    tensor(0.)
    """
    if size_average is not None or reduce is not None:
        found = word(reduction, size_average, reduce)
    else:
        if reduction == "mean":
            warn("reduction: 'mean' divides the total loss by both the batch size and the support size."
                 "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
                 "'mean' will be changed to behave the same as 'batchmean' in the next major release.")
        found = "sum" if reduction == "batchmean" else word(reduction)
    losses = cygrad.kl_div(input, target, WORDS.index(found), log_target=log_target)
    return losses / input.size()[0] if reduction == "batchmean" and input.dim() else losses


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """The negative log-likelihood of the target under normal distributions of mean `input` and variance `var`.

    Parameters
    ----------
    input, target : Tensor
    var : Tensor or float
        Of input's shape, or without its last axis, or with one axis of size 1.
    full : bool
        Add the constant term log(2 pi) / 2.
    eps : float
        Variances below count as this.

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Raises
    ------
    ValueError
        If `var` is negative somewhere, or of the wrong shape.

    Examples
    --------
    >>> cygrad.nn.functional.gaussian_nll_loss(cygrad.tensor([1.]), cygrad.tensor([3.]), cygrad.tensor([4.]))
    tensor(1.1931)
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * cygrad.ones_like(input)
    elif cygrad.any(var < 0):
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = var.unsqueeze(-1)
        elif not (input.dim() == var.dim() and sum(n for m, n in zip(input.size(), var.size()) if m != n) == 1):
            raise ValueError("var is of incorrect size")
    if reduction not in WORDS:
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with cygrad.no_grad():
        var.clamp_(min=eps)
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        losses += 0.5 * math.log(2 * math.pi)
    return reduced(losses, reduction)


# ----------------------------------------------------------------------------------- counts

def poisson_losses(input, target, log_input, full, eps, reduction):
    product = target * (input if log_input else (input + eps).log())     # first: gradients are summed in this order
    losses = (input.exp() if log_input else input) - product
    if full:                            # Stirling's formula for the logarithm of target's factorial
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        losses += stirling.masked_fill(target <= 1, 0)
    return reduced(losses, reduction)


@op(method=False, name="poisson_nll_loss")
def numbered_poisson_loss(input, target, log_input, full, eps, reduction):
    """`nn.functional.poisson_nll_loss` with a number for the reduction: none, mean, sum.

    Parameters
    ----------
    input, target, log_input, full, eps
        As in `nn.functional.poisson_nll_loss`.
    reduction : {0, 1, 2}
        "none", "mean" and "sum".

    Returns
    -------
    Tensor
        A number, or the losses.

    Examples
    --------
    >>> cygrad.poisson_nll_loss(cygrad.tensor([0.]), cygrad.tensor([2.]), True, False, 1e-8, 1)
    tensor(1.)
    """
    return poisson_losses(input, target, log_input, full, eps, numbered(reduction))


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
                     reduction="mean"):
    """The negative log-likelihood of counts under Poisson distributions.

    Parameters
    ----------
    input : Tensor
        Logarithms of the expected counts, or the counts where not `log_input`.
    target : Tensor
        Counts.
    full : bool
        Add Stirling's approximation of log(target!).
    eps : float
        Added to the expected counts before their logarithm.
    log_input : bool
        What input is.

    Returns
    -------
    Tensor
        A number, or with "none" the losses.

    Examples
    --------
    >>> cygrad.nn.functional.poisson_nll_loss(cygrad.tensor([0.]), cygrad.tensor([2.]))
    tensor(1.)
    """
    if size_average is not None or reduce is not None:
        reduction = word(reduction, size_average, reduce)
    elif reduction not in WORDS:
        raise ValueError(reduction + " is not a valid value for reduction")
    return cygrad.poisson_nll_loss(input, target, log_input, full, eps, WORDS.index(reduction))
