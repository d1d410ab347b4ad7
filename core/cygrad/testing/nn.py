"""Cases of the entries for neural networks, softmax to attention, and of the device generator."""
from functools import partial

import numpy as np

from cygrad.backend import RANDOM
from cygrad.testing import sizes
from cygrad.testing.operands import (FLOATS, INTEGERS, channels_last, dense, laid_out, number, numbers, overlapping,
                                     reordered, repeated, result, rounded, sliced, turned)
from cygrad.testing.runner import EXACT, Case, Key, Limit

# What a gradient may be beside dense: of a sum it is one number, of a transposed result it is transposed.
GRADIENTS = {"one number": number, "sliced gradient": sliced, "turned gradient": reordered}
SOFTMAX = {
    "rows": ((9, 33), dense, dense), "one axis": ((33,), dense, dense), "columns": ((9, 33), reordered, dense),
    "sliced": ((5, 6, 7), sliced, sliced), "stride 0": ((9, 33), repeated, dense),
    "ten axes": ((2, 1, 2, 2, 1, 2, 2, 1, 2, 3), reordered, dense), "wide": ((4, 5000), dense, dense),
    "one element": ((4, 1), dense, dense),
    "offset": ((9, 31), partial(dense, offset=3), partial(dense, offset=5)), "many rows": ((65540, 3), dense, dense),
    "overlapping rows": ((9, 14), overlapping, dense),
}


def _make_softmax(log, dtype, layout, rng):
    shape, put, put_out = SOFTMAX[layout]
    values = numbers(rng, shape, dtype)
    if layout == "rows":
        values = values.copy()
        values[1] += 1000                        # overflows unless the maximum is taken away first
        values[2, 3] = -np.inf
        values[3, 3] = np.inf
        values[4] = -np.inf
        values[5, 1] += 300                      # beside it the others' exponentials are 0, their logarithms are not
    return put(values, dtype), log, result(shape, dtype, put_out)


def probability(a, log, out):
    return 1e-3                                  # 16-bit results of nothing are still off by a rounding in float32


def softmax_cases():
    for log in (False, True):
        for dtype in FLOATS:
            for layout in SOFTMAX:
                yield Case(Key("softmax", "log" if log else "plain", dtype, layout),
                           partial(_make_softmax, log, dtype, layout), (2,),
                           Limit(8 if dtype in FLOATS[2:] else 1, floor=8 if log else 0, terms=probability))
    limit = Limit(8, floor=8, terms=probability)
    yield from sizes.row_cases("softmax", ("plain", "log"), {"plain": limit, "log": limit})


def _make_softmax_backward(log, dtype, layout, rng):
    shape, put, put_out = SOFTMAX.get(layout, SOFTMAX["rows"])
    logits = numbers(rng, shape, dtype).astype(float)
    logits -= np.log(np.exp(logits).sum(-1, keepdims=True))
    outcome = logits if log else np.exp(logits)
    grad = GRADIENTS.get(layout, put)(numbers(rng, shape, dtype), dtype)
    outcome = put(rounded(outcome, dtype), dtype)
    return grad, outcome, log, result(shape, dtype, put_out)


def backward_terms(grad, outcome, log, out):
    total = np.abs(grad.astype(float)).sum(-1, keepdims=True)
    weight = np.exp(outcome.astype(float)) if log else outcome.astype(float)
    return 4 * (np.abs(grad.astype(float)) + weight * total)


def softmax_backward_cases():
    for log in (False, True):
        for dtype in FLOATS:
            for layout in (*SOFTMAX, *GRADIENTS):
                yield Case(Key("softmax_backward", "log" if log else "plain", dtype, layout),
                           partial(_make_softmax_backward, log, dtype, layout), (3,), Limit(4, terms=backward_terms))


# name: shape, layout of a, affine
NORMS = {"rows": ((9, 33), dense, True), "plain": ((9, 33), dense, False), "transposed": ((9, 33), reordered, True),
         "sliced": ((9, 33), sliced, True), "far from 0": ((9, 33), dense, True), "wide": ((3, 5000), dense, True),
         "wide and far": ((3, 5000), dense, True), "overlapping rows": ((9, 14), overlapping, True),
         "many rows": ((2001, 7), dense, True), "strided weight": ((9, 33), dense, sliced),
         "one row": ((1, 33), dense, True),
         **{f"{size} a row": ((5, size), dense, True) for size in (1, 2, 8, 32, 64, 128, 256, 1000, 1024, 4096)}}


def statistics_dtype(dtype):
    return "float32" if dtype in ("float16", "bfloat16") else dtype


FAR = {"far from 0": 50, "wide and far": 500}          # beside which a variance by squares has no digit left


def _norm_operands(dtype, layout, rng):
    shape, put, affine = NORMS.get(layout, NORMS["rows"])
    values = rounded(numbers(rng, shape, dtype, 1.0) + FAR.get(layout, 0), dtype)
    put_weight = affine if callable(affine) else dense
    weight = put_weight(numbers(rng, shape[1:], dtype, 1.0), dtype) if affine else None
    return shape, put(values, dtype), weight


def _make_layer_norm(dtype, layout, rng):
    shape, a, weight = _norm_operands(dtype, layout, rng)
    bias = weight and dense(numbers(rng, shape[1:], dtype, 1.0), dtype)
    rows = statistics_dtype(dtype)
    return a, weight, bias, 1e-5, result(shape, dtype), result(shape[:1], rows), result(shape[:1], rows)


def layer_norm_cases():
    for dtype in FLOATS:
        for layout in NORMS:
            yield Case(Key("layer_norm", "", dtype, layout), partial(_make_layer_norm, dtype, layout), (4, 5, 6),
                       loose(dtype, 4000 if layout in FAR else 60))
    yield from _chosen_norm_cases("layer_norm", (9, 33), (9,), (33,))


# What else a caller of a normalisation chooses, name: eps; layouts of weight and bias, of out.
CHOICES = {"large eps": (0.5, dense, dense, dense), "no bias": (1e-5, dense, None, dense),
           "no weight": (1e-5, None, dense, dense), "sliced weight and bias": (1e-5, sliced, sliced, dense),
           "sliced bias": (1e-5, dense, sliced, dense), "sliced result": (1e-5, dense, dense, sliced),
           "turned result": (0.02, dense, dense, reordered)}


def _make_chosen_norm(shape, kept, across, choice, rng):
    eps, put_weight, put_bias, put_out = CHOICES[choice]
    affine = [put and put(numbers(rng, across, "float32", 1.0), "float32") for put in (put_weight, put_bias)]
    return (dense(numbers(rng, shape, "float32", 1.0), "float32"), *affine, eps, result(shape, "float32", put_out),
            result(kept, "float32"), result(kept, "float32"))


def _chosen_norm_cases(entry, *shapes):
    for choice in CHOICES:
        yield Case(Key(entry, choice, "float32", ""), partial(_make_chosen_norm, *shapes, choice), (4, 5, 6),
                   loose("float32", 60))


def loose(dtype, ulps):
    """A limit for sums of some hundred terms near 1; 16-bit results are rounded once, their statistics are float32."""
    narrow = dtype in ("float16", "bfloat16")
    return Limit(2 if narrow else ulps, floor=4, terms=partial(_so_many, 4 * ulps) if narrow else None)


def _so_many(terms, *args):
    return terms


def _make_layer_norm_backward(dtype, wanted, layout, rng):
    shape, a, weight = _norm_operands(dtype, layout, rng)
    values = a.values.astype(float)
    mean, rstd = values.mean(-1), 1 / np.sqrt(values.var(-1) + 1e-5)
    rows = statistics_dtype(dtype)
    put = NORMS.get(layout, NORMS["rows"])[1]
    put = dense if put is overlapping else put
    outs = (result(size, dtype, each) if keep else None
            for size, keep, each in zip((shape, shape[1:], shape[1:]), wanted, (put, dense, dense)))
    grad = GRADIENTS.get(layout, dense)(numbers(rng, shape, dtype, 1.0), dtype)
    return (grad, a, dense(mean, rows), dense(rstd, rows), weight, *outs)


def column_moduli(grad, a, mean, rstd, *rest):
    return 8 * np.abs(grad.astype(float)).sum()


# Which gradients of a normalisation are wanted.
WANTED = {"all": (1, 1, 1), "input only": (1, 0, 0), "weight only": (0, 1, 0), "bias only": (0, 0, 1)}


def layer_norm_backward_cases():
    for dtype in FLOATS:
        for layout in (*NORMS, *GRADIENTS):
            for name, wanted in WANTED.items():
                if layout != "1 a row" and (layout in GRADIENTS or NORMS[layout][2] or name == "input only"):
                    yield Case(Key("layer_norm_backward", name, dtype, layout),
                               partial(_make_layer_norm_backward, dtype, wanted, layout), (5, 6, 7),
                               Limit(2, floor=1, terms=column_moduli))


def exchanged(values, dtype):
    """Groups and channels in the other order, places side by side: channels of a batch of images are such groups."""
    _, groups, channels, places = np.shape(values)
    return laid_out(values, dtype, (groups * channels * places, places, groups * places, 1))


# name: N, G, K, P; layout; with a weight and a bias
GROUPS = {"images": ((2, 3, 4, 25), dense, True), "without weight": ((3, 2, 2, 9), sliced, False),
          "one group": ((4, 1, 6, 40), dense, True), "one channel": ((2, 5, 1, 17), turned, True),
          "far from 0": ((2, 3, 4, 25), dense, True),
          "one place": ((5, 2, 3, 1), dense, True), "batch": ((1, 3, 6, 33), exchanged, True),
          "large": ((8, 4, 8, 300), reordered, True)}


def _group_operands(dtype, layout, rng):
    shape, put, affine = GROUPS.get(layout, GROUPS["images"])
    a = put(rounded(numbers(rng, shape, dtype, 1.0) + (50 if layout == "far from 0" else 0), dtype), dtype)
    return shape, a, *(dense(numbers(rng, shape[1:3], dtype, 1.0), dtype) if affine else None for _ in range(2))


def _make_group_norm(dtype, layout, rng):
    shape, a, weight, bias = _group_operands(dtype, layout, rng)
    rows = statistics_dtype(dtype)
    return a, weight, bias, 1e-5, result(shape, dtype), result(shape[:2], rows), result(shape[:2], rows)


def group_norm_cases():
    for dtype in FLOATS:
        for layout in GROUPS:
            yield Case(Key("group_norm", "", dtype, layout), partial(_make_group_norm, dtype, layout), (4, 5, 6),
                       loose(dtype, 4000 if layout == "far from 0" else 60))
    yield from _chosen_norm_cases("group_norm", (2, 3, 4, 25), (2, 3), (3, 4))


def _make_group_norm_backward(dtype, wanted, layout, rng):
    shape, a, weight, _ = _group_operands(dtype, layout, rng)
    values = a.values.astype(float)
    mean, rstd = values.mean((2, 3)), 1 / np.sqrt(values.var((2, 3)) + 1e-5)
    rows = statistics_dtype(dtype)
    put = exchanged if layout == "batch" else dense
    outs = (result(size, dtype, each) if keep else None
            for size, keep, each in zip((shape, shape[1:3], shape[1:3]), wanted, (put, dense, dense)))
    grad = GRADIENTS.get(layout, put)(numbers(rng, shape, dtype, 1.0), dtype)
    return (grad, a, dense(mean, rows), dense(rstd, rows), weight, *outs)


def group_norm_backward_cases():
    for dtype in FLOATS:
        for layout in (*GROUPS, *GRADIENTS):
            for name, wanted in WANTED.items():
                yield Case(Key("group_norm_backward", name, dtype, layout),
                           partial(_make_group_norm_backward, dtype, wanted, layout), (5, 6, 7),
                           Limit(8, floor=1, terms=column_moduli))


# name: N, C, H, W; O, R, S; stride, padding, dilation, groups, layout
CONVOLUTIONS = {
    "plain": ((2, 3, 9, 8), (4, 3, 3), (1, 1), (0, 0), (1, 1), 1, dense),
    "padded": ((2, 3, 9, 8), (4, 3, 3), (1, 1), (1, 2), (1, 1), 1, dense),
    "strided": ((2, 3, 11, 10), (4, 3, 2), (2, 3), (1, 0), (1, 1), 1, dense),
    "dilated": ((1, 2, 12, 12), (3, 3, 3), (1, 1), (2, 2), (2, 3), 1, dense),
    "strided and dilated": ((2, 4, 12, 11), (6, 2, 3), (3, 2), (1, 1), (2, 1), 2, dense),
    "groups": ((2, 6, 7, 7), (4, 3, 3), (1, 1), (1, 1), (1, 1), 2, dense),
    "depthwise": ((2, 5, 7, 7), (5, 3, 3), (2, 1), (1, 1), (1, 1), 5, dense),
    "two filters a channel": ((2, 5, 7, 7), (10, 3, 3), (2, 1), (1, 1), (1, 1), 5, dense),
    "whole tiles": ((1, 16, 16, 16), (32, 3, 3), (1, 1), (1, 1), (1, 1), 1, dense),
    "one by one": ((2, 8, 5, 5), (6, 1, 1), (1, 1), (0, 0), (1, 1), 1, dense),
    "transposed": ((2, 3, 9, 8), (4, 3, 3), (1, 1), (1, 1), (1, 1), 1, reordered),
    "sliced": ((2, 3, 9, 8), (4, 3, 3), (1, 1), (1, 1), (1, 1), 1, sliced),
    "large": ((2, 16, 30, 29), (24, 3, 3), (1, 1), (1, 1), (1, 1), 1, dense),
    "channels last": ((2, 9, 9, 8), (12, 3, 3), (1, 1), (1, 2), (1, 1), 1, channels_last),
    "channels last, strided": ((3, 10, 11, 10), (9, 3, 2), (2, 3), (1, 0), (1, 2), 1, channels_last),
    "channels last, depthwise": ((2, 70, 7, 6), (70, 3, 2), (1, 1), (1, 1), (2, 1), 70, channels_last),
    "channels last, one by one": ((3, 8, 5, 5), (16, 1, 1), (1, 1), (0, 0), (1, 1), 1, channels_last),
}


def _convolution(dtype, layout, rng):
    shape, (filters, r, s), stride, padding, dilation, groups, put = CONVOLUTIONS.get(layout, CONVOLUTIONS["padded"])
    rows, columns = ((size + 2 * pad - step * (taps - 1) - 1) // skip + 1
                     for size, pad, step, taps, skip in zip(shape[2:], padding, dilation, (r, s), stride))
    a = put(numbers(rng, shape, dtype, 1.0), dtype)
    weight = put(numbers(rng, (filters, shape[1] // groups, r, s), dtype, 1.0), dtype)
    return a, weight, (stride, padding, dilation, groups), (shape[0], filters, rows, columns)


def _make_conv2d(dtype, with_bias, layout, rng):
    a, weight, options, shape = _convolution(dtype, layout, rng)
    bias = (sliced if layout == "sliced" else dense)(numbers(rng, shape[1:2], dtype, 1.0), dtype) if with_bias else None
    return a, weight, bias, *options, result(shape, dtype, _layout_of_results(layout))


def _layout_of_results(layout):
    put = CONVOLUTIONS.get(layout, CONVOLUTIONS["padded"])[-1]
    return put if put is channels_last or put is sliced else dense


def terms_of_conv2d(a, weight, *rest):
    return 4 * np.sqrt(weight[0].size) * np.abs(a).max() * np.abs(weight).max()


def conv2d_cases():
    for dtype in FLOATS:
        for layout in CONVOLUTIONS:
            for name, with_bias in (("bias", True), ("no bias", False)):
                yield Case(Key("conv2d", name, dtype, layout), partial(_make_conv2d, dtype, with_bias, layout), (7,),
                           Limit(2, terms=terms_of_conv2d))


def _make_conv2d_backward(dtype, wanted, layout, rng):
    a, weight, options, shape = _convolution(dtype, layout, rng)
    put = _layout_of_results(layout)
    outs = (result(a.shape, dtype, put), result(weight.shape, dtype, put), result(shape[1:2], dtype))
    grad = GRADIENTS.get(layout, put)(numbers(rng, shape, dtype, 1.0), dtype)
    return (grad, a, weight, *options,
            *(out if keep else None for out, keep in zip(outs, wanted)))


def terms_of_conv2d_backward(grad, a, weight, *rest):
    largest = max(np.abs(a).max(), np.abs(weight).max(), 1)
    return 4 * np.sqrt(max(grad[:, 0].size, weight[:, 0].size)) * np.abs(grad).max() * largest


def conv2d_backward_cases():
    for dtype in FLOATS:
        for layout in (*CONVOLUTIONS, *GRADIENTS):
            for name, wanted in (("all", (1, 1, 1)), ("input only", (1, 0, 0)), ("weight and bias", (0, 1, 1)),
                                 ("bias only", (0, 0, 1))):
                yield Case(Key("conv2d_backward", name, dtype, layout),
                           partial(_make_conv2d_backward, dtype, wanted, layout), (7, 8, 9),
                           Limit(2, terms=terms_of_conv2d_backward))


# name: B, L, S, E, V, layout
ATTENTION = {"dense": ((2, 5, 7, 4, 6), dense), "square": ((3, 8, 8, 16, 16), dense),
             "sliced": ((2, 5, 7, 4, 6), sliced), "transposed": ((2, 5, 7, 4, 6), reordered),
             "one query": ((3, 1, 33, 8, 8), dense), "whole tiles": ((2, 32, 64, 32, 32), dense),
             "large": ((2, 130, 140, 32, 32), dense), "rising": ((2, 3, 1100, 4, 5), dense)}
SCALES = {"rising": 0.5, "sliced": 0.75, "square": 0.1}                    # elsewhere the usual one


def _make_attention(dtype, masked, causal, layout, rng):
    (batch, rows, keys, inner, width), put = ATTENTION[layout]
    query, key = (numbers(rng, (batch, n, inner), dtype, 1.0) for n in (rows, keys))
    value = numbers(rng, (batch, keys, width), dtype, 1.0)
    if layout == "rising":                  # scores, exact, of which the last are beyond the first ones' exponentials
        query, key = rng.integers(1, 3, query.shape), rng.integers(0, 3, key.shape)
        key[:, 600:] += rng.integers(60, 63, key[:, 600:].shape)
    mask = None
    if masked == "bool":
        seen = rng.random((batch, rows, keys)) < 0.7
        seen[:, 1:2] = False
        mask = put(seen, "bool")
    elif masked == "added":
        added = numbers(rng, (batch, rows, keys), dtype, 1.0)
        added[:, 1:2] = added[:, :, 2:3] = -np.inf              # a row, and a key, that are hidden
        mask = put(added, dtype)
    return (put(query, dtype), put(key, dtype), put(value, dtype), mask, causal, SCALES.get(layout, inner**-0.5),
            result((batch, rows, width), dtype, put))


def attention_cases():
    kinds = {"plain": (None, False), "causal": (None, True), "bool mask": ("bool", False),
             "added mask": ("added", False), "causal and mask": ("bool", True)}
    for dtype in FLOATS:
        for layout in ATTENTION:
            for name, (masked, causal) in kinds.items():
                yield Case(Key("attention", name, dtype, layout),
                           partial(_make_attention, dtype, masked, causal, layout), (6,),
                           Limit(4 if dtype in FLOATS[:2] else 64, floor=2))


# -------------------------------------------------------------------- random

def _make_random(kind, dtype, shape, first, seed, offset, a, b, rng):
    return kind, result(shape, dtype, partial(dense, offset=first)), seed, offset, a, b


def limit_of_random(name, dtype):
    """16-bit floats are computed in float32, and rounded once."""
    if name == "integers":
        return EXACT
    return Limit(1, terms=partial(_so_many, 64)) if dtype in ("float16", "bfloat16") else Limit(4, floor=16)


def random_cases():
    seeds = {"small seed": (7, 0), "large seed": (0x1234567890ABCDEF, 2**33 + 5), "carry": (11, 2**32 - 3)}
    sizes_of = (("one", (1,), 0), ("even", (6,), 0), ("whole blocks", (1024,), 0), ("rows", (7, 13), 0),
                ("large", (70001,), 0), ("offset", (7, 13), 5))
    for kind, name in enumerate(RANDOM):
        dtypes = FLOATS if name != "integers" else ("bool", *INTEGERS, "float32")
        for dtype in dtypes:
            ranges = {"": (2.0, 9.0)}
            if name == "integers":
                ranges = {"": (0.0, 2.0) if dtype == "bool" else (2.0, 9.0) if dtype == "uint8" else (-3.0, 50.0)}
                if dtype == "int64":
                    ranges[" beyond 32 bits"] = (-2.0**40, 2.0**52)
            for layout, shape, first in sizes_of:
                for seed_name, (seed, offset) in seeds.items():
                    for which, (a, b) in ranges.items():
                        yield Case(Key("random", f"{name}{which} {seed_name}", dtype, layout),
                                   partial(_make_random, kind, dtype, shape, first, seed, offset, a, b), (1,),
                                   limit_of_random(name, dtype))
