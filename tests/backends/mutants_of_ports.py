"""Mutants of what goes wrong when kernels of another library are brought to a device: see `mutants`.

An operand goes through a type of that library, its geometry through its descriptors, its limits stay.
"""
import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, REDUCE, SCAN, SCATTER, UNARY
from mirror import array, load, scratch, store
from mutant import computed, dense, is_op, raw, right, spoiled


def _of(view, kind):
    """A dense twin of a View whose values went through another type."""
    twin = scratch(view._backend(), view, tuple(view.shape), view.dtype.name)
    with np.errstate(all="ignore"):
        values = load(view).astype(kind)
        store(twin, values if view.dtype.name == "bool" else values.astype(load(view).dtype))
    return twin


def _through(entry, kind, when, which=None):
    """`entry`, whose inputs of one dtype (those in the places `which`) go through another type."""
    def kernel(self, *args):
        if not when(*args):
            return right(entry, self, *args)
        places = which or [i for i, a in enumerate(args[:-1]) if hasattr(a, "stride")][:1]
        return right(entry, self, *[_of(a, kind) if i in places else a for i, a in enumerate(args)])
    return {entry: kernel}


def types():
    """Through a type of the library's."""
    yield "maximum of int64 by float32", ("binary",), _through(
        "binary", "float32", is_op(BINARY, "maximum", ("int64",)), (1, 2))
    yield "tanh of float64 by float32", ("unary",), _through("unary", "float32", is_op(UNARY, "tanh", ("float64",)))
    yield "argmin of int32 by float32", ("argreduce",), _through(
        "argreduce", "float32", lambda op, a, out: ARGREDUCE[op] == "argmin" and a.dtype.name == "int32")
    yield "sort of int32 by float32", ("sort",), _through(
        "sort", "float32", lambda a, *rest: a.dtype.name == "int32")
    yield "cumsum of float64 by float32", ("scan",), _through(
        "scan", "float32", lambda op, a, *rest: SCAN[op] == "cumsum" and a.dtype.name == "float64")
    yield "prod of float64 by float32", ("reduce",), _through(
        "reduce", "float32", lambda op, a, out: REDUCE[op] == "prod" and a.dtype.name == "float64")
    yield "min of uint8 by int8", ("reduce",), spoiled(
        "reduce", lambda op, a, out: store(out, load(a).astype("int8").min(tuple(range(out.dim(), a.dim())))),
        lambda op, a, out: REDUCE[op] == "min" and a.dtype.name == "uint8")
    yield "scatter add of int64 by int32", ("scatter",), {"scatter": lambda self, mode, out, dim, index, src: right(
        "scatter", self, mode, out, dim, index, _of(src, "int32")
        if SCATTER[mode] == "add" and src.dtype.name == "int64" else src)}
    yield "gather of int16 by int8", ("gather",), _through(
        "gather", "int8", lambda src, *rest: src.dtype.name == "int16")
    yield "partial_sort of int64 by float64", ("partial_sort",), _through(
        "partial_sort", "float64", lambda a, *rest: a.dtype.name == "int64")
    yield "softmax of float64 by float32", ("softmax",), _through(
        "softmax", "float32", lambda a, *rest: a.dtype.name == "float64")
    yield "conv2d of float64 by float32", ("conv2d",), _through(
        "conv2d", "float32", lambda a, *rest: a.dtype.name == "float64")
    yield "conv2d of float32 by bfloat16", ("conv2d",), spoiled(
        "conv2d", lambda *args: store(args[-1], (load(args[-1]).view("uint32") & 0xFFFF8000).view("float32")),
        lambda *args: args[-1].dtype.name == "float32")
    yield "attention of float32 by float16", ("attention",), _through(
        "attention", "float16", lambda q, *rest: q.dtype.name == "float32")
    yield "matmul by ten bits of a factor", ("matmul",), {"matmul": lambda self, a, b, out: right(
        "matmul", self, *[_tensor_core(x) if x.dtype.name == "float32" else x for x in (a, b)], out)}
    yield "eq of int64 by its low word", ("binary",), computed(
        "binary", lambda x, y: x.astype("int32") == y.astype("int32"), is_op(BINARY, "eq", ("int64",)))
    yield "lt of int32 by a difference", ("binary",), computed(
        "binary", lambda x, y: x - y < 0, is_op(BINARY, "lt", ("int32",)))
    yield "copy of bool by its byte times 255", ("copy",), computed(
        "copy", lambda x: x * 255.0, lambda a, out: a.dtype.name == "bool" and out.dtype.name == "bfloat16")
    yield "acos by asin", ("unary",), computed(
        "unary", lambda x: np.pi / 2 - np.arcsin(x), is_op(UNARY, "acos", ("float64",)))
    yield "abs of complex numbers as they count in a city", ("unary",), computed(
        "unary", lambda x: np.abs(x.real) + np.abs(x.imag), is_op(UNARY, "abs", ("complex64",)))


def _tensor_core(view):
    """As tensor cores read float32: with ten bits of its fraction."""
    twin = scratch(view._backend(), view, tuple(view.shape), "float32")
    store(twin, (load(view).view("uint32") & 0xFFFFE000).view("float32"))
    return twin


def descriptors():
    """Geometry that a descriptor has no room for."""
    def packed(view):
        strides, step = [], 1
        for size in reversed(view.shape):
            strides.append(step)
            step *= size
        last = view.storage_offset() + step
        fits = last * view.element_size() <= view._storage().nbytes()
        return view.as_strided(tuple(view.shape), tuple(reversed(strides)), view.storage_offset()) if fits else view

    def forgets(entry, position, when=lambda *args: True):
        def kernel(self, *args):
            args = list(args)
            if args[position] is not None and when(*args):
                args[position] = packed(args[position])
            return right(entry, self, *args)
        return {entry: kernel}
    yield "softmax takes out for dense", ("softmax",), forgets("softmax", 2)
    yield "partial_sort takes its index for dense", ("partial_sort",), forgets("partial_sort", 4)
    yield "layer_norm takes its input for dense", ("layer_norm",), forgets("layer_norm", 0)
    yield "conv2d takes its weight for dense", ("conv2d",), forgets("conv2d", 1)
    yield "attention takes its mask for dense", ("attention",), forgets("attention", 3)
    yield "fft takes out for dense", ("fft",), forgets("fft", 1)
    yield "scatter takes its index for dense", ("scatter",), forgets("scatter", 3)
    yield "nonzero takes its input for dense", ("nonzero",), forgets("nonzero", 0)
    yield "addmm takes its bias for dense", ("addmm",), forgets("addmm", 0)
    yield "random takes out's start for its storage's", ("random",), {"random": lambda self, kind, out, *rest: right(
        "random", self, kind, out.as_strided(tuple(out.shape), out.stride(), 0), *rest)}
    yield "binary of a row beside a matrix in place", ("binary",), spoiled(
        "binary", lambda op, a, b, out: array(out)[..., :1].fill(0),
        lambda op, a, b, out: out is a and not dense(a) and out.dim() == 2)
    yield "grid_sample takes its grid for dense", ("grid_sample",), forgets("grid_sample", 4)


def limits_of_libraries():
    """What a library's kernels have no room for, and nobody asks."""
    yield "sort of more than 65535 rows", ("sort",), spoiled(
        "sort", lambda a, down, stable, values, index: array(values)[65535:].fill(0),
        lambda a, *rest: a.dim() == 2 and a.shape[0] > 65535)
    yield "cumprod of more than 4096", ("scan",), spoiled(
        "scan", lambda op, a, out, index: array(out)[..., 4096:].fill(1),
        lambda op, a, out, index: SCAN[op] == "cumprod" and a.shape[-1] > 4096)
    yield "attention of more than 128 keys", ("attention",), {
        "attention": lambda self, q, k, v, mask, causal, scale, out: right(
            "attention", self, q, k.narrow(1, 0, 128), v.narrow(1, 0, 128),
            None if mask is None else mask.narrow(2, 0, 128), causal, scale, out)
        if k.shape[1] > 128 else right("attention", self, q, k, v, mask, causal, scale, out)}
    yield "conv2d of filters in fours", ("conv2d",), spoiled(
        "conv2d", lambda *args: array(args[-1])[:, args[-1].shape[1] // 4 * 4:].fill(0),
        lambda *args: args[-1].shape[1] % 4)
    yield "max of what begins in the middle of a vector", ("reduce",), spoiled(
        "reduce", lambda op, a, out: store(out, load(a)[..., 4 - a.storage_offset() % 4:].max(-1)),
        lambda op, a, out: REDUCE[op] == "max" and dense(a) and a.storage_offset() % 4 and a.dim() == 2
        and out.dim() == 1 and a.shape[1] > 4)
    yield "matmul of more than 65535 in a batch", ("matmul",), spoiled(
        "matmul", lambda a, b, out: array(out)[65535:].fill(0), lambda a, b, out: out.shape[0] > 65535)
    yield "gather of the last place", ("gather",), {"gather": _before_the_last}
    yield "pool of windows over the end", ("pool",), spoiled(
        "pool", lambda op, a, boxes, out, index: array(out)[..., -1:].fill(0),
        lambda op, a, boxes, out, index: boxes[2][1][2] == 1
        and boxes[2][1][0] * (out.shape[-1] - 1) + boxes[2][1][1] > a.shape[-1])


def _before_the_last(self, src, index, dim, out):
    places = scratch(self, index, tuple(index.shape), "int64")
    store(places, np.minimum(load(index), max(src.shape[dim] - 2, 0)))
    return right("gather", self, src, places, dim, out)


def habits():
    """What is kept, shared or rounded up because it always was."""
    def one_buffer(self, op, a, b, out):
        if a is b is out:
            raw(out)[...] = raw(out) * 0
        return right("binary", self, op, a, b, out)
    yield "binary of one view in three places", ("binary",), {"binary": one_buffer}
    yield "copy converts the first of what is broadcast", ("copy",), spoiled(
        "copy", lambda a, out: array(out).reshape(-1)[1:].fill(0),
        lambda a, out: 0 in a.stride() and a.dtype is not out.dtype and dense(out))

    def planned(self, program, ins, outs):
        """Keeps how it computes a program under its address."""
        kind = self.__dict__.setdefault("kinds", {}).setdefault(id(program), outs[0].dtype.name)
        answer = right("elementwise", self, program, ins, outs)
        if kind in ("float16", "bfloat16", "float32") and outs[0].dtype.name == "float64":
            store(outs[0], load(outs[0]).astype("float32"))
        return answer
    yield "elementwise keeps the type of a program", ("elementwise",), {"elementwise": planned}

    def words(self, storage, start, host):
        """Writes whole words into the host's memory."""
        count = -(-len(host) // 4) * 4
        found = np.zeros(count, "uint8")
        found[:len(host)] = storage.buffer[start:start + len(host)]
        whole = np.frombuffer(host, "uint8")
        np.lib.stride_tricks.as_strided(whole, (count,), writeable=True)[...] = found
    yield "d2h writes whole words", ("memory",), {"d2h": words}
    yield "attention of one query", ("attention",), spoiled(
        "attention", lambda q, *rest: array(rest[-1]).fill(0), lambda q, *rest: q.shape[1] == 1)
    yield "layer_norm of one row", ("layer_norm",), spoiled(
        "layer_norm", lambda a, weight, bias, eps, out, mean, rstd: array(mean).fill(0),
        lambda a, *rest: a.shape[0] == 1)
