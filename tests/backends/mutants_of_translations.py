"""Mutants of kernels translated from elsewhere, written before anyone looked what the suite sees: see `mutants`.

Formulas of shaders, 64 bits in halves, packed operands kept by their address, layers as another library defines them.
"""
import inspect

import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, POOL, RANDOM, REDUCE, SCAN, SCATTER, UNARY, Backend
from mirror import array, load, scratch, store
from mutant import COMPLEX, computed, given, is_op, right, spoiled


def _unary(name, what, formula, *kinds):
    return f"unary {name} {what}", ("unary",), computed("unary", formula, is_op(UNARY, name, kinds))


def _binary(name, what, formula, *kinds):
    return f"binary {name} {what}", ("binary",), computed("binary", formula, is_op(BINARY, name, kinds))


def _twin(view, values):
    twin = scratch(view._backend(), view, tuple(view.shape), view.dtype.name)
    store(twin, values)
    return twin


def _replaced(entry, position, values, when=lambda *args: True):
    """{entry: the right kernel of a changed copy of one operand}."""
    return given(entry, lambda *args: [_twin(a, values(load(a))) if i == position else a for i, a in enumerate(args)],
                  when)


def shaders():
    """Formulas of graphics languages."""
    yield _unary("floor", "by int64", lambda x: np.where(np.isfinite(x) & (np.abs(x) > 2.0**62), 2.0**63, np.floor(x)),
                 "float64")
    yield _unary("exp", "of 88 at most", lambda x: np.exp(np.minimum(x, np.float32(88))), "float32")
    yield _unary("sigmoid", "within 1e-7", lambda x: np.clip(1 / (1 + np.exp(-x)), 1e-7, 1 - 1e-7), "float32")
    yield _unary("log", "of what is subnormal", lambda x: np.log(np.where(np.abs(x) < 1.2e-38, 0 * x, x)), "float32")
    yield _unary("reciprocal", "flushes", lambda x: np.where(np.abs(1 / x) < 1.2e-38, 0 / x, 1 / x), "float32")
    yield _unary("isinf", "by float32", lambda x: np.isinf(x.astype("float32")), "float64")
    yield _unary("isfinite", "by the modulus", lambda x: np.isfinite(x.real * x.real + x.imag * x.imag), *COMPLEX)
    yield _binary("div", "by the reciprocal of what is large", lambda x, y: x * np.where(
        np.abs(1 / y) < 1.2e-38, 0 / y, 1 / y), "float32")
    yield _binary("fmod", "by a quotient", lambda x, y: x - y * np.trunc(x / y), "float32")
    yield _binary("atan2", "of two zeros", lambda y, x: np.where((x == 0) & (y == 0), 0, np.arctan2(y, x)), "float32")
    yield _binary("nextafter", "of 0", lambda x, y: np.where(x == 0, x, np.nextafter(x, y)), "float32")
    yield _binary("eq", "by float32", lambda x, y: x.astype("float32") == y.astype("float32"), "float64")
    yield _binary("lt", "by float64", lambda x, y: x.astype("float64") < y.astype("float64"), "int64")
    yield _binary("gt", "of bytes with a sign", lambda x, y: x.astype("int8") > y.astype("int8"), "uint8")
    yield _binary("logical_and", "by a product", lambda x, y: x * y != 0, "float32")
    yield _binary("logical_or", "by a sum", lambda x, y: x + y != 0, "int32")
    yield _binary("ne", "by a difference", lambda x, y: x - y != 0, "float32")
    yield _binary("hypot", "of infinity and NaN", lambda x, y: np.where(
        np.isnan(x) | np.isnan(y), np.nan, np.hypot(x, y)), "float64")

    def mixed(self, cond, a, b, out):
        if a.dtype.name != "float32":
            return right("where", self, cond, a, b, out)
        with np.errstate(all="ignore"):
            c = load(cond).astype("float32")
            return store(out, c * load(a) + (1 - c) * load(b))
    yield "where by a weighted sum", ("where",), {"where": mixed}


def _low(x):
    return x & 0xFFFFFFFF


def halves():
    """64 bits from two words, whole numbers by floats."""
    yield _binary("mul", "of int64 without one product of halves", lambda x, y: _low(x) * _low(y) + (
        (x >> 32) * _low(y) << 32), "int64")
    yield _binary("sub", "of int64 without the borrow", lambda x, y: ((x >> 32) - (y >> 32) << 32) + _low(
        _low(x) - _low(y)), "int64")
    yield _binary("floor_divide", "by float32", lambda x, y: np.floor(x.astype("float32") / y.astype("float32")).astype(
        "float64").astype("int64").astype("int32"), "int32")
    yield _binary("remainder", "by float64", lambda x, y: (x - y * np.floor(x / y).astype("int64")), "int64")
    yield _binary("maximum", "of the low words", lambda x, y: np.where(_low(x) > _low(y), x, y), "int64")
    yield _unary("abs", "of the high word", lambda x: np.where(x < -2**32, -x, x), "int64")

    def words(self, op, a, out):
        if REDUCE[op] != "sum" or a.dtype.name != "int64" or out.dtype.name != "int64":
            return right("reduce", self, op, a, out)
        x = load(a).reshape(*out.shape, -1)
        low = _low(x).sum(-1)
        return store(out, ((x >> 32).sum(-1) << 32) + _low(low))
    yield "sum of int64 without the carry", ("reduce",), {"reduce": words}
    yield "sort of int32 descending by its negative", ("sort",), {"sort": _sort_by_negative}
    yield "cumsum of int64 in 53 bits", ("scan",), _replaced(
        "scan", 1, lambda x: x.astype("float64").clip(-2.0**62, 2.0**62).astype("int64"),
        lambda op, a, out, index: SCAN[op] == "cumsum" and a.dtype.name == "int64")
    yield "arange with an unsigned step", ("arange",), given(
        "arange", lambda out, start, step: (out, start, abs(step)))
    yield "copy of float16 to bfloat16 cuts off", ("copy",), computed(
        "copy", lambda x: (x.astype("float32").view("uint32") & 0xFFFF0000).view("float32"),
        lambda a, out: a.dtype.name == "float16" and out.dtype.name == "bfloat16")
    yield "argmax of bool finds the last", ("argreduce",), {"argreduce": _last_truth}
    yield "nonzero of complex numbers by their real part", ("nonzero",), {"nonzero": _real_nonzero}


def _sort_by_negative(self, a, descending, stable, values, index):
    if not descending or a.dtype.name != "int32":
        return right("sort", self, a, descending, stable, values, index)
    x = load(a)
    order = np.argsort(-x, -1, kind="stable")
    store(values, np.take_along_axis(x, order, -1))
    return store(index, order)


def _last_truth(self, op, a, out):
    if ARGREDUCE[op] != "argmax" or a.dtype.name != "bool":
        return right("argreduce", self, op, a, out)
    x = load(a)
    return store(out, np.where(x.any(-1), x.shape[-1] - 1 - np.argmax(x[..., ::-1], -1), 0))


def _real_nonzero(self, a, allocate):
    if a.dtype.name not in COMPLEX:
        return right("nonzero", self, a, allocate)
    found = np.argwhere(array(a).real)
    array(allocate(len(found)))[...] = found
    return None


def _packs(entry, position):
    """{entry: a kernel that packs an operand once for an address and a shape, as if it never changed}."""
    def kernel(self, *args):
        view = args[position]
        if view is None:
            return right(entry, self, *args)
        kept = self.__dict__.setdefault("packed", {})
        key = entry, view.buffer.ctypes.data, view.storage_offset(), tuple(view.shape), view.dtype.name
        if key not in kept:
            kept[key] = array(view).copy(), view.buffer
        twin = scratch(self, view, tuple(view.shape), view.dtype.name)
        array(twin)[...] = kept[key][0]
        return right(entry, self, *[twin if i == position else a for i, a in enumerate(args)])
    return {entry: kernel}


def _first_of(entry, position, *places):
    """{entry: a kernel that takes an option as it was in the first call of a shape}."""
    def kernel(self, *args):
        kept = self.__dict__.setdefault("options", {})
        key = entry, *[tuple(args[place].shape) for place in places], args[places[0]].dtype.name
        args = list(args)
        args[position] = kept.setdefault(key, args[position])
        return right(entry, self, *args)
    return {entry: kernel}


def packed():
    """What is made once, and kept by a key that says too little."""
    yield "matmul packs b once for an address", ("matmul",), _packs("matmul", 1)
    yield "conv2d packs its filters once for an address", ("conv2d",), _packs("conv2d", 1)
    yield "gather packs its index once for an address", ("gather",), _packs("gather", 1)
    yield "layer_norm packs its weight once for an address", ("layer_norm",), _packs("layer_norm", 1)
    yield "addmm keeps its beta for a shape", ("addmm",), _first_of("addmm", 3, 1, 2)
    yield "attention keeps its scale for a shape", ("attention",), _first_of("attention", 5, 0, 1)
    yield "sort keeps its direction for a shape", ("sort",), _first_of("sort", 1, 0)
    yield "fft keeps its norm for a shape", ("fft",), _first_of("fft", 4, 0, 1)


def _described(args):
    """Shapes and dtypes of all operands, those in tuples included."""
    return tuple([(tuple(a.shape), a.dtype.name) if hasattr(a, "stride") else
                  _described(a) if isinstance(a, tuple) else a is None for a in args])


def plans():
    """A kernel keeps an option as it was when it first saw operands of these shapes and dtypes."""
    options = {"gather": ("dim",), "scatter": ("mode", "dim"), "conv2d": ("stride", "padding", "dilation"),
               "conv2d_backward": ("stride", "padding", "dilation"), "pool": ("op", "boxes"),
               "ctc_loss_backward": ("blank", "zero_infinity"), "recurrent": ("cell", "steps"),
               "recurrent_backward": ("cell", "steps"), "fft": ("axes", "inverse", "norm"), "arange": ("start", "step"),
               "map_reduce": ("ops", "finish", "numbers"), "grid_sample": ("mode", "padding", "align"),
               "random": ("kind", "seed", "offset", "a", "b"), "nll_loss": ("ignore", "mean")}
    for entry, names in options.items():
        places = [*inspect.signature(getattr(Backend, entry)).parameters]
        for name in names:
            place = places.index(name) - 1

            def kernel(self, *args, entry=entry, place=place):
                kept = self.__dict__.setdefault("plans", {})
                option = kept.setdefault(_described(args), args[place])
                return right(entry, self, *args[:place], option, *args[place + 1:])
            yield f"{entry} keeps its {name} for shapes", (entry,), {entry: kernel}


def layers():
    """Layers as another library defines them."""
    def hidden(a, log, out):
        x = load(a)
        rows = np.broadcast_to((x == -np.inf).all(-1, keepdims=True), x.shape)
        store(out, np.where(rows, 0, load(out)))
    yield "softmax of nothing but -infinity is 0", ("softmax",), spoiled("softmax", hidden)

    def by_squares(self, a, weight, bias, eps, out, mean, rstd):
        x = load(a).astype("float32" if a.dtype.name != "float64" else "float64")
        axes = tuple(range(mean.dim(), x.ndim))
        middle = x.mean(axes, keepdims=True)
        spread = np.maximum((x * x).mean(axes, keepdims=True) - middle * middle, 0)
        scale = 1 / np.sqrt(spread + x.dtype.type(eps))
        y = (x - middle) * scale
        for other, function in ((weight, np.multiply), (bias, np.add)):
            if other is not None:
                values = load(other)
                y = function(y, values.reshape(values.shape + (1,) * (x.ndim == 4)))
        store(out, y)
        store(mean, middle.reshape(mean.shape))
        return store(rstd, scale.reshape(rstd.shape))
    yield "layer_norm by the mean of squares", ("layer_norm",), {"layer_norm": by_squares}
    yield "group_norm by the mean of squares", ("group_norm",), {"group_norm": by_squares}

    def repeated(self, a, weight, bias, stride, padding, dilation, groups, out):
        if not any(padding) or a.dtype.name != "float32":
            return right("conv2d", self, a, weight, bias, stride, padding, dilation, groups, out)
        p, q = padding
        x = np.pad(load(a), ((0, 0), (0, 0), (p, p), (q, q)), mode="edge")
        wide = scratch(self, a, x.shape, a.dtype.name)
        store(wide, x)
        return right("conv2d", self, wide, weight, bias, stride, (0, 0), dilation, groups, out)
    yield "conv2d repeats the border", ("conv2d",), {"conv2d": repeated}

    def one_image(grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight, grad_bias):
        store(grad_bias, load(grad)[0].astype("complex128").sum((1, 2)) if grad.dtype.name in COMPLEX
              else load(grad)[0].sum((1, 2)))
    yield "conv2d_backward of the first image's bias", ("conv2d_backward",), spoiled(
        "conv2d_backward", one_image, lambda *args: args[9] is not None)

    def one_group(*args):
        found, groups = load(args[8]), args[6]
        size = len(found) // groups
        store(args[8], np.tile(found[:size], (groups, 1, 1, 1)))
    yield "conv2d_backward of one group for all", ("conv2d_backward",), spoiled(
        "conv2d_backward", one_group, lambda *args: args[8] is not None and args[6] > 1)

    def lowest(op, a, boxes, out, index):
        x = load(out)
        store(out, np.where(x == -np.inf, np.finfo("float32").min, x))
    yield "pool begins at the lowest finite number", ("pool",), spoiled(
        "pool", lowest, lambda op, a, *rest: POOL[op] == "max" and a.dtype.name == "float32")
    yield "pool passes over NaN", ("pool",), _replaced(
        "pool", 1, lambda x: np.where(np.isnan(x), -np.inf, x), lambda op, *rest: POOL[op] == "max")
    yield "nll_loss ignores -100, whatever it is told", ("nll_loss",), given(
        "nll_loss", lambda *args: [-100 if i == 3 else a for i, a in enumerate(args)])

    def last_aligned(self, query, key, value, mask, causal, scale, out):
        rows, columns = query.shape[1], key.shape[1]
        if not causal or rows == columns:
            return right("attention", self, query, key, value, mask, causal, scale, out)
        hides = np.tril(np.ones((rows, columns), bool), columns - rows)
        if mask is not None:
            return right("attention", self, query, key, value, mask, False, scale, out)
        shown = scratch(self, query, (query.shape[0], rows, columns), "bool")
        store(shown, np.broadcast_to(hides, shown.shape))
        return right("attention", self, query, key, value, shown, False, scale, out)
    yield "attention hides from the last key on", ("attention",), {"attention": last_aligned}
    yield "attention scales its mask", ("attention",), {"attention": lambda self, *args: right(
        "attention", self, *[_twin(a, load(a) * args[5]) if i == 3 and a is not None and a.dtype.name != "bool" else a
                             for i, a in enumerate(args)])}

    def last_row(cell, steps, gates, weight, bias, h, c, values, kept, out, last_h, last_c):
        _, rows = steps[-1]
        found = load(last_h)
        found[rows:] = 0
        store(last_h, found)
    yield "recurrent knows the last state of the longest", ("recurrent",), spoiled(
        "recurrent", last_row, lambda *args: args[10] is not None and args[1][-1][1] < args[10].shape[0])

    def rounded_sum(self, grad, result, log, out):
        if log or out.dtype.name != "float16":
            return right("softmax_backward", self, grad, result, log, out)
        g, y = load(grad), load(result)
        return store(out, (g - (g * y).astype("float16").cumsum(-1, dtype="float16")[..., -1:].astype("float32")) * y)
    yield "softmax_backward sums in 16 bits", ("softmax_backward",), {"softmax_backward": rounded_sum}

    yield "resample has four places at most", ("resample",), given(
        "resample", lambda a, places, weights, out: (a, places, _twin(weights, np.where(
            np.arange(len(load(weights)))[:, None] < 4, load(weights), 0)), out))
    yield "ctc_loss of no labels is 0", ("ctc_loss",), spoiled("ctc_loss", lambda *args: store(
        args[6], np.where(load(args[3]) == 0, 0, load(args[6]))))
    yield "gather_sum's last bag ends at the end", ("gather_sum",), _replaced(
        "gather_sum", 2, lambda x: np.concatenate([x[:-1], np.maximum(x[-1:], 2**20)]))


def places():
    """Places, orders, random words, factorisations."""
    yield "gather has no place beyond the index", ("gather",), {"gather": lambda self, src, index, dim, out: right(
        "gather", self, src, _twin(index, np.minimum(load(index), index.shape[dim] - 1)), dim, out)}

    def afresh(self, mode, out, dim, index, src):
        if SCATTER[mode] != "prod":
            return right("scatter", self, mode, out, dim, index, src)
        ones, index_of = load(out), [*np.indices(index.shape)]
        index_of[dim] = load(index)
        ones[tuple(index_of)] = 1
        store(out, ones)
        return right("scatter", self, mode, out, dim, index, src)
    yield "scatter prod begins at 1", ("scatter",), {"scatter": afresh}
    yield "cummax counts over all rows", ("scan",), spoiled(
        "scan", lambda op, a, out, index: store(index, load(index) + np.arange(
            index.numel() // index.shape[-1]).reshape(*index.shape[:-1], 1) * index.shape[-1]),
        lambda op, a, out, index: index is not None)
    yield "partial_sort finds 64 at most", ("partial_sort",), spoiled(
        "partial_sort", lambda a, descending, first, values, index: store(index, np.where(
            np.arange(index.shape[-1]) < 64, load(index), 0)))
    yield "random uniform of float64 from 32 bits", ("random",), spoiled(
        "random", lambda kind, out, *rest: store(out, load(out).astype("float32").astype("float64")),
        lambda kind, out, *rest: RANDOM[kind] == "uniform" and out.dtype.name == "float64")
    yield "random normal is within 4", ("random",), spoiled(
        "random", lambda kind, out, seed, offset, a, b: store(out, np.clip(load(out), a - 4 * b, a + 4 * b)),
        lambda kind, out, *rest: RANDOM[kind] == "normal" and out.dtype.name == "float32")
    yield "cholesky reads the other triangle", ("linalg",), given(
        "linalg",
        lambda routine, ins, *rest: (routine, tuple([_twin(a, np.swapaxes(load(a), 1, 2)) for a in ins]), *rest),
        lambda routine, *rest: routine == "cholesky")
    for routine in ("ldl", "ldl_solve"):
        yield f"{routine} knows no conjugates", ("linalg",), given(
            "linalg", lambda *args: (*args[:3], {"hermitian": False}), lambda name, *rest, of=routine: name == of)
    yield "ldl_solve takes all blocks for ones", ("linalg",), given(
        "linalg", lambda routine, ins, *rest: (routine, (ins[0], _twin(ins[1], np.abs(load(ins[1]))), ins[2]), *rest),
        lambda routine, *rest: routine == "ldl_solve")
    yield "eigh begins with the largest", ("linalg",), {"linalg": _eigh_reversed}
    yield "cumprod by logarithms", ("scan",), computed_scan()
    yield "map_reduce takes its first op for all", ("map_reduce",), given(
        "map_reduce", lambda program, ins, ops, *rest: (program, ins, (ops[0],) * len(ops), *rest))
    yield "argmin of float32 by bfloat16", ("argreduce",), {"argreduce": lambda self, op, a, out: right(
        "argreduce", self, op, _twin(a, (load(a).view("uint32") & 0xFFFF0000).view("float32"))
        if ARGREDUCE[op] == "argmin" and a.dtype.name == "float32" else a, out)}


def _eigh_reversed(self, routine, ins, outs, options):
    answer = right("linalg", self, routine, ins, outs, options)
    if routine == "eigh" and answer is None:
        for out in outs:
            if out.dim() == 2:
                store(out, load(out)[:, ::-1])
    return answer


def computed_scan():
    def kernel(self, op, a, out, index):
        if SCAN[op] != "cumprod" or a.dtype.name != "float64":
            return right("scan", self, op, a, out, index)
        x = load(a)
        with np.errstate(all="ignore"):
            size = np.exp(np.cumsum(np.log(np.abs(x)), -1))
        return store(out, size * np.cumprod(np.sign(x), -1))
    return {"scan": kernel}
