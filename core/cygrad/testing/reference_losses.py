"""Losses of classes in NumPy, in extended precision, and their gradients."""
import numpy as np

LONG = np.longdouble


def _factors(shape, target, weight, ignore):
    """(which targets count, the classes of all, what they count)."""
    counts = (target != ignore) & (target >= 0) & (target < shape[1])
    chosen = np.where(counts, target, 0)
    return counts, chosen, np.where(counts, 1 if weight is None else weight.astype(LONG)[chosen], 0)


def nll_loss(a, target, weight, ignore, mean, out, outside):
    counts, chosen, factor = _factors(a.shape, target, weight, ignore)
    losses = -factor * np.take_along_axis(a.astype(LONG), np.expand_dims(chosen, 1), 1)[:, 0]
    if not out.ndim:
        losses = losses.sum() / factor.sum() if mean else losses.sum()
    return losses, np.sum(~counts & (target != ignore))


def nll_loss_backward(grad, target, weight, ignore, mean, grad_a):
    _, chosen, factor = _factors(grad_a.shape, target, weight, ignore)
    found = np.zeros(grad_a.shape, LONG)
    slopes = -factor / (factor.sum() if mean else 1) * grad.astype(LONG)
    np.put_along_axis(found, np.expand_dims(chosen, 1), np.expand_dims(slopes, 1), 1)
    return found
