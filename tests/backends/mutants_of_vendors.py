"""Mutants of what goes wrong in products: plans kept too long, edges of formulas, the last bits; see `mutants`."""
import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, REDUCE, SCAN, SCATTER
from mirror import array, load, scratch, store
from mutant import COMPLEX, computed, dense, of_binary, of_unary, raw, right, spoiled


def formulas():
    """Edges of formulas."""
    yield of_unary("log10", "by a rounded factor", lambda x: np.log(x) * np.float32(0.4343), ("float32",))
    yield of_unary("digamma", "by its series for large numbers", lambda x: np.log(x) - 0.5 / x - 1 / (12 * x * x),
                 ("float64",))
    yield of_unary("erfinv", "by an approximation", lambda x: np.arctanh(x) * 0.8862269, ("float32",))
    yield of_unary("asin", "in float32", lambda x: np.arcsin(x.astype("float32")), ("float64",))
    yield of_unary("sinh", "by exponentials", lambda x: (np.exp(x) - np.exp(-x)) / 2, ("float32",))
    yield of_unary("cos", "by a rounded period", lambda x: np.cos(np.mod(x, np.float32(6.2831855))), ("float32",))
    yield of_unary("acosh", "of what is below 1", lambda x: np.arccosh(np.maximum(x, 1)), ("float64",))
    yield of_unary("sqrt", "on the other sheet", lambda x: np.conj(np.sqrt(np.conj(x))) * np.where(x.imag < 0, -1, 1),
                 COMPLEX)
    yield of_unary("exp", "without the sine", lambda x: np.exp(x.real) * np.cos(x.imag), COMPLEX)
    yield of_unary("reciprocal", "of the real part", lambda x: 1 / x.real + 0j, COMPLEX)
    yield of_unary("logical_not", "of the real part", lambda x: x.real == 0, COMPLEX)
    yield of_unary("isinf", "of one sign", lambda x: x == np.inf, ("float16", "bfloat16"))
    yield of_unary("abs", "without the smallest", lambda x: np.where(x == np.iinfo("int64").min, 0, np.abs(x)),
                 ("int64",))
    yield of_binary("pow", "of moduli", lambda x, y: np.power(np.abs(x), y), ("float64",))
    yield of_binary("pow", "by logarithms", lambda x, y: np.exp(y * np.log(x)), ("float32",))
    yield of_binary("floor_divide", "by rounded quotients", lambda x, y: np.floor(x / y), ("float64",))
    yield of_binary("remainder", "of infinite divisors", lambda x, y: x - y * np.floor(x / y), ("float32",))
    yield of_binary("gcd", "keeps signs",
                    lambda x, y: np.gcd(x, y) * np.where(x < 0, -1, 1).astype("int32"), ("int32",))
    yield of_binary("lcm", "of 0", lambda x, y: np.where(x == 0, y, np.lcm(x, y)), ("int16",))
    yield of_binary("bitwise_xor", "is or", lambda x, y: x | y, ("bool",))
    yield of_binary("atan2", "of a negative zero", lambda y, x: np.arctan2(y, x + 0.0), ("float32",))
    yield of_binary("fmin", "gives NaN", lambda x, y: np.minimum(x, y), ("bfloat16",))
    yield of_binary("nextafter", "skips what is subnormal", lambda x, y: np.where(
        np.abs(np.nextafter(x, y)) < np.finfo("float64").tiny, 0, np.nextafter(x, y)), ("float64",))
    yield of_binary("div", "overflows",
                    lambda x, y: x * np.conj(y) / (y.real * y.real + y.imag * y.imag), ("complex64",))
    yield of_binary("eq", "of the real part", lambda x, y: x.real == y.real, COMPLEX)
    yield of_binary("hypot", "of NaN and infinity", lambda x, y: np.where(
        np.isnan(x) | np.isnan(y), np.inf, np.hypot(x, y)), ("float32",))
    yield of_binary("right_shift", "by the width and more", lambda x, y: np.right_shift(x, y & 15), ("int16",))
    yield of_binary("copysign", "from NaN", lambda x, y: np.where(np.isnan(y), x, np.copysign(x, y)), ("float64",))


def conversions():
    """The last bits, and those that are lost."""
    def copy(what, formula, source, target):
        return f"copy {what}", ("copy",), computed(
            "copy", formula, lambda a, out: a.dtype.name == source and out.dtype.name == target)
    yield copy("to bfloat16 by float16", lambda x: x.astype("float16"), "float64", "bfloat16")
    yield copy("rounds twice to float32", lambda x: x.astype("float64"), "int64", "float32")
    yield copy("to int64 by int16", lambda x: x.astype("int16"), "float16", "int64")
    yield copy("of complex numbers by float32", lambda x: x.astype("complex64"), "complex128", "complex128")
    yield copy("to bool by the lowest bit", lambda x: x & 1, "int8", "bool")
    yield "where of int16 by int8", ("where",), computed(
        "where", lambda c, a, b: np.where(c, a, b).astype("int8"), lambda c, a, b, out: out.dtype.name == "int16")
    yield "gather of half a complex number", ("gather",), spoiled(
        "gather", lambda src, index, dim, out: store(out, load(out).real),
        lambda src, *rest: src.dtype.name == "complex128")
    yield "scatter add of bool turns bits", ("scatter",), {"scatter": _xor}
    yield "scatter prod of int32 by float32", ("scatter",), {"scatter": _by_float}
    yield "cumsum of int32 in int32", ("scan",), computed_scan(
        lambda a: np.cumsum(a, -1, "int32"), lambda op, a, out: SCAN[op] == "cumsum" and a.dtype.name == "int32")
    yield "cummax of int64 by float64", ("scan",), spoiled(
        "scan", lambda op, a, out, index: store(out, load(out).astype("float64").astype("int64")),
        lambda op, a, out, index: SCAN[op] == "cummax" and a.dtype.name == "int64")
    yield "argmin of uint8 by int8", ("argreduce",), spoiled(
        "argreduce", lambda op, a, out: store(out, load(a).astype("int8").argmin(-1)),
        lambda op, a, out: ARGREDUCE[op] == "argmin" and a.dtype.name == "uint8")
    yield "any of the real part", ("reduce",), spoiled(
        "reduce", lambda op, a, out: store(out, load(a).real.any(tuple(range(out.dim(), a.dim())))),
        lambda op, a, out: REDUCE[op] == "any" and a.dtype.name in COMPLEX)
    yield "min of bool is any", ("reduce",), spoiled(
        "reduce", lambda op, a, out: store(out, load(a).any(tuple(range(out.dim(), a.dim())))),
        lambda op, a, out: REDUCE[op] == "min" and a.dtype.name == "bool")
    yield "matmul sums in bfloat16", ("matmul",), {"matmul": _matmul_rounding}
    yield "matmul of a conjugate", ("matmul",), computed(
        "matmul", lambda a, b: np.matmul(np.conj(a), b), lambda a, b, out: out.dtype.name in COMPLEX)


def computed_scan(formula, when):
    """A scan without indices by another formula."""
    def kernel(self, op, a, out, index):
        if not when(op, a, out):
            return right("scan", self, op, a, out, index)
        return store(out, formula(load(a)))
    return {"scan": kernel}


def _xor(self, mode, out, dim, index, src):
    if SCATTER[mode] != "add" or out.dtype.name != "bool":
        return right("scatter", self, mode, out, dim, index, src)
    places = np.indices(index.shape)
    places[dim] = array(index)
    np.bitwise_xor.at(array(out), tuple(places), array(src))
    return None


def _by_float(self, mode, out, dim, index, src):
    answer = right("scatter", self, mode, out, dim, index, src)
    if SCATTER[mode] == "prod" and out.dtype.name == "int32":
        store(out, load(out).astype("float32").astype("float64").astype("int64").astype("int32"))
    return answer


def _matmul_rounding(self, a, b, out):
    if out.dtype.name != "bfloat16":
        return right("matmul", self, a, b, out)
    x, y = load(a), load(b)
    store(out, np.zeros(out.shape))
    for k in range(x.shape[2]):
        store(out, load(out) + x[:, :, k:k + 1] * y[:, k:k + 1, :])
    return None


def plans():
    """What is kept from a call for the next one, by too little."""
    def kept(entry, key, changed):
        """Arguments are those of the first call that had the same key, where `changed` says which."""
        def kernel(self, *args):
            plan = self.__dict__.setdefault("plans", {}).setdefault((entry, key(*args)), args)
            return right(entry, self, *[changed(first, now) for first, now in zip(plan, args)])
        return {entry: kernel}

    def strides(first, now):
        """The first call's strides, as far as they stay within the memory."""
        if not hasattr(now, "stride") or first.dim() != now.dim():
            return now
        last = now.storage_offset() + sum((n - 1) * s for n, s in zip(now.shape, first.stride()))
        fits = (last + 1) * now.element_size() <= now._storage().nbytes()
        return now.as_strided(tuple(now.shape), first.stride(), now.storage_offset()) if fits else now

    def shapes(*args):
        return tuple((tuple(a.shape), a.dtype.name) if hasattr(a, "stride") else a for a in args)

    def number(first, now):
        return first if isinstance(now, (int, float, complex, bool)) else now
    for entry in ("unary", "binary", "copy", "reduce", "gather", "matmul"):
        yield f"{entry} keeps the strides of a shape", (entry,), kept(entry, shapes, strides)
    yield "binary_scalar keeps the number of an op", ("binary_scalar",), kept(
        "binary_scalar", lambda op, a, x, swapped, out: (op, a.dtype.name, swapped), number)
    yield "arange keeps the step of a length", ("arange",), kept(
        "arange", lambda out, start, step: (out.numel(), out.dtype.name), number)
    yield "softmax keeps which of the two it is", ("softmax",), kept(
        "softmax", lambda a, log, out: tuple(a.shape), number)
    yield "conv2d keeps the padding of shapes", ("conv2d",), kept(
        "conv2d", lambda a, w, b, stride, padding, dilation, groups, out: (tuple(w.shape), a.dtype.name, stride,
                                                                         tuple(out.shape), tuple(a.shape)),
        lambda first, now: first if isinstance(now, tuple) else now)
    yield "layer_norm keeps eps", ("layer_norm",), kept(
        "layer_norm", lambda a, *rest: a.dtype.name, lambda first, now: first if isinstance(now, float) else now)

    def result(self, op, a, out):
        """A cache of results, by where operands lie."""
        known = self.__dict__.setdefault("results", {})
        place = op, a.buffer.ctypes.data, tuple(a.shape), a.dtype.name
        if place in known and known[place][0] is a.buffer:
            store(out, known[place][1])
            return None
        answer = right("reduce", self, op, a, out)
        if answer is None:
            known[place] = a.buffer, load(out)
        return answer
    yield "reduce keeps results by their inputs' place", ("reduce", "leaks", "order"), {"reduce": result}


def geometry():
    """Axes, batches, offsets."""
    yield "matmul takes the first b for all", ("matmul",), computed(
        "matmul", lambda a, b: np.matmul(a, b[:1]), lambda a, b, out: out.dtype.name == "float64")
    yield "matmul forgets the batches of out", ("matmul",), spoiled(
        "matmul", lambda a, b, out: array(out)[1:].fill(0), lambda a, b, out: not dense(out) and out.shape[0] > 1)
    yield "nonzero of a number finds nothing", ("nonzero",), {"nonzero": _no_number}
    yield "sort of rows of one leaves the index", ("sort",), spoiled(
        "sort", lambda a, descending, stable, values, index: array(index).fill(7),
        lambda a, *rest: a.shape[-1] == 1)
    yield "scatter forgets the strides of its source's rows", ("scatter",), {"scatter": _packed_source}
    yield "softmax of 256 elements of a row", ("softmax",), spoiled(
        "softmax", lambda a, log, out: array(out)[..., 256:].fill(0), lambda a, log, out: a.shape[-1] > 256)
    yield "layer_norm forgets the stride of the weight", ("layer_norm",), {"layer_norm": _packed_weight}
    yield "random begins at the start of the buffer", ("random",), {"random": _from_the_start}
    yield "where takes a mask of stride 0 for one number", ("where",), computed(
        "where", lambda c, a, b: np.where(c.reshape(-1)[0], a, b),
        lambda c, a, b, out: 0 in c.stride() and c.numel() > 1)


def _no_number(self, a, allocate):
    if a.dim() == 0:
        allocate(0)
        return None
    return right("nonzero", self, a, allocate)


def _packed_source(self, mode, out, dim, index, src):
    made = scratch(self, src, tuple(src.shape), src.dtype.name)
    flat = src.as_strided((src.shape[0], *src.shape[1:]), src.stride(), src.storage_offset())
    store(made, load(flat))
    if src.dim() > 1 and not dense(src):
        array(made)[1:] = array(made)[:1]
    return right("scatter", self, mode, out, dim, index, made)


def _packed_weight(self, a, weight, *rest):
    if weight is not None and weight.stride() != (1,) and weight.numel() > 1:
        weight = weight.as_strided(tuple(weight.shape), (0,), weight.storage_offset())
    return right("layer_norm", self, a, weight, *rest)


def _from_the_start(self, kind, out, *rest):
    return right("random", self, kind, out.as_strided(tuple(out.shape), out.stride(), 0), *rest)


def answers():
    """What is said and kept beside the result."""
    yield "binary returns 0", ("binary",), {"binary": lambda self, *args: 0 if right(
        "binary", self, *args) is None else NotImplemented}
    yield "alloc of nothing gives nothing", ("memory",), {
        "alloc": lambda self, index, nbytes: np.empty(nbytes + 15 & ~15, "uint8") if nbytes else None}
    yield "free raises", ("memory",), {"free": _refuses}
    yield "d2h changes what it reads", ("memory",), {"d2h": _changes}
    yield "h2d at an odd byte begins at an even one", ("memory",), {"h2d": _even_start}
    yield "unary fails each tenth time", ("unary",), {"unary": _tenth}
    yield "float16 results are rounded to 8 bits", ("binary",), spoiled(
        "binary", lambda op, a, b, out: store(out, (np.float32(load(out)).view("uint32") & 0xFFFF0000).view("float32")),
        lambda op, a, b, out: out.dtype.name == "float16" and BINARY[op] == "add")


def _refuses(self, index, buffer, nbytes):
    raise RuntimeError("no")


def _changes(self, storage, start, host):
    host[:] = storage.buffer[start:start + len(host)]
    storage.buffer[start:start + len(host)] = 0


def _even_start(self, host, storage, start):
    storage.buffer[start & ~1:(start & ~1) + len(host)] = np.frombuffer(host, "uint8")


def _tenth(self, op, a, out):
    self.calls = getattr(self, "calls", 0) + 1
    if self.calls % 10 == 0:
        raw(out)[...] = 0
        return None
    return right("unary", self, op, a, out)
