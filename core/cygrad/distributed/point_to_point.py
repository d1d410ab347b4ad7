"""From one rank to another: sends, receives, lists of them, and the barrier that names who is missing."""
import time
import warnings
from datetime import timedelta

import cygrad
from cygrad.distributed.checking import check_tensor, described
from cygrad.distributed.errors import DistBackendError
from cygrad.distributed.groups import (checked_timeout, get_global_rank, outside, rank_in, resolved, warn_outside)
from cygrad.distributed.process_group import DEFAULT_TIMEOUT
from cygrad.distributed.staging import Staged

__all__ = ["LAST_TAG", "P2POp", "batch_isend_irecv", "irecv", "isend", "monitored_barrier", "recv", "send"]

LAST_TAG = 2 ** 20 - 1          # of users; process groups need not take tags above twice as many


def _checked_tag(tag):
    if not isinstance(tag, int) or not 0 <= tag <= LAST_TAG:
        raise ValueError(f"a tag is an int from 0 to {LAST_TAG}, but got {tag}")
    return tag


def _refuse_self(group, rank, kind):
    if group.rank() == rank:
        raise ValueError(f"Invalid {kind} rank: {kind} rank should not be the same as the rank of the current process.")


def isend(tensor, dst=None, group=None, tag=0, group_dst=None, *, waiting=False):
    """
    Begin to send a tensor, which must not change before the Work has ended.

    Parameters
    ----------
    tensor : Tensor
        Of any shape and dtype.
    dst : int
        One of the world's ranks.
    group : ProcessGroup, optional
    tag : int
        Which of the other rank's receives it is for.
    group_dst : int, optional
        Instead of `dst`: its rank in the group.
    waiting : bool
        The caller waits at once: no other thread need see to it.

    Returns
    -------
    Work

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> works = dist.isend(cygrad.ones(2), 0), dist.irecv(cygrad.zeros(2), 0)
    >>> [work.wait() for work in works]
    [True, True]
    >>> dist.destroy_process_group()
    """
    if outside(group):
        return warn_outside("isend")
    group = resolved(group)
    to = rank_in(group, dst, group_dst)
    check_tensor(tensor, "tensor")
    work = group.start_send(Staged(tensor, group).buffer, to, _checked_tag(tag), described("send", tensor, f"to {to}"))
    work.outputs = [tensor]
    if not waiting:
        work.background()
    return work


def irecv(tensor, src=None, group=None, tag=0, group_src=None, *, waiting=False):
    """
    Begin to receive a tensor; as `recv`, which see.

    Parameters
    ----------
    tensor : Tensor
        Written to.
    src : int, optional
        One of the world's ranks; any, by default.
    group : ProcessGroup, optional
    tag : int
        That of the send.
    group_src : int, optional
        Instead of `src`: its rank in the group.
    waiting : bool
        The caller waits at once: no other thread need see to it.

    Returns
    -------
    Work

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> work = dist.isend(cygrad.ones(2), 0)
    >>> dist.irecv(cygrad.zeros(2)).wait()
    True
    >>> dist.destroy_process_group()
    """
    check_tensor(tensor, "tensor")
    if outside(group):
        return warn_outside("irecv")
    group = resolved(group)
    from_any = src is None and group_src is None
    source = None if from_any else rank_in(group, src, group_src)
    staged = Staged(tensor, group, read=False)
    words = "from any rank" if from_any else f"from {source}"
    work = group.start_recv(staged.buffer, source, _checked_tag(tag), described("recv", tensor, words))
    work.after(staged.restore)
    work.outputs = [tensor]
    if not waiting:
        work.background()
    return work


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    """
    Send a tensor to another rank, and wait until it may change again.

    Parameters
    ----------
    tensor : Tensor
        Of any shape and dtype.
    dst : int
        One of the world's ranks.
    group : ProcessGroup, optional
    tag : int
        Which of the other rank's receives it is for.
    group_dst : int, optional
        Instead of `dst`: its rank in the group.

    Raises
    ------
    ValueError
        If that is this rank.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> if dist.is_initialized() and dist.get_rank() == 0:
    ...     dist.send(values, dst=1)
    """
    if not outside(group):
        group = resolved(group)
        _refuse_self(group, rank_in(group, dst, group_dst), "destination")
    work = isend(tensor, dst, group, tag, group_dst, waiting=True)
    if work is not None:
        work.wait()


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    """
    Receive a tensor from another rank.

    Parameters
    ----------
    tensor : Tensor
        Written to; of as many bytes as the one that is sent.
    src : int, optional
        One of the world's ranks; any, by default.
    group : ProcessGroup, optional
    tag : int
        That of the send.
    group_src : int, optional
        Instead of `src`: its rank in the group.

    Returns
    -------
    int
        The world's rank that sent it; -1 where this process is not in the group.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> if dist.is_initialized() and dist.get_rank() == 1:
    ...     sender = dist.recv(values)
    """
    work = irecv(tensor, src, group, tag, group_src, waiting=True)
    if work is None:
        return -1
    work.wait()
    return get_global_rank(resolved(group), work.source)


class P2POp:
    """
    One of the sends and receives of `batch_isend_irecv`.

    Parameters
    ----------
    op : callable
        `isend` or `irecv`.
    tensor : Tensor
    peer : int
        The other rank, of the world.
    group : ProcessGroup, optional
    tag : int
    group_peer : int, optional
        Instead of `peer`: its rank in the group.

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> ops = [dist.P2POp(dist.isend, cygrad.ones(2), 0), dist.P2POp(dist.irecv, cygrad.zeros(2), 0)]
    >>> [work.wait() for work in dist.batch_isend_irecv(ops)]
    [True, True]
    >>> dist.destroy_process_group()
    """

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError("Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                             "``torch.distributed.irecv``.")
        check_tensor(tensor, "tensor")
        self.op, self.tensor, self.tag = op, tensor, tag
        self.group = resolved(group)
        self.group_peer = rank_in(self.group, peer, group_peer)
        self.peer = get_global_rank(self.group, self.group_peer)

    def __repr__(self):
        own = self.group.rank()
        source, target = (own, self.group_peer) if self.op is isend else (self.group_peer, own)
        return (f"P2POp({self.op.__name__} pg={self.group.group_name}, group_src={source}, group_dst={target},  "
                f"{self.tensor.shape}, {self.tensor.dtype})")


def batch_isend_irecv(p2p_op_list):
    """
    Begin several sends and receives at once, in any order.

    Parameters
    ----------
    p2p_op_list : list of P2POp

    Returns
    -------
    list of Work

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> if dist.is_initialized():
    ...     works = dist.batch_isend_irecv([dist.P2POp(dist.isend, mine, right), dist.P2POp(dist.irecv, theirs, left)])
    """
    if not isinstance(p2p_op_list, list) or not all(isinstance(each, P2POp) for each in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    group = p2p_op_list[0].group
    if any(each.group is not group for each in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    works = []
    for each in p2p_op_list:
        peer = {"group_dst" if each.op is isend else "group_src": each.group_peer}
        works.append(each.op(each.tensor, group=group, tag=each.tag, **peer))
    return works


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """
    A barrier whose error on rank 0 names the ranks that did not come.

    Parameters
    ----------
    group : ProcessGroup, optional
    timeout : timedelta, optional
        30 minutes by default.
    wait_all_ranks : bool
        Name all of them; otherwise the first.

    Raises
    ------
    RuntimeError
        If a rank does not come within the timeout.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.monitored_barrier()
    >>> dist.destroy_process_group()
    """
    if outside(group):
        return warn_outside("monitored_barrier")
    group = resolved(group)
    if isinstance(timeout, float):
        warnings.warn("Please specify timeout arg as a timedelta. "
                      f"Converting current value of {timeout} assuming it represents seconds", stacklevel=2)
        timeout = timedelta(seconds=timeout)
    timeout = checked_timeout(DEFAULT_TIMEOUT if timeout is None else timeout)
    tag, token = _barrier_tag(group), cygrad.zeros(1, dtype=cygrad.uint8)
    if group.rank() == 0:
        _monitor(group, timeout, wait_all_ranks, tag, token)
    else:
        _pass_monitor(group, timeout, tag, token)
    return None


def _barrier_tag(group):
    """A tag for the group's next monitored barrier: all its ranks count the same, whatever other groups they are in."""
    group.monitored_barriers = group.monitored_barriers % LAST_TAG + 1
    return LAST_TAG + group.monitored_barriers


def _monitor(group, timeout, wait_all_ranks, tag, token):
    """Rank 0: hear from all others, then let them go."""
    call = "monitored_barrier()"
    waiting = {rank: group.start_recv(token.clone(), rank, tag, call) for rank in range(1, group.size())}
    try:
        _hear(waiting, timeout, wait_all_ranks)
    except DistBackendError:
        for work in waiting.values():       # or the group could not be given back before its timeout
            _given_up(work)
        raise
    for work in [group.start_send(token, rank, tag, call) for rank in waiting]:
        work.wait()


def _hear(waiting, timeout, wait_all_ranks):
    """Wait for these receives; raise which ranks did not send."""
    missing, why, until = [], None, time.monotonic() + timeout.total_seconds()
    milliseconds = f"{timeout / timedelta(milliseconds=1):.0f} ms"
    for rank, work in waiting.items():
        left = until - time.monotonic()
        if left <= 0 and not missing and not work.is_completed():
            came = ", ".join(str(other) for other in waiting if other < rank)
            raise DistBackendError(f"[Rank 0]: Rank 0 timed out in monitoredBarrier after {milliseconds}.\n" + (
                f"Successfully processed ranks: {came}" if came else
                "No ranks successfully processed in monitoredBarrier."))
        try:
            work.wait(timedelta(seconds=max(left, 0.001)))
        except DistBackendError as error:
            missing.append(rank)
            why = why or error
            if not wait_all_ranks:
                break
    if missing:
        names = f"Rank{'s' if len(missing) > 1 else ''} {', '.join(map(str, missing))}"
        raise DistBackendError(f"[Rank 0]: {names} failed to pass monitoredBarrier in {milliseconds}") from why


def _given_up(work):
    """End a receive that may still wait."""
    try:
        work.wait(timedelta(seconds=0.001))
    except DistBackendError:
        pass


def _pass_monitor(group, timeout, tag, token):
    """Other ranks: tell rank 0, then wait for its word."""
    try:
        group.start_send(token, 0, tag, "monitored_barrier()").wait(timeout)
        group.start_recv(token, 0, tag, "monitored_barrier()").wait(timeout)
    except DistBackendError as error:
        raise DistBackendError(f"Rank {group.rank()} successfully reached monitoredBarrier, but received errors while "
                               f"waiting for send/recv from rank 0. Please check rank 0 logs for faulty rank.\n "
                               f"Original exception: {error}") from error
