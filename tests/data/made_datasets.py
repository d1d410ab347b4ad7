"""Datasets that worker processes load, in a module that they can import."""
import collections
import os
import random
import signal
import time

import numpy as np

import cygrad as torch
from cygrad.utils.data import Dataset, IterableDataset, get_worker_info


class Numbers(Dataset):
    """Sample i is ``[i, i]``; subclasses do something at sample 5."""

    def __init__(self, length=12):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if index == 5:
            self.five()
        return torch.tensor([index, index])

    def five(self):
        pass


class Fails(Numbers):
    def five(self):
        raise KeyError("no sample 5")


class OwnError(Exception):
    def __init__(self, first, second):
        super().__init__(first, second)


class FailsWithOwnError(Numbers):
    def five(self):
        raise OwnError(1, 2)


class Dies(Numbers):
    def five(self):
        os.kill(os.getpid(), signal.SIGKILL)


class Exits(Numbers):
    def five(self):
        os._exit(3)


class Sleeps(Numbers):
    def five(self):
        time.sleep(60)


class Slow(Numbers):
    def __getitem__(self, index):
        time.sleep(0.05 if index % 2 else 0)
        return super().__getitem__(index)


class Drawn(Numbers):
    """What each kind of random numbers gives in a worker."""

    def __getitem__(self, index):
        return get_worker_info().id, torch.initial_seed(), random.random(), torch.rand(()).item(), np.random.rand()


class Told(Numbers):
    """What a worker knows of itself."""

    def __getitem__(self, index):
        info = get_worker_info()
        return info.id, info.num_workers, info.seed, info.dataset is self, os.getpid(), torch.get_num_threads()


class Stream(IterableDataset):
    """0 to length - 1, each worker an equal part in one piece."""

    def __init__(self, length, split=True):
        self.length, self.split = length, split

    def __iter__(self):
        info = get_worker_info()
        if info is None or not self.split:
            return iter(range(self.length))
        part = -(-self.length // info.num_workers)
        return iter(range(info.id * part, min((info.id + 1) * part, self.length)))


Pair = collections.namedtuple("Pair", "left right")


class Nested(Numbers):
    """Samples of many kinds; collated by `as_it_is`, tensors that share memory, too."""

    def __getitem__(self, index):
        rows = torch.arange(12.).reshape(3, 4) + index
        return {"rows": rows, "row": rows[1], "transposed": rows.t(), "expanded": rows[0, :1].expand(5), "text": "a",
                "empty": torch.empty(0, 3), "scalar": torch.tensor(index), "pair": Pair(np.full(2, index), [index]),
                "leaf": torch.ones(2, requires_grad=True), "named": torch.zeros(2, names=("N",)),
                "half": torch.ones(3, dtype=torch.bfloat16), "part": torch.arange(1000)[7:9], "bools": rows > 3}


class History(Numbers):
    def __getitem__(self, index):
        return torch.ones(2, requires_grad=True) * 2


def as_it_is(batch):
    return batch


def unpicklable(batch):
    return lambda: batch


class Cached(Numbers):
    """The same tensor again and again."""

    batch = None


def always_the_same(batch):
    if Cached.batch is None:
        Cached.batch = torch.utils.data.default_collate(batch)
    return Cached.batch


def failing_init(number):
    raise ValueError(f"no worker {number}")


def halve(number):
    """A `worker_init_fn` that lets each worker have its part of a `Stream` that does not split itself."""
    info = get_worker_info()
    stream = info.dataset
    part = stream.length // info.num_workers
    stream.__class__ = Part
    stream.first, stream.last = number * part, (number + 1) * part


class Part(Stream):
    def __iter__(self):
        return iter(range(self.first, self.last))
