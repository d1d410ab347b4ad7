"""Weights averaged among few neighbours often, and among more of them seldom."""
import cygrad.distributed as dist
from cygrad.distributed.algorithms.model_averaging.averagers import ModelAverager
from cygrad.distributed.algorithms.model_averaging.utils import average_parameters_or_parameter_groups

__all__ = ["HierarchicalModelAverager"]


class HierarchicalModelAverager(ModelAverager):
    """
    Averages weights in groups of neighbours, the larger ones every longer period.

    Parameters
    ----------
    period_group_size_dict : dict
        {period: ranks of a group}; both grow, and the last group is of all ranks. All ranks make the groups here.
    warmup_steps : int
        Not before this step.
    process_group : ProcessGroup, optional
        All ranks by default.

    Raises
    ------
    ValueError
        If the dict is empty, not in this order, or its last group is not of all ranks; or `warmup_steps` is negative.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> from cygrad.distributed.algorithms.model_averaging.hierarchical_model_averager import HierarchicalModelAverager
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> averager = HierarchicalModelAverager({4: 1}, warmup_steps=100)
    >>> dist.destroy_process_group()
    """

    def __init__(self, period_group_size_dict=None, warmup_steps=0, process_group=None):
        super().__init__(process_group)
        if not period_group_size_dict:
            raise ValueError("Arg ``period_group_size_dict`` must not be empty.")
        self._periods = list(period_group_size_dict)
        if self._periods[0] <= 0:
            raise ValueError("The minimum period in arg ``period_group_size_dict`` must be a positive value.")
        sizes = list(period_group_size_dict.values())
        whole = self.process_group.size()
        if sizes[-1] != whole:
            raise ValueError(f"The last value in arg ``period_process_group_dict`` {sizes[-1]} must be equal to the "
                             f"size of arg ``process_group`` {whole}.")
        if self._periods != sorted(self._periods) or sizes != sorted(sizes):
            raise ValueError("periods and group sizes of arg ``period_group_size_dict`` must grow")
        if warmup_steps < 0:
            raise ValueError("Arg ``warmup_steps`` must be a non-negative number.")
        self.warmup_steps = warmup_steps
        self.period_process_group_dict = {
            period: self.process_group if size == whole else dist.new_subgroups(size, self.process_group)[0]
            for period, size in period_group_size_dict.items()}

    def _find_process_group(self):
        """The largest group whose period is over, or None."""
        for period in reversed(self._periods):
            if self.step % period == 0:
                return self.period_process_group_dict[period]
        return None

    def average_parameters(self, params):
        """
        Count a step, and average the parameters that have gradients if it is time for a group.

        Parameters
        ----------
        params : iterable of Parameter or dict
            Parameters, or an optimiser's groups.
        """
        if self.step >= self.warmup_steps:
            group = self._find_process_group()
            if group is not None:
                average_parameters_or_parameter_groups(params, group)
        self.step += 1
