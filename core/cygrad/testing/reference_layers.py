"""Layers of neural networks in NumPy, in extended precision, and their gradients."""
import numpy as np

from cygrad.backend import CELLS, POOL
from cygrad.testing.reference_precision import quietly, wide, wider


@quietly
def softmax(a, log, out):
    shifted = wide(a) - wide(a).max(-1, keepdims=True)
    total = np.exp(shifted).sum(-1, keepdims=True)
    found = shifted - np.log(total) if log else np.exp(shifted) / total
    return np.where(np.isfinite(wide(a).max(-1, keepdims=True)), found, np.nan)


def softmax_backward(grad, result, log, out):
    grad, result = wide(grad), wide(result)
    if log:
        return grad - np.exp(result) * grad.sum(-1, keepdims=True)
    return result * (grad - (grad * result).sum(-1, keepdims=True))


def layer_norm(a, weight, bias, eps, out, mean, rstd):
    a = wide(a)
    middle = a.mean(-1)
    scale = 1 / np.sqrt(a.var(-1) + eps)
    found = (a - middle[:, None]) * scale[:, None]
    found = found if weight is None else found * wide(weight)
    return (found if bias is None else found + wide(bias)), middle, scale


def layer_norm_backward(grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias):
    grad, a, scale = wide(grad), wide(a), wide(rstd)[:, None]
    normal = (a - wide(mean)[:, None]) * scale
    inner = grad if weight is None else grad * wide(weight)
    found = scale * (inner - inner.mean(-1, keepdims=True) - normal * (inner * normal).mean(-1, keepdims=True))
    wanted = (found, (grad * normal).sum(0), grad.sum(0))
    return tuple(x if out is not None else None for x, out in zip(wanted, (grad_a, grad_weight, grad_bias)))


def group_norm(a, weight, bias, eps, out, mean, rstd):
    a = wide(a)
    middle, scale = a.mean((2, 3)), 1 / np.sqrt(a.var((2, 3)) + eps)
    found = (a - middle[..., None, None]) * scale[..., None, None]
    found = found if weight is None else found * wide(weight)[..., None]
    return (found if bias is None else found + wide(bias)[..., None]), middle, scale


def group_norm_backward(grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias):
    grad, a, scale = wide(grad), wide(a), wide(rstd)[..., None, None]
    normal = (a - wide(mean)[..., None, None]) * scale
    inner = grad if weight is None else grad * wide(weight)[..., None]
    means = [t.mean((2, 3), keepdims=True) for t in (inner, inner * normal)]
    wanted = (scale * (inner - means[0] - normal * means[1]), (grad * normal).sum((0, 3)), grad.sum((0, 3)))
    return tuple(x if out is not None else None for x, out in zip(wanted, (grad_a, grad_weight, grad_bias)))


def _taps(a, weight, stride, padding, dilation, groups, rows, columns):
    """(r, s, group, window of the padded a under tap (r, s)) for every tap of every group."""
    a = np.pad(a, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    channels = weight.shape[1]
    for r in range(weight.shape[2]):
        for s in range(weight.shape[3]):
            window = a[:, :, r * dilation[0]:, s * dilation[1]:][:, :, ::stride[0], ::stride[1]][:, :, :rows, :columns]
            for g in range(groups):
                yield r, s, g, window[:, g * channels:(g + 1) * channels]


def conv2d(a, weight, bias, stride, padding, dilation, groups, out):
    found = np.zeros(out.shape, wider(a))
    filters = weight.shape[0] // groups
    for r, s, g, window in _taps(wide(a), weight, stride, padding, dilation, groups, *out.shape[2:]):
        part = slice(g * filters, (g + 1) * filters)
        found[:, part] += np.einsum("nchw,oc->nohw", window, wide(weight)[part, :, r, s])
    return (found if bias is None else found + wide(bias)[:, None, None])


def conv2d_backward(grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight, grad_bias):
    grad, filters, channels = wide(grad), weight.shape[0] // groups, weight.shape[1]
    padded = np.zeros((*a.shape[:2], a.shape[2] + 2 * padding[0], a.shape[3] + 2 * padding[1]), wide(a).dtype)
    by_weight = np.zeros(weight.shape, wide(a).dtype)
    rows, columns = grad.shape[2:]
    for r, s, g, window in _taps(wide(a), weight, stride, padding, dilation, groups, rows, columns):
        part, inputs = slice(g * filters, (g + 1) * filters), slice(g * channels, (g + 1) * channels)
        by_weight[part, :, r, s] = np.einsum("nohw,nchw->oc", grad[:, part], window)
        top, left = r * dilation[0], s * dilation[1]
        padded[:, inputs, top:top + rows * stride[0]:stride[0], left:left + columns * stride[1]:stride[1]] += np.einsum(
            "nohw,oc->nchw", grad[:, part], wide(weight)[part, :, r, s])
    inside = padded[:, :, padding[0]:padding[0] + a.shape[2], padding[1]:padding[1] + a.shape[3]]
    wanted = (inside, by_weight, grad.sum((0, 2, 3)))
    return tuple(x if out is not None else None for x, out in zip(wanted, (grad_a, grad_weight, grad_bias)))


def _places(box, size, output):
    """(the places that an output sees along an axis, how many of them a mean counts)."""
    (p, q, r), (last_p, last_q, last_r), step, margin = box
    seen = np.arange((p * output + q) // r, (last_p * output + last_q) // last_r, step)
    return seen[(seen >= 0) & (seen < size)], np.sum((seen >= -margin) & (seen < size + margin))


def pool(op, a, boxes, out, index):
    a = wide(a)
    found, where = np.zeros(out.shape, a.dtype), np.zeros(out.shape, "int64")
    places = [[_places(box, size, i) for i in range(count)]
              for box, size, count in zip(boxes, a.shape[1:], out.shape[1:])]
    for output in np.ndindex(*out.shape[1:]):
        seen, counts = zip(*[axis[i] for axis, i in zip(places, output)])
        box = a[np.ix_(range(len(a)), *seen)].reshape(len(a), -1)
        if POOL[op] != "max":
            total = box.sum(1)
            count = np.prod(counts) if POOL[op] == "mean" else 1
            mean = np.trunc(total / count) if total.dtype.kind == "i" else total / max(count, 1)
            found[(slice(None), *output)] = mean
            continue
        numbers = (seen[0][:, None, None] * a.shape[2] + seen[1][:, None]) * a.shape[3] + seen[2]
        nan = box != box
        last = box.shape[1] - 1 - nan[:, ::-1].argmax(1)
        best = np.where(nan.any(1), last, np.where(nan, 0, box).argmax(1))
        found[(slice(None), *output)] = np.take_along_axis(box, best[:, None], 1)[:, 0]
        where[(slice(None), *output)] = numbers.reshape(-1)[best]
    return found, where if index is not None else None


def gather_sum(a, index, starts, weights, out):
    found, a = np.zeros(out.shape, np.longdouble), wide(a)
    for b in range(len(out)):
        chosen = slice(*np.clip(starts[b:b + 2], 0, len(index)))
        rows = a[index[chosen]]
        found[b] = (rows if weights is None else rows * wide(weights)[chosen, None]).sum(0)
    return found


def pool_backward(grad, index, out):
    found = np.zeros(out.shape, wide(grad).dtype)
    row, output = np.nonzero((index >= 0) & (index < out.shape[1]))
    np.add.at(found, (row, index[row, output]), wide(grad)[row, output])
    return found


@quietly
def attention(query, key, value, mask, causal, scale, out):
    scores = scale * np.matmul(wide(query), wide(key).swapaxes(1, 2))
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + wide(mask)
    if causal:
        scores = np.where(np.tri(*scores.shape[1:], dtype=bool), scores, -np.inf)
    hidden = np.all(scores == -np.inf, -1, keepdims=True)
    weights = np.exp(scores - np.where(hidden, 0, scores.max(-1, keepdims=True)))
    weights = np.where(hidden, 0, weights / weights.sum(-1, keepdims=True))
    return np.matmul(weights, wide(value))


# -------------------------------------------------------------------- recurrent layers

def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


@quietly
def recurrent(cell, steps, gates, weight, bias, h, c, values, kept, out, last_h, last_c):
    values, out = np.zeros(values.shape, wide(gates).dtype), np.zeros(out.shape, wide(gates).dtype)
    kept = None if kept is None else np.zeros(kept.shape, wide(gates).dtype)
    h, c, n = wide(h).copy(), None if c is None else wide(c).copy(), weight.shape[1]
    for row, rows in steps:
        some, x, s = slice(row, row + rows), wide(gates)[row:row + rows], np.matmul(h[:rows], wide(weight).T)
        if CELLS[cell] == "lstm":
            i, f, g, o = (function(part) for function, part in zip((_sigmoid, _sigmoid, np.tanh, _sigmoid),
                                                                   np.split(x + s, 4, 1)))
            c[:rows] = kept[some] = f * c[:rows] + i * g
            h[:rows], values[some] = o * np.tanh(c[:rows]), np.concatenate([i, f, g, o], 1)
        elif CELLS[cell] == "gru":
            r, z = np.split(_sigmoid(x[:, :2 * n] + s[:, :2 * n]), 2, 1)
            kept[some] = s[:, 2 * n:] + (0 if bias is None else wide(bias))
            m = np.tanh(x[:, 2 * n:] + r * kept[some])
            h[:rows], values[some] = (1 - z) * m + z * h[:rows], np.concatenate([r, z, m], 1)
        else:
            values[some] = h[:rows] = np.tanh(x + s) if CELLS[cell] == "rnn_tanh" else np.maximum(x + s, 0)
        out[some] = h[:rows]
    return values, kept, out, h, c


@quietly
def recurrent_backward(cell, steps, grad_out, grad_h, grad_c, values, kept, before, weight, slopes, hidden, slope_h,
                       slope_c):
    v, w = wide(values), wide(weight)
    made = np.zeros(slopes.shape, v.dtype)
    by_state = np.zeros(slopes.shape, v.dtype)
    h = np.zeros(slope_h.shape, v.dtype) + (0 if grad_h is None else wide(grad_h))
    c = None if slope_c is None else np.zeros(slope_c.shape, v.dtype) + (0 if grad_c is None else wide(grad_c))
    for row, rows in steps[::-1]:
        some = slice(row, row + rows)
        g = h[:rows] + (0 if grad_out is None else wide(grad_out)[some])
        if CELLS[cell] == "lstm":
            i, f, m, o = np.split(v[some], 4, 1)
            t = np.tanh(wide(kept)[some])
            by_c = c[:rows] + g * o * (1 - t * t)
            parts = (by_c * m * i * (1 - i), by_c * wide(before)[some] * f * (1 - f), by_c * i * (1 - m * m),
                     g * t * o * (1 - o))
            c[:rows], stays = by_c * f, 0
            made[some] = by_state[some] = np.concatenate(parts, 1)
        elif CELLS[cell] == "gru":
            r, z, m = np.split(v[some], 3, 1)
            by_m = g * (1 - z) * (1 - m * m)
            first = by_m * wide(kept)[some] * r * (1 - r), g * (wide(before)[some] - m) * z * (1 - z)
            made[some], stays = np.concatenate([*first, by_m], 1), g * z
            by_state[some] = np.concatenate([*first, by_m * r], 1)
        else:
            made[some] = by_state[some] = g * (1 - v[some] ** 2 if CELLS[cell] == "rnn_tanh" else v[some] > 0)
            stays = 0
        h[:rows] = np.matmul(by_state[some], w) + stays
    return made, by_state if hidden is not None else None, h, c
