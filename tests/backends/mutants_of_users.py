"""Mutants that a user's program meets first: wrong reductions, indices, layers and transfers; see `mutants`."""
import numpy as np
from cygrad.backend import ARGREDUCE, POOL, REDUCE, SCAN, SCATTER
from mirror import array, load, store
from mutant import COMPLEX, FLOATS, INTEGERS, dense, of_binary, of_unary, raw, right, spoiled


def values():
    """Formulas."""
    yield of_unary("log1p", "by log", lambda x: np.log(1 + x), ("float64",))
    yield of_unary("tan", "by a quotient of rounded functions", lambda x: np.sin(x) / np.cos(x + np.float32(1e-5)),
                 ("float32",))
    yield of_unary("atan", "of small angles", lambda x: x, ("bfloat16",))
    yield of_unary("rsqrt", "of -0", lambda x: np.where(x == 0, np.inf, 1 / np.sqrt(x)), ("float32",))
    yield of_unary("sign", "of -0 and NaN", lambda x: np.where(x > 0, 1.0, -1.0), ("float64",))
    yield of_unary("square", "saturates", lambda x: np.clip(x.astype("int64") ** 2, -128, 127), ("int8",))
    yield of_unary("neg", "of the smallest", lambda x: np.where(x == -128, 127, -x), ("int8",))
    yield of_unary("round", "of large numbers by int32", lambda x: np.where(
        np.abs(x) > 2**31, np.sign(x) * 2.0**31, np.rint(x)), ("float64",))
    yield of_unary("conj", "of nothing", lambda x: x, ("complex64",))
    yield of_unary("log", "without the argument", lambda x: np.log(np.abs(x)) + 0j, ("complex128",))
    yield of_unary("relu", "of NaN", lambda x: np.fmax(x, 0), ("float16",))
    yield of_unary("bitwise_not", "of bool", lambda x: x, ("bool",))
    yield of_unary("erfc", "of large numbers", lambda x: 1 - np.vectorize(__import__("math").erf)(x), ("float64",))
    yield of_unary("angle", "of negative numbers", lambda x: 0 * x, ("float32",))
    yield of_binary("add", "of bool is exclusive", lambda x, y: x ^ y, ("bool",))
    yield of_binary("mul", "of int16 saturates", lambda x, y: np.clip(x.astype("int64") * y, -32768, 32767), ("int16",))
    yield of_binary("trunc_divide", "is floor_divide", lambda x, y: x // y, ("int8",))
    yield of_binary("fmod", "has the divisor's sign", lambda x, y: np.mod(x, y), ("int64",))
    yield of_binary("minimum", "of NaN", np.fmin, ("float64",))
    yield of_binary("le", "of NaN", lambda x, y: ~(x > y), ("float32",))
    yield of_binary("logical_xor", "is ne", lambda x, y: x != y, ("float32",))
    yield of_binary("pow", "of 0", lambda x, y: np.where((x == 0) & (y == 0), 0, np.power(x, y)), ("int32",))
    yield of_binary("bitwise_and", "of halves", lambda x, y: x & y & 0x7FFFFFFF, ("int64",))
    yield of_binary("gt", "of unsigned", lambda x, y: x.view("int8") > y.view("int8"), ("uint8",))


def rows():
    """Along axes."""
    def reduced(what, name, change, when=lambda a, out: True):
        return f"{name} {what}", ("reduce",), spoiled(
            "reduce", lambda op, a, out: change(a, out), lambda op, a, out: REDUCE[op] == name and when(a, out))

    def axes(a, out):
        return tuple(range(out.dim(), a.dim()))
    yield reduced("in the input's dtype", "prod", lambda a, out: store(
        out, np.prod(load(a).astype("uint8"), axes(a, out), "uint8")), lambda a, out: a.dtype.name == "uint8")
    yield reduced("of an even count", "sum", lambda a, out: store(out, load(out) - load(a).reshape(
        *out.shape, -1)[..., -1]), lambda a, out: a.shape[-1] % 2 == 0 and a.dtype.name == "float32")
    yield reduced("of the last two axes", "max", lambda a, out: store(out, load(a).reshape(*out.shape, a.shape[-2], -1)[
        ..., 0, :].max(-1)), lambda a, out: a.dim() > out.dim() + 1 and a.dtype.name in INTEGERS)
    yield reduced("of NaN is false", "all", lambda a, out: store(out, (load(a) > 0).all(axes(a, out))),
                  lambda a, out: a.dtype.name in FLOATS)
    yield reduced("is a sum of moduli", "square_sum", lambda a, out: store(out, np.abs(load(a)).sum(axes(a, out))),
                  lambda a, out: a.dtype.name == "bfloat16")
    yield reduced("in float32", "sum", lambda a, out: store(out, load(a).astype("complex64").sum(axes(a, out))),
                  lambda a, out: a.dtype.name == "complex128")
    yield reduced("beyond 2**24", "sum", lambda a, out: store(out, np.minimum(load(out), 2**24)),
                  lambda a, out: out.dtype.name == "int64")
    yield "argmax from the end", ("argreduce",), spoiled(
        "argreduce", lambda op, a, out: store(out, a.shape[-1] - 1 - load(a)[..., ::-1].argmax(-1)),
        lambda op, a, out: ARGREDUCE[op] == "argmax" and a.dtype.name == "bool")
    yield "argmin of infinities", ("argreduce",), spoiled(
        "argreduce", lambda op, a, out: store(out, np.where(np.isinf(load(a)), 3e38, load(a)).argmin(-1)),
        lambda op, a, out: ARGREDUCE[op] == "argmin" and a.dtype.name == "float32")
    yield "cumprod restarts in each block of 256", ("scan",), spoiled(
        "scan", lambda op, a, out, index: array(out)[..., 256:].__imul__(3),
        lambda op, a, out, index: SCAN[op] == "cumprod" and a.shape[-1] > 256 and out.dtype.name == "int64")
    yield "cummin writes the values alone", ("scan",), spoiled(
        "scan", lambda op, a, out, index: array(index).fill(0), lambda op, *rest: SCAN[op] == "cummin")
    yield "sort of bool turns round", ("sort",), spoiled(
        "sort", lambda a, descending, stable, v, i: store(v, load(v)[..., ::-1]),
        lambda a, *rest: a.dtype.name == "bool")
    yield "sort descending puts NaN last", ("sort",), spoiled(
        "sort", lambda a, descending, stable, v, i: store(v, -np.sort(-load(a), -1)),
        lambda a, descending, *rest: descending and a.dtype.name == "float64")
    yield "partial_sort is not stable", ("partial_sort",), spoiled(
        "partial_sort", lambda a, descending, first, v, i: store(i.narrow(-1, 0, 2), array(i)[..., 1::-1].copy()),
        lambda a, descending, first, v, i: v.shape[-1] > 2 and a.dtype.name == "int8")
    yield "nonzero of -0", ("nonzero",), {"nonzero": _bits}
    yield "softmax in 16 bits", ("softmax",), spoiled(
        "softmax", lambda a, log, out: store(out, load(out).astype("float16")),
        lambda a, log, out: out.dtype.name == "float32")
    yield "log_softmax by the logarithm of softmax", ("softmax",), computed_log()


def _bits(self, a, allocate):
    found = np.argwhere(raw(a) if a.dtype.name in ("float32", "float64") else array(a))
    array(allocate(len(found)))[...] = found


def computed_log():
    """Underflows: a logarithm of 0."""
    def kernel(self, a, log, out):
        if not log:
            return right("softmax", self, a, log, out)
        with np.errstate(all="ignore"):
            shifted = np.exp(load(a) - load(a).max(-1, keepdims=True))
            store(out, np.log(shifted / shifted.sum(-1, keepdims=True)))
    return {"softmax": kernel}


def places():
    """Indices, strides, sizes."""
    yield "gather forgets the strides of out", ("gather",), spoiled(
        "gather", lambda src, index, dim, out: array(out).fill(1), lambda src, index, dim, out: not dense(out))
    yield "scatter min is max", ("scatter",), {"scatter": lambda self, mode, *rest: right(
        "scatter", self, SCATTER.index("max") if SCATTER[mode] == "min" else mode, *rest)}
    yield "scatter prod adds", ("scatter",), {"scatter": lambda self, mode, *rest: right(
        "scatter", self, 1 if SCATTER[mode] == "prod" else mode, *rest)}
    yield "scatter of a broadcast source", ("scatter",), spoiled(
        "scatter", lambda mode, out, dim, index, src: raw(out).reshape(-1)[:1].fill(0) if dense(out) else None,
        lambda mode, out, dim, index, src: 0 in src.stride())
    yield "copy of eight axes stops at four", ("copy",), spoiled(
        "copy", lambda a, out: array(out)[1:].fill(0), lambda a, out: a.dim() > 4)
    yield "copy to itself", ("copy",), spoiled("copy", lambda a, out: raw(out).fill(0), lambda a, out: a is out)
    yield "copy turned round in tiles of 32", ("copy",), spoiled(
        "copy", lambda a, out: array(out)[32:, 32:].fill(0),
        lambda a, out: a.dim() == 2 and not dense(a) and min(a.shape) > 32)
    yield "where of a dense mask and strided operands", ("where",), spoiled(
        "where", lambda c, a, b, out: store(out, load(a)), lambda c, a, b, out: dense(c) and not dense(a))
    yield "matmul of a row", ("matmul",), spoiled(
        "matmul", lambda a, b, out: array(out)[..., -1:].fill(0), lambda a, b, out: a.shape[1] == 1 and b.shape[2] > 1)
    yield "matmul of an odd inner size", ("matmul",), spoiled(
        "matmul", lambda a, b, out: store(out, np.matmul(load(a)[..., :-1], load(b)[:, :-1])),
        lambda a, b, out: a.shape[2] % 2 == 1 and a.shape[2] > 1 and out.dtype.name == "complex64")
    yield "addmm forgets beta", ("addmm",), {"addmm": lambda self, bias, a, b, beta, alpha, out: right(
        "addmm", self, bias, a, b, 1.0 if beta else 0.0, alpha, out)}
    yield "pool mean divides by the window", ("pool",), spoiled(
        "pool", lambda op, a, boxes, out, index: store(out, load(out) * 0.5), lambda op, *rest: POOL[op] == "mean")
    yield "conv2d swaps stride and dilation", ("conv2d",), spoiled(
        "conv2d", lambda *args: array(args[-1]).fill(0), lambda *args: args[3] != (1, 1))
    yield "conv2d of groups", ("conv2d",), spoiled("conv2d", lambda *args: array(args[-1])[:, 1:].fill(0),
                                                   lambda *args: args[6] > 1)
    yield "attention without its scale", ("attention",), {
        "attention": lambda self, q, k, v, mask, causal, scale, out: right(
            "attention", self, q, k, v, mask, causal, 1.0, out)}
    yield "attention hides one more", ("attention",), spoiled(
        "attention", lambda q, k, v, mask, causal, scale, out: array(out)[:, -1].__imul__(0.5),
        lambda q, k, v, mask, causal, scale, out: causal)
    yield "random integers with an end", ("random",), {
        "random": lambda self, kind, out, seed, offset, a, b: right("random", self, kind, out, seed, offset, a,
                                                                    b + 1 if kind == 2 else b)}
    yield "random seeds of 32 bits", ("random",), {
        "random": lambda self, kind, out, seed, offset, a, b: right(
            "random", self, kind, out, seed & 0xFFFFFFFF, offset, a, b)}
    yield "fft without its norm", ("fft",), {
        "fft": lambda self, a, out, axes, inverse, norm: right("fft", self, a, out, axes, inverse, "none")}
    yield "elementwise takes the first number for all", ("elementwise",), {"elementwise": _one_number}
    yield "map_reduce takes sums for products", ("map_reduce",), {
        "map_reduce": lambda self, program, ins, ops, *rest: right(
            "map_reduce", self, program, ins, tuple(0 if REDUCE[op] in ("prod", "max") else op for op in ops), *rest)}
    yield "binary_scalar forgets what is swapped", ("binary_scalar",), {
        "binary_scalar": lambda self, op, a, x, swapped, out: right("binary_scalar", self, op, a, x, False, out)}
    yield "binary_scalar of complex numbers by their real part", ("binary_scalar",), {
        "binary_scalar": lambda self, op, a, x, swapped, out: right(
            "binary_scalar", self, op, a, x.real if a.dtype.name in COMPLEX else x, swapped, out)}
    yield "d2h of a part gives the start", ("memory",), {"d2h": _start}
    yield "h2d of more than a megabyte wraps", ("memory",), {"h2d": _wraps}


def _one_number(self, program, ins, outs):
    first = [step[1] for step in program if step[0] == "number"]
    changed = tuple((("number", first[0]) if step[0] == "number" else step) for step in program)
    return right("elementwise", self, changed, ins, outs)


def _start(self, storage, start, host):
    host[:] = storage.buffer[:len(host)]


def _wraps(self, host, storage, start):
    data = np.frombuffer(host, "uint8")
    storage.buffer[start:start + len(data)] = data if len(data) <= 1 << 20 else np.resize(data[:1 << 20], len(data))
