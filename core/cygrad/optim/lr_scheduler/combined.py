"""Schedules of schedules: one after the other, or all at once."""
from bisect import bisect_right

from cygrad.optim.lr_scheduler.base import LRScheduler, set_value, values_of
from cygrad.optim.lr_scheduler.plateau import ReduceLROnPlateau


class Combined(LRScheduler):
    """What has `_schedulers`: their states are in its own."""

    def _check(self, schedulers, optimizer):
        own = type(self).__name__
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{own} at index {i} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(f"{own} does not support `ReduceLROnPlateau` scheduler as it requires additional "
                                 f"kwargs to be specified when calling `step`, but got one at index {i} in the given "
                                 "schedulers sequence.")
            if optimizer != scheduler.optimizer:
                raise ValueError(f"{own} expects all schedulers to belong to the same optimizer, but got scheduler "
                                 f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is "
                                 f"different from {type(optimizer).__name__}.")

    def state_dict(self):
        """All attributes but the optimizer, with the states of the schedules, to be saved.

        Returns
        -------
        dict
        """
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "_schedulers")}
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict):
        """Take over what `state_dict` returned.

        Parameters
        ----------
        state_dict : dict
        """
        self.__dict__.update((key, value) for key, value in state_dict.items() if key != "_schedulers")
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"]):
            scheduler.load_state_dict(state)


class SequentialLR(Combined):
    """One schedule after the other.

    Parameters
    ----------
    optimizer : Optimizer
    schedulers : list of LRScheduler
        Of this optimizer.
    milestones : list of int
        The number of the step at which each but the first begins.
    last_epoch : int
        The number of the last step, -1 at the start.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.optim.lr_scheduler import ConstantLR, ExponentialLR, SequentialLR
    >>> optimizer = cygrad.optim.SGD([cygrad.ones(1, requires_grad=True)], lr=1.0)
    >>> parts = [ConstantLR(optimizer, factor=0.5, total_iters=2), ExponentialLR(optimizer, gamma=0.5)]
    >>> schedule = SequentialLR(optimizer, parts, milestones=[2])
    >>> rates = []
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     rates += schedule.get_last_lr()
    ...     schedule.step()
    >>> rates
    [0.5, 0.5, 1.0, 0.5]
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("Sequential Schedulers expects number of schedulers provided to be one more than the "
                             f"number of milestone points, but got number of schedulers {len(schedulers)} and the "
                             f"number of milestones to be equal to {len(milestones)}")
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:        # all have made their first step: back before it
            set_value(group, "lr", group["initial_lr"])
        self.recursive_undo()
        self._at(0)._initial_step()
        self._last_lr = schedulers[bisect_right(milestones, 0)].get_last_lr()

    def _at(self, number):
        """The schedule of a step."""
        return self._schedulers[bisect_right(self._milestones, number)]

    def recursive_undo(self, sched=None):
        """Count the first step of schedules back.

        Parameters
        ----------
        sched : LRScheduler, optional
            All of this one's by default.
        """
        sched = self if sched is None else sched
        if hasattr(sched, "_schedulers"):
            for part in sched._schedulers:
                self.recursive_undo(part)
        elif hasattr(sched, "last_epoch"):
            sched.last_epoch -= 1

    def step(self):
        """Set the next learning rates; to be called after `Optimizer.step`."""
        self.last_epoch += 1
        scheduler = self._at(self.last_epoch)
        i = bisect_right(self._milestones, self.last_epoch)
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(Combined):
    """Several schedules, each with its step in every step.

    Parameters
    ----------
    schedulers : sequence of LRScheduler
        Of one optimizer.
    optimizer : Optimizer, optional
        That of the schedules.
    """

    def __init__(self, schedulers, optimizer=None):
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler to be chained, but got no "
                             "scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        self._check(schedulers, optimizer)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = values_of(schedulers[-1].optimizer, "lr")

    def step(self):
        """Set the next learning rates; to be called after `Optimizer.step`."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = values_of(self._schedulers[-1].optimizer, "lr")
