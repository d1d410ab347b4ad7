"""Sixty mutants more, made after the suite stood, of what authors of other devices get wrong: see `mutants`."""
import numpy as np
from cygrad.backend import BINARY, REDUCE, SCAN, UNARY
from mirror import array, load, scratch, store
from mutant import COMPLEX, FLOATS, INTEGERS, computed, dense, is_op, raw, right, spoiled


def _unary(name, formula, kinds):
    return f"unary {name}", ("unary",), computed("unary", formula, is_op(UNARY, name, kinds))


def _binary(name, formula, kinds):
    return f"binary {name}", ("binary",), computed("binary", formula, is_op(BINARY, name, kinds))


def numbers_of_strangers():
    """Formulas."""
    yield _unary("cosh", lambda x: (np.exp(x) - np.exp(-x)) / 2, ("float64",))
    yield _unary("acos", lambda x: np.arcsin(x), ("float32",))
    yield _unary("log2", lambda x: np.log(x), ("float16",))
    yield _unary("exp2", lambda x: np.exp(x), ("bfloat16",))
    yield _unary("atanh", lambda x: np.log((1 + x) / (1 - x)), ("float32",))
    yield _unary("erf", lambda x: np.tanh(1.1283791670955126 * x), ("float32",))
    yield _unary("reciprocal", lambda x: 1 / np.abs(x), ("float64",))
    yield _unary("sigmoid", lambda x: 0.5 * np.tanh(0.4 * x) + 0.5, ("float32",))
    yield _unary("abs", lambda x: np.abs(x.real), COMPLEX)
    yield "unary sin of large numbers", ("unary",), computed(
        "unary", lambda x: np.sin(np.where(np.abs(x) > 1e6, 0, x)), is_op(UNARY, "sin", ("float32", "float64")))
    yield _binary("atan2", lambda y, x: np.arctan(y / x), ("float64",))
    yield _binary("fmod", np.remainder, ("float32",))
    yield _binary("gcd", lambda x, y: np.gcd(x, y) + (x == 0) * (y == 0), ("int16",))
    yield _binary("right_shift", lambda x, y: (x.view("uint32") >> y.view("uint32")).view("int32"), ("int32",))
    yield _binary("left_shift", lambda x, y: np.left_shift(x, y & 63), ("int64",))
    yield _binary("bitwise_or", lambda x, y: x ^ y, ("uint8",))
    yield _binary("maximum", lambda x, y: np.where(x > y, x, y), ("float16",))
    yield _binary("ne", lambda x, y: (x < y) | (x > y), FLOATS)
    yield _binary("mul", lambda x, y: x.real * y.real - x.imag * y.imag + 1j * (x.real * y.imag), COMPLEX)
    yield _binary("copysign", lambda x, y: np.where(y < 0, -np.abs(x), np.abs(x)), ("float32",))


def dtypes_of_strangers():
    """A dtype computed as another."""
    yield _binary("sub", lambda x, y: (x.astype("float32") - y.astype("float32")).astype("int32"), ("int32",))
    yield _binary("div", lambda x, y: (x.astype("float32") / y.astype("float32")).astype("float64"), ("float64",))
    yield _binary("logical_and", lambda x, y: (x & y) != 0, INTEGERS)
    yield "copy to uint8 saturates", ("copy",), computed(
        "copy", lambda x: np.clip(x, 0, 255), lambda a, out: a.dtype.name == "int32" and out.dtype.name == "uint8")
    yield "copy of int64 to float16 by int32", ("copy",), computed(
        "copy", lambda x: x.astype("int32"), lambda a, out: a.dtype.name == "int64" and out.dtype.name == "float32")
    yield "copy of float16 loses what is subnormal", ("copy",), computed(
        "copy", lambda x: np.where(np.abs(x) < 2.0**-14, 0, x),
        lambda a, out: a.dtype.name == "float32" and out.dtype.name == "float16")
    yield "where of int64 by float64", ("where",), computed(
        "where", lambda c, a, b: np.where(c, a.astype("float64"), b.astype("float64")).astype("int64"),
        lambda c, a, b, out: out.dtype.name == "int64")
    yield "where of complex numbers by their real part", ("where",), computed(
        "where", lambda c, a, b: np.where(c, a.real, b.real), lambda c, a, b, out: out.dtype.name == "complex128")
    yield "fill of int16 by its largest", ("fill",), spoiled(
        "fill", lambda out, x: store(out, 2**15 - 1), lambda out, x: out.dtype.name == "int16" and x == -2**15)
    yield "gather of float64 by float32", ("gather",), spoiled(
        "gather", lambda src, index, dim, out: store(out, load(out).astype("float32")),
        lambda src, index, dim, out: out.dtype.name == "float64")
    yield "arange of int32 in float16", ("arange",), spoiled(
        "arange", lambda out, start, step: store(out, load(out).astype("float16").astype("int32")),
        lambda out, start, step: out.dtype.name == "int32")
    yield "argmax of int64 by float32", ("argreduce",), spoiled(
        "argreduce", lambda op, a, out: store(out, load(a).astype("float32").argmax(-1)),
        lambda op, a, out: op == 0 and a.dtype.name == "int64")


def sizes_of_strangers():
    """Counts of elements, rows and products."""
    def tail(entry, when):
        return spoiled(entry, lambda *args: raw(args[-1]).reshape(-1)[-1:].fill(0) if dense(args[-1]) else None, when)
    yield "where drops the last of an odd count", ("where",), tail(
        "where", lambda *args: args[-1].numel() % 2 == 1)
    yield "binary drops the last of 65537", ("binary",), tail("binary", lambda *args: args[-1].numel() == 65537)
    yield "matmul drops the last of 70001 products", ("matmul",), spoiled(
        "matmul", lambda a, b, out: store(out, np.matmul(load(a)[..., :65536], load(b)[..., :65536, :])),
        lambda a, b, out: a.shape[2] > 65536)
    yield "matmul in tiles of 16 loses what is over", ("matmul",), spoiled(
        "matmul", lambda a, b, out: array(out)[:, out.shape[1] // 16 * 16:].fill(0),
        lambda a, b, out: out.shape[1] > 16 and out.shape[1] % 16)
    yield "scatter sees 65536 of an index", ("scatter",), {
        "scatter": lambda self, mode, out, dim, index, src: right(
            "scatter", self, mode, out, dim, index.narrow(dim, 0, min(index.shape[dim], 65536)),
            src.narrow(dim, 0, min(index.shape[dim], 65536)))}
    yield "gather sees 65536 of an index", ("gather",), spoiled(
        "gather", lambda src, index, dim, out: array(out)[65536:].fill(0),
        lambda src, index, dim, out: out.dim() == 1 and out.numel() > 65536)
    yield "sum of one row", ("reduce",), spoiled(
        "reduce", lambda op, a, out: array(out).reshape(-1)[1:].fill(0) if dense(out) else None,
        lambda op, a, out: REDUCE[op] == "sum" and a.stride()[-1] != 1)
    yield "scan of 1024 in one block", ("scan",), spoiled(
        "scan", lambda op, a, out, index: store(out, np.concatenate(
            [np.cumsum(part, -1) for part in np.split(load(a), range(1024, a.shape[-1], 1024), -1)], -1)),
        lambda op, a, out, index: SCAN[op] == "cumsum" and a.shape[-1] > 1024 and a.dtype is out.dtype)
    yield "nonzero of the first 65536", ("nonzero",), {"nonzero": lambda self, a, allocate: _nonzero(a, allocate)}
    yield "sort of rows longer than 4096 in halves", ("sort",), {"sort": _sort_in_halves}


def _nonzero(a, allocate):
    found = np.argwhere(load(a))
    found = found[np.ravel_multi_index(found.T, a.shape) < 65536] if a.dim() else found
    array(allocate(len(found)))[...] = found


def _sort_in_halves(self, a, descending, stable, values, index):
    half = a.shape[-1] // 2
    if a.shape[-1] <= 4096:
        return right("sort", self, a, descending, stable, values, index)
    for first, count in ((0, half), (half, a.shape[-1] - half)):
        right("sort", self, *[x.narrow(-1, first, count) if hasattr(x, "narrow") else x
                              for x in (a, descending, stable, values, index)])
    return None


def strides_of_strangers():
    """Geometry."""
    def forgets(entry, position, change):
        def kernel(self, *args):
            args = list(args)
            view = args[position]
            args[position] = change(view)
            return right(entry, self, *args)
        return {entry: kernel}

    def packed(view):
        strides, step = [], 1
        for size in reversed(view.shape):
            strides.append(step)
            step *= size
        return view.as_strided(tuple(view.shape), tuple(reversed(strides)), view.storage_offset())

    def shifted(view):
        return view.as_strided(tuple(view.shape), view.stride(), 0)
    yield "gather takes src for dense", ("gather",), forgets("gather", 0, packed)
    yield "gather forgets src's offset", ("gather",), forgets("gather", 0, shifted)
    yield "scatter takes src for dense", ("scatter",), forgets("scatter", 4, packed)
    yield "scan takes its input for dense", ("scan",), forgets("scan", 1, packed)
    yield "sort forgets its input's offset", ("sort",), forgets("sort", 0, shifted)
    yield "copy forgets the offset of strided sources", ("copy",), forgets(
        "copy", 0, lambda v: v if v.is_contiguous() else shifted(v))
    yield "fill takes out for dense", ("fill",), forgets("fill", 0, packed)
    yield "argreduce takes its input for dense", ("argreduce",), forgets("argreduce", 1, packed)


def protocol_of_strangers():
    """Aliasing, copies, memory, answers."""
    yield "binary into its second reads what it wrote", ("binary",), {"binary": _row_by_row}
    yield "where into b takes a twice", ("where",), spoiled(
        "where", lambda c, a, b, out: store(out, load(a)) if b is out else None)
    yield "unary side by side writes to the neighbour", ("unary",), spoiled(
        "unary", lambda op, a, out: raw(a).reshape(-1)[-1:].fill(1),
        lambda op, a, out: a is not out and a.buffer is out.buffer and dense(a))
    yield "copy of a broadcast source writes it", ("copy",), spoiled(
        "copy", lambda a, out: raw(a).fill(0), lambda a, out: 0 in a.stride() and a.numel() > 1)
    yield "h2d drops an odd last byte", ("memory",), {"h2d": _even}
    yield "d2h gives zeros beyond a megabyte", ("memory",), {"d2h": _megabyte}
    yield "h2d of a part clears what is behind", ("memory",), {"h2d": _clears}
    yield "reduce returns its out", ("reduce",), {"reduce": lambda self, op, a, out: right(
        "reduce", self, op, a, out) or out}
    yield "scatter returns False", ("scatter",), {"scatter": lambda self, *args: bool(right("scatter", self, *args))}
    yield "matmul swallows that there is no memory", ("allocations",), {"matmul": _swallows}
    yield "argreduce keeps its Views", ("argreduce",), {"argreduce": _keeps}


def _row_by_row(self, op, a, b, out):
    if b is not out or a is b or BINARY[op] != "sub" or a.numel() < 2:
        return right("binary", self, op, a, b, out)
    made = scratch(self, out, tuple(out.shape), out.dtype.name)
    right("binary", self, op, a, b, made)
    array(out).reshape(-1)[...] = np.roll(array(made), 1)
    return None


def _even(self, host, storage, start):
    count = len(host) // 2 * 2
    storage.buffer[start:start + count] = np.frombuffer(host, "uint8")[:count]


def _megabyte(self, storage, start, host):
    host[:] = storage.buffer[start:start + len(host)]
    if len(host) > 1 << 20:
        host[1 << 20:] = bytes(len(host) - (1 << 20))


def _clears(self, host, storage, start):
    storage.buffer[start:start + len(host)] = np.frombuffer(host, "uint8")
    if start:
        storage.buffer[start + len(host):start + len(host) + 3] = 0


def _swallows(self, a, b, out):
    try:
        self.alloc(0, 16)
    except MemoryError:
        array(out).fill(0)
        return None
    return right("matmul", self, a, b, out)


_kept = []


def _keeps(self, *args):
    _kept.append(args)
    return right("argreduce", self, *args)
