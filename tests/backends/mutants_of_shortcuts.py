"""Mutants that take a shortcut which is right most of the time: fast paths, early ends, what seems never to occur.

See `mutants`.
"""
import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, POOL, REDUCE, SCAN, SCATTER, UNARY
from mirror import Mirror, array, load, scratch, store
from mutant import COMPLEX, FLOATS, computed, dense, given, is_op, raw, right, spoiled


def _copied(view, values):
    """A dense twin of a View with other values."""
    twin = scratch(view._backend(), view, tuple(view.shape), view.dtype.name)
    store(twin, values)
    return twin


def formulas_of_usual_numbers():
    """Formulas that are right for usual numbers."""
    def unary(name, what, formula, kinds):
        return f"unary {name} {what}", ("unary",), computed("unary", formula, is_op(UNARY, name, kinds))

    def binary(name, what, formula, kinds):
        return f"binary {name} {what}", ("binary",), computed("binary", formula, is_op(BINARY, name, kinds))
    yield unary("tanh", "by exponentials", lambda x: (np.exp(2 * x) - 1) / (np.exp(2 * x) + 1), ("float64",))
    yield unary("sinh", "near 0", lambda x: (np.exp(x) - np.exp(-x)) / 2, ("float32",))
    yield unary("acosh", "of large numbers", lambda x: np.log(x + np.sqrt(x * x - 1)), ("float32",))
    yield unary("exp2", "by whole exponents", lambda x: np.ldexp(np.float32(1), np.nan_to_num(x).astype("int32")),
                ("bfloat16",))
    yield unary("ceil", "by int64", lambda x: np.where(np.isfinite(x), -np.floor(-x), x) + np.float32(0), ("float32",))
    yield unary("isfinite", "is not isinf", lambda x: ~np.isinf(x), ("float64",))
    yield unary("abs", "of complex, by squares", lambda x: np.sqrt(x.real**2 + x.imag**2), ("complex64",))
    yield unary("reciprocal", "of complex, by squares", lambda x: x.conj() / (x.real**2 + x.imag**2), ("complex128",))
    yield unary("lgamma", "of negative numbers", lambda x: np.where(x < 0, np.inf, np.vectorize(
        lambda v: __import__("math").lgamma(v) if np.isfinite(v) and v > 0 else np.inf)(x)), ("float32",))
    yield binary("remainder", "of a negative divisor", np.fmod, ("float16",))
    yield binary("floor_divide", "by reciprocal", lambda x, y: np.floor(x * (1 / y)), ("float32",))
    yield binary("gcd", "keeps signs", lambda x, y: np.gcd(x, y) * np.where(x < 0, -1, 1), ("int16",))
    yield binary("copysign", "of -0", lambda x, y: np.where(y < 0, -np.abs(x), np.abs(x)), ("float16",))
    yield binary("left_shift", "takes the low bits of the count", lambda x, y: np.left_shift(x, y & 31), ("int32",))
    yield binary("ne", "of complex, by the real parts", lambda x, y: x.real != y.real, ("complex64",))


def rows_of_usual_numbers():
    """Along rows."""
    yield "sum skips the last of an odd count", ("reduce",), spoiled(
        "reduce", lambda op, a, out: store(out, load(a)[..., :-1].sum(-1)), lambda op, a, out: (
            REDUCE[op] == "sum" and out.dim() == a.dim() - 1 and a.shape[-1] % 2 and a.dtype.name == "complex64"))
    yield "min begins at the largest finite number", ("reduce",), spoiled(
        "reduce", lambda op, a, out: store(out, np.minimum(load(out), np.finfo("float64").max)),
        lambda op, a, out: REDUCE[op] == "min" and a.dtype.name == "float64")
    yield "any ends at the first row", ("reduce",), spoiled(
        "reduce", lambda op, a, out: array(out).reshape(-1)[1:].fill(0) if dense(out) else None,
        lambda op, a, out: REDUCE[op] == "any" and a.dtype.name == "int32")
    yield "square_sum of squares that are rounded first", ("reduce",), spoiled(
        "reduce", lambda op, a, out: store(out, np.float16(load(a).astype("float16") ** 2).sum(
            tuple(range(out.dim(), a.dim())), dtype="float16")),
        lambda op, a, out: REDUCE[op] == "square_sum" and a.dtype.name == out.dtype.name == "float16")
    yield "argmax begins at 0", ("argreduce",), spoiled(
        "argreduce", lambda op, a, out: store(out, np.where(load(a).max(-1) < 0, 0, load(out))),
        lambda op, a, out: ARGREDUCE[op] == "argmax" and a.dtype.name == "int16")
    yield "argmin ignores NaN", ("argreduce",), spoiled(
        "argreduce", lambda op, a, out: store(out, np.where(np.isnan(load(a)), np.inf, load(a)).argmin(-1)),
        lambda op, a, out: ARGREDUCE[op] == "argmin" and a.dtype.name == "float64")
    yield "cummax takes the first of equals", ("scan",), spoiled(
        "scan", lambda op, a, out, index: store(index, load(index) - np.pad(
            load(a)[..., 1:] == load(out)[..., :-1], [(0, 0)] * (a.dim() - 1) + [(1, 0)])),
        lambda op, a, out, index: SCAN[op] == "cummax" and a.dtype.name == "int64")
    yield "cumsum in float16", ("scan",), spoiled(
        "scan", lambda op, a, out, index: store(out, np.cumsum(load(a).astype("float16"), -1, "float16")),
        lambda op, a, out, index: SCAN[op] == "cumsum" and a.dtype.name == out.dtype.name == "float16")
    yield "sort treats -0 as less than 0", ("sort",), {"sort": _signed_zeros}
    yield "partial_sort of the whole row's start", ("partial_sort",), given(
        "partial_sort", lambda a, descending, first, v, i: (a, descending, 0, v, i),
        lambda a, descending, first, *rest: descending and a.dtype.name == "float16")
    yield "softmax without the maximum", ("softmax",), spoiled(
        "softmax", lambda a, log, out: store(out, load(out) if np.abs(load(a)).max() < 80 else np.nan),
        lambda a, log, out: not log and a.dtype.name == "float32")
    yield "log softmax's gradient takes the result for probabilities", ("softmax_backward",), given(
        "softmax_backward", lambda grad, result, log, out: (grad, result, False, out),
        lambda grad, result, log, out: log and grad.dtype.name == "float64")
    yield "layer_norm divides by n - 1", ("layer_norm",), spoiled(
        "layer_norm", lambda a, weight, bias, eps, out, mean, rstd: store(rstd, load(rstd) * np.sqrt(
            1 - 1 / a.shape[-1])), lambda *args: args[0].shape[-1] > 1 and args[0].dtype.name == "float64")
    yield "layer_norm_backward forgets the weight", ("layer_norm_backward",), given(
        "layer_norm_backward", lambda grad, a, mean, rstd, weight, *grads: (grad, a, mean, rstd, None, *grads),
        lambda grad, *rest: grad.dtype.name == "float32")


def _signed_zeros(self, a, descending, stable, values, index):
    if not stable or a.dtype.name != "float32" or np.isnan(load(a)).any():
        return right("sort", self, a, descending, stable, values, index)
    x = load(a)
    order = np.lexsort((~np.signbit(x), x), -1) if not descending else np.lexsort((np.signbit(x), -x), -1)
    store(values, np.take_along_axis(x, order, -1))
    store(index, order)


def losses():
    """Losses, bags and the gradient of pools."""
    def floats(*args):
        return args[0].dtype.name == "float32"
    yield "nll_loss ignores class 0 as well", ("nll_loss",), given(
        "nll_loss", lambda a, t, w, ignore, mean, out, outside: (
            a, _copied(t, np.where(load(t) == 0, ignore, load(t))), w, ignore, mean, out, outside),
        lambda a, *rest: a.dtype.name == "float64")
    yield "nll_loss's mean divides by the count", ("nll_loss",), spoiled(
        "nll_loss", lambda a, t, w, ignore, mean, out, outside: _mean_of_all(a, t, w, ignore, out),
        lambda a, t, w, ignore, mean, out, outside: mean and out.dim() == 0 and w is not None)
    yield "nll_loss does not count what is outside", ("nll_loss",), spoiled(
        "nll_loss", lambda *args: store(args[-1], 0))
    yield "nll_loss_backward leaves what no target names", ("nll_loss_backward",), {"nll_loss_backward": _named_alone}
    yield "nll_loss_backward with the positive sign", ("nll_loss_backward",), spoiled(
        "nll_loss_backward", lambda *args: store(args[-1], -load(args[-1])), floats)
    yield "ctc_loss passes over blanks between equal labels", ("ctc_loss",), {"ctc_loss": _all_different}
    yield "ctc_loss reads all steps", ("ctc_loss",), given(
        "ctc_loss", lambda a, labels, starts, counts, steps, *rest: (
            a, labels, starts, counts, _copied(steps, np.full(tuple(steps.shape), a.shape[0])), *rest), floats)
    yield "ctc_loss has its blank first", ("ctc_loss",), given(
        "ctc_loss", lambda a, labels, starts, counts, steps, blank, *rest: (a, labels, starts, counts, steps, 0, *rest))
    yield "ctc_loss_backward gives infinity for zero_infinity", ("ctc_loss_backward",), spoiled(
        "ctc_loss_backward", lambda *args: store(args[-1], np.where(np.isinf(load(args[8]))[None, :, None], np.nan,
                                                                    load(args[-1]))), lambda *args: args[-2])
    yield "ctc_loss_backward forgets grad", ("ctc_loss_backward",), given(
        "ctc_loss_backward", lambda grad, *rest: (_copied(grad, np.ones(tuple(grad.shape))), *rest))
    yield "gather_sum takes the mean", ("gather_sum",), spoiled(
        "gather_sum", lambda a, index, starts, weights, out: store(out, load(out) / np.maximum(
            np.diff(np.clip(load(starts), 0, index.shape[0])), 1)[:, None]), lambda a, *rest: a.dtype.name == "float64")
    yield "gather_sum leaves empty bags", ("gather_sum",), {"gather_sum": _empty_bags}
    yield "gather_sum forgets weights of strided rows", ("gather_sum",), given(
        "gather_sum", lambda a, index, starts, weights, out: (a, index, starts, None, out),
        lambda a, *rest: not dense(a))
    yield "pool_backward sets", ("pool_backward",), {"pool_backward": _set_gradients}
    yield "pool_backward adds to what is there", ("pool_backward",), {"pool_backward": _onto}
    yield "pool_backward wraps what is outside", ("pool_backward",), given(
        "pool_backward", lambda grad, index, out: (grad, _copied(index, load(index) % out.shape[1]), out))
    yield "pool's mean divides by the places inside", ("pool",), {"pool": _inside_alone}


def _mean_of_all(a, target, weight, ignore, out):
    kept = np.isin(load(target), np.arange(a.shape[1])) & (load(target) != ignore)
    weights = load(weight)[np.where(kept, load(target), 0)] * kept
    store(out, load(out) * weights.sum() / max(kept.size, 1))


def _named_alone(self, grad, target, weight, ignore, mean, grad_a):
    before = load(grad_a)
    right("nll_loss_backward", self, grad, target, weight, ignore, mean, grad_a)
    found = load(grad_a)
    store(grad_a, np.where(found == 0, before, found))


def _all_different(self, a, labels, starts, counts, steps, blank, out, sums, outside):
    values = load(labels)
    turned = np.where(np.diff(values, prepend=-1) == 0, (values + 1) % a.shape[2], values)
    return right("ctc_loss", self, a, _copied(labels, turned), starts, counts, steps, blank, out, sums, outside)


def _empty_bags(self, a, index, starts, weights, out):
    before = load(out)
    right("gather_sum", self, a, index, starts, weights, out)
    empty = np.diff(np.clip(load(starts), 0, index.shape[0])) <= 0
    store(out, np.where(empty[:, None], before, load(out)))


def _set_gradients(self, grad, index, out):
    right("pool_backward", self, grad, index, out)
    made, places, grads = load(out), load(index), load(grad)
    for row in range(made.shape[0]):
        inside = (places[row] >= 0) & (places[row] < made.shape[1])
        made[row, places[row][inside]] = grads[row][inside]
    store(out, made)


def _onto(self, grad, index, out):
    before = load(out)
    right("pool_backward", self, grad, index, out)
    with np.errstate(all="ignore"):
        store(out, load(out) + before)


def _inside_alone(self, op, a, boxes, out, index):
    if POOL[op] != "mean":
        return right("pool", self, op, a, boxes, out, index)
    return right("pool", self, op, a, tuple((first, last, step, 0) for first, last, step, _ in boxes), out, index)


def geometry_of_most_calls():
    """Strides, sizes, places, aliasing."""
    yield "copy of a broadcast scalar takes the next", ("copy",), spoiled(
        "copy", lambda src, out: store(out, load(out) + (np.arange(out.shape[-1]) == out.shape[-1] - 1)),
        lambda src, out: src.dim() > 1 and 0 in src.stride() and src.dtype.name == out.dtype.name == "int32")
    yield "binary of operands that are broadcast alike", ("binary",), spoiled(
        "binary", lambda op, a, b, out: store(out, 0), lambda op, a, b, out: (
            0 in a.stride() and a.stride() == b.stride() and BINARY[op] == "mul"))
    yield "where reads the condition in the order of out", ("where",), {"where": _dense_condition}
    yield "matmul of a batch that is broadcast", ("matmul",), spoiled(
        "matmul", lambda a, b, out: store(out.narrow(0, 1, 1), 0), lambda a, b, out: b.stride()[0] == 0
        and out.shape[0] > 1 and a.dtype.name == "float32")
    yield "gather along the first axis of three", ("gather",), spoiled(
        "gather", lambda src, index, dim, out: store(out, load(out)[::-1]),
        lambda src, index, dim, out: dim == 0 and src.dim() == 3)
    yield "scatter prod counts once", ("scatter",), {"scatter": _once}
    yield "scatter set of rows that overlap", ("scatter",), spoiled(
        "scatter", lambda mode, out, dim, index, src: store(out, 0), lambda mode, out, dim, index, src: (
            SCATTER[mode] == "set" and 0 in out.stride()))
    yield "unary in place over gaps", ("unary",), spoiled(
        "unary", lambda op, a, out: raw(out)[..., -1:].fill(0), lambda op, a, out: (
            a is out and not dense(out) and UNARY[op] == "relu"))
    yield "arange counts in float32", ("arange",), {"arange": lambda self, out, start, step: store(
        out, (np.float32(start) + np.arange(out.numel(), dtype="float32") * np.float32(step))) if (
            out.dtype.name == "int32") else right("arange", self, out, start, step)}
    yield "nonzero is column-major", ("nonzero",), {"nonzero": _columns}
    yield "conv2d swaps dilations beside unequal strides", ("conv2d",), {"conv2d": _swapped}
    yield "attention of a row that is all hidden is the mean", ("attention",), spoiled(
        "attention", lambda *args: store(args[-1], np.where(np.isnan(load(args[-1])) | (load(args[-1]) == 0),
                                                            load(args[2]).mean(), load(args[-1]))))
    yield "resample takes the first place for the second", ("resample",), given(
        "resample", lambda a, places, weights, out: (a, _copied(places, np.broadcast_to(
            load(places)[:1], tuple(places.shape))), weights, out))


def _dense_condition(self, cond, a, b, out):
    if dense(cond) or cond.numel() < 2 or a.dtype.name != "float32":
        return right("where", self, cond, a, b, out)
    flat = np.resize(np.lib.stride_tricks.as_strided(array(cond), (min(cond.numel(), np.prod(cond.shape[-1:])),), (1,)),
                     tuple(cond.shape))
    return right("where", self, _copied(cond, flat), a, b, out)


def _once(self, mode, out, dim, index, src):
    if SCATTER[mode] != "prod" or out.dim() != 1:
        return right("scatter", self, mode, out, dim, index, src)
    made, places, values = load(out), load(index), load(src)
    made[places] *= values
    store(out, made)


def _columns(self, a, allocate):
    found = np.argwhere(array(a).T if a.dtype.name != "bfloat16" else load(a).T)[:, ::-1]
    array(allocate(len(found)))[...] = found


def _swapped(self, a, weight, bias, stride, padding, dilation, groups, out):
    if stride[0] == stride[1] or padding[0] != padding[1]:
        return right("conv2d", self, a, weight, bias, stride, padding, dilation, groups, out)
    return right("conv2d", self, a, weight, bias, stride, padding, dilation[::-1], groups, out)


def answers_of_most_calls():
    """Protocol."""
    yield "declines after fill", ("reduce",), {"reduce": _late}
    yield "elementwise forgets a kept value's second use", ("elementwise",), {"elementwise": _first_program}
    yield "binary_scalar caches the first number", ("binary_scalar",), {"binary_scalar": _cached_number}
    yield "d2h ignores its start within a word", ("memory",), {"d2h": lambda self, storage, start, host: Mirror.d2h(
        self, storage, start // 4 * 4, host)}
    yield "gather_looking does not look at the last", ("gather_looking",), {"gather_looking": _not_the_last}
    yield "scatter_looking lets the axis's length pass", ("scatter_looking",), {"scatter_looking": _one_beyond}
    yield "random starts over in each call", ("random",), {"random": lambda self, kind, out, seed, offset, a, b: right(
        "random", self, kind, out, seed, 0, a, b)}
    yield "complex fill drops the imaginary part", ("fill",), {"fill": lambda self, out, value: right(
        "fill", self, out, complex(value).real if out.dtype.name in COMPLEX else value)}
    yield "supports says no, and kernels take it", ("memory", "copy", "programs"), {
        "supports": lambda self, dtype: dtype.name != "int64"}


def _late(self, op, a, out):
    if REDUCE[op] == "prod" and a.dtype.name in FLOATS and a.dim() > 2:
        right("fill", self, out, 1)
        return NotImplemented
    return right("reduce", self, op, a, out)


def _first_program(self, program, ins, outs):
    kept = [i for i, step in enumerate(program) if step[0] == "kept"]
    if len(kept) > 1:
        program = (*program[:kept[1]], ("number", 0.0), *program[kept[1] + 1:])
    return right("elementwise", self, program, ins, outs)


def _cached_number(self, op, a, x, swapped, out):
    numbers = self.__dict__.setdefault("numbers", {})
    return right("binary_scalar", self, op, a, numbers.setdefault((op, a.dtype.name, swapped), x), swapped, out)


def _not_the_last(self, src, index, dim, out):
    places = array(index)
    wrong = (places < 0) | (places >= src.shape[dim])
    if wrong.reshape(-1)[:-1].any():
        return False
    right("gather", self, src, _copied(index, np.where(wrong, 0, places)), dim, out)
    return True


def _one_beyond(self, mode, out, dim, index, src):
    places = array(index)
    if (places < 0).any() or (places > out.shape[dim]).any():
        return False
    right("scatter", self, mode, out, dim, _copied(index, np.minimum(places, out.shape[dim] - 1)), src)
    return True

