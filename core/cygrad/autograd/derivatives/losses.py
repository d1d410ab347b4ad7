"""Derivatives of losses. Where the reduction is a mean, each loss has its share of the gradient."""
import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.derivatives.helpers import in_rows, once, one_node, over, written
from cygrad.autograd.modes import grad_mode
from cygrad.ops.nn.ctc import ctc_slope
from cygrad.ops.nn.loss_reduction import share
from cygrad.ops.nn.margin_losses import multi_margin_slope, multilabel_margin_slope
from cygrad.dispatch.programs import one_pass, where

LEAST = 9.999999960041972e-13               # float32's 1e-12, as in PyTorch

derivative("smooth_l1_loss", self=one_node("SmoothL1LossBackwardBackward0", lambda grad, self, target, reduction, beta:
           robust(share(grad, self, reduction) / beta, self, target, beta), "grad", "self", "target"),
           target=one_node("SmoothL1LossBackwardBackward0", lambda grad, self, target, reduction, beta:
           robust(share(grad, self, reduction) / beta, target, self, beta), "grad", "target", "self"))
derivative("huber_loss", self=one_node("HuberLossBackwardBackward0", lambda grad, self, target, reduction, delta:
           robust(share(grad, self, reduction), self, target, delta), "grad", "self", "target"),
           target=one_node("HuberLossBackwardBackward0", lambda grad, self, target, reduction, delta:
           robust(share(grad, self, reduction), target, self, delta), "grad", "target", "self"))
derivative("soft_margin_loss", self=one_node("SoftMarginLossBackwardBackward0", lambda grad, self, target, reduction:
           soft_margin_slope(share(grad, self, reduction), self, target), "grad", "self"))
derivative("binary_cross_entropy", self=one_node("BinaryCrossEntropyBackwardBackward0",
           lambda grad, self, target, weight, reduction:
           entropy_slope(weighted(share(grad, self, reduction), weight), self, target), "grad", "self", "target"),
           target=lambda grad, self, weight, reduction: written(
           shared_last(-self.logit() * grad, self, weight, reduction), 2 + (weight is not None)))
derivative("binary_cross_entropy_with_logits", self=lambda grad, self, target, weight, pos_weight, reduction:
           logits_slope(grad, self, target, weight, pos_weight, reduction),
           target=lambda grad, self, target, weight, pos_weight, reduction:
           logits_target_slope(grad, self, weight, pos_weight, reduction))
derivative("multi_margin_loss", self=once("multi_margin_loss", lambda grad, self, target, p, margin, weight, reduction:
           multi_margin_slope(grad, self, target, p, margin, weight, reduction)))
derivative("multilabel_margin_loss", self=once("multilabel_margin_loss", lambda grad, self, target, reduction:
           multilabel_margin_slope(grad, self, target, reduction)))
derivative("ctc_loss", log_probs=lambda grad, log_probs, labels, starts, counts, steps, blank, zero_infinity, result:
           ctc_slope(grad, log_probs, labels, starts, counts, steps, blank, zero_infinity, result))


def robust(grad, x, target, delta):
    return in_rows(robust_slope(grad, x, target, delta, -delta))


@one_pass
def robust_slope(grad, x, target, delta, least):
    d = x - target
    return grad * where(d <= least, least, where(d >= delta, delta, d))


@one_pass
def soft_margin_slope(grad, x, target):
    """-target * z / (1 + z) with z = exp(-target * x), NaN where that is infinite."""
    z = (-target * x).exp()
    return -grad * target * (z / (z + 1))


@one_pass
def entropy_slope(grad, x, target):
    """The product x * (1 - x) counts as LEAST at least."""
    product = (1 - x) * x
    return grad * (x - target) / where(product < LEAST, LEAST, product)


def weighted(grad, weight):
    return grad if weight is None else grad * weight


def logits_slope(grad, x, target, weight, pos_weight, reduction):
    """PyTorch's multiplies and divides in place, where it is not recorded or divides last."""
    if grad_mode():
        return shared_last(of_logits(grad, x, target, pos_weight), x, weight, reduction)
    found = of_logits(weighted(share(grad, x, reduction), weight), x, target, pos_weight)
    return written(found, steps_in_place(weight, pos_weight, reduction) + 2)


def of_logits(grad, x, target, pos_weight):
    if pos_weight is None:
        return simple_logits_slope(grad, x, target)
    return weighted_logits_slope(grad, x, target, pos_weight)


def steps_in_place(weight, pos_weight, reduction):
    return (weight is not None) + 2 * (pos_weight is not None) + (reduction == "mean")


def shared_last(found, losses, weight, reduction):
    found = weighted(found, weight)
    return written(over(found, max(losses.numel(), 1))) if reduction == "mean" else found


@one_pass
def simple_logits_slope(grad, x, target):
    return (x.sigmoid() - target) * grad


@one_pass
def weighted_logits_slope(grad, x, target, factor):
    positive = target * factor
    return ((positive + 1 - target) * x.sigmoid() - positive) * grad


def logits_target_slope(grad, x, weight, pos_weight, reduction):
    if pos_weight is None:
        found = -x * grad
    else:
        logsigmoid = cygrad.nn.functional.logsigmoid
        found = (logsigmoid(-x) - pos_weight * logsigmoid(x)) * grad
    found = shared_last(found, x, weight, reduction)
    return written(found, steps_in_place(weight, pos_weight, None))
