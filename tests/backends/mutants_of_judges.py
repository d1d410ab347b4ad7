"""Mutants by a judge's list of families, written before anyone looked what the suite sees: see `mutants`."""
import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, REDUCE, SCAN, UNARY
from mirror import Mirror, array, load, scratch, store
from mutant import (FLOATS, INTEGERS, computed, dense, flat, from_the_start, in_a_row, instead, is_op, kinds, lost,
                    reading, right, spoilt, table)


def _unary(name, kinds=None):
    return is_op(UNARY, name, kinds)


def _binary(name, kinds=None):
    return is_op(BINARY, name, kinds)


def judges_arithmetic():
    return table(
        ("neg as 0 - a", "unary", computed, lambda x: 0 - x, _unary("neg", FLOATS)),
        ("sign of NaN", "unary", computed, lambda x: np.sign(x), _unary("sign", FLOATS)),
        ("expm1 as exp - 1", "unary", computed, lambda x: np.exp(x) - 1, _unary("expm1", ["float64"])),
        ("log1p as log(1 + a)", "unary", computed, lambda x: np.log(1 + x), _unary("log1p", ["float32"])),
        ("tan reduced by pi of float32", "unary", computed,
         lambda x: np.tan(np.where(abs(x) > 1e4, np.fmod(x, np.float32(2 * np.pi)), x)), _unary("tan", ["float32"])),
        ("floor_divide of int8 as C divides", "binary", computed, lambda a, b: np.trunc(a / b),
         lambda code, a, b, out: _binary("floor_divide", ["int8"])(code, a) and (load(b) != 0).all()),
        ("floor_divide of floats as floor of a quotient", "binary", computed, lambda a, b: np.floor(a / b),
         _binary("floor_divide", ["float64"])),
        ("remainder of float16 as fmod", "binary", computed, np.fmod, _binary("remainder", ["float16"])),
        ("pow of int64 in double", "binary", {"binary": lambda self, *args: _in_double(
            self, "pow", lambda a, b: a ** b, *args)}),
        ("hypot without scaling", "binary", computed, lambda a, b: np.sqrt(a * a + b * b), _binary("hypot",
                                                                                                   ["float64"])),
        ("maximum as a > b ? a : b", "binary", computed, lambda a, b: np.where(a > b, a, b), _binary("maximum",
                                                                                                   FLOATS)),
        ("fmin gives NaN for one", "binary", computed, np.minimum, _binary("fmin", ["float64"])),
        ("lcm multiplies first", "binary", computed, lambda a, b: np.where(
            (a == 0) | (b == 0), 0, abs((a * b) // np.where(np.gcd(a, b) == 0, 1, np.gcd(a, b)))),
         _binary("lcm", ["int16"])),
        ("left_shift by the count's low bits", "binary", computed, lambda a, b: a << (b & 31),
         _binary("left_shift", ["int32"])),
        ("acosh overflows", "unary", computed, lambda x: np.log(x + np.sqrt(x * x - 1)), _unary("acosh", ["float64"])),
        ("digamma without a reflection", "unary", spoilt, _unary("digamma", ["float32"]),
         lambda code, a, out: a is not out and array(out).__setitem__((load(a) < 0) & (np.floor(load(a)) != load(a)),
                                                                      0)),
    )


def _in_double(self, name, formula, code, a, b, out):
    """What fits int64 is computed in double."""
    if not _binary(name, ["int64"])(code, a):
        return right("binary", self, code, a, b, out)
    with np.errstate(all="ignore"):
        found = formula(load(a).astype("float64"), load(b).astype("float64"))
    answer = right("binary", self, code, a, b, out)
    if answer is None:
        array(out)[...] = np.where(abs(found) < 2.0**63, found.astype("int64"), array(out))
    return answer


def judges_dtypes():
    return table(
        ("add of int8 saturates", "binary", instead, _binary("add", ["int8"]), lambda code, a, b, out: np.clip(
            load(a).astype(int) + load(b), -128, 127)),
        ("lt of uint8 with signs", "binary", instead, _binary("lt", ["uint8"]), lambda code, a, b, out: load(a).view(
            "int8") < load(b).view("int8")),
        ("mul of bfloat16 cuts off", "binary", {"binary": lambda self, code, a, b, out: _cut_product(
            self, code, a, b, out)}),
        ("sum of float16 in float16", "reduce", instead, lambda code, a, out: REDUCE[code] == "sum"
         and kinds(a, "float16") and kinds(out, "float16"), lambda code, a, out: _narrow_sum(a, out)),
        ("mul of int64 in double", "binary", {"binary": lambda self, *args: _in_double(
            self, "mul", lambda a, b: a * b, *args)}),
        ("eq of int64 by low words", "binary", instead, _binary("eq", ["int64"]),
         lambda code, a, b, out: load(a).astype("int32") == load(b).astype("int32")),
        ("add of bool as xor", "binary", instead, _binary("add", ["bool"]),
         lambda code, a, b, out: load(a) ^ load(b)),
        ("all of complex by real parts", "reduce", instead, lambda code, a, out: REDUCE[code] == "all"
         and kinds(a, "complex64"), lambda code, a, out: (load(a).real != 0).reshape(*out.shape, -1).all(-1)),
        ("div of complex128 in complex64", "binary", computed, lambda a, b: a.astype("complex64") / b.astype(
            "complex64"), _binary("div", ["complex128"])),
        ("abs of the smallest int16", "unary", instead, _unary("abs", ["int16"]),
         lambda code, a, out: np.minimum(abs(load(a).astype(int)), 32767)),
        ("exp of float64 in float32", "unary", computed, lambda x: np.exp(x.astype("float32")), _unary("exp",
                                                                                                     ["float64"])),
        ("neg of uint8 stops at 0", "unary", instead, _unary("neg", ["uint8"]),
         lambda code, a, out: np.zeros(a.shape, "uint8")),
        ("bitwise_not of bool on bytes", "unary", instead, _unary("bitwise_not", ["bool"]),
         lambda code, a, out: np.ones(a.shape, bool)),
    )


def _cut_product(self, code, a, b, out):
    if BINARY[code] != "mul" or not kinds(a, "bfloat16"):
        return right("binary", self, code, a, b, out)
    with np.errstate(all="ignore"):
        exact = (load(a) * load(b)).astype("float32")
    array(out)[...] = np.where(np.isnan(exact), 0x7FC0, exact.view("uint32") >> 16)


def _narrow_sum(a, out):
    rows = np.ascontiguousarray(array(a)).reshape(*out.shape, -1)
    return np.cumsum(rows, -1, dtype="float16")[..., -1]


def judges_sizes():
    return table(
        ("exp: the rest after eights", "unary", lost, lambda code, a, out: _unary("exp")(code, a) and dense(a, out)
         and out.numel() > 8 and a is not out, lambda code, a, out: np.unravel_index(
             np.arange(out.numel() // 8 * 8, out.numel()), out.shape)),
        ("add: no more than 65,536", "binary", lost, lambda code, a, b, out: _binary("add")(code, a)
         and dense(a, b, out) and out.numel() > 65536 and out.ndim == 1 and out is not a and out is not b,
         np.s_[65536:]),
        ("sum: three of a tail of four", "reduce", reading, lambda code, a, out: REDUCE[code] == "sum"
         and a.shape[-1] > 4 and a.shape[-1] % 4 == 3 and a.stride()[-1] == 1,
         (1, lambda code, a, out: np.where(np.arange(a.shape[-1]) == a.shape[-1] - 1, 0, array(a)))),
        ("max: the first 1,024", "reduce", reading, lambda code, a, out: REDUCE[code] == "max" and a.ndim - out.ndim
         == 1 and a.shape[-1] > 1024, (1, lambda code, a, out: array(a)[..., :1024])),
        ("matmul: K beyond whole sixteens", "matmul", reading, lambda a, b, out: a.shape[2] > 16 and a.shape[2] % 16,
         (0, lambda a, b, out: array(a)[:, :, :a.shape[2] // 16 * 16]),
         (1, lambda a, b, out: array(b)[:, :a.shape[2] // 16 * 16])),
        ("matmul: columns of a last tile", "matmul", spoilt, lambda a, b, out: out.shape[2] % 32 and out.shape[2] > 32,
         lambda a, b, out: array(out).__setitem__(np.s_[:, :, out.shape[2] // 32 * 32:], 0)),
        ("cumsum: blocks of 256 begin anew", "scan", {"scan": _anew}),
        ("softmax: the largest of the first 1,024", "softmax", instead, lambda a, log, out: not log
         and a.shape[-1] > 1024, lambda a, log, out: _shifted(load(a))),
        ("argmax: ties between halves", "argreduce", instead, lambda code, a, out: ARGREDUCE[code] == "argmax"
         and a.shape[-1] > 8 and kinds(a, *INTEGERS), lambda code, a, out: _of_halves(array(a))),
        ("where: exactly one element is b", "where", instead, lambda cond, a, b, out: out.numel() == 1,
         lambda cond, a, b, out: load(b)),
    )


def _shifted(x):
    found = np.exp(x - x[..., :1024].max(-1, keepdims=True))
    return found / found.sum(-1, keepdims=True)


def _of_halves(x):
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    return np.where(second.max(-1) >= first.max(-1), half + np.argmax(second, -1), np.argmax(first, -1))


def _anew(self, code, a, out, index):
    answer = right("scan", self, code, a, out, index)
    if answer is None and SCAN[code] == "cumsum" and a.shape[-1] > 256:
        found = load(out)
        for start in range(256, a.shape[-1], 256):
            found[..., start:start + 256] -= load(out)[..., start - 1:start]
        store(out, found)
    return answer


def judges_strides():
    return table(
        ("unary: the operand's offset", "unary", reading, lambda code, a, out: a.storage_offset() > 0,
         (1, lambda code, a, out: from_the_start(a))),
        ("binary: the second's offset", "binary", reading, lambda code, a, b, out: b.storage_offset() > 0 and dense(b),
         (2, lambda code, a, b, out: from_the_start(b))),
        ("where: the condition's strides", "where", reading, lambda cond, a, b, out: not dense(cond),
         (0, lambda cond, a, b, out: in_a_row(cond))),
        ("copy: out's offset", "copy", {"copy": lambda self, src, out: _to_the_start(self, src, out)}),
        ("reduce: a transposed operand", "reduce", reading, lambda code, a, out: not dense(a) and a.ndim == 2,
         (1, lambda code, a, out: in_a_row(a))),
        ("gather: an index in columns", "gather", reading, lambda src, index, dim, out: not dense(index),
         (1, lambda src, index, dim, out: np.clip(in_a_row(index), 0, src.shape[dim] - 1))),
        ("scatter: the source's strides", "scatter", reading, lambda mode, out, dim, index, src: not dense(src),
         (4, lambda mode, out, dim, index, src: in_a_row(src))),
        ("binary: an axis in the middle that is broadcast", "binary", reading, lambda code, a, b, out: b.ndim == 3
         and b.stride()[1] == 0 and b.stride()[0] and b.stride()[2],
         (2, lambda code, a, b, out: np.broadcast_to(array(b)[:1], b.shape))),
        ("layer_norm: strides of weight", "layer_norm", reading, lambda a, weight, *rest: weight is not None
         and weight.stride()[0] != 1, (1, lambda a, weight, *rest: in_a_row(weight))),
        ("sort: values with gaps", "sort", {"sort": lambda self, *args: _without_gaps(self, *args)}),
    )


def _to_the_start(self, src, out):
    if not (dense(out) and out.storage_offset() * out.element_size() % 64 and kinds(out, "int64", "float64")):
        return right("copy", self, src, out)
    made = scratch(self, out, out.shape, out.dtype.name)
    answer = right("copy", self, src, made)
    if answer is None:
        start = out.storage_offset() * out.element_size() // 64 * 64 // out.element_size()
        np.frombuffer(out.buffer, array(out).dtype)[start:start + out.numel()] = flat(made)
    return answer


def _without_gaps(self, a, descending, stable, values, index):
    answer = right("sort", self, a, descending, stable, values, index)
    if answer is None and not dense(values):
        found = array(values).copy()
        size = values.element_size()
        np.frombuffer(values.buffer, found.dtype, -1, values.storage_offset() * size)[:found.size] = found.reshape(-1)
    return answer


def judges_aliases():
    def second(self, code, a, b, out):
        """a goes to out first, then b is subtracted."""
        if BINARY[code] != "sub" or out is a:
            return right("binary", self, code, a, b, out)
        right("copy", self, a, out)
        right("binary", self, code, out, b, out)

    def first_b(self, cond, a, b, out):
        right("copy", self, b, out)
        return right("where", self, cond, a, out, out)

    def nothing(self, code, a, out):
        return None if a is out and not dense(a) else right("unary", self, code, a, out)

    def bias_last(self, bias, a, b, beta, alpha, out):
        array(out)[...] = 0
        return right("addmm", self, bias, a, b, beta, alpha, out)

    def one_for_both(self, code, a, b, out):
        if a.buffer is b.buffer and a.storage_offset() != b.storage_offset() and a.stride() == b.stride():
            b = a
        return right("binary", self, code, a, b, out)

    def itself(self, code, a, b, out):
        if a is b and BINARY[code] in ("eq", "ge", "le"):
            array(out)[...] = 1
            return None
        return right("binary", self, code, a, b, out)

    def early(self, program, ins, outs):
        """Each result is written as soon as it is there."""
        if len(outs) < 2 or not any(out is x for out in outs for x in ins):
            return right("elementwise", self, program, ins, outs)
        for j, out in enumerate(outs):
            made = tuple(out if k == j else scratch(self, out, out.shape, other.dtype.name)
                         for k, other in enumerate(outs))
            right("elementwise", self, program, ins, made)
    return table(
        ("sub into its second operand", "binary", {"binary": second}),
        ("where into what is chosen", "where", {"where": first_b}),
        ("unary in place of what is strided does nothing", "unary", {"unary": nothing}),
        ("addmm clears out, which is bias", "addmm", {"addmm": bias_last}),
        ("binary: two operands in one buffer are the first", "binary", {"binary": one_for_both}),
        ("comparisons of one view with itself are true", "binary", {"binary": itself}),
        ("elementwise writes early", "elementwise", {"elementwise": early}),
    )


def judges_copies():
    def kind(source, target):
        return lambda src, out: kinds(src, *source.split()) and kinds(out, *target.split())

    def half_h2d(self, host, storage, start):
        Mirror.h2d(self, host, storage, start // 8 * 8)

    def fours(self, storage, start, host):
        n = len(host) // 4 * 4 or len(host)
        Mirror.d2h(self, storage, start, host[:n])
    return table(
        ("float to int rounds", "copy", instead, kind("float32 float64", "int32 int64"),
         lambda src, out: np.round(load(src))),
        ("float64 to float32 is cut off", "copy", instead, kind("float64", "float32"), lambda src, out: np.where(
            abs(load(src).astype("float32")) > abs(load(src)), np.nextafter(load(src).astype("float32"),
                                                                            np.float32(0)), load(src))),
        ("NaN to bfloat16 by its upper half", "copy", {"copy": lambda self, src, out: _upper_half(self, src, out)}),
        ("int64 to float32 through int32", "copy", instead, kind("int64", "float32"),
         lambda src, out: load(src).astype("int32")),
        ("True to int8 is -1", "copy", instead, kind("bool", "int8"), lambda src, out: -load(src).astype("int8")),
        ("complex64 to complex128 conjugates", "copy", instead, kind("complex64", "complex128"),
         lambda src, out: load(src).conj()),
        ("subnormal float16 to float32 is 0", "copy", instead, kind("float16", "float32"),
         lambda src, out: np.where(abs(load(src)) < 2**-14, 0, load(src))),
        ("int64 to bool by low bytes", "copy", instead, kind("int64", "bool"), lambda src, out: load(src) & 255),
        ("h2d from whole eights of bytes on", "memory", {"h2d": half_h2d}),
        ("d2h of whole fours", "memory", {"d2h": fours}),
        ("fill of int64 through double", "fill", spoilt, lambda out, x: kinds(out, "int64") and abs(x) < 2**62,
         lambda out, x: array(out).fill(int(float(x)))),
        ("int32 to uint8 saturates", "copy", instead, kind("int32", "uint8"),
         lambda src, out: np.clip(load(src), 0, 255)),
    )


def _upper_half(self, src, out):
    if not (kinds(src, "float32") and kinds(out, "bfloat16")):
        return right("copy", self, src, out)
    bits = array(src).copy().view("uint32")
    array(out)[...] = ((bits.astype("uint64") + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("uint16")


def judges_protocol():
    def late(self, cond, a, b, out):
        answer = right("where", self, cond, a, b, out)
        return NotImplemented if kinds(a, "int16") else answer

    def true(self, code, a, out):
        return right("unary", self, code, a, out) or (True if kinds(a, "float64") else None)

    def no_zero(self, code, a, b, out):
        if BINARY[code] in ("floor_divide", "remainder", "trunc_divide", "fmod") and kinds(a, *INTEGERS) and not (
                load(b).all()):
            store(out, np.zeros(out.shape))
            return None
        return right("binary", self, code, a, b, out)

    def keeps(self, a, b, out):
        self.last = out
        return right("matmul", self, a, b, out)

    def refuses(self, code, a, out):
        if kinds(a, "complex64", "complex128"):
            raise TypeError("no complex numbers here")
        return right("reduce", self, code, a, out)

    def twice(self, a, allocate):
        allocate(len(np.argwhere(load(a))))
        return right("nonzero", self, a, allocate)

    def small(self, index, nbytes):
        if nbytes == 0:
            return None
        return Mirror.alloc(self, index, nbytes)

    def never(self, mode, out, dim, index, src):
        self.scatter(mode, out, dim, index, src) if (array(index).min() >= 0) and (
            array(index).max() < out.shape[dim]) else None
        return True
    return table(
        ("where declines when it has written", "where", {"where": late}),
        ("unary answers True", "unary", {"unary": true}),
        ("division by 0 is 0", "errors", {"binary": no_zero}),
        ("matmul keeps its last result", "matmul", {"matmul": keeps}),
        ("reduce raises instead of declining", "reduce", {"reduce": refuses}),
        ("nonzero asks for memory twice", "nonzero", {"nonzero": twice}),
        ("no buffer for nothing", ("memory", "programs"), {"alloc": small}),
        ("scatter_looking never says no", "scatter_looking", {"scatter_looking": never}),
    )
