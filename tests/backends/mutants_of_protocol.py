"""Mutants that break order, memory or the protocol, and those of entries of their own: see `mutants`."""
import threading
import time

import numpy as np
from cygrad.backend import BINARY, POOL, RANDOM, REDUCE, SCAN, SCATTER, UNARY
from mirror import Mirror, array, load, scratch, store
from mutant import FLOATS, dense, is_op, raw, right, spoiled


# --------------------------------------------------------------- rows and orders

def _last_wins(op, a, out):
    x = np.flip(load(a), -1)
    nan = np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.shape, bool)
    best = (np.argmin if op else np.argmax)(np.where(nan, np.inf if not op else -np.inf, x) if nan.any() else x, -1)
    store(out, x.shape[-1] - 1 - best)


def rows():
    """Reductions, scans and orders along rows."""
    def reduced(function, op, when=lambda a: True):
        def kernel(self, code, a, out):
            if REDUCE[code] != op or not when(a):
                return right("reduce", self, code, a, out)
            with np.errstate(all="ignore"):
                store(out, function(load(a).reshape(*out.shape, -1)))
        return {"reduce": kernel}
    floats = lambda a: a.dtype.name in FLOATS                                   # noqa: E731
    integers = lambda a: a.dtype.name.startswith("int")                         # noqa: E731
    yield "max without NaN", ("reduce",), reduced(lambda x: np.fmax.reduce(x, -1), "max", floats)
    yield "max from 0", ("reduce",), reduced(lambda x: x.max(-1, initial=0), "max", integers)
    yield "min from 0", ("reduce",), reduced(lambda x: x.min(-1, initial=0), "min", floats)
    yield "max from the largest negative number", ("reduce",), reduced(
        lambda x: np.maximum(x.max(-1), np.finfo(x.dtype).min), "max", lambda a: a.dtype.name == "float32")
    yield "prod of moduli", ("reduce",), reduced(lambda x: np.abs(x).prod(-1, dtype=x.dtype), "prod", floats)
    yield "any rounds first", ("reduce",), reduced(lambda x: (x.astype("int64") != 0).any(-1), "any", floats)
    yield "any without NaN", ("reduce",), reduced(lambda x: ((x > 0) | (x < 0)).any(-1), "any", floats)
    yield "any by the low byte", ("reduce",), reduced(lambda x: (x.astype("uint8") != 0).any(-1), "any", integers)
    yield "all of positive numbers", ("reduce",), reduced(lambda x: (x > 0).all(-1), "all", floats)
    yield "square_sum in 16 bits", ("reduce",), reduced(
        lambda x: np.square(x).astype("float16").sum(-1, dtype="float16"), "square_sum",
        lambda a: a.dtype.name == "float16")
    yield "sum loses the last of an odd row", ("reduce",), reduced(
        lambda x: x[..., :x.shape[-1] - x.shape[-1] % 2].sum(-1, dtype=x.dtype), "sum",
        lambda a: a.dtype.name == "float64")
    yield "sum of a row with stride 0 is one", ("reduce",), spoiled(
        "reduce", lambda op, a, out: store(out, load(a).reshape(*out.shape, -1)[..., 0]),
        lambda op, a, out: REDUCE[op] == "sum" and a.stride()[-1] == 0)

    yield "argmax: the last of equals", ("argreduce",), {
        "argreduce": lambda self, op, a, out: _last_wins(op, a, out)}
    yield "argmax without NaN", ("argreduce",), spoiled(
        "argreduce", lambda op, a, out: store(out, np.where(np.isnan(x := load(a)), -np.inf, x).argmax(-1)),
        lambda op, a, out: op == 0 and a.dtype.name in FLOATS)
    yield "argmin: the last NaN", ("argreduce",), spoiled(
        "argreduce", lambda op, a, out: store(out, np.where(
            np.isnan(x := load(a)).any(-1), x.shape[-1] - 1 - np.isnan(np.flip(x, -1)).argmax(-1), x.argmin(-1))),
        lambda op, a, out: op == 1 and a.dtype.name in FLOATS)

    def scanned(function, op, when=lambda a: True):
        def kernel(self, code, a, out, index):
            if SCAN[code] != op or not when(a):
                return right("scan", self, code, a, out, index)
            with np.errstate(all="ignore"):
                found = function(load(a))
            store(out, found[0] if index is not None else found)
            if index is not None:
                store(index, found[1])
        return {"scan": kernel}

    def running_max(first):
        def function(x):
            values = np.maximum.accumulate(x, -1)
            places = np.arange(x.shape[-1]) * np.ones(x.shape, int)
            new = np.concatenate([np.ones_like(x[..., :1], bool), x[..., 1:] > values[..., :-1]], -1)
            return values, np.maximum.accumulate(np.where(new, places, 0), -1)
        return function
    yield "cummax: the first of equals", ("scan",), scanned(running_max(True), "cummax", integers)
    yield "cummax without NaN", ("scan",), spoiled(
        "scan", lambda op, a, out, index: store(out, np.fmax.accumulate(load(a), -1)),
        lambda op, a, *rest: SCAN[op] == "cummax" and a.dtype.name in FLOATS)
    yield "cumsum without the element itself", ("scan",), scanned(
        lambda x: np.cumsum(x, -1) - x, "cumsum", lambda a: a.dtype.name == "int64")
    yield "cumsum in 16 bits", ("scan",), scanned(
        lambda x: np.cumsum(x.astype("float16"), -1, dtype="float16"), "cumsum", lambda a: a.dtype.name == "float16")
    yield "cumsum of uint8 in uint8", ("scan",), scanned(
        lambda x: np.cumsum(x, -1, dtype="uint8"), "cumsum", lambda a: a.dtype.name == "uint8")
    yield "cumprod of int64 by float64", ("scan",), scanned(
        lambda x: np.cumprod(x.astype(float), -1).astype("int64"), "cumprod", lambda a: a.dtype.name == "int64")

    def ordered(function, when=lambda a, descending, stable: True):
        def kernel(self, a, descending, stable, values, index):
            if not when(a, descending, stable):
                return right("sort", self, a, descending, stable, values, index)
            order = function(load(a), descending)
            store(values, np.take_along_axis(load(a), np.clip(order, 0, a.shape[-1] - 1), -1))
            array(index)[...] = order
        return {"sort": kernel}

    def unstable(x, descending):
        order = np.argsort(x, -1, kind="stable")
        return np.flip(order, -1) if descending else order
    yield "sort: equals turn round", ("sort",), ordered(unstable, lambda a, down, stable: stable)
    yield "sort: garbage in the index", ("sort",), ordered(
        lambda x, down: np.argsort(x, -1) + 2**40, lambda a, down, stable: not stable and not down)
    yield "sort: a negative index", ("sort",), ordered(
        lambda x, down: np.argsort(x, -1, kind="stable") - x.shape[-1], lambda a, down, stable: not down)
    yield "sort: NaN first", ("sort",), ordered(
        lambda x, down: np.argsort(np.where(np.isnan(x), -np.inf, x), -1, kind="stable"),
        lambda a, down, stable: not down and a.dtype.name in FLOATS)
    yield "sort of int64 by float64", ("sort",), ordered(
        lambda x, down: np.argsort(x.astype(float), -1, kind="stable"),
        lambda a, down, stable: not down and a.dtype.name == "int64")
    yield "sort of uint8 by int8", ("sort",), ordered(
        lambda x, down: np.argsort(x.astype("int8"), -1, kind="stable"),
        lambda a, down, stable: not down and a.dtype.name == "uint8")
    yield "sort: -0 before 0", ("sort",), ordered(
        lambda x, down: np.lexsort((~np.signbit(x), x), -1),
        lambda a, down, stable: not down and stable and a.dtype.name == "float32")
    yield "sort repeats an index", ("sort",), spoiled(
        "sort", lambda a, down, stable, values, index: array(index)[..., :2].__setitem__(..., 0),
        lambda a, *rest: a.shape[-1] > 2 and not rest[1])
    yield "partial_sort starts at 0", ("partial_sort",), {
        "partial_sort": lambda self, a, down, first, values, index: right("partial_sort", self, a, down, 0, values,
                                                                          index)}


def indices():
    """gather and scatter."""
    def placed(self, mode, out, dim, index, src):
        where = list(np.indices(index.shape, sparse=True))
        where[dim] = array(index)
        return tuple(where)

    def one_write(self, mode, out, dim, index, src):
        if SCATTER[mode] != "add" or out.dtype.name in ("float16", "bfloat16"):
            return right("scatter", self, mode, out, dim, index, src)
        array(out)[placed(self, mode, out, dim, index, src)] += array(src)
    yield "scatter add counts one of several", ("scatter",), {"scatter": one_write}

    def whole(self, mode, out, dim, index, src):
        if min(out.stride(), default=1) == 0 or not out.is_contiguous():
            twin = scratch(self, out, out.shape, out.dtype.name)
            array(twin)[...] = array(out)
            answer = right("scatter", self, mode, twin, dim, index, src)
            array(out)[...] = array(twin)
            return answer
        return right("scatter", self, mode, out, dim, index, src)
    yield "scatter through a copy of an out that overlaps itself", ("scatter",), {"scatter": whole}

    def first_wins(self, mode, out, dim, index, src):
        if mode:
            return right("scatter", self, mode, out, dim, index, src)
        backwards = tuple(slice(None, None, -1) for _ in index.shape)
        where = [np.ascontiguousarray(np.broadcast_to(x, index.shape)[backwards])
                 for x in placed(self, mode, out, dim, index, src)]
        array(out)[tuple(where)] = np.ascontiguousarray(array(src)[backwards])
    yield "scatter set: the first wins", ("scatter",), {"scatter": first_wins}

    def narrow_index(self, src, index, dim, out):
        twin = scratch(self, index, index.shape, "int64")
        array(twin)[...] = array(index).astype("uint8")
        return right("gather", self, src, twin, dim, out)
    yield "gather by an index of 8 bits", ("gather",), {"gather": narrow_index}
    yield "scatter max without what is there", ("scatter",), {
        "scatter": lambda self, mode, *args: right("scatter", self, 0 if SCATTER[mode] == "max" else mode, *args)}
    yield "scatter add in float16", ("scatter",), spoiled(
        "scatter", lambda mode, out, *rest: array(out).__iadd__(np.float32(0.25)),
        lambda mode, out, *rest: SCATTER[mode] == "add" and out.dtype.name == "float32")


# ------------------------------------------------------------------ networks

def networks():
    """The composed entries, where a backend has its own."""
    def kernel(entry, function, when=lambda *args: True):
        def called(self, *args):
            return function(self, *args) if when(*args) else right(entry, self, *args)
        return {entry: called}

    def softmax(self, a, log, out):
        with np.errstate(all="ignore"):
            x = np.exp(load(a))
            store(out, np.log(x / x.sum(-1, keepdims=True)) if log else x / x.sum(-1, keepdims=True))
    yield "softmax without its maximum", ("softmax",), kernel("softmax", softmax)
    yield "log_softmax for softmax", ("softmax",), kernel(
        "softmax", lambda self, a, log, out: right("softmax", self, a, False, out))
    yield "softmax_backward forgets the sum", ("softmax_backward",), kernel(
        "softmax_backward", lambda self, g, r, log, out: store(out, load(g) * load(r)), lambda g, r, log, out: not log)
    yield "layer_norm divides by n - 1", ("layer_norm",), kernel(
        "layer_norm", lambda self, a, w, b, eps, out, mean, rstd: (
            right("layer_norm", self, a, w, b, eps, out, mean, rstd),
            store(rstd, 1 / np.sqrt(load(a).astype(float).var(-1, ddof=1) + eps)))[0],
        lambda a, *rest: a.shape[1] > 1)
    yield "layer_norm forgets the bias", ("layer_norm",), kernel(
        "layer_norm", lambda self, a, w, b, *rest: right("layer_norm", self, a, w, None, *rest))
    yield "layer_norm_backward writes one gradient", ("layer_norm_backward",), kernel(
        "layer_norm_backward", lambda self, *args: right("layer_norm_backward", self, *args[:7], None),
        lambda *args: args[7] is not None and any(x is not None for x in args[5:7]))
    yield "conv2d forgets the dilation", ("conv2d",), kernel(
        "conv2d", lambda self, a, w, b, stride, padding, dilation, groups, out: (
            right("conv2d", self, a, w, b, stride, padding, dilation, groups, out), array(out).fill(0))[0],
        lambda *args: args[5] != (1, 1))
    yield "conv2d forgets the bias", ("conv2d",), kernel(
        "conv2d", lambda self, a, w, b, *rest: right("conv2d", self, a, w, None, *rest))
    yield "conv2d_backward turns the padding round", ("conv2d_backward",), kernel(
        "conv2d_backward", lambda self, *args: (right("conv2d_backward", self, *args),
                                                array(args[7])[...].__setitem__(..., array(args[7])[..., ::-1, :]))[0],
        lambda *args: args[7] is not None and args[4] != (0, 0))
    yield "pool counts what is outside", ("pool",), kernel(
        "pool", lambda self, op, a, boxes, out, index: right(
            "pool", self, op, a, tuple((*box[:3], 0) for box in boxes), out, index),
        lambda op, *rest: POOL[op] == "mean")
    yield "pool: the last of the largest", ("pool",), spoiled(
        "pool", lambda op, a, boxes, out, index: array(index).__iadd__(1), lambda op, *rest: POOL[op] == "max")
    yield "pool_backward: the last of several", ("pool_backward",), spoiled(
        "pool_backward", lambda grad, index, out: np.put_along_axis(array(out), load(index), load(grad), 1),
        lambda grad, index, out: load(index).min() >= 0 and load(index).max() < out.shape[1])
    yield "nll_loss counts what is ignored", ("nll_loss",), kernel(
        "nll_loss", lambda self, a, target, weight, ignore, *rest: right(
            "nll_loss", self, a, target, weight, -100, *rest), lambda a, target, weight, ignore, *rest: ignore != -100)
    yield "nll_loss sees nothing outside", ("nll_loss",), spoiled(
        "nll_loss", lambda *args: store(args[6], 0), lambda *args: True)
    yield "nll_loss_backward divides by the count", ("nll_loss_backward",), kernel(
        "nll_loss_backward", lambda self, grad, target, weight, *rest: right(
            "nll_loss_backward", self, grad, target, None, *rest))
    yield "ctc_loss takes all steps", ("ctc_loss",), kernel(
        "ctc_loss", lambda self, a, labels, starts, counts, steps, *rest: (
            store(other := scratch(steps), np.full(steps.shape, a.shape[0])),
            right("ctc_loss", self, a, labels, starts, counts, other, *rest))[1])
    yield "ctc_loss sees nothing outside", ("ctc_loss",), spoiled(
        "ctc_loss", lambda *args: store(args[8], 0), lambda *args: True)
    yield "ctc_loss_backward: always zero infinity", ("ctc_loss_backward",), kernel(
        "ctc_loss_backward", lambda self, *args: right("ctc_loss_backward", self, *args[:9], True, args[10]))
    yield "gather_sum forgets the weights", ("gather_sum",), kernel(
        "gather_sum", lambda self, a, index, starts, weights, out: right(
            "gather_sum", self, a, index, starts, None, out))
    yield "resample writes weights of 1", ("resample",), spoiled(
        "resample", lambda a, places, weights, out: store(out, load(a)[:, load(places)[0]]),
        lambda a, places, weights, out: weights.shape[0] == 1)
    yield "grid_sample aligns corners", ("grid_sample",), kernel(
        "grid_sample", lambda self, mode, padding, align, *rest: right("grid_sample", self, mode, padding, True, *rest))
    yield "grid_sample reflects nothing", ("grid_sample",), kernel(
        "grid_sample", lambda self, mode, padding, *rest: right("grid_sample", self, mode, min(padding, 1), *rest))
    yield "grid_sample_backward writes one gradient", ("grid_sample_backward",), kernel(
        "grid_sample_backward", lambda self, *args: right("grid_sample_backward", self, *args[:7], None),
        lambda *args: args[7] is not None and args[6] is not None)
    yield "attention ignores causal", ("attention",), kernel(
        "attention", lambda self, q, k, v, mask, causal, scale, out: right("attention", self, q, k, v, mask, False,
                                                                           scale, out))
    yield "attention ignores the mask", ("attention",), kernel(
        "attention", lambda self, q, k, v, mask, *rest: right("attention", self, q, k, v, None, *rest))
    yield "addmm reads a bias times 0", ("addmm",), spoiled(
        "addmm", lambda bias, a, b, beta, alpha, out: store(out, load(out) + beta * load(bias)),
        lambda bias, a, b, beta, alpha, out: beta == 0)
    yield "addmm forgets alpha", ("addmm",), kernel(
        "addmm", lambda self, bias, a, b, beta, alpha, out: right("addmm", self, bias, a, b, beta, 1.0, out))
    yield "random ignores the offset", ("random",), kernel(
        "random", lambda self, kind, out, seed, offset, a, b: right("random", self, kind, out, seed, 0, a, b))
    yield "random normal numbers of one kind", ("random",), kernel(
        "random", lambda self, kind, out, seed, offset, a, b: right("random", self, kind, out, seed, offset, 0.0, b),
        lambda kind, *rest: RANDOM[kind] == "normal")
    yield "elementwise rounds between steps", ("elementwise",), spoiled(
        "elementwise", lambda program, ins, outs: [store(out, load(out).astype("float16")) for out in outs][:0] or None,
        lambda program, ins, outs: outs[0].dtype.name == "float32")
    yield "map_reduce forgets its finish", ("map_reduce",), kernel(
        "map_reduce", lambda self, program, ins, ops, finish, numbers, outs: right(
            "map_reduce", self, program, ins, ops, None, (), outs),
        lambda program, ins, ops, finish, numbers, outs: finish is not None and len(ops) == len(outs))
    yield "fft ignores inverse", ("fft",), kernel(
        "fft", lambda self, a, out, axes, inverse, norm: right("fft", self, a, out, axes, False, norm),
        lambda a, out, *rest: a.dtype is out.dtype)
    yield "arange counts in float32", ("arange",), kernel(
        "arange", lambda self, out, start, step: store(out, (np.arange(out.numel(), dtype="float32") * np.float32(step)
                                                             + np.float32(start))),
        lambda out, start, step: out.dtype.name in ("float64", "int64"))


# --------------------------------------------------------------------- order

def order():
    """Work that is late, early, or of two threads at once."""
    class Late:
        def h2d(self, host, storage, start):
            self.waiting = (host, storage, start)

        def d2h(self, storage, start, host):
            if getattr(self, "waiting", None):
                Mirror.h2d(self, *self.waiting)
            Mirror.d2h(self, storage, start, host)
    yield "h2d reads the host's memory later", ("memory",), {"h2d": Late.h2d, "d2h": Late.d2h}

    def d2h_does_not_wait(self, storage, start, host):
        threading.Timer(0.002, Mirror.d2h, (self, storage, start, host)).start()
    yield "d2h returns early", ("memory",), {"d2h": d2h_does_not_wait}

    def kernel_of(entry):
        def delayed(self, *args):
            worker = threading.Thread(target=lambda: (time.sleep(0.002), right(entry, self, *args)))
            worker.start()
        return {entry: delayed}
    for entry in ("unary", "fill", "matmul"):
        yield f"{entry} runs when nobody waits", ("memory", entry), kernel_of(entry)

    def snapshot(self, op, a, b, out):
        """Inputs are read when somebody asks for a result: what was written to them since then is read, too."""
        if a.dtype.name != "float32" or BINARY[op] != "add":
            return right("binary", self, op, a, b, out)
        self.__dict__.setdefault("queue", []).append((op, a, b, out))

    def flushed(self, storage, start, host):
        queue, self.queue = getattr(self, "queue", []), []
        for each in queue:
            right("binary", self, *each)
        Mirror.d2h(self, storage, start, host)
    yield "kernels run at d2h, after later transfers", ("order",), {"binary": snapshot, "d2h": flushed}

    def shared(self, op, a, b, out):
        if a.numel() < 50 or op:
            return right("binary", self, op, a, b, out)
        self.result = out
        found = load(a) + load(b)
        time.sleep(2e-4)
        store(self.result, found)
    yield "two threads share a field", ("threads",), {"binary": shared}


# -------------------------------------------------------------------- memory

def memory():
    """Buffers and transfers."""
    def parts(self, host, storage, start):
        storage.buffer[:len(host)] = host
    yield "h2d ignores start", ("memory",), {"h2d": parts}

    def read(self, storage, start, host):
        host[:] = storage.buffer[:len(host)]
    yield "d2h ignores start", ("memory",), {"d2h": read}

    def words(self, host, storage, start):
        count = -(-len(host) // 4) * 4
        Mirror.h2d(self, memoryview(bytes(host) + bytes(count - len(host)))[:len(storage.buffer) - start], storage,
                   start)
    yield "h2d writes whole words", ("memory",), {"h2d": words}

    pool = {}

    def same(self, index, nbytes):
        return pool.setdefault(nbytes, np.empty(nbytes + 16 & ~15, "uint8"))
    yield "alloc gives a buffer twice", ("memory",), {"alloc": same}

    def small(self, index, nbytes):
        return np.empty(min(-(-max(nbytes, 1) // 16) * 16, 1 << 20), "uint8")
    yield "alloc gives a megabyte at most", ("memory",), {"alloc": small}

    kept = []

    def hoard(self, index, nbytes):
        kept.append(np.ones(nbytes + 16 & ~15, "uint8"))
        return kept[-1]
    yield "alloc keeps all buffers", ("memory",), {"alloc": hoard}

    def keeper(entry):
        def kernel(self, *args):
            self.__dict__.setdefault("seen", []).append(args[-1])
            return right(entry, self, *args)
        return {entry: kernel}
    for entry in ("unary", "matmul"):
        yield f"{entry} keeps its Views", (entry,), keeper(entry)

    def buffers(self, op, a, b, out):
        self.__dict__.setdefault("seen", []).append(a.buffer)
        return right("binary", self, op, a, b, out)
    yield "binary keeps its buffers", ("binary",), {"binary": buffers}
    yield "one address for all", ("memory",), {"address": lambda self, buffer: 4096}
    yield "memory_info turned round", ("memory",), {"memory_info": lambda self, index: (2, 1)}
    yield "memory_info of one number", ("memory",), {"memory_info": lambda self, index: 1 << 30}
    yield "synchronize answers", ("memory",), {"synchronize": lambda self, index: True}
    yield "supports answers with a word", ("memory",), {"supports": lambda self, dtype: "yes"}
    yield "no int64", ("memory",), {"supports": lambda self, dtype: dtype.name != "int64"}

    def copied(self, source, target):
        target.buffer[:len(source.buffer) // 2] = source.buffer[:len(source.buffer) // 2]
    yield "d2d copies one half", ("d2d",), {"d2d": copied}

    def d2d(self, source, target):
        return True
    yield "d2d does nothing", ("d2d",), {"d2d": d2d}


# ------------------------------------------------------------------ protocol

def protocol():
    """Answers, declines and errors."""
    def answering(entry, answer):
        def kernel(self, *args):
            right(entry, self, *args)
            return answer(*args)
        return {entry: kernel}
    answers = {"True": lambda *args: True, "its out": lambda *args: args[-1], "False": lambda *args: False,
               "NotImplementedError": lambda *args: NotImplementedError}
    for (word, answer), entry in zip(answers.items(), ("unary", "binary", "gather", "matmul")):
        yield f"{entry} returns {word}", (entry,), answering(entry, answer)

    def declining(entry, position):
        def kernel(self, *args):
            raw(args[position])[...] = 0
            return NotImplemented
        return {entry: kernel}
    for entry, position in (("unary", -1), ("binary", -1), ("reduce", -1), ("scatter", 1), ("fill", 0), ("matmul", 1),
                            ("sort", 3)):
        yield f"{entry} writes, then declines", (entry,), declining(entry, position)

    def raising(entry, error):
        def kernel(self, *args):
            raise error
        return {entry: kernel}
    yield "unary raises NotImplementedError", ("unary",), raising("unary", NotImplementedError())
    yield "copy exits", ("copy",), raising("copy", SystemExit(3))

    def early(entry):
        def kernel(self, *args):
            out = args[-1]
            found = array(out).copy()
            answer = right(entry, self, *args)
            if answer is None and out.dtype.name in FLOATS:
                with np.errstate(all="ignore"):
                    array(out)[...] = array(out) + 0 * found if out.dtype.name != "bfloat16" else array(out)
            return answer
        return {entry: kernel}
    for entry in ("unary", "matmul", "reduce"):
        yield f"{entry} reads its out", (entry,), early(entry)

    def input_changed(entry, position):
        return spoiled(entry, lambda *args: raw(args[position]).__setitem__(..., 0),
                       lambda *args: not any(args[position] is a for a in args[position + 1:]))
    for entry, position in (("unary", 1), ("binary", 2), ("reduce", 1), ("matmul", 0), ("gather", 1), ("sort", 0)):
        yield f"{entry} changes an input", (entry,), input_changed(entry, position)

    def allocating(counts):
        def kernel(self, a, allocate):
            found = np.argwhere(array(a) if a.dtype.name != "bfloat16" else load(a))
            for count in counts(len(found)):
                out = allocate(count)
                array(out)[:len(found)] = found[:count]
        return {"nonzero": kernel}
    yield "nonzero allocates too many", ("nonzero",), allocating(lambda n: [n + 3])
    yield "nonzero allocates too few", ("nonzero",), allocating(lambda n: [max(n - 1, 0)])
    yield "nonzero allocates twice", ("nonzero",), allocating(lambda n: [1, n] if n else [0, 0])
    yield "nonzero never allocates", ("nonzero",), {"nonzero": lambda self, a, allocate: None}
    yield "nonzero allocates -1", ("nonzero",), allocating(lambda n: [-1])
    yield "nonzero returns its result", ("nonzero",), {
        "nonzero": lambda self, a, allocate: (lambda out: (array(out).__setitem__(..., np.argwhere(load(a))), out)[1])(
            allocate(len(np.argwhere(load(a)))))}
    yield "nonzero in the order of columns", ("nonzero",), {
        "nonzero": lambda self, a, allocate: (lambda found: array(allocate(len(found))).__setitem__(
            ..., found[np.lexsort(tuple(found.T))]))(np.argwhere(load(a)))}

    def no_error(self, op, a, b, out):
        if BINARY[op] not in ("floor_divide", "remainder") or a.dtype.is_floating_point:
            return right("binary", self, op, a, b, out)
        y = array(b)
        twin = scratch(self, b, b.shape, b.dtype.name)
        array(twin)[...] = np.where(y == 0, 1, y)
        return right("binary", self, op, a, twin, out)
    yield "division by zero raises nothing", ("errors",), {"binary": no_error}

    def counting(self):
        self.calls = getattr(self, "calls", 0) + 1
        return self.calls
    yield "device_count counts calls", ("memory",), {"device_count": counting}
    yield "device_count of text", ("memory",), {"device_count": lambda self: "1"}
    yield "gather is off by one once", ("gather",), spoiled(
        "gather", lambda src, index, dim, out: raw(out).reshape(-1)[-1:].__iadd__(1),
        lambda src, index, dim, out: src.dtype.name == "int16" and dense(out))
    yield "unary of one dtype alone is wrong", ("unary",), spoiled(
        "unary", lambda op, a, out: raw(out).__iadd__(1), lambda op, a, out: (
            UNARY[op] == "tan" and a.dtype.name == "complex128"))
    yield "binary wrong where one layout meets one op", ("binary",), spoiled(
        "binary", lambda op, a, b, out: raw(out).__iadd__(1),
        lambda op, a, b, out: is_op(BINARY, "atan2")(op, a) and not a.is_contiguous())
