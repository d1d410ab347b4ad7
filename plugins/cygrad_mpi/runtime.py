"""MPI in this process: how it begins within a timeout, who makes progress in the background, and how it ends.

MPI's own end waits for all processes, so it is reached only when none of them failed; else a process leaves without it,
after the others have had time to read on the board why.
"""
import array
import atexit
import os
import signal
import sys
import threading
import time
from contextlib import nullcontext

import mpi4py

mpi4py.rc.initialize = False        # in `begin`, where it can be given up
mpi4py.rc.finalize = False          # in `end`, where it does not wait for the dead

from mpi4py import MPI  # noqa: E402  (after the two lines above)

from cygrad.distributed import DistBackendError  # noqa: E402
from cygrad_mpi.rank_states import FAILED, LEAVING, LEFT, RUNNING, Board  # noqa: E402

__all__ = ["MPI", "begin", "board", "bounded", "crowded", "lock", "pause", "run_in_background", "stuck", "waiting"]

LINGER = 3.0        # seconds that a failed process stays, for others to read why
SPINS = 200         # turns before a wait begins to sleep, where each rank has a processor: some tenths of a millisecond
SPINS_CROWDED = 10  # where there are more ranks than processors: who spins there keeps off the one it waits for

lock = threading.RLock()        # around every call of MPI: no library need take calls of several threads at once


class _State:
    """What this process has of MPI."""

    board = None
    farewell = None         # a communicator for the last barrier
    spins = SPINS_CROWDED
    failed = ""             # why this process is at fault
    stuck = None            # the error after which a thread is in a call of MPI that does not end
    pid = 0


def board():
    """The board of this host, once `begin` has made it."""
    return _State.board


# ---------------------------------------------------------------------- beginning

def begin(rank, world_size, timeout):
    """A communicator of all processes, with their ranks as they were asked for (-1: as MPI numbers them)."""
    seconds = timeout.total_seconds()
    initialise(seconds)
    world = MPI.COMM_WORLD
    if world_size not in (-1, world.size):
        raise DistBackendError(
            f"WORLD_SIZE is {world_size}, but MPI has started {world.size} process{'es' * (world.size > 1)} together: "
            f"start the program with `mpiexec -n {world_size} python script.py` or `python -m cygrad.distributed.run "
            f"--nproc-per-node {world_size} script.py`")
    wait = waiting(seconds, f"init_process_group(): not all of {world.size} processes came within {seconds:g} s")
    with lock:
        together = world.Ibarrier()
    wait(together)
    comm = numbered(world, rank, wait, seconds)
    if rank not in (-1, comm.rank):
        raise DistBackendError(f"init_process_group(): two processes have the rank {rank}, or ranks are left out")
    board_ = Board(comm, MPI, wait)
    farewell = twin(world, wait) if _State.farewell is None else _State.farewell
    _State.board = board_
    _State.spins = SPINS if len(board_.here) <= processors() else SPINS_CROWDED
    _outlive_signals()
    if _State.farewell is None:
        _State.farewell, _State.pid = farewell, os.getpid()
        atexit.register(end)
        _notice_exceptions()
    return comm


def waiting(seconds, words):
    """A function that waits for requests, all together at most so long, and then raises DistBackendError of these
    words."""
    until = time.monotonic() + seconds

    def wait(request):
        turn = 0
        while not tested(request):
            if time.monotonic() > until:
                raise DistBackendError(words)
            pause(turn)
            turn += 1

    return wait


def tested(request):
    """Whether an operation of MPI has ended."""
    with lock:
        return request.Test()


def numbered(world, rank, wait, seconds):
    """A communicator of all processes with the ranks that they ask for. It blocks only where these are not MPI's: who
    blocks in MPI spins, and yields its processor for milliseconds where others want it."""
    wish, wishes = array.array("q", [world.rank if rank == -1 else rank]), array.array("q", bytes(8 * world.size))
    with lock:
        request = world.Iallgather([wish, MPI.INT64_T], [wishes, 1, MPI.INT64_T])
    wait(request)
    if list(wishes) == list(range(world.size)):
        return twin(world, wait)
    return bounded(lambda: world.Split(0, wish[0]), seconds, "init_process_group()", lambda: None)


def twin(comm, wait):
    """Another communicator of the same processes."""
    with lock:
        made, request = comm.Idup()
    wait(request)
    return made


def initialise(seconds):
    """MPI's own beginning, which waits for all processes, in a thread that can be left behind."""
    if MPI.Is_initialized():
        return
    errors = []

    def run():
        try:
            MPI.Init_thread(MPI.THREAD_SERIALIZED)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise DistBackendError(f"MPI has not begun within {seconds:g} s: some processes have not called "
                               "init_process_group")
    if errors:
        raise DistBackendError(f"MPI does not begin: {errors[0]}") from errors[0]


def bounded(call, seconds, name, gone, of_mpi=True):
    """
    What a call of MPI gives that waits for other ranks and has no form that doesn't block.

    Parameters
    ----------
    call : callable
    seconds : float
        How long it may take.
    name : str
        For messages.
    gone : callable
        Why it can't end any more, or None.
    of_mpi : bool
        False for a call of another library, which this thread may ask for in the midst of MPI's calls.

    Raises
    ------
    DistBackendError
        If it does not end. A thread is left in it then; if it is MPI's, MPI can't be called any more in this process.
    """
    done, outcome = threading.Event(), []
    given_up = left_behind if of_mpi else DistBackendError

    def run():
        with lock if of_mpi else nullcontext():
            try:
                outcome.append((call(), None))
            except Exception as error:
                outcome.append((None, error))
        done.set()

    threading.Thread(target=run, daemon=True, name="cygrad-mpi-waits").start()
    until = time.monotonic() + seconds
    while not done.wait(0.02):
        why = gone()
        if why is not None and not done.wait(0.25):
            raise given_up(f"{name} can't end: {why}")
        if time.monotonic() > until:
            raise given_up(f"{name}: Timed out after {seconds:g} s: other ranks have not come")
    value, error = outcome[0]
    if error is not None:
        raise DistBackendError(f"{name} failed: {error}") from error
    return value


def left_behind(text):
    """The error of a call that a thread is left in."""
    _State.stuck = DistBackendError(text)
    return _State.stuck


def stuck():
    """The error after which MPI can't be called any more, or None."""
    return _State.stuck


def _outlive_signals():
    """Not die of the signal with which MPICH's launcher says that another process has died."""
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "SIGUSR1") \
            and signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)


def _notice_exceptions():
    """Tell the other ranks when an exception ends this process, once its traceback is out."""
    before = sys.excepthook

    def hook(kind, error, trace):
        before(kind, error, trace)
        fail(f"{kind.__name__}: {error}")

    hook.names_rank = getattr(before, "names_rank", False)
    sys.excepthook = hook


def fail(reason):
    """Let the other ranks know that this one has come to its end."""
    _State.failed = _State.failed or reason.partition("\n")[0]
    _State.board.write(FAILED, _State.failed)


# ---------------------------------------------------------------------- waiting

def processors():
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def crowded():
    """Whether there are more ranks on this host than processors."""
    return _State.spins == SPINS_CROWDED


def pause(turn):
    """Wait a little; longer the more turns were in vain. On a busy machine who sleeps goes on sooner than who spins or
    yields: the others' turns are then milliseconds long."""
    if turn >= _State.spins:
        time.sleep(0.00001 if turn < 1000 else 0.0005)


class _Background:
    """The thread that makes progress while nobody waits; there is none until a call needs it."""

    def __init__(self):
        self.work, self.wake, self.thread = [], threading.Event(), None

    def add(self, work):
        self.work.append(work)
        if self.thread is None:
            self.thread = threading.Thread(target=self.run, name="cygrad-mpi", daemon=True)
            self.thread.start()
        self.wake.set()

    def run(self):
        turn = 0
        while True:
            if not self.work:
                self.wake.wait()
                self.wake.clear()
                turn = 0
                continue
            moved = False
            for work in list(self.work):
                if not work.group.driven:       # else two threads would take turns at the interpreter's lock
                    with lock:
                        moved |= work.group.step()
                if work._done:
                    self.work.remove(work)
            turn = 0 if moved else turn + 1
            time.sleep(0.0001 if turn < 1000 else 0.001)


_background = _Background()


def run_in_background(work):
    """Bring this call to its end by another thread, unless somebody waits for it sooner."""
    _background.add(work)


# ---------------------------------------------------------------------- end

def end():
    """At the program's end: wait for the other ranks, unless one has failed; then leave without MPI's own end."""
    if os.getpid() != _State.pid or MPI.Is_finalized():
        return
    for work in list(_background.work):
        work._wait_quietly()
    if _State.stuck is not None:
        _State.failed = _State.failed or str(_State.stuck)
    if _State.failed:
        _linger()
    elif _farewell():
        MPI.Finalize()


def _farewell():
    """Whether all ranks have come to their ends well."""
    board, turn = _State.board, 0
    board.write(LEAVING, "")
    with lock:
        request = _State.farewell.Ibarrier()
    while True:
        with lock:
            if request.Test():
                return True
        if turn % 64 == 63 and any(board.read(rank)[0] == FAILED or board.read(rank)[0] == RUNNING and board.gone(rank)
                                   for rank in board.here):
            board.write(LEFT, "")
            return False
        turn += 1
        time.sleep(0.0005 if turn < 200 else 0.005)


def _linger():
    board, until = _State.board, time.monotonic() + LINGER
    board.write(FAILED, _State.failed)
    while time.monotonic() < until and not all(map(board.ended, board.here)):
        time.sleep(0.01)
