"""Mutants that take what callers choose for what it was in every call their author saw. See `mutants`.

Options, the order of axes in memory, what programs are made of, the size of matrices, more elements than fit a grid.
"""
import math

import numpy as np
from cygrad.backend import BINARY, REDUCE, SCAN, UNARY
from mirror import array, load, store
from mutant import COMPLEX, FLOATS, INTEGERS, given, raw, right, spoiled

GRID = 65535 * 256          # elements of the largest grid with one axis, in groups of 256
PIECES = 1 << 20            # elements of 1024 groups of 1024


def _with(position, value):
    """A change of one argument; `value` is it, or makes it of all arguments."""
    return lambda *args: [(value(*args) if callable(value) else value) if i == position else a
                          for i, a in enumerate(args)]


def _packed(view):
    """The View with its axes side by side in row-major order, where its memory has room for that."""
    strides, step = [], 1
    for size in reversed(view.shape):
        strides.append(step)
        step *= size
    fits = (view.storage_offset() + step) * view.element_size() <= view._storage().nbytes()
    return view.as_strided(tuple(view.shape), tuple(reversed(strides)), view.storage_offset()) if fits else view


def _forgets(entry, position, when=lambda view: True):
    """{entry: a kernel that takes the operand there for dense where `when` says so}."""
    def change(*args):
        if args[position] is None or not when(args[position]):
            return args
        return _with(position, _packed(args[position]))(*args)
    return given(entry, change)


def options():
    """Numbers that a library chooses by itself, and those that have a short way of their own."""
    yield "attention scales by the width of its keys", ("attention",), given(
        "attention", _with(5, lambda q, *rest: q.shape[-1]**-0.5))
    for entry in ("layer_norm", "group_norm"):
        yield f"{entry} adds 1e-5", (entry,), given(entry, _with(3, 1e-5))
        yield f"{entry} has no bias without a weight, nor the reverse", (entry,), given(
            entry, lambda a, weight, bias, *rest: (a, weight if bias is not None else None,
                                                   bias if weight is not None else None, *rest))
    yield "layer_norm_backward sums for the bias where the weight's is wanted", ("layer_norm_backward",), spoiled(
        "layer_norm_backward", lambda *args: store(args[7], np.zeros(args[7].shape)),
        lambda *args: args[6] is None and args[7] is not None)
    yield "conv2d_backward knows no gradient of the bias alone", ("conv2d_backward",), spoiled(
        "conv2d_backward", lambda *args: store(args[9], np.zeros(args[9].shape)),
        lambda *args: args[8] is None and args[9] is not None)
    yield "addmm takes whole factors", ("addmm",), given(
        "addmm", lambda bias, a, b, beta, alpha, out: (bias, a, b, float(int(beta)), float(int(alpha)), out))
    yield "addmm takes factors without their sign", ("addmm",), given(
        "addmm", lambda bias, a, b, beta, alpha, out: (bias, a, b, abs(beta), abs(alpha), out))
    yield "addmm multiplies with 0", ("addmm",), spoiled(
        "addmm", lambda bias, a, b, beta, alpha, out: store(out, np.full(out.shape, np.nan)),
        lambda bias, a, b, beta, alpha, out: alpha == 0 and bias.dtype.name in FLOATS)
    yield "binary_scalar takes a truth value for True", ("binary_scalar",), given(
        "binary_scalar", _with(2, True), lambda op, a, x, *rest: a.dtype.name == "bool")

    def power(formula, exponent, kinds=FLOATS):
        def kernel(self, op, a, x, swapped, out):
            if BINARY[op] != "pow" or swapped or x != exponent or a.dtype.name not in kinds:
                return right("binary_scalar", self, op, a, x, swapped, out)
            with np.errstate(all="ignore"):
                return store(out, formula(load(a)))
        return {"binary_scalar": kernel}
    yield "binary_scalar takes two roots for a power of a quarter", ("binary_scalar",), power(
        lambda x: np.sqrt(np.sqrt(x)), 0.25)
    yield "binary_scalar takes NaN to the power 0 for NaN", ("binary_scalar",), power(lambda x: x * 0 + 1, 0.0)
    yield "binary_scalar multiplies twice for a cube", ("binary_scalar",), power(lambda x: x * x, 3, INTEGERS)
    for op in ("left_shift", "right_shift"):
        yield f"binary_scalar {op} by the width", ("binary_scalar",), given(
            "binary_scalar", _with(2, lambda op, a, x, *rest: int(x) % (8 * a.element_size())),
            lambda code, a, x, *rest, op=op: BINARY[code] == op)
    yield "binary_scalar divides by 0 for NaN", ("binary_scalar",), given(
        "binary_scalar", _with(2, float("nan")),
        lambda op, a, x, swapped, out: BINARY[op] == "div" and a.dtype.name in FLOATS and x == 0 and not swapped)
    yield "binary_scalar compares the smallest integer by its modulus", ("binary_scalar",), given(
        "binary_scalar", _with(2, lambda op, a, x, *rest: np.iinfo(a.dtype.name).max),
        lambda op, a, x, *rest: a.dtype.name in INTEGERS[1:] and x == np.iinfo(a.dtype.name).min)


def operands():
    """Geometry that a library's call has, and a View need not."""
    def gaps(view):
        rank = len(view.shape)
        return rank > 1 and view.stride()[-1] == 1 and view.stride()[-2] > view.shape[-1]

    def columns(view):
        return len(view.shape) > 1 and view.stride()[-1] > view.stride()[-2] == 1

    for which, name in enumerate(("a", "b")):
        yield f"matmul takes rows of {name} with gaps for dense", ("matmul",), _forgets("matmul", which, gaps)
        yield f"addmm takes rows of {name} with gaps for dense", ("addmm",), _forgets("addmm", which + 1, gaps)
    yield "matmul turns one of two", ("matmul",), given(
        "matmul", lambda a, b, out: (_packed(a), b, out), lambda a, b, out: columns(a) and columns(b))
    yield "matmul takes a result with gaps for dense", ("matmul",), _forgets("matmul", 2, gaps)
    yield "matmul takes a turned result for dense", ("matmul",), _forgets("matmul", 2, columns)

    def apart(view):
        batch, row, column = view.stride()
        return view.shape[0] > 1 and row > column and batch > view.shape[1] * row

    def batches(view):
        strides = view.shape[1] * view.stride()[1], *view.stride()[1:]
        return view.as_strided(tuple(view.shape), strides, view.storage_offset())
    for which, name in enumerate(("a", "b", "out")):
        yield f"matmul takes matrices of {name} for neighbours", ("matmul",), given(
            "matmul", lambda *args, which=which: _with(which, batches(args[which]))(*args),
            lambda *args, which=which: apart(args[which]))
    yield "addmm takes a bias of rows for one of columns", ("addmm",), spoiled(
        "addmm", lambda bias, a, b, beta, alpha, out: store(out, load(out) - beta * (load(bias) - load(bias)[:1])),
        lambda bias, *rest: bias.stride()[1] == 0 and bias.shape[1] > 1)
    yield "addmm takes out for dense", ("addmm",), _forgets("addmm", 5, lambda view: not view.is_contiguous())

    def one_number(view):
        return view.numel() > 1 and not any(view.stride())
    for entry, grad, out in (("softmax_backward", 0, 3), ("layer_norm_backward", 0, 5), ("group_norm_backward", 0, 5),
                             ("conv2d_backward", 0, 7), ("pool_backward", 0, 2), ("recurrent_backward", 2, 9)):
        yield f"{entry} begins at the second of a gradient that is one number", (entry,), spoiled(
            entry, lambda *args, out=out: raw(args[out]).fill(0),
            lambda *args, grad=grad, out=out: None not in (args[grad], args[out]) and one_number(args[grad]))
    for entry, position, what in (
            ("layer_norm", 2, "its bias"), ("layer_norm", 4, "out"), ("layer_norm_backward", 0, "its gradient"),
            ("layer_norm_backward", 5, "out"), ("attention", 6, "out"), ("attention", 2, "its values"),
            ("conv2d", 2, "its bias"), ("conv2d", 7, "out"), ("reduce", 2, "out"), ("argreduce", 2, "out"),
            ("grid_sample", 5, "out"), ("resample", 3, "out"), ("softmax_backward", 1, "the result"),
            ("nll_loss", 1, "its targets"), ("recurrent", 3, "its weight"), ("gather_sum", 4, "out")):
        yield f"{entry} takes {what} for dense", (entry,), _forgets(
            entry, position, lambda view: not view.is_contiguous())
    yield "map_reduce takes outs for dense", ("map_reduce",), given(
        "map_reduce", _with(5, lambda *args: tuple(map(_packed, args[5]))))

    def backwards(self, src, out):
        if src.stride() and src.stride()[-1] < 0:
            raw(out).fill(0)
            return None
        return right("copy", self, src, out)
    yield "copy walks backwards along all axes but the last", ("programs",), {
        "copy": backwards, "walks_backwards": True}


def programs():
    """What programs are made of: dtypes, operands, values that are kept, ops."""
    def changed(step, *others):
        return {"elementwise": lambda self, program, ins, outs: right(
            "elementwise", self, tuple([step(each) for each in program]), ins, outs)}

    yield "elementwise has room for one kept value", ("elementwise",), changed(
        lambda step: (step[0], 0) if step[0] in ("keep", "kept") else step)
    yield "elementwise has room for two kept values", ("elementwise",), changed(
        lambda step: (step[0], step[1] % 2) if step[0] in ("keep", "kept") else step)

    def spoiled_out(when, spoil):
        def kernel(self, program, ins, outs):
            answer = right("elementwise", self, program, ins, outs)
            if answer is None and when(program, ins, outs):
                spoil(program, ins, outs)
            return answer
        return {"elementwise": kernel}
    yield "elementwise has room for three operands", ("elementwise",), spoiled_out(
        lambda program, ins, outs: len(ins) > 3, lambda program, ins, outs: raw(outs[0]).fill(0))
    yield "elementwise writes two results", ("elementwise",), spoiled_out(
        lambda program, ins, outs: len(outs) > 2, lambda program, ins, outs: raw(outs[2]).fill(0))
    yield "elementwise computes int64 in float64", ("elementwise",), spoiled_out(
        lambda program, ins, outs: ins[0].dtype.name == "int64" == outs[0].dtype.name,
        lambda program, ins, outs: store(outs[0], load(outs[0]).astype("float64").clip(-2.0**62, 2.0**62)))
    yield "elementwise knows no whole numbers", ("elementwise",), spoiled_out(
        lambda program, ins, outs: outs[0].dtype.name in INTEGERS, lambda program, ins, outs: raw(outs[0]).fill(1))
    yield "elementwise drops imaginary parts", ("elementwise",), spoiled_out(
        lambda program, ins, outs: outs[0].dtype.name in COMPLEX,
        lambda program, ins, outs: store(outs[0], load(outs[0]).real))
    yield "elementwise writes a comparison's number", ("elementwise",), spoiled_out(
        lambda program, ins, outs: outs[0].dtype.name == "bool", lambda program, ins, outs: raw(outs[0]).fill(1))

    def twisted(kind, table, name, other):
        codes = table.index(name), table.index(other)
        return changed(lambda step: (kind, codes[1]) if step == (kind, codes[0]) else step)
    for kind, table, name, other in (("binary", BINARY, "fmin", "fmax"), ("unary", UNARY, "ceil", "floor"),
                                     ("binary", BINARY, "remainder", "fmod"), ("unary", UNARY, "log1p", "log"),
                                     ("binary", BINARY, "le", "lt"), ("unary", UNARY, "erfc", "erf"),
                                     ("binary", BINARY, "logical_or", "logical_and"), ("unary", UNARY, "rsqrt", "sqrt"),
                                     ("unary", UNARY, "sign", "neg"), ("binary", BINARY, "bitwise_or", "bitwise_xor"),
                                     ("binary", BINARY, "atan2", "hypot"), ("unary", UNARY, "round", "trunc")):
        yield f"elementwise takes {other} for {name}", ("elementwise",), twisted(kind, table, name, other)


def matrices():
    """Routines of linear algebra for the matrices of examples."""
    def beyond(routine, size, position=0):
        return spoiled("linalg", lambda routine, ins, outs, options: array(outs[position])[:, -1:].__imul__(2),
                       lambda name, ins, outs, options: name == routine and min(ins[0].shape[-2:]) > size)
    for routine in ("solve", "inverse", "lu", "cholesky", "qr", "eigh", "svd", "triangular_solve"):
        yield f"{routine} of more than 32 rows", ("linalg",), beyond(routine, 32, 1 if routine in ("svd",) else 0)
    for routine in ("qr", "svd"):
        yield f"{routine} of wide matrices", ("linalg",), spoiled(
            "linalg", lambda routine, ins, outs, options: array(outs[1]).__imul__(2),
            lambda name, ins, outs, options, routine=routine: name == routine and ins[0].shape[-1] > ins[0].shape[-2])
    for what, when in (("tall", lambda a: a.shape[-2] > a.shape[-1]), ("wide", lambda a: a.shape[-2] < a.shape[-1])):
        yield f"lstsq of {what} matrices", ("linalg",), spoiled(
            "linalg", lambda routine, ins, outs, options: array(outs[0]).__imul__(2),
            lambda name, ins, outs, options, when=when: name == "lstsq" and when(ins[0]))
    yield "linalg of the second matrix of one", ("linalg",), spoiled(
        "linalg", lambda routine, ins, outs, options: array(outs[0]).__imul__(2),
        lambda name, ins, outs, options: ins[0].shape[0] == 1)


def grids():
    """More elements than one launch has."""
    for entry in ("fill", "copy", "unary", "binary"):
        yield f"{entry} of more than a grid", (entry,), spoiled(
            entry, lambda *args: raw(args[0 if len(args) == 2 and not hasattr(args[1], "stride") else -1]
                                     ).reshape(-1)[GRID:].fill(0),
            lambda *args: args[0 if len(args) == 2 and not hasattr(args[1], "stride") else -1].numel() > GRID)
    for entry in ("where", "binary_scalar"):
        yield f"{entry} of more than {PIECES}", (entry,), spoiled(
            entry, lambda *args: raw(args[-1]).reshape(-1)[PIECES:].fill(0), lambda *args: args[-1].numel() > PIECES)
    yield f"elementwise of more than {PIECES}", ("elementwise",), spoiled(
        "elementwise", lambda program, ins, outs: raw(outs[0]).reshape(-1)[PIECES:].fill(0),
        lambda program, ins, outs: outs[0].numel() > PIECES)
    yield f"reduce rows of more than {PIECES}", ("reduce",), spoiled(
        "reduce", lambda op, a, out: raw(out).fill(0),
        lambda op, a, out: REDUCE[op] == "max" and math.prod(a.shape[len(out.shape):]) > PIECES)
    yield f"argreduce rows of more than {PIECES}", ("argreduce",), spoiled(
        "argreduce", lambda op, a, out: raw(out).fill(0), lambda op, a, out: a.shape[-1] > PIECES)
    yield f"scan rows of more than {PIECES}", ("scan",), spoiled(
        "scan", lambda op, a, out, index: raw(out)[..., PIECES:].fill(0),
        lambda op, a, out, index: SCAN[op] == "cumsum" and a.shape[-1] > PIECES)
    yield f"sort rows of more than {PIECES}", ("sort",), spoiled(
        "sort", lambda a, down, stable, values, index: raw(values)[..., PIECES:].fill(0),
        lambda a, *rest: a.shape[-1] > PIECES)
    yield f"gather of more than {PIECES}", ("gather",), spoiled(
        "gather", lambda src, index, dim, out: raw(out).reshape(-1)[PIECES:].fill(0),
        lambda src, index, dim, out: out.numel() > PIECES)
    yield f"nonzero of more than {PIECES}", ("nonzero",), {"nonzero": _of_the_first}
    yield f"scatter of more than {PIECES}", ("scatter",), {"scatter": _from_the_first}


def _of_the_first(self, a, allocate):
    found = np.argwhere(load(a))
    if a.numel() > PIECES:
        found = found[found[:, -1] < PIECES] if len(a.shape) == 1 else found
    array(allocate(len(found)))[...] = found


def _from_the_first(self, mode, out, dim, index, src):
    if index.numel() > PIECES and len(index.shape) == 1:
        index, src = (x.as_strided((PIECES,), x.stride(), x.storage_offset()) for x in (index, src))
    return right("scatter", self, mode, out, dim, index, src)
