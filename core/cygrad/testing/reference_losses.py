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


def _paths(a, labels, start, count, blank):
    """(the classes of a sequence's states; for each state, from which ones a path comes to it)."""
    classes = np.full(2 * count + 1, blank)
    classes[1::2] = labels[start:start + count]
    come = [[s - k for k in range(3) if s >= k and (k < 2 or classes[s] not in (blank, classes[s - 2]))]
            for s in range(len(classes))]
    return classes, come


def _log_sum(x):
    with np.errstate(all="ignore"):
        top = max(x, default=-np.inf)
        return top if top == -np.inf else np.log(np.sum(np.exp(np.array(x, LONG) - top))) + top


def ctc_loss(a, labels, starts, counts, steps, blank, out, sums, outside):
    found, losses, wrong = np.full(sums.shape, -np.inf, LONG), np.zeros(len(counts), LONG), 0
    for n, (start, count, length) in enumerate(zip(starts, counts, steps)):
        classes, come = _paths(a, labels, start, count, blank)
        outside = (classes < 0) | (classes >= a.shape[2])
        wrong += outside.sum()
        for t in range(length):
            for s, c in enumerate(classes):
                before = [found[n, t - 1, k] for k in come[s]] if t else [0] if s < 2 else []
                found[n, t, s] = -np.inf if outside[s] else _log_sum(before) + a[t, n, c].astype(LONG)
        ends = found[n, length - 1, max(2 * count - 1, 0):2 * count + 1] if length else [0.0] if count == 0 else []
        losses[n] = -_log_sum(list(ends))
    return losses, found, np.asarray(wrong)


def ctc_loss_backward(grad, a, labels, starts, counts, steps, blank, losses, sums, zero_infinity, grad_a):
    slopes = np.zeros(a.shape, LONG)
    for n, (start, count, length) in enumerate(zip(starts, counts, steps)):
        if losses[n] == np.inf:
            slopes[:length, n] = 0 if zero_infinity else np.nan
            continue
        classes, come = _paths(a, labels, start, count, blank)
        after = None
        for t in reversed(range(length)):
            logs = a[t, n].astype(LONG)
            if after is None:
                after = [logs[c] if s >= 2 * count - 1 else LONG(-np.inf) for s, c in enumerate(classes)]
            else:
                after = [_log_sum([after[k] for k in range(s, min(s + 3, len(classes))) if s in come[k]]) + logs[c]
                         for s, c in enumerate(classes)]
            for c in range(a.shape[2]):
                here = np.flatnonzero(classes == c)
                paths = _log_sum([sums[n, t, s].astype(LONG) + after[s] for s in here])
                slopes[t, n, c] = (np.exp(logs[c]) - np.exp(paths + losses[n].astype(LONG) - logs[c])) * grad[n]
    return slopes
