"""Fetchers: a batch, or a sample, of a dataset for what the sampler gave."""
from cygrad.utils.data.dataset import samples_of


class _MapDatasetFetcher:
    """Samples by their keys."""

    def __init__(self, dataset, auto_collation, collate_fn, drop_last):
        self.dataset = dataset
        self.collate_fn = collate_fn
        self.auto_collation = auto_collation

    def fetch(self, index):
        """The batch of a list of keys, or the sample of a key where no batches are made."""
        data = samples_of(self.dataset, index) if self.auto_collation else self.dataset[index]
        return self.collate_fn(data)


class _IterableDatasetFetcher:
    """Samples as they come; StopIteration when there are no more."""

    def __init__(self, dataset, auto_collation, collate_fn, drop_last):
        self.samples = iter(dataset)
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last
        self.ended = False

    def fetch(self, index):
        """The next samples, as many as `index` has places, or the next sample where no batches are made."""
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.samples))
        data = []
        for _ in index:
            try:
                data.append(next(self.samples))
            except StopIteration:
                self.ended = True
                break
        if not data or self.drop_last and self.ended:
            raise StopIteration
        return self.collate_fn(data)


class _DatasetKind:
    """How a dataset gives its samples."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(kind, dataset, auto_collation, collate_fn, drop_last):
        """The fetcher for a dataset of this kind."""
        fetcher = _MapDatasetFetcher if kind == _DatasetKind.Map else _IterableDatasetFetcher
        return fetcher(dataset, auto_collation, collate_fn, drop_last)
