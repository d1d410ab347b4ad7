"""Mutants of what compilers, drivers and chips get wrong: see `mutants`.

Units that saturate or flush, vectors whose length divides a size, registers of 32 bits, geometry taken for a simpler
one, results that are only usual.
"""
import time

import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, RANDOM, REDUCE, SCAN, SCATTER
from mirror import array, load, scratch, store
from mutant import computed, dense, of_binary, of_unary, raw, right, spoiled


def _flushed(x):
    return np.where(np.abs(x) < np.finfo(x.dtype).tiny, x * 0, x)


def units():
    """What arithmetic units do to numbers: flush, saturate, take a wider or a narrower type."""
    yield of_binary("mul", "flushes what is subnormal", lambda x, y: _flushed(_flushed(x) * _flushed(y)), ("float32",))
    yield of_unary("neg", "flushes what is subnormal", lambda x: -_flushed(x), ("float64",))

    def copied(what, formula, source, target):
        return f"copy {what}", ("copy",), computed(
            "copy", formula, lambda a, out: a.dtype.name == source and out.dtype.name == target)
    yield copied("of bfloat16 to int16 rounds", np.rint, "bfloat16", "int16")
    yield copied("to uint8 by int8", lambda x: np.clip(np.trunc(x), -128, 127), "float32", "uint8")
    yield copied("to float16 saturates", lambda x: np.clip(x, -65504, 65504), "int32", "float16")
    yield of_binary("add", "of uint8 saturates", lambda x, y: np.minimum(x.astype("int64") + y, 255), ("uint8",))
    yield of_unary("abs", "saturates", lambda x: np.minimum(np.abs(x.astype("int64")), 127), ("int8",))
    yield of_binary("remainder", "by moduli", lambda x, y: np.mod(x, np.abs(y)), ("int8",))
    yield of_binary("trunc_divide", "of uint8 by int8", lambda x, y: np.trunc(
        x.astype("int8") / y.astype("int8").astype(float)), ("uint8",))
    yield of_binary("pow", "of int64 by float64", lambda x, y: np.power(
        x.astype(float), y).astype("int64"), ("int64",))
    yield of_binary("pow", "of int32 by float32", lambda x, y: np.power(
        x.astype("float32"), y.astype("float32")).astype("int64").astype("int32"), ("int32",))
    yield of_binary("gcd", "of int64 by int32", lambda x, y: np.gcd(
        x.astype("int32").astype("int64"), y.astype("int32").astype("int64")), ("int64",))
    yield of_binary("hypot", "underflows", lambda x, y: np.where(
        np.abs(x) + np.abs(y) > 1e15, np.hypot(x, y), np.where(np.isinf(x) | np.isinf(y), np.inf,
                                                              np.sqrt(x * x + y * y))), ("float32",))
    yield of_unary("abs", "of large complex numbers", lambda x: np.sqrt(x.real * x.real + x.imag * x.imag),
                 ("complex64",))
    yield of_binary("fmod", "by a quotient", lambda x, y: np.where(
        np.isinf(y) & np.isfinite(x), x, np.copysign(x - y * np.trunc(x / y), x)), ("float64",))
    yield of_unary("round", "by a magic number", lambda x: np.where(np.abs(x) < 2**24, np.copysign(
        (x + np.float32(12582912)) - np.float32(12582912), x), x), ("float32",))
    yield "arange of int64 by float64", ("arange",), spoiled(
        "arange", lambda out, start, step: store(out, (float(start) + np.arange(out.numel()) * float(step)).astype(
            "int64")), lambda out, start, step: out.dtype.name == "int64")


def blocks():
    """Sizes that a block, a vector or a tile divides."""
    yield "sum of rows of whole blocks adds the last twice", ("reduce",), spoiled(
        "reduce", lambda op, a, out: store(out, load(out) + load(a).reshape(*out.shape, -1)[..., -1]),
        lambda op, a, out: REDUCE[op] == "sum" and a.dtype.name == "float32"
        and a.numel() // out.numel() % 256 == 0)
    yield "argmax at the start of a block is one before", ("argreduce",), spoiled(
        "argreduce", lambda op, a, out: store(out, load(out) - ((load(out) % 64 == 0) & (load(out) > 0))),
        lambda op, a, out: ARGREDUCE[op] == "argmax")
    yield "cumsum of whole blocks leaves the last", ("scan",), spoiled(
        "scan", lambda op, a, out, index: store(out.narrow(-1, out.shape[-1] - 1, 1), 0),
        lambda op, a, out, index: SCAN[op] == "cumsum" and a.shape[-1] % 64 == 0)
    yield "sort of as many as a power of two", ("sort",), spoiled(
        "sort", lambda a, down, stable, values, index: store(values, load(values)[..., ::-1]),
        lambda a, *rest: a.shape[-1] > 2 and a.shape[-1] & (a.shape[-1] - 1) == 0)
    yield "matmul over whole tiles leaves the last", ("matmul",), spoiled(
        "matmul", lambda a, b, out: store(out, np.matmul(load(a)[..., :-1], load(b)[:, :-1])),
        lambda a, b, out: a.shape[2] % 16 == 0 and out.dtype.name == "float32")
    yield "h2d of whole pages leaves the last", ("memory",), {"h2d": _pages}


def _pages(self, host, storage, start):
    count = len(host) - 65536 if len(host) and len(host) % 65536 == 0 else len(host)
    storage.buffer[start:start + count] = host[:count]


def layouts():
    """Geometry that is taken for a simpler one."""
    def dense_twin(view):
        strides, step = [], 1
        for size in reversed(view.shape):
            strides.append(step)
            step *= size
        return view.as_strided(tuple(view.shape), tuple(reversed(strides)), view.storage_offset())

    def squares(self, op, a, b, out):
        square = out.dim() == 2 and out.shape[0] == out.shape[1] and dense(a, out)
        return right("binary", self, op, a, dense_twin(b) if square else b, out)
    yield "binary of squares forgets how b is turned", ("binary",), {"binary": squares}
    yield "matmul of two that are one for all", ("matmul",), spoiled(
        "matmul", lambda a, b, out: array(out)[1:].fill(0),
        lambda a, b, out: a.stride()[0] == 0 == b.stride()[0] and out.shape[0] > 1)

    def one_number(self, op, a, b, out):
        if b.dim() and b.numel() > 1 and not any(b.stride()):
            twin = scratch(self, b, tuple(b.shape), b.dtype.name)
            raw(twin).fill(0)
            raw(twin).reshape(-1)[:1] = raw(b).reshape(-1)[:1]
            b = twin
        return right("binary", self, op, a, b, out)
    yield "binary walks along one number", ("binary",), {"binary": one_number}

    def five(self, op, a, out):
        return right("unary", self, op, dense_twin(a) if 4 <= a.dim() <= 7 else a, out)
    yield "unary of four to seven axes", ("unary",), {"unary": five}

    def third(self, program, ins, outs):
        views = [x for x in ins if hasattr(x, "stride")]
        if len(views) > 2:
            ins = tuple(x.as_strided(tuple(x.shape), views[1].stride(), x.storage_offset())
                        if x is views[2] and not dense(x) else x for x in ins)
        return right("elementwise", self, program, ins, outs)
    yield "elementwise gives the third operand the second's strides", ("elementwise",), {"elementwise": third}

    def multiplied(self, a, weight, bias, stride, padding, dilation, groups, out):
        answer = right("conv2d", self, a, weight, bias, stride, padding, dilation, groups, out)
        if groups == a.shape[1] and 1 < groups < out.shape[1]:
            store(out, load(out)[:, ::-1])
        return answer
    yield "conv2d of two filters a channel", ("conv2d",), {"conv2d": multiplied}


def usual_cases():
    """Results that are right for usual arguments."""
    def signed(self, a, descending, stable, values, index):
        if a.dtype.name not in ("float32", "float64"):
            return right("sort", self, a, descending, stable, values, index)
        x = load(a)
        bits = np.ascontiguousarray(x).view(f"i{x.dtype.itemsize}")
        keys = np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)
        keys = np.where(x == 0, 0, keys)
        order = np.argsort(~keys if descending else keys, -1, kind="stable")
        store(values, np.take_along_axis(x, order, -1))
        store(index, order)
    yield "sort puts NaN with a sign first", ("sort",), {"sort": signed}

    def low_words(self, kind, out, seed, offset, a, b):
        answer = right("random", self, kind, out, seed, offset, a, b)
        each = 2 if out.element_size() == 8 else 4
        left = (2**32 - offset % 2**32) * each              # elements before the low word of the counter wraps
        if left < out.numel():
            again = out.as_strided((out.numel() - left,), (1,), out.storage_offset() + left)
            right("random", self, kind, again, seed, offset - offset % 2**32, a, b)
        return answer
    yield "random loses the carry of its counter", ("random",), {"random": low_words}
    yield "random normal of an even count", ("random",), spoiled(
        "random", lambda kind, out, *rest: array(out).reshape(-1)[-1:].fill(0),
        lambda kind, out, *rest: RANDOM[kind] == "normal" and out.numel() % 2 == 0)
    yield "random integers of 32 bits", ("random",), {"random": lambda self, kind, out, seed, offset, a, b: right(
        "random", self, kind, out, seed, offset, a, a + min(b - a, 2.0**32))}
    yield "binary_scalar has no infinity", ("binary_scalar",), {
        "binary_scalar": lambda self, op, a, x, swapped, out: right(
            "binary_scalar", self, op, a, np.sign(x) * 3e38 if isinstance(x, float) and np.isinf(x) else x, swapped,
            out)}
    yield "binary_scalar remainder by a negative number", ("binary_scalar",), {
        "binary_scalar": lambda self, op, a, x, swapped, out: right(
            "binary_scalar", self, op, a, abs(x) if BINARY[op] == "remainder" else x, swapped, out)}
    yield "cholesky says that all is well", ("linalg",), spoiled(
        "linalg", lambda routine, ins, outs, options: array(outs[1]).fill(0),
        lambda routine, *rest: routine == "cholesky")
    yield "triangular_solve has no options", ("linalg",), {"linalg": lambda self, routine, ins, outs, options: right(
        "linalg", self, routine, ins, outs, {"upper": True, "transpose": False, "unit": False}
        if routine == "triangular_solve" else options)}

    def greatest(self, mode, out, dim, index, src):
        if SCATTER[mode] != "max" or src.dtype.name not in ("float32", "float64"):
            return right("scatter", self, mode, out, dim, index, src)
        places = list(np.indices(index.shape))
        places[dim] = array(index)
        np.fmax.at(array(out), tuple(places), load(src))
        return None
    yield "scatter max of NaN", ("scatter",), {"scatter": greatest}


def shared_state():
    """What lies in the backend's object from call to call."""
    def through_a_field(self, a, b, out):
        self.left = scratch(self, a, tuple(a.shape), a.dtype.name)
        store(self.left, load(a))
        time.sleep(1e-4)
        answer = right("matmul", self, self.left, b, out) if tuple(self.left.shape) == tuple(a.shape) else None
        self.left = None
        return answer
    yield "matmul packs into a field", ("threads",), {"matmul": through_a_field}

    def kept(self, a, log, out):
        """Keeps the greatest of each row of a shape, and that it took it away in time."""
        known = self.__dict__.setdefault("greatest", {})
        key = tuple(a.shape), a.dtype.name, log
        most = known.setdefault(key, load(a).max(-1, keepdims=True))
        with np.errstate(all="ignore"):
            shifted = np.exp((load(a) - most).astype("float32"))
            total = shifted.sum(-1, keepdims=True)
            store(out, np.log(shifted / total) if log else shifted / total)
    yield "softmax keeps the greatest of a shape", ("softmax", "threads"), {"softmax": kept}
