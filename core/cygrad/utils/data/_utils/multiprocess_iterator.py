"""The iterator of a `DataLoader` with worker processes.

Each worker has a socket of its own. Batches to load go to the workers in turn; which worker loads which does not depend
on how fast they are, so neither do the samples. A worker that ends closes its end of the socket, which is how its death
is noticed; the main process closes its ends to make the workers stop.
"""
import multiprocessing
import os
import pickle
import select
import signal
import socket
import sys
import time
import warnings
import weakref
from multiprocessing.util import register_after_fork

import cygrad.multiprocessing  # noqa: F401  (lets new processes have the dataset's tensors)
from cygrad.utils.data._utils import messages
from cygrad.utils.data._utils.exception_wrapper import ExceptionWrapper
from cygrad.utils.data._utils.single_process_iterator import _BaseDataLoaderIter
from cygrad.utils.data._utils.link import Link
from cygrad.utils.data._utils.pin_memory import pin_memory
from cygrad.utils.data._utils.segments import Borrower
from cygrad.utils.data._utils.worker_loop import CHECK_INTERVAL, FETCH, RESUME, EndOfStream, Job, work

_borrowers = weakref.WeakSet()


def _before_fork():
    for borrower in list(_borrowers):
        borrower.lose()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork)


class _Worker:
    """A worker process, seen from the main process.

    Attributes
    ----------
    process : multiprocessing.Process
    active : bool
        Whether it has batches to give in this pass.
    gone : bool
        Whether it was let go, or has ended.
    tasks : int
        How many batches it has been asked for that were not given out yet.
    """

    def __init__(self, context, job):
        ours, theirs = socket.socketpair()
        self.link = Link(ours)
        register_after_fork(self.link, Link.close)      # processes that are forked later must not keep it open
        self.process = context.Process(target=work, args=(job, theirs), daemon=True)
        try:
            self.process.start()
        except BaseException:
            self.link.end()
            raise
        finally:
            theirs.close()
        self.borrower = Borrower()
        _borrowers.add(self.borrower)
        self.active = True
        self.gone = False
        self.tasks = 0

    def ask(self, what, tag=None, index=None):
        """Give it something to do. Returns whether all of the message is sent."""
        return self.link.post(pickle.dumps((what, tag, index, *self.borrower.returned())))

    def fate(self):
        """Why the process has ended, in words."""
        self.process.join(timeout=CHECK_INTERVAL)
        pid, code = self.process.pid, self.process.exitcode
        if code is not None and code < 0:
            return f"DataLoader worker (pid {pid}) is killed by signal: {signal.strsignal(-code)}. "
        return (f"DataLoader worker (pid(s) {pid}) exited unexpectedly with exit code {code}. Details are lost due to "
                "multiprocessing. Rerunning with num_workers=0 may give better error trace.")


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Batches that worker processes load in advance."""

    _started = ()

    def __init__(self, loader):
        super().__init__(loader)
        self._prefetch_factor = loader.prefetch_factor
        self._in_order = loader.in_order
        if self._num_workers <= 0:
            raise AssertionError("num_workers must be greater than 0 for MultiProcessingDataLoaderIter")
        if self._prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        self._process = os.getpid()
        self._pass = 0
        self._poll = select.poll()
        self._by_file = {}
        self._started = []
        self._start(loader)
        self._begin()

    @property
    def _workers(self):
        return [worker.process for worker in self._started]

    def _start(self, loader):
        context = loader.multiprocessing_context or multiprocessing.get_context()
        for number in range(self._num_workers):
            job = Job(self._dataset_kind, self._dataset, self._auto_collation, self._collate_fn, self._drop_last,
                      self._base_seed, loader.worker_init_fn, number, self._num_workers)
            try:
                worker = _Worker(context, job)
            except (TypeError, AttributeError, pickle.PicklingError):
                warnings.warn("Got pickle error when attempting to start a worker Process. This might be because the "
                              "worker Process arguments are not picklable. Python 3.14+ changed the multiprocessing "
                              "start method in non-Mac POSIX platforms to 'forkserver', which requires the worker "
                              "Process arguments to be picklable. You can also try "
                              "multiprocessing.set_start_method('fork').", stacklevel=6)
                raise
            self._started.append(worker)
            self._by_file[worker.link.fileno()] = worker
            self._poll.register(worker.link, select.POLLIN)

    def _reset(self, loader, first_iter=False):
        super()._reset(loader, first_iter)
        self._pass += 1
        for worker in self._started:
            worker.active, worker.tasks = True, 0
        self._fail([worker for worker in self._started if worker.gone])
        for worker in self._started:
            self._ask(worker, RESUME)
        self._begin()

    def _ask(self, worker, *task):
        if not worker.ask(*task):
            self._poll.modify(worker.link, select.POLLIN | select.POLLOUT)

    def _begin(self):
        """Ask for the first batches of a pass."""
        self._count = 0             # batches asked for
        self._turn = 0              # number of the worker whose turn it is
        self._tasks = {}            # number of a batch -> its worker, of those that were not given out yet
        self._loaded = {}           # number of a batch -> batch
        for _ in range(self._prefetch_factor * self._num_workers):
            self._ask_for_next()

    def _ask_for_next(self):
        """Let the worker whose turn it is load the next batch."""
        worker = self._next_worker()
        if worker is None:
            return
        try:
            index = self._next_index()
        except StopIteration:
            return
        self._turn = (self._started.index(worker) + 1) % self._num_workers
        self._ask(worker, FETCH, (self._pass, self._count), index)
        worker.tasks += 1
        self._tasks[self._count] = worker
        self._count += 1

    def _next_worker(self):
        """The next worker that has batches to give; where they may come in any order, one that has less to do."""
        active = sum(worker.active for worker in self._started)
        for worker in self._started[self._turn:] + self._started[:self._turn]:
            if worker.active and (self._in_order
                                  or worker.tasks < self._prefetch_factor * self._num_workers // active):
                return worker
        return None

    def _next_data(self):
        while True:
            number = self._next_number()
            if number is None:
                if not self._persistent_workers:
                    self._shutdown_workers()
                raise StopIteration
            if number in self._loaded:
                return self._given_out(number)
            self._receive()

    def _next_number(self):
        """Number of the batch to give out next, loaded or not; None if there are no more."""
        for number, worker in list(self._tasks.items()):
            if number in self._loaded or worker.active:
                if self._in_order:
                    return number
            else:
                del self._tasks[number]         # its worker has no more
        return next(iter(self._loaded or self._tasks), None)

    def _given_out(self, number):
        data = self._loaded.pop(number)
        self._tasks.pop(number).tasks -= 1
        self._ask_for_next()
        if isinstance(data, ExceptionWrapper):
            data.reraise()
        return pin_memory(data) if self._pin_memory else data

    def _receive(self):
        """Wait until at least one worker has sent something, and take it in."""
        limit = self._timeout or CHECK_INTERVAL
        deadline = time.monotonic() + limit
        while True:
            ready = self._poll.poll(max(0, deadline - time.monotonic()) * 1000)
            if not ready:
                if self._timeout:
                    raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
                self._fail([worker for worker in self._started if worker.active and not worker.process.is_alive()])
                deadline = time.monotonic() + limit
            ended = [self._by_file[file] for file, event in ready if not self._exchange(self._by_file[file], event)]
            arrived = any([self._sort(worker) for worker in list(self._by_file.values())])
            self._fail(ended)
            if arrived:
                return

    def _exchange(self, worker, event):
        """Send and read what a worker is ready for. Returns False if it has ended."""
        if event & select.POLLOUT and worker.link.flush():
            self._poll.modify(worker.link, select.POLLIN)
        return not event & ~select.POLLOUT or worker.link.read()

    def _sort(self, worker):
        """Put batches of a worker where they belong. Returns whether there were any."""
        found = False
        while (message := worker.link.message()) is not None:
            (number_of_pass, number), load = messages.receive(message, worker.borrower)
            if number_of_pass != self._pass:
                continue
            found = True
            data = load()
            if isinstance(data, EndOfStream):
                del self._tasks[number]
                worker.active = False
                if not self._persistent_workers:
                    self._let_go(worker)
                self._ask_for_next()
            else:
                self._loaded[number] = data
        return found

    def _let_go(self, worker):
        """Let a worker end."""
        if not worker.gone:
            worker.gone = True
            self._poll.unregister(worker.link)
            del self._by_file[worker.link.fileno()]
            worker.link.end()

    def _fail(self, ended):
        """Note that workers have ended; raise if they should not have."""
        for worker in ended:
            self._let_go(worker)
        ended = [worker for worker in ended if worker.active]
        if ended:
            for worker in ended:
                worker.active = False
            pids = ", ".join(str(worker.process.pid) for worker in ended)
            raise RuntimeError(f"DataLoader worker (pid(s) {pids}) exited unexpectedly") from RuntimeError(
                ended[0].fate())

    def _shutdown_workers(self):
        """Let all workers end, and wait for them; who doesn't end is killed."""
        started, self._started = self._started, ()
        if not started or os.getpid() != self._process or sys.is_finalizing():
            return              # in a forked child they are not its own; at the end Python has killed them
        for worker in started:
            self._let_go(worker)
        deadline = time.monotonic() + CHECK_INTERVAL
        for worker in started:
            worker.process.join(timeout=max(0, deadline - time.monotonic()))
        for worker in started:
            if worker.process.is_alive():
                worker.process.terminate()
                worker.process.join(timeout=CHECK_INTERVAL)

    def __del__(self):
        self._shutdown_workers()
