"""Mutants of those who know the contract alone: tuning, hardware, and sentences read too quickly. See `mutants`."""
import numpy as np
from cygrad.backend import BINARY, REDUCE, SCAN, UNARY
from mirror import array, load, scratch, store
from mutant import FLOATS, INTEGERS, dense, in_a_row, instead, kinds, lost, reading, right, table


def _unary(name, *dtypes):
    return lambda code, a, out: UNARY[code] == name and (not dtypes or a.dtype.name in dtypes)


def _binary(name, *dtypes):
    return lambda code, a, b, out: BINARY[code] == name and (not dtypes or a.dtype.name in dtypes)


def _of_one(formula):
    return lambda code, a, out: formula(load(a))


def _of_two(formula):
    return lambda code, a, b, out: formula(load(a), load(b))


# ---- arithmetic

def _log1p(x):
    return np.where(np.abs(x) < 2.0**-7, x - x * x / 2, np.log1p(x))


def _remainder(a, b):
    return a - np.floor(a / b) * b


def _asinh(x):
    large = np.abs(x) > 1
    return np.where(large, np.copysign(np.log(np.abs(x) + np.sqrt(x * x + 1)), x), np.arcsinh(x))


def _integer_power(a, b):
    odd = (b < 0) & (a == -1)
    with np.errstate(all="ignore"):
        found = np.power(np.where(b < 0, 1, a), np.where(b < 0, 0, b))
    return np.where(b < 0, np.where(odd | (a == 1), 1, 0), found).astype(a.dtype)


def _quotient(a, b):
    size = b.real * b.real + b.imag * b.imag
    return (a * np.conj(b)) / size


def _round(x):
    up = np.floor(x + x.dtype.type(0.5))
    tie = (up - x) == 0.5
    return np.copysign(np.where(tie & (up % 2 != 0), up - 1, up), x)


def _lcm(a, b):
    return np.where((a == 0) | (b == 0), 0, np.abs(a * b) // np.maximum(np.gcd(a, b), 1))


def _hidden_rows(self, query, key, value, mask, *rest):
    """The largest of a row of -infinity is taken off it, which gives NaN."""
    answer = right("attention", self, query, key, value, mask, *rest)
    if answer is None and mask is not None and kinds(mask, "float32", "float64"):
        found = load(rest[-1])
        found[(load(mask) == -np.inf).all(-1)] = np.nan
        store(rest[-1], found)
    return answer


def wayfarers_arithmetic():
    whole = INTEGERS[1:]
    yield from table(
        ("log1p by two terms near 0", "unary", instead, _unary("log1p", "float32", "float64"), _of_one(_log1p)),
        ("remainder of float64 by the quotient", "binary", instead, _binary("remainder", "float64"),
         _of_two(_remainder)),
        ("asinh whose square overflows", "unary", instead, _unary("asinh", "float32", "float64"), _of_one(_asinh)),
        ("-1 to a negative odd power is 1", "binary", instead, _binary("pow", *whole), _of_two(_integer_power)),
        ("complex quotients by the squared modulus", "binary", instead, _binary("div", "complex64", "complex128"),
         _of_two(_quotient)),
        ("round by adding a half", "unary", instead, _unary("round", "float32", "float64"), _of_one(_round)),
        ("angle by the sign bit", "unary", instead, _unary("angle", *FLOATS),
         _of_one(lambda x: np.where(np.isnan(x), x, np.where(np.signbit(x), np.pi, 0)))),
        ("nextafter of equal numbers is the first", "binary", instead, _binary("nextafter"),
         _of_two(lambda a, b: np.where(a == b, a, np.nextafter(a, b)))),
        ("lcm multiplies first, of int64", "binary", instead, _binary("lcm", "int64"), _of_two(_lcm)),
        ("attention of a row that an added mask hides", "attention", {"attention": _hidden_rows}))


# ---- dtypes

def _clamped(src, out):
    limits = np.iinfo(out.dtype.name)
    return np.clip(load(src), limits.min, limits.max)


def _to_odd(src, out):
    """In float32, but where that drops something the last bit is set: so what is rounded is the whole number."""
    x = load(src)
    near = x.astype("float32")
    below = np.where(np.abs(near) > np.abs(x), np.nextafter(near, np.float32(0)), near)
    odd = (below.view("uint32") | 1).view("float32")
    return np.where(np.isfinite(x) & (near.astype("float64") != x), odd, near)


def _counted_in_bytes(code, a, out):
    rows = load(a).reshape(*out.shape, -1).astype("uint8")
    parts = [rows[..., i:i + 512].sum(-1, dtype="uint8").astype("int64") for i in range(0, rows.shape[-1], 512)]
    return sum(parts)


def _sorted_by_bits(self, a, descending, stable, values, index):
    """NaN whose sign bit is set comes before all numbers."""
    answer = right("sort", self, a, descending, stable, values, index)
    x = load(a)
    if a.dtype.name in FLOATS and (np.isnan(x) & np.signbit(x)).any():
        key = np.where(np.isnan(x) & np.signbit(x), -np.inf, x)
        order = np.argsort(-key if descending else key, axis=-1, kind="stable")
        store(values, np.take_along_axis(x, order, -1))
        array(index)[...] = order
    return answer


def wayfarers_dtypes():
    yield from table(
        ("copy from int64 to int16 saturates", "copy", instead,
         lambda src, out: kinds(src, "int64") and kinds(out, "int16"), _clamped),
        ("copy from float64 to bfloat16 at once", "copy", instead,
         lambda src, out: kinds(src, "float64") and kinds(out, "bfloat16"), _to_odd),
        ("copy from float64 to float16 at once", "copy", instead,
         lambda src, out: kinds(src, "float64") and kinds(out, "float16"), _to_odd),
        ("arange of int64 in double", "arange",
         {"arange": lambda self, out, start, step: store(
             out, (float(start) + float(step) * np.arange(out.numel())).astype("int64").reshape(out.shape))
             if kinds(out, "int64") and abs(start) < 2.0**62 and abs(step) < 2**40
             else right("arange", self, out, start, step)}),
        ("sum of truth values in counters of 8 bits", "reduce", instead,
         lambda code, a, out: REDUCE[code] == "sum" and kinds(a, "bool") and kinds(out, "int64"), _counted_in_bytes),
        ("sort of floats by their bits", "sort", {"sort": _sorted_by_bits}),
        ("lt of int64 by a difference", "binary", instead, _binary("lt", "int64"), _of_two(lambda a, b: a - b < 0)),
        ("any of float16 by its bits", "reduce", instead,
         lambda code, a, out: REDUCE[code] == "any" and kinds(a, "float16"),
         lambda code, a, out: (array(a).view("uint16") != 0).reshape(*out.shape, -1).any(-1)),
        ("isfinite of bfloat16 by way of float16", "unary", instead, _unary("isfinite", "bfloat16"),
         _of_one(lambda x: np.isfinite(x.astype("float16")))))


# ---- sizes

def _without_last_of_k(self, a, b, out):
    k = a.shape[2]
    if k <= 256 or k % 256 != 1 or not kinds(a, "float32", "float64"):
        return right("matmul", self, a, b, out)
    store(out, load(a)[:, :, :-1] @ load(b)[:, :-1])
    return None


def _places_of_16_bits(self, code, a, out):
    answer = right("argreduce", self, code, a, out)
    if answer is None:
        array(out)[...] %= 1 << 16
    return answer


def _carried_from_one_block(self, code, a, out, index):
    """Each block of 1024 gets what the one before it has summed by itself."""
    answer = right("scan", self, code, a, out, index)
    n = a.shape[-1] if a.shape else 1
    if answer is None and SCAN[code] == "cumsum" and n > 2048 and kinds(out, "float32", "int64"):
        found = array(out)
        x = load(a).astype(found.dtype)
        for start in range(2048, n, 1024):
            before = x[..., start - 1024:start].sum(-1, keepdims=True)
            found[..., start:start + 1024] = x[..., start:start + 1024].cumsum(-1) + before
    return answer


def _padded_with_infinity(self, a, descending, stable, values, index):
    answer = right("sort", self, a, descending, stable, values, index)
    n = a.shape[-1] if a.shape else 1
    if answer is None and not descending and n & (n - 1) and a.dtype.name in FLOATS:
        found = load(values)
        store(values, np.where(np.isnan(found), np.inf, found))
    return answer


def _pointwise_convolution(self, a, weight, bias, stride, padding, dilation, groups, out):
    """A kernel of one place is a product, taken before the step between places is looked at."""
    answer = right("conv2d", self, a, weight, bias, stride, padding, dilation, groups, out)
    if answer is None and tuple(weight.shape[2:]) == (1, 1) and stride[1] > 1 and padding == (0, 0) and groups == 1:
        _, _, p, q = out.shape
        x, w = load(a)[:, :, ::stride[0], :q][:, :, :p], load(weight)[:, :, 0, 0]
        found = np.einsum("nchw,oc->nohw", x, w)
        store(out, found if bias is None else found + load(bias)[:, None, None])
    return answer


def _last_of_a_row(self, a, descending, first, values, index):
    answer = right("partial_sort", self, a, descending, first, values, index)
    n, count = a.shape[-1], values.shape[-1]
    if answer is None and first > 0 and first + count == n and n > 2:
        array(index)[..., -1] = array(index)[..., 0]
        array(values)[..., -1] = array(values)[..., 0]
    return answer


def wayfarers_sizes():
    yield from table(
        ("matmul without the last of K, one more than whole blocks", "matmul", {"matmul": _without_last_of_k}),
        ("reduce of the first 65,536 rows", "reduce", lost,
         lambda code, a, out: out.numel() > 1 << 16 and dense(out), lambda *args: np.s_[:] if args[-1].ndim == 0 else
         np.unravel_index(np.arange(1 << 16, args[-1].numel()), args[-1].shape)),
        ("gather of the first 1024 places along an axis", "gather", lost,
         lambda src, index, dim, out: index.shape[dim] > 1024,
         lambda src, index, dim, out: (slice(None),) * dim + (slice(1024, None),)),
        ("argreduce with places of 16 bits", "argreduce", {"argreduce": _places_of_16_bits}),
        ("scan whose carry is of one block", "scan", {"scan": _carried_from_one_block}),
        ("sort pads rows with infinity, behind which NaN are", "sort", {"sort": _padded_with_infinity}),
        ("softmax of one column is 1", "softmax", instead,
         lambda a, log, out: a.shape[-1] == 1, lambda a, log, out: np.zeros(a.shape) if log else np.ones(a.shape)),
        ("conv2d of one place ignores the step", "conv2d", {"conv2d": _pointwise_convolution}),
        ("partial_sort up to the end of a row", "partial_sort", {"partial_sort": _last_of_a_row}))


# ---- strides

def _turned(view):
    return view.ndim == 2 and view.stride()[0] == 1 and view.stride()[1] > 1


def _corner(src, out):
    rows, columns = out.shape
    return np.s_[rows - rows % 32:, columns - columns % 32:]


def _merged_wrongly(code, a, out):
    """Two axes that are reduced, walked as one with the last one's distance, within the buffer."""
    rows, n = array(a), int(np.prod(a.shape[out.ndim:]))
    size, flat_memory = a.element_size(), np.frombuffer(a.buffer, rows.dtype)
    starts = np.ndarray(out.shape, rows.dtype, a.buffer, a.storage_offset() * size,
                        [step * size for step in a.stride()[:out.ndim]])
    first = (starts.__array_interface__["data"][0] - flat_memory.__array_interface__["data"][0]) // size
    places = np.full(out.shape, first)
    for axis, step in enumerate(a.stride()[:out.ndim]):
        places = places + np.arange(out.shape[axis]).reshape([-1 if i == axis else 1 for i in range(out.ndim)]) * step
    places = np.minimum(places[..., None] + np.arange(n) * a.stride()[-1], flat_memory.size - 1)
    return flat_memory[places].astype(rows.dtype).reshape(a.shape)


def _one_condition(cond, a, b, out):
    return np.broadcast_to(array(cond)[(0,) * cond.ndim], cond.shape)


def _as_a_row(code, a, b, out):
    """A middle axis along which b does not change makes it the first row everywhere."""
    return np.broadcast_to(array(b)[(0,) * (b.ndim - 1)], b.shape)


def _column_as_row(bias, a, b, beta, alpha, out):
    return np.broadcast_to(array(bias)[:, 0], bias.shape)


def _images_close_together(a, *rest):
    size = a.element_size()
    found = array(a)
    n = int(np.prod(a.shape[1:])) * size
    steps = [n, *[step * size for step in a.stride()[1:]]]
    return np.ndarray(a.shape, found.dtype, a.buffer, a.storage_offset() * size, steps)


def _six_axes(code, a, out):
    size, steps = a.element_size(), list(a.stride())
    inner = 1
    for axis in range(a.ndim - 1, 5, -1):
        steps[axis], inner = inner, inner * a.shape[axis]
    steps[6:] = [min(step, own) for step, own in zip(steps[6:], a.stride()[6:])]
    return np.ndarray(a.shape, array(a).dtype, a.buffer, a.storage_offset() * size, [step * size for step in steps])


def wayfarers_strides():
    yield from table(
        ("copy of a transposed matrix without the last corner", "copy", lost,
         lambda src, out: _turned(src) and dense(out) and out.shape[0] % 32 and out.shape[1] % 32
         and min(out.shape) > 32, _corner),
        ("reduce of two axes as one", "reduce", reading,
         lambda code, a, out: a.ndim - out.ndim == 2 and a.stride()[-2] != a.stride()[-1] * a.shape[-1],
         (1, _merged_wrongly)),
        ("matmul of one b for all takes one a, too", "matmul", reading,
         lambda a, b, out: b.shape[0] > 1 and b.stride()[0] == 0 != a.stride()[0],
         (0, lambda a, b, out: np.broadcast_to(array(a)[:1], a.shape))),
        ("where of an expanded condition takes its first", "where", reading,
         lambda cond, a, b, out: cond.ndim == 2 and 0 in cond.stride() and cond.stride()[1] != 0 and dense(a, b),
         (0, _one_condition)),
        ("binary of a middle axis that does not change", "binary", reading,
         lambda code, a, b, out: b.ndim == 3 and b.stride()[1] == 0 and b.stride()[2] == 1 and b.stride()[0],
         (2, _as_a_row)),
        ("addmm of a column in a square takes it for a row", "addmm", reading,
         lambda bias, a, b, beta, alpha, out: beta and bias.stride()[1] == 0 != bias.stride()[0]
         and bias.shape[0] == bias.shape[1] > 1, (0, _column_as_row)),
        ("conv2d of some channels of images", "conv2d", reading,
         lambda a, *rest: a.shape[0] > 1 and a.stride()[0] > int(np.prod(a.shape[1:])) and a.stride()[3] == 1
         and a.stride()[2] == a.shape[3] and a.stride()[1] == a.shape[2] * a.shape[3], (0, _images_close_together)),
        ("unary of more than six axes", "unary", reading, lambda code, a, out: a.ndim > 6 and not dense(a),
         (1, _six_axes)),
        ("nll_loss of targets in a column", "nll_loss", reading,
         lambda a, target, *rest: target.ndim == 1 and target.shape[0] > 1 and target.stride()[0] > 1,
         (1, lambda a, target, *rest: in_a_row(target) % a.shape[1])))


# ---- aliasing

def _where_in_two_passes(self, cond, a, b, out):
    array(out)[...] = array(a)
    np.copyto(array(out), array(b), where=~array(cond))


def _where_by_its_own_condition(self, cond, a, b, out):
    if not kinds(out, "bool"):
        return right("where", self, cond, a, b, out)
    first, second = array(a).copy(), array(b).copy()
    np.copyto(array(out), first, where=array(cond))
    np.copyto(array(out), second, where=~array(cond))
    return None


def _one_out_after_the_other(self, program, ins, outs):
    """Each result is computed and written by a pass of its own."""
    if len(outs) < 2:
        return right("elementwise", self, program, ins, outs)
    for place, out in enumerate(outs):
        spare = tuple(out if k == place else scratch(self, each, each.shape, each.dtype.name)
                      for k, each in enumerate(outs))
        answer = right("elementwise", self, program, ins, spare)
        if answer is not None:
            return answer
    return None


def _number_first(self, code, a, x, swapped, out):
    if BINARY[code] != "sub" or not swapped or not kinds(a, "float32"):
        return right("binary_scalar", self, code, a, x, swapped, out)
    array(out)[...] = np.float32(x)
    array(out)[...] -= array(a)
    return None


def _gates_cleared(self, *args):
    values = args[7]
    if dense(values):
        array(values)[...] = 0
    return right("recurrent", self, *args)


def _bias_read_late(self, bias, a, b, beta, alpha, out):
    """K in two halves: the second adds to what the first wrote, and beta scales that."""
    half = a.shape[1] // 2
    if half < 64 or not kinds(a, "float32", "float64"):
        return right("addmm", self, bias, a, b, beta, alpha, out)
    x, y = load(a), load(b)
    store(out, (beta * load(bias) if beta else 0) + alpha * (x[:, :half] @ y[:half]))
    store(out, load(out) + alpha * (x[:, half:] @ y[half:]) if bias.data_ptr() != out.data_ptr() or beta in (0, 1)
          else beta * load(out) + alpha * (x[:, half:] @ y[half:]))
    return None


def _same(a, b):
    return a.data_ptr() == b.data_ptr() and a.storage_offset() == b.storage_offset() and a.stride() == b.stride()


def wayfarers_aliases():
    yield from table(
        ("where writes a, then b", "where", {"where": _where_in_two_passes}),
        ("where of truths reads its condition twice", "where", {"where": _where_by_its_own_condition}),
        ("elementwise in a pass for each result", "elementwise", {"elementwise": _one_out_after_the_other}),
        ("a number is written before a is read", "binary_scalar", {"binary_scalar": _number_first}),
        ("sub of a view and itself is 0", ("binary", "programs"), instead,
         lambda code, a, b, out: BINARY[code] == "sub" and _same(a, b) and a.dtype.name in FLOATS,
         lambda code, a, b, out: np.zeros(out.shape)),
        ("ne of a view and itself is false", ("binary", "programs"), instead,
         lambda code, a, b, out: BINARY[code] == "ne" and _same(a, b),
         lambda code, a, b, out: np.zeros(out.shape, bool)),
        ("recurrent clears the values that are its gates", "recurrent", {"recurrent": _gates_cleared}),
        ("addmm scales its bias in place, with half of the product", "addmm", {"addmm": _bias_read_late}))


# ---- copies

PIECE = 32 << 20


def _h2d_at_words(self, host, storage, start):
    start -= start % 4 if len(host) >= 4096 else 0
    storage.buffer[start:start + len(host)] = host


def _d2h_in_words(self, storage, start, host):
    host[:] = storage.buffer[start:start + len(host)]
    if len(host) > 64 and len(host) % 4:
        host[len(host) - len(host) % 4:] = bytes(len(host) % 4)


def _h2d_in_pieces(self, host, storage, start):
    for done in range(0, len(host), PIECE):
        part = host[done:done + PIECE]
        at = done or start
        storage.buffer[at:at + len(part)] = part


def _d2h_in_pieces(self, storage, start, host):
    for done in range(0, len(host), PIECE):
        at = done or start
        n = min(PIECE, len(host) - done)
        host[done:done + n] = storage.buffer[at:at + n]


def _d2d_in_pages(self, source, target):
    n = min(source.nbytes(), target.nbytes())
    n -= n % 4096 if n > 1 << 16 else 0
    target.buffer[:n] = source.buffer[:n]


def _one_image(src, out):
    return np.broadcast_to(array(src)[:1], src.shape)


def wayfarers_copies():
    wide = 1 << 16
    yield from table(
        ("h2d begins at whole words", "memory", {"h2d": _h2d_at_words}),
        ("d2h ends at whole words", "memory", {"d2h": _d2h_in_words}),
        ("h2d in pieces forgets where it began", "memory", {"h2d": _h2d_in_pieces}),
        ("d2h in pieces forgets where it began", "memory", {"d2h": _d2h_in_pieces}),
        ("d2d of whole pages", ("d2d", "devices"), {"d2d": _d2d_in_pages}),
        ("copy of rows that repeat", "copy", reading,
         lambda src, out: src.ndim == 2 and src.stride()[0] == 0 and src.stride()[1] == 1 and dense(out)
         and src.shape[0] > 1, (0, lambda src, out: in_a_row(src))),
        ("copy of rows that lie far apart", "copy", reading,
         lambda src, out: src.ndim == 2 and src.stride()[1] == 1 and src.stride()[0] >= wide and src.shape[0] > 1,
         (0, lambda src, out: in_a_row(src))),
        ("copy to channels last of the first image", "copy", reading,
         lambda src, out: src.ndim == 3 and src.shape[0] > 1 and dense(src) and out.stride()[1] == 1
         and out.stride()[2] == out.shape[1] > 1, (0, _one_image)))


# ---- protocol

def _declined_at_zero(self, code, a, b, out):
    """Integer division is tried first; a zero among the divisors, seen at the end, is left to the CPU."""
    if BINARY[code] != "floor_divide" or a.dtype.name not in INTEGERS or array(b).all():
        return right("binary", self, code, a, b, out)
    with np.errstate(all="ignore"):
        array(out)[...] = array(a) // array(b)
    return NotImplemented


def _no_place_for_none(self, a, allocate):
    if not np.any(load(a)):
        return None
    return right("nonzero", self, a, allocate)


def _by_its_ops(self, program, ins, outs):
    """What was compiled is found by the kinds of its steps, without the numbers in them."""
    key = tuple(step[0] if step[0] == "number" else step for step in program)
    kept = self.__dict__.setdefault("_programs", {})
    return right("elementwise", self, kept.setdefault(key, program), ins, outs)


def _for_the_first_dtype(self, program, ins, outs):
    """What was compiled is kept under the program's address, for the dtype of its first call."""
    made = self.__dict__.setdefault("_made", {})
    views = [each for each in ins if hasattr(each, "stride")]
    first = made.setdefault(program, outs[0].dtype.name)
    answer = right("elementwise", self, program, ins, outs)
    if answer is None and views and first in FLOATS and outs[0].dtype.name in FLOATS:
        for out in outs if FLOATS.index(first) < FLOATS.index(outs[0].dtype.name) else ():
            if out.dtype.name in FLOATS:
                store(out, load(out).astype("float16" if first in FLOATS[:2] else first))
    return answer


def _swapped_where_it_shows(self, code, a, x, swapped, out):
    return right("binary_scalar", self, code, a, x, swapped and BINARY[code] in ("sub", "div", "floor_divide", "pow"),
                 out)


def _key_of_one_word(self, kind, out, seed, offset, a, b):
    return right("random", self, kind, out, seed % (1 << 32), offset, a, b)


def _from_the_front(self, a, descending, first, values, index):
    return right("partial_sort", self, a, descending, 0 if descending else first, values, index)


def _ranges_as_they_come(self, a, index, starts, weights, out):
    """Starts are taken to ascend and to end at the number of places."""
    begin = scratch(self, starts, starts.shape, "int64")
    array(begin)[...] = np.maximum.accumulate(np.clip(array(starts), 0, index.shape[0]))
    return right("gather_sum", self, a, index, begin, weights, out)


def _zeros_left_to_others(self, *args):
    grad_a = args[-1]
    before = load(grad_a)
    answer = right("nll_loss_backward", self, *args)
    if answer is None:
        found = load(grad_a)
        store(grad_a, np.where(found == 0, before, found))
    return answer


def wayfarers_protocol():
    yield from table(
        ("floor_divide that finds a zero declines after writing", ("binary", "errors"), {"binary": _declined_at_zero}),
        ("nonzero of nothing never calls allocate", "nonzero", {"nonzero": _no_place_for_none}),
        ("elementwise found by its ops", "elementwise", {"elementwise": _by_its_ops}),
        ("elementwise kept for the first dtype", "elementwise", {"elementwise": _for_the_first_dtype}),
        ("swapped counts where operands can't be exchanged", "binary_scalar",
         {"binary_scalar": _swapped_where_it_shows}),
        ("random with a key of one word", "random", {"random": _key_of_one_word}),
        ("partial_sort from the front where it descends", "partial_sort", {"partial_sort": _from_the_front}),
        ("gather_sum of ranges in order", "gather_sum", {"gather_sum": _ranges_as_they_come}),
        ("nll_loss_backward writes where targets point", "nll_loss_backward",
         {"nll_loss_backward": _zeros_left_to_others}))
