"""`cygrad.futures`: results that are not there yet, with PyTorch's names."""
import threading
import types

__all__ = ["Future", "collect_all", "wait_all"]


class Future:
    """
    A result that some thread will set, or has set.

    Parameters
    ----------
    devices : list, optional
        Not used: results are waited for where they are made.

    Examples
    --------
    >>> import cygrad
    >>> future = cygrad.futures.Future()
    >>> twice = future.then(lambda done: 2 * done.value())
    >>> future.set_result(21)
    >>> twice.wait()
    42
    """

    __class_getitem__ = classmethod(types.GenericAlias)     # `Future[Tensor]` in annotations

    def __init__(self, *, devices=None):
        self._set = threading.Event()
        self._lock = threading.Lock()
        self._value = self._error = self._drive = None
        self._callbacks = []

    def done(self):
        """Whether there is a result, or an error."""
        return self._set.is_set()

    def wait(self):
        """The result, once it is there; raises the error that was set instead."""
        if not self._set.is_set() and self._drive is not None:
            self._drive()           # what will set the result makes no progress by itself
        self._set.wait()
        return self.value()

    def value(self):
        """The result that is there already."""
        if not self._set.is_set():
            raise RuntimeError("Future has not been completed")
        if self._error is not None:
            raise self._error
        return self._value

    def set_result(self, result):
        """Set the result, once."""
        self._finish(result, None)

    def set_exception(self, result):
        """Let `wait` raise this exception."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    def add_done_callback(self, callback):
        """Call `callback(self)` when there is a result; at once if it is there."""
        with self._lock:
            if not self._set.is_set():
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback):
        """A Future of what `callback(self)` returns when there is a result."""
        made = Future()
        made._drive = self._drive or self.wait

        def run(done):
            try:
                made.set_result(callback(done))
            except Exception as error:
                made.set_exception(error)

        self.add_done_callback(run)
        return made

    def _finish(self, value, error):
        with self._lock:
            if self._set.is_set():
                raise RuntimeError("Future can only be marked completed once")
            self._value, self._error = value, error
            self._set.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(self)


def collect_all(futures):
    """
    A Future of the list of all these Futures.

    Parameters
    ----------
    futures : list of Future

    Returns
    -------
    Future

    Examples
    --------
    >>> import cygrad
    >>> future = cygrad.futures.Future()
    >>> both = cygrad.futures.collect_all([future])
    >>> future.set_result(1)
    >>> [each.value() for each in both.wait()]
    [1]
    """
    futures, made = list(futures), Future()
    left, lock = [len(futures)], threading.Lock()

    def one_done(_):
        with lock:
            left[0] -= 1
            last = left[0] == 0
        if last:
            made.set_result(futures)

    def drive():
        for future in futures:
            if not future.done() and future._drive is not None:
                future._drive()

    made._drive = drive
    if not futures:
        made.set_result(futures)
    for future in futures:
        future.add_done_callback(one_done)
    return made


def wait_all(futures):
    """
    The results of all these Futures; raises the first error among them.

    Parameters
    ----------
    futures : list of Future

    Returns
    -------
    list

    Examples
    --------
    >>> import cygrad
    >>> future = cygrad.futures.Future()
    >>> future.set_result(3)
    >>> cygrad.futures.wait_all([future])
    [3]
    """
    return [future.wait() for future in collect_all(futures).wait()]
