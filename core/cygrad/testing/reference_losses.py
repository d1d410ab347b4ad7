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


def _paths(labels, start, count, blank):
    """(the classes of a sequence's states; from which of them a path may go on to the state after the next)."""
    classes = np.full(2 * count + 1, blank)
    classes[1::2] = labels[start:start + count]
    return classes, (classes[2:] != blank) & (classes[2:] != classes[:-2])


def _log_sum(x):
    """The logarithm of the sum along the last axis of numbers that are given by theirs."""
    return np.logaddexp.reduce(x, -1)


def _arrivals(x, skips):
    """What comes to each state: from itself, the one before, and where a path may skip one, the one before that."""
    came = np.full((x.size, 3), -np.inf, LONG)
    came[:, 0], came[1:, 1] = x, x[:-1]
    came[2:, 2] = np.where(skips, x[:-2], -np.inf)
    return _log_sum(came)


def ctc_loss(a, labels, starts, counts, steps, blank, out, sums, outside):
    found, losses, wrong = np.full(sums.shape, -np.inf, LONG), np.zeros(len(counts), LONG), 0
    for n, (start, count, length) in enumerate(zip(starts, counts, steps)):
        classes, skips = _paths(labels, start, count, blank)
        outside = (classes < 0) | (classes >= a.shape[2])
        wrong += outside.sum()
        here, inside = found[n, :, :classes.size], np.where(outside, 0, classes)
        for t in range(length):
            come = _arrivals(here[t - 1], skips) if t else np.where(np.arange(classes.size) < 2, LONG(0), -np.inf)
            here[t] = np.where(outside, -np.inf, come + a[t, n, inside])
        ends = here[length - 1, max(2 * count - 1, 0):] if length else np.zeros(int(count == 0), LONG)
        losses[n] = -_log_sum(ends)
    return losses, found, np.asarray(wrong)


def ctc_loss_backward(grad, a, labels, starts, counts, steps, blank, losses, sums, zero_infinity, grad_a):
    slopes = np.zeros(a.shape, LONG)
    for n, (start, count, length) in enumerate(zip(starts, counts, steps)):
        if losses[n] == np.inf:
            slopes[:length, n] = 0 if zero_infinity else np.nan
            continue
        classes, skips = _paths(labels, start, count, blank)
        of_class = classes == np.arange(a.shape[2])[:, None]
        after = np.where(np.arange(classes.size) >= 2 * count - 1, LONG(0), -np.inf)
        for t in reversed(range(length)):
            logs = a[t, n].astype(LONG)
            after = logs[classes] + (after if t == length - 1 else _arrivals(after[::-1], skips[::-1])[::-1])
            paths = _log_sum(np.where(of_class, sums[n, t, :classes.size] + after, -np.inf))
            with np.errstate(all="ignore"):
                slopes[t, n] = (np.exp(logs) - np.exp(paths + losses[n].astype(LONG) - logs)) * grad[n]
    return slopes
