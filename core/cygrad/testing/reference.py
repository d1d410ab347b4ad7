"""Every entry of the kernel interface in NumPy: what a backend must compute, slowly, in extended precision.

A function has the name and the arguments of its entry (arrays in place of Views, what is written to included) and
returns what is written, unrounded: an array, or a tuple of them in the order of the entry's outputs. The CPU backend is
compared with these; other backends are compared with the CPU, and with these where the CPU declines.
"""
from functools import cache

import numpy as np

from cygrad.backend import ARGREDUCE, BINARY, CELLS, POOL, RANDOM, REDUCE, SCAN, SCATTER, UNARY
from cygrad.testing import reference_special
from cygrad.testing.operands import PERIOD
from cygrad.testing.reference_losses import (ctc_loss, ctc_loss_backward, nll_loss,  # noqa: F401 (by name)
                                             nll_loss_backward)
from cygrad.testing.reference_resampling import grid_sample, grid_sample_backward, resample  # noqa: F401 (by name)


def wide(x):
    """Floats in NumPy's widest type; everything else as it is."""
    x = np.asarray(x)
    if x.dtype.kind == "f":
        return x.astype(np.longdouble)
    return x.astype(np.clongdouble) if x.dtype.kind == "c" else x


def exact(x):
    """Floats in a type in which one +, -, *, / or sqrt, rounded to x's, is as if it were rounded once."""
    return x.astype("float64") if x.dtype.kind == "f" else wide(x)


def quietly(function):
    """Without NumPy's warnings about infinities and NaN."""
    def call(*args, **options):
        with np.errstate(all="ignore"):
            return function(*args, **options)
    return call


# ---------------------------------------------------------------- pointwise

def _angle(x):
    if x.dtype.kind == "c":
        return np.arctan2(x.imag, x.real)
    return np.where(np.isnan(x), x, np.where(x < 0, np.arctan2(wide(0.0), wide(-1.0)), 0))


def _reciprocal_sqrt(x):
    return 1 / np.sqrt(x)


UNARY_OPS = {
    "neg": np.negative, "abs": np.abs, "sign": lambda x: (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype),
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
    "log1p": np.log1p, "sqrt": np.sqrt, "rsqrt": _reciprocal_sqrt, "reciprocal": lambda x: 1 / x,
    "square": lambda x: x * x, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "erf": reference_special.erf, "erfc": reference_special.erfc,
    "erfinv": reference_special.erfinv, "lgamma": reference_special.lgamma,
    "digamma": reference_special.digamma, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.where(np.isnan(x), x, np.maximum(x, x.dtype.type(0))), "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "round": np.rint, "logical_not": np.logical_not, "bitwise_not": np.invert, "isnan": np.isnan,
    "isinf": np.isinf, "isfinite": np.isfinite, "conj": np.conj, "angle": _angle,
}


def _integers(x):
    return x.dtype.kind in "iu"


def _trunc_divide(x, y):
    if not _integers(x):
        return np.trunc(x / y)
    quotient = x // y
    return quotient + ((x % y != 0) & ((x < 0) != (y < 0))).astype(x.dtype)


BINARY_OPS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "floor_divide": np.floor_divide,
    "trunc_divide": _trunc_divide, "remainder": np.remainder, "fmod": np.fmod, "pow": np.power, "maximum": np.maximum,
    "minimum": np.minimum, "fmax": np.fmax, "fmin": np.fmin, "atan2": np.arctan2, "hypot": np.hypot,
    "copysign": np.copysign, "nextafter": np.nextafter, "gcd": np.gcd, "lcm": np.lcm, "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor, "left_shift": np.left_shift,
    "right_shift": np.right_shift, "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}


ARITHMETIC = {"square", "sqrt", "reciprocal", "add", "sub", "mul", "div"}


def fill(out, value):
    return np.full(out.shape, value if out.dtype.kind in "cb" else np.asarray(value).real)


def copy(src, out):
    return (src.real if src.dtype.kind == "c" and out.dtype.kind != "c" and out.dtype.kind != "b" else src)


@quietly
def unary(op, a, out):
    name = UNARY[op]
    flat = a.reshape(-1)
    if flat[PERIOD:].tobytes() == flat[:-PERIOD].tobytes() != b"":
        return np.resize(unary(op, flat[:PERIOD], out), a.shape)
    return UNARY_OPS[name](exact(a) if name in ARITHMETIC else wide(a))


@quietly
def binary(op, a, b, out):
    name = BINARY[op]
    if name == "nextafter":                     # depends on the spacing of the dtype itself
        return np.nextafter(a, b)
    convert = exact if name in ARITHMETIC else wide
    return BINARY_OPS[name](convert(a), convert(b))


def binary_scalar(op, a, x, swapped, out):
    one = np.full(a.shape, x).astype(a.dtype)
    return binary(op, one, a, out) if swapped else binary(op, a, one, out)


def where(cond, a, b, out):
    return np.where(cond, a, b)


def elementwise(program, ins, outs):
    """Step by step; every number on the stack has the program's dtype, a 16-bit float's being float32."""
    arrays = [x for x in (*ins, *outs) if isinstance(x, np.ndarray)]
    number = next((x.dtype for x in arrays[:len(arrays) - len(outs)] if x.dtype != bool), outs[0].dtype)
    if number == "float16":
        number = np.dtype("float32")
    stack, kept, results = [], {}, {}

    def push(value):
        value = np.broadcast_to(value, outs[0].shape)
        stack.append(value if value.dtype == bool else value.astype(number))

    for kind, *operand in program:
        if kind == "in":
            push(np.asarray(ins[operand[0]]).astype(getattr(ins[operand[0]], "dtype", number)))
        elif kind == "number":
            push(np.asarray(operand[0]).astype(number))
        elif kind == "keep":
            kept[operand[0]] = stack[-1]
        elif kind == "kept":
            stack.append(kept[operand[0]])
        elif kind == "unary":
            push(unary(operand[0], stack.pop(), None))
        elif kind == "binary":
            b, a = stack.pop(), stack.pop()
            if a.dtype != b.dtype:                            # a truth value meets a number
                a, b = a.astype(number), b.astype(number)
            push(binary(operand[0], a, b, None))
        elif kind == "where":
            b, a, cond = stack.pop(), stack.pop(), stack.pop()
            push(np.where(cond, a, b))
        else:
            results[operand[0]] = stack.pop()
    return tuple(results[j] for j in range(len(outs)))


def arange(out, start, step):
    kind = object if out.dtype.kind in "iu" else float
    return np.array([start + i * step for i in range(out.size)], kind).reshape(out.shape)


# --------------------------------------------------- reductions, scans, orders

@quietly
def reduce(op, a, out):
    name = REDUCE[op]
    if name in ("any", "all"):
        a = a != 0
    elif out.dtype.kind in "iu":
        a = a.astype(out.dtype)
    axes = tuple(range(out.ndim, a.ndim))
    if name == "square_sum":
        return np.square(wide(a)).sum(axes, wide(out).dtype)
    if name in ("sum", "prod"):
        return getattr(np, name)(a, axes, wide(out).dtype)
    return getattr(np, name)(a, axes)


def map_reduce(program, ins, ops, finish, numbers, outs):
    whole = next(x for x in ins if isinstance(x, np.ndarray))
    mapped = elementwise(program, ins, tuple(np.empty(whole.shape, outs[0].dtype) for _ in ops))
    found = tuple(reduce(op, x, outs[0]) for op, x in zip(ops, mapped))
    return found if finish is None else elementwise(finish, (*found, *numbers), outs)


def argreduce(op, a, out):
    return getattr(np, ARGREDUCE[op])(a, -1)      # the first one, and the first NaN


@quietly
def scan(op, a, out, index):
    name = SCAN[op]
    if name in ("cumsum", "cumprod"):
        return getattr(np, name)(wide(a.astype(out.dtype)), -1), None
    best = (np.maximum if name == "cummax" else np.minimum).accumulate(a, -1)          # NaN from the first one on
    before, now = best[..., :-1], a[..., 1:]
    better = np.greater_equal if name == "cummax" else np.less_equal
    taken = better(now, before) | (now != now)               # a later equal one wins, and so does NaN
    places = np.zeros(a.shape, "int64")
    places[..., 1:] = np.where(taken, np.arange(1, a.shape[-1]), 0)
    return best, np.maximum.accumulate(places, -1)


def sort(a, descending, stable, values, index):
    order = np.argsort(a, -1, kind="stable")
    if descending:                               # of the reversed row, so that equal ones keep their order
        order = a.shape[-1] - 1 - np.flip(np.argsort(np.flip(a, -1), -1, kind="stable"), -1)
    return np.take_along_axis(a, order, -1), order


def partial_sort(a, descending, first, values, index):
    part = np.s_[..., first:first + values.shape[-1]]
    return tuple([whole[part] for whole in sort(a, descending, True, values, index)])


def nonzero(a, allocate):
    return np.argwhere(a)


# ------------------------------------------------------- products and indices

@quietly
def matmul(a, b, out):
    if a.dtype.kind in "iu":
        return np.matmul(a, b)
    return np.matmul(a.astype(wider(a)), b.astype(wider(b)))


def wider(x):
    """A type wide enough for a long sum of x's elements, with products of which BLAS knows."""
    return {"f": "float64", "c": "complex128"}[x.dtype.kind] if x.itemsize < 8 or (
        x.dtype == "complex64") else wide(x).dtype


def addmm(bias, a, b, beta, alpha, out):
    if out.dtype.kind == "i":
        beta, alpha = int(beta), int(alpha)
    product = alpha * matmul(a, b, out)
    return (product if beta == 0 else beta * wide(bias) + product)


def gather(src, index, dim, out):
    part = src[tuple(slice(None) if d == dim else slice(n) for d, n in enumerate(index.shape))]
    return np.take_along_axis(part, index, dim)


@quietly
def scatter(mode, out, dim, index, src):
    found = wide(out).copy()
    places = list(np.indices(index.shape))
    places[dim] = index
    name, places = SCATTER[mode], tuple(places)
    if name == "set":
        found[places] = src                                  # the last of several wins
    else:
        function = {"add": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[name]
        function.at(found, places, wide(src))
    return found


# ----------------------------------------------------------- neural networks

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
    for output in np.ndindex(*out.shape[1:]):
        seen, counts = zip(*map(_places, boxes, a.shape[1:], output))
        box = a[np.ix_(range(len(a)), *seen)].reshape(len(a), -1)
        if POOL[op] != "max":
            total = box.sum(1)
            count = np.prod(counts) if POOL[op] == "mean" else 1
            mean = np.trunc(total / count) if total.dtype.kind == "i" else total / max(count, 1)
            found[(slice(None), *output)] = mean
            continue
        numbers = (seen[0][:, None, None] * a.shape[2] + seen[1][:, None]) * a.shape[3] + seen[2]
        for n, row in enumerate(box):
            nan = np.flatnonzero(np.isnan(row))
            best = nan[-1] if len(nan) else row.argmax()
            found[(n, *output)], where[(n, *output)] = row[best], numbers.reshape(-1)[best]
    return found, where if index is not None else None


def gather_sum(a, index, starts, weights, out):
    found = np.zeros(out.shape, np.longdouble)
    for b in range(len(out)):
        chosen = slice(*np.clip(starts[b:b + 2], 0, len(index)))
        rows = wide(a)[index[chosen]]
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


# -------------------------------------------------------------------- random

def philox(seed, offset, blocks):
    """(blocks, 4) words of Philox 4x32-10 with the counters offset, offset + 1, ... (Salmon et al., SC11)."""
    low, mask = np.uint64(0xFFFFFFFF), (1 << 64) - 1
    counter = np.array([(offset + i) & mask for i in range(blocks)], "uint64")
    c = [counter & low, counter >> np.uint64(32), np.zeros(blocks, "uint64"), np.zeros(blocks, "uint64")]
    key = [seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF]
    for _ in range(10):
        first, second = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(second >> np.uint64(32)) ^ c[1] ^ np.uint64(key[0]), second & low,
             (first >> np.uint64(32)) ^ c[3] ^ np.uint64(key[1]), first & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(c, 1)


def _uniform(words, wide_words, bits):
    """Numbers in [0, 1) from the top bits of words."""
    return (words >> np.uint64((64 if wide_words else 32) - bits)).astype("float64") * 2.0**-bits


def random(kind, out, seed, offset, a, b, dtype):
    """`dtype` is out's name: it decides how many bits a number gets."""
    wide_words = dtype in ("float64", "int64")
    words = philox(seed, offset, out.size // (2 if wide_words else 4) + 1)
    if wide_words:
        words = words.reshape(-1, 2)
        words = words[:, 0] | words[:, 1] << np.uint64(32)
    words = words.reshape(-1)
    if RANDOM[kind] == "integers":
        drawn = np.array([int(a) + int(w) % (int(b) - int(a)) for w in words[:out.size]])
        return drawn.reshape(out.shape)
    bits = {"float64": 53, "float32": 24}.get(dtype)
    if RANDOM[kind] == "uniform":
        bits = bits or {"float16": 11, "bfloat16": 8}[dtype]
        return (a + _uniform(words, wide_words, bits) * (b - a))[:out.size].reshape(out.shape)
    drawn = _uniform(words, wide_words, bits or 24)
    radius = np.sqrt(-2 * np.log1p(-drawn[::2]))
    turn = 8 * np.arctan(np.longdouble(1)) * drawn[1::2]        # 2 pi with more digits than are compared
    normal = np.stack([radius * np.cos(turn), radius * np.sin(turn)], 1).reshape(-1)
    return (a + b * normal)[:out.size].reshape(out.shape)


def fft(a, out, axes, inverse, norm):
    """Sums along one axis after the other, from their definition."""
    found, *others, last = wide(a).astype(np.clongdouble), *axes
    sizes = [out.shape[d] for d in axes]
    if out.dtype.kind != "c":                   # the places that stand for their conjugates
        for d in others:
            found = _sums(found, d, 1)
        half = np.moveaxis(found, last, -1).copy()
        half[..., 0] = half[..., 0].real
        if sizes[-1] % 2 == 0:
            half[..., -1] = half[..., -1].real
        rest = half[..., 1:sizes[-1] - half.shape[-1] + 1]
        found = np.moveaxis(np.concatenate([half, rest[..., ::-1].conj()], -1), -1, last)
        found = _sums(found, last, 1).real
    else:
        sizes = [a.shape[d] for d in axes]
        for d in axes:
            found = _sums(found, d, 1 if inverse else -1)
        found = found[tuple(slice(n) for n in out.shape)]
    count = np.prod(sizes, dtype=np.longdouble)
    return found / {"none": 1, "root": np.sqrt(count), "count": count}[norm]


@cache
def _factors(n, sign):
    """exp(sign * 2 pi i jk / n), from the n roots that it consists of."""
    angles = 8 * np.arctan(np.longdouble(1)) * sign * np.arange(n) / np.longdouble(n)
    return (np.cos(angles) + 1j * np.sin(angles))[np.outer(np.arange(n), np.arange(n)) % n]


def _sums(a, axis, sign):
    return np.moveaxis(np.tensordot(a, _factors(a.shape[axis], sign), (axis, 0)), -1, axis)


# ------------------------------------------------------------ linear algebra

def linalg(routine, ins, outs, options):
    """One result for each output; factorisations in any form that satisfies what is compared."""
    a, *rest = ins
    codes = np.zeros(len(a), "int32")
    if routine == "solve":
        return np.linalg.solve(a, rest[0]), codes
    if routine == "lstsq":
        solved = [np.linalg.lstsq(one, b, rcond=None) for one, b in zip(a, rest[0])]
        x, _, rank, values = (np.array(found) for found in zip(*[(x, 0, rank, s) for x, _, rank, s in solved]))
        return (x, codes, rank, values)[:len(outs)]
    if routine == "geqrf":
        packed, factors = np.linalg.qr(a, "raw")
        return packed.swapaxes(1, 2), factors
    if routine == "triangular_solve":
        a = np.triu(a) if options["upper"] else np.tril(a)
        if options["unit"]:
            a = a - a * np.eye(a.shape[1]) + np.eye(a.shape[1])
        return np.linalg.solve(a.swapaxes(1, 2) if options["transpose"] else a, rest[0])
    if routine == "inverse":
        return np.linalg.inv(a), codes
    if routine == "cholesky":
        lower = np.linalg.cholesky(_hermitian(a, options["upper"]))
        return lower.conj().swapaxes(1, 2) if options["upper"] else lower, codes
    if routine == "qr":
        return np.linalg.qr(a, "complete" if options["complete"] else "reduced")
    if routine == "svd":
        return *np.linalg.svd(a, full_matrices=options["full_matrices"]), codes
    if routine == "eigh":
        return *np.linalg.eigh(_hermitian(a, options["upper"])), codes
    if routine == "eig":
        return *np.linalg.eig(a), codes
    return *_lu(a), codes


def _hermitian(a, upper):
    """The matrices of which one triangle is given."""
    given = np.triu(a) if upper else np.tril(a)
    mirrored = given.conj().swapaxes(1, 2)
    return given + mirrored * (1 - np.eye(a.shape[1]))


def _lu(a):
    """Compact LU factors without pivoting: the matrices of the cases are dominated by their diagonals."""
    lu = a.copy()
    for k in range(a.shape[1]):
        lu[:, k + 1:, k] /= lu[:, k, k, None]
        lu[:, k + 1:, k + 1:] -= lu[:, k + 1:, k, None] * lu[:, k, None, k + 1:]
    return lu, np.broadcast_to(np.arange(1, a.shape[1] + 1, dtype="int32"), a.shape[:2])
