"""Gradients averaged over all ranks at first, and over neighbours later: then weights are averaged now and then.

T. Lin, S. U. Stich, K. K. Patel, M. Jaggi, "Don't use large mini-batches, use local SGD", 2020.
"""
import cygrad.distributed as dist
from cygrad.distributed.algorithms.ddp_comm_hooks.debugging_hooks import noop_hook
from cygrad.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook

__all__ = ["PostLocalSGDState", "post_localSGD_hook"]


class PostLocalSGDState:
    """
    What `post_localSGD_hook` is registered with.

    Parameters
    ----------
    process_group : ProcessGroup or None
        For the first steps; None: all ranks.
    subgroup : ProcessGroup or None
        For later ones; None: the ranks of each host, of which all ranks make groups then.
    start_localSGD_iter : int
        The first of the later ones.
    post_local_gradient_allreduce : bool
        False: gradients stay with their ranks in later steps.

    Examples
    --------
    >>> from cygrad.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import PostLocalSGDState
    >>> PostLocalSGDState(None, None, 100).iter
    0
    """

    def __init__(self, process_group, subgroup, start_localSGD_iter, post_local_gradient_allreduce=True):
        self.process_group, self.subgroup, self.iter = process_group, subgroup, 0
        self.start_localSGD_iter = start_localSGD_iter
        self.post_local_gradient_allreduce = post_local_gradient_allreduce

    def maybe_increase_iter(self, bucket):
        """Count the step, at its last bucket."""
        if bucket.is_last():
            self.iter += 1


def post_localSGD_hook(state, bucket):
    """
    The mean over all ranks, or over the subgroup.

    Parameters
    ----------
    state : PostLocalSGDState
    bucket : GradBucket

    Returns
    -------
    Future
        Of the bucket's buffer.

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> from cygrad.distributed.algorithms.ddp_comm_hooks import post_localSGD_hook as local
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> model = cygrad.nn.parallel.DistributedDataParallel(cygrad.nn.Linear(2, 1))
    >>> model.register_comm_hook(local.PostLocalSGDState(None, dist.group.WORLD, 1), local.post_localSGD_hook)
    >>> model(cygrad.ones(2)).sum().backward()
    >>> dist.destroy_process_group()
    """
    late = state.iter >= state.start_localSGD_iter
    state.maybe_increase_iter(bucket)
    if not late:
        return allreduce_hook(state.process_group, bucket)
    if not state.post_local_gradient_allreduce:
        return noop_hook(None, bucket)
    if state.subgroup is None:
        state.subgroup, _ = dist.new_subgroups()
    return allreduce_hook(state.subgroup, bucket)
