"""Every entry of the kernel interface in NumPy: what a backend must compute, slowly, in extended precision.

A function has the name and the arguments of its entry (arrays in place of Views, what is written to included) and
returns what is written, unrounded: an array, or a tuple of them in the order of the entry's outputs. The CPU backend is
compared with these; other backends are compared with the CPU, and with these where the CPU declines.
"""
from functools import lru_cache

import numpy as np

from cygrad.backend import ARGREDUCE, BINARY, RANDOM, REDUCE, SCAN, SCATTER, UNARY
from cygrad.testing import reference_special
from cygrad.testing.operands import PERIOD
from cygrad.testing.reference_layers import (attention, conv2d, conv2d_backward, gather_sum,  # noqa: F401 (by name)
                                             group_norm, group_norm_backward, layer_norm, layer_norm_backward, pool,
                                             pool_backward, recurrent, recurrent_backward, softmax, softmax_backward)
from cygrad.testing.reference_losses import (ctc_loss, ctc_loss_backward, nll_loss,  # noqa: F401 (by name)
                                             nll_loss_backward)
from cygrad.testing.reference_precision import exact, quietly, wide, wider
from cygrad.testing.reference_resampling import grid_sample, grid_sample_backward, resample  # noqa: F401 (by name)


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


def _power(x, y):
    """Whole numbers to a power below 0 are 1, -1 or 0."""
    if not _integers(x):
        return np.power(x, y)
    below = np.where((x == 1) | (x == -1) & (y % 2 == 0), 1, np.where(x == -1, -1, 0)).astype(x.dtype)
    return np.where(y < 0, below, np.power(x, np.maximum(y, 0)))


BINARY_OPS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "floor_divide": np.floor_divide,
    "trunc_divide": _trunc_divide, "remainder": np.remainder, "fmod": np.fmod, "pow": _power, "maximum": np.maximum,
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
    if src.dtype == "float64" and out.dtype == "float16":           # as to bfloat16: by way of float32
        src = src.astype("float32")
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
        found = found[tuple(map(slice, out.shape))]
    count = np.prod(sizes, dtype=np.longdouble)
    return found / {"none": 1, "root": np.sqrt(count), "count": count}[norm]


@lru_cache(20)
def _factors(n, sign):
    """exp(sign * 2 pi i jk / n), from the n roots that it consists of."""
    angles = 8 * np.arctan(np.longdouble(1)) * sign * np.arange(n) / np.longdouble(n)
    return (np.cos(angles) + 1j * np.sin(angles))[np.outer(np.arange(n), np.arange(n)) % n]


LARGE = 1000                            # from here on NumPy's own in double precision: of float32, enough


def _sums(a, axis, sign):
    if a.shape[axis] > LARGE:
        transform = np.fft.fft(a.astype(complex), axis=axis) if sign < 0 else (
            np.fft.ifft(a.astype(complex), axis=axis) * a.shape[axis])
        return transform.astype(np.clongdouble)
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
        x, _, rank, values = map(np.array, zip(*[(x, 0, rank, s) for x, _, rank, s in solved]))
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
    """Compact LU factors, and which row, from 1 on, was exchanged with each."""
    lu, count = a.copy(), np.arange(len(a))
    pivots = np.empty(a.shape[:2], "int32")
    for k in range(a.shape[1]):
        row = k + np.abs(lu[:, k:, k]).argmax(1)
        pivots[:, k] = row + 1
        lu[count, k], lu[count, row] = lu[count, row], lu[count, k]
        lu[:, k + 1:, k] /= lu[:, k, k, None]
        lu[:, k + 1:, k + 1:] -= lu[:, k + 1:, k, None] * lu[:, k, None, k + 1:]
    return lu, pivots
