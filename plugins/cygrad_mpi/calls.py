"""Calls in progress. A call is a generator: it starts MPI's nonblocking operations and yields while they are not done.

Who waits for a call, or else the thread in the background, takes the first call of its group's queue a step further. So
nothing in here blocks, every wait ends at a deadline, and a call that is waited for at once needs no other thread.
"""
import time
from collections import deque

from cygrad.distributed import DistBackendError, Work
from cygrad_mpi import runtime

__all__ = ["Disagreement", "MPIWork", "Queue"]

LOOK = 0.02         # seconds between looks at whether the other ranks are still there
GRACE = 0.25        # seconds that what a rank sent before it left may take to arrive


class Disagreement(DistBackendError):
    """Ranks made different calls; all of them know it, so the group goes on."""


class MPIWork(Work):
    """
    A call: its place in a queue, and how far it is.

    Parameters
    ----------
    group : MPIProcessGroup
    call : str
    steps : callable
        Given the Work, a generator that yields while it waits, and ends when the call has ended. It yields what can
        sleep until there is more to do (`sleep(seconds)`), or None where MPI has to be asked.
    awaited : callable
        The ranks (in the group) that it still waits for.
    alone : bool
        Not in the queue: sends and receives, which don't keep the order of collectives.
    """

    def __init__(self, group, call, steps, awaited, alone=False):
        super().__init__(call)
        self.group, self.steps, self.awaited, self.alone = group, steps(self), awaited, alone
        self.deadline = self.waits_for = None
        self.looked = self.absent_since = None

    def progress(self, seconds):
        self.group.drive(self, seconds)

    def background(self):
        if not self._done:
            runtime.run_in_background(self)

    def step(self):
        """Go on; True if the call has ended."""
        now = time.monotonic()
        if self.deadline is None:
            self.deadline = now + self.group.timeout.total_seconds()
            self.looked = now
            self.group.board.write(runtime.RUNNING, self.call)
        try:
            self.waits_for = next(self.steps)
            if now - self.looked > LOOK:
                self.looked = now
                self._look_around(now)
            return False
        except StopIteration:
            error = None
        except DistBackendError as failure:
            error = failure
        except Exception as failure:
            error = DistBackendError(f"{self.call} failed on {self.group.me()}: {failure}")
            error.__cause__ = failure
        self.group.board.write(runtime.RUNNING, "")
        self.close(error)
        return True

    def close(self, error):
        """The call is at its end."""
        if error is not None and not isinstance(error, Disagreement):
            self.group.abandoned.append(self.steps)     # MPI may still write into its tensors
            if not self.alone:
                self.group.broken = error
                self.group.failed(error)
        self.finish(error)

    def _look_around(self, now):
        """Raise if the call can't end any more: a rank is gone, or time is over."""
        missing = self.awaited()
        reasons = {rank: self.group.board.gone(self.group.ranks[rank]) for rank in missing}
        gone = {rank: reason for rank, reason in reasons.items() if reason}
        if gone and (not self.alone or len(gone) == len(missing)):
            self.absent_since = self.absent_since or now
            if now - self.absent_since > GRACE:
                raise DistBackendError(f"{self.call} can't end on {self.group.me()}: {self.group.tell(gone)}")
        if now > self.deadline:
            self.time_out(self.group.timeout.total_seconds())

    def time_out(self, seconds):
        """Raise that the call took longer than it may."""
        if self.alone:
            try:
                self.steps.throw(TimeoutError())        # lets a receive be cancelled
            except StopIteration:
                pass
        missing = self.awaited()
        names = {rank: self.group.board.doing(self.group.ranks[rank]) for rank in missing}
        why = self.group.tell(names) if names else "all ranks have begun it"
        raise DistBackendError(f"{self.call}: Timed out after {seconds:g} s on {self.group.me()}: {why}")


class Queue:
    """The calls of a group; its part of MPIProcessGroup that is about time."""

    def __init__(self):
        self.pending = deque()      # collectives, in order
        self.loose = []             # sends and receives
        self.abandoned = []         # what MPI may still use
        self.broken = None          # the error after which collectives are refused
        self.driven = 0             # threads that wait for a call, and take the group's calls further

    def failed(self, error):
        """The group can't be used any more: what other libraries hold for it is given back here."""

    def submit(self, call, steps, awaited, alone=False):
        """A Work of a new call."""
        work = MPIWork(self, call, steps, awaited, alone)
        self.broken = self.broken or runtime.stuck()
        if self.broken is not None and (not alone or runtime.stuck()):
            work.finish(self._refusal(call))
            return work
        with runtime.lock:
            (self.loose if alone else self.pending).append(work)
            if alone:
                self.step()         # a send or a receive begins at once
        return work

    def step(self):
        """Take the calls of the group further; whether one has ended."""
        moved = False
        for work in list(self.loose):
            if work in self.loose and work.step():
                self.loose.remove(work)
                moved = True
        while self.pending:
            work = self.pending[0]
            if not work.step():
                break
            if self.pending and self.pending[0] is work:
                self.pending.popleft()
            moved = True
            if self.broken is not None:
                self._refuse_pending()
        return moved

    def _refuse_pending(self):
        while self.pending:
            work = self.pending.popleft()
            work.finish(self._refusal(work.call))

    def _refusal(self, call):
        return DistBackendError(f"{call}: the group can't be used since an earlier call failed: {self.broken}")

    def drive(self, work, seconds):
        """Bring a call to its end, or as far as it comes within so many seconds."""
        with runtime.lock:
            self.driven += 1
        try:
            self._drive(work, seconds)
        finally:
            with runtime.lock:
                self.driven -= 1

    def _drive(self, work, seconds):
        until = None if seconds is None else time.monotonic() + seconds
        turn = 0
        while True:
            if runtime.stuck():
                work.finish(self._refusal(work.call))
                return
            with runtime.lock:
                moved = self.step()
                if work._done:
                    return
                if seconds and time.monotonic() > until:
                    self._give_up(work, seconds)
                    return
                # What the first call waits for, where nothing else needs MPI meanwhile.
                first = self.pending[0].waits_for if self.pending and not self.loose else None
            if seconds == 0:
                return
            turn = 0 if moved else turn + 1
            if first is None:
                runtime.pause(turn)
            else:
                first.sleep(LOOK if until is None else max(0.0, min(LOOK, until - time.monotonic())))

    def _give_up(self, work, seconds):
        """A caller's own timeout is over."""
        try:
            work.time_out(seconds)
        except DistBackendError as error:
            (self.loose if work.alone else self.pending).remove(work)
            work.close(error)
            if not work.alone:
                self._refuse_pending()
