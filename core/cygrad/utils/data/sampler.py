"""Samplers: the order in which a `DataLoader` takes samples. From a seed they give PyTorch's order.

So each draws from the generator what PyTorch's draws, by the same calls.
"""
import itertools
from typing import Generic, TypeVar

import cygrad

__all__ = ["BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler",
           "WeightedRandomSampler"]

T_co = TypeVar("T_co", covariant=True)
DRAWN_AT_ONCE = 32      # indices with replacement; the number is part of the stream


class Sampler(Generic[T_co]):
    """
    An order of indices, or of lists of indices (batches): subclasses have `__iter__`, and mostly `__len__`.

    Examples
    --------
    >>> from cygrad.utils.data import DataLoader, Sampler
    >>> class Backwards(Sampler):
    ...     def __iter__(self):
    ...         return iter((2, 1, 0))
    >>> list(DataLoader("abc", sampler=Backwards(), batch_size=None))
    ['c', 'b', 'a']
    """

    def __iter__(self):
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """
    0, 1, ... in order.

    Parameters
    ----------
    data_source : sized

    Examples
    --------
    >>> import cygrad
    >>> list(cygrad.utils.data.SequentialSampler(range(3, 6)))
    [0, 1, 2]
    """

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """
    All indices in random order, or draws with replacement.

    Parameters
    ----------
    data_source : sized
    replacement : bool
    num_samples : int, optional
        How many to draw; by default the length of `data_source`. Without replacement, all come once before any comes
        again.
    generator : Generator, optional
        By default a new one for each iteration, whose seed is drawn from the default generator.

    Raises
    ------
    TypeError
        If `replacement` is no bool.
    ValueError
        If there is nothing to draw.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.data import RandomSampler
    >>> list(RandomSampler(range(5), generator=cygrad.Generator().manual_seed(0)))
    [4, 0, 1, 3, 2]
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError("num_samples should be a positive integer value, but got "
                             f"num_samples={self.num_samples}")

    @property
    def num_samples(self):
        """How many indices an iteration gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        length, generator = len(self.data_source), self.generator
        if generator is None:
            generator = cygrad.Generator()
            generator.manual_seed(random_seed())
        if self.replacement:
            left = self.num_samples
            while left >= 0:
                count = min(left, DRAWN_AT_ONCE)
                yield from cygrad.randint(length, (count,), generator=generator).tolist()
                left -= DRAWN_AT_ONCE
        else:
            rounds, rest = divmod(self.num_samples, length)
            for _ in range(rounds):
                yield from cygrad.randperm(length, generator=generator).tolist()
            yield from cygrad.randperm(length, generator=generator).tolist()[:rest]

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """
    Given indices in random order.

    Parameters
    ----------
    indices : sequence
    generator : Generator, optional

    Examples
    --------
    >>> import cygrad
    >>> sorted(cygrad.utils.data.SubsetRandomSampler([4, 0, 2]))
    [0, 2, 4]
    """

    def __init__(self, indices, generator=None):
        self.indices = indices
        self.generator = generator

    def __iter__(self):
        for place in cygrad.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[place]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """
    Indices drawn with probabilities.

    Parameters
    ----------
    weights : sequence of float
        Probabilities of 0, 1, ...; their sum may be any.
    num_samples : int
    replacement : bool
    generator : Generator, optional

    Raises
    ------
    ValueError
        If `num_samples` is no positive int, `replacement` no bool, or `weights` has not one axis.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.data import WeightedRandomSampler
    >>> list(WeightedRandomSampler([0, 0, 1], 4))
    [2, 2, 2, 2]
    """

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        _check_count(num_samples, "num_samples")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = cygrad.as_tensor(weights, dtype=cygrad.double)
        if self.weights.dim() != 1:
            raise ValueError("weights should be a 1d sequence but given weights have shape "
                             f"{tuple(self.weights.shape)}")
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self):
        yield from cygrad.multinomial(self.weights, self.num_samples, self.replacement,
                                      generator=self.generator).tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """
    Lists of the indices that another sampler gives.

    Parameters
    ----------
    sampler : Sampler or iterable
    batch_size : int
    drop_last : bool
        Whether a last list that is shorter is left out.

    Raises
    ------
    ValueError
        If `batch_size` is no positive int, or `drop_last` no bool.

    Examples
    --------
    >>> from cygrad.utils.data import BatchSampler
    >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler, batch_size, drop_last):
        _check_count(batch_size, "batch_size")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self):
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)


def _check_count(value, name):
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def random_seed(generator=None):
    """A seed drawn from a generator, by default from the default one."""
    return cygrad.empty((), dtype=cygrad.int64, device="cpu").random_(generator=generator).item()
