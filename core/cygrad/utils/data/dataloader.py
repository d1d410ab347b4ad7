"""`DataLoader`: batches of a dataset in some order, loaded in this process or by others in the background."""
import math
import multiprocessing
import os
import warnings
from typing import Generic

from cygrad.utils.data._utils.collate import default_collate, default_convert
from cygrad.utils.data._utils.fetch import _DatasetKind
from cygrad.utils.data._utils.single_process_iterator import _BaseDataLoaderIter, _SingleProcessDataLoaderIter  # noqa: F401
from cygrad.utils.data._utils.worker import get_worker_info
from cygrad.utils.data.dataset import IterableDataset, T_co
from cygrad.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "get_worker_info", "default_collate", "default_convert"]

FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _InfiniteConstantSampler(Sampler):
    """None for ever: the sampler of streams, which have no keys."""

    def __iter__(self):
        while True:
            yield None


class DataLoader(Generic[T_co]):
    """
    Batches of a dataset.

    Parameters
    ----------
    dataset : Dataset
    batch_size : int or None
        Samples of a batch. None: single samples, not collated.
    shuffle : bool, optional
        A new random order at each iteration.
    sampler : Sampler or iterable, optional
        The order of the indices, instead of `shuffle`.
    batch_sampler : Sampler or iterable, optional
        Lists of indices, instead of `batch_size`, `shuffle`, `sampler` and `drop_last`.
    num_workers : int
        How many processes load batches in the background; 0: they are loaded when they are asked for.
    collate_fn : callable, optional
        Makes a batch from a list of samples; by default `default_collate`, or `default_convert` of single samples.
    pin_memory : bool
        Put batches into page-locked memory, where there is a device that copies faster from it.
    drop_last : bool
        Leave out a last batch that is smaller.
    timeout : float
        Seconds to wait for a batch of a worker; 0: for ever.
    worker_init_fn : callable, optional
        Called in each worker with its number, before it loads.
    multiprocessing_context : str or context, optional
        How workers are started: "fork", "spawn", "forkserver".
    generator : Generator, optional
        Draws the random order and the seed of the workers; by default the default generator.
    prefetch_factor : int, optional
        How many batches each worker loads in advance, by default 2.
    persistent_workers : bool
        Workers live as long as the loader, not only for one iteration.
    pin_memory_device : str
        Deprecated and without effect.
    in_order : bool
        Batches of workers come in the sampler's order; False: as soon as they are loaded.

    Raises
    ------
    ValueError
        If options contradict each other or are out of range.

    Notes
    -----
    Each iteration draws a number from the default generator, or from `generator`, whether there are workers or not.
    Worker i starts with the seeds of Python's `random` and of `cygrad` at that number plus i.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.data import DataLoader, TensorDataset
    >>> data = TensorDataset(cygrad.arange(5), cygrad.arange(5) * 10)
    >>> for x, y in DataLoader(data, batch_size=2):
    ...     print(x, y)
    tensor([0, 1]) tensor([ 0, 10])
    tensor([2, 3]) tensor([20, 30])
    tensor([4]) tensor([40])
    """

    _iterator = None
    __multiprocessing_context = None
    __initialized = False

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
                 collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None,
                 multiprocessing_context=None, generator=None, *, prefetch_factor=None, persistent_workers=False,
                 pin_memory_device="", in_order=True):
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order

        self._dataset_kind = _DatasetKind.Iterable if isinstance(dataset, IterableDataset) else _DatasetKind.Map
        if self._dataset_kind == _DatasetKind.Iterable:
            _check_stream(shuffle, sampler, batch_sampler)
        _check_order(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size = None
        if sampler is None:
            if self._dataset_kind == _DatasetKind.Iterable:
                sampler = _InfiniteConstantSampler()
            else:
                sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self.__initialized = True
        self._IterableDataset_len_called = None
        self.check_worker_number_rationality()

    def __setattr__(self, attr, val):
        if self.__initialized and attr in FIXED:
            raise ValueError(f"{attr} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(attr, val)

    def __iter__(self):
        if not (self.persistent_workers and self.num_workers > 0):
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    def _get_iterator(self):
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        from cygrad.utils.data._utils.multiprocess_iterator import _MultiProcessingDataLoaderIter      # start-up time
        return _MultiProcessingDataLoaderIter(self)

    def __len__(self):
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)

    @property
    def _auto_collation(self):
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        """What gives the keys of a batch, or of a sample where no batches are made."""
        return self.batch_sampler if self._auto_collation else self.sampler

    @property
    def multiprocessing_context(self):
        """How workers are started: a context of Python's `multiprocessing`, or None for its default."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context):
        if context is not None:
            if self.num_workers <= 0:
                raise ValueError("multiprocessing_context can only be used with multi-process loading (num_workers > "
                                 f"0), but got num_workers={self.num_workers}")
            if isinstance(context, str):
                methods = multiprocessing.get_all_start_methods()
                if context not in methods:
                    raise ValueError("multiprocessing_context option should specify a valid start method in "
                                     f"{methods!r}, but got multiprocessing_context={context!r}")
                context = multiprocessing.get_context(context)
            if not isinstance(context, multiprocessing.context.BaseContext):
                raise TypeError("multiprocessing_context option should be a valid context object or a string "
                                f"specifying the start method, but got multiprocessing_context={context}")
        self.__multiprocessing_context = context

    def check_worker_number_rationality(self):
        """Warn if there are more workers than processors that this process may use."""
        if not self.num_workers:
            return
        known = hasattr(os, "sched_getaffinity")
        processors = len(os.sched_getaffinity(0)) if known else os.cpu_count()
        if processors is None:
            advice = "DataLoader is not able to compute a suggested max number of worker in current system."
        elif self.num_workers > processors:
            advice = (f"Our suggested max number of worker in current system is {processors}"
                      f"{'' if known else ' (`cpuset` is not taken into account)'}, which is smaller than what this "
                      "DataLoader is going to create.")
        else:
            return
        warnings.warn(f"This DataLoader will create {self.num_workers} worker processes in total. {advice} Please be "
                      "aware that excessive worker creation might get DataLoader running slow or even freeze, lower "
                      "the worker number to avoid potential slowness/freeze if necessary.", stacklevel=3)


def _check_workers(num_workers, timeout, prefetch_factor, persistent_workers):
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError("prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to "
                         "enable multiprocessing, otherwise set prefetch_factor to None.")
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_stream(shuffle, sampler, batch_sampler):
    """Refuse what an IterableDataset has no use for."""
    if shuffle not in (False, None):
        raise ValueError("DataLoader with IterableDataset: expected unspecified shuffle option, but got "
                         f"shuffle={shuffle}")
    if sampler is not None:
        raise ValueError("DataLoader with IterableDataset: expected unspecified sampler option, but got "
                         f"sampler={sampler}")
    if batch_sampler is not None:
        raise ValueError("DataLoader with IterableDataset: expected unspecified batch_sampler option, but got "
                         f"batch_sampler={batch_sampler}")


def _check_order(batch_size, shuffle, sampler, batch_sampler, drop_last):
    """Refuse options that say the same thing twice."""
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
                             "drop_last")
    elif batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")


