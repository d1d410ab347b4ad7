"""Mutants that are bad lodgers: what they keep between calls, leave half done, answer, or change in operands.

See `mutants`. Plans that are found under too short a key, words of which a half is written, answers that are not what
the contract says, locks.
"""
import threading

import numpy as np
from cygrad.backend import BINARY, SCAN
from mirror import Mirror, array
from mutant import FLOATS, kinds, reading, right, spoilt, table


def _kept(entry, key, which):
    """A kernel that keeps an argument of the first call of each key, and takes it for that of later ones."""
    def kernel(self, *args):
        plans = self.__dict__.setdefault(f"plans of {entry}", {})
        given = list(args)
        given[which] = plans.setdefault(key(*args), args[which])
        return right(entry, self, *given)
    return {entry: kernel}


def _shape(*views):
    return tuple((tuple(view.shape), view.dtype.name) for view in views)


def lodgers_plans():
    return table(
        ("a number is that of the first call of a shape", "binary_scalar", _kept(
            "binary_scalar", lambda code, a, x, swapped, out: (code, swapped, _shape(a)), 2)),
        ("which operand a number is, as in the first call", "binary_scalar", _kept(
            "binary_scalar", lambda code, a, x, swapped, out: (code, x == x and x, _shape(a)), 3)),
        ("the value of fill is that of the first call of a dtype", "fill", _kept(
            "fill", lambda out, x: (out.dtype.name, out.numel()), 1)),
        ("a stream's offset is that of the first call of a seed", "random", _kept(
            "random", lambda kind, out, seed, offset, a, b: (kind, seed, _shape(out)), 3)),
        ("a stream's range is that of the first call of a dtype", "random", _kept(
            "random", lambda kind, out, seed, offset, a, b: (kind, out.dtype.name), 5)),
        ("gather: the axis of the first call of such an index", "gather", _kept(
            "gather", lambda src, index, dim, out: (_shape(src)[0][0], _shape(index)), 2)),
        ("arange: the step of the first call of a start", "arange", _kept(
            "arange", lambda out, start, step: (out.dtype.name, start), 2)),
        ("sort: the direction of the first call of a shape", "sort", _kept(
            "sort", lambda a, descending, stable, values, index: _shape(a), 1)),
        ("softmax: log or not as in the first call of a shape", "softmax", _kept(
            "softmax", lambda a, log, out: _shape(a), 1)),
        ("layer_norm: eps of the first call of a width", "layer_norm", _kept(
            "layer_norm", lambda a, *rest: a.shape[1], 3)),
        ("attention: the scale of the first call", "attention", _kept("attention", lambda *args: 0, 5)),
        ("attention: causal as in the first call of a shape", "attention", _kept(
            "attention", lambda query, key, *rest: _shape(query, key), 4)),
        ("fft: the norm of the first call of a shape", "fft", _kept("fft", lambda a, out, *rest: _shape(a, out), 4)),
        ("nll_loss: what is ignored in the first call", "nll_loss", _kept("nll_loss", lambda *args: 0, 3)),
        ("recurrent: the steps of the first call of a shape", "recurrent", _kept(
            "recurrent", lambda cell, steps, gates, *rest: (cell, len(steps), _shape(gates)), 1)),
        ("partial_sort: where the first call of a shape begins", "partial_sort", _kept(
            "partial_sort", lambda a, descending, first, values, index: (_shape(a), tuple(values.shape)), 2)),
    )


def _halved(entry, at, when=lambda *args: True):
    """A kernel that writes 32 bits of each place."""
    def kernel(self, *args):
        index = args[at]
        before = None if index is None else array(index).copy()
        answer = right(entry, self, *args)
        if answer is None and index is not None and index.dtype.name == "int64" and when(*args):
            array(index)[...] = (before & ~0xFFFFFFFF) | (array(index) & 0xFFFFFFFF)
        return answer
    return {entry: kernel}


def lodgers_words():
    return table(
        ("argreduce writes 32 bits of a place", "argreduce", _halved("argreduce", 2)),
        ("scan writes 32 bits of a place", "scan", _halved("scan", 3)),
        ("sort writes 32 bits of a place", "sort", _halved("sort", 4)),
        ("partial_sort writes 32 bits of a place", "partial_sort", _halved("partial_sort", 4)),
        ("pool writes 32 bits of a place", "pool", _halved("pool", 4)),
        ("nll_loss writes 32 bits of a count", "nll_loss", _halved("nll_loss", 6)),
        ("copy of bytes to bool leaves them", "copy", spoilt(
            "copy", lambda src, out: kinds(src, "uint8") and kinds(out, "bool"),
            lambda src, out: array(out).view("uint8").__setitem__(..., array(src)))),
        ("fill of True is all ones", "fill", spoilt(
            "fill", lambda out, x: kinds(out, "bool") and x, lambda out, x: array(out).view("uint8").fill(255))),
        ("logical_not turns all bits", "unary", spoilt(
            "unary", lambda code, a, out: kinds(a, "bool") and a is not out and kinds(out, "bool"),
            lambda code, a, out: array(out).view("uint8").__setitem__(..., array(out).view("uint8") * 0xFE | array(
                out).view("uint8")))),
        ("reduce writes any as a word of four bytes", "reduce", {"reduce": _word}),
        ("where reads a condition's words", "where", reading(
            "where", lambda cond, a, b, out: out.numel() % 4 == 0 and cond.is_contiguous(),
            (0, lambda cond, a, b, out: array(cond).reshape(-1, 4).any(1).repeat(4).reshape(cond.shape)))),
    )


def _word(self, code, a, out):
    answer = right("reduce", self, code, a, out)
    start = out.storage_offset()
    if answer is None and kinds(out, "bool") and out.ndim == 0 and start + 4 <= out.buffer.size:
        out.buffer[start + 1:start + 4] = 0
    return answer


def lodgers_answers():
    def ignores(self, code, a, out):
        """What it does not know it leaves."""
        return right("unary", self, code, a, out) if code < 20 else None

    def raises(self, op, a, b, out):
        if BINARY[op] == "gcd":
            raise NotImplementedError("gcd")
        return right("binary", self, op, a, b, out)

    def one(self, src, index, dim, out):
        places = array(index)
        if places.min() < 0 or places.max() >= src.shape[dim]:
            return False
        return 1 if right("gather", self, src, index, dim, out) is not NotImplemented else NotImplemented

    def fraction(self, index):
        return 0.5, 1

    def turned(self, index):
        return 2 << 30, 1 << 30

    def counts(self):
        return np.float64(1)

    def locked(self, a, allocate):
        lock = self.__dict__.setdefault("lock", threading.Lock())
        if not lock.acquire(timeout=0.05):
            raise RuntimeError("nonzero waits for itself")
        try:
            return right("nonzero", self, a, allocate)
        finally:
            lock.release()

    def alloc_locked(self, index, nbytes):
        lock = self.__dict__.setdefault("lock", threading.Lock())
        if not lock.acquire(timeout=0.05):
            raise RuntimeError("alloc waits for nonzero")
        lock.release()
        return Mirror.alloc(self, index, nbytes)

    def nothing_found(self, a, allocate):
        if not array(a).any():
            return None
        return right("nonzero", self, a, allocate)

    def partly(self, program, ins, outs):
        answer = right("elementwise", self, program, ins, outs)
        return NotImplemented if len(outs) > 1 else answer

    def unknown(self, code, a, out, index):
        if SCAN[code] == "cummin":
            return False
        return right("scan", self, code, a, out, index)

    def lent(self, host, storage, start):
        """Reads the host's memory when somebody asks for it."""
        if start or len(host) != storage.nbytes():
            return Mirror.h2d(self, host, storage, start)
        self.__dict__.setdefault("lent", {})[id(storage.buffer)] = host
        Mirror.h2d(self, host, storage, start)

    def fetched(self, storage, start, host):
        whole = self.__dict__.get("lent", {}).pop(id(storage.buffer), None)
        if whole is not None and len(whole) == storage.nbytes():
            storage.buffer[:len(whole)] = whole
        Mirror.d2h(self, storage, start, host)

    def input_scaled(self, a, b, out):
        """Scales an operand in place, and back."""
        if kinds(a, *FLOATS[2:]) and a.stride()[0]:
            array(a)[...] *= 3
            answer = right("matmul", self, a, b, out)
            array(a)[...] /= 3
            array(out)[...] /= 3
            return answer
        return right("matmul", self, a, b, out)

    def second_of_a_size(self, index, nbytes):
        """The last buffer of a size is given out once more when it was freed, and when it was not."""
        pool = self.__dict__.setdefault("pool", {})
        count = self.count = self.__dict__.get("count", 0) + 1
        if count % 7 == 0 and nbytes in pool:
            return pool[nbytes]
        pool[nbytes] = Mirror.alloc(self, index, nbytes)
        return pool[nbytes]
    return table(
        ("unary leaves ops that it does not know", "unary", {"unary": ignores}),
        ("gcd raises NotImplementedError", "binary", {"binary": raises}),
        ("gather_looking answers 1", "gather_looking", {"gather_looking": one}),
        ("memory_info in parts", "memory", {"memory_info": fraction}),
        ("memory_info the other way", "memory", {"memory_info": turned}),
        ("device_count is no whole number", "memory", {"device_count": counts}),
        ("nonzero holds a lock that alloc waits for", "nonzero", {"nonzero": locked, "alloc": alloc_locked}),
        ("nonzero asks for nothing where nothing is", "nonzero", {"nonzero": nothing_found}),
        ("elementwise declines what it has written", "elementwise", {"elementwise": partly}),
        ("scan answers False for cummin", "scan", {"scan": unknown}),
        ("h2d lends the host's memory", "memory", {"h2d": lent, "d2h": fetched}),
        ("matmul scales its operand and back", "matmul", {"matmul": input_scaled}),
        ("a buffer is given out twice", ("memory", "programs"), {"alloc": second_of_a_size}),
    )
