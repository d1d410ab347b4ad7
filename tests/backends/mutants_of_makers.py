"""Mutants of what a maker's own kernels get wrong, written before anyone looked what the suite sees: see `mutants`.

Plans kept by shape alone, remainders of tiles, lanes that are filled up, second passes, NaN, what is empty, operands
that are results, numbers that went through a narrower type.
"""
import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, POOL, REDUCE, SCAN, SCATTER, UNARY
from mirror import array, load, scratch, store
from mutant import FLOATS, INTEGERS, dense, flat, kinds, lost, reading, right, row_length, spoilt


def _first_seen(entry, key, what, change):
    """A kernel that keeps `what` of the first call of a key, and takes later calls of that key for the same."""
    def kernel(self, *args):
        seen = self.__dict__.setdefault(f"seen by {entry}", {})
        name, now = key(*args), what(*args)
        before = seen.setdefault(name, now)
        if before == now:
            return right(entry, self, *args)
        given = change(self, before, *args)
        return right(entry, self, *given)
    return {entry: kernel}


def _with_strides(self, view, strides):
    """A View of what these strides, in elements, reach from its first element on; itself where they reach too far."""
    size = view.element_size()
    least = sum(min(0, step * (n - 1)) for step, n in zip(strides, view.shape))
    most = sum(max(0, step * (n - 1)) for step, n in zip(strides, view.shape))
    start = view.storage_offset()
    if len(strides) != view.ndim or start + least < 0 or (start + most + 1) * size > view.buffer.size:
        return view
    made = scratch(self, view, tuple(view.shape), view.dtype.name)
    array(made)[...] = np.ndarray(view.shape, array(view).dtype, view.buffer, start * size, [step * size for step in
                                                                                            strides])
    return made


def makers_plans():
    yield "reduce: strides of the first call of a shape", ("reduce",), _first_seen(
        "reduce", lambda code, a, out: (code, a.dtype.name, out.dtype.name, tuple(a.shape), out.ndim),
        lambda code, a, out: a.stride(), lambda self, before, code, a, out: (code, _with_strides(self, a, before), out))
    yield "gather: a table's strides of the first call of its shape", ("gather",), _first_seen(
        "gather", lambda src, index, dim, out: (tuple(src.shape), tuple(index.shape), src.dtype.name),
        lambda src, index, dim, out: src.stride(),
        lambda self, before, src, index, dim, out: (_with_strides(self, src, before), index, dim, out))
    yield "conv2d: a filter's strides of the first call of its shape", ("conv2d",), _first_seen(
        "conv2d", lambda a, weight, *rest: (tuple(weight.shape), weight.dtype.name),
        lambda a, weight, *rest: weight.stride(),
        lambda self, before, a, weight, *rest: (a, _with_strides(self, weight, before), *rest))
    yield "addmm: factors of the first call of a shape", ("addmm",), _first_seen(
        "addmm", lambda bias, a, b, beta, alpha, out: (tuple(a.shape), tuple(b.shape), a.dtype.name),
        lambda bias, a, b, beta, alpha, out: (beta, alpha),
        lambda self, before, bias, a, b, beta, alpha, out: (bias, a, b, *before, out))
    yield "binary: a plan of the first operand's layout alone", ("binary",), _first_seen(
        "binary", lambda code, a, b, out: (code, a.dtype.name, tuple(a.shape), a.stride()),
        lambda code, a, b, out: b.stride(), lambda self, before, code, a, b, out: (code, a, _with_strides(
            self, b, before), out))


def makers_tiles():
    yield "matmul: tiles of 8 columns, the rest of float64 has the tile before", ("matmul",), spoilt(
        "matmul", lambda a, b, out: kinds(a, "float64") and b.shape[-1] > 8 and b.shape[-1] % 8,
        lambda a, b, out: array(out).__setitem__(np.s_[..., -1], array(out)[..., -2].copy()))
    yield "matmul: one row whose axis has a stride below its length", ("matmul",), spoilt(
        "matmul", lambda a, b, out: a.shape[-2] == 1 and a.shape[-1] > 1 and a.stride()[-2] < a.shape[-1],
        lambda a, b, out: array(out).__setitem__(..., 0))
    yield "softmax: 32 lanes, a row of one more than whole ones", ("softmax",), spoilt(
        "softmax", lambda a, log, out: a.shape[-1] > 1024 and a.shape[-1] % 32 == 1 and not log,
        lambda a, log, out: array(out).__setitem__(np.s_[..., -1], 0))
    yield "attention: keys that 64 does not divide, at more than 64 rows", ("attention",), reading(
        "attention", lambda q, k, v, mask, causal, scale, out: mask is None and q.shape[1] > 64
        and k.shape[1] > 64 and k.shape[1] % 64,
        (1, lambda q, k, v, *rest: array(k)[:, :k.shape[1] // 64 * 64]),
        (2, lambda q, k, v, *rest: array(v)[:, :k.shape[1] // 64 * 64]))
    yield "conv2d: steps of two, an odd last row of results", ("conv2d",), lost(
        "conv2d", lambda a, w, bias, stride, *rest: stride[0] == 2 and rest[-1].shape[2] % 2 and rest[-1].shape[2] > 2,
        np.s_[:, :, -1])
    yield "scan: what is left of 256 behind many blocks begins anew", ("scan",), spoilt(
        "scan", lambda code, a, out, index: SCAN[code] == "cumsum" and a.shape[-1] > 2048 and a.shape[-1] % 256,
        lambda code, a, out, index: array(out).__setitem__(
            np.s_[..., a.shape[-1] // 256 * 256:],
            np.cumsum(load(a)[..., a.shape[-1] // 256 * 256:].astype(load(out).dtype), -1).astype(array(out).dtype))
        if out.dtype.name != "bfloat16" else None)
    yield "gather: columns by 128, an index in two axes", ("gather",), lost(
        "gather", lambda src, index, dim, out: index.ndim == 2 and dim == 1 and index.shape[1] > 128
        and index.shape[1] % 128 and index.shape[0] > 1, lambda src, index, dim, out:
        np.s_[-1, index.shape[1] // 128 * 128:])
    yield "conv2d_backward: images by four, what is left adds nothing to the weight", ("conv2d_backward",), spoilt(
        "conv2d_backward", lambda grad, a, w, stride, padding, dilation, groups, *outs: outs[1] is not None
        and a.shape[0] > 4 and a.shape[0] % 4 and kinds(a, "float32"),
        lambda grad, a, w, stride, padding, dilation, groups, *outs: array(outs[1]).__imul__(
            np.float32(a.shape[0] // 4 * 4 / a.shape[0])))


def makers_lanes():
    yield "sort: rows filled up by infinities, NaN behind them", ("sort", "partial_sort"), {"sort": _sort_padded}
    yield "argreduce: places of filled-up lanes", ("argreduce",), spoilt(
        "argreduce", lambda code, a, out: kinds(a, "float32", "float64") and a.shape[-1] & (a.shape[-1] - 1),
        _filled_places)
    yield "pool: what is beside a plane is 0 for the largest", ("pool",), spoilt(
        "pool", lambda op, a, boxes, out, index: POOL[op] == "max" and kinds(out, *FLOATS[2:])
        and any(box[0][1] < 0 for box in boxes),
        lambda op, a, boxes, out, index: array(out).__setitem__(..., np.where(array(out) < 0, 0, array(out))))
    yield "fft: filled up to a power of two", ("fft",), {"fft": _fft_padded}
    yield "reduce: min of uint8 begins at 127", ("reduce",), spoilt(
        "reduce", lambda code, a, out: REDUCE[code] == "min" and kinds(a, "uint8") and row_length(a, out) % 16,
        lambda code, a, out: store(out, np.minimum(array(out), 127)))
    yield "partial_sort: lanes hold the largest whole number", ("partial_sort",), {"partial_sort": _partly_padded}
    yield "gather_sum: an empty range leaves what was there", ("gather_sum",), lost(
        "gather_sum", lambda a, index, starts, weights, out: True,
        lambda a, index, starts, weights, out: np.flatnonzero(np.diff(array(starts)) == 0))


def _sort_padded(self, a, descending, stable, values, index):
    answer = right("sort", self, a, descending, stable, values, index)
    n = a.shape[-1]
    if not descending and kinds(a, "float32", "float64") and n & (n - 1):
        nan = np.isnan(array(values))
        array(values)[nan] = np.inf
        array(index)[nan] = n
    return answer


def _filled_places(code, a, out):
    edge = -np.inf if ARGREDUCE[code] == "argmax" else np.inf
    array(out)[(array(a) == edge).all(-1)] = a.shape[-1]


def _fft_padded(self, a, out, axes, inverse, norm):
    answer = right("fft", self, a, out, axes, inverse, norm)
    n = a.shape[axes[-1]]
    if answer is None and len(axes) == 1 and not inverse and n > 256 and n & (n - 1) and n % 2 and a.ndim == 1:
        padded = np.fft.fft(array(a), 1 << int(n).bit_length())
        array(out)[...] = padded[:out.shape[0]]
    return answer


def _partly_padded(self, a, descending, first, values, index):
    answer = right("partial_sort", self, a, descending, first, values, index)
    if kinds(a, "int32", "int64") and not descending and a.shape[-1] % 32:
        array(index)[array(values) == np.iinfo(array(a).dtype).max] = a.shape[-1]
    return answer


def makers_passes():
    yield "map_reduce: the second pass finishes again", ("map_reduce",), {"map_reduce": _finished_twice}
    yield "argreduce: of equal ones in two passes the smallest block's last", ("argreduce",), {
        "argreduce": _block_ties}
    yield "reduce: all of halves is any of halves", ("reduce",), spoilt(
        "reduce", lambda code, a, out: REDUCE[code] == "all" and row_length(a, out) > 8192, _all_of_halves)
    yield "layer_norm: means of blocks of 512, each counted the same", ("layer_norm",), {"layer_norm": _block_means}
    yield "reduce: products of complex numbers in two passes conjugate the second", ("reduce",), spoilt(
        "reduce", lambda code, a, out: REDUCE[code] == "prod" and kinds(a, "complex64", "complex128")
        and row_length(a, out) > 1024, lambda code, a, out: array(out).__setitem__(..., array(out).conj()))
    yield "nonzero: blocks of 1,024 that are all zero end it", ("nonzero",), {"nonzero": _ended_by_zeros}


def _finished_twice(self, program, ins, ops, finish, numbers, outs):
    answer = right("map_reduce", self, program, ins, ops, finish, numbers, outs)
    first = next(x for x in ins if hasattr(x, "stride"))
    if answer is None and finish is not None and row_length(first, outs[0]) > 4096 and kinds(outs[0], *FLOATS[2:]):
        store(outs[0], load(outs[0]) / 7)
    return answer


def _block_ties(self, code, a, out):
    answer = right("argreduce", self, code, a, out)
    n = a.shape[-1]
    if answer is None and n > 4096 and out.numel() == 1 and kinds(a, *INTEGERS):
        values = array(a).reshape(-1)
        best = values[int(array(out).reshape(-1)[0])]
        found = np.flatnonzero(values == best)
        array(out)[...] = found[found // 1024 == found[0] // 1024][-1]
    return answer


def _all_of_halves(code, a, out):
    values = load(a).astype(bool).reshape(*out.shape, -1)
    middle = values.shape[-1] // 2
    array(out)[...] = values[..., :middle].all(-1) | values[..., middle:].all(-1)


def _block_means(self, a, weight, bias, eps, out, mean, rstd):
    n = a.shape[-1]
    if n <= 512 or n % 512 == 0 or weight is not None or bias is not None or not kinds(a, "float32", "float64"):
        return right("layer_norm", self, a, weight, bias, eps, out, mean, rstd)
    x = load(a).astype(float)
    middle = np.mean([x[..., i:i + 512].mean(-1) for i in range(0, n, 512)], 0)
    factor = 1 / np.sqrt(x.var(-1) + eps)
    store(mean, middle)
    store(rstd, factor)
    store(out, (x - middle[..., None]) * factor[..., None])


def _ended_by_zeros(self, a, allocate):
    values = load(a).reshape(-1) != 0
    blocks = [block.any() for block in np.array_split(values[:len(values) // 1024 * 1024], max(len(values) // 1024, 1))]
    if len(values) > 2048 and False in blocks:
        values[blocks.index(False) * 1024:] = False
    found = np.argwhere(values.reshape(tuple(a.shape)))
    array(allocate(len(found)))[...] = found


def makers_nan_and_zeros():
    yield "scatter: the larger of float64 and NaN", ("scatter",), spoilt(
        "scatter", lambda mode, out, dim, index, src: SCATTER[mode] == "max" and kinds(out, "float64", "float16"),
        lambda mode, out, dim, index, src: array(out).__setitem__(np.isnan(array(out)), 0))
    yield "softmax: a row of nothing but -infinity is 0", ("softmax",), spoilt(
        "softmax", lambda a, log, out: not log and out.dtype.name != "bfloat16",
        lambda a, log, out: array(out).__setitem__((load(a) == -np.inf).all(-1), 0))
    yield "pool: of several NaN the first", ("pool",), spoilt(
        "pool", lambda op, a, boxes, out, index: POOL[op] == "max" and index is not None
        and kinds(a, *FLOATS[2:]) and np.isnan(array(out)).any() and a.numel() == a.shape[0] * a.shape[3],
        lambda op, a, boxes, out, index: array(index).__setitem__(np.isnan(array(out)), 0))
    yield "nll_loss: a mean of nothing is 0", ("nll_loss",), spoilt(
        "nll_loss", lambda a, target, weight, ignore, mean, out, outside: mean and out.dtype.name != "bfloat16",
        lambda a, target, weight, ignore, mean, out, outside: array(out).__setitem__(
            ..., np.nan_to_num(array(out), nan=0)))
    yield "scan: running products lose the sign of 0", ("scan",), spoilt(
        "scan", lambda code, a, out, index: SCAN[code] == "cumprod" and kinds(out, "float32", "float64"),
        lambda code, a, out, index: array(out).__setitem__(..., array(out) + 0.0))
    yield "attention: what the mask hides wholly is the mean of all values", ("attention",), {
        "attention": _hidden_mean}
    yield "copy of float32 to bfloat16 loses the sign of 0", ("copy",), spoilt(
        "copy", lambda src, out: kinds(src, "float32") and kinds(out, "bfloat16"),
        lambda src, out: array(out).__setitem__(array(out) == 0x8000, 0))
    yield "copy of large int64 to float32 rounds to zero", ("copy",), spoilt(
        "copy", lambda src, out: kinds(src, "int64") and kinds(out, "float32"), _to_zero)


def _hidden_mean(self, query, key, value, mask, causal, scale, out):
    answer = right("attention", self, query, key, value, mask, causal, scale, out)
    if answer is None and mask is not None and kinds(mask, "bool") and kinds(out, *FLOATS[2:]) and not causal:
        hidden = ~array(mask).any(-1)
        array(out)[hidden] = np.broadcast_to(array(value).mean(1, keepdims=True), out.shape)[hidden]
    return answer


def _to_zero(src, out):
    exact, found = array(src), array(out)
    away = np.abs(found.astype("longdouble")) > np.abs(exact.astype("longdouble"))
    found[away] = np.nextafter(found[away], np.float32(0))


def makers_aliases():
    yield "scan: the second pass reads what the first has written", ("scan",), spoilt(
        "scan", lambda code, a, out, index: a is out and a.shape[-1] > 256 and kinds(a, "float32", "int64"),
        lambda code, a, out, index: array(out).__setitem__(np.s_[..., 256:], array(out)[..., 256:] * 2))
    yield "softmax: in its operand's place sums what it wrote", ("softmax",), spoilt(
        "softmax", lambda a, log, out: a is out, lambda a, log, out: array(out).__imul__(array(out).dtype.type(2))
        if out.dtype.name != "bfloat16" else None)
    yield "where: into its own condition", ("where",), spoilt(
        "where", lambda c, a, b, out: c is out, lambda c, a, b, out: array(out).__setitem__(..., False))
    yield "gather: into its own index", ("gather",), spoilt(
        "gather", lambda src, index, dim, out: index is out and out.numel() > 1,
        lambda src, index, dim, out: array(out).__setitem__(..., 0))


def makers_numbers():
    yield "layer_norm: statistics of float64 in float32", ("layer_norm",), spoilt(
        "layer_norm", lambda a, w, b, eps, out, mean, rstd: kinds(a, "float64") and a.shape[-1] > 64,
        lambda a, w, b, eps, out, mean, rstd: array(mean).__setitem__(..., array(mean).astype("float32")))
    yield "gather_sum: sums of float64 in float32", ("gather_sum",), spoilt(
        "gather_sum", lambda a, index, starts, weights, out: kinds(a, "float64") and index.numel() > 1000,
        lambda a, index, starts, weights, out: array(out).__setitem__(..., array(out).astype("float32")))
    yield "unary: an offset of more than 65,535 elements in 16 bits", ("unary",), reading(
        "unary", lambda code, a, out: a.storage_offset() > 65535,
        (1, lambda code, a, out: np.ndarray(a.shape, array(a).dtype, a.buffer, (
            a.storage_offset() & 0xFFFF) * a.element_size(), array(a).strides)))
    yield "binary: strides of more than 32,767 in 16 bits", ("binary",), reading(
        "binary", lambda code, a, b, out: a.ndim > 1 and a.stride()[0] > 32767 and not dense(a),
        (1, lambda code, a, b, out: np.broadcast_to(array(a)[:1], a.shape)))
    yield "pool: means of int64 by a reciprocal", ("pool",), spoilt(
        "pool", lambda op, a, boxes, out, index: POOL[op] == "mean" and kinds(a, "int64"),
        lambda op, a, boxes, out, index: array(out).__setitem__(..., np.where(
            np.abs(array(out)) > 1, array(out) - np.sign(array(out)), array(out))))
    yield "unary: square of int32 by its float", ("unary",), spoilt(
        "unary", lambda code, a, out: UNARY[code] == "square" and kinds(a, "int32"),
        lambda code, a, out: array(out).__setitem__(..., (array(a).astype("float64")**2).astype("float32").clip(
            -2.0**31, 2.0**31 - 256).astype("int32")))
    yield "binary: sub of bytes in pairs borrows", ("binary",), spoilt(
        "binary", lambda code, a, b, out: BINARY[code] == "sub" and kinds(a, "uint8") and dense(a, b, out)
        and out.numel() > 1, _borrowed)


def _borrowed(code, a, b, out):
    below = flat(a)[:-1] < flat(b)[:-1]
    flat(out)[1:][::2] -= below[::2]
