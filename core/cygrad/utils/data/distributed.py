"""A sampler for programs that run as several processes: each takes its own part of every epoch."""
import math

import cygrad
from cygrad.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler):
    """
    Every `num_replicas`-th index, beginning with number `rank`, of an order that all processes know.

    Parameters
    ----------
    dataset : sized
    num_replicas : int, optional
        How many processes there are; by default those of the process group.
    rank : int, optional
        Number of this process; by default that in the process group.
    shuffle : bool
        Random order, drawn from ``seed + epoch``.
    seed : int
        The same in all processes.
    drop_last : bool
        All processes get as many indices: the last ones are dropped, or, if False, the first ones come again.

    Raises
    ------
    ValueError
        If `rank` is not one of 0 to `num_replicas` - 1.

    Examples
    --------
    >>> from cygrad.utils.data import DistributedSampler
    >>> [list(DistributedSampler(range(5), 2, rank, shuffle=False)) for rank in (0, 1)]
    [[0, 2, 4], [1, 3, 0]]
    """

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        if num_replicas is None:
            num_replicas = _process_group().get_world_size()
        if rank is None:
            rank = _process_group().get_rank()
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        self.shuffle = shuffle
        self.seed = seed
        length = len(dataset)
        if drop_last and length % num_replicas:
            length -= num_replicas
        self.num_samples = math.ceil(length / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self):
        length = len(self.dataset)
        if self.shuffle:
            generator = cygrad.Generator()
            generator.manual_seed(self.seed + self.epoch)
            order = cygrad.randperm(length, generator=generator).tolist()
        else:
            order = list(range(length))
        if not self.drop_last:
            order *= math.ceil(self.total_size / max(length, 1))
        order = order[:self.total_size]
        if len(order) != self.total_size:
            raise AssertionError(f"Number of indices ({len(order)}) does not match total_size ({self.total_size})")
        return iter(order[self.rank::self.num_replicas])

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """
        Choose the epoch, on which the random order depends: call it before each iteration.

        Parameters
        ----------
        epoch : int
        """
        self.epoch = epoch


def _process_group():
    distributed = getattr(cygrad, "distributed", None)
    if distributed is None or not distributed.is_available():
        raise RuntimeError("Requires distributed package to be available")
    return distributed
