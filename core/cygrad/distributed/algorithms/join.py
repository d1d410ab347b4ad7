"""`Join`: ranks whose inputs are over answer the collectives of the others until all are at their ends."""
import warnings
from abc import ABC, abstractmethod

import cygrad
import cygrad.distributed as dist

__all__ = ["Join", "JoinHook", "Joinable"]


class JoinHook:
    """
    What a rank does for others that are not yet at their ends.

    Attributes
    ----------
    busy : int
        How many ranks make this iteration.
    """

    busy = 0

    def main_hook(self):
        """The collectives of one of their iterations."""

    def post_hook(self, is_last_joiner):
        """Once, when all are at their ends."""


class Joinable(ABC):
    """Base of what can be given to `Join`: it calls collectives in each iteration."""

    def __init__(self):
        super().__init__()
        self._join_config = _Config()

    @abstractmethod
    def join_hook(self, **kwargs):
        """A JoinHook, made with the arguments of `Join`."""

    @property
    @abstractmethod
    def join_device(self):
        """Where its collectives' tensors are."""

    @property
    @abstractmethod
    def join_process_group(self):
        """The group of its collectives."""


class _Config:
    """What a Joinable knows of the `Join` it is in."""

    def __init__(self, enable=False, throw_on_early_termination=False, is_first_joinable=False):
        self.enable, self.throw_on_early_termination = enable, throw_on_early_termination
        self.is_first_joinable = is_first_joinable


class Join:
    """
    A block in which ranks make different numbers of iterations.

    Parameters
    ----------
    joinables : list of Joinable
        `DistributedDataParallel`, `ZeroRedundancyOptimizer`, or one's own; called in this order in each iteration.
    enable : bool
        False: nothing happens.
    throw_on_early_termination : bool
        All ranks raise a RuntimeError as soon as one is at its end.
    **kwargs
        For `join_hook` of each.

    Raises
    ------
    ValueError
        If there is none, or they are of different groups.

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> from cygrad.distributed.algorithms.join import Join
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> model = cygrad.nn.parallel.DistributedDataParallel(cygrad.nn.Linear(2, 1))
    >>> with Join([model]):
    ...     for x in cygrad.ones(3, 4, 2):              # another number on each rank
    ...         model(x).sum().backward()
    >>> dist.destroy_process_group()
    """

    def __init__(self, joinables, enable=True, throw_on_early_termination=False, **kwargs):
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = list(joinables)
        self._join_hooks = [each.join_hook(**kwargs) for each in self._joinables]
        self._enable, self._throws = enable, throw_on_early_termination
        groups = {id(each.join_process_group): each.join_process_group for each in self._joinables}
        if len(groups) > 1:
            raise ValueError("Using join context manager with multiple process groups")
        self._group = next(iter(groups.values()))
        for number, each in enumerate(self._joinables):
            each._join_config = _Config(enable, throw_on_early_termination, number == 0)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if not self._enable or kind is not None:
            self._forget()
            return
        warned = turn = 0
        is_last = True
        while busy := self._still_busy():
            if self._throws:
                self._tell_of_the_end()
            if turn > 1000 and not warned:
                warned = 1
                warnings.warn("Detected uneven input skew of greater than 1000. This means that rank "
                              f"{self._group.rank()} has at least 1000 fewer inputs than other currently-active ranks. "
                              "This level of skew could lead to performance degradation during training.",
                              stacklevel=2)
            for hook in self._join_hooks:
                hook.busy = busy
                hook.main_hook()
            is_last = False
            turn += 1
        for hook in self._join_hooks:
            hook.post_hook(is_last)
        self._forget()

    def _forget(self):
        for each in self._joinables:
            each._join_config = _Config()

    def _still_busy(self):
        """How many ranks are not at their ends."""
        count = cygrad.zeros(1)
        dist.all_reduce(count, group=self._group)
        return int(count.item())

    def _tell_of_the_end(self):
        flag = cygrad.ones(1)
        dist.all_reduce(flag, group=self._group)
        raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")

    @staticmethod
    def notify_join_context(joinable):
        """
        Say that this rank begins an iteration; a Joinable calls it before its first collective of each.

        Parameters
        ----------
        joinable : Joinable

        Returns
        -------
        Work or None
            Of an `all_reduce` that counts the busy ranks; None except from the first joinable of a `Join`.
        """
        config = joinable._join_config
        if not config.is_first_joinable or not config.enable:
            return None
        group = joinable.join_process_group
        count = cygrad.ones(1)
        work = dist.all_reduce(count, group=group, async_op=True)
        if config.throw_on_early_termination:
            flag = cygrad.zeros(1)
            work.wait()
            if count.item() < group.size():
                dist.all_reduce(flag, group=group)
                raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        return work
