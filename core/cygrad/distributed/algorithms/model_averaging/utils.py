"""The mean of parameters over the ranks of a group, in one message for each dtype."""
import cygrad
import cygrad.distributed as dist

__all__ = ["average_parameters", "average_parameters_or_parameter_groups", "get_params_to_average"]


def average_parameters(params, process_group):
    """
    Give parameters their mean over all ranks, in place.

    Parameters
    ----------
    params : iterable of Parameter
        The same on all ranks.
    process_group : ProcessGroup or None
        None: all ranks.

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> from cygrad.distributed.algorithms.model_averaging.utils import average_parameters
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> average_parameters(cygrad.nn.Linear(2, 1).parameters(), None)
    >>> dist.destroy_process_group()
    """
    group = process_group if process_group is not None else dist.group.WORLD
    if dist.get_rank(group) < 0:
        return
    kinds = {}
    for each in params:
        kinds.setdefault((each.dtype, each.device), []).append(each.detach())
    for same in kinds.values():
        flat = cygrad.cat([each.reshape(-1) for each in same])
        flat /= group.size()
        dist.all_reduce(flat, group=group)
        start = 0
        for each in same:
            each.copy_(flat[start:start + each.numel()].view(each.shape))
            start += each.numel()


def get_params_to_average(params):
    """
    The parameters that have gradients, of a list of them or of an optimiser's groups.

    Parameters
    ----------
    params : iterable of Parameter or dict

    Returns
    -------
    list of Parameter

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.distributed.algorithms.model_averaging.utils import get_params_to_average
    >>> get_params_to_average(cygrad.nn.Linear(2, 1).parameters())
    []
    """
    found = []
    for each in params:
        if isinstance(each, cygrad.Tensor):
            found.append(each)
        elif isinstance(each, dict):
            found.extend(each["params"])
        else:
            raise NotImplementedError(f"Parameter input of type {type(each)} is not supported")
    return [each for each in found if each.grad is not None]


def average_parameters_or_parameter_groups(params, process_group):
    """As `average_parameters`, of those of `get_params_to_average`."""
    average_parameters(get_params_to_average(params), process_group)
