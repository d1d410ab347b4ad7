"""Kernels that are wrong at some sizes, strides, values and options, as ports to a GPU are: see `mutants`."""
import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, POOL, REDUCE, SCAN, SCATTER, UNARY
from mirror import array, load, scratch, store
from mutant import FLOATS, dense, flat, kinds, lost, reading, right, row_length, spoilt


def saved(view):
    return array(view).copy()


def beyond(count):
    """What is behind the first `count` elements of a dense result."""
    return lambda *args: np.unravel_index(np.arange(count, args[-1].numel()), args[-1].shape)


# ------------------------------------------------------------------ data movement

def ported_moves():
    yield "fill of halves by pairs, at odd places one is missing", ("fill",), lost(
        "fill", lambda out, x: dense(out) and out.element_size() == 2 and out.storage_offset() % 2 and out.ndim == 1
        and out.numel() % 2 == 0, np.s_[-1:], 0)
    yield "fill goes over three axes", ("fill",), lost(
        "fill", lambda out, x: out.ndim >= 4 and not dense(out), np.s_[1:], 0)
    yield "copy of one number to more than 8,192", ("copy",), lost(
        "copy", lambda src, out: src.stride()[-1:] == (0,) and out.shape[-1] > 8192, np.s_[..., 8192:])
    yield "copy: steps of three taken for two", ("copy",), reading(
        "copy", lambda src, out: src.ndim == 1 and src.stride() == (3,) and src.numel() > 16,
        (0, lambda src, out: np.roll(array(src), 1)))
    yield "copy to bool flushes subnormal halves", ("copy",), spoilt(
        "copy", lambda src, out: kinds(src, "float16") and kinds(out, "bool"),
        lambda src, out: store(out, np.abs(load(src)) >= 2.0**-14) or _nans(src, out))
    yield "copy uint8 to int8 saturates", ("copy",), spoilt(
        "copy", lambda src, out: kinds(src, "uint8") and kinds(out, "int8"),
        lambda src, out: store(out, np.minimum(array(src), 127)))
    yield "copy float64 to float32 saturates", ("copy",), spoilt(
        "copy", lambda src, out: kinds(src, "float64") and kinds(out, "float32"),
        lambda src, out: array(out).__setitem__(np.isinf(array(out)) & np.isfinite(array(src)), 3e38))
    yield "where: blocks that are all true, at odd places", ("where",), lost(
        "where", lambda c, a, b, out: dense(c, a, b, out) and c.numel() >= 8 and a.storage_offset() % 2
        and array(c).reshape(-1)[-8:].all() and a is not out and b is not out, np.s_[..., -1:])
    yield "where: a number beside a turned one, three axes", ("where",), lost(
        "where", lambda c, a, b, out: out.ndim == 3 and not any(a.stride()) and not dense(b) and a is not out
        and b is not out, np.s_[-1:])
    yield "gather of rows by four, what is left of wide ones is not", ("gather",), lost(
        "gather", lambda src, index, dim, out: dim == 0 and out.ndim == 2 and out.shape[1] > 256 and out.shape[1] % 4,
        np.s_[:, -1:])
    yield "gather of whole rows from a table with gaps", ("gather",), reading(
        "gather", lambda src, index, dim, out: src.ndim == 2 and dim == 0 and index.stride()[1] == 0
        and src.stride()[0] > src.shape[1] and src.stride()[1] == 1,
        (0, lambda src, index, dim, out: np.roll(array(src), 1, 1)))
    yield "scatter adds float64 in float32", ("scatter",), {"scatter": _add_in_float32}
    yield "scatter: the larger int64 by low words", ("scatter",), {"scatter": _low_words}
    yield "scatter into rows with gaps, six axes", ("scatter",), lost(
        "scatter", lambda mode, out, dim, index, src: out.ndim == 6 and not dense(out), np.s_[1:], 1)
    yield "gather_looking looks at the first 65,536", ("gather_looking",), {"gather_looking": _looks_at_some}
    yield "scatter_looking takes the size for a place", ("scatter_looking",), {"scatter_looking": _size_is_a_place}
    yield "nonzero: -0 in halves is something", ("nonzero",), {"nonzero": _minus_zero}


def _nans(src, out):
    array(out)[...] |= np.isnan(load(src))


def _add_in_float32(self, mode, out, dim, index, src):
    answer = right("scatter", self, mode, out, dim, index, src)
    if SCATTER[mode] == "add" and out.dtype.name == "float64" and src.numel() > 4096:
        array(out)[...] = array(out).astype("float32")
    return answer


def _low_words(self, mode, out, dim, index, src):
    if SCATTER[mode] != "max" or out.dtype.name != "int64":
        return right("scatter", self, mode, out, dim, index, src)
    before = saved(out)
    answer = right("scatter", self, mode, out, dim, index, src)
    tie = before >> 32 == array(out) >> 32
    array(out)[...] = np.where(tie, np.where(before.astype("int32") > array(out).astype("int32"), before, array(out)),
                               array(out))
    return answer


def _looks_at_some(self, src, index, dim, out):
    places = array(index)
    seen = places.reshape(-1)[:65536]
    if seen.min() < 0 or seen.max() >= src.shape[dim]:
        return False
    made = scratch(self, index, index.shape, "int64")
    array(made)[...] = np.clip(places, 0, src.shape[dim] - 1)
    self.gather(src, made, dim, out)
    return True


def _size_is_a_place(self, mode, out, dim, index, src):
    places = array(index)
    most = out.shape[dim] - (index.numel() <= 1024)
    if places.min() < 0 or places.max() > most:
        return False
    made = scratch(self, index, index.shape, "int64")
    array(made)[...] = np.minimum(places, out.shape[dim] - 1)
    self.scatter(mode, out, dim, made, src)
    return True


def _minus_zero(self, a, allocate):
    found = array(a)
    if a.dtype.name == "float16":
        found = np.asarray(found).copy().view("uint16").reshape(found.shape)
    elif a.dtype.name == "bfloat16":
        found = load(a)
    found = np.argwhere(found)
    array(allocate(len(found)))[...] = found


# ------------------------------------------------------------------ pointwise

def unary(name, *dtypes):
    return lambda code, a, out: UNARY[code] == name and kinds(a, *dtypes) and a is not out


def binary(name, *dtypes):
    return lambda code, a, b, out: BINARY[code] == name and kinds(a, *dtypes) and a is not out and b is not out


def ported_pointwise():
    yield "exp of halves saturates", ("unary",), spoilt("unary", unary("exp", "float16"), lambda code, a, out: array(
        out).__setitem__(np.isinf(array(out)) & np.isfinite(array(a)), 65504))
    yield "sqrt flushes subnormal operands", ("unary",), spoilt("unary", unary("sqrt", "float32"), lambda code, a, out:
                                                                array(out).__setitem__(np.abs(array(a)) < 2.0**-126, 0))
    yield "round of float64 by adding 1.5 * 2**52", ("unary",), spoilt(
        "unary", unary("round", "float64"), lambda code, a, out: store(out, array(a) + 1.5 * 2.0**52 - 1.5 * 2.0**52))
    yield "floor by a conversion to int32", ("unary",), spoilt("unary", unary("floor", "float32"), _floor)
    yield "log1p of the small is the small", ("unary",), spoilt("unary", unary("log1p", "float64"), lambda code, a, out:
                                                                array(out).__setitem__(np.abs(array(a)) < 1e-5, array(
                                                                    a)[np.abs(array(a)) < 1e-5]))
    yield "tanh by exponentials", ("unary",), spoilt("unary", unary("tanh", "float64"), lambda code, a, out: store(
        out, (np.exp(2 * array(a)) - 1) / (np.exp(2 * array(a)) + 1)))
    yield "neg of int16 by pairs borrows", ("unary",), spoilt(
        "unary", lambda code, a, out: unary("neg", "int16")(code, a, out) and dense(a, out),
        lambda code, a, out: _borrow(a, out))
    yield "fmod by a rounded quotient", ("binary",), spoilt(
        "binary", binary("fmod", "float32", "float64"), _fmod)
    yield "hypot of the small is 0", ("binary",), spoilt("binary", binary("hypot", "float64"), lambda code, a, b, out:
                                                         array(out).__setitem__(array(out) < 1e-160, 0))
    yield "maximum of int64 by doubles", ("binary",), spoilt(
        "binary", binary("maximum", "int64"), lambda code, a, b, out: store(out, np.where(
            array(a).astype(float) >= array(b).astype(float), array(a), array(b))))
    yield "eq of many floats by their bits", ("binary",), spoilt(
        "binary", lambda code, a, b, out: BINARY[code] == "eq" and kinds(a, "float32", "float64") and a.numel() > 4096,
        lambda code, a, b, out: store(out, array(a).copy().view(f"u{a.element_size()}") ==
                                      array(b).copy().view(f"u{a.element_size()}")))
    yield "gcd of the smallest int8", ("binary",), spoilt(
        "binary", binary("gcd", "int8", "int16"), lambda code, a, b, out: array(out).__setitem__(
            array(a) == np.iinfo(array(a).dtype).min, array(a)[array(a) == np.iinfo(array(a).dtype).min]))
    yield "right_shift of int64 looks at five bits", ("binary",), reading(
        "binary", binary("right_shift", "int64"), (2, lambda code, a, b, out: array(b) & 31))
    yield "logical_and of bytes by a product", ("binary",), spoilt(
        "binary", lambda code, a, b, out: BINARY[code] == "logical_and" and kinds(a, "uint8") and a is not b,
        lambda code, a, b, out: store(out, (array(a) * array(b)) != 0))
    yield "binary: a middle axis of more than 255 that is one", ("binary",), spoilt(
        "binary", lambda code, a, b, out: out.ndim == 3 and a.stride()[1] == 0 and out.shape[1] > 255
        and a is not out and b is not out,
        lambda code, a, b, out: array(out)[:, 255:].__setitem__(..., array(out)[:, :1]))
    yield "binary: in place with one row for all, more than 512 rows", ("binary",), reading(
        "binary", lambda code, a, b, out: out.ndim == 2 and a is out and b.stride()[0] == 0 and out.shape[0] > 512,
        (2, lambda code, a, b, out: np.where(np.arange(out.shape[0])[:, None] < 512, array(b),
                                             np.roll(array(b), 1, 1))))
    yield "binary_scalar: 1 / x is roughly so", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] == "div" and swapped and x == 1
        and kinds(a, "float32", "float64"), lambda code, a, x, swapped, out: array(out).__imul__(1 + 2.0**-12))
    yield "binary_scalar: a power of 0.5 is the root", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] == "pow" and not swapped and x == 0.5
        and kinds(a, "float32", "float64"), lambda code, a, x, swapped, out: array(out).__setitem__(
            array(out) == np.inf, np.nan))
    yield "binary_scalar: numbers beside int64 in 32 bits", ("binary_scalar",), {"binary_scalar": _short_number}
    yield "binary_scalar: maximum with NaN is the other", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] == "maximum" and x != x and a is not out,
        lambda code, a, x, swapped, out: array(out).__setitem__(..., array(a)))
    yield "binary_scalar: eq with a number that the dtype rounds", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] in ("eq", "ge", "lt") and kinds(a, "float32")
        and x == x and float(np.float32(x)) != x, lambda code, a, x, swapped, out: store(out, {
            "eq": np.equal, "ge": np.greater_equal, "lt": np.less}[BINARY[code]](*(
                (x, array(a).astype(float)) if swapped else (array(a).astype(float), x)))))
    yield "elementwise: a number as input is kept with the shape", ("elementwise",), {"elementwise": _kept_number}
    yield "elementwise: five axes by four", ("elementwise",), {"elementwise": _four_axes}
    yield "elementwise: a mask for each row is dense", ("elementwise",), {"elementwise": _dense_mask}


def _floor(code, a, out):
    large = np.abs(array(a)) > 2.0**31
    array(out)[large & np.isfinite(array(a))] = -2.0**31


def _borrow(a, out):
    low = np.zeros(a.numel(), "int16")
    low[1::2] = flat(a)[:-1 if a.numel() % 2 else None:2][:len(low[1::2])] != 0
    array(out)[...] = (flat(out) - low).reshape(out.shape)


def _fmod(code, a, b, out):
    x, y = array(a), array(b)
    wrong = x - np.trunc(x / y) * y
    large = np.abs(x / y) > 2.0**18
    array(out)[large] = wrong[large]


def _short_number(self, code, a, x, swapped, out):
    if a.dtype.name == "int64" and isinstance(x, int) and abs(x) >= 2**31:
        x = int(np.array(x).astype("int32"))
    return right("binary_scalar", self, code, a, x, swapped, out)


KEPT = {}


def _kept_number(self, program, ins, outs):
    if ("in", 2) in program and not hasattr(ins[2:3][0] if len(ins) > 2 else None, "stride") and len(ins) > 2:
        key = id(program), tuple(outs[0].shape)
        ins = (*ins[:2], KEPT.setdefault(key, ins[2]), *ins[3:])
    return right("elementwise", self, program, ins, outs)


def _four_axes(self, program, ins, outs):
    answer = right("elementwise", self, program, ins, outs)
    if outs[0].ndim >= 5 and not dense(*outs) and not any(x is outs[0] for x in ins):
        array(outs[0])[1:] = array(outs[0])[:1]
    return answer


def _dense_mask(self, program, ins, outs):
    ins = list(ins)
    for i, x in enumerate(ins):
        if hasattr(x, "stride") and x.dtype.name == "bool" and x.ndim == 2 and x.stride()[0] == 0:
            made = scratch(self, x, x.shape, "bool")
            array(made)[...] = np.resize(array(x)[0], x.shape) if x.shape[1] % 2 else np.roll(array(x), 1, 1)
            ins[i] = made if x.shape[0] > 1 else x
    return right("elementwise", self, program, tuple(ins), outs)


# ------------------------------------------------------------------ rows

def ported_rows():
    yield "reduce: partial sums of halves in halves", ("reduce",), {"reduce": _half_partials}
    yield "reduce: products of int32 in int32", ("reduce",), spoilt(
        "reduce", lambda code, a, out: REDUCE[code] == "prod" and kinds(a, "int32") and kinds(out, "int64"),
        lambda code, a, out: store(out, array(out).astype("int32")))
    yield "reduce: NaN in what is left of vectors", ("reduce",), reading(
        "reduce", lambda code, a, out: REDUCE[code] == "max" and kinds(a, *FLOATS) and dense(a)
        and row_length(a, out) % 4 and a.dtype.name != "bfloat16", (1, _no_nan_at_the_end))
    yield "reduce: of three axes the middle one is dense", ("reduce",), {"reduce": _dense_middle}
    yield "reduce: all of bytes looks at the lowest bit", ("reduce",), reading(
        "reduce", lambda code, a, out: REDUCE[code] in ("all", "any") and kinds(a, "uint8"),
        (1, lambda code, a, out: array(a) & 1))
    yield "reduce: the imaginary part of the last one", ("reduce",), reading(
        "reduce", lambda code, a, out: REDUCE[code] == "sum" and kinds(a, "complex64", "complex128")
        and row_length(a, out) % 2, (1, _no_imaginary_end))
    yield "argreduce: int8 as uint8", ("argreduce",), {"argreduce": _unsigned}
    yield "argreduce: results are dense", ("argreduce",), {"argreduce": _dense_places}
    yield "scan: a NaN stays in its block", ("scan",), {"scan": _nan_in_a_block}
    yield "scan: running sums of halves in halves", ("scan",), {"scan": _half_sums}
    yield "scan: rows with gaps are dense", ("scan",), reading(
        "scan", lambda code, a, out, index: a.ndim == 2 and a.stride()[1] == 1 and a.stride()[0] > a.shape[1] > 1,
        (1, lambda code, a, out, index: np.roll(array(a), 1, 1)))
    yield "sort: NaN comes last both ways in long rows", ("sort",), {"sort": _nan_last}
    yield "sort: descending bytes by counting, equal ones reversed", ("sort",), {"sort": _counted}
    yield "sort: bytes as signed ones", ("sort",), {"sort": _signed_bytes}
    yield "partial_sort: the last ones of 2**k", ("partial_sort",), {"partial_sort": _one_before}
    yield "map_reduce: more than 65,535 rows", ("map_reduce",), {"map_reduce": _rows_of_a_grid}
    yield "arange: a start in 32 bits", ("arange",), {"arange": _short_start}
    yield "random: a seed of 32 bits", ("random",), {"random": _short_seed}
    yield "random: whole numbers of a range that is a power of two", ("random",), {"random": _power_of_two}


def _half_partials(self, code, a, out):
    answer = right("reduce", self, code, a, out)
    if REDUCE[code] == "sum" and a.dtype.name == out.dtype.name == "float16" and row_length(a, out) > 1024:
        rows = load(a).reshape(out.numel(), -1)
        total = np.zeros(out.numel(), "float16")
        for start in range(0, rows.shape[1], 1024):
            total = (total + rows[:, start:start + 1024].sum(1).astype("float16")).astype("float16")
        store(out, total.reshape(out.shape))
    return answer


def _no_nan_at_the_end(code, a, out):
    values = array(a).copy()
    rows = values.reshape(out.numel(), -1)
    tail = rows[:, rows.shape[1] // 4 * 4:]
    tail[np.isnan(tail)] = -np.inf
    return values


def _dense_middle(self, code, a, out):
    answer = right("reduce", self, code, a, out)
    if a.ndim - out.ndim == 3 and REDUCE[code] == "sum" and a.shape[-2] > 1:
        values = load(a)[..., :1, :].repeat(a.shape[-2], -2)
        store(out, values.sum((-3, -2, -1)).astype(array(out).dtype if out.dtype.name != "bfloat16" else "float32"))
    return answer


def _no_imaginary_end(code, a, out):
    values = array(a).copy()
    rows = values.reshape(out.numel(), -1)
    rows[:, -1] = rows[:, -1].real
    return values


def _unsigned(self, code, a, out):
    answer = right("argreduce", self, code, a, out)
    if a.dtype.name == "int8" and a.shape[-1] > 256:
        array(out)[...] = getattr(np, ARGREDUCE[code])(array(a).astype("uint8"), -1)
    return answer


def _dense_places(self, code, a, out):
    answer = right("argreduce", self, code, a, out)
    if out.ndim == 3 and not dense(out):
        array(out)[...] = np.roll(array(out), 1, 0)
    return answer


def _nan_in_a_block(self, code, a, out, index):
    answer = right("scan", self, code, a, out, index)
    if SCAN[code] == "cummin" and a.dtype.name in ("float32", "float64") and a.shape[-1] > 512:
        values = np.where(np.isnan(array(a)), np.inf, array(a))
        found = np.minimum.accumulate(values, -1)
        rows = array(a).shape[-1] // 512 * 512
        array(out)[..., rows:] = found[..., rows:]
    return answer


def _half_sums(self, code, a, out, index):
    answer = right("scan", self, code, a, out, index)
    if SCAN[code] == "cumsum" and a.dtype.name == "float16" and a.shape[-1] > 256:
        store(out, np.cumsum(array(a), -1, "float16"))
    return answer


def _nan_last(self, a, descending, stable, values, index):
    answer = right("sort", self, a, descending, stable, values, index)
    if descending and a.shape[-1] > 2048 and a.dtype.name in ("float32", "float64"):
        for row, places in zip(array(values).reshape(-1, a.shape[-1]), array(index).reshape(-1, a.shape[-1])):
            count = int(np.isnan(row).sum())
            row[...], places[...] = np.roll(row, -count), np.roll(places, -count)
    return answer


def _counted(self, a, descending, stable, values, index):
    answer = right("sort", self, a, descending, stable, values, index)
    if descending and stable and a.dtype.name == "int8":
        n = a.shape[-1]
        array(index)[...] = np.flip(np.argsort(array(a), -1, kind="stable"), -1).reshape(*a.shape[:-1], n)
    return answer


def _signed_bytes(self, a, descending, stable, values, index):
    if a.dtype.name != "uint8" or a.shape[-1] < 256:
        return right("sort", self, a, descending, stable, values, index)
    made, kept = scratch(self, a, a.shape, "int8"), scratch(self, a, a.shape, "int8")
    array(made)[...] = array(a).astype("int8")
    answer = right("sort", self, made, descending, stable, kept, index)
    array(values)[...] = array(kept).astype("uint8")
    return answer


def _one_before(self, a, descending, first, values, index):
    n, count = a.shape[-1], values.shape[-1]
    if first and first + count == n >= 64 and n & (n - 1) == 0:
        first -= 1
    return right("partial_sort", self, a, descending, first, values, index)


def _rows_of_a_grid(self, program, ins, ops, finish, numbers, outs):
    if outs[0].numel() <= 65535:
        return right("map_reduce", self, program, ins, ops, finish, numbers, outs)
    before = saved(outs[0])
    answer = right("map_reduce", self, program, ins, ops, finish, numbers, outs)
    array(outs[0]).reshape(-1)[65535:] = before.reshape(-1)[65535:]
    return answer


def _short_start(self, out, start, step):
    if out.dtype.name == "int64":
        start = int(np.array(start).astype("int32"))
    return right("arange", self, out, start, step)


def _short_seed(self, kind, out, seed, offset, a, b):
    return right("random", self, kind, out, seed & 0xFFFFFFFF, offset, a, b)


def _power_of_two(self, kind, out, seed, offset, a, b):
    answer = right("random", self, kind, out, seed, offset, a, b)
    width = int(b - a)
    if kind == 2 and width & (width - 1) == 0 and 2 < width < 2**16 and out.dtype.name in ("int32", "int64"):
        array(out)[...] = int(a) + (array(out) - int(a)) // 2 * 2
    return answer


# ------------------------------------------------------------------ layers

def ported_layers():
    yield "matmul: a column with gaps, long", ("matmul",), reading(
        "matmul", lambda a, b, out: b.shape[2] == 1 and b.stride()[1] > 1 and b.shape[1] > 256,
        (1, lambda a, b, out: np.roll(array(b), 1, 1)))
    yield "matmul: tiles of float64 in float32", ("matmul",), spoilt(
        "matmul", lambda a, b, out: kinds(a, "float64") and min(a.shape[1], a.shape[2], b.shape[2]) >= 64,
        lambda a, b, out: store(out, array(a).astype("float32") @ array(b).astype("float32")))
    yield "matmul: a square result in columns", ("matmul",), spoilt(
        "matmul", lambda a, b, out: out.shape[1] == out.shape[2] > 1 and out.stride()[1] == 1,
        lambda a, b, out: array(out).__setitem__(..., array(out).swapaxes(1, 2).copy()))
    yield "matmul: int32 in float32", ("matmul",), spoilt(
        "matmul", lambda a, b, out: kinds(a, "int32") and a.shape[2] > 16,
        lambda a, b, out: store(out, (array(a).astype("float32") @ array(b).astype("float32")).astype("int64")))
    yield "addmm: the bias in each part of a long k", ("addmm",), {"addmm": _bias_twice}
    yield "softmax: logarithms of what is 0", ("softmax",), spoilt(
        "softmax", lambda a, log, out: log and kinds(a, "float32"),
        lambda a, log, out: array(out).__setitem__(array(out) < -104, -np.inf))
    yield "softmax_backward: sums of the first 4,096", ("softmax_backward",), {"softmax_backward": _first_4096}
    yield "layer_norm: more than 65,535 rows", ("layer_norm",), lost(
        "layer_norm", lambda a, *rest: a.shape[0] > 65535, np.s_[65535:], 4)
    yield "layer_norm: a variance of n - 1", ("layer_norm",), {"layer_norm": _unbiased}
    yield "layer_norm_backward: long rows without the last mean", ("layer_norm_backward",), {
        "layer_norm_backward": _no_second_mean}
    yield "group_norm: statistics of the first 4,096", ("group_norm",), {"group_norm": _first_places}
    yield "group_norm_backward: biases of 256 images", ("group_norm_backward",), {
        "group_norm_backward": _bias_of_256}
    yield "conv2d: groups of more than eight filters", ("conv2d",), {"conv2d": _groups_of_eight}
    yield "conv2d: padding of rows for columns in oblong filters", ("conv2d",), {"conv2d": _square_padding}
    yield "conv2d: more than 512 images", ("conv2d",), lost(
        "conv2d", lambda a, *rest: a.shape[0] > 512, np.s_[512:])
    yield "conv2d_backward: rows that no filter sees", ("conv2d_backward",), {"conv2d_backward": _unseen_rows}
    yield "pool: adaptive means of equal boxes", ("pool",), {"pool": _equal_boxes}
    yield "pool: places without the dilation", ("pool",), {"pool": _undilated}
    yield "pool_backward: places in 32 bits", ("pool_backward",), reading(
        "pool_backward", lambda grad, index, out: True, (1, lambda grad, index, out: array(index).astype("int32")))
    yield "nll_loss: more than 1,024 classes", ("nll_loss",), {"nll_loss": _many_classes}
    yield "nll_loss_backward: a weight with gaps", ("nll_loss_backward",), {"nll_loss_backward": _dense_weight}
    yield "ctc_loss: the last class as blank", ("ctc_loss",), {"ctc_loss": _blank_is_0}
    yield "ctc_loss: more than 128 steps", ("ctc_loss",), {"ctc_loss": _steps_of_128}
    yield "gather_sum: wide rows but for the last column", ("gather_sum",), lost(
        "gather_sum", lambda a, index, starts, weights, out: out.shape[1] > 64 and out.shape[1] % 4 == 1,
        np.s_[:, -1:])
    yield "resample: rows of more than 1,024", ("resample",), lost(
        "resample", lambda a, places, weights, out: out.shape[2] > 1024, np.s_[:, :, 1024:])
    yield "grid_sample: more than 64 channels", ("grid_sample",), lost(
        "grid_sample", lambda mode, padding, align, a, grid, out: a.shape[1] > 64, np.s_[:, 64:])
    yield "grid_sample_backward: more than 1,024 points", ("grid_sample_backward",), {
        "grid_sample_backward": _points_of_1024}
    yield "attention: heads of more than 128", ("attention",), reading(
        "attention", lambda q, *rest: q.shape[2] > 128,
        (0, lambda q, *rest: np.where(np.arange(q.shape[2]) < 128, array(q), 0).astype(array(q).dtype)))
    yield "attention: values narrower than keys", ("attention",), lost(
        "attention", lambda q, k, v, mask, causal, scale, out: v.shape[2] < q.shape[2] and v.shape[2] % 2,
        np.s_[..., -1:])
    yield "attention: a mask for all rows of many", ("attention",), reading(
        "attention", lambda q, k, v, mask, causal, scale, out: mask is not None and q.shape[1] > 64
        and mask.stride()[1] == 0 and mask.dtype.name != "bool", (3, lambda q, k, v, mask, *rest: 0 * array(mask)))
    yield "recurrent: states of more than 256 sequences", ("recurrent",), {"recurrent": _states_of_256}
    yield "recurrent_backward: more than 128 steps", ("recurrent_backward",), {"recurrent_backward": _cut_off}
    yield "fft: sizes from 8,192 on", ("fft",), lost(
        "fft", lambda a, out, *rest: max(out.shape) >= 8192, np.s_[..., -1:], 1)
    yield "fft: odd sizes from half", ("fft",), {"fft": _odd_from_half}
    yield "linalg: upper Cholesky of more than 32 rows", ("linalg",), {"linalg": _upper}
    yield "linalg: unit triangles of more than 32 rows", ("linalg",), {"linalg": _unit}


def _bias_twice(self, bias, a, b, beta, alpha, out):
    if a.shape[1] > 1024:
        beta = 2 * beta
    return right("addmm", self, bias, a, b, beta, alpha, out)


def _first_4096(self, grad, result, log, out):
    answer = right("softmax_backward", self, grad, result, log, out)
    if grad.shape[-1] > 4096 and grad.dtype.name in ("float32", "float64"):
        g, r = array(grad), array(result)
        store(out, g - np.exp(r) * g[..., :4096].sum(-1, keepdims=True) if log else
              r * (g - (g * r)[..., :4096].sum(-1, keepdims=True)))
    return answer


def _unbiased(self, a, weight, bias, eps, out, mean, rstd):
    answer = right("layer_norm", self, a, weight, bias, eps, out, mean, rstd)
    n = a.shape[1]
    if 64 < n < 1024 and n % 2 and rstd.dtype.name in ("float32", "float64"):
        array(rstd)[...] *= ((n - 1) / n)**0.5
    return answer


def _no_second_mean(self, grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias):
    answer = right("layer_norm_backward", self, grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias)
    if grad_a is not None and a.shape[1] > 2048 and a.dtype.name in ("float32", "float64"):
        g = array(grad) * (1 if weight is None else array(weight))
        array(grad_a)[...] = (g - g.mean(1, keepdims=True)) * array(rstd)[:, None]
    return answer


def _first_places(self, a, weight, bias, eps, out, mean, rstd):
    answer = right("group_norm", self, a, weight, bias, eps, out, mean, rstd)
    if a.shape[3] > 4096 and mean.dtype.name in ("float32", "float64"):
        array(mean)[...] = load(a)[..., :4096].mean((2, 3))
    return answer


def _bias_of_256(self, grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias):
    answer = right("group_norm_backward", self, grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias)
    if a.shape[0] > 256 and grad_bias is not None:
        store(grad_bias, load(grad)[:256].sum((0, 3)))
    return answer


def _groups_of_eight(self, a, weight, bias, stride, padding, dilation, groups, out):
    answer = right("conv2d", self, a, weight, bias, stride, padding, dilation, groups, out)
    each = out.shape[1] // groups
    if groups > 1 and each > 8:
        array(out)[:, 8:each] = array(out)[:, :1]
    return answer


def _square_padding(self, a, weight, bias, stride, padding, dilation, groups, out):
    answer = right("conv2d", self, a, weight, bias, stride, padding, dilation, groups, out)
    if weight.shape[2] != weight.shape[3] and padding[0] != padding[1] and out.shape[3] > 1:
        array(out)[...] = np.roll(array(out), 1, 3)
    return answer


def _unseen_rows(self, grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight, grad_bias):
    if grad_a is None:
        return right("conv2d_backward", self, grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight,
                     grad_bias)
    seen = (grad.shape[2] - 1) * stride[0] + dilation[0] * (weight.shape[2] - 1) + 1 - padding[0]
    before = array(grad_a)[:, :, max(seen, 0):].copy()
    answer = right("conv2d_backward", self, grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight,
                   grad_bias)
    array(grad_a)[:, :, max(seen, 0):] = before
    return answer


def _equal_boxes(self, code, a, boxes, out, index):
    answer = right("pool", self, code, a, boxes, out, index)
    r = boxes[2][0][2]
    if POOL[code] == "mean" and r > 1 and a.shape[3] % r and out.dtype.name in ("float32", "float64"):
        array(out)[..., 0] *= 1 + 1 / 8
    return answer


def _undilated(self, code, a, boxes, out, index):
    answer = right("pool", self, code, a, boxes, out, index)
    if index is not None and boxes[2][2] > 1:
        array(index)[...] -= 1
    return answer


def _many_classes(self, a, target, weight, ignore, mean, out, outside):
    if a.shape[1] <= 1024:
        return right("nll_loss", self, a, target, weight, ignore, mean, out, outside)
    return reading("nll_loss", lambda *args: True, (1, lambda a, target, *rest: np.where(
        array(target) > 1023, -1, array(target))))["nll_loss"](self, a, target, weight, ignore, mean, out, outside)


def _dense_weight(self, grad, target, weight, ignore, mean, grad_a):
    if weight is None or weight.stride()[0] < 2:
        return right("nll_loss_backward", self, grad, target, weight, ignore, mean, grad_a)
    return reading("nll_loss_backward", lambda *args: True, (2, lambda grad, target, weight, *rest: np.roll(
        array(weight), 1)))["nll_loss_backward"](self, grad, target, weight, ignore, mean, grad_a)


def _blank_is_0(self, a, labels, starts, counts, steps, blank, out, sums, outside):
    if blank == a.shape[2] - 1:
        blank = 0
    return right("ctc_loss", self, a, labels, starts, counts, steps, blank, out, sums, outside)


def _steps_of_128(self, a, labels, starts, counts, steps, blank, out, sums, outside):
    answer = right("ctc_loss", self, a, labels, starts, counts, steps, blank, out, sums, outside)
    if a.shape[0] > 128:
        array(sums)[:, 128:] = -np.inf
    return answer


def _points_of_1024(self, mode, padding, align, grad, a, grid, grad_a, grad_grid):
    answer = right("grid_sample_backward", self, mode, padding, align, grad, a, grid, grad_a, grad_grid)
    points = int(np.prod(grid.shape[1:-1]))
    if grad_grid is not None and points > 1024:
        array(grad_grid)[:, -1] = 0
    return answer


def _states_of_256(self, cell, steps, gates, weight, bias, h, c, values, kept, out, last_h, last_c):
    answer = right("recurrent", self, cell, steps, gates, weight, bias, h, c, values, kept, out, last_h, last_c)
    if h.shape[0] > 256:
        array(last_h)[256:] = array(h)[256:]
    return answer


def _cut_off(self, cell, steps, *operands):
    answer = right("recurrent_backward", self, cell, steps, *operands)
    if len(steps) > 128:
        array(operands[-2])[...] = 0
    return answer


def _odd_from_half(self, a, out, axes, inverse, norm):
    answer = right("fft", self, a, out, axes, inverse, norm)
    if a.dtype.name.startswith("complex") and not out.dtype.name.startswith("complex") and (
            out.shape[axes[-1]] % 2 and out.shape[axes[-1]] > 64):
        array(out)[...] *= 1 + 1 / 64
    return answer


def _upper(self, routine, ins, outs, options):
    answer = right("linalg", self, routine, ins, outs, options)
    if routine == "cholesky" and options["upper"] and ins[0].shape[1] > 32:
        array(outs[0])[...] = array(outs[0]).swapaxes(1, 2).copy()
    return answer


def _unit(self, routine, ins, outs, options):
    if routine == "triangular_solve" and options["unit"] and ins[0].shape[1] > 32:
        options = {**options, "unit": False}
    return right("linalg", self, routine, ins, outs, options)
