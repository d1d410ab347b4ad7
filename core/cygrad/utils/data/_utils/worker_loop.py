"""What runs in a worker process of a `DataLoader`."""
import os
import pickle
import random
import select
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.random  # which NumPy would import when a worker uses it first

import cygrad
from cygrad.utils.data._utils import messages, worker
from cygrad.utils.data._utils.exception_wrapper import ExceptionWrapper, WithoutType
from cygrad.utils.data._utils.fetch import _DatasetKind
from cygrad.utils.data._utils.link import Link
from cygrad.utils.data._utils.segments import Lender

CHECK_INTERVAL = 5.0            # seconds after which each side looks whether the other one lives
RESUME, FETCH = "resume", "fetch"
GONE = (BrokenPipeError, ConnectionResetError)      # what sending raises when the main process is no more


@dataclass(frozen=True)
class EndOfStream:
    """Sent instead of a batch: the worker's dataset has no more samples."""


@dataclass
class Job:
    """What a worker is started with."""

    kind: int
    dataset: object
    auto_collation: bool
    collate_fn: object
    drop_last: bool
    base_seed: int
    init_fn: object
    number: int
    num_workers: int

    def fetcher(self):
        """What makes batches of the dataset."""
        return _DatasetKind.create_fetcher(self.kind, self.dataset, self.auto_collation, self.collate_fn,
                                           self.drop_last)

    def prepare(self):
        """Let random numbers differ from worker to worker, `get_worker_info` know, and batches lie in shared memory.

        New tensors lie in host memory: devices that the main process uses can't be used after a fork.
        """
        cygrad.set_num_threads(1)
        cygrad.set_default_device("cpu")
        seed = self.base_seed + self.number
        random.seed(seed)
        cygrad.manual_seed(seed)
        np.random.seed(numpy_seed(self.base_seed, self.number))
        worker._worker_info = worker.WorkerInfo(self.number, self.num_workers, seed, self.dataset)
        worker._lender = Lender()


def numpy_seed(base_seed, number):
    """A worker's seed for NumPy, where another one than Python's is needed: both have the same algorithm."""
    words = [number, base_seed & 0xffffffff, base_seed >> 32, 0]
    return np.random.SeedSequence(words).generate_state(4)


def work(job, end):
    """Load batches until the main process closes its end of the socket, or is gone."""
    try:
        job.prepare()
        _answer(job, Link(end), worker._lender)
    except KeyboardInterrupt:
        pass                    # the main process is interrupted, too, and says so
    except GONE:
        pass


def _answer(job, link, lender):
    """Do what the main process asks for."""
    where = f"in DataLoader worker process {job.number}"
    failure = _caught(where, lambda: job.init_fn is not None and job.init_fn(job.number))
    fetcher = _caught(where, job.fetcher)
    for what, tag, index, returned, lost in _tasks(link):
        lender.returned(returned, lost)
        if what == RESUME:
            fetcher = _caught(where, job.fetcher)
        elif fetcher is not None:           # None: the stream has ended
            data = fetcher
            if isinstance(failure, ExceptionWrapper):
                data = failure
            elif not isinstance(fetcher, ExceptionWrapper):
                data = _caught(where, partial(fetcher.fetch, index), job.kind == _DatasetKind.Iterable)
            if isinstance(data, EndOfStream):
                fetcher = None
            _send(link, lender, tag, data, where)
            del data


def _caught(where, function, ends=False):
    """What a function returns, or the exception it raises, wrapped; with `ends`, StopIteration is the stream's end."""
    try:
        return function()
    except StopIteration:
        return EndOfStream() if ends else ExceptionWrapper(where)
    except Exception:
        return ExceptionWrapper(where)


def _send(link, lender, tag, data, where):
    try:
        messages.send(link, lender, tag, data)
    except GONE:
        raise
    except Exception:           # what was fetched, or the type of the exception, can't be sent
        failure = WithoutType(data) if isinstance(data, ExceptionWrapper) else ExceptionWrapper(where)
        try:
            messages.send(link, lender, tag, failure)
        except GONE:
            raise
        except Exception:
            messages.send(link, lender, tag, WithoutType(failure))


def _tasks(link):
    """The messages of the main process, as long as it lives."""
    parent = os.getppid()
    poll = select.poll()
    poll.register(link, select.POLLIN)
    while True:
        message = link.message()
        if message is not None:
            yield pickle.loads(message[0])
        elif poll.poll(CHECK_INTERVAL * 1000):
            if not link.read():
                return
        elif os.getppid() != parent:
            return
