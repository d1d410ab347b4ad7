"""When weights are averaged: every so many steps."""
import warnings
from abc import ABC, abstractmethod

import cygrad.distributed as dist
from cygrad.distributed.algorithms.model_averaging.utils import average_parameters_or_parameter_groups

__all__ = ["ModelAverager", "PeriodicModelAverager"]


class ModelAverager(ABC):
    """
    Base of what averages weights.

    Parameters
    ----------
    process_group : ProcessGroup, optional
        All ranks by default.
    """

    def __init__(self, process_group=None):
        self.process_group = process_group if process_group is not None else dist.group.WORLD
        self.step = 0

    @abstractmethod
    def average_parameters(self, params):
        """Called after each step of the optimiser."""


class PeriodicModelAverager(ModelAverager):
    """
    Averages weights every `period` steps.

    Parameters
    ----------
    period : int
    warmup_steps : int
        Not before this step.
    process_group : ProcessGroup, optional
        All ranks by default.

    Raises
    ------
    ValueError
        If `period` is not positive, or `warmup_steps` is negative.

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> from cygrad.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> averager, model = PeriodicModelAverager(period=4, warmup_steps=100), cygrad.nn.Linear(2, 1)
    >>> averager.average_parameters(model.parameters())
    >>> averager.step
    1
    >>> dist.destroy_process_group()
    """

    def __init__(self, period, warmup_steps=0, process_group=None):
        super().__init__(process_group)
        if warmup_steps < 0:
            raise ValueError("Arg ``warmup_steps`` must be a non-negative number.")
        if period < 1:
            raise ValueError("Arg ``period`` must be a positive value.")
        if period == 1:
            warnings.warn("When period is 1, no need to use model averaging because the communication cost of "
                          "all-reducing parameters will be no less than the cost of all-reducing gradients by "
                          "DistributedDataParallel in the backward pass. Therefore, only DistributedDataParallel "
                          "should be used for this case.", stacklevel=2)
        self.period, self.warmup_steps = period, warmup_steps

    def average_parameters(self, params):
        """
        Count a step, and average the parameters that have gradients if it is time.

        Parameters
        ----------
        params : iterable of Parameter or dict
            Parameters, or an optimiser's groups.
        """
        if self.step >= self.warmup_steps and (self.step - self.warmup_steps) % self.period == 0:
            average_parameters_or_parameter_groups(params, self.process_group)
        self.step += 1
