"""Mutants of the contract's readers: each breaks one sentence of it, nothing else. See `mutants`.

Written from the documents alone, row by row, before anyone looked what the suite sees.
"""
import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, POOL, RANDOM, REDUCE, SCAN, SCATTER, UNARY
from mirror import Mirror, array, load, scratch, store
from mutant import COMPLEX, but, instead, kinds, lost, reading, right, spoilt, table


def _ops(ops, text):
    """Whether a call is of the ops that the text names, and its operand of one of the dtypes after the colon."""
    names, _, dtypes = text.partition(":")
    return lambda code, a, *rest: ops[code] in names.split() and (not dtypes or kinds(a, *dtypes.split()))


def _u(text):
    return _ops(UNARY, text)


def _b(text):
    return _ops(BINARY, text)


def _r(text):
    return _ops(REDUCE, text)


def _zero(x):
    return (x == 0) & np.signbit(x)


def readers_unary():
    return table(
        ("abs(-0) is -0", "unary", but, _u("abs: float64"), _zero, -0.0),
        ("exp2 by exp", "unary", instead, _u("exp2: float32"), lambda code, a, out: np.exp(load(a) * np.float32(
            0.6931472))),
        ("log10 of subnormals", "unary", but, _u("log10: float32"), lambda x: (x > 0) & (x < 1.1754944e-38), -np.inf),
        ("log2 of less than 0", "unary", but, _u("log2: float16"), lambda x: x < 0, -np.inf),
        ("log1p(-1) is the smallest", "unary", but, _u("log1p: float64"), lambda x: x == -1, -1.7976931348623157e308),
        ("log1p(-0) is 0", "unary", but, _u("log1p: float32"), lambda x: x == 0, 0.0),
        ("sqrt(-0) is 0", "unary", but, _u("sqrt: bfloat16"), lambda x: x == 0, 0.0),
        ("rsqrt(-0) is inf", "unary", but, _u("rsqrt: float32"), lambda x: x == 0, np.inf),
        ("reciprocal(-0) is inf", "unary", but, _u("reciprocal: float64"), lambda x: x == 0, np.inf),
        ("square of complex is that of the modulus", "unary", instead, _u("square: complex64"),
         lambda code, a, out: abs(load(a))**2),
        ("sin(-0) is 0", "unary", but, _u("sin: float64"), lambda x: x == 0, 0.0),
        ("cos(inf) is 1", "unary", but, _u("cos: float16"), np.isinf, 1.0),
        ("sin of large numbers in double, of float64's", "unary", but, _u("sin cos: float64"),
         lambda x: (abs(x) > 1e10) & np.isfinite(x), lambda x: np.sin(np.fmod(x, 2 * np.pi))),
        ("asin beyond 1 is pi / 2", "unary", instead, _u("asin: float32"),
         lambda code, a, out: np.arcsin(np.clip(load(a), -1, 1))),
        ("acos of complex on the other side of the cut", "unary", but, _u("acos: complex128"),
         lambda z: (z.imag == 0) & (abs(z.real) > 1), lambda z: np.arccos(z).conj()),
        ("atan(inf) is NaN", "unary", but, _u("atan: float64"), np.isinf, np.nan),
        ("sinh by a difference overflows early", "unary", instead, _u("sinh: float32"), lambda code, a, out: np.where(
            abs(load(a)) > 1, (np.exp(load(a)) - np.exp(-load(a))) / 2, np.sinh(load(a)))),
        ("cosh by a sum overflows early", "unary", instead, _u("cosh: float64"), lambda code, a, out: (
            np.exp(load(a)) + np.exp(-load(a))) / 2),
        ("tanh by a quotient", "unary", instead, _u("tanh: float64"), lambda code, a, out: np.where(
            abs(load(a)) < 0.1, np.tanh(load(a)), (np.exp(2 * load(a)) - 1) / (np.exp(2 * load(a)) + 1))),
        ("tanh of complex with a large real part", "unary", but, _u("tanh: complex64"), lambda z: abs(z.real) > 44,
         np.nan),
        ("acosh below 1 is 0", "unary", but, _u("acosh: float16"), lambda x: x < 1, 0.0),
        ("atanh(-1) is inf", "unary", but, _u("atanh: float64"), lambda x: x == -1, np.inf),
        ("erfc is 1 - erf", "unary", but, _u("erfc: float64"), lambda x: x > 6, 0.0),
        ("erfinv(-1) is inf", "unary", but, _u("erfinv: float32"), lambda x: x == -1, np.inf),
        ("lgamma at -2 is finite", "unary", but, _u("lgamma: float32"), lambda x: (x < 0) & (x == np.floor(x)), 36.0),
        ("digamma(-0) is -inf", "unary", but, _u("digamma: float64"), lambda x: x == 0, -np.inf),
        ("digamma at -1 is inf", "unary", but, _u("digamma: float32"), lambda x: (x < 0) & (x == np.floor(x)), np.inf),
        ("sigmoid(-100) in float32 is 0", "unary", but, _u("sigmoid: float64"), lambda x: x < -88, 0.0),
        ("relu(NaN) is 0", "unary", but, _u("relu: bfloat16"), np.isnan, 0.0),
        ("ceil(-0.5) is 0", "unary", but, _u("ceil: float16"), lambda x: (x > -1) & (x <= 0), 0.0),
        ("floor(-0) is 0", "unary", but, _u("floor: float32"), lambda x: x == 0, 0.0),
        ("round of 2**52 + 1", "unary", but, _u("round: float64"), lambda x: (abs(x) > 2**52) & np.isfinite(x),
         lambda x: np.floor(x + 0.5)),
        ("trunc through int32", "unary", but, _u("trunc: float32"), lambda x: abs(x) > 2.0**31, -2.0**31),
        ("logical_not of NaN", "unary", but, _u("logical_not: float32"), np.isnan, True),
        ("logical_not of complex by the real part", "unary", instead, _u("logical_not: complex64"),
         lambda code, a, out: load(a).real == 0),
        ("isinf(-inf) is False", "unary", but, _u("isinf: float64"), lambda x: x == -np.inf, False),
        ("isnan of complex by the real part", "unary", instead, _u("isnan: complex128"),
         lambda code, a, out: np.isnan(load(a).real)),
        ("isfinite of complex by both", "unary", instead, _u("isfinite: complex64"),
         lambda code, a, out: np.isfinite(load(a).real) | np.isfinite(load(a).imag)),
        ("angle of NaN is 0", "unary", but, _u("angle: float32"), np.isnan, 0.0),
        ("angle of complex below the cut", "unary", but, _u("angle: complex64"), lambda z: (z.imag == 0) & (z.real < 0),
         np.pi),
        ("bitwise_not of uint8 as of numbers below 128", "unary", instead, _u("bitwise_not: uint8"),
         lambda code, a, out: ~load(a) & 127),
        ("conj is a copy", "unary", instead, _u("conj: complex128"), lambda code, a, out: load(a)),
    )


def readers_binary():
    return table(
        ("trunc_divide of floats through int32", "binary", but, _b("trunc_divide: float32"), lambda a, b: abs(a / b)
         > 2.0**31, 2.0**31),
        ("fmod by a quotient", "binary", instead, _b("fmod: float64"), lambda code, a, b, out: load(a) - np.trunc(
            load(a) / load(b)) * load(b)),
        ("fmod(-0, b) is 0", "binary", but, _b("fmod: float32"), lambda a, b: (a == 0) & (b != 0), 0.0),
        ("pow(1, NaN) is NaN", "binary", but, _b("pow: float64"), lambda a, b: np.isnan(b), np.nan),
        ("pow(NaN, 0) is NaN", "binary", but, _b("pow: float16"), lambda a, b: np.isnan(a), np.nan),
        ("pow of a negative base to an odd power", "binary", but, _b("pow: float32"), lambda a, b: (a < 0) & (
            np.fmod(b, 2) != 0) & (b == np.trunc(b)), lambda a, b: abs(a) ** b),
        ("pow of int8 to a large power", "binary", but, _b("pow: int8"), lambda a, b: b > 31, 0),
        ("pow(0, -1) of integers", "binary", but, _b("pow: int32"), lambda a, b: (b < 0) & (a == -1), 1),
        ("hypot(inf, NaN) is NaN", "binary", but, _b("hypot: float32"), lambda a, b: np.isnan(a) | np.isnan(b),
         np.nan),
        ("atan2(-0, -1) is pi", "binary", but, _b("atan2: float64"), lambda a, b: _zero(a) & (b < 0), np.pi),
        ("floor_divide by 0 is NaN", "binary", but, _b("floor_divide: float32"), lambda a, b: b == 0, np.nan),
        ("floor_divide of an infinite divisor", "binary", but, _b("floor_divide: float64"), lambda a, b: np.isinf(b)
         & (a * b < 0), 0.0),
        ("remainder of a divisor's multiple is the divisor", "binary", but, _b("remainder: float32"),
         lambda a, b: (np.fmod(a, b) == 0) & (a != 0) & ((a < 0) != (b < 0)), lambda a, b: b),
        ("remainder of int64's smallest by -1", "binary", but, _b("remainder fmod: int64"), lambda a, b: b == -1, -1),
        ("gcd(0, 0) is 1", "binary", but, _b("gcd: int64"), lambda a, b: (a == 0) & (b == 0), 1),
        ("lcm with 0 is the other", "binary", but, _b("lcm: int32"), lambda a, b: b == 0, lambda a, b: a),
        ("left_shift by less than 0 goes right", "binary", but, _b("left_shift: int64"), lambda a, b: (b < 0) & (
            b > -64), lambda a, b: a >> np.clip(-b, 0, 63)),
        ("right_shift by less than 0 of a negative number", "binary", but, _b("right_shift: int32"),
         lambda a, b: (b < 0) & (a < 0), 0),
        ("left_shift of uint8 by 8", "binary", but, _b("left_shift: uint8"), lambda a, b: b >= 8,
         lambda a, b: a << (b & 7)),
        ("lt of int64 in double", "binary", instead, _b("lt ge: int64"), lambda code, a, b, out: (
            load(a).astype(float) < load(b).astype(float)) == (BINARY[code] == "lt")),
        ("eq of 0 and -0", "binary", but, _b("eq: float64"), lambda a, b: np.signbit(a) != np.signbit(b), False),
        ("ne of NaN is False", "binary", but, _b("ne: float16"), lambda a, b: np.isnan(a) | np.isnan(b), False),
        ("eq of complex by the real parts", "binary", instead, _b("eq: complex64"),
         lambda code, a, b, out: load(a).real == load(b).real),
        ("logical_and is a product", "binary", instead, _b("logical_and: float32"),
         lambda code, a, b, out: load(a) * load(b) != 0),
        ("logical_xor of numbers as of bits", "binary", instead, _b("logical_xor: int32"),
         lambda code, a, b, out: (load(a) ^ load(b)) != 0),
        ("logical_or of NaN", "binary", but, _b("logical_or: float64"), lambda a, b: np.isnan(a) & (b == 0), False),
        ("fmax of two NaN is 0", "binary", but, _b("fmax: float32"), lambda a, b: np.isnan(a) & np.isnan(b), 0.0),
        ("minimum of a NaN in the second place", "binary", but, _b("minimum: bfloat16"), lambda a, b: np.isnan(b),
         lambda a, b: a),
        ("copysign by less than 0", "binary", instead, _b("copysign: float16"), lambda code, a, b, out: np.where(
            load(b) < 0, -abs(load(a)), abs(load(a)))),
        ("div of complex without scaling", "binary", instead, _b("div: complex64"), lambda code, a, b, out:
         load(a) * load(b).conj() / (load(b).real**2 + load(b).imag**2)),
        ("mul of complex by three products", "binary", instead, _b("mul: complex64"),
         lambda code, a, b, out: _three(load(a), load(b))),
        ("nextafter of an infinity", "binary", but, _b("nextafter: float32"), lambda a, b: np.isinf(a) & (a != b),
         lambda a, b: a),
    )


def _three(a, b):
    first, second, third = a.real * b.real, a.imag * b.imag, (a.real + a.imag) * (b.real + b.imag)
    return (first - second) + 1j * (third - first - second)


def readers_rows():
    return table(
        ("any of NaN is False", "reduce", reading, _r("any: float32"), (1, lambda code, a, out: np.nan_to_num(
            array(a), nan=0))),
        ("any of subnormals is False", "reduce", reading, _r("any: float64"), (1, lambda code, a, out: np.where(
            abs(array(a)) < 1e-307, 0, array(a)))),
        ("all of NaN is False", "reduce", reading, _r("all: float16"), (1, lambda code, a, out: np.nan_to_num(
            array(a), nan=0))),
        ("sum of int8 in int8", "reduce", instead, lambda code, a, out: _r("sum: int8")(code, a) and kinds(
            out, "int64"), lambda code, a, out: load(a).reshape(*out.shape, -1).sum(-1, dtype="int8")),
        ("sum to float64 in float32", "reduce", instead, lambda code, a, out: _r("sum: float32")(code, a) and kinds(
            out, "float64"), lambda code, a, out: load(a).reshape(*out.shape, -1).sum(-1)),
        ("sum of int64 to float32 as int64", "reduce", instead, lambda code, a, out: _r("sum: int64")(code, a)
         and kinds(out, "float32"), lambda code, a, out: load(a).reshape(*out.shape, -1).sum(-1)),
        ("prod of float16 rounds each step", "reduce", instead, _r("prod: float16"), lambda code, a, out: np.cumprod(
            load(a).reshape(*out.shape, -1).astype("float16"), -1, dtype="float16")[..., -1]),
        ("prod of bool to int64 is all", "reduce", spoilt, _r("sum: bool"), lambda code, a, out: store(
            out, np.minimum(load(out), 255))),
        ("max of NaN in a last place", "reduce", reading, lambda code, a, out: _r("max: float32")(code, a)
         and a.ndim - out.ndim == 1, (1, lambda code, a, out: _not_last(array(a)))),
        ("min of all infinite is the largest", "reduce", spoilt, _r("min: float64"), lambda code, a, out: store(
            out, np.where(load(out) == np.inf, 1.7e308, load(out)))),
        ("argmax: the last NaN", "argreduce", spoilt, lambda code, a, out: kinds(a, "float64"), lambda code, a, out:
         store(out, np.where(np.isnan(load(a)).any(-1), a.shape[-1] - 1 - np.argmax(np.isnan(load(a))[..., ::-1], -1),
                             load(out)))),
        ("argmin of bool is the last False", "argreduce", instead, lambda code, a, out: ARGREDUCE[code] == "argmin"
         and kinds(a, "bool"), lambda code, a, out: np.where(load(a).all(-1), 0, a.shape[-1] - 1 - np.argmin(
             load(a)[..., ::-1], -1))),
        ("cummin: the first of equals", "scan", {"scan": lambda self, *args: _first_equal(self, *args)}),
        ("cumsum of int8 to int64 in int8", "scan", spoilt, lambda code, a, out, index: SCAN[code] == "cumsum"
         and kinds(a, "int8") and kinds(out, "int64"), lambda code, a, out, index: store(
             out, load(out).astype("int8"))),
        ("scatter: max without NaN", "scatter", reading, lambda mode, out, dim, index, src: SCATTER[mode] == "max"
         and kinds(src, "float32"), (4, lambda mode, out, dim, index, src: np.nan_to_num(array(src), nan=-np.inf,
                                                                                        posinf=np.inf,
                                                                                        neginf=-np.inf))),
        ("uniform reaches b", "random", spoilt, lambda kind, out, *rest: RANDOM[kind] == "uniform" and kinds(
            out, "bfloat16"), lambda kind, out, seed, offset, a, b: store(out, np.where(load(out) > a + (b - a)
                                                                                       * 0.99, b, load(out)))),
        ("uniform of float64 from 24 bits", "random", spoilt, lambda kind, out, *rest: RANDOM[kind] == "uniform"
         and kinds(out, "float64"), lambda kind, out, seed, offset, a, b: store(out, a + np.floor((
             load(out) - a) / (b - a) * 2**24) / 2**24 * (b - a))),
        ("integers by a product", "random", spoilt, lambda kind, out, seed, offset, a, b: RANDOM[kind] == "integers"
         and b - a > 2**31, lambda kind, out, seed, offset, a, b: store(out, load(out) - (load(out) & 1))),
        ("nonzero of complex by the real part", "nonzero", {"nonzero": lambda self, a, allocate: _real_parts(
            self, a, allocate)}),
        ("nonzero of NaN is no place", "nonzero", {"nonzero": lambda self, a, allocate: _without_nan(
            self, a, allocate)}),
        ("sort of bool is unstable", "sort", {"sort": lambda self, *args: _unstable_truths(self, *args)}),
        ("softmax of nothing but -inf is 0", "softmax", spoilt, lambda a, log, out: kinds(a, "float32"),
         lambda a, log, out: store(out, np.where(np.isnan(load(out)), 0, load(out)))),
        ("softmax of a row with inf is a 1 there", "softmax", spoilt, lambda a, log, out: kinds(a, "float64")
         and not log, lambda a, log, out: store(out, np.where((load(a) == np.inf), 1, load(out)))),
    )


def _not_last(x):
    x = x.copy()
    x[..., -1] = np.where(np.isnan(x[..., -1]), x[..., 0], x[..., -1])
    return x


def _first_equal(self, code, a, out, index):
    answer = right("scan", self, code, a, out, index)
    if answer is None and SCAN[code] == "cummin" and a.shape[-1] > 1 and not np.isnan(load(a)).any():
        x, found = load(out), array(index).copy()
        for k in range(1, a.shape[-1]):
            found[..., k] = np.where(x[..., k] == x[..., k - 1], found[..., k - 1], found[..., k])
        array(index)[...] = found
    return answer


def _real_parts(self, a, allocate):
    values = load(a)
    found = np.argwhere(values.real if kinds(a, *COMPLEX) else values)
    array(allocate(len(found)))[...] = found


def _without_nan(self, a, allocate):
    values = load(a)
    found = np.argwhere((values != 0) & (values == values))
    array(allocate(len(found)))[...] = found


def _unstable_truths(self, a, descending, stable, values, index):
    answer = right("sort", self, a, descending, stable, values, index)
    if answer is None and kinds(a, "bool") and stable:
        x = load(a)
        order = a.shape[-1] - 1 - np.argsort(x[..., ::-1] ^ descending, -1, kind="stable")
        store(index, order)
    return answer


def readers_layers():
    return table(
        ("addmm: beta = 0 reads bias", "addmm", spoilt, lambda bias, a, b, beta, alpha, out: beta == 0
         and bias is not out, lambda bias, a, b, beta, alpha, out: store(out, load(out) + 0 * load(bias))),
        ("addmm of integers: beta keeps its fraction", "addmm", {"addmm": lambda self, *args: _fractions(
            self, *args)}),
        ("pool: a mean over what counts alone", "pool", reading, lambda code, a, boxes, out, index: POOL[code]
         == "mean", (2, lambda code, a, boxes, out, index: tuple((*box[:3], 0) for box in boxes))),
        ("pool: the first NaN", "pool", {"pool": lambda self, *args: _first_nan(self, *args)}),
        ("pool: integers' means are rounded", "pool", spoilt, lambda code, a, boxes, out, index: POOL[code] == "mean"
         and kinds(a, "int64"), lambda code, a, boxes, out, index: store(out, load(out) + (load(out) < 0))),
        ("pool_backward: places outside are the last", "pool_backward", reading, lambda grad, index, out: True,
         (1, lambda grad, index, out: np.clip(array(index), 0, out.shape[1] - 1))),
        ("nll_loss: outside is not counted", "nll_loss", lost, lambda *args: True, np.s_[...]),
        ("nll_loss: what is outside gives its neighbour's loss", "nll_loss", reading, lambda a, target, *rest: True,
         (1, lambda a, target, weight, ignore, *rest: np.where(
             (array(target) < 0) & (array(target) != ignore), 0, array(target)))),
        ("ctc_loss: no label and no steps is 0", "ctc_loss", {"ctc_loss": lambda self, *args: _nothing_read(
            self, *args)}),
        ("ctc_loss: repeated labels without a blank", "ctc_loss", reading, lambda a, labels, *rest: labels.numel() > 1,
         (1, lambda a, labels, *rest: np.where(np.diff(array(labels), prepend=-1) == 0, (array(labels) % max(
             a.shape[2] - 1, 1)) + 1, array(labels)).astype("int64"))),
        ("gather_sum: a range beyond the index", "gather_sum", reading, lambda a, index, starts, weights, out: True,
         (2, lambda a, index, starts, weights, out: np.clip(array(starts), 1, None) if array(starts)[0] < 0
          else array(starts))),
        ("grid_sample: nearest by floor(x + 0.5)", "grid_sample", {"grid_sample": lambda self, *args: _halves_up(
            self, *args)}),
        ("grid_sample: NaN is at the first place", "grid_sample", reading, lambda mode, padding, align, a, grid, out:
         padding == 0, (4, lambda mode, padding, align, a, grid, out: np.nan_to_num(array(grid), nan=-1.0))),
        ("attention: scale of the last axis", "attention", reading, lambda query, key, value, mask, causal, scale, out:
         True, (5, lambda query, *rest: query.shape[2] ** -0.5)),
        ("attention: an added mask is scaled", "attention", reading, lambda query, key, value, mask, causal, scale,
         out: mask is not None and mask.dtype is query.dtype and scale != 1 and kinds(query, "float32"),
         (3, lambda query, key, value, mask, causal, scale, out: (array(mask) * scale).astype("float32"))),
        ("group_norm: mean and rstd of 16-bit floats are rounded", "group_norm", spoilt,
         lambda a, weight, bias, eps, out, mean, rstd: kinds(a, "float16"),
         lambda a, weight, bias, eps, out, mean, rstd: store(mean, load(mean).astype("float16"))),
        ("recurrent: values are not written", "recurrent", lost, lambda cell, steps, gates, weight, bias, h, c, values,
         *rest: values is not gates, np.s_[...], 7),
        ("recurrent: relu for tanh", "recurrent", reading, lambda cell, *rest: cell == 3, (0, lambda *args: 2)),
        ("fft: one axis after the other is divided", "fft", spoilt, lambda a, out, axes, inverse, norm: norm == "count"
         and not inverse, lambda a, out, axes, inverse, norm: array(out).__imul__(
             np.prod([array(out).shape[k] for k in axes]))),
        ("fft: the last place of an even real row", "fft", reading, lambda a, out, axes, inverse, norm: not kinds(
            out, *COMPLEX) and out.shape[axes[-1]] % 2 == 0 and a.shape[axes[-1]] > 1,
         (0, lambda a, out, axes, inverse, norm: _less_last(array(a), axes[-1]))),
        ("resample: places of the first output", "resample", reading, lambda a, places, *rest: places.shape[0] > 1,
         (1, lambda a, places, *rest: np.broadcast_to(array(places)[:1], places.shape))),
        ("softmax_backward: log by the other formula", "softmax_backward", reading, lambda grad, result, log, out:
         log and grad.shape[-1] == 1, (2, lambda *args: False)),
        ("layer_norm: eps is left out", "layer_norm", reading, lambda a, weight, bias, eps, *rest: True,
         (3, lambda *args: 0.0)),
        ("linalg: info of the first matrix", "linalg", {"linalg": lambda self, *args: _first_info(self, *args)}),
        ("linalg: the last pivots of the first matrix", "linalg", {"linalg": lambda self, *args: _first_pivots(
            self, *args)}),
    )


def _fractions(self, bias, a, b, beta, alpha, out):
    answer = right("addmm", self, bias, a, b, beta, alpha, out)
    if answer is None and kinds(out, "int32", "int64") and beta != int(beta) and out is not bias:
        store(out, load(out) + np.trunc((beta - int(beta)) * load(bias)))
    return answer


def _first_nan(self, code, a, boxes, out, index):
    answer = right("pool", self, code, a, boxes, out, index)
    if answer is None and index is not None and np.isnan(load(a)).any():
        planes = load(a).reshape(a.shape[0], -1)
        for where in zip(*np.nonzero(np.isnan(load(out)))):
            place = array(index)[where]
            if place % a.shape[3] and np.isnan(planes[where[0], place - 1]) and boxes[2][1][1] - boxes[2][0][1] > 1:
                array(index)[where] = place - 1
    return answer


def _nothing_read(self, a, labels, starts, counts, steps, blank, out, sums, outside):
    answer = right("ctc_loss", self, a, labels, starts, counts, steps, blank, out, sums, outside)
    if answer is None:
        store(out, np.where((array(steps) == 0) & (array(counts) > 0), 0, load(out)))
    return answer


def _halves_up(self, mode, padding, align, a, grid, out):
    if mode or align or grid.ndim != 4 or padding:
        return right("grid_sample", self, mode, padding, align, a, grid, out)
    n = np.array([a.shape[3], a.shape[2]])
    x = ((load(grid) + 1) * n - 1) / 2
    whole = np.where(np.isfinite(x), np.floor(x + 0.5), x)
    made = scratch(self, grid, grid.shape, grid.dtype.name)
    array(made)[...] = (whole * 2 + 1) / n - 1
    return right("grid_sample", self, mode, padding, align, a, made, out)


def _less_last(x, axis):
    x = x.copy()
    np.moveaxis(x, axis, -1)[..., -1] = 0
    return x


def _first_info(self, routine, ins, outs, options):
    answer = right("linalg", self, routine, ins, outs, options)
    if answer is None and routine in ("cholesky", "solve", "inverse", "lu"):
        array(outs[-1])[...] = array(outs[-1])[:1]
    return answer


def _first_pivots(self, routine, ins, outs, options):
    answer = right("linalg", self, routine, ins, outs, options)
    if answer is None and routine == "lu":
        array(outs[1])[1:] = array(outs[1])[:1]
    return answer


def readers_rules():
    def too_early(self, a, allocate):
        out = allocate(a.numel())
        return right("nonzero", self, a, lambda count: out)

    def garbage(self, code, a, out):
        """Adds to what is there."""
        if REDUCE[code] == "sum" and kinds(out, "int64"):
            before = load(out)
            answer = right("reduce", self, code, a, out)
            store(out, load(out) + before)
            return answer
        return right("reduce", self, code, a, out)

    def truths(self, code, a, b, out):
        answer = right("binary", self, code, a, b, out)
        if answer is None and kinds(out, "bool") and not kinds(a, "bool"):
            array(out).view("uint8")[...] *= 255
        return answer

    def partly(self, code, a, out):
        if not kinds(a, "complex64") or UNARY[code] not in ("exp", "tan"):
            return right("unary", self, code, a, out)
        array(out)[(0,) * out.ndim] = 0
        return NotImplemented

    def halves(self, source, target):
        target.buffer[:len(source.buffer) // 2] = source.buffer[:len(source.buffer) // 2]

    def freed(self, index, buffer, nbytes):
        buffer[:1] = 0 if nbytes else 1
        raise RuntimeError("freed twice")

    def counts(self):
        raise OSError("no driver")

    def errors(self, index, nbytes):
        try:
            return Mirror.alloc(self, index, nbytes)
        except MemoryError:
            raise RuntimeError("CL_MEM_OBJECT_ALLOCATION_FAILURE") from None

    def shorter(self, index, nbytes):
        return np.empty(max(nbytes // 16 * 16, 16), "uint8")

    def false(self, dtype):
        return dtype.name != "int64"

    def same(self, buffer):
        return 4096

    def negative(self, src, index, dim, out):
        places = array(index)
        if places.max() >= src.shape[dim]:
            return False
        made = scratch(self, index, index.shape, "int64")
        array(made)[...] = np.where(places < 0, places % src.shape[dim], places)
        return right("gather", self, src, made, dim, out) or True
    return table(
        ("nonzero asks for room for all", "nonzero", {"nonzero": too_early}),
        ("reduce adds to out", "reduce", {"reduce": garbage}),
        ("truths are 255", "binary", {"binary": truths}),
        ("unary declines after the first element", "unary", {"unary": partly}),
        ("d2d of half the bytes", "devices", {"d2d": halves}),
        ("free raises", ("memory", "leaks"), {"free": freed}),
        ("device_count raises", "memory", {"device_count": counts}),
        ("alloc rounds down to sixteens", ("memory", "programs"), {"alloc": shorter}),
        ("int64 is not supported", ("memory", "programs", "arange"), {"supports": false}),
        ("one address for all", ("memory", "programs"), {"address": same}),
        ("gather_looking takes negative places", "gather_looking", {"gather_looking": negative}),
    )
