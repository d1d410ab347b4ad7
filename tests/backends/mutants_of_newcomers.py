"""Kernels with the mistakes of a first port, each at some calls alone: a third set, see `mutants`."""
import numpy as np
from cygrad.backend import BINARY, REDUCE, SCAN, SCATTER, UNARY
from mirror import array, load, scratch, store
from mutant import dense, flat, kinds, lost, reading, right, row_length, spoilt


def first_moves():
    yield "fill of int8 by words from an aligned address on", ("fill",), lost(
        "fill", lambda out, x: dense(out) and out.element_size() == 1 and out.storage_offset() % 4 == 3
        and out.ndim == 1 and out.numel() > 4, np.s_[:1], 0)
    yield "fill of complex128 with the real part alone from 513 on", ("fill",), spoilt(
        "fill", lambda out, x: kinds(out, "complex128") and out.numel() > 512,
        lambda out, x: store(out, array(out).real))
    yield "copy of a middle axis with a gap", ("copy",), spoilt(
        "copy", lambda src, out: src.ndim == 3 and src.stride()[2] == 1 and src.stride()[1] > src.shape[2] and
        dense(out), lambda src, out: array(out).__setitem__(np.s_[:, -1], array(out)[:, 0]))
    yield "copy of 8,193 columns of a transposed matrix", ("copy",), lost(
        "copy", lambda src, out: out.ndim == 2 and src.stride()[0] == 1 and out.shape[1] > 8192, np.s_[:, 8192:])
    yield "copy int16 to uint8 keeps the sign in a word", ("copy",), spoilt(
        "copy", lambda src, out: kinds(src, "int16") and kinds(out, "float64"),
        lambda src, out: array(out).__setitem__(array(src) == -32768, 32768))
    yield "copy bfloat16 to float16 through its bits", ("copy",), spoilt(
        "copy", lambda src, out: kinds(src, "bfloat16") and kinds(out, "float16"), lambda src, out: array(
            out).__setitem__(np.isinf(array(out)) & np.isfinite(load(src)), np.float16(65504)))
    yield "where: both operands one number each", ("where",), spoilt(
        "where", lambda c, a, b, out: out.numel() > 64 and not any(a.stride()) and not any(b.stride()) and out.ndim
        and dense(out) and a is not out and b is not out, lambda c, a, b, out: flat(out).__setitem__(-1, flat(out)[0]))
    yield "where: eight axes", ("where",), lost("where", lambda c, a, b, out: out.ndim == 8 and a is not out
                                                 and b is not out, np.s_[1:])
    yield "gather along the first of two axes of 1,025 and more rows", ("gather",), reading(
        "gather", lambda src, index, dim, out: dim == 0 and src.ndim == 2 and src.shape[0] > 1024,
        (1, lambda src, index, dim, out: np.minimum(array(index), 1023)))
    yield "gather of complex128 by its first half", ("gather",), spoilt(
        "gather", lambda src, index, dim, out: kinds(src, "complex128") and out.numel() > 100,
        lambda src, index, dim, out: store(out, array(out).real + 0j))
    yield "scatter: the smaller of floats by their bits", ("scatter",), {"scatter": _smaller_bits}
    yield "scatter add of an index in columns", ("scatter",), reading(
        "scatter", lambda mode, out, dim, index, src: SCATTER[mode] == "add" and index.ndim == 2
        and index.stride()[0] == 1 and index.shape[0] > 1 and index.shape[1] > 1
        and index.stride()[1] >= index.shape[0],
        (3, lambda mode, out, dim, index, src: np.roll(array(index), 1, 1)))
    yield "scatter set of bytes in halves", ("scatter",), lost(
        "scatter", lambda mode, out, dim, index, src: SCATTER[mode] == "set" and out.element_size() == 1
        and out.ndim == 1 and out.numel() > 4095 and dense(out), np.s_[-1:], 1)
    yield "nonzero: rows of more than 32,767", ("nonzero",), {"nonzero": _short_rows}


def _smaller_bits(self, mode, out, dim, index, src):
    if SCATTER[mode] != "min" or out.dtype.name != "float32":
        return right("scatter", self, mode, out, dim, index, src)
    before = array(out).copy()
    answer = right("scatter", self, mode, out, dim, index, src)
    both = (before < 0) & (array(out) < before)
    array(out)[both] = before[both]
    return answer


def _short_rows(self, a, allocate):
    found = np.argwhere(load(a))
    if a.ndim >= 2 and found.size:
        found[:, -1] = found[:, -1].astype("int16")
    array(allocate(len(found)))[...] = found


def first_pointwise():
    def unary(name, *dtypes):
        return lambda code, a, out: UNARY[code] == name and kinds(a, *dtypes) and a is not out

    def binary(name, *dtypes):
        return lambda code, a, b, out: BINARY[code] == name and kinds(a, *dtypes) and a is not out and b is not out
    yield "expm1 by exp", ("unary",), spoilt("unary", unary("expm1", "float64"), lambda code, a, out: store(
        out, np.exp(array(a)) - 1))
    yield "ceil of small negative numbers is 0", ("unary",), spoilt(
        "unary", unary("ceil", "float32"), lambda code, a, out: store(out, array(out) + 0.0))
    yield "rsqrt of subnormal numbers", ("unary",), spoilt(
        "unary", unary("rsqrt", "float32"), lambda code, a, out: array(out).__setitem__(
            (array(a) > 0) & (array(a) < 2.0**-126), np.inf))
    yield "log2 of large numbers in float32", ("unary",), spoilt("unary", unary("log2", "float64"), lambda code, a, out:
                                                                 store(out, array(out).astype("float32")))
    yield "erfc from 5 on is 0", ("unary",), spoilt("unary", unary("erfc", "float64"), lambda code, a, out: array(
        out).__setitem__(array(a) > 5, 0))
    yield "asinh of negative numbers by a difference", ("unary",), spoilt(
        "unary", unary("asinh", "float64"), lambda code, a, out: store(
            out, np.log(array(a) + np.sqrt(array(a)**2 + 1))))
    yield "square of int16 saturates", ("unary",), spoilt("unary", unary("square", "int16"), lambda code, a, out: store(
        out, np.clip(array(a).astype("int64")**2, -32768, 32767)))
    yield "isfinite of float64 in float32", ("unary",), spoilt(
        "unary", unary("isfinite", "float64"), lambda code, a, out: store(out, np.isfinite(array(a).astype("float32"))))
    yield "unary of the second axis of three, stepped over", ("unary",), spoilt(
        "unary", lambda code, a, out: a.ndim == 3 and a.stride()[1] == 1 and a is not out and out.shape[1] > 256,
        lambda code, a, out: array(out).__setitem__(np.s_[:, 256:], array(out)[:, :1]))
    yield "binary: sub of operands that overlap", ("binary",), spoilt(
        "binary", lambda code, a, b, out: a.buffer is b.buffer and a is not b and BINARY[code] == "sub" and
        out is not a and out is not b and kinds(a, "float32") and abs(a.storage_offset() - b.storage_offset()) == 1,
        lambda code, a, b, out: array(out).fill(0))
    yield "binary: both operands broadcast along the last axis", ("binary",), reading(
        "binary", lambda code, a, b, out: out.ndim == 2 and a.stride()[1] == b.stride()[1] == 0 and out.shape[1] > 1
        and a is not out and b is not out, (2, lambda code, a, b, out: np.roll(array(b), 1, 0)))
    yield "binary: the rest of 2**k + 1 halves", ("binary",), lost(
        "binary", lambda code, a, b, out: kinds(out, "float16") and dense(a, b, out) and out.numel() > 2048
        and out.numel() % 2 and a is not out and b is not out and out.ndim == 1, np.s_[-1:])
    yield "trunc_divide of int64 by its float", ("binary",), spoilt(
        "binary", binary("trunc_divide", "int64"), lambda code, a, b, out: store(out, np.trunc(
            array(a) / array(b)).astype("int64")))
    yield "remainder of floats keeps the sign of the dividend where it is 0", ("binary",), spoilt(
        "binary", binary("remainder", "float32"), lambda code, a, b, out: array(out).__setitem__(
            (array(out) != 0) & (np.abs(array(b)) > 1e6), 1.0))
    yield "atan2 without the signs of zeros", ("binary",), spoilt(
        "binary", binary("atan2", "float32"), lambda code, a, b, out: array(out).__setitem__(
            (array(a) == 0) & (array(b) < 0), np.pi))
    yield "copysign of NaN", ("binary",), spoilt("binary", binary("copysign", "float64"), lambda code, a, b, out: array(
        out).__setitem__(np.isnan(array(b)), np.abs(array(a))[np.isnan(array(b))] * 2))
    yield "lcm of int32 multiplies first", ("binary",), spoilt("binary", binary("lcm", "int8"), _multiplied)
    yield "fmin of two NaN", ("binary",), spoilt("binary", binary("fmin", "float32"), lambda code, a, b, out: array(
        out).__setitem__(np.isnan(array(out)), np.inf))
    yield "binary_scalar: pow by 2 of int8 saturates", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] == "pow" and kinds(a, "int8") and x == 2
        and not swapped and a is not out, lambda code, a, x, swapped, out: store(
            out, np.clip(array(a).astype(int)**2, -128, 127)))
    yield "binary_scalar: minus a number by adding its opposite in uint8", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] == "sub" and kinds(a, "uint8") and x > 127,
        lambda code, a, x, swapped, out: array(out).__iadd__(np.uint8(1)))
    yield "binary_scalar: fmod by infinity", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] in ("fmod", "remainder") and not swapped
        and abs(x) == np.inf, lambda code, a, x, swapped, out: array(out).fill(np.nan))
    yield "binary_scalar: copysign by -0.0", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] == "copysign" and not swapped and x == 0,
        lambda code, a, x, swapped, out: store(out, np.abs(load(out))))
    yield "binary_scalar: le with the largest int64", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] in ("le", "gt") and kinds(a, "int64")
        and not swapped and x == 2**63 - 1, lambda code, a, x, swapped, out: store(out, array(out) ^ True))
    yield "binary_scalar: add of 1 by a step to the next float", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] == "add" and x == 1 and kinds(a, "float64")
        and a is not out, lambda code, a, x, swapped, out: array(out).__setitem__(np.abs(array(a)) < 1e-9, 1))
    yield "binary_scalar: left_shift of a number by elements", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] == "left_shift" and swapped and kinds(a, "int32")
        and a is not out, lambda code, a, x, swapped, out: array(out).__setitem__(array(a) >= 32, x))
    yield "elementwise: an output beside an input of other strides", ("elementwise",), {"elementwise": _same_strides}
    yield "elementwise: a number and two thousand elements in float16", ("elementwise",), {"elementwise": _half_number}


def _multiplied(code, a, b, out):
    product = np.abs((array(a) * array(b)).astype("int8").astype(int))
    array(out)[...] = product // np.maximum(np.gcd(array(a).astype(int), array(b).astype(int)), 1)


def _same_strides(self, program, ins, outs):
    views = [x for x in ins if hasattr(x, "stride")]
    answer = right("elementwise", self, program, ins, outs)
    if len(views) == 3 and outs[0].ndim == 2 and views[2].stride()[0] == 1 and views[0].stride()[1] == 1 and (
            outs[0].shape[0] > 1 < outs[0].shape[1]) and not any(x is outs[0] for x in ins):
        array(outs[0])[0, 0] = array(outs[0])[-1, -1] + 1 if outs[0].dtype.name != "bool" else 0
    return answer


def _half_number(self, program, ins, outs):
    if outs[0].dtype.name == "float16" and outs[0].numel() > 2000:
        answer = right("elementwise", self, program, ins, outs)
        if any(step[0] == "number" for step in program):
            flat_ = array(outs[0])
            flat_[...] = np.nextafter(flat_, np.float16(np.inf)) + (flat_ * 0 + np.float16(0.0))
            flat_[...] = flat_ * np.float16(1.02)
        return answer
    return right("elementwise", self, program, ins, outs)


def first_rows():
    yield "reduce: min of more than 4,096 with a start of the largest finite", ("reduce",), spoilt(
        "reduce", lambda code, a, out: REDUCE[code] == "min" and kinds(a, "float32", "float64") and
        row_length(a, out) > 4096, lambda code, a, out: store(out, np.minimum(array(out),
                                                                              np.finfo(array(out).dtype).max)))
    yield "reduce: all from 2,049 on looks at every other", ("reduce",), reading(
        "reduce", lambda code, a, out: REDUCE[code] == "all" and row_length(a, out) > 2048, (1, _every_other))
    yield "reduce: uint8 sums in 16 bits", ("reduce",), spoilt(
        "reduce", lambda code, a, out: REDUCE[code] == "sum" and kinds(a, "uint8") and row_length(a, out) > 257,
        lambda code, a, out: store(out, array(out) & 0xFFFF))
    yield "reduce: a result with gaps", ("reduce",), spoilt(
        "reduce", lambda code, a, out: out.ndim == 1 and out.stride()[0] > 1 and out.numel() > 256,
        lambda code, a, out: array(out).__setitem__(-1, array(out)[0]))
    yield "reduce: squares of float16 in float16", ("reduce",), {"reduce": _half_squares}
    yield "reduce: rows repeated by a stride of 0, counted once", ("reduce",), spoilt(
        "reduce", lambda code, a, out: REDUCE[code] == "sum" and a.stride()[-1] == 0 and a.shape[-1] > 1
        and kinds(a, "float32"), lambda code, a, out: array(out).__itruediv__(a.shape[-1]))
    yield "argreduce: the last of equal ones at 2**k", ("argreduce",), {"argreduce": _last_at_powers}
    yield "argreduce: rows with steps", ("argreduce",), spoilt(
        "argreduce", lambda code, a, out: a.stride()[-1] == 2, lambda code, a, out: array(out).__imul__(2))
    yield "scan: products by blocks without the block before", ("scan",), {"scan": _blocks_apart}
    yield "scan: cummax of equal ones takes the first beyond 1,024", ("scan",), {"scan": _first_of_equal}
    yield "scan: results with gaps", ("scan",), lost(
        "scan", lambda code, a, out, index: out.ndim == 2 and out.stride()[1] == 1 and out.stride()[0] > out.shape[1]
        and out.shape[0] > 1, np.s_[1:], 2)
    yield "sort: rows of 65,536 and more in two halves", ("sort",), {"sort": _two_halves}
    yield "sort: places of transposed rows", ("sort",), spoilt(
        "sort", lambda a, descending, stable, values, index: a.ndim == 2 and a.stride()[0] == 1 and a.shape[0] > 1
        and a.shape[1] > 1, lambda a, descending, stable, values, index: array(index).__setitem__(
            ..., array(index)[:, ::-1].copy()))
    yield "partial_sort: more than 256 of a row", ("partial_sort",), lost(
        "partial_sort", lambda a, descending, first, values, index: values.shape[-1] > 256, np.s_[..., 256:])
    yield "map_reduce: rows of 1,025 in blocks of 1,024", ("map_reduce",), {"map_reduce": _last_of_blocks}
    yield "arange: halves of an odd count", ("arange",), lost(
        "arange", lambda out, start, step: out.element_size() == 2 and out.numel() % 2 and out.numel() > 32,
        np.s_[-1:], 0)
    yield "arange: downwards through int32", ("arange",), spoilt(
        "arange", lambda out, start, step: step < 0 and kinds(out, "int64"), lambda out, start, step: store(
            out, array(out).astype("int32")))
    yield "random: a count that four does not divide", ("random",), spoilt(
        "random", lambda kind, out, *rest: kind == 0 and out.numel() % 4 == 3 and out.numel() > 1000,
        lambda kind, out, *rest: flat(out).__setitem__(-1, flat(out)[-2]))


def _every_other(code, a, out):
    values = array(a).copy()
    rows = values.reshape(out.numel(), -1)
    rows[:, 1::2] = rows[:, :rows.shape[1] // 2 * 2:2]
    return values


def _half_squares(self, code, a, out):
    answer = right("reduce", self, code, a, out)
    if REDUCE[code] == "square_sum" and a.dtype.name == out.dtype.name == "float16" and row_length(a, out) > 64:
        rows = array(a).reshape(out.numel(), -1)
        store(out, np.add.accumulate(rows * rows, 1, "float16")[:, -1].reshape(out.shape))
    return answer


def _last_at_powers(self, code, a, out):
    answer = right("argreduce", self, code, a, out)
    n = a.shape[-1]
    if n >= 64 and n & (n - 1) == 0:
        rows, best = load(a).reshape(-1, n), array(out).reshape(-1)
        found = [int(np.flatnonzero((row == row[at]) | ((row != row) & (row[at] != row[at])))[-1])
                 for row, at in zip(rows, best)]
        array(out)[...] = np.array(found).reshape(out.shape)
    return answer


def _blocks_apart(self, code, a, out, index):
    answer = right("scan", self, code, a, out, index)
    if SCAN[code] == "cumprod" and a.shape[-1] > 4096 and out.dtype.name in ("float32", "float64", "int64"):
        with np.errstate(all="ignore"):
            array(out)[..., 4096:] = np.cumprod(array(a)[..., 4096:].astype(array(out).dtype), -1)
    return answer


def _first_of_equal(self, code, a, out, index):
    answer = right("scan", self, code, a, out, index)
    if SCAN[code] == "cummax" and a.shape[-1] > 1024:
        best, places = array(out), array(index)
        same = np.zeros(best.shape, bool)
        same[..., 1025:] = best[..., 1025:] == best[..., 1024:-1]
        for i in range(1025, a.shape[-1]):
            places[..., i] = np.where(same[..., i], places[..., i - 1], places[..., i])
    return answer


def _two_halves(self, a, descending, stable, values, index):
    answer = right("sort", self, a, descending, stable, values, index)
    if a.shape[-1] >= 65536:
        half = a.shape[-1] // 2
        array(values)[..., half - 1:half + 1] = array(values)[..., half - 1:half + 1][..., ::-1].copy()
    return answer


def _last_of_blocks(self, program, ins, ops, finish, numbers, outs):
    whole = next(x for x in ins if hasattr(x, "stride"))
    answer = right("map_reduce", self, program, ins, ops, finish, numbers, outs)
    if row_length(whole, outs[0]) % 1024 == 1 and REDUCE[ops[0]] == "sum" and finish is None:
        with np.errstate(all="ignore"):
            array(outs[0])[...] -= 1
    return answer


def first_layers():
    yield "matmul: two matrices of 65 rows", ("matmul",), lost(
        "matmul", lambda a, b, out: a.shape[0] > 1 and out.shape[1] % 64 == 1 and out.shape[1] > 64, np.s_[1:, -1:])
    yield "matmul: both transposed", ("matmul",), spoilt(
        "matmul", lambda a, b, out: a.stride()[1] == b.stride()[1] == 1 and min(a.shape[1:]) > 1 < min(b.shape[1:])
        and out.shape[1] > 32, lambda a, b, out: array(out).__setitem__(np.s_[:, 32:], array(out)[:, :1]))
    yield "addmm: a bias with gaps", ("addmm",), reading(
        "addmm", lambda bias, a, b, beta, alpha, out: bias is not out and bias.stride()[0] > bias.shape[1] > 1 and beta,
        (0, lambda bias, *rest: np.roll(array(bias), 1, 1)))
    yield "softmax: rows from 32,768 on", ("softmax",), lost(
        "softmax", lambda a, log, out: a.shape[-1] >= 32768, np.s_[..., 32768:])
    yield "softmax_backward: a gradient that is one number", ("softmax_backward",), reading(
        "softmax_backward", lambda grad, *rest: not any(grad.stride()) and grad.shape[-1] > 16,
        (0, lambda grad, *rest: 0 * array(grad)))
    yield "layer_norm: weights of more than 1,024", ("layer_norm",), reading(
        "layer_norm", lambda a, weight, *rest: weight is not None and weight.shape[0] > 1024,
        (1, lambda a, weight, *rest: np.r_[array(weight)[:1024], np.ones(weight.shape[0] - 1024)].astype(
            array(weight).dtype)))
    yield "layer_norm_backward: weights alone, many rows", ("layer_norm_backward",), {
        "layer_norm_backward": _weights_alone}
    yield "group_norm: groups of one channel with a bias", ("group_norm",), reading(
        "group_norm", lambda a, weight, bias, *rest: a.shape[2] == 1 and bias is not None and a.shape[1] > 4,
        (2, lambda a, weight, bias, *rest: np.roll(array(bias), 1, 0)))
    yield "conv2d: one by one with a step", ("conv2d",), {"conv2d": _step_of_points}
    yield "conv2d: 65 channels", ("conv2d",), reading(
        "conv2d", lambda a, weight, *rest: weight.shape[1] % 32 == 1 and weight.shape[1] > 32,
        (1, lambda a, weight, *rest: np.where(np.arange(weight.shape[1])[:, None, None] < weight.shape[1] - 1,
                                              array(weight), 0).astype(array(weight).dtype)))
    yield "conv2d: images of more than 1,024 columns", ("conv2d",), lost(
        "conv2d", lambda *args: args[-1].shape[3] > 1024, np.s_[..., 1024:])
    yield "conv2d_backward: a dilated filter's other tap", ("conv2d_backward",), {"conv2d_backward": _other_tap}
    yield "pool: volumes by planes", ("pool",), lost(
        "pool", lambda code, a, boxes, out, index: out.shape[1] > 64, np.s_[:, 64:], 3)
    yield "pool: a margin that means count", ("pool",), {"pool": _no_margin}
    yield "pool_backward: places of transposed rows", ("pool_backward",), reading(
        "pool_backward", lambda grad, index, out: index.stride()[0] == 1 and min(index.shape) > 1,
        (1, lambda grad, index, out: np.roll(array(index), 1, 0)))
    yield "nll_loss: the count of targets outside, of many", ("nll_loss",), spoilt(
        "nll_loss", lambda a, target, *rest: target.numel() > 256,
        lambda a, target, weight, ignore, mean, out, outside: array(outside).__isub__(array(outside) > 0))
    yield "nll_loss_backward: sums of more than 65,535", ("nll_loss_backward",), lost(
        "nll_loss_backward", lambda grad, target, weight, ignore, mean, grad_a: target.shape[0] > 65535, np.s_[65535:])
    yield "ctc_loss: sequences of 33 labels", ("ctc_loss",), {"ctc_loss": _many_sequences}
    yield "gather_sum: weights from the start", ("gather_sum",), reading(
        "gather_sum", lambda a, index, starts, weights, out: weights is not None and weights.storage_offset() % 4
        and weights.numel() > 8, (3, lambda a, index, starts, weights, out: np.roll(array(weights), 1)))
    yield "resample: float64 by float32 weights", ("resample",), {"resample": _short_weights}
    yield "grid_sample: reflected points far away", ("grid_sample",), lost(
        "grid_sample", lambda mode, padding, align, a, grid, out: padding == 2 and out.shape[2] > 512,
        np.s_[:, :, 512:])
    yield "attention: scale 1 is the usual one", ("attention",), reading(
        "attention", lambda q, k, v, mask, causal, scale, out: scale == 1 and q.shape[2] > 1,
        (5, lambda q, *rest: q.shape[2]**-0.5))
    yield "attention: more than 1,024 keys under a bool mask", ("attention",), {"attention": _mask_of_1024}
    yield "recurrent: GRU without a bias, many features", ("recurrent",), {"recurrent": _bias_of_gru}
    yield "recurrent_backward: no gradient of the last state", ("recurrent_backward",), {
        "recurrent_backward": _no_last_state}
    yield "fft: two axes in one array of more than 1,000", ("fft",), lost(
        "fft", lambda a, out, axes, inverse, norm: len(axes) > 1 and out.numel() > 1000, np.s_[-1:], 1)
    yield "linalg: 33 matrices", ("linalg",), {"linalg": _last_matrix}


def _weights_alone(self, grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias):
    answer = right("layer_norm_backward", self, grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias)
    if grad_a is None and grad_weight is not None and a.shape[0] > 1024:
        array(grad_weight)[...] = 0
    return answer


def _step_of_points(self, a, weight, bias, stride, padding, dilation, groups, out):
    answer = right("conv2d", self, a, weight, bias, stride, padding, dilation, groups, out)
    if weight.shape[2:] == (1, 1) and stride[0] != stride[1] and out.shape[2] > 1:
        array(out)[:, :, -1] = array(out)[:, :, 0]
    return answer


def _other_tap(self, grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight, grad_bias):
    answer = right("conv2d_backward", self, grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight,
                   grad_bias)
    if grad_weight is not None and dilation[0] != dilation[1] and weight.shape[2] > 1:
        array(grad_weight)[:, :, -1] = array(grad_weight)[:, :, 0]
    return answer


def _no_margin(self, code, a, boxes, out, index):
    return right("pool", self, code, a, tuple((*box[:3], 0) for box in boxes), out, index)


def _many_sequences(self, a, labels, starts, counts, steps, blank, out, sums, outside):
    answer = right("ctc_loss", self, a, labels, starts, counts, steps, blank, out, sums, outside)
    if a.shape[1] > 256:
        array(out)[256:] = array(out)[:1]
    return answer


def _short_weights(self, a, places, weights, out):
    answer = right("resample", self, a, places, weights, out)
    if out.dtype.name == "float64" and out.numel() > 4096:
        store(out, array(out).astype("float32"))
    return answer


def _mask_of_1024(self, query, key, value, mask, causal, scale, out):
    if mask is None or mask.dtype.name != "bool" or key.shape[1] <= 1024:
        return right("attention", self, query, key, value, mask, causal, scale, out)
    made = scratch(self, mask, mask.shape, "bool")
    array(made)[...] = array(mask)
    array(made)[..., 1024:] = True
    return right("attention", self, query, key, value, made, causal, scale, out)


def _bias_of_gru(self, cell, steps, gates, weight, bias, h, *rest):
    if bias is not None and h.shape[1] > 64:
        bias = None
    return right("recurrent", self, cell, steps, gates, weight, bias, h, *rest)


def _no_last_state(self, cell, steps, grad_out, grad_h, *rest):
    if len(steps) > 64:
        grad_h = None
    return right("recurrent_backward", self, cell, steps, grad_out, grad_h, *rest)


def _last_matrix(self, routine, ins, outs, options):
    answer = right("linalg", self, routine, ins, outs, options)
    if ins[0].shape[0] % 32 == 1 and ins[0].shape[0] > 32 and routine == "lu":
        array(outs[0])[-1] = array(outs[0])[0]
    return answer
