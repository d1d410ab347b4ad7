"""Collectives that reduce: sums, means, extremes of all ranks' tensors, whole or in parts."""
import cygrad
from cygrad.distributed.checking import (check_list, check_same_dtype, check_sizes, check_tensor, described, ended,
                                          reduction)
from cygrad.distributed.groups import outside, rank_in, resolved, warn_outside
from cygrad.distributed.reduce_op import ReduceOp
from cygrad.distributed.staging import Staged, flattened, plain, write_back

__all__ = ["all_reduce", "all_reduce_coalesced", "reduce", "reduce_scatter", "reduce_scatter_single",
           "reduce_scatter_tensor"]


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """
    Give all ranks the sum (or another reduction) of their tensors, in place.

    Parameters
    ----------
    tensor : Tensor
        Of any shape and dtype, the same on all ranks.
    op : ReduceOp
    group : ProcessGroup, optional
    async_op : bool
        Return a Work instead of waiting.

    Returns
    -------
    Work or None

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.all_reduce(cygrad.ones(2))
    >>> dist.destroy_process_group()
    """
    check_tensor(tensor, "tensor")
    if outside(group):
        return warn_outside("all_reduce")
    group = resolved(group)
    kind, text, before, after = reduction("all_reduce", group, op, tensor)
    staged = Staged(tensor, group)
    if before is not None:
        before(staged.buffer)
    work = group.start_all_reduce(staged.buffer, kind, described("all_reduce", tensor, text))
    work.after(lambda _: after(staged.buffer)).after(staged.restore)
    return ended(work, async_op, [tensor])


def all_reduce_coalesced(tensors, op=ReduceOp.SUM, group=None, async_op=False):
    """
    `all_reduce` of several tensors of one dtype in one message.

    Parameters
    ----------
    tensors : list of Tensor
    op : ReduceOp
    group : ProcessGroup, optional
    async_op : bool
        Return a Future of the tensors instead of waiting.

    Returns
    -------
    Future or None

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.all_reduce_coalesced([cygrad.ones(2), cygrad.ones(3)])
    >>> dist.destroy_process_group()
    """
    if isinstance(tensors, cygrad.Tensor):
        tensors = [tensors]
    check_list(tensors, "tensors")
    check_same_dtype(*tensors)
    if outside(group):
        return warn_outside("all_reduce_coalesced")
    if not tensors:
        raise RuntimeError("requires non-empty tensor list")
    done = ended(coalesced(tensors, op, resolved(group)), async_op, tensors)
    return done.get_future() if async_op else None


def coalesced(tensors, op, group):
    """The Work of `all_reduce_coalesced`."""
    kind, text, before, after = reduction("all_reduce", group, op, tensors[0])
    buffer = flattened(tensors, group)
    if before is not None:
        before(buffer)
    work = group.start_all_reduce(buffer, kind, described("all_reduce_coalesced", buffer, text))
    return work.after(lambda _: after(buffer)).after(lambda _: write_back(buffer, tensors))


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    """
    Give one rank the sum (or another reduction) of all tensors, in place.

    Parameters
    ----------
    tensor : Tensor
        Of any shape and dtype, the same on all ranks; it changes on `dst` alone.
    dst : int
        One of the world's ranks.
    op : ReduceOp
    group : ProcessGroup, optional
    async_op : bool
        Return a Work instead of waiting.
    group_dst : int, optional
        Instead of `dst`: its rank in the group.

    Returns
    -------
    Work or None

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.reduce(cygrad.ones(2), 0)
    >>> dist.destroy_process_group()
    """
    if outside(group):
        return warn_outside("reduce")
    group = resolved(group)
    root = rank_in(group, dst, group_dst)
    check_tensor(tensor, "tensor")
    kind, text, before, after = reduction("reduce", group, op, tensor)
    staged = Staged(tensor, group)
    buffer = staged.buffer
    if before is not None:
        buffer = before(buffer if group.rank() == root else buffer.clone())
    work = group.start_reduce(buffer, root, kind, described("reduce", tensor, text, f"to {root}"))
    if group.rank() == root:
        work.after(lambda _: after(staged.buffer)).after(staged.restore)
    return ended(work, async_op, [tensor])


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    """
    Reduce a list of tensors, and give each rank one of them.

    Parameters
    ----------
    output : Tensor
        Written to.
    input_list : list of Tensor
        One for each rank, of the output's shape.
    op : ReduceOp
    group : ProcessGroup, optional
    async_op : bool
        Return a Work instead of waiting.

    Returns
    -------
    Work or None

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.reduce_scatter(cygrad.zeros(2), [cygrad.ones(2)])
    >>> dist.destroy_process_group()
    """
    check_tensor(output, "output")
    check_list(input_list, "input_list")
    check_same_dtype(output, *input_list)
    if outside(group):
        return warn_outside("reduce_scatter")
    group = resolved(group)
    check_sizes("reduce_scatter", input_list, group.size(), output.shape)
    return _reduce_scattered("reduce_scatter", output, flattened(input_list, group), op, group, async_op)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """
    Reduce a tensor, and give each rank a part of it.

    Parameters
    ----------
    output : Tensor
        Written to.
    input : Tensor
        Of the outputs of all ranks: side by side along axis 0, or along a new axis.
    op : ReduceOp
    group : ProcessGroup, optional
    async_op : bool
        Return a Work instead of waiting.

    Returns
    -------
    Work or None

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.reduce_scatter_tensor(cygrad.zeros(2), cygrad.ones(2))
    >>> dist.destroy_process_group()
    """
    check_tensor(output, "output")
    check_tensor(input, "input")
    check_same_dtype(output, input)
    if outside(group):
        return warn_outside("reduce_scatter_tensor")
    group = resolved(group)
    if plain(input).numel() != group.size() * plain(output).numel():
        raise RuntimeError("input tensor must be the same size as output size times world size")
    return _reduce_scattered("reduce_scatter_tensor", output, Staged(input, group).buffer, op, group, async_op)


reduce_scatter_single = reduce_scatter_tensor


def _reduce_scattered(name, output, buffer, op, group, async_op):
    kind, text, before, after = reduction(name, group, op, output)
    if before is not None:
        buffer = before(buffer.clone())
    target = Staged(output, group, read=False)
    work = group.start_reduce_scatter(target.buffer, buffer, kind, described(name, output, text))
    work.after(lambda _: after(target.buffer)).after(target.restore)
    return ended(work, async_op, [output])
