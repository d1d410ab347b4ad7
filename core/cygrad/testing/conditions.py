"""Every entry under conditions that a single call does not have: a busy device, threads, no memory, many calls.

What is called are cases of the entries themselves, one or two of each, so that an entry that is added is among them.
"""
import gc
import sys
import threading
from contextlib import contextmanager
from functools import cache, partial

import numpy as np

import cygrad
from cygrad import errors
from cygrad.backend import BINARY, UNARY, Backend
from cygrad.testing.end_to_end import PROGRAMS, Leaves
from cygrad.testing.memory import expect, resident
from cygrad.testing.operands import dense
from cygrad.testing.runner import DECLINED, Call, Check, Key, dtypes_of, lacking, too_large

NO_KERNELS = ("memory", "d2d", "errors", "programs", "gather_looking", "scatter_looking")
WORK, PIECES = 1 << 22, 6   # what the device is given before the call that is looked at: kernels on so many elements
TRIED = 12                  # cases of an entry, among which one is looked for that the backend does not decline
COMPARED = 30               # cases whose arguments are made, to find two that differ in many
THREADS, ROUNDS = 4, 6
CALLS = 40                  # after which a leak shows


@cache
def usual(cases):
    """The cases of an entry in float32; each condition asks for them."""
    return [case for case in cases() if case.key.dtype == "float32"]


def sample(cases):
    """Some cases of an entry, spread over its ops and layouts; the plain ones first."""
    found = [case for case in cases if case.key.layout != "many rows"]
    found = [case for case in found if case.key.layout] or found
    return found[:2] + found[2::max(len(found) // TRIED, 1)]


def made(case, seed):
    """The arguments of a case for one of several calls."""
    return case.make(np.random.default_rng(seed))


def accepted(cases, backend, index):
    """The first of the cases that the backend does not decline, or None."""
    for case in sample(cases):
        args = made(case, 0)
        if lacking(backend, dtypes_of(args)) or too_large(backend, index, args):
            continue
        if Call(backend, index, case.key.entry, args, case.kernel(backend)).answer is not NotImplemented:
            return case
    return None


def right(case, call, what):
    """Raise unless a call that was read gave what it should."""
    against = "numpy" if call.backend.name == "cpu" else "cpu"
    wrong = case.differences(call.args, call, against)
    expect(not wrong, f"{what}: {case.key}: {wrong}")


# ---- a device that is busy: kernels begin late

_working = [None, None]     # (backend, index), and the function that gives it a piece of work


def _adding(backend, index):
    """A function that gives the device a piece of work, whatever it is of what the backend has; None if nothing."""
    a, out = (dense(np.ones(WORK), "float32").place(backend, index) for _ in range(2))
    for kernel in (lambda: backend.binary(BINARY.index("add"), a, a, out),
                   lambda: backend.unary(UNARY.index("exp"), a, out), lambda: backend.copy(a, out),
                   lambda: backend.fill(out, 1.0)):
        if kernel() is not NotImplemented:
            return kernel
    return None


def busy(backend, index):
    """Give the device work; False if the backend has no kernel for it."""
    if _working[0] != (backend, index):
        _working[:] = (backend, index), _adding(backend, index)
    kernel = _working[1]
    if kernel is None:
        return False
    for _ in range(PIECES):
        kernel()
    return True


def _overwrite(backend, view):
    """Write rubbish over the memory of a view."""
    rubbish = np.full(view._storage().nbytes(), 0x5A, "uint8")
    backend.h2d(memoryview(rubbish).toreadonly(), view._storage(), 0)


def _inputs(case, call):
    """(operand, view) of what is only read and is no index, whose memory no output shares."""
    written = [id(operand.memory) for operand in case.outputs(call.args)]
    return [(operand, view) for operand, view in call.views.items() if id(operand.memory) not in written]


def overwritten(entry, cases, backend, index):
    """An input is written to while the kernel has not begun."""
    case = accepted(usual(cases), backend, index)
    if case is None:
        return DECLINED
    call = Call(backend, index, entry, made(case, 1), at_once=False)
    if not busy(backend, index):
        return DECLINED
    call.do(case.kernel(backend))
    for operand, view in _inputs(case, call):
        _overwrite(backend, view)
        del call.views[operand]
    call.fetch()
    right(case, call, "on a busy device an input was written to after the call, and the kernel read that")
    return None


def freed(entry, cases, backend, index):
    """The inputs are freed, and their memory is given out and written to, while the kernel has not begun."""
    case = accepted(usual(cases), backend, index)
    if case is None:
        return DECLINED
    call = Call(backend, index, entry, made(case, 2), at_once=False)
    if not busy(backend, index):
        return DECLINED
    call.do(case.kernel(backend))
    operands = [operand for operand, _ in _inputs(case, call)]
    call.given = None
    for operand in operands:
        del call.views[operand]
    for view in [operand.place(backend, index) for operand in operands]:
        _overwrite(backend, view)
    call.fetch()
    right(case, call, "on a busy device an input was freed after the call, and its memory written to too early")
    return None


def _different(args, others):
    """How many arguments of two calls differ, operands aside."""
    return sum(a != b for a, b in zip(args, others) if not dtypes_of(a) and not dtypes_of(b))


def two_calls(entry, cases, backend, index):
    """Two calls wait, each with arguments of its own."""
    first = accepted(usual(cases), backend, index)
    if first is None:
        return DECLINED
    others, args = usual(cases), made(first, 0)
    others = sorted(others[::-(-len(others) // COMPARED)], key=lambda case: -_different(made(case, 0), args))
    second = accepted(others, backend, index) or first
    calls = [(case, Call(backend, index, entry, made(case, 3 + i), at_once=False))
             for i, case in enumerate((first, second))]
    if not busy(backend, index):
        return DECLINED
    for case, call in calls:
        call.do(case.kernel(backend))
    for case, call in calls:
        call.fetch()
        right(case, call, "two calls waited for a busy device; one got the other's arguments, or came too late")
    return None


def after_copies(entry, cases, backend, index):
    """The inputs are written by kernels that have not begun."""
    case = accepted(usual(cases), backend, index)
    if case is None:
        return DECLINED
    call = Call(backend, index, entry, made(case, 5), at_once=False)
    inputs = [(operand, view) for operand, view in _inputs(case, call) if operand.dtype == "float32"]
    wholes = [[view.as_strided((operand.memory.size,), (1,), 0) for view in (view, operand.place(backend, index))]
              for operand, view in inputs]
    for target, _ in wholes:
        _overwrite(backend, target)
    if not busy(backend, index):
        return DECLINED
    for target, source in wholes:
        if backend.copy(source, target) is NotImplemented:
            return DECLINED
    call.do(case.kernel(backend))
    call.fetch()
    right(case, call, "on a busy device the inputs were copied before the call, and the kernel did not wait for that")
    return None


def chained(backend, index):
    """Work that waits is done in order."""
    count, add = 3000, BINARY.index("add")
    a, b, c = (dense(np.full(count, x), "float32").place(backend, index) for x in (1, 2, 0))
    if not busy(backend, index) or backend.binary(add, a, b, c) is NotImplemented:      # c = 3
        return DECLINED
    backend.binary(add, c, c, a)                                                        # a = 6
    backend.binary(add, a, b, b)                                                        # b = 8
    backend.h2d(memoryview(np.full(count, 100, "float32")).cast("B").toreadonly(), c._storage(), 0)
    backend.binary(add, b, c, a)                                                        # a = 108
    found = bytearray(4 * count)
    backend.d2h(a._storage(), 0, memoryview(found))
    values = np.frombuffer(found, "float32")
    expect((values == 108).all(), f"kernels and h2d on a busy device: expected 108, found {values[values != 108][:1]}; "
                                  "all work of a device is done in the order of the calls")
    return None


def order_cases(entries):
    for entry, cases in entries.items():
        if entry not in NO_KERNELS:
            for name, check in (("overwritten", overwritten), ("freed", freed), ("two calls", two_calls),
                                ("after copies", after_copies)):
                yield Check(Key("order", entry, "", name), partial(check, entry, cases))
    yield Check(Key("order", "chain", "", ""), chained)


# ---- threads

def together(work, count=THREADS):
    """Call ``work(number)`` in several threads that take turns often; the first exception of theirs is raised.

    They begin together, so that each works while the others do.
    """
    raised, before = [], sys.getswitchinterval()
    begin = threading.Barrier(count)

    def guarded(number):
        try:
            begin.wait(60)
            work(number)
        except Exception as error:
            raised.append(error)

    workers = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    sys.setswitchinterval(1e-5)
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:
        sys.setswitchinterval(before)
    if raised:
        raise raised[0]


def threads(entry, cases, backend, index):
    """Several threads call an entry, each with operands of its own."""
    case = accepted(usual(cases), backend, index)
    if case is None:
        return DECLINED

    def work(number):
        for turn in range(ROUNDS):
            call = Call(backend, index, entry, made(case, 100 * number + turn), case.kernel(backend))
            right(case, call, f"{THREADS} threads call {entry} at once, and one gets what is not its own")
    together(work)
    return None


def thread_cases(entries):
    for entry, cases in entries.items():
        if entry not in NO_KERNELS:
            yield Check(Key("threads", entry, "", ""), partial(threads, entry, cases))


# ---- memory that runs out

@contextmanager
def failing(backend, index, number):
    """Let the number-th allocation of a ``with`` block fail; gives a function that says whether it has been asked for.

    The backend's `fail_allocation` does it, where it has one; else its `alloc` is called through one that fails.
    """
    if hasattr(backend, "fail_allocation"):
        backend.fail_allocation(index, number)
        try:
            yield lambda: backend.fail_allocation(index, 0) == 0
        finally:
            backend.fail_allocation(index, 0)
        return
    left, alloc = number, backend.alloc

    def counting(device, nbytes):
        nonlocal left
        left -= 1
        if left == 0:
            raise MemoryError("none left, says the conformance suite")
        return alloc(device, nbytes)
    backend.alloc = counting
    try:
        yield lambda: left <= 0
    finally:
        del backend.alloc


def can_fail(backend):
    """Whether `failing` works: not where memory comes from C, and nobody else can let it fail."""
    return hasattr(backend, "fail_allocation") or (
        hasattr(backend, "__dict__") and getattr(type(backend), "alloc", None) is not Backend.alloc)


def is_memory_error(error):
    """Whether an exception says that there is not enough memory."""
    return isinstance(error, (MemoryError, errors.OutOfMemoryError)) or "memory" in str(error).lower()


def each_of_a_kernel(entry, cases, backend, index):
    """A kernel that finds no memory for what it needs besides raises, changes no input, and works the next time."""
    case = accepted(usual(cases), backend, index) if can_fail(backend) else None
    if case is None:
        return DECLINED
    for turn in range(1, 100):
        call = Call(backend, index, entry, made(case, turn), at_once=False)
        with failing(backend, index, turn) as reached:
            try:
                call.do(case.kernel(backend))
                raised = None
            except Exception as error:
                raised = error
            asked = reached()
        if raised is None and call.answer is not NotImplemented:
            call.fetch()
            right(case, call, f"allocation {turn} failed, and without an error the result is wrong")
        elif raised is None or is_memory_error(raised):
            call.fetch_memory()
            call.answer = None
            wrong = call.written(case.outputs(call.args) if raised else [])
            expect(not wrong, f"when allocation {turn} failed, the kernel {wrong}")
        else:
            raise AssertionError(f"allocation {turn} failed, and another error is raised: {raised!r}") from raised
        del call
        right(case, Call(backend, index, entry, made(case, turn), case.kernel(backend)),
              f"after allocation {turn} failed, the next call is wrong")
        if not asked:
            return None
    raise AssertionError("100 allocations of one kernel failed, each in turn, and there are still more")


def each_of_a_program(name, backend, index):
    """A program goes through, or raises with nothing changed, whichever of its allocations fails."""
    if not can_fail(backend):
        return DECLINED
    where, program = cygrad.device(backend.name, index), PROGRAMS[name]
    leaves = Leaves(name, where)

    def values():
        for leaf in leaves.SHAPES:
            getattr(leaves, leaf).grad = None
        program(leaves).float().sum().backward()
        return {leaf: None if grad is None else grad.tolist() for leaf, grad in leaves.gradients().items()}
    before, expected = leaves.x.tolist(), values()
    for turn in range(1, 1000):
        with failing(backend, index, turn) as reached:
            try:
                found = values()
            except Exception as error:
                expect(is_memory_error(error),
                       f"allocation {turn} failed, and another error is raised: {error!r}")
                found = expected
            asked = reached()
        expect(found == expected, f"allocation {turn} failed, and without an error the gradients are wrong")
        expect(leaves.x.tolist() == before, f"when allocation {turn} failed, a tensor changed")
        if not asked:
            break
    expect(values() == expected, "after an allocation failed, the program gives something else")
    return None


def allocation_cases(entries):
    for entry, cases in entries.items():
        if entry not in NO_KERNELS:
            yield Check(Key("allocations", entry, "", ""), partial(each_of_a_kernel, entry, cases))
    for name in ("arithmetic", "std and norm", "sort", "mask", "index", "concatenation", "softmax", "network"):
        yield Check(Key("allocations", "program", "", name), partial(each_of_a_program, name))


# ---- what is kept from call to call

def leaks(entry, cases, backend, index):
    """A kernel gives back what it takes besides, and makes no object that stays."""
    large = [case for case in usual(cases) if case.key.layout in ("large", "long", "long rows")]
    case = accepted(large, backend, index) or accepted(usual(cases), backend, index)
    if case is None:
        return DECLINED
    args = made(case, 0)
    gc.collect()
    gc.freeze()                                 # what is here already needs no further looks

    def use(times):
        for _ in range(times):
            call = Call(backend, index, entry, args, at_once=False)
            call.do(case.kernel(backend))
            call.given = None                   # nonzero's `allocate` knows the call
        backend.synchronize(index)
        gc.collect()
    use(8)
    memory, info = resident(), backend.memory_info(index)
    for _ in range(12):                         # caches that fill up do so once: the core's, of 256 freed objects
        blocks = sys.getallocatedblocks()
        use(CALLS)
        grown = sys.getallocatedblocks() - blocks
        if grown < CALLS * 3 // 4:              # it shrinks by some, too
            break
    expect(grown < CALLS * 3 // 4, f"{entry}: after {CALLS} calls there are {grown} objects more: each keeps some")
    size = sum(operand.memory.nbytes for operand in case.outputs(args)) or 1
    least = max(CALLS * size // 2, 24 << 20)
    lost = resident() - memory
    expect(lost < least, f"{entry}: the process grew by {lost >> 20} MB in {CALLS} calls: each keeps memory")
    if info is not None and backend.name != "cpu" and not backend.host_memory:
        lost = info[0] - backend.memory_info(index)[0]
        expect(lost < least, f"{entry}: the device lost {lost >> 20} MB in {CALLS} calls: each keeps memory")
    return None


def leak_cases(entries):
    for entry, cases in entries.items():
        if entry not in NO_KERNELS:
            yield Check(Key("leaks", entry, "", ""), partial(leaks, entry, cases))
