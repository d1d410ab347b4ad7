"""Mutants of a first backend written from textbooks, before anyone looked what the suite sees: see `mutants`.

Formulas that are right on paper, counters and partial results in a type that is too narrow, a way for the usual
geometry that is taken too often, buffers that are read after they were written, transfers in units of their own.
"""
import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, RANDOM, REDUCE, SCAN, SCATTER, UNARY
from mirror import Mirror, array, load, store
from mutant import FLOATS, dense, flat, kinds, lost, op, reading, right, row_length, spoilt

WIDE = FLOATS[2:]


def _formula(name, formula, *dtypes):
    """A unary op by another formula, computed in the dtype itself."""
    return spoilt("unary", lambda code, a, out: UNARY[code] == name and kinds(a, *dtypes) and a is not out
                  and a.buffer is not out.buffer, lambda code, a, out: store(out, formula(array(a))))


def students_formulas():
    yield "sigmoid as exp(x) / (1 + exp(x))", ("unary",), _formula("sigmoid", lambda x: np.exp(x) / (1 + np.exp(x)),
                                                                   *WIDE)
    yield "atanh by the logarithm of a quotient", ("unary",), _formula(
        "atanh", lambda x: np.log((1 + x) / (1 - x)) / 2, "float64")
    yield "asinh by the logarithm of a sum", ("unary",), _formula(
        "asinh", lambda x: np.sign(x) * np.log(np.abs(x) + np.sqrt(x * x + 1)), "float64")
    yield "log10 of exact powers by a product", ("unary",), _formula(
        "log10", lambda x: np.log(x) * np.array(0.4342944, x.dtype), "float64")
    yield "remainder by a rounded quotient", ("binary",), spoilt(
        "binary", lambda code, a, b, out: BINARY[code] == "remainder" and kinds(a, "float64") and out is not a
        and out is not b, lambda code, a, b, out: store(out, array(a) - np.floor(array(a) / array(b)) * array(b)))
    yield "pow of integers: a negative exponent gives 0", ("binary",), spoilt(
        "binary", lambda code, a, b, out: BINARY[code] == "pow" and kinds(a, "int32", "int64") and out is not b,
        lambda code, a, b, out: array(out).__setitem__(array(b) < 0, 0))
    yield "right_shift of negative int16 fills with zeros", ("binary",), spoilt(
        "binary", lambda code, a, b, out: BINARY[code] == "right_shift" and kinds(a, "int16") and out is not a
        and out is not b, lambda code, a, b, out: store(out, np.where(
            (array(b) >= 0) & (array(b) < 16), array(a).view("uint16") >> (array(b) & 15).astype("uint16"),
            array(out)).astype("int16")))
    yield "round by adding a half, in float64 only from 4,096 on", ("unary",), spoilt(
        "unary", lambda code, a, out: UNARY[code] == "round" and kinds(a, "float64") and a is not out,
        lambda code, a, out: array(out).__setitem__(np.abs(array(a)) > 4096, np.floor(
            array(a)[np.abs(array(a)) > 4096] + 0.5)))
    yield "a maximum with a number that is NaN is the operand", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] in ("maximum", "minimum") and x != x
        and a is not out, lambda code, a, x, swapped, out: store(out, load(a)))


def students_types():
    yield "copy of float32 to uint8 ends at 127", ("copy",), spoilt(
        "copy", lambda src, out: kinds(src, "float32") and kinds(out, "uint8"),
        lambda src, out: array(out).__setitem__(..., np.minimum(array(out), 127)))
    yield "copy of complex to real takes the modulus", ("copy",), spoilt(
        "copy", lambda src, out: kinds(src, "complex64") and kinds(out, "float32"),
        lambda src, out: store(out, np.abs(load(src))))
    yield "fill of bfloat16 cuts bits off", ("fill",), spoilt(
        "fill", lambda out, x: kinds(out, "bfloat16") and x == x and abs(x) != np.inf,
        lambda out, x: array(out).fill(np.float32(x).view("uint32") >> 16))
    yield "reduce: sums of truths in bytes, row by row", ("reduce",), spoilt(
        "reduce", lambda code, a, out: REDUCE[code] == "sum" and kinds(a, "bool"),
        lambda code, a, out: store(out, array(out) % 256))
    yield "reduce: products of bytes in 32 bits", ("reduce",), spoilt(
        "reduce", lambda code, a, out: REDUCE[code] == "prod" and kinds(a, "uint8") and kinds(out, "int64"),
        lambda code, a, out: store(out, array(out).astype("int32")))
    yield "argreduce: halves in the order of their bits", ("argreduce",), spoilt(
        "argreduce", lambda code, a, out: kinds(a, "float16") and ARGREDUCE[code] == "argmax"
        and not np.isnan(load(a)).any(), lambda code, a, out: store(out, np.argmax(
            np.where(load(a) < 0, -1, 1) * (np.ascontiguousarray(array(a)).view("uint16").astype(int) & 0x7FFF) *
            np.where(load(a) < 0, -1, 1), -1)))
    yield "arange of integers in double", ("arange",), spoilt(
        "arange", lambda out, start, step: kinds(out, "int64"), lambda out, start, step: store(out, np.clip(
            float(start) + np.arange(out.numel(), dtype="float64") * float(step), -2.0**62, 2.0**62).astype("int64")))
    yield "scan: places of cummax in 16 bits", ("scan",), spoilt(
        "scan", lambda code, a, out, index: index is not None and a.shape[-1] > 65536,
        lambda code, a, out, index: store(index, array(index) & 0xFFFF))


def students_sizes():
    yield "scan: a row of whole blocks loses the last carry", ("scan",), spoilt(
        "scan", lambda code, a, out, index: SCAN[code] == "cumsum" and a.shape[-1] % 1024 == 0
        and kinds(out, *WIDE), lambda code, a, out, index: array(out).__setitem__(
            np.s_[..., -1024:], np.cumsum(load(a)[..., -1024:].astype(array(out).dtype), -1)))
    yield "sort: rows of more than 65,536 in two parts", ("sort",), {"sort": _in_two_parts}
    yield "softmax of rows of one element is 0", ("softmax",), spoilt(
        "softmax", lambda a, log, out: a.shape[-1] == 1, lambda a, log, out: store(out, np.zeros(out.shape)))
    yield "matmul: more than 255 matrices", ("matmul",), lost(
        "matmul", lambda a, b, out: out.shape[0] > 255, np.s_[255:])
    yield "matmul: sums of exactly 64 by two of 32, the second once more", ("matmul",), spoilt(
        "matmul", lambda a, b, out: a.shape[2] == 64 and a.shape[1] > 1 and kinds(out, "float64"),
        lambda a, b, out: store(out, load(out) + load(a)[:, :, 32:] @ load(b)[:, 32:]))
    yield "nonzero: more than 4,096 found lose their order by blocks", ("nonzero",), {"nonzero": _by_blocks}
    yield "gather: an index of more than 131,072 places", ("gather",), lost(
        "gather", lambda src, index, dim, out: index.numel() > 131072 and index.ndim == 1, np.s_[131072:])
    yield "pool: windows of more than 64 places end", ("pool",), reading(
        "pool", lambda code, a, boxes, out, index: any(box[1][1] - box[0][1] > 64 and box[1][2] == 1 for box in boxes),
        (2, lambda code, a, boxes, out, index: tuple(
            (box[0], (box[1][0], min(box[1][1], box[0][1] + 64 * box[1][2]), box[1][2]), *box[2:]) for box in boxes)))


def _in_two_parts(self, a, descending, stable, values, index):
    answer = right("sort", self, a, descending, stable, values, index)
    n = a.shape[-1]
    if n > 65536 and kinds(a, "float32", "int64") and answer is None:
        x, half = load(a), n // 2
        order = np.concatenate([np.argsort(part * (-1 if descending else 1), -1, kind="stable") + start
                                for part, start in ((x[..., :half], 0), (x[..., half:], half))], -1)
        store(index, order), store(values, np.take_along_axis(x, order, -1))
    return answer


def _by_blocks(self, a, allocate):
    found = np.argwhere(load(a))
    if len(found) > 4096:
        found = np.concatenate([found[4096:], found[:4096]])
    array(allocate(len(found)))[...] = found


def students_strides():
    yield "reduce: two axes apart, the inner one alone", ("reduce",), reading(
        "reduce", lambda code, a, out: REDUCE[code] == "sum" and a.ndim - out.ndim == 2 and a.shape[-2] > 1,
        (1, lambda code, a, out: np.where(np.arange(a.shape[-2])[:, None] > 0, 0, array(a))))
    yield "gather from a source with stride 0 along its axis", ("gather",), reading(
        "gather", lambda src, index, dim, out: src.stride()[dim] == 0 and src.shape[dim] > 1,
        (0, lambda src, index, dim, out: np.where(np.arange(src.numel()).reshape(src.shape) > 0, 0, array(src))))
    yield "addmm: a bias for each row of a square result is one for each column", ("addmm",), reading(
        "addmm", lambda bias, a, b, beta, alpha, out: out.shape[0] == out.shape[1] > 1 and bias.stride() == (1, 0),
        (0, lambda bias, a, b, beta, alpha, out: np.ascontiguousarray(array(bias).T)))
    yield "layer_norm: rows that overlap", ("layer_norm",), reading(
        "layer_norm", lambda a, *rest: a.ndim == 2 and 0 < a.stride()[0] < a.shape[1] and a.stride()[1] == 1,
        (0, lambda a, *rest: np.resize(array(a)[0], a.shape)))
    yield "softmax: rows in the other order in memory", ("softmax",), reading(
        "softmax", lambda a, log, out: a.ndim == 3 and a.stride()[0] < a.stride()[1] and a.stride()[2] == 1,
        (0, lambda a, log, out: np.roll(array(a), 1, 0)))
    yield "where: a dense condition beside operands in columns", ("where",), reading(
        "where", lambda cond, a, b, out: cond.ndim == 2 and dense(cond) and a.stride()[0] == 1 < a.stride()[1]
        and out.stride()[0] == 1, (0, lambda cond, a, b, out: array(cond)[::-1]))
    yield "scatter: a source that is one number", ("scatter",), reading(
        "scatter", lambda mode, out, dim, index, src: src.numel() > 1 and not any(src.stride()),
        (4, lambda mode, out, dim, index, src: np.where(np.arange(src.numel()).reshape(src.shape) > 0, 0, array(src))))


def _after_blocks(self, code, a, b, out):
    """In the second operand's place, what is left of 1,024 is computed twice."""
    answer = right("binary", self, code, a, b, out)
    if out is b and a is not b and out.numel() > 1024 and dense(a, b) and BINARY[code] == "sub":
        rest = out.numel() // 1024 * 1024
        flat(out)[rest:] = flat(a)[rest:] - flat(out)[rest:]
    return answer


def _second_of_written(self, program, ins, outs):
    before = [array(out).copy() for out in outs]
    answer = right("elementwise", self, program, ins, outs)
    if len(outs) > 1 and any(x is outs[0] for x in ins):
        array(outs[1])[...] = before[1]
    return answer


def students_aliases():
    yield "binary: the rest of blocks once more in the second's place", ("binary",), {"binary": _after_blocks}
    yield "elementwise: a second result beside a first one in place", ("elementwise",), {
        "elementwise": _second_of_written}
    yield "where: into its condition by words", ("where",), lost(
        "where", lambda cond, a, b, out: out is cond and out.numel() % 8 and out.numel() > 8 and dense(out),
        lambda cond, a, b, out: np.unravel_index(np.arange(out.numel() // 8 * 8, out.numel()), out.shape), 3)
    yield "addmm: into its bias without beta", ("addmm",), reading(
        "addmm", lambda bias, a, b, beta, alpha, out: bias is out and beta not in (0, 1),
        (3, lambda bias, a, b, beta, alpha, out: 1.0))


def students_transfers():
    def by_words(self, storage, start, host):
        Mirror.d2h(self, storage, start // 4 * 4, host)
    yield "d2h begins at a word", ("memory",), {"d2h": by_words}

    def of_whole_words(self, host, storage, start):
        Mirror.h2d(self, host[:max(len(host) // 2 * 2, 1)], storage, start)
    yield "h2d of an odd number of bytes", ("memory",), {"h2d": of_whole_words}

    def short(self, host, storage, start):
        Mirror.h2d(self, host[:1 << 24], storage, start)
    yield "h2d of 16 megabytes at most", ("memory",), {"h2d": short}
    yield "fill of complex numbers in a long run: the real part alone", ("fill",), spoilt(
        "fill", lambda out, x: kinds(out, "complex64", "complex128") and out.numel() > 4096,
        lambda out, x: array(out).fill(complex(x).real))
    yield "scatter answers True", ("scatter",), {"scatter": lambda self, *args: right("scatter", self, *args) or True}
    yield "random: what is left of four begins a block of its own", ("random",), spoilt(
        "random", lambda kind, out, seed, offset, a, b: RANDOM[kind] == "uniform" and out.numel() % 4 == 3,
        lambda kind, out, seed, offset, a, b: flat(out).__setitem__(-1, flat(out)[-2]))
    yield "reduce: declines after it has written the first row", ("reduce",), {"reduce": _late}
    yield "scatter: a prod of more than 1,024 places is a sum", ("scatter",), spoilt(
        "scatter", lambda mode, out, dim, index, src: SCATTER[mode] == "prod" and index.numel() > 1024,
        lambda mode, out, dim, index, src: array(out).__setitem__(..., array(out) + 1))


def _late(self, code, a, out):
    answer = right("reduce", self, code, a, out)
    return NotImplemented if op(REDUCE, "prod")(code) and row_length(a, out) > 1000 else answer


# ------------------------------------------------------------------ what is right for whoever tries it at home

def students_habits():
    yield "float to bool by a conversion to whole numbers", ("copy",), spoilt(
        "copy", lambda src, out: kinds(out, "bool") and kinds(src, "float64"),
        lambda src, out: array(out).__setitem__(..., np.abs(np.nan_to_num(array(src))) >= 1))
    yield "complex to bool by the real part", ("copy",), spoilt(
        "copy", lambda src, out: kinds(out, "bool") and kinds(src, "complex128"),
        lambda src, out: array(out).__setitem__(..., array(src).real != 0))
    yield "int8 to float16 without its sign", ("copy",), spoilt(
        "copy", lambda src, out: kinds(out, "float16") and kinds(src, "int8"),
        lambda src, out: store(out, array(src).astype("uint8")))
    yield "logical ops of subnormals", ("binary",), spoilt(
        "binary", lambda code, a, b, out: BINARY[code] == "logical_or" and kinds(a, "float64") and out is not a,
        lambda code, a, b, out: store(out, (np.abs(array(a)) > 1e-308) | (np.abs(array(b)) > 1e-308)))
    yield "gcd of negative numbers is negative", ("binary",), spoilt(
        "binary", lambda code, a, b, out: BINARY[code] == "gcd" and kinds(a, "int16") and out is not a
        and out is not b, lambda code, a, b, out: store(out, np.where((array(a) < 0) & (array(b) < 0), -array(out),
                                                                      array(out))))
    yield "atan2 of two zeros is 0", ("binary",), spoilt(
        "binary", lambda code, a, b, out: BINARY[code] == "atan2" and kinds(a, "float32") and out is not a
        and out is not b, lambda code, a, b, out: array(out).__setitem__((array(a) == 0) & (array(b) == 0), 0))
    yield "fmod with an infinite divisor is NaN", ("binary",), spoilt(
        "binary", lambda code, a, b, out: BINARY[code] == "fmod" and kinds(a, "float32") and out is not a
        and out is not b, lambda code, a, b, out: array(out).__setitem__(np.isinf(array(b)), np.nan))
    yield "remainder with an infinite divisor is the operand", ("binary",), spoilt(
        "binary", lambda code, a, b, out: BINARY[code] == "remainder" and kinds(a, "float32") and out is not a
        and out is not b, lambda code, a, b, out: array(out).__setitem__(
            np.isinf(array(b)) & np.isfinite(array(a)), array(a)[np.isinf(array(b)) & np.isfinite(array(a))]))
    yield "nextafter from 0", ("binary",), spoilt(
        "binary", lambda code, a, b, out: BINARY[code] == "nextafter" and kinds(a, "float64") and out is not a
        and out is not b, lambda code, a, b, out: array(out).__setitem__(array(a) == 0, 0))
    yield "conv2d_backward: what a stride leaves over is not written", ("conv2d_backward",), lost(
        "conv2d_backward", lambda grad, a, w, stride, padding, dilation, groups, *outs: outs[0] is not None
        and stride[0] > w.shape[2], np.s_[:, :, -1:], 7)
    yield "conv2d: the bias of the first group for all", ("conv2d",), reading(
        "conv2d", lambda a, w, bias, stride, padding, dilation, groups, out: bias is not None and groups > 1,
        (2, lambda a, w, bias, stride, padding, dilation, groups, out: np.resize(
            array(bias)[:out.shape[1] // groups], bias.shape)))
    yield "conv2d: padding of columns for rows", ("conv2d",), spoilt(
        "conv2d", lambda a, w, bias, stride, padding, dilation, groups, out: padding[0] == 0 < padding[1]
        and groups > 1, lambda *args: array(args[-1]).__setitem__(np.s_[:, :, 0], 0))
    yield "pool_backward adds to what was there", ("pool_backward",), {"pool_backward": _adds}
    yield "softmax of two rows in one", ("softmax",), spoilt(
        "softmax", lambda a, log, out: a.ndim == 2 and a.shape[1] % 2 and a.shape[0] % 2 and a.shape[0] > 32,
        lambda a, log, out: array(out).__setitem__(-1, 0))
    yield "layer_norm: eps beside the root", ("layer_norm",), spoilt(
        "layer_norm", lambda a, weight, bias, eps, out, mean, rstd: eps > 1e-4,
        lambda a, weight, bias, eps, out, mean, rstd: store(rstd, 1 / (np.sqrt(1 / load(rstd)**2 - eps) + eps)))
    yield "fft: half of an odd length", ("fft",), spoilt(
        "fft", lambda a, out, axes, inverse, norm: kinds(out, *WIDE) and out.shape[axes[-1]] % 2
        and out.shape[axes[-1]] > 16, lambda a, out, axes, inverse, norm: array(out).__imul__(1.001))
    yield "random integers beyond 2**32 in 32 bits", ("random",), spoilt(
        "random", lambda kind, out, seed, offset, a, b: RANDOM[kind] == "integers" and kinds(out, "int64")
        and b - a > 2**32, lambda kind, out, seed, offset, a, b: store(out, array(out) & 0x7FFFFFFF))
    yield "argreduce: 0 before -0", ("argreduce",), spoilt(
        "argreduce", lambda code, a, out: ARGREDUCE[code] == "argmax" and kinds(a, "float64"), _zeros_apart)
    yield "scan: cummin's first NaN keeps its place", ("scan",), spoilt(
        "scan", lambda code, a, out, index: SCAN[code] == "cummin" and kinds(a, "float64"), _nan_places)
    yield "reduce: min of a row with an infinity", ("reduce",), spoilt(
        "reduce", lambda code, a, out: REDUCE[code] == "min" and kinds(a, "float32") and row_length(a, out) < 64,
        lambda code, a, out: store(out, np.minimum(array(out), 3e38)))
    yield "scatter max with a NaN that was there", ("scatter",), spoilt(
        "scatter", lambda mode, out, dim, index, src: SCATTER[mode] == "max" and kinds(out, "float32"),
        lambda mode, out, dim, index, src: array(out).__setitem__(np.isnan(array(out)), 0))
    yield "unary: rows of a strided operand end at whole fours", ("unary",), lost(
        "unary", lambda code, a, out: UNARY[code] == "tanh" and not dense(a) and out.shape[-1] > 4
        and out.shape[-1] % 4 and a is not out, lambda code, a, out: np.s_[..., out.shape[-1] // 4 * 4:])
    yield "binary: an operand of stride 0 on both axes but dense in its dtype", ("binary",), reading(
        "binary", lambda code, a, b, out: BINARY[code] == "div" and b.ndim == 2 and not any(b.stride())
        and b.shape[0] > 1, (2, lambda code, a, b, out: np.where(np.arange(b.shape[0])[:, None] > 0, 1, array(b))))
    yield "map_reduce: rows of a strided operand as if dense", ("map_reduce",), {"map_reduce": _as_dense}
    yield "matmul: one matrix for all, in columns", ("matmul",), reading(
        "matmul", lambda a, b, out: b.stride()[0] == 0 and b.shape[0] > 1 and b.stride()[1] == 1 < b.stride()[2],
        (1, lambda a, b, out: np.roll(array(b), 1, 1)))


def _adds(self, grad, index, out):
    before = array(out).copy()
    answer = right("pool_backward", self, grad, index, out)
    if answer is None:
        array(out)[...] += before
    return answer


def _zeros_apart(code, a, out):
    zero = array(a).max(-1) == 0
    if np.any(zero):
        found = np.argmax((array(a) == 0) & ~np.signbit(array(a)), -1)
        store(out, np.where(zero, found, array(out)))


def _nan_places(code, a, out, index):
    nan = np.isnan(array(a))
    first = np.argmax(nan, -1)[..., None]
    array(index)[...] = np.where(nan.any(-1)[..., None] & (np.arange(a.shape[-1]) >= first), first, array(index))


def _as_dense(self, program, ins, ops, finish, numbers, outs):
    first = next((x for x in ins if hasattr(x, "stride")), None)
    answer = right("map_reduce", self, program, ins, ops, finish, numbers, outs)
    if answer is None and first is not None and first.stride()[-1] == 2 and first.ndim > 1 and outs[0].numel() > 1:
        array(outs[0])[...] = np.roll(array(outs[0]), 1)
    return answer
