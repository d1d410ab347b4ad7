"""Mutants that compute wrong numbers, or find the right ones in wrong places: see `mutants`."""
import math

import numpy as np
from cygrad.backend import BINARY, REDUCE, SCAN, UNARY
from mirror import array, load, scratch, store
from mutant import COMPLEX, FLOATS, INTEGERS, computed, dense, is_op, raw, right, spoiled


# ---------------------------------------------------------------- one op wrong

def _by_half(x):
    return np.floor(x + np.asarray(0.5, x.dtype))


def _narrowly(function, kind="float32"):
    return lambda *xs: function(*[x.astype(kind) for x in xs])


def arithmetic():
    """An op computes something near to what it should."""
    unary = {
        "round": (_by_half, FLOATS), "trunc": (np.floor, FLOATS), "floor": (np.trunc, FLOATS),
        "ceil": (lambda x: np.floor(x) + 1, FLOATS), "sign": (lambda x: np.where(x == 0, 0, np.copysign(1, x)), FLOATS),
        "relu": (lambda x: np.where(x > 0, x, 0), FLOATS), "isfinite": (lambda x: ~np.isnan(x), FLOATS),
        "isinf": (lambda x: x == np.inf, FLOATS), "isnan": (lambda x: ~np.isfinite(x), FLOATS),
        "expm1": (lambda x: np.exp(x) - 1, ("float64",)), "log1p": (lambda x: np.log(1 + x), ("float64",)),
        "sigmoid": (lambda x: np.exp(x) / (1 + np.exp(x)), ("float32", "float64")),
        "tanh": (lambda x: (np.exp(2 * x) - 1) / (np.exp(2 * x) + 1), ("float32",)),
        "asinh": (lambda x: np.log(x + np.sqrt(x * x + 1)), ("float32", "float64")),
        "rsqrt": (lambda x: 1 / np.sqrt(np.abs(x)), FLOATS), "sqrt": (lambda x: np.sqrt(np.abs(x)), FLOATS),
        "erfc": (lambda x: 1 - np.vectorize(math.erf)(x), ("float64",)), "exp": (_narrowly(np.exp), ("float64",)),
        "log": (_narrowly(np.log), ("float64",)), "sin": (_narrowly(np.sin), ("float64",)),
        "abs": (lambda x: np.where(x < 0, -x, x), FLOATS), "neg": (lambda x: 0 - x, FLOATS),
        "square": (lambda x: x * np.abs(x), FLOATS),
        "bitwise_not": (lambda x: x == 0 if x.dtype == bool else -x, INTEGERS),
        "logical_not": (lambda x: np.abs(x) < 1, FLOATS), "conj": (lambda x: x, COMPLEX),
        "angle": (lambda x: np.where(x < 0, math.pi, 0), FLOATS),
        "lgamma": (lambda x: np.vectorize(lambda v: math.lgamma(v) if v > 0 else math.inf)(x), ("float64",)),
    }
    for op, (formula, kinds) in unary.items():
        yield f"unary {op}", ("unary",), computed("unary", formula, is_op(UNARY, op, kinds))
    binary = {
        "lt": (np.less_equal, None), "ge": (np.greater, None), "le": (np.less, FLOATS),
        "eq": (lambda x, y: np.isclose(x, y, 1e-6), ("float64",)), "ne": (lambda x, y: (x < y) | (x > y), FLOATS),
        "maximum": (np.fmax, FLOATS), "minimum": (lambda x, y: np.where(x < y, x, y), FLOATS),
        "fmax": (np.maximum, FLOATS), "fmin": (lambda x, y: np.where(x < y, x, y), FLOATS),
        "remainder": (np.fmod, FLOATS), "fmod": (np.remainder, ("float32",)),
        "floor_divide": (lambda x, y: np.trunc(x / y), FLOATS), "atan2": (lambda x, y: np.arctan(x / y), FLOATS),
        "hypot": (lambda x, y: np.sqrt(x * x + y * y), FLOATS),
        "copysign": (lambda x, y: np.where(y < 0, -np.abs(x), np.abs(x)), FLOATS),
        "nextafter": (lambda x, y: x + np.sign(y - x) * np.spacing(np.abs(x)), ("float32",)),
        "pow": (lambda x, y: np.exp(y * np.log(x)), ("float64",)),
        "div": (lambda x, y: x * (1 / y), ("float32",)),
        "logical_and": (lambda x, y: (x * y) != 0, ("float32", "int32")), "logical_xor": (np.not_equal, None),
        "logical_or": (lambda x, y: (x + y) != 0, ("float32", "int32")),
        "sub": (lambda x, y: y - x, ("int16",)), "bitwise_xor": (np.bitwise_or, INTEGERS),
    }
    for op, (formula, kinds) in binary.items():
        yield f"binary {op}", ("binary",), computed("binary", formula, is_op(BINARY, op, kinds))
    integer = {
        "floor_divide": lambda x, y: (x / y).astype(x.dtype), "trunc_divide": lambda x, y: x // y,
        "remainder": np.fmod, "fmod": np.remainder, "gcd": lambda x, y: np.gcd(x, y) * np.sign(x + (x == 0)),
        "lcm": lambda x, y: x * y // np.where(np.gcd(x, y) == 0, 1, np.gcd(x, y)),
        "left_shift": lambda x, y: x << (y & (8 * x.itemsize - 1)),
        "right_shift": lambda x, y: np.where(y >= 8 * x.itemsize, 0, x >> np.minimum(y, 8 * x.itemsize - 1)),
    }
    for op, formula in integer.items():
        yield f"binary {op} of integers", ("binary",), computed("binary", formula,
                                                                is_op(BINARY, op, ("int32", "int64")))
    yield "where takes b", ("where",), spoiled("where", lambda c, a, b, out: store(out, np.where(~load(c), load(a),
                                                                                                 load(b))))


def negative_zero():
    """The sign of -0 is lost."""
    def plain_zero(*args):
        out = args[-1]
        if out.dtype.name in FLOATS:
            array(out)[...] = np.where(load(out) == 0, np.zeros((), array(out).dtype), array(out))
    for op in ("neg", "sqrt", "ceil", "round", "sin", "trunc"):
        yield f"unary {op}", ("unary",), spoiled("unary", plain_zero, is_op(UNARY, op))
    yield "binary mul", ("binary",), spoiled("binary", plain_zero, is_op(BINARY, "mul"))
    for entry in ("copy", "where"):
        yield entry, (entry,), spoiled(entry, plain_zero)
    yield "fill", ("fill",), spoiled("fill", lambda out, value: plain_zero(out))
    yield "gather", ("gather",), spoiled("gather", plain_zero)


# ------------------------------------------------------------------ aliasing

def aliasing():
    """What goes wrong where `out` is an input, or lies in an input's buffer."""
    def through(entry, position, formula_first):
        """Writes a part of the result to out before the last input is read."""
        def kernel(self, *args):
            out, last = args[-1], args[position]
            if out is last or (out.buffer is last.buffer and out.storage_offset() == last.storage_offset()):
                formula_first(*args)
            return right(entry, self, *args)
        return {entry: kernel}

    def first_operand(op, a, b, out):
        if out.dtype is a.dtype:
            array(out)[...] = array(a)
    yield "binary writes a to out first", ("binary",), through("binary", 2, first_operand)
    yield "where writes b to out first", ("where",), through(
        "where", 1, lambda c, a, b, out: array(out).__setitem__(..., array(b)))
    yield "where writes a to out first", ("where",), through(
        "where", 2, lambda c, a, b, out: array(out).__setitem__(..., array(a)))

    def cleared(entry):
        def kernel(self, *args):
            out = args[-1]
            if any(a is out for a in args[:-1]):
                raw(out)[...] = 0
            return right(entry, self, *args)
        return {entry: kernel}
    for entry in ("unary", "binary", "where"):
        yield f"{entry} clears out first", (entry,), cleared(entry)

    def same_buffer(entry):
        def kernel(self, *args):
            views = [a for a in args if hasattr(a, "stride")]
            if views[-1] is not views[0] and views[-1].buffer is views[0].buffer and (
                    views[-1].shape == views[0].shape and views[-1].dtype is views[0].dtype):
                array(views[-1])[...] = array(views[0])                # taken for in place
                return right(entry, self, *[views[-1] if a is views[0] else a for a in args[:-1]], views[0])
            return right(entry, self, *args)
        return {entry: kernel}
    for entry in ("unary", "binary"):
        yield f"{entry} takes one buffer for one view", (entry,), same_buffer(entry)

    def doubled(self, op, a, b, out):
        if a is b:
            return right("binary", self, op, a, a, out) if BINARY[op] != "sub" else right("copy", self, a, out)
        return right("binary", self, op, a, b, out)
    yield "binary of one view twice", ("binary",), {"binary": doubled}

    def program(self, program, ins, outs):
        for out in outs:
            if any(out is x for x in ins):
                raw(out)[...] = 0
        return right("elementwise", self, program, ins, outs)
    yield "elementwise clears outputs first", ("elementwise",), {"elementwise": program}

    def bias(self, bias, a, b, beta, alpha, out):
        if bias is out:
            raw(out)[...] = 0
        return right("addmm", self, bias, a, b, beta, alpha, out)
    yield "addmm clears out first", ("addmm",), {"addmm": bias}


# ------------------------------------------------------------------ strides

def _dense_twin(view, offset=True, strides=True):
    """The elements of a View as a kernel sees them that forgets its offset or its strides."""
    size = view.element_size()
    start = view.storage_offset() * size if offset else 0
    whole = array(view)
    steps = whole.strides if not strides else None
    try:
        return np.ndarray(view.shape, whole.dtype, view.buffer, start, steps)
    except (TypeError, ValueError):
        return whole


def strides():
    """Offsets and strides that are forgotten or confused."""
    def forgetful(entry, which, when, **what):
        def kernel(self, *args):
            views = [a for a in args if hasattr(a, "stride")]
            if not when(*args):
                return right(entry, self, *args)
            twin = scratch(self, views[which], views[which].shape, views[which].dtype.name)
            if which == -1:
                answer = right(entry, self, *args[:-1], twin)
                if answer is None:
                    _dense_twin(views[-1], **what)[...] = array(twin)
                return answer
            array(twin)[...] = _dense_twin(views[which], **what)
            return right(entry, self, *[twin if a is views[which] else a for a in args[:-1]], args[-1])
        return {entry: kernel}

    for entry in ("unary", "binary", "where", "copy", "reduce", "argreduce"):
        inputs = {"unary": 1, "binary": 2, "where": 3}.get(entry, 1)
        for which in range(inputs):
            yield (f"{entry} forgets the offset of dense operand {which}", (entry,),
                   forgetful(entry, which, dense, offset=False, strides=False))
        yield (f"{entry} forgets the offset of a dense out", (entry,),
               forgetful(entry, -1, dense, offset=False, strides=False))
        if inputs > 1:
            yield (f"{entry} forgets the strides of its last input", (entry,),
                   forgetful(entry, inputs - 1, lambda *args: not dense(*args), strides=True))
    yield ("matmul forgets the offset of b", ("matmul",),
           forgetful("matmul", 1, dense, offset=False, strides=False))
    yield ("matmul forgets the strides of out", ("matmul",),
           forgetful("matmul", -1, lambda *args: not args[-1].is_contiguous(), strides=True))

    def by_rank(entry, rank):
        return forgetful(entry, 0, lambda *args: len(args[-1].shape) == rank and not dense(*args), strides=True)
    yield "unary forgets the strides of three axes", ("unary",), by_rank("unary", 3)
    yield "binary forgets the strides of eight axes", ("binary",), by_rank("binary", 8)

    def same_inner(*args):
        views = [a for a in args if hasattr(a, "stride")]
        return (not dense(*args) and len(views[0].shape) == 2 and views[0].stride()[-1] == 1
                and views[0].stride()[0] != views[0].shape[1] and views[0].stride()[0])
    yield "unary takes rows with gaps for dense", ("unary",), forgetful("unary", 0, same_inner, strides=True)

    def gathered(self, src, index, dim, out):
        twin = scratch(self, index, index.shape, "int64")
        array(twin)[...] = _dense_twin(index)
        return right("gather", self, src, twin, dim, out)
    yield "gather forgets the strides of the index", ("gather",), {
        "gather": lambda self, src, index, dim, out: (gathered if index.stride()[0] else right)(
            *([] if index.stride()[0] else ["gather"]), self, src, index, dim, out)}

    def sorted_out(self, a, descending, stable, values, index):
        answer = right("sort", self, a, descending, stable, values, index)
        if answer is None and not index.is_contiguous():
            found = array(index).copy()
            _dense_twin(index)[...] = found
        return answer
    yield "sort forgets the strides of the index", ("sort",), {"sort": sorted_out}

    def rows(self, a, allocate):
        found = np.argwhere(array(a) if a.dtype.name != "bfloat16" else load(a))
        out = allocate(len(found))
        np.frombuffer(out.buffer, "int64")[:found.size] = found.reshape(-1)
    yield "nonzero takes its result for row-major", ("nonzero",), {"nonzero": rows}


# ------------------------------------------------------------------- limits

def limits():
    """More elements, rows or batches than a counter or a grid holds; what is left over from whole blocks."""
    def cut(entry, most, size=lambda *args: args[-1].numel()):
        def spoil(*args):
            out = next(a for a in reversed(args) if hasattr(a, "stride"))
            raw(out).reshape(-1)[most:] = 7 if raw(out).flags.c_contiguous else 0
        return spoiled(entry, spoil, lambda *args: size(*args) > most and dense(*args))
    for entry in ("unary", "binary", "where", "copy"):
        yield f"{entry} of more than 65535 elements", (entry,), cut(entry, 65535)
    yield "fill of more than 65535 elements", ("fill",), cut("fill", 65535, lambda out, value: out.numel())
    yield "binary_scalar of more than 65535 elements", ("binary_scalar",), cut("binary_scalar", 65535)
    yield "gather of more than 65535 elements", ("gather",), cut("gather", 65535)
    yield "reduce to more than 65535 rows", ("reduce",), cut("reduce", 65535)
    yield "argreduce to more than 65535 rows", ("argreduce",), cut("argreduce", 65535)
    yield "matmul of more than 65535 products", ("matmul",), cut("matmul", 65535)
    yield "softmax of more than 65535 rows", ("softmax",), spoiled(
        "softmax", lambda a, log, out: array(out)[65535:].fill(0),
        lambda a, log, out: len(out.shape) > 1 and out.shape[0] > 65535)
    yield "arange of more than 65536 numbers", ("arange",), cut("arange", 65536)

    def tail(entry, block, out_at=-1):
        def spoil(*args):
            out = args[out_at]
            rest = out.numel() % block
            if rest:
                raw(out).reshape(-1)[-rest:] = 1
        return spoiled(entry, spoil, lambda *args: dense(*args) and args[out_at].numel() > 2 * block)
    for entry, block in (("unary", 4), ("unary", 256), ("binary", 16), ("where", 8), ("copy", 32), ("fill", 1024),
                         ("binary_scalar", 4)):
        yield (f"{entry} leaves what is over from blocks of {block}", (entry,),
               tail(entry, block, 0 if entry == "fill" else -1))

    def beyond(entry, block, out_at=-1):
        def spoil(*args):
            out = args[out_at]
            start, size = out.storage_offset() + out.numel(), out.element_size()
            out.buffer[start * size:(start + -out.numel() % block) * size] = 1
        return spoiled(entry, spoil, lambda *args: dense(*args))
    for entry in ("unary", "binary", "copy", "fill", "reduce", "gather", "matmul", "sort"):
        yield f"{entry} writes whole blocks of 8", (entry,), beyond(entry, 8, 0 if entry == "fill" else -1)

    def whole_buffer(self, op, a, out):
        if REDUCE[op] != "sum" or out.shape or a.dtype is not out.dtype or not dense(a) or (
                a.dtype.name not in ("float32", "int64")):
            return right("reduce", self, op, a, out)
        whole = np.frombuffer(a.buffer, array(a).dtype)
        store(out, whole[:a.storage_offset() + -(-a.numel() // 64) * 64].sum(dtype=whole.dtype))
    yield "sum reads whole blocks of 64", ("reduce",), {"reduce": whole_buffer}

    def long_rows(op, a, out):
        array(out)[...] = load(a).reshape(*out.shape, -1)[..., :65536].max(-1)
    yield "max looks at 65536 elements of a row", ("reduce",), spoiled(
        "reduce", long_rows, lambda op, a, out: REDUCE[op] == "max" and a.dtype.name in ("int64", "float32"))
    yield "argmax looks at 65536 elements of a row", ("argreduce",), spoiled(
        "argreduce", lambda op, a, out: store(out, load(a)[..., :65536].argmax(-1)),
        lambda op, a, out: op == 0 and a.dtype.name == "int32")

    def carry(op, a, out, index):
        found = load(out)
        for start in range(65536, found.shape[-1], 65536):
            found[..., start:] -= found[..., start - 1:start]
        store(out, found)
    yield "cumsum loses the carry after 65536", ("scan",), spoiled(
        "scan", carry, lambda op, a, out, index: SCAN[op] == "cumsum" and out.shape[-1] > 65536)

    def blocks(a, descending, stable, values, index):
        found = load(values)
        found[..., 65536:] = found[..., 65536:][..., ::-1]
        store(values, found)
    yield "sort leaves what is beyond 65536", ("sort",), spoiled(
        "sort", blocks, lambda a, *rest: a.shape[-1] > 65536)


# ------------------------------------------------------------------- dtypes

def _as(kind, *views):
    return [load(v).astype(kind) for v in views]


def dtypes():
    """A number goes through a type that can't hold it."""
    def through(entry, kind, ops, dtype, table=BINARY):
        def kernel(self, op, *views):
            if table[op] not in ops or views[0].dtype.name != dtype:
                return right(entry, self, op, *views)
            formula = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "maximum": np.maximum, "eq": np.equal,
                       "lt": np.less, "floor_divide": np.floor_divide, "abs": np.abs, "neg": np.negative}
            with np.errstate(all="ignore"):
                found = formula[table[op]](*_as(kind, *views[:-1]))
                array(views[-1])[...] = found.astype(array(views[-1]).dtype)
        return {entry: kernel}
    for op in ("add", "eq", "lt", "maximum", "floor_divide"):
        yield f"int64 {op} by float64", ("binary",), through("binary", "float64", (op,), "int64")
        yield f"int32 {op} by float32", ("binary",), through("binary", "float32", (op,), "int32")
    yield "float64 add by float32", ("binary",), through("binary", "float32", ("add",), "float64")
    yield "int64 mul by int32", ("binary",), through("binary", "int32", ("mul",), "int64")
    yield "int64 abs by int32", ("unary",), through("unary", "int32", ("abs",), "int64", UNARY)
    yield "int64 neg by float64", ("unary",), through("unary", "float64", ("neg",), "int64", UNARY)

    def scalar(kind, dtype):
        def kernel(self, op, a, x, swapped, out):
            if a.dtype.name == dtype:
                x = kind(x)
            return right("binary_scalar", self, op, a, x, swapped, out)
        return {"binary_scalar": kernel}
    yield "float64 scalars by float32", ("binary_scalar",), scalar(lambda x: float(np.float32(x)), "float64")
    yield "int64 scalars by float64", ("binary_scalar",), scalar(lambda x: int(float(x)), "int64")
    yield "int32 scalars by float32", ("binary_scalar",), scalar(lambda x: int(np.float32(x)), "int32")
    yield "complex scalars lose what is imaginary", ("binary_scalar",), scalar(lambda x: x.real, "complex64")

    def filled(kind, *names):
        def kernel(self, out, value):
            return right("fill", self, out, kind(value) if out.dtype.name in names else value)
        return {"fill": kernel}
    yield "fill of int64 by float64", ("fill",), filled(lambda x: min(int(float(x)), 2**63 - 1), "int64")
    yield "fill of int32 by float32", ("fill",), filled(lambda x: min(int(np.float32(x)), 2**31 - 1), "int32")
    yield "fill of float64 by float32", ("fill",), filled(lambda x: float(np.float32(x)), "float64")
    yield "fill of complex128 by its real part", ("fill",), filled(lambda x: x.real, "complex128")

    def matrices(kind, *names):
        def kernel(self, a, b, out):
            if a.dtype.name not in names:
                return right("matmul", self, a, b, out)
            with np.errstate(all="ignore"):
                array(out)[...] = np.matmul(*_as(kind, a, b)).astype(array(out).dtype)
        return {"matmul": kernel}
    yield "matmul of int64 by float64", ("matmul",), matrices("float64", "int64")
    yield "matmul of int32 by float32", ("matmul",), matrices("float32", "int32")
    yield "matmul of float64 by float32", ("matmul",), matrices("float32", "float64")
    yield "matmul of float32 by float16", ("matmul",), matrices("float16", "float32")

    def summed(source, target, kind, op="sum"):
        def kernel(self, code, a, out):
            if REDUCE[code] != op or a.dtype.name != source or out.dtype.name != target:
                return right("reduce", self, code, a, out)
            axes = tuple(range(len(out.shape), len(a.shape)))
            with np.errstate(all="ignore"):
                found = getattr(np, op)(load(a).astype(kind), axes, dtype=kind)
                array(out)[...] = np.asarray(found).astype(array(out).dtype)
        return {"reduce": kernel}
    for source, target, kind in (("uint8", "int64", "uint8"), ("int8", "int64", "int8"), ("int16", "int64", "int16"),
                                 ("int32", "int64", "int32"), ("bool", "int64", "uint8"),
                                 ("int64", "int64", "float64"), ("float64", "float64", "float32"),
                                 ("float32", "float64", "float32"), ("int32", "int64", "float64")):
        yield f"sum of {source} to {target} by {kind}", ("reduce",), summed(source, target, kind)
    yield "prod of int32 to int64 by int32", ("reduce",), summed("int32", "int64", "int32", "prod")

    def running(self, op, a, out):
        if REDUCE[op] != "sum" or a.dtype.name != "float32" or out.dtype.name != "float32":
            return right("reduce", self, op, a, out)
        rows = load(a).reshape(*out.shape, -1)
        array(out)[...] = np.cumsum(rows, -1, dtype="float32")[..., -1]
    yield "a plain running sum of float32", ("reduce",), {"reduce": running}

    def narrow(self, op, a, out):
        if REDUCE[op] != "sum" or a.dtype.name != "float16" or out.dtype.name != "float16":
            return right("reduce", self, op, a, out)
        with np.errstate(all="ignore"):
            array(out)[...] = np.cumsum(array(a).reshape(*out.shape, -1), -1, dtype="float16")[..., -1]
    yield "float16 summed in float16", ("reduce",), {"reduce": narrow}

    def truth(entry, out_at=-1):
        def spoil(*args):
            out = args[out_at]
            raw(out)[...] = raw(out) * 255
        return spoiled(entry, spoil, lambda *args: args[out_at].dtype.name == "bool")
    for entry, out_at in (("binary", -1), ("unary", -1), ("copy", -1), ("reduce", -1), ("fill", 0),
                          ("binary_scalar", -1)):
        yield f"{entry} writes 255 for True", (entry,), truth(entry, out_at)

    def converted(source, target, function):
        def kernel(self, src, out):
            if src.dtype.name != source or out.dtype.name != target:
                return right("copy", self, src, out)
            with np.errstate(all="ignore"):
                store(out, function(load(src)))
        return {"copy": kernel}
    conversions = {
        ("float32", "bool"): lambda x: x.astype("int32") != 0, ("int64", "bool"): lambda x: x.astype("int32") != 0,
        ("complex64", "bool"): lambda x: x.real != 0, ("float32", "int32"): np.rint, ("float64", "int64"): np.floor,
        ("int64", "float64"): lambda x: x.astype("float32"), ("int32", "int64"): lambda x: x.astype("uint32"),
        ("int8", "int32"): lambda x: x.astype("uint8"), ("uint8", "int32"): lambda x: x.astype("int8"),
        ("int64", "int32"): lambda x: np.clip(x, -2**31, 2**31 - 1),
        ("float64", "float32"): lambda x: x.astype("float16"),
        ("complex64", "float32"): np.abs, ("float32", "complex64"): lambda x: x + 1j * np.where(x == 0, 1, 0),
        ("int64", "int64"): lambda x: x.astype("float64").astype("int64"),
        ("float64", "float64"): lambda x: x.astype("float32"),
    }
    for (source, target), function in conversions.items():
        yield f"copy from {source} to {target}", ("copy",), converted(source, target, function)

    def cut_off(self, src, out):
        answer = right("copy", self, src, out)
        if src.dtype.name == "float32" and out.dtype.name == "bfloat16":
            array(out)[...] = (load(src).view("uint32") >> 16).astype("uint16")
        return answer
    yield "bfloat16 is cut off, not rounded", ("copy",), {"copy": cut_off}
