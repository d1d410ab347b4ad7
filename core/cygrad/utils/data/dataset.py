"""Datasets: what a sample's index gives, or a stream of samples, and datasets made from others.

A dataset with `__getitems__` takes all indices of a batch at once; those below that hold others pass them on.
"""
import bisect
import itertools
import math
import warnings
from collections.abc import Iterable
from typing import Generic, TypeVar

import cygrad

__all__ = ["Dataset", "IterableDataset", "TensorDataset", "StackDataset", "ConcatDataset", "ChainDataset", "Subset",
           "random_split"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """
    A map from keys, mostly 0 to length - 1, to samples.

    Subclasses have `__getitem__`, mostly `__len__`, and may have `__getitems__`, which takes a list of keys and returns
    the list of their samples. ``a + b`` is the `ConcatDataset` of two datasets.

    Examples
    --------
    >>> from cygrad.utils.data import Dataset
    >>> class Squares(Dataset):
    ...     def __getitem__(self, index):
    ...         return index ** 2
    ...     def __len__(self):
    ...         return 5
    >>> (Squares() + Squares())[8]
    9
    """

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co], Iterable[T_co]):
    """
    A stream of samples: subclasses have `__iter__`.

    In a `DataLoader` with workers each worker iterates over a copy of its own; `get_worker_info` tells them apart.
    ``a + b`` is the `ChainDataset` of two streams.

    Examples
    --------
    >>> from cygrad.utils.data import DataLoader, IterableDataset
    >>> class Numbers(IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(3))
    >>> list(DataLoader(Numbers(), batch_size=2))
    [tensor([0, 1]), tensor([2])]
    """

    def __add__(self, other):
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[cygrad.Tensor, ...]]):
    """
    Rows of tensors: sample i is the tuple of their elements i along the first axis.

    Parameters
    ----------
    *tensors : Tensor
        Of one size along the first axis.

    Raises
    ------
    AssertionError
        If these sizes differ.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.data import TensorDataset
    >>> TensorDataset(cygrad.arange(3), cygrad.eye(3))[1]
    (tensor(1), tensor([0., 1., 0.]))
    """

    def __init__(self, *tensors):
        if any(tensor.size(0) != tensors[0].size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self):
        return self.tensors[0].size(0)


class StackDataset(Dataset):
    """
    Datasets of one length side by side: a sample is the tuple, or by name the dict, of theirs.

    Parameters
    ----------
    *args : Dataset
    **kwargs : Dataset
        Either of the two.

    Raises
    ------
    ValueError
        If both or none are given, or lengths differ.

    Examples
    --------
    >>> from cygrad.utils.data import StackDataset
    >>> StackDataset(number="abc", letter=[1, 2, 3])[2]
    {'number': 'c', 'letter': 3}
    """

    def __init__(self, *args, **kwargs):
        if args and kwargs:
            raise ValueError("Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like "
                             "input/output, but both types are given.")
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets = args or kwargs
        lengths = list(map(len, self._parts()))
        self._length = lengths[0]
        if any(length != self._length for length in lengths):
            raise ValueError("Size mismatch between datasets")

    def _parts(self):
        return list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def _joined(self, parts):
        """One sample from those of the parts."""
        return dict(zip(self.datasets, parts)) if isinstance(self.datasets, dict) else tuple(parts)

    def __getitem__(self, index):
        return self._joined([dataset[index] for dataset in self._parts()])

    def __getitems__(self, indices):
        columns = [samples_of(dataset, indices) for dataset in self._parts()]
        for column in columns:
            if len(column) != len(indices):
                raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(column)}")
        return list(map(self._joined, zip(*columns)))

    def __len__(self):
        return self._length


class ConcatDataset(Dataset[T_co]):
    """
    Datasets one after the other.

    Parameters
    ----------
    datasets : iterable of Dataset

    Raises
    ------
    AssertionError
        If there is none, or one of them is an `IterableDataset`.

    Examples
    --------
    >>> from cygrad.utils.data import ConcatDataset
    >>> both = ConcatDataset([range(3), range(10, 15)])
    >>> len(both), both[4], both[-1]
    (8, 11, 14)
    """

    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence):
        """Where each dataset ends."""
        return list(itertools.accumulate(map(len, sequence)))

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        number = bisect.bisect_right(self.cumulative_sizes, idx)
        start = self.cumulative_sizes[number - 1] if number else 0
        return self.datasets[number][idx - start]

    @property
    def cummulative_sizes(self):
        """The old spelling of `cumulative_sizes`."""
        warnings.warn("`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning, stacklevel=2)
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """
    Streams one after the other.

    Parameters
    ----------
    datasets : iterable of IterableDataset

    Raises
    ------
    AssertionError
        When it comes to a dataset that is no stream.
    """

    def __init__(self, datasets):
        self.datasets = datasets

    def _streams(self):
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self):
        for dataset in self._streams():
            yield from dataset

    def __len__(self):
        return sum(map(len, self._streams()))


class Subset(Dataset[T_co]):
    """
    The samples of a dataset at some indices.

    A subclass with a `__getitem__` of its own needs a `__getitems__`, too: this is what a `DataLoader` calls.

    Parameters
    ----------
    dataset : Dataset
    indices : sequence

    Raises
    ------
    NotImplementedError
        If a subclass lacks `__getitems__`.

    Examples
    --------
    >>> from cygrad.utils.data import Subset
    >>> list(Subset("abcdef", [4, 0]))
    ['e', 'a']
    """

    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{kind.__name__} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding "
                "__getitem__, you must also override __getitems__ to ensure DataLoader works correctly with your "
                "custom logic. A simple implementation:\n\ndef __getitems__(self, indices):\n    return "
                "[self.__getitem__(idx) for idx in indices]")

    def __getitem__(self, idx):
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices):
        return samples_of(self.dataset, [self.indices[i] for i in indices])

    def __len__(self):
        return len(self.indices)


def samples_of(dataset, indices):
    """The samples of a batch: by one call of `__getitems__` where the dataset has it."""
    many = getattr(dataset, "__getitems__", None)
    if callable(many):
        return many(indices)
    return [dataset[index] for index in indices]


def random_split(dataset, lengths, generator=cygrad.default_generator):
    """
    Split a dataset at random into subsets.

    Parameters
    ----------
    dataset : Dataset
    lengths : sequence of int or float
        How many samples each has; or which part of all, with a sum of 1: then numbers are rounded down and the rest is
        given out one by one, from the first on.
    generator : Generator, optional

    Returns
    -------
    list of Subset

    Raises
    ------
    ValueError
        If lengths don't add up, or a fraction is not between 0 and 1.

    Examples
    --------
    >>> from cygrad.utils.data import random_split
    >>> [len(part) for part in random_split(range(10), [0.5, 0.25, 0.25])]
    [6, 2, 2]
    """
    total = sum(lengths)
    if math.isclose(total, 1) and total <= 1:
        lengths = _counts(lengths, len(dataset))
        for number, length in enumerate(lengths):
            if length == 0:
                warnings.warn(f"Length of split at index {number} is 0. This might result in an empty dataset.",
                              stacklevel=2)
        total = sum(lengths)
    if total != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = cygrad.randperm(total, generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - length:end]) for end, length in zip(ends, lengths)]


def _counts(fractions, total):
    """Numbers of samples for fractions whose sum is 1."""
    for number, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {number} is not between 0 and 1")
    counts = [math.floor(total * fraction) for fraction in fractions]
    for i in range(total - sum(counts)):
        counts[i % len(counts)] += 1
    return counts
