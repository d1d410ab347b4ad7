"""`Work`: a collective that may still be running, as `async_op=True` returns it."""
import threading

import cygrad
from cygrad.futures import Future

__all__ = ["AllOf", "Work", "finished"]

_lock = threading.Lock()        # between a call that ends and what is still added to it


class Work:
    """
    Base of what process groups return: a call in progress. A plug-in overrides `progress` and calls `finish`.

    Attributes
    ----------
    call : str
        What it is, for messages: ``all_reduce(SUM, float32, [4])``.
    timeout : timedelta or None
        Of this call, where it is not the group's.
    source : int or None
        Of a receive that is finished: the rank in the group that sent.
    """

    def __init__(self, call):
        self.call = call
        self.source = self.timeout = None
        self.error = None
        self.outputs = []
        self._done = False
        self._after = []

    # ------------------------------------------------------------ for plug-ins

    def progress(self, seconds):
        """Bring the call to its end, waiting at most so long (None: as long as the group's timeout says)."""
        raise NotImplementedError

    def background(self):
        """Nobody waits for the call now: from here on it goes on by itself."""

    def finish(self, error=None):
        """The call is at its end, with an error or without. What was to be done after it is done here."""
        self.error = error
        with cygrad.no_grad():
            while self._has_step():
                try:
                    self._after.pop(0)(self)
                except Exception as failure:
                    self.error = failure
        if (future := self.__dict__.get("_future")) is not None and not future.done():
            self._settle(future)

    def _has_step(self):
        """Whether something is left to do; else the call has ended here and now."""
        with _lock:
            if self.error is not None:
                self._after = []
            self._done = not self._after
            return not self._done

    def after(self, step):
        """Call `step(work)` when the call has ended well; before it counts as completed."""
        with _lock:
            if not self._done:
                self._after.append(step)
                return self
        if self.error is None:
            with cygrad.no_grad():
                step(self)
        return self

    # ------------------------------------------------------------ for users

    def is_completed(self):
        """Whether the call has ended, with an error or without."""
        if not self._done:
            self.progress(0)
        return self._done

    def is_success(self):
        """Whether the call has ended without an error."""
        return self.is_completed() and self.error is None

    def exception(self):
        """The error with which the call ended, or None."""
        return self.error

    def wait(self, timeout=None):
        """
        Wait until the call has ended.

        Parameters
        ----------
        timeout : timedelta, optional
            How long to wait for it; otherwise the call's own timeout, or the group's.

        Returns
        -------
        bool
            True.

        Raises
        ------
        DistBackendError
            If a rank died, left, came too late or called something else; the text names the rank and the call.
        """
        if not self._done:
            timeout = timeout or self.timeout
            seconds = timeout.total_seconds() if timeout else None
            self.progress(seconds)
        if self.error is not None:
            raise self.error
        return True

    synchronize = wait

    def result(self):
        """The tensors that the call wrote."""
        return list(self.outputs)

    def source_rank(self):
        """The rank in the group that sent what was received."""
        if self.source is None:
            raise RuntimeError("sourceRank() may only be called on work objects that correspond to a recv or "
                               "recv-from-any call.")
        return self.source

    _source_rank = source_rank

    def get_future(self):
        """A Future of the list of tensors that the call writes."""
        if "_future" not in self.__dict__:
            self._future = Future()
            self._future._drive = self._wait_quietly
            if self._done:
                self._settle(self._future)
        return self._future

    def _settle(self, future):
        if self.error is None:
            future.set_result(list(self.outputs))
        else:
            future.set_exception(self.error)

    def _wait_quietly(self):
        try:
            self.wait()
        except Exception:
            pass                # the Future has the error

    def __repr__(self):
        return f"<Work {self.call}{'' if self._done else ', running'}>"


class AllOf(Work):
    """Several calls of one group as one, which has ended when all have."""

    def __init__(self, works):
        super().__init__(works[-1].call if works else "no call")
        self.works = works
        if not works:
            self.finish()

    def progress(self, seconds):
        for work in self.works:
            if not work._done:
                work.progress(seconds)
        if all(work._done for work in self.works):
            self.finish(next((work.error for work in self.works if work.error is not None), None))


def finished(call):
    """A Work that has ended already."""
    work = Work(call)
    work._done = True
    return work
