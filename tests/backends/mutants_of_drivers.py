"""Mutants of makers of drivers, each wrong in one realistic way, written before anyone looked what the suite sees.

See `mutants`. Vectors and tiles with a rest, one operand's geometry, an option that few calls have, NaN and ties.
"""
import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, CELLS, POOL, RANDOM, REDUCE, SCAN, SCATTER, UNARY
from mirror import Mirror, array, load, scratch, store
from mutant import (FLOATS, INTEGERS, dense, flat, from_the_start, in_a_row, instead, kinds, lost, reading, right,
                    row_length, spoilt, table)


def _last(n, unit):
    """What is left of n after whole units."""
    return np.s_[..., n // unit * unit:]


def drivers_vectors():
    return table(
        ("where: a tail of three", "where", lost, lambda cond, a, b, out: dense(cond, a, b, out) and out.ndim == 1
         and out.numel() % 4 == 3 and out.numel() > 4 and out is not a and out is not b, lambda cond, a, b, out: _last(
             out.numel(), 4)),
        ("binary: a tail of one after 16-byte vectors", "binary", lost, lambda code, a, b, out: BINARY[code] == "mul"
         and out.ndim == 1 and dense(a, b, out) and out.numel() % (16 // a.element_size() or 1) == 1
         and out.numel() > 16 and out is not a and out is not b, np.s_[-1:]),
        ("unary: vectors from unaligned memory begin before it", "unary", reading,
         lambda code, a, out: UNARY[code] in ("abs", "sqrt") and dense(a) and a.storage_offset() % 4,
         (1, lambda code, a, out: np.ndarray(a.shape, array(a).dtype, a.buffer, a.storage_offset() // 4 * 4
                                             * a.element_size()))),
        ("copy: bytes by words end early", "copy", lost, lambda src, out: src.element_size() == 1 and dense(src, out)
         and src.dtype is out.dtype and out.numel() % 4 and out.numel() > 4,
         lambda src, out: np.unravel_index(np.arange(out.numel() // 4 * 4, out.numel()), out.shape)),
        ("binary_scalar: a number in vectors of two, the odd one", "binary_scalar", lost,
         lambda code, a, x, swapped, out: kinds(a, "float64") and out.numel() % 2 and out.numel() > 2
         and dense(a, out) and out.ndim == 1 and out is not a, np.s_[-1:]),
        ("fill: 16-bit elements in pairs", "fill", lost, lambda out, x: kinds(out, "float16", "bfloat16", "int16")
         and out.numel() % 2 and out.numel() > 1 and dense(out) and out.ndim == 1, np.s_[-1:], 0),
        ("fill: 16-bit elements in pairs go one too far", "fill", {"fill": _one_too_far}),
        ("reduce: min over lanes that are filled with 0", "reduce", spoilt, lambda code, a, out: REDUCE[code] == "min"
         and kinds(a, "float32") and row_length(a, out) % 8, lambda code, a, out: store(out, np.minimum(load(out), 0))),
    )


def _one_too_far(self, out, x):
    answer = right("fill", self, out, x)
    end = out.storage_offset() + out.numel()
    if out.element_size() == 2 and dense(out) and out.numel() % 2 and (end + 1) * 2 <= out.buffer.size:
        np.frombuffer(out.buffer, array(out).dtype)[end] = array(out).reshape(-1)[0]
    return answer


def drivers_tiles():
    return table(
        ("matmul: the 33rd row of tiles of 32", "matmul", lost, lambda a, b, out: out.shape[1] == 33, np.s_[:, 32:]),
        ("matmul: one column", "matmul", reading, lambda a, b, out: out.shape[2] == 1 and a.shape[2] > 1
         and a.stride()[2] != 1, (0, lambda a, b, out: in_a_row(a))),
        ("matmul: a transposed first operand with gaps", "matmul", reading, lambda a, b, out: a.stride()[1] == 1
         and a.stride()[2] > a.shape[1] > 1, (0, lambda a, b, out: np.swapaxes(np.resize(np.ndarray(
             a.shape[1] * a.shape[2], array(a).dtype, a.buffer, a.storage_offset() * a.element_size()),
             (a.shape[2], a.shape[1])), 0, 1)[None].repeat(a.shape[0], 0))),
        ("copy: transposing tiles of 64", "copy", lost, lambda src, out: out.ndim == 2 and dense(out)
         and src.stride()[0] == 1 and out.shape[1] > 64 and out.shape[1] % 64, lambda src, out: _last(out.shape[1],
                                                                                                       64)),
        ("addmm: alpha for the first tile of K alone", "addmm", reading, lambda bias, a, b, beta, alpha, out: alpha != 1
         and a.shape[1] > 32, (4, lambda bias, a, b, beta, alpha, out: 1.0)),
        ("attention: keys beyond 64", "attention", reading, lambda query, key, value, mask, *rest: mask is None
         and key.shape[1] > 64 and key.shape[1] % 64, (1, lambda query, key, *rest: array(key)[:, :64]),
         (2, lambda query, key, value, *rest: array(value)[:, :64])),
        ("softmax: a row of more than 4,096", "softmax", lost, lambda a, log, out: a.shape[-1] > 4096,
         np.s_[..., 4096:]),
        ("layer_norm: rows of more than 1,024 in two parts", "layer_norm", spoilt, lambda a, *rest: a.shape[1] > 1024,
         lambda a, weight, bias, eps, out, mean, rstd: store(mean, load(a)[:, :1024].mean(-1))),
        ("scan: rows after the 64th", "scan", lost, lambda code, a, out, index: a.ndim > 1 and a.shape[0] > 64,
         np.s_[64:], 2),
        ("argreduce: a long row's second block of 4,096", "argreduce", reading,
         lambda code, a, out: a.shape[-1] > 4096, (1, lambda code, a, out: array(a)[..., :4096])),
        ("nonzero: 32 bits of a mask", "nonzero", {"nonzero": _of_words}),
    )


def _of_words(self, a, allocate):
    found = np.argwhere(load(a))
    if a.numel() % 32 and a.numel() > 32:
        places = np.ravel_multi_index(tuple(found.T), a.shape) if a.ndim else np.zeros(len(found))
        found = found[places < a.numel() // 32 * 32]
    array(allocate(len(found)))[...] = found


def drivers_geometry():
    return table(
        ("unary: out's strides are a's", "unary", {"unary": _strides_of_a}),
        ("binary: out's offset", "binary", {"binary": _without_offset}),
        ("where: b of stride 0 is read on", "where", reading, lambda cond, a, b, out: out.numel() > 1
         and not any(b.stride()), (2, lambda cond, a, b, out: in_a_row(b))),
        ("reduce: several axes in the middle", "reduce", reading, lambda code, a, out: a.ndim - out.ndim == 2
         and out.ndim == 2 and not dense(a), (1, lambda code, a, out: in_a_row(a))),
        ("reduce: out in columns", "reduce", {"reduce": _in_columns}),
        ("argreduce: a row with gaps", "argreduce", reading, lambda code, a, out: a.stride()[-1] > 1,
         (1, lambda code, a, out: in_a_row(a))),
        ("scan: a row that is one number", "scan", reading, lambda code, a, out, index: a.stride()[-1] == 0
         and a.shape[-1] > 1, (1, lambda code, a, out, index: in_a_row(a))),
        ("gather: an index spread over an axis", "gather", reading, lambda src, index, dim, out: 0 in index.stride()
         and index.numel() > 1, (1, lambda src, index, dim, out: np.clip(in_a_row(index), 0, src.shape[dim] - 1))),
        ("scatter: out in columns", "scatter", reading, lambda mode, out, dim, index, src: out.ndim == 2
         and not dense(out) and out.stride()[0] == 1, (2, lambda mode, out, dim, index, src: 1 - dim
                                                       if out.shape[0] == out.shape[1] else dim)),
        ("scatter: an offset of the index", "scatter", reading, lambda mode, out, dim, index, src:
         index.storage_offset() > 0, (3, lambda mode, out, dim, index, src: np.clip(from_the_start(index), 0,
                                                                                   out.shape[dim] - 1))),
        ("conv2d: images in channels-last order", "conv2d", reading, lambda a, *rest: a.stride()[1] == 1
         and a.shape[1] > 1, (0, lambda a, *rest: in_a_row(a))),
        ("conv2d: a filter with gaps", "conv2d", reading, lambda a, weight, *rest: not dense(weight),
         (1, lambda a, weight, *rest: in_a_row(weight))),
        ("softmax_backward: the result's strides for grad", "softmax_backward", reading,
         lambda grad, result, log, out: grad.stride() != result.stride() and grad.ndim > 1,
         (0, lambda grad, *rest: in_a_row(grad))),
        ("attention: a mask for all heads", "attention", reading, lambda query, key, value, mask, *rest:
         mask is not None and mask.stride()[0] == 0 and mask.shape[0] > 1, (
             3, lambda query, key, value, mask, *rest: in_a_row(mask))),
        ("sort: rows that lie apart", "sort", reading, lambda a, *rest: a.ndim == 2 and a.stride()[1] == 1
         and a.stride()[0] > a.shape[1], (0, lambda a, *rest: in_a_row(a))),
        ("map_reduce: an operand spread over rows", "map_reduce", {"map_reduce": _spread}),
    )


def _strides_of_a(self, code, a, out):
    answer = right("unary", self, code, a, out)
    if answer is None and dense(a) and not dense(out) and UNARY[code] in ("neg", "exp", "relu"):
        found, size = array(out).copy(), out.element_size()
        start = out.storage_offset()
        np.frombuffer(out.buffer, found.dtype)[start:start + found.size] = found.reshape(-1)[:out.buffer.size // size
                                                                                            - start]
    return answer


def _without_offset(self, code, a, b, out):
    if not out.storage_offset() or out is a or out is b or BINARY[code] != "sub":
        return right("binary", self, code, a, b, out)
    made = scratch(self, out, out.shape, out.dtype.name)
    answer = right("binary", self, code, a, b, made)
    if answer is None:
        from_the_start(out)[...] = array(made)
    return answer


def _in_columns(self, code, a, out):
    answer = right("reduce", self, code, a, out)
    if answer is None and out.ndim == 2 and not dense(out) and out.stride()[0] == 1:
        array(out)[...] = np.resize(array(out).T.copy(), out.shape)
    return answer


def _spread(self, program, ins, ops, finish, numbers, outs):
    given = list(ins)
    for k, x in enumerate(ins):
        if hasattr(x, "stride") and x.ndim == 2 and x.stride()[0] == 0 and x.shape[0] > 1:
            given[k] = scratch(self, x, x.shape, x.dtype.name)
            array(given[k])[...] = in_a_row(x)
    return right("map_reduce", self, program, tuple(given), ops, finish, numbers, outs)


def drivers_numbers():
    def scalar(name, change, *dtypes):
        return (reading, lambda code, a, x, swapped, out: kinds(a, *dtypes) and (not name or BINARY[code] == name),
                (2, lambda code, a, x, swapped, out: change(x)))
    return table(
        ("binary_scalar: numbers are float32", "binary_scalar", *scalar("", lambda x: float(np.float32(x)), "float64")),
        ("binary_scalar: numbers are int32", "binary_scalar", *scalar("", lambda x: (int(x) + 2**31) % 2**32 - 2**31,
                                                                    "int64")),
        ("binary_scalar: an infinite number is the largest", "binary_scalar", *scalar(
            "", lambda x: float(np.clip(x, -3.4028235e38, 3.4028235e38)) if abs(x) == np.inf else x, "float32")),
        ("binary_scalar: complex numbers lose their second part", "binary_scalar", *scalar(
            "", lambda x: complex(x).real, "complex64", "complex128")),
        ("binary_scalar: swapped where the op is a power alone", "binary_scalar", reading,
         lambda code, a, x, swapped, out: swapped and BINARY[code] in ("fmod", "atan2", "right_shift"),
         (3, lambda *args: False)),
        ("unary: subnormals are 0", "unary", instead, lambda code, a, out: UNARY[code] in ("neg", "abs", "trunc")
         and kinds(a, "float32"), lambda code, a, out: getattr(np, {"neg": "negative"}.get(UNARY[code], UNARY[code]))(
             np.where(abs(load(a)) < 1.1754944e-38, load(a) * 0, load(a)))),
        ("round: half away from zero", "unary", instead, lambda code, a, out: UNARY[code] == "round"
         and kinds(a, "float16", "bfloat16"), lambda code, a, out: np.copysign(np.floor(abs(load(a)) + 0.5), load(a))),
        ("right_shift by the width", "binary", instead, lambda code, a, b, out: BINARY[code] == "right_shift"
         and kinds(a, "int64"), lambda code, a, b, out: load(a) >> (load(b) & 63)),
        ("isfinite by an absolute value below the largest", "unary", instead, lambda code, a, out: UNARY[code]
         == "isfinite" and kinds(a, "float16"), lambda code, a, out: abs(load(a)) < 65504),
        ("sqrt of complex: the sign of a zero", "unary", instead, lambda code, a, out: UNARY[code] == "sqrt"
         and kinds(a, "complex64"), lambda code, a, out: np.sqrt(load(a) + 0j * 0 + 0.0)),
        ("log of complex: minus pi", "unary", instead, lambda code, a, out: UNARY[code] == "log"
         and kinds(a, "complex128"), lambda code, a, out: np.where(
             (load(a).imag == 0) & (load(a).real < 0), np.log(load(a)).real - 1j * np.pi, np.log(load(a)))),
        ("matmul of complex conjugates the first", "matmul", reading, lambda a, b, out: kinds(a, "complex64")
         and a.stride()[1] == 1 and a.stride()[2] > 1, (0, lambda a, b, out: array(a).conj())),
        ("angle of -0", "unary", instead, lambda code, a, out: UNARY[code] == "angle" and kinds(a, "float64"),
         lambda code, a, out: np.where(np.isnan(load(a)), np.nan, np.where(load(a) < 0, np.pi, 0)) * 0.9999999),
        ("reduce: an infinite sum of float16 within", "reduce", instead, lambda code, a, out: REDUCE[code] == "sum"
         and kinds(a, "float16") and kinds(out, "float32"), lambda code, a, out: load(a).reshape(
             *out.shape, -1).astype("float16").sum(-1, dtype="float16")),
        ("erf: 1 from 3 on", "unary", spoilt, lambda code, a, out: UNARY[code] == "erf" and kinds(a, "float32")
         and a is not out, lambda code, a, out: array(out).__setitem__(load(a) > 3, 1)),
        ("lgamma of large numbers is infinite", "unary", spoilt, lambda code, a, out: UNARY[code] == "lgamma"
         and kinds(a, "float64") and a is not out, lambda code, a, out: array(out).__setitem__(load(a) > 1e3, np.inf)),
        ("nextafter in float32 of the largest", "binary", spoilt, lambda code, a, b, out: BINARY[code] == "nextafter"
         and kinds(a, "float32"), lambda code, a, b, out: array(out).__setitem__(np.isinf(array(out)), 3.4028235e38)),
        ("copysign from NaN", "binary", spoilt, lambda code, a, b, out: BINARY[code] == "copysign"
         and kinds(a, "float32") and out is not b, lambda code, a, b, out: array(out).__setitem__(
             np.isnan(load(b)), abs(array(out)[np.isnan(load(b))]) * -1)),
    )


def drivers_rows():
    return table(
        ("argmin: the last of equals", "argreduce", instead, lambda code, a, out: ARGREDUCE[code] == "argmin"
         and kinds(a, "float32", "int32") and not np.isnan(load(a)).any(),
         lambda code, a, out: a.shape[-1] - 1 - np.argmin(load(a)[..., ::-1], -1)),
        ("argmax: NaN is smaller than all", "argreduce", instead, lambda code, a, out: ARGREDUCE[code] == "argmax"
         and kinds(a, "bfloat16"), lambda code, a, out: np.argmax(np.where(np.isnan(load(a)), -np.inf, load(a)), -1)),
        ("max over nothing but -inf", "reduce", spoilt, lambda code, a, out: REDUCE[code] == "max" and kinds(
            a, "float16"), lambda code, a, out: store(out, np.maximum(load(out), -65504))),
        ("sort: NaN first where it descends", "sort", {"sort": _nan_last}),
        ("sort: equals in the other order where it descends", "sort", {"sort": _other_way}),
        ("sort: -0 before 0", "sort", {"sort": _signed_zeros}),
        ("partial_sort: ties by chance", "partial_sort", {"partial_sort": _first_ties}),
        ("cumprod in float16", "scan", {"scan": _narrow_product}),
        ("cummax of int8 as unsigned", "scan", {"scan": _unsigned}),
        ("scatter: the first of several writes", "scatter", {"scatter": _first_wins}),
        ("scatter: add counts once", "scatter", {"scatter": _once}),
        ("scatter: min ignores NaN", "scatter", {"scatter": _no_nan}),
        ("gather: places of 32 bits, the upper half", "gather", reading, lambda src, index, dim, out: dim == 0
         and src.ndim > 1 and src.shape[0] > 127, (1, lambda src, index, dim, out: array(index) & 127)),
        ("prod of int8 in int8", "reduce", instead, lambda code, a, out: REDUCE[code] == "prod" and kinds(a, "int8")
         and kinds(out, "int64"), lambda code, a, out: load(a).reshape(*out.shape, -1).prod(-1, dtype="int8")),
        ("any of bytes that are 2", "reduce", instead, lambda code, a, out: REDUCE[code] == "any" and kinds(a, "uint8"),
         lambda code, a, out: (load(a) & 1).reshape(*out.shape, -1).any(-1)),
        ("square_sum of float32 overflows into a cut", "reduce", spoilt, lambda code, a, out: REDUCE[code]
         == "square_sum" and kinds(a, "float32"), lambda code, a, out: store(out, np.minimum(load(out), 1e30))),
    )


def _nan_last(self, a, descending, stable, values, index):
    answer = right("sort", self, a, descending, stable, values, index)
    if answer is None and descending and kinds(a, "float64") and np.isnan(load(a)).any():
        x = load(a)
        order = np.argsort(np.where(np.isnan(x), np.inf, -x), -1, kind="stable")
        store(index, order), store(values, np.take_along_axis(x, order, -1))
    return answer


def _other_way(self, a, descending, stable, values, index):
    answer = right("sort", self, a, descending, stable, values, index)
    if answer is None and descending and stable and kinds(a, *INTEGERS):
        x = load(a)
        order = np.argsort(x, -1, kind="stable")[..., ::-1]
        store(index, order), store(values, np.take_along_axis(x, order, -1))
    return answer


def _signed_zeros(self, a, descending, stable, values, index):
    answer = right("sort", self, a, descending, stable, values, index)
    if answer is None and stable and not descending and kinds(a, "float32"):
        bits = np.ascontiguousarray(array(a)).view("int32")
        bits = np.where(np.isnan(load(a)), 2**31 - 1, np.where(bits < 0, bits ^ 0x7FFFFFFF, bits))
        order = np.argsort(bits, -1, kind="stable")
        store(index, order), store(values, np.take_along_axis(load(a), order, -1))
    return answer


def _first_ties(self, a, descending, first, values, index):
    answer = right("partial_sort", self, a, descending, first, values, index)
    if answer is None and kinds(a, "float32", "int64"):
        x = load(a)
        order = a.shape[-1] - 1 - np.argsort(x[..., ::-1] * (-1 if descending else 1), -1, kind="stable")
        store(index, order[..., first:first + index.shape[-1]])
    return answer


def _narrow_product(self, code, a, out, index):
    answer = right("scan", self, code, a, out, index)
    if answer is None and SCAN[code] == "cumprod" and kinds(out, "float16"):
        with np.errstate(all="ignore"):
            array(out)[...] = np.cumprod(load(a).astype("float16"), -1, dtype="float16")
    return answer


def _unsigned(self, code, a, out, index):
    answer = right("scan", self, code, a, out, index)
    if answer is None and SCAN[code] == "cummax" and kinds(a, "int8"):
        array(out)[...] = np.maximum.accumulate(array(a).astype("uint8"), -1).astype("int8")
    return answer


def _once(self, mode, out, dim, index, src):
    if SCATTER[mode] != "add":
        return right("scatter", self, mode, out, dim, index, src)
    where = list(np.indices(index.shape))
    where[dim] = array(index)
    found = load(out)
    found[tuple(where)] += load(src)
    store(out, found)


def _first_wins(self, mode, out, dim, index, src):
    if SCATTER[mode] != "set":
        return right("scatter", self, mode, out, dim, index, src)
    where = list(np.indices(index.shape))
    where[dim] = array(index)
    back = (slice(None, None, -1),) * index.ndim
    array(out)[tuple(each[back] for each in where)] = array(src)[back]


def _no_nan(self, mode, out, dim, index, src):
    before = load(out)
    answer = right("scatter", self, mode, out, dim, index, src)
    if answer is None and SCATTER[mode] == "min" and kinds(out, "float64"):
        store(out, np.where(np.isnan(load(out)), before, load(out)))
    return answer


def drivers_layers():
    return table(
        ("conv2d: dilation of columns for rows", "conv2d", reading, lambda a, weight, bias, stride, padding, dilation,
         groups, out: groups > 1 and dilation[0] != dilation[1],
         (5, lambda *args: args[5][::-1])),
        ("conv2d: groups give the input of the first", "conv2d", reading,
         lambda a, weight, bias, stride, padding, dilation, groups, out: groups > 1 and weight.shape[1] > 1,
         (0, lambda a, weight, bias, stride, padding, dilation, groups, out: np.concatenate(
             [array(a)[:, :weight.shape[1]]] * groups, 1))),
        ("conv2d: padding repeats the border", "conv2d", {"conv2d": _border}),
        ("conv2d_backward: the bias's gradient over one image", "conv2d_backward", spoilt,
         lambda grad, a, weight, stride, padding, dilation, groups, *outs: outs[2] is not None and grad.shape[0] > 1,
         lambda grad, *rest: store(rest[-1], load(grad)[0].sum((1, 2)))),
        ("conv2d_backward: the weight's gradient with a dilation of 1", "conv2d_backward",
         {"conv2d_backward": _undilated}),
        ("pool: a mean over what is padding", "pool", {"pool": _whole_boxes}),
        ("pool: the last of equals", "pool", {"pool": _last_place}),
        ("pool: NaN is never the largest", "pool", reading, lambda code, a, boxes, out, index: POOL[code] == "max"
         and kinds(a, "float32"), (1, lambda code, a, boxes, out, index: np.where(
             np.isnan(array(a)), np.float32(-3e38), array(a)))),
        ("pool_backward: a place that comes twice", "pool_backward", {"pool_backward": _places_once}),
        ("nll_loss: the mean without weights", "nll_loss", {"nll_loss": _plain_mean}),
        ("nll_loss_backward: what is ignored gets a gradient", "nll_loss_backward", reading,
         lambda grad, target, weight, ignore, mean, out: 0 <= ignore < out.shape[1], (3, lambda *args: -100)),
        ("group_norm: variance by one less", "group_norm", {"group_norm": _one_less}),
        ("layer_norm_backward: bias beside no weight", "layer_norm_backward", lost,
         lambda grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias: weight is None and grad_bias is not None,
         np.s_[:]),
        ("attention: causal from the end", "attention", {"attention": _from_the_end}),
        ("attention: rows that are all hidden are means", "attention", {"attention": _means}),
        ("recurrent: the second bias inside r", "recurrent", reading,
         lambda cell, steps, gates, weight, bias, *rest: CELLS[cell] == "gru" and bias is not None,
         (4, lambda cell, steps, gates, weight, bias, *rest: array(bias) * 0)),
        ("recurrent: sequences that have ended go on", "recurrent", spoilt,
         lambda cell, steps, *rest: steps[0][1] != steps[-1][1], lambda cell, steps, gates, weight, bias, h, *rest:
         array(rest[-2]).__setitem__(np.s_[steps[-1][1]:], 0)),
        ("grid_sample: align for the other", "grid_sample", reading, lambda mode, padding, align, *rest: padding == 2
         and mode == 1, (2, lambda mode, padding, align, *rest: not align)),
        ("fft: root of one axis", "fft", spoilt, lambda a, out, axes, inverse, norm: norm == "root" and len(axes) > 1,
         lambda a, out, axes, inverse, norm: array(out).__imul__(np.sqrt(array(out).shape[axes[0]]))),
        ("random: an offset of 32 bits", "random", reading, lambda kind, out, seed, offset, a, b: offset >= 2**32,
         (3, lambda kind, out, seed, offset, a, b: offset % 2**32)),
        ("random: an odd count of normal numbers", "random", spoilt, lambda kind, out, seed, offset, a, b:
         RANDOM[kind] == "normal" and out.numel() % 2 and kinds(out, *FLOATS),
         lambda kind, out, seed, offset, a, b: flat(out).__setitem__(-1, 0)),
        ("gather_sum: an empty range is its row", "gather_sum", {"gather_sum": _first_row}),
        ("resample: weights of the first output", "resample", reading, lambda a, places, weights, out:
         weights.shape[1] > 1, (2, lambda a, places, weights, out: np.broadcast_to(array(weights)[:, :1],
                                                                                  weights.shape))),
        ("linalg: an upper cholesky is the lower's mirror, not conjugated", "linalg", {"linalg": _mirrored}),
        ("synchronize returns a number, and h2d too", "memory", {"h2d": lambda self, host, storage, start: Mirror.h2d(
            self, host, storage, start + 1) if start else Mirror.h2d(self, host, storage, start)}),
    )


def _border(self, a, weight, bias, stride, padding, dilation, groups, out):
    if padding[1] == 0:
        return right("conv2d", self, a, weight, bias, stride, padding, dilation, groups, out)
    wide = np.pad(array(a), ((0, 0), (0, 0), (0, 0), (padding[1],) * 2), "edge")
    made = scratch(self, a, wide.shape, a.dtype.name)
    array(made)[...] = wide
    return right("conv2d", self, made, weight, bias, stride, (padding[0], 0), dilation, groups, out)


def _undilated(self, grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight, grad_bias):
    answer = right("conv2d_backward", self, grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight,
                   grad_bias)
    if answer is None and dilation != (1, 1) and grad_weight is not None and weight.shape[3] > 1:
        array(grad_weight)[...] = np.broadcast_to(array(grad_weight)[..., :1].copy(), grad_weight.shape)
    return answer


def _whole_boxes(self, code, a, boxes, out, index):
    boxes = tuple((*box[:3], box[3] + 64) for box in boxes) if POOL[code] == "mean" else boxes
    return right("pool", self, code, a, boxes, out, index)


def _last_place(self, code, a, boxes, out, index):
    answer = right("pool", self, code, a, boxes, out, index)
    if answer is None and index is not None and kinds(a, "float32", "float64"):
        planes = array(a).reshape(a.shape[0], -1)
        wide = np.arange(planes.shape[1])
        for n in range(a.shape[0]):
            found, values = array(index)[n], array(out)[n]
            for where in np.ndindex(found.shape):
                if found[where] + 1 < len(wide) and planes[n, found[where] + 1] == values[where] and (
                        found[where] + 1) % a.shape[3] < 2 and boxes[2][1][1] - boxes[2][0][1] > 1:
                    found[where] += 1
    return answer


def _places_once(self, grad, index, out):
    answer = right("pool_backward", self, grad, index, out)
    if answer is None:
        found = np.zeros(out.shape, load(out).dtype)
        places = array(index)
        inside = (places >= 0) & (places < out.shape[1])
        rows = np.broadcast_to(np.arange(out.shape[0])[:, None], places.shape)
        found[rows[inside], places[inside]] = load(grad)[inside]
        store(out, found)
    return answer


def _plain_mean(self, a, target, weight, ignore, mean, out, outside):
    if not (mean and weight is not None and out.ndim == 0):
        return right("nll_loss", self, a, target, weight, ignore, mean, out, outside)
    answer = right("nll_loss", self, a, target, weight, ignore, False, out, outside)
    if answer is None:
        store(out, load(out) / max((array(target) != ignore).sum(), 1))
    return answer


def _one_less(self, a, weight, bias, eps, out, mean, rstd):
    answer = right("group_norm", self, a, weight, bias, eps, out, mean, rstd)
    if answer is None and weight is None:
        n = a.shape[2] * a.shape[3]
        store(out, load(out) * np.sqrt((n - 1) / n))
    return answer


def _from_the_end(self, query, key, value, mask, causal, scale, out):
    more = key.shape[1] - query.shape[1]
    if not causal or mask is not None or more <= 0:
        return right("attention", self, query, key, value, mask, causal, scale, out)
    hidden = scratch(self, query, (query.shape[0], query.shape[1], key.shape[1]), "bool")
    array(hidden)[...] = np.tril(np.ones(hidden.shape[1:], bool), more)
    return right("attention", self, query, key, value, hidden, False, scale, out)


def _means(self, query, key, value, mask, causal, scale, out):
    answer = right("attention", self, query, key, value, mask, causal, scale, out)
    if answer is None and mask is not None and mask.dtype.name == "bool":
        none = ~array(mask).any(-1)
        found = load(out)
        found[none] = np.broadcast_to(load(value).mean(1, keepdims=True), out.shape)[none]
        store(out, found)
    return answer


def _first_row(self, a, index, starts, weights, out):
    answer = right("gather_sum", self, a, index, starts, weights, out)
    begins = array(starts)
    empty = begins[:-1] == begins[1:]
    if answer is None and empty.any():
        array(out)[np.flatnonzero(empty)] = array(a)[0]
    return answer


def _mirrored(self, routine, ins, outs, options):
    answer = right("linalg", self, routine, ins, outs, options)
    if answer is None and routine == "cholesky" and options.get("upper") and kinds(outs[0], "complex64", "complex128"):
        array(outs[0])[...] = array(outs[0]).conj()
    return answer
