"""Iterators of a `DataLoader`: what all have in common, and the one that loads in the main process."""
import warnings

from cygrad.utils.data._utils.fetch import _DatasetKind
from cygrad.utils.data._utils.pin_memory import can_pin, pin_memory
from cygrad.utils.data.sampler import random_seed


class _BaseDataLoaderIter:
    """One pass over a loader's dataset; subclasses have `_next_data`."""

    def __init__(self, loader):
        self._dataset = loader.dataset
        self._dataset_kind = loader._dataset_kind
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        self._persistent_workers = loader.persistent_workers
        self._pin_memory = _pins(loader)
        self._sampler_iter = iter(self._index_sampler)
        self._base_seed = random_seed(loader.generator)
        self._num_yielded = 0

    def __iter__(self):
        return self

    def _reset(self, loader, first_iter=False):
        """Begin another pass."""
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called

    def _next_index(self):
        return next(self._sampler_iter)

    def _next_data(self):
        raise NotImplementedError

    def __next__(self):
        data = self._next_data()
        self._num_yielded += 1
        if self._IterableDataset_len_called is not None and self._dataset_kind == _DatasetKind.Iterable \
                and self._num_yielded > self._IterableDataset_len_called:
            self._warn_of_length()
        return data

    def _warn_of_length(self):
        words = (f"Length of IterableDataset {self._dataset} was reported to be {self._IterableDataset_len_called}"
                 f"(when accessing len(dataloader)), but {self._num_yielded} samples have been fetched. ")
        if self._num_workers > 0:
            words += ("For multiprocessing data-loading, this could be caused by not properly configuring the "
                      "IterableDataset replica at each worker. Please see "
                      "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples.")
        warnings.warn(words, stacklevel=3)

    def __len__(self):
        return len(self._index_sampler)

    def __getstate__(self):
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)


def _pins(loader):
    """Whether batches are to be pinned, and can be."""
    if not loader.pin_memory:
        return False
    if loader.pin_memory_device:
        warnings.warn("pin_memory_device is deprecated, the current accelerator will be used as the device,ignore "
                      f"pin_memory_device='{loader.pin_memory_device}'.", stacklevel=5)
    pins = can_pin()
    if not pins:
        warnings.warn("'pin_memory' argument is set as true but no accelerator is found, then device pinned memory "
                      "won't be used.", stacklevel=5)
    return pins


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Loads in the process, and at the moment, in which the batch is asked for."""

    def __init__(self, loader):
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        if self._num_workers != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires num_workers == 0")
        self._dataset_fetcher = _DatasetKind.create_fetcher(self._dataset_kind, self._dataset, self._auto_collation,
                                                            self._collate_fn, self._drop_last)

    def _next_data(self):
        data = self._dataset_fetcher.fetch(next(self._sampler_iter))
        return pin_memory(data) if self._pin_memory else data
