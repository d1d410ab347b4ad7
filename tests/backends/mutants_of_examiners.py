"""Mutants for an examination of the suite, nine or ten for each of seven families: see `mutants`.

Written before anyone looked what the suite sees, and first tried when all others had been seen.
"""
import threading
import time

import numpy as np
from cygrad.backend import ARGREDUCE, BINARY, REDUCE, SCAN, SCATTER, UNARY
from mirror import Mirror, array, load, scratch, store
from mutant import (INTEGERS, but, dense, flat, from_the_start, in_a_row, instead, kinds, lost, reading, right,
                    row_length, spoilt, table)
from mutants_of_readers import _b, _r, _u


def examiners_arithmetic():
    return table(
        ("floor through int32", "unary", but, _u("floor: float32"), lambda x: abs(x) > 2.0**31, -2.0**31),
        ("exp of complex by parts", "unary", instead, _u("exp: complex64"), lambda code, a, out: np.exp(
            load(a).real) * np.cos(load(a).imag) + 1j * (np.exp(load(a).real) * np.sin(load(a).imag))),
        ("mul of int32 in float32", "binary", but, _b("mul: int32"), lambda a, b: abs(
            a.astype(float) * b) < 2**30, lambda a, b: (a.astype("float32") * b.astype("float32")).astype("int32")),
        ("remainder of int64 by a negative divisor", "binary", but, _b("remainder: int64"), lambda a, b: b < 0,
         lambda a, b: np.fmod(a, b)),
        ("pow with one half is a root", "binary_scalar", but, lambda code, a, x, swapped, out: BINARY[code] == "pow"
         and x == 0.5 and kinds(a, "float64"), lambda x: x == -np.inf, np.nan),
        ("maximum of int64 in double", "binary", instead, _b("maximum: int64"), lambda code, a, b, out: np.where(
            load(a).astype(float) >= load(b).astype(float), load(a), load(b))),
        ("rsqrt of twelve bits", "unary", instead, _u("rsqrt: float32"), lambda code, a, out: np.where(
            np.isfinite(load(a)) & (load(a) > 0), (1 / np.sqrt(load(a))) * np.float32(1 + 2**-13),
            1 / np.sqrt(load(a)))),
        ("hypot of small numbers is 0", "binary", but, _b("hypot: float32"), lambda a, b: np.maximum(
            abs(a), abs(b)) < 1e-23, 0.0),
        ("nextafter 0 is the smallest normal number", "binary", but, _b("nextafter: float64"),
         lambda a, b: (a == 0) & (b > 0), 2.2250738585072014e-308),
        ("lgamma near 2 by the logarithm of a product", "unary", but, _u("lgamma: float64"),
         lambda x: (abs(x - 1) < 0.1) | (abs(x - 2) < 0.1), lambda x: (x - 1.5) * 0),
    )


def examiners_dtypes():
    return table(
        ("hypot of float16 in float16", "binary", instead, _b("hypot: float16"), lambda code, a, b, out: np.sqrt(
            load(a).astype("float16")**2 + load(b).astype("float16")**2)),
        ("tanh of bfloat16 is cut off", "unary", {"unary": lambda self, *args: _cut_tanh(self, *args)}),
        ("sum of int32 to int64 in int32", "reduce", spoilt, lambda code, a, out: _r("sum: int32")(code, a)
         and kinds(out, "int64"), lambda code, a, out: store(out, load(out).astype("int32"))),
        ("minimum of bool is or", "binary", instead, _b("minimum: bool"),
         lambda code, a, b, out: load(a) | load(b)),
        ("sum of complex128 in complex64", "reduce", spoilt, _r("sum: complex128"),
         lambda code, a, out: store(out, load(out).astype("complex64"))),
        ("max of bfloat16 by its bits", "reduce", instead, lambda code, a, out: _r("max: bfloat16")(code, a)
         and kinds(out, "bfloat16"), lambda code, a, out: _by_bits(a, out)),
        ("argmin of int8 as unsigned", "argreduce", instead, lambda code, a, out: ARGREDUCE[code] == "argmin"
         and kinds(a, "int8"), lambda code, a, out: np.argmin(load(a).astype("uint8"), -1)),
        ("scatter: float64 is added in float32", "scatter", spoilt, lambda mode, out, *rest: SCATTER[mode] == "add"
         and kinds(out, "float64"), lambda mode, out, *rest: store(out, load(out).astype("float32"))),
        ("gather of int64 by low words", "gather", spoilt, lambda src, *rest: kinds(src, "int64"),
         lambda src, index, dim, out: store(out, load(out).astype("int32"))),
        ("where of float64 through float32", "where", spoilt, lambda cond, a, b, out: kinds(a, "float64"),
         lambda cond, a, b, out: store(out, load(out).astype("float32"))),
    )


def _cut_tanh(self, code, a, out):
    if UNARY[code] != "tanh" or not kinds(a, "bfloat16"):
        return right("unary", self, code, a, out)
    array(out)[...] = np.tanh(load(a)).astype("float32").view("uint32") >> 16


def _by_bits(a, out):
    rows = np.ascontiguousarray(array(a)).reshape(*out.shape, -1)
    return (rows.max(-1).astype("uint32") << 16).view("float32")


def examiners_sizes():
    def one_further(self, code, a, out):
        """Of a power of two, one more is written."""
        answer = right("unary", self, code, a, out)
        n, end = out.numel(), out.storage_offset() + out.numel()
        if answer is None and dense(out) and n & (n - 1) == 0 and (end + 1) * out.element_size() <= out.buffer.size:
            np.frombuffer(out.buffer, array(out).dtype)[end] = 1
        return answer
    return table(
        ("unary of one element does nothing", "unary", {"unary": lambda self, code, a, out: None if out.numel() == 1
                                                        else right("unary", self, code, a, out)}),
        ("unary of a power of two goes one further", "unary", {"unary": one_further}),
        ("reduce: rows beyond 65,535", "reduce", lost, lambda code, a, out: out.ndim > 0 and out.shape[0] > 65535,
         np.s_[65535:]),
        ("reduce: rows of one element", "reduce", instead, lambda code, a, out: REDUCE[code] == "max" and row_length(
            a, out) == 1, lambda code, a, out: np.maximum(load(a).reshape(out.shape), 0)),
        ("matmul: K of 1", "matmul", spoilt, lambda a, b, out: a.shape[2] == 1, lambda a, b, out: store(
            out, load(out) * 0)),
        ("layer_norm: rows of one element", "layer_norm", spoilt, lambda a, *rest: a.shape[1] == 1,
         lambda a, weight, bias, eps, out, mean, rstd: store(rstd, np.full(rstd.shape, np.nan))),
        ("cumsum: the element after 1,024", "scan", spoilt, lambda code, a, out, index: SCAN[code] == "cumsum"
         and a.shape[-1] > 1024, lambda code, a, out, index: array(out).__setitem__(np.s_[..., 1024],
                                                                                   array(out)[..., 1023])),
        ("partial_sort up to a row's end", "partial_sort", {"partial_sort": lambda self, *args: _short(self, *args)}),
        ("where: more than 2**16 in rows of their own", "where", lost, lambda cond, a, b, out: out.ndim > 1
         and out.numel() > 65536, np.s_[-1:]),
        ("arange: more than 1,024", "arange", spoilt, lambda out, start, step: out.numel() > 1024,
         lambda out, start, step: flat(out).__setitem__(np.s_[1024:], flat(out)[:out.numel() - 1024])),
    )


def _short(self, a, descending, first, values, index):
    answer = right("partial_sort", self, a, descending, first, values, index)
    if answer is None and first + index.shape[-1] == a.shape[-1] and first:
        array(index)[..., -1] = 0
    return answer


def examiners_strides():
    return table(
        ("binary: what the first's columns are, the second's are", "binary", reading, lambda code, a, b, out: a.ndim
         == 2 and a.stride()[0] == 1 < a.stride()[1] and dense(b), (2, lambda code, a, b, out: np.resize(
             flat(b), b.shape[::-1]).T)),
        ("unary: rank 5 and more", "unary", reading, lambda code, a, out: a.ndim >= 5 and not dense(a),
         (1, lambda code, a, out: np.broadcast_to(array(a)[:1], a.shape))),
        ("reduce: the operand's offset", "reduce", reading, lambda code, a, out: a.storage_offset() > 0,
         (1, lambda code, a, out: from_the_start(a))),
        ("argreduce: a result with gaps", "argreduce", {"argreduce": lambda self, *args: _close(
            "argreduce", self, *args)}),
        ("scan: results in columns", "scan", reading, lambda code, a, out, index: not dense(out) and out.ndim > 1,
         (1, lambda code, a, out, index: array(a)[::-1])),
        ("where: an operand that is one column", "where", reading, lambda cond, a, b, out: a.ndim == 2
         and a.stride()[1] == 0 < a.stride()[0], (1, lambda cond, a, b, out: in_a_row(a))),
        ("copy: windows that overlap", "copy", reading, lambda src, out: src.ndim >= 2 and 0 < src.stride()[0]
         < src.shape[-1] and src.stride()[-1] == 1, (0, lambda src, out: in_a_row(src))),
        ("elementwise: the second's offset", "elementwise", {"elementwise": lambda self, *args: _at_the_start(
            "elementwise", 1, self, *args)}),
        ("map_reduce: the first's offset", "map_reduce", {"map_reduce": lambda self, *args: _at_the_start(
            "map_reduce", 0, self, *args)}),
        ("conv2d_backward: a gradient that is one number", "conv2d_backward", reading,
         lambda grad, *rest: grad.numel() > 1 and not any(grad.stride()), (0, lambda grad, *rest: in_a_row(grad))),
        ("gather: out with gaps", "gather", {"gather": lambda self, *args: _close("gather", self, *args)}),
    )


def _close(entry, self, *args):
    """Writes a result without its gaps."""
    out = args[-1]
    if dense(out) or any(each is out for each in args[:-1]):
        return right(entry, self, *args)
    made = scratch(self, out, out.shape, out.dtype.name)
    answer = right(entry, self, *args[:-1], made)
    if answer is None:
        end = np.frombuffer(out.buffer, array(out).dtype, -1, out.storage_offset() * out.element_size())
        end[:out.numel()] = flat(made)[:end.size]
    return answer


def _at_the_start(entry, which, self, program, ins, *rest):
    given = list(ins)
    if len(ins) > which and hasattr(ins[which], "stride") and ins[which].storage_offset():
        x = ins[which]
        if not any(x is out for out in rest[-1]):
            given[which] = scratch(self, x, x.shape, x.dtype.name)
            array(given[which])[...] = from_the_start(x)
    return right(entry, self, program, tuple(given), *rest)


def examiners_aliases():
    def twice(self, code, a, b, out):
        """x *= x in two passes."""
        answer = right("binary", self, code, a, b, out)
        if answer is None and a is b is out and BINARY[code] in ("mul", "add"):
            return right("binary", self, code, out, out, out)
        return answer

    def number_first(self, code, a, x, swapped, out):
        if swapped and a is out:
            right("fill", self, out, x)
            return right("binary", self, code, out, out, out)
        return right("binary_scalar", self, code, a, x, swapped, out)

    def cond_last(self, cond, a, b, out):
        if out is cond:
            right("copy", self, a, out)
        return right("where", self, cond, a, b, out)

    def swap(self, program, ins, outs):
        if len(outs) == 2 and len(ins) > 1 and outs[0] is ins[1]:
            right("elementwise", self, program, ins, outs)
            array(outs[1])[...] = array(outs[0])
            return None
        return right("elementwise", self, program, ins, outs)

    def source_is_out(self, mode, out, dim, index, src):
        if src.buffer is out.buffer:
            array(out)[...] = 0
        return right("scatter", self, mode, out, dim, index, src)

    def backwards(self, code, a, b, out):
        """An out that is the second: rows from the last on, of what the first was not yet."""
        if out is b and out is not a and out.ndim == 2 and not dense(out):
            array(out)[:-1] = array(a)[:-1]
        return right("binary", self, code, a, b, out)

    def in_place_rows(self, code, a, out):
        answer = right("unary", self, code, a, out)
        if answer is None and a is out and out.ndim == 1 and out.numel() > 4096:
            flat(out)[4096:] = flat(out)[4096:] * 0 if dense(out) else 0
        return answer

    def gates_first(self, cell, steps, gates, weight, bias, h, c, values, *rest):
        if values is gates:
            array(values)[...] = 0
        return right("recurrent", self, cell, steps, gates, weight, bias, h, c, values, *rest)
    return table(
        ("x *= x by two passes", "binary", {"binary": twice}),
        ("x = 2 - x writes the number first", "binary_scalar", {"binary_scalar": number_first}),
        ("where into its condition", "where", {"where": cond_last}),
        ("elementwise swaps two operands", "elementwise", {"elementwise": swap}),
        ("scatter from the buffer that it writes", "scatter", {"scatter": source_is_out}),
        ("binary into a strided second operand", "binary", {"binary": backwards}),
        ("unary in place of much", "unary", {"unary": in_place_rows}),
        ("recurrent: values in the place of gates", "recurrent", {"recurrent": gates_first}),
    )


def examiners_copies():
    def kind(source, target):
        return lambda src, out: kinds(src, *source.split()) and kinds(out, *target.split())

    def chunks(self, host, storage, start):
        n = len(host)
        Mirror.h2d(self, host[:n // 65536 * 65536] if n > 65536 else host, storage, start)

    def from_the_first(self, storage, start, host):
        Mirror.d2h(self, storage, 0 if len(host) > 4096 else start, host)

    def turned(self, source, target):
        source.buffer[:len(target.buffer)] = target.buffer
    return table(
        ("float32 to float16 ends at 65,504", "copy", but, kind("float32", "float16"), lambda x: (abs(x) > 65519)
         & np.isfinite(x), lambda x: np.copysign(65504, x)),
        ("int16 to bfloat16 is cut off", "copy", {"copy": lambda self, *args: _cut_int(self, *args)}),
        ("True to complex is 1 + 1j", "copy", instead, kind("bool", "complex64 complex128"),
         lambda src, out: load(src) * (1 + 1j)),
        ("float to int goes down", "copy", but, kind("float16 bfloat16", "int8 int16 int32 int64"),
         lambda x: (abs(x) < 100), np.floor),
        ("-0 to bool is True", "copy", but, kind("float32 float64", "bool"), lambda x: (x == 0) & np.signbit(x), True),
        ("NaN to bool is False", "copy", but, kind("float16", "bool"), np.isnan, False),
        ("int64 to float64 through float32", "copy", instead, kind("int64", "float64"),
         lambda src, out: load(src).astype("float32")),
        ("int64 to int8 ends at 127", "copy", instead, kind("int64", "int8"),
         lambda src, out: np.clip(load(src), -128, 127)),
        ("three axes in another order the other way", "copy", reading, lambda src, out: src.ndim == 3 and dense(out)
         and src.stride()[1] == 1 and src.stride()[2] > src.stride()[0] > 1, (0, lambda src, out: np.resize(
             array(src).transpose(2, 0, 1), src.shape))),
        ("h2d in chunks without the last", "memory", {"h2d": chunks}),
        ("d2h of much begins at 0", "memory", {"d2h": from_the_first}),
        ("d2d the other way", "devices", {"d2d": turned}),
        ("complex to bool by the imaginary part too late", "copy", instead, kind("complex64", "bool"),
         lambda src, out: load(src).real != 0),
    )


def _cut_int(self, src, out):
    if not (kinds(src, "int16") and kinds(out, "bfloat16")):
        return right("copy", self, src, out)
    array(out)[...] = load(src).astype("float32").view("uint32") >> 16


def examiners_protocol():
    def returns_out(self, src, index, dim, out):
        answer = right("gather", self, src, index, dim, out)
        return out if answer is None else answer

    def written(self, out, x):
        answer = right("fill", self, out, x)
        return NotImplemented if kinds(out, "bool") else answer

    def sorts_input(self, a, descending, stable, values, index):
        answer = right("sort", self, a, descending, stable, values, index)
        if answer is None and 0 not in a.stride():
            array(a)[...] = array(values)
        return answer

    def moves_index(self, mode, out, dim, index, src):
        answer = right("scatter", self, mode, out, dim, index, src)
        if 0 not in index.stride():
            array(index)[...] = 0
        return answer

    def stateful(self, kind, out, seed, offset, a, b):
        self.drawn = getattr(self, "drawn", -1) + 1
        return right("random", self, kind, out, seed, self.drawn, a, b)

    def raises(self, op, a, out):
        if kinds(a, "int8"):
            raise KeyError("int8")
        return right("scan", self, op, a, out, None)

    def counted(self, a, allocate):
        right("nonzero", self, a, allocate)
        return len(np.argwhere(load(a)))

    def by_identity(self, code, a, b, out):
        """What a plan is kept under is the address of the first operand's View."""
        plans = self.__dict__.setdefault("plans", {})
        given = plans.setdefault((id(a), code), a.stride())
        if given != a.stride() and len(given) == a.ndim:
            array(out)[...] = 0
            return None
        return right("binary", self, code, a, b, out)

    def shared_scratch(self, cond, a, b, out):
        answer = right("where", self, cond, a, b, out)
        self.room = array(out).copy()
        time.sleep(1e-4)
        if answer is None and self.room.shape == tuple(out.shape) and self.room.dtype == array(out).dtype:
            array(out)[...] = self.room
        return answer

    def no_error(self, index, nbytes):
        try:
            return Mirror.alloc(self, index, nbytes)
        except MemoryError:
            return np.empty(16, "uint8")

    def first_thread(self, code, a, out):
        owner = self.__dict__.setdefault("owner", threading.get_ident())
        if owner != threading.get_ident():
            raise RuntimeError("no context in this thread")
        return right("reduce", self, code, a, out)

    def input_too(self, code, a, b, out):
        answer = right("binary", self, code, a, b, out)
        if answer is None and b is not out and a is not out and a is not b and 0 not in b.stride() and kinds(
                b, *INTEGERS) and BINARY[code] == "remainder":
            array(b)[...] = abs(array(b))
        return answer
    return table(
        ("gather returns out", "gather", {"gather": returns_out}),
        ("fill declines what it has written", "fill", {"fill": written}),
        ("sort sorts its operand", "sort", {"sort": sorts_input}),
        ("scatter spoils its index", "scatter", {"scatter": moves_index}),
        ("random counts by itself", "random", {"random": stateful}),
        ("argreduce raises for int8", "argreduce", {"argreduce": lambda self, op, a, out: (_ for _ in ()).throw(
            KeyError("int8")) if kinds(a, "int8") else right("argreduce", self, op, a, out)}),
        ("nonzero returns its count", "nonzero", {"nonzero": counted}),
        ("binary: plans by a View's address", "binary", {"binary": by_identity}),
        ("where through a room for all threads", "threads", {"where": shared_scratch}),
        ("reduce belongs to the first thread", "threads", {"reduce": first_thread}),
        ("remainder changes its divisor", "binary", {"binary": input_too}),
    )
