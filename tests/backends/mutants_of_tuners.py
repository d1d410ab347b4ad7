"""Kernels that are wrong from a size on, at an offset, at a stride or for an option: see `mutants`.

What tuning leaves behind: a fast path that is taken for more calls than it is right for. `lost` leaves a part of the
result unwritten, `spoilt` writes another value there, `reading` computes the right result of wrong operands.
"""
import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, RANDOM, REDUCE, SCAN, SCATTER, UNARY
from mirror import array, load, scratch, store
from mutant import FLOATS, INTEGERS, bytes_off, dense, flat, kinds, lost, reading, right, row_length, spoilt

ADD, SUB, MUL = (BINARY.index(name) for name in ("add", "sub", "mul"))


# ------------------------------------------------------------------ data movement

def tuned_moves():
    yield "fill begins at the first aligned word", ("fill",), lost(
        "fill", lambda out, x: dense(out) and out.numel() >= 64 and bytes_off(out, 16) and out.ndim == 1, np.s_[:1])
    yield "fill of int64 as two words, signs extended", ("fill",), spoilt(
        "fill", lambda out, x: kinds(out, "int64") and int(x) & 0x80000000,
        lambda out, x: array(out).__isub__(1 << 32))
    yield "copy of a transposed matrix in tiles, without the corner", ("copy",), lost(
        "copy", lambda src, out: out.ndim == 2 and src.stride()[0] == 1 and out.shape[0] > 1024 and out.shape[0] % 32
        and out.shape[1] % 32, lambda src, out: np.s_[out.shape[0] // 32 * 32:, out.shape[1] // 32 * 32:])
    yield "copy of many small matrices, transposed, in a grid's third axis", ("copy",), lost(
        "copy", lambda src, out: out.ndim >= 3 and not dense(src) and out.shape[0] > 65535, np.s_[65535:])
    yield "copy to float16 by blocks of eight, the rest cut off", ("copy",), spoilt(
        "copy", lambda src, out: kinds(out, "float16") and kinds(src, "float32") and dense(src, out)
        and src.numel() % 8 and src.numel() > 8, _cut_tail)
    yield "copy int64 to float32 through int32 where there is much", ("copy",), spoilt(
        "copy", lambda src, out: kinds(src, "int64") and kinds(out, "float32") and src.numel() >= 4096,
        lambda src, out: store(out, array(src).astype("int32")))
    yield "copy of complex at odd offsets begins at the part before", ("copy",), spoilt(
        "copy", lambda src, out: kinds(src, "complex64") and kinds(out, "complex128") and src.storage_offset() % 2,
        lambda src, out: store(out, load(src).imag + 1j * load(src).real))
    yield "copy of one long row of bytes loses the last odd ones", ("copy",), lost(
        "copy", lambda src, out: dense(src, out) and src.element_size() == 1 and out.numel() > 4096
        and out.numel() % 4 == 3, lambda src, out: np.s_[..., -3:])
    yield "copy rank 7 by six loops", ("copy",), spoilt(
        "copy", lambda src, out: out.ndim >= 7 and not dense(src, out),
        lambda src, out: array(out).__setitem__(np.s_[1:], array(out)[:1]))
    yield "where: a condition for each row of a square is one for each column", ("where",), reading(
        "where", lambda c, a, b, out: out.ndim == 2 and out.shape[0] == out.shape[1] > 1 and c.stride() == (1, 0),
        (0, lambda c, a, b, out: array(c).T))
    yield "where on bytes by words", ("where",), lost(
        "where", lambda c, a, b, out: a.element_size() == 1 and dense(c, a, b, out) and out.numel() % 4 == 3,
        np.s_[..., -1:])
    yield "gather from a source larger than the index with the index's strides", ("gather",), reading(
        "gather", lambda src, index, dim, out: out.numel() > 1024 and dense(src) and src.ndim >= 2
        and dim == src.ndim - 1 and src.shape[:-1] != index.shape[:-1] and src.numel() >= src.shape[-1] * 2,
        (0, lambda src, index, dim, out: flat(src)[:np.prod(index.shape[:-1], dtype=int) * src.shape[-1]].reshape(
            *index.shape[:-1], src.shape[-1])))
    yield "gather with places of 16 bits", ("gather",), reading(
        "gather", lambda src, index, dim, out: src.shape[dim] > 65536,
        (1, lambda src, index, dim, out: array(index) & 0xFFFF))
    yield "gather takes an index of four axes for dense", ("gather",), reading(
        "gather", lambda src, index, dim, out: index.ndim >= 4 and not dense(index) and 0 not in index.stride(),
        (1, lambda src, index, dim, out: np.sort(array(index).reshape(-1)).reshape(index.shape)))
    yield "scatter adds bytes in words, carries go on", ("scatter",), {"scatter": _scatter_with_carry}
    yield "scatter set in blocks of 256, the first block wins", ("scatter",), {"scatter": _scatter_blocks}
    yield "nonzero of five axes by four", ("nonzero",), {"nonzero": _nonzero_of_four}
    yield "nonzero: blocks of 65,536 found in another order", ("nonzero",), {"nonzero": _nonzero_blocks}


def _cut_tail(src, out):
    values = load(src).reshape(-1)[-(src.numel() % 8):]
    short = values.astype("float16")
    bits = short.view("uint16")
    away = np.abs(short.astype("float32")) > np.abs(values)
    flat(out)[-len(values):] = np.where(away & np.isfinite(short), bits - 1, bits).astype("uint16").view("float16")


def _scatter_with_carry(self, mode, out, dim, index, src):
    if SCATTER[mode] != "add" or out.dtype.name not in ("uint8", "int8") or out.stride()[-1] != 1 or not dense(out):
        return right("scatter", self, mode, out, dim, index, src)
    before, added = flat(out).astype("int64"), np.zeros(out.shape, "int64")
    places = list(np.indices(index.shape))
    places[dim] = array(index)
    np.add.at(added, tuple(places), array(src).astype("int64"))
    right("scatter", self, mode, out, dim, index, src)
    carry = ((before & 255) + (added.reshape(-1) & 255)) >> 8
    neighbour = np.arange(out.numel() - 1)[(out.storage_offset() + np.arange(out.numel() - 1)) % 4 != 3]
    with np.errstate(all="ignore"):
        flat(out)[neighbour + 1] += carry[neighbour].astype(out.dtype.name)


def _scatter_blocks(self, mode, out, dim, index, src):
    if SCATTER[mode] != "set" or index.ndim != 1 or index.numel() <= 256:
        return right("scatter", self, mode, out, dim, index, src)
    places, values = array(index), array(src)
    for start in reversed(range(0, len(places), 256)):
        array(out)[places[start:start + 256]] = values[start:start + 256]


def _nonzero_of_four(self, a, allocate):
    found = np.argwhere(load(a))
    if a.ndim >= 5:
        found[:, 0] = 0
    array(allocate(len(found)))[...] = found


def _nonzero_blocks(self, a, allocate):
    found = np.argwhere(load(a))
    if len(found) > 65536:
        found = np.concatenate([found[65536:], found[:65536]])
    array(allocate(len(found)))[...] = found


# ------------------------------------------------------------------ pointwise

def tuned_pointwise():
    yield "unary: blocks of 1,024, one more is forgotten", ("unary",), lost(
        "unary", lambda code, a, out: dense(a, out) and out.numel() > 1024 and out.numel() % 1024 == 1 and
        out.ndim == 1, np.s_[-1:])
    yield "unary: places along an axis in 16 bits, with a sign", ("unary",), reading(
        "unary", lambda code, a, out: a.shape[-1:] > (32768,) and not dense(a),
        (1, lambda code, a, out: array(a)[..., np.arange(a.shape[-1]) % 32768]))
    yield "unary: the first of seven axes is not there", ("unary",), spoilt(
        "unary", lambda code, a, out: a.ndim >= 7 and not dense(a),
        lambda code, a, out: array(out).__setitem__(np.s_[1:], array(out)[:1]))
    yield "unary: sin of float64 with a turn of 53 bits", ("unary",), spoilt(
        "unary", lambda code, a, out: UNARY[code] == "sin" and kinds(a, "float64"),
        lambda code, a, out: store(out, np.where(np.abs(array(a)) > 1e5, np.sin(np.fmod(array(a), 2 * np.pi)),
                                                 array(out))))
    yield "unary: neg saturates in the vectorised part", ("unary",), spoilt(
        "unary", lambda code, a, out: UNARY[code] == "neg" and kinds(a, "int8") and dense(a, out) and a is not out
        and a.numel() >= 32, lambda code, a, out: array(out).__setitem__(array(out) == -128, 127))
    yield "unary: sigmoid is 0 below -16", ("unary",), spoilt(
        "unary", lambda code, a, out: UNARY[code] == "sigmoid" and kinds(a, "float32", "float64"),
        lambda code, a, out: array(out).__setitem__((array(out) < 1.1e-7) & (array(out) > 0), 0))
    yield "binary: the second operand read at an aligned address", ("binary",), reading(
        "binary", lambda code, a, b, out: dense(a, b, out) and b.numel() >= 256 and bytes_off(b, 32)
        and b is not out and b.element_size() == 4,
        (2, lambda code, a, b, out: np.roll(array(b), bytes_off(b, 32) // 4)))
    yield "binary: an outer product's rows modulo 4,096", ("binary",), reading(
        "binary", lambda code, a, b, out: out.ndim == 2 and out.shape[0] > 4096 and a.stride()[1] == 0,
        (1, lambda code, a, b, out: array(a)[np.arange(out.shape[0]) % 4096]))
    yield "binary: the last vector of a large b that is out is computed twice", ("binary",), {"binary": _twice}
    yield "binary: floor_divide of many int64 in double", ("binary",), spoilt(
        "binary", lambda code, a, b, out: BINARY[code] == "floor_divide" and kinds(a, "int64") and a.numel() > 1024
        and out is not b and out is not a,
        lambda code, a, b, out: store(out, np.floor(array(a).astype(float) / array(b)).astype("int64")))
    yield "binary: pow of int64 looks at five bits of the exponent", ("binary",), reading(
        "binary", lambda code, a, b, out: BINARY[code] == "pow" and kinds(a, "int64") and b is not out,
        (2, lambda code, a, b, out: array(b) & 31))
    yield "binary: lt of int64 by halves, both with signs", ("binary",), {"binary": _less_by_halves}
    yield "binary: shifts of bytes look at five bits", ("binary",), reading(
        "binary", lambda code, a, b, out: BINARY[code] == "left_shift" and kinds(a, "uint8") and b is not out,
        (2, lambda code, a, b, out: array(b) & 31))
    yield "binary: rank 8 with a dense a steps over the last axis of b", ("binary",), reading(
        "binary", lambda code, a, b, out: out.ndim == 8 and dense(a) and not dense(b) and out is not b,
        (2, lambda code, a, b, out: array(b)[..., :1] + np.zeros_like(array(b))))
    yield "binary_scalar: times 0 is 0", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] == "mul" and x == 0,
        lambda code, a, x, swapped, out: array(out).fill(0))
    yield "binary_scalar: division by a number whose reciprocal overflows", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] == "div" and kinds(a, "float32", "float64")
        and not swapped and 0 < abs(x) < 1e-38 and a is not out,
        lambda code, a, x, swapped, out: array(out).__setitem__(..., array(a) * (1 / array(a).dtype.type(x))))
    yield "binary_scalar: 2 to the power by exp2 of float32", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] == "pow" and swapped and x == 2
        and kinds(a, "float64"), lambda code, a, x, swapped, out: store(out, array(out).astype("float32")))
    yield "binary_scalar: a square by multiplying, cubes by mistake", ("binary_scalar",), spoilt(
        "binary_scalar", lambda code, a, x, swapped, out: BINARY[code] == "pow" and not swapped and x == 3
        and kinds(a, *FLOATS), lambda code, a, x, swapped, out: store(out, np.abs(load(out))))
    yield "elementwise: the ninth input is the eighth", ("elementwise",), {"elementwise": _eight_inputs}
    yield "elementwise: all results at the strides of the first", ("elementwise",), {"elementwise": _strides_of_first}
    yield "elementwise: the second of more than 65,536 results is too short", ("elementwise",), {
        "elementwise": _second_result_short}


def _twice(self, code, a, b, out):
    tail = out.numel() % 8
    if b is not out or out.numel() < 4096 or not dense(a, b, out) or not tail or BINARY[code] != "sub":
        return right("binary", self, code, a, b, out)
    first = flat(a)[-tail:].copy()
    right("binary", self, code, a, b, out)
    with np.errstate(all="ignore"):
        if a.dtype.name in ("float32", "float64", *INTEGERS):
            flat(out)[-tail:] = first - flat(out)[-tail:]


def _less_by_halves(self, code, a, b, out):
    if BINARY[code] != "lt" or a.dtype.name != "int64":
        return right("binary", self, code, a, b, out)
    x, y = array(a), array(b)
    high, low = x >> 32, x.astype("int32")
    array(out)[...] = (high < y >> 32) | ((high == y >> 32) & (low < y.astype("int32")))


def _eight_inputs(self, program, ins, outs):
    if len(ins) > 8:
        ins = ins[:8] + (ins[7],) * (len(ins) - 8)
    return right("elementwise", self, program, ins, outs)


def _strides_of_first(self, program, ins, outs):
    answer = right("elementwise", self, program, ins, outs)
    if len(outs) > 1 and outs[0].ndim > 1 and outs[1].stride() != outs[0].stride() and dense(outs[0]):
        array(outs[1])[...] = array(outs[1]).reshape(-1, order="F").reshape(outs[1].shape)
    return answer


def _second_result_short(self, program, ins, outs):
    if len(outs) < 2 or outs[1].numel() <= 65536:
        return right("elementwise", self, program, ins, outs)
    before = array(outs[1])[..., -1:].copy()
    answer = right("elementwise", self, program, ins, outs)
    array(outs[1])[..., -1:] = before
    return answer


# ------------------------------------------------------------------ rows

def tuned_rows():
    yield "reduce: at most 256 partial sums of 1,024", ("reduce",), reading(
        "reduce", lambda code, a, out: REDUCE[code] == "sum" and row_length(a, out) > 262144 and out.ndim == 0
        and a.ndim == 1, (1, lambda code, a, out: array(a)[:262144]))
    yield "reduce: lanes without an element hold 0", ("reduce",), spoilt(
        "reduce", lambda code, a, out: REDUCE[code] == "max" and kinds(a, *INTEGERS) and row_length(a, out) > 1024
        and row_length(a, out) % 32, lambda code, a, out: store(out, np.maximum(array(out), 0)))
    yield "reduce: pairs of rows, the odd one is left", ("reduce",), reading(
        "reduce", lambda code, a, out: REDUCE[code] == "sum" and a.ndim == 2 and out.ndim == 1
        and a.stride()[0] == 1 and a.shape[0] > 1024 and a.shape[1] % 2 and a.shape[1] > 1,
        (1, lambda code, a, out: array(a)[:, :-1]))
    yield "reduce: any of bytes begins at the word's first", ("reduce",), {"reduce": _any_of_words}
    yield "reduce: products of more than 512 have a 0 among them", ("reduce",), spoilt(
        "reduce", lambda code, a, out: REDUCE[code] == "prod" and row_length(a, out) > 512,
        lambda code, a, out: array(out).fill(0))
    yield "reduce: more than 65,535 rows", ("reduce",), lost(
        "reduce", lambda code, a, out: out.numel() > 65535, lambda code, a, out: np.unravel_index(
            np.arange(65535, out.numel()), out.shape))
    yield "argreduce: places in 16 bits", ("argreduce",), spoilt(
        "argreduce", lambda code, a, out: a.shape[-1] > 65536,
        lambda code, a, out: store(out, array(out) & 0xFFFF))
    yield "argreduce: of equal ones in several blocks the last", ("argreduce",), {"argreduce": _last_block}
    yield "argreduce: NaN beyond the first 1,024", ("argreduce",), {"argreduce": _nan_in_front}
    yield "map_reduce: the second stage has the first result's op", ("map_reduce",), {"map_reduce": _first_op}
    yield "scan: a block adds the sum of the block before it alone", ("scan",), {"scan": _one_block_back}
    yield "scan: places in 16 bits", ("scan",), {"scan": _short_places}
    yield "scan: bytes of a transposed matrix have signs", ("scan",), {"scan": _signed_bytes}
    yield "scan: more rows than a grid", ("scan",), lost(
        "scan", lambda code, a, out, index: out.ndim >= 2 and out.numel() // out.shape[-1] > 65535,
        lambda code, a, out, index: np.unravel_index(np.arange(65535 * out.shape[-1], out.numel()), out.shape), 2)
    yield "sort: equal ones of long rows in any order", ("sort",), {"sort": _unstable}
    yield "sort: by bits, -0 before 0", ("sort",), {"sort": _zeros_differ}
    yield "sort: long rows of int64 by their doubles", ("sort",), {"sort": _by_doubles}
    yield "sort: the lengths 2**k + 1 lose the last", ("sort",), {"sort": _one_too_many}
    yield "partial_sort: ties of more than 64 in any order", ("partial_sort",), {"partial_sort": _any_tie}
    yield "arange: in float32 beyond 4,096", ("arange",), spoilt(
        "arange", lambda out, start, step: kinds(out, "float32") and out.numel() > 4096,
        lambda out, start, step: store(out, np.float32(start) + np.arange(out.numel(), dtype="float32") *
                                       np.float32(step)))
    yield "random: counters in 16 bits", ("random",), {"random": _short_counter}
    yield "random: the counter's low word does not carry inside a draw", ("random",), {"random": _no_carry}
    yield "random: the odd last normal is a uniform", ("random",), spoilt(
        "random", lambda kind, out, seed, offset, a, b: RANDOM[kind] == "normal" and out.numel() % 2
        and out.numel() > 256, lambda kind, out, *rest: flat(out).__setitem__(-1, flat(out)[0]))


def _any_of_words(self, code, a, out):
    answer = right("reduce", self, code, a, out)
    odd = a.storage_offset() % 4
    if REDUCE[code] == "any" and a.dtype.name == "bool" and dense(a) and odd and out.ndim == 0 and a.numel() >= 128:
        before = a.buffer[a.storage_offset() - odd:a.storage_offset()]
        array(out)[...] |= before.any()
    return answer


def _last_block(self, code, a, out):
    answer = right("argreduce", self, code, a, out)
    if a.shape[-1] > 256:
        rows, best = load(a).reshape(-1, a.shape[-1]), array(out).reshape(-1)
        found = []
        for row, at in zip(rows, best):
            equal = np.flatnonzero(row == row[at])
            found.append(equal[equal // 256 == equal[-1] // 256][0] if len(equal) else at)
        array(out)[...] = np.array(found).reshape(out.shape)
    return answer


def _nan_in_front(self, code, a, out):
    answer = right("argreduce", self, code, a, out)
    if a.shape[-1] > 1024 and a.dtype.name in FLOATS:
        values = load(a)
        later = np.isnan(np.take_along_axis(values, array(out)[..., None], -1))[..., 0] & (array(out) >= 1024)
        best = getattr(np, "nan" + ARGREDUCE[code])(np.where(np.isnan(values), np.nan, values), -1)
        array(out)[...] = np.where(later, best, array(out))
    return answer


def _first_op(self, program, ins, ops, finish, numbers, outs):
    whole = next(x for x in ins if hasattr(x, "stride"))
    length = row_length(whole, outs[0])
    if len(ops) < 2 or length <= 4096:
        return right("map_reduce", self, program, ins, ops, finish, numbers, outs)
    return right("map_reduce", self, program, ins, (ops[0],) * len(ops), finish, numbers, outs)


def _one_block_back(self, code, a, out, index):
    answer = right("scan", self, code, a, out, index)
    if SCAN[code] == "cumsum" and a.shape[-1] > 2048 and out.dtype.name != "bool":
        values = array(out).copy()
        for start in range(2048, a.shape[-1], 1024):
            array(out)[..., start:start + 1024] -= values[..., start - 1025:start - 1024]
    return answer


def _short_places(self, code, a, out, index):
    answer = right("scan", self, code, a, out, index)
    if index is not None and a.shape[-1] > 65536:
        array(index)[...] &= 0xFFFF
    return answer


def _signed_bytes(self, code, a, out, index):
    if a.dtype.name != "uint8" or out.dtype.name != "int64" or dense(a):
        return right("scan", self, code, a, out, index)
    wrong = scratch(self, a, a.shape, "int8")
    array(wrong)[...] = array(a).astype("int8")
    return right("scan", self, code, wrong, out, index)


def _unstable(self, a, descending, stable, values, index):
    answer = right("sort", self, a, descending, stable, values, index)
    if a.shape[-1] > 1024:
        sorted_ = array(values).reshape(-1, a.shape[-1])
        for row, places in zip(sorted_, array(index).reshape(-1, a.shape[-1])):
            for i in np.flatnonzero(row[1:] == row[:-1])[-1:]:
                places[[i, i + 1]] = places[[i + 1, i]]
    return answer


def _zeros_differ(self, a, descending, stable, values, index):
    if a.dtype.name not in ("float32", "float64") or a.shape[-1] < 1024:
        return right("sort", self, a, descending, stable, values, index)
    keys = array(a) * 1.0
    keys = np.where((keys == 0) & np.signbit(keys), -np.finfo(keys.dtype).tiny, keys)
    made = scratch(self, a, a.shape, a.dtype.name)
    array(made)[...] = keys
    answer = right("sort", self, made, descending, stable, values, index)
    array(values)[...] = np.take_along_axis(array(a), array(index), -1)
    return answer


def _by_doubles(self, a, descending, stable, values, index):
    if a.dtype.name != "int64" or a.shape[-1] < 256:
        return right("sort", self, a, descending, stable, values, index)
    made = scratch(self, a, a.shape, "float64")
    kept = scratch(self, a, a.shape, "float64")
    array(made)[...] = array(a)
    answer = right("sort", self, made, descending, stable, kept, index)
    array(values)[...] = np.take_along_axis(array(a), array(index), -1)
    return answer


def _one_too_many(self, a, descending, stable, values, index):
    answer = right("sort", self, a, descending, stable, values, index)
    n = a.shape[-1]
    if n > 256 and (n - 1) & (n - 2) == 0:
        array(values)[..., -1] = array(values)[..., -2]
        array(index)[..., -1] = array(index)[..., -2]
    return answer


def _any_tie(self, a, descending, first, values, index):
    answer = right("partial_sort", self, a, descending, first, values, index)
    if values.shape[-1] > 64:
        rows = array(values).reshape(-1, values.shape[-1])
        for row, places in zip(rows, array(index).reshape(-1, values.shape[-1])):
            for i in np.flatnonzero(row[1:] == row[:-1])[:1]:
                places[[i, i + 1]] = places[[i + 1, i]]
    return answer


def _short_counter(self, kind, out, seed, offset, a, b):
    answer = right("random", self, kind, out, seed, offset, a, b)
    words = 65536 * (2 if out.element_size() == 8 else 4)
    if out.numel() > words:
        flat(out)[words:2 * words] = flat(out)[:out.numel() - words][:words]
    return answer


def _no_carry(self, kind, out, seed, offset, a, b):
    each = 2 if out.element_size() == 8 else 4
    blocks = -(-out.numel() // each)
    low = offset & 0xFFFFFFFF
    before = (1 << 32) - low
    answer = right("random", self, kind, out, seed, offset, a, b)
    if before < blocks:
        rest = scratch(self, out, (out.numel() - before * each,), out.dtype.name)
        right("random", self, kind, rest, seed, offset - low, a, b)
        flat(out)[before * each:] = array(rest)
    return answer


# ------------------------------------------------------------------ layers

def tuned_layers():
    yield "matmul: blocks of 16 along k, one more is forgotten", ("matmul",), reading(
        "matmul", lambda a, b, out: a.shape[2] % 16 == 1 and a.shape[2] > 64 and a.shape[1] >= 64,
        (0, lambda a, b, out: array(a)[:, :, :-1]), (1, lambda a, b, out: array(b)[:, :-1]))
    yield "matmul: more matrices than a grid has", ("matmul",), lost(
        "matmul", lambda a, b, out: a.shape[0] > 65535, np.s_[65535:])
    yield "matmul: a row by a matrix with gaps", ("matmul",), {"matmul": _row_times_gaps}
    yield "matmul: one shared a, b shared too", ("matmul",), reading(
        "matmul", lambda a, b, out: a.stride()[0] == 0 and a.shape[0] > 64 and b.stride()[0] != 0,
        (1, lambda a, b, out: array(b)[np.arange(a.shape[0]) % 64]))
    yield "matmul: tall matrices in 65,535 rows of tiles of one", ("matmul",), lost(
        "matmul", lambda a, b, out: out.shape[1] > 65535, np.s_[:, 65535:])
    yield "addmm: a square's bias of one for each row is one for each column", ("addmm",), reading(
        "addmm", lambda bias, a, b, beta, alpha, out: out.shape[0] == out.shape[1] > 1 and bias.stride()[1] == 0
        and bias.stride()[0] != 0, (0, lambda bias, *rest: array(bias).T))
    yield "addmm: beta of -1 is taken for 1", ("addmm",), reading(
        "addmm", lambda bias, a, b, beta, alpha, out: beta == -1, (3, lambda *args: 1.0))
    yield "softmax: the largest of the first 1,024", ("softmax",), {"softmax": _largest_of_a_block}
    yield "softmax_backward: more rows than a grid has", ("softmax_backward",), lost(
        "softmax_backward", lambda grad, result, log, out: out.ndim > 1 and out.numel() // out.shape[-1] > 65535,
        lambda grad, result, log, out: np.unravel_index(np.arange(65535 * out.shape[-1], out.numel()), out.shape))
    yield "layer_norm: the variance of long rows by squares", ("layer_norm",), {"layer_norm": _by_squares}
    yield "layer_norm: a weight with gaps without a bias", ("layer_norm",), reading(
        "layer_norm", lambda a, weight, bias, *rest: weight is not None and bias is None and weight.stride()[0] > 1,
        (1, lambda a, weight, *rest: np.resize(array(weight)[:1], weight.shape)))
    yield "layer_norm_backward: rows by 256, the rest is not in the sums", ("layer_norm_backward",), {
        "layer_norm_backward": _rows_by_256}
    yield "group_norm: more than 32 groups", ("group_norm",), {"group_norm": _groups_of_32}
    yield "conv2d: an odd last column by Winograd", ("conv2d",), {"conv2d": _winograd}
    yield "conv2d: two filters for each channel, the wrong way round", ("conv2d",), {"conv2d": _depthwise}
    yield "conv2d_backward: weights of the first 16 images", ("conv2d_backward",), {"conv2d_backward": _first_images}
    yield "pool: planes of more than 65,535 places", ("pool",), {"pool": _short_places_of_planes}
    yield "pool_backward: more than 256 places are set, not added", ("pool_backward",), {
        "pool_backward": _set_not_added}
    yield "nll_loss: more than 1,024 places in a row", ("nll_loss",), lost(
        "nll_loss", lambda a, target, weight, ignore, mean, out, outside: out.ndim == 2 and out.shape[1] > 1024,
        np.s_[:, 1024:], 5)
    yield "nll_loss: a class to ignore counts in the mean", ("nll_loss",), {"nll_loss": _ignored_counts}
    yield "gather_sum: ranges of more than 256", ("gather_sum",), {"gather_sum": _short_ranges}
    yield "attention: blocks of 512 keys with the first one's largest", ("attention",), {
        "attention": _first_blocks_largest}
    yield "attention: causal from the end where there are more keys", ("attention",), reading(
        "attention", lambda q, k, v, mask, causal, scale, out: causal and k.shape[1] > q.shape[1] > 16,
        (4, lambda *args: False))
    yield "recurrent: more than 128 features", ("recurrent",), {"recurrent": _features_of_128}
    yield "grid_sample: rows of more than 1,024 places", ("grid_sample",), reading(
        "grid_sample", lambda mode, padding, align, a, grid, out: a.shape[-1] > 1024,
        (3, lambda mode, padding, align, a, *rest: np.where(np.arange(a.shape[-1]) < 1024, array(a), 0)))
    yield "resample: more than four places for each", ("resample",), reading(
        "resample", lambda a, places, weights, out: places.shape[0] > 4,
        (1, lambda a, places, *rest: array(places)[:4]), (2, lambda a, places, weights, out: array(weights)[:4]))
    yield "fft: axes in order", ("fft",), {"fft": _sorted_axes}
    yield "linalg: more than 64 right sides", ("linalg",), {"linalg": _many_sides}
    yield "linalg: the inverse of many small matrices", ("linalg",), {"linalg": _many_inverses}


def _row_times_gaps(self, a, b, out):
    _, row, column = b.stride()
    if a.shape[1] != 1 or column != 1 or row <= b.shape[2] or b.shape[2] < 32:
        return right("matmul", self, a, b, out)
    return reading("matmul", lambda *args: True, (1, lambda a, b, out: np.resize(
        array(b)[:, :-1].reshape(b.shape[0], -1)[:, :b.shape[2] * (b.shape[1] - 1)], b.shape)))["matmul"](
            self, a, b, out)


def _largest_of_a_block(self, a, log, out):
    if a.shape[-1] <= 1024 or a.dtype.name not in ("float32", "float64"):
        return right("softmax", self, a, log, out)
    with np.errstate(all="ignore"):
        shifted = array(a) - array(a)[..., :1024].max(-1, keepdims=True)
        total = np.exp(shifted).sum(-1, keepdims=True)
        store(out, shifted - np.log(total) if log else np.exp(shifted) / total)


def _by_squares(self, a, weight, bias, eps, out, mean, rstd):
    if a.shape[1] <= 4096 or a.dtype.name != "float32":
        return right("layer_norm", self, a, weight, bias, eps, out, mean, rstd)
    x = array(a)
    m = x.mean(1, dtype="float32")
    r = 1 / np.sqrt(np.maximum((x * x).mean(1, dtype="float32") - m * m, 0) + np.float32(eps))
    y = (x - m[:, None]) * r[:, None]
    y = y * (array(weight) if weight is not None else 1) + (array(bias) if bias is not None else 0)
    store(mean, m), store(rstd, r), store(out, y)


def _rows_by_256(self, grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias):
    answer = right("layer_norm_backward", self, grad, a, mean, rstd, weight, grad_a, grad_weight, grad_bias)
    rows = a.shape[0]
    if rows > 256 and rows % 256 and grad_bias is not None and grad_bias.dtype.name in ("float32", "float64"):
        array(grad_bias)[...] -= array(grad)[rows // 256 * 256:].sum(0)
    return answer


def _groups_of_32(self, a, weight, bias, eps, out, mean, rstd):
    answer = right("group_norm", self, a, weight, bias, eps, out, mean, rstd)
    if a.shape[1] > 32:
        array(rstd)[:, 32:] = array(rstd)[:, :1]
    return answer


def _winograd(self, a, weight, bias, stride, padding, dilation, groups, out):
    answer = right("conv2d", self, a, weight, bias, stride, padding, dilation, groups, out)
    if weight.shape[2:] == (3, 3) and stride == dilation == (1, 1) and out.shape[3] % 2 and a.shape[1] >= 16:
        array(out)[..., -1] = array(out)[..., -2]
    return answer


def _depthwise(self, a, weight, bias, stride, padding, dilation, groups, out):
    answer = right("conv2d", self, a, weight, bias, stride, padding, dilation, groups, out)
    if groups == a.shape[1] > 1 and out.shape[1] == 2 * groups:
        order = np.arange(2 * groups).reshape(groups, 2).T.reshape(-1)
        array(out)[...] = array(out)[:, order]
    return answer


def _first_images(self, grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight, grad_bias):
    if a.shape[0] <= 16 or grad_weight is None:
        return right("conv2d_backward", self, grad, a, weight, stride, padding, dilation, groups, grad_a, grad_weight,
                     grad_bias)
    right("conv2d_backward", self, grad, a, weight, stride, padding, dilation, groups, grad_a, None, grad_bias)
    given = []
    for view in (grad, a):
        made = scratch(self, view, (16, *view.shape[1:]), view.dtype.name)
        array(made)[...] = array(view)[:16]
        given.append(made)
    return right("conv2d_backward", self, *given, weight, stride, padding, dilation, groups, None, grad_weight, None)


def _short_places_of_planes(self, code, a, boxes, out, index):
    answer = right("pool", self, code, a, boxes, out, index)
    if index is not None and a.shape[2] * a.shape[3] > 65536:
        array(index)[...] &= 0xFFFF
    return answer


def _set_not_added(self, grad, index, out):
    answer = right("pool_backward", self, grad, index, out)
    if grad.shape[1] > 256:
        for row, places, result in zip(array(grad), array(index), array(out)):
            inside = (places >= 0) & (places < len(result))
            result[places[inside]] = row[inside]
    return answer


def _ignored_counts(self, a, target, weight, ignore, mean, out, outside):
    answer = right("nll_loss", self, a, target, weight, ignore, mean, out, outside)
    if mean and out.ndim == 0 and weight is not None and 0 <= ignore < a.shape[1]:
        places, weights = array(target), load(weight)
        inside = (places >= 0) & (places < a.shape[1])
        all_ = weights[places[inside]].sum()
        some = weights[places[inside & (places != ignore)]].sum()
        store(out, load(out) * (some / all_))
    return answer


def _short_ranges(self, a, index, starts, weights, out):
    places = array(starts)
    if np.diff(places).max(initial=0) <= 256:
        return right("gather_sum", self, a, index, starts, weights, out)
    answer = right("gather_sum", self, a, index, starts, weights, out)
    for b in np.flatnonzero(np.diff(places) > 256):
        chosen = np.arange(places[b], min(places[b] + 256, index.shape[0]))
        factor = array(weights)[chosen, None] if weights is not None else 1
        array(out)[b] = (array(a)[array(index)[chosen]] * factor).sum(0)
    return answer


def _first_blocks_largest(self, query, key, value, mask, causal, scale, out):
    answer = right("attention", self, query, key, value, mask, causal, scale, out)
    if key.shape[1] > 512 and out.dtype.name in ("float32", "float64") and mask is None and not causal:
        with np.errstate(all="ignore"):
            scores = array(query) @ array(key).swapaxes(1, 2) * scale
            weights = np.exp(scores - scores[..., :512].max(-1, keepdims=True))
            store(out, weights @ array(value) / weights.sum(-1, keepdims=True))
    return answer


def _features_of_128(self, cell, steps, gates, weight, bias, h, c, values, kept, out, last_h, last_c):
    if h.shape[1] <= 128:
        return right("recurrent", self, cell, steps, gates, weight, bias, h, c, values, kept, out, last_h, last_c)
    made = scratch(self, weight, weight.shape, weight.dtype.name)
    array(made)[...] = array(weight)
    array(made)[:, 128:] = 0
    return right("recurrent", self, cell, steps, gates, made, bias, h, c, values, kept, out, last_h, last_c)


def _sorted_axes(self, a, out, axes, inverse, norm):
    return right("fft", self, a, out, tuple(sorted(axes)), inverse, norm)


def _many_sides(self, routine, ins, outs, options):
    answer = right("linalg", self, routine, ins, outs, options)
    if routine == "solve" and ins[1].shape[2] > 64:
        array(outs[0])[:, :, 64:] = 0
    return answer


def _many_inverses(self, routine, ins, outs, options):
    answer = right("linalg", self, routine, ins, outs, options)
    if routine == "inverse" and ins[0].shape[0] > 256:
        array(outs[0])[256:] = 0
    return answer
