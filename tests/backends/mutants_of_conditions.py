"""Mutants that are right in every single call, and wrong under conditions: see `mutants`."""
import threading
import time

import numpy as np
from cygrad.backend import BINARY
from mirror import MEMORY, Mirror, array, load, store
from mutant import right

LARGE = 1 << 20             # elements from which on a kernel keeps the device busy


# --------------------------------------------------------- a device that is busy

class Queue(Mirror):
    """A device that does what is asked for at once, but for what comes after a large kernel: that waits for d2h."""

    KERNELS = ("fill", "copy", "unary", "binary", "where", "reduce", "matmul", "gather", "scatter", "binary_scalar",
               "sort", "scan", "softmax")

    def __init__(self):
        Mirror.__init__(self)               # these methods become those of other classes, too
        self.waiting, self.is_busy, self.doing = [], False, False

    def later(self, work):
        """Do work when its turn has come."""
        if self.is_busy and not self.doing:
            self.waiting.append(work)
        else:
            work()

    def finish(self):
        """Do all that waits."""
        if self.doing:                              # the kernel that is done now asks
            return
        self.is_busy, self.doing = False, True
        try:
            while self.waiting:
                self.waiting.pop(self.next())()
        finally:
            self.doing = False

    def next(self):
        """Which of what waits is next."""
        return 0

    def h2d(self, host, storage, start):
        self.finish()
        Mirror.h2d(self, host, storage, start)

    def d2h(self, storage, start, host):
        self.finish()
        Mirror.d2h(self, storage, start, host)

    def synchronize(self, index):
        self.finish()


def size(args):
    """Elements of the largest View."""
    return max(a.numel() for a in args if hasattr(a, "stride"))


def _queued(entry):
    def kernel(self, *args):
        if size(args) >= LARGE:
            self.is_busy = True
        self.later(lambda: right(entry, self, *args))
    return kernel


def _waits(entry):
    def kernel(self, *args):
        self.finish()
        return right(entry, self, *args)
    return kernel


for _entry, _method in vars(Mirror).items():
    if not _entry.startswith("_") and callable(_method) and (_entry == "nonzero" or _entry not in MEMORY):
        setattr(Queue, _entry, (_queued if _entry in Queue.KERNELS else _waits)(_entry))


def queued(**methods):
    """The methods of `Queue`, some replaced."""
    return {name: method for name, method in vars(Queue).items() if callable(method)} | methods


def busy():
    """What goes wrong only where kernels begin late."""
    yield "h2d passes what waits", ("order",), queued(h2d=Mirror.h2d)

    def aware(self, host, storage, start):
        """Waits where the buffer is an operand of what waits, as long as its tensor lives."""
        if storage.buffer.ctypes.data in getattr(self, "used", ()):
            self.finish()
        Mirror.h2d(self, host, storage, start)

    def pooled(self, index, nbytes):
        free = self.__dict__.setdefault("spare", {}).get(nbytes)
        return free.pop() if free else Mirror.alloc(self, index, nbytes)

    def given_back(self, index, buffer, nbytes):
        self.__dict__.setdefault("used", set()).discard(buffer.ctypes.data)
        self.__dict__.setdefault("spare", {}).setdefault(nbytes, []).append(buffer)

    def noted(entry):
        def kernel(self, *args):
            self.__dict__.setdefault("used", set()).update(
                a.buffer.ctypes.data for a in args if hasattr(a, "stride"))
            if size(args) >= LARGE:
                self.is_busy = True
            views = [(a.buffer, array(a)) if hasattr(a, "stride") else a for a in args]
            self.later(lambda: _on_arrays(entry, self, args, views))
        return kernel
    # What waits holds its arrays, not its Views, so that these go, and their memory is given out again.
    yield "memory is given out while kernels wait for it", ("order",), queued(
        h2d=aware, alloc=pooled, free=given_back, unary=noted("unary"), binary=noted("binary"))

    def shared_arguments(self, op, a, x, swapped, out):
        self.number = x
        self.later(lambda: right("binary_scalar", self, op, a, self.number, swapped, out))
    yield "the room for arguments is one for all", ("order",), queued(binary_scalar=shared_arguments)

    def shared_op(self, op, a, out):
        self.op = op
        self.later(lambda: right("unary", self, self.op, a, out))
    yield "which kernel is looked up when it runs", ("order",), queued(unary=shared_op)
    yield "the last is done first", ("order",), queued(next=lambda self: -1)

    def short(self):
        while len(self.waiting) > 1:
            self.waiting.pop(0)
        self.waiting, self.is_busy, work = [], False, self.waiting
        for each in work:
            each()
    yield "a queue that is full forgets its first", ("order",), queued(finish=short)

    def outside(self, op, a, out):
        right("reduce", self, op, a, out)
    yield "reduce is in a queue of its own", ("order",), queued(reduce=outside)


def _on_arrays(entry, self, args, views):
    """The kernel of unary or binary on the memory that its Views had when it was called."""
    scratch = [v for v in views if isinstance(v, tuple)]
    if entry == "binary" and BINARY[args[0]] == "add" and args[1].dtype.name == "float32":
        scratch[-1][1][...] = scratch[0][1] + scratch[1][1]
        return
    if entry == "unary" and args[0] == 0 and args[1].dtype.name == "float32":
        scratch[-1][1][...] = -scratch[0][1]
        return
    right(entry, self, *args)


# --------------------------------------------------------------------- threads

def crowds():
    """What goes wrong only where several threads call."""
    def through_a_field(entry):
        """The result goes through a field of the backend, while another thread may have its turn."""
        def kernel(self, *args):
            out = args[-1]
            answer = right(entry, self, *args)
            if answer is None:
                self.result = array(out).copy()
                time.sleep(2e-4)
                if self.result.shape == array(out).shape:
                    array(out)[...] = self.result
            return answer
        return {entry: kernel}
    for entry in ("reduce", "matmul", "gather", "where", "softmax", "conv2d"):
        yield f"{entry} writes through a field", ("threads",), through_a_field(entry)

    def counts(self, a, allocate):
        self.count = len(np.argwhere(load(a)))
        time.sleep(2e-4)
        found = np.argwhere(load(a))
        out = allocate(self.count)
        if self.count == len(found):
            array(out)[...] = found
    yield "nonzero keeps its count in the backend", ("threads",), {"nonzero": counts}

    def flagged(self, a, descending, stable, values, index):
        self.descending = descending
        if getattr(self, "sorting", False):
            raise RuntimeError("sort is running already")
        self.sorting = True
        try:
            time.sleep(2e-4)
            return right("sort", self, a, descending, stable, values, index)
        finally:
            self.sorting = False
    yield "sort does not let a second one in", ("threads",), {"sort": flagged}


# ---------------------------------------------------------------------- memory

def scarce():
    """What goes wrong only where there is no memory."""
    def swallowing(entry):
        def kernel(self, *args):
            try:
                self.alloc(0, 64)
            except MemoryError:
                return None
            return right(entry, self, *args)
        return {entry: kernel}
    for entry in ("reduce", "sort", "scan", "conv2d", "copy"):
        yield f"{entry} says nothing where it has no memory", ("allocations",), swallowing(entry)

    def locked(entry):
        def kernel(self, *args):
            if getattr(self, "locked", False):
                raise RuntimeError("locked")
            self.locked = True
            self.alloc(0, 64)
            self.locked = False
            return right(entry, self, *args)
        return {entry: kernel}
    for entry in ("unary", "gather"):
        yield f"{entry} stays locked when it had no memory", ("allocations",), locked(entry)

    def other_words(self, a, b, out):
        try:
            self.alloc(0, 64)
        except MemoryError:
            raise ValueError("clBuildProgram: -6") from None
        return right("matmul", self, a, b, out)
    yield "matmul says something else where it has no memory", ("allocations",), {"matmul": other_words}

    def spoiled(self, cond, a, b, out):
        try:
            self.alloc(0, 64)
        except MemoryError:
            array(a)[...] = 0
            raise
        return right("where", self, cond, a, b, out)
    yield "where leaves an input changed when it had no memory", ("allocations",), {"where": spoiled}

    def forgetful(self, op, a, out):
        """Keeps its scratch room, and takes for it what was to be had when there was none."""
        if not hasattr(self, "room"):
            self.room = None
            self.room = self.alloc(0, 64)
        if self.room is None:
            store(out, np.zeros(out.shape))
            return None
        answer = right("argreduce", self, op, a, out)
        del self.room
        return answer
    yield "argreduce gives zeros after it had no memory", ("allocations",), {"argreduce": forgetful}


# ----------------------------------------------------------- what stays from call to call

def hoarders():
    """What goes wrong only after many calls."""
    def keeps(entry, what):
        def kernel(self, *args):
            self.__dict__.setdefault("kept", []).append(what(*args))
            return right(entry, self, *args)
        return {entry: kernel}
    yield "unary notes each call", ("leaks",), keeps("unary", lambda *args: object())
    yield "sort keeps its scratch room", ("leaks",), keeps("sort", lambda a, *rest: np.ones(a.numel() * 2))
    yield "reduce keeps its partial sums", ("leaks",), keeps("reduce", lambda op, a, out: np.ones(a.numel() * 2))
    yield "gather keeps the shapes it saw", ("leaks",), keeps("gather", lambda src, *rest: [src.stride()])
    yield "matmul keeps an event of each call", ("leaks",), keeps("matmul", lambda *args: threading.Event())
    yield "random keeps its words", ("leaks",), keeps("random", lambda kind, out, *rest: np.ones(out.numel() * 2))

    def programs(self, program, ins, outs):
        self.__dict__.setdefault("compiled", {})[time.perf_counter()] = program
        return right("elementwise", self, program, ins, outs)
    yield "elementwise compiles at each call", ("leaks",), {"elementwise": programs}


# ------------------------------------------------------------- several devices

class Homes:
    """Knows the device of each buffer, as hardware does."""

    def alloc(self, index, nbytes):
        buffer = Mirror.alloc(self, index, nbytes)
        self.current = self.__dict__.setdefault("homes", {})[buffer.ctypes.data] = index
        return buffer

    def home(self, view):
        return self.homes[view.buffer.ctypes.data]


HOMES = {"alloc": Homes.alloc, "home": Homes.home}


def devices():
    """What goes wrong only on the second device, or between two."""
    def on_the_last(entry):
        """Runs on the device that memory was last taken of."""
        def kernel(self, *args):
            if self.home(args[0 if entry == "fill" else -1]) != self.current:
                return None
            return right(entry, self, *args)
        return {entry: kernel}
    for entry in ("fill", "unary", "matmul", "reduce", "softmax"):
        yield f"{entry} runs on the current device", ("devices",), on_the_last(entry) | HOMES

    def raising(self, src, index, dim, out):
        return right("gather", self, src, index, dim, out) if [True][self.home(out)] else None
    yield "gather has room for one device", ("devices",), {"gather": raising} | HOMES

    def shared_pool(self, index, nbytes):
        free = self.__dict__.setdefault("spare", {}).get(nbytes)
        return free.pop() if free else Homes.alloc(self, index, nbytes)

    def give_back(self, index, buffer, nbytes):
        self.__dict__.setdefault("spare", {}).setdefault(nbytes, []).append(buffer)

    def at_home(self, op, a, b, out):
        if len({self.home(view) for view in (a, b, out)}) > 1:      # another device's address, as hardware takes it
            array(out)[...] = 0
            return None
        return right("binary", self, op, a, b, out)
    yield "devices share freed memory", ("devices",), {
        "alloc": shared_pool, "free": give_back, "home": Homes.home, "binary": at_home}

    def one_way(self, source, target):
        if source.index > target.index:
            source, target = target, source
        target.buffer[:] = source.buffer
    yield "d2d goes from the first to the second", ("devices",), {"d2d": one_way}
    yield "memory_info of the first device alone", ("devices",), {
        "memory_info": lambda self, index: [(1, 2)][index]}
    yield "synchronize of the first device alone", ("devices",), {
        "synchronize": lambda self, index: [None][index]}

    def together(self, op, a, b, out):
        """The device of a call is a field, which another thread changes."""
        self.device = self.home(out)
        time.sleep(2e-4)
        if self.device != self.home(out):
            return None
        return right("binary", self, op, a, b, out)
    yield "the device of a call is everybody's", ("devices",), {"binary": together} | HOMES
    yield "open of the second device fails", ("devices",), {"open": lambda self, index: [None][index]}
