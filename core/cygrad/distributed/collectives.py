"""Collectives that bring tensors from rank to rank as they are."""
import cygrad
from cygrad.distributed.checking import check_list, check_same_dtype, check_sizes, check_tensor, described, ended
from cygrad.distributed.groups import outside, rank_in, resolved, warn_outside
from cygrad.distributed.staging import Staged, flattened, plain, write_back

__all__ = ["all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_single", "all_to_all",
           "all_to_all_single", "barrier", "broadcast", "gather", "scatter"]


def barrier(group=None, async_op=False, device_ids=None, timeout=None):
    """
    Wait until all ranks of a group have come here.

    Parameters
    ----------
    group : ProcessGroup, optional
    async_op : bool
        Return a Work instead of waiting.
    device_ids : list of int, optional
        Not used.
    timeout : timedelta, optional
        For this call; the group's otherwise.

    Returns
    -------
    Work or None

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.barrier()
    >>> dist.destroy_process_group()
    """
    if outside(group):
        return warn_outside("barrier")
    work = resolved(group).start_barrier("barrier()")
    if async_op:
        work.background()
        return work
    work.wait(timeout)
    return None


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    """
    Give all ranks the values of one.

    Parameters
    ----------
    tensor : Tensor
        Of any shape, the same on all ranks: read on `src`, written to elsewhere.
    src : int
        One of the world's ranks.
    group : ProcessGroup, optional
    async_op : bool
        Return a Work instead of waiting.
    group_src : int, optional
        Instead of `src`: its rank in the group.

    Returns
    -------
    Work or None

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.broadcast(cygrad.ones(2), 0)
    >>> dist.destroy_process_group()
    """
    check_tensor(tensor, "tensor")
    if outside(group):
        return warn_outside("broadcast")
    group = resolved(group)
    root = rank_in(group, src, group_src)
    staged = Staged(tensor, group, read=group.rank() == root)
    work = group.start_broadcast(staged.buffer, root, described("broadcast", tensor, f"from {root}"))
    if group.rank() != root:
        work.after(staged.restore)
    return ended(work, async_op, [tensor])


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """
    Give all ranks a list of all tensors.

    Parameters
    ----------
    tensor_list : list of Tensor
        One for each rank, of the shape of its tensor; written to.
    tensor : Tensor
        This rank's.
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
    >>> dist.all_gather([cygrad.zeros(2)], cygrad.ones(2))
    >>> dist.destroy_process_group()
    """
    check_list(tensor_list, "tensor_list")
    check_tensor(tensor, "tensor")
    check_same_dtype(*tensor_list, tensor)
    if outside(group):
        return warn_outside("all_gather")
    group = resolved(group)
    check_sizes("all_gather", tensor_list, group.size(), tensor.shape)
    staged = Staged(tensor, group)
    buffer = cygrad.empty(group.size() * staged.buffer.numel(), dtype=staged.buffer.dtype, device=staged.buffer.device)
    work = group.start_all_gather(buffer, staged.buffer, described("all_gather", tensor))
    work.after(lambda _: write_back(buffer, tensor_list))
    return ended(work, async_op, tensor_list)


def all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op=False):
    """
    `all_gather` of several tensors in one message.

    Parameters
    ----------
    output_tensor_lists : list of list of Tensor
        For each rank a list of tensors like those of `input_tensor_list`.
    input_tensor_list : list of Tensor
    group : ProcessGroup, optional
    async_op : bool
        Return a Future instead of waiting.

    Returns
    -------
    Future or None

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.all_gather_coalesced([[cygrad.zeros(2)]], [cygrad.ones(2)])
    >>> dist.destroy_process_group()
    """
    if outside(group):
        return warn_outside("all_gather_coalesced")
    check_list(input_tensor_list, "input_tensor_list")
    check_same_dtype(*input_tensor_list)
    if not isinstance(output_tensor_lists, list):
        raise TypeError("Invalid function argument: output_tensor_lists should be a list")
    for outputs in output_tensor_lists:
        check_list(outputs, "output_tensor_lists")
        check_same_dtype(*outputs)
    outputs = [tensor for each in output_tensor_lists for tensor in each]
    done = ended(coalesced(output_tensor_lists, input_tensor_list, resolved(group)), async_op, outputs)
    return done.get_future() if async_op else None


def coalesced(output_tensor_lists, input_tensor_list, group):
    """The Work of `all_gather_coalesced`."""
    if len(output_tensor_lists) != group.size():
        raise RuntimeError("output lists should be equal to world size")
    for outputs in output_tensor_lists:
        if len(outputs) != len(input_tensor_list):
            raise RuntimeError(f"all_gather_coalesced: invalid output size: (expected length {len(input_tensor_list)}, "
                               f"got {len(outputs)})")
        for i, (each, own) in enumerate(zip(outputs, input_tensor_list)):
            if each.shape != own.shape:
                raise RuntimeError(f"all_gather_coalesced: invalid size of output tensor at index {i} "
                                   f"(expected length {list(own.shape)}, got {list(each.shape)})")
            if each.dtype != own.dtype:
                raise RuntimeError(f"all_gather_coalesced: invalid tensor type at index {i} (expected {own.type()}, "
                                   f"got {each.type()})")
    own = flattened(input_tensor_list, group)
    buffer = cygrad.empty(group.size() * own.numel(), dtype=own.dtype, device=own.device)
    work = group.start_all_gather(buffer, own, described("all_gather_coalesced", own))
    outputs = [tensor for each in output_tensor_lists for tensor in each]
    return work.after(lambda _: write_back(buffer, outputs))


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """
    Give all ranks one tensor of all tensors.

    Parameters
    ----------
    output_tensor : Tensor
        Of as many elements as all ranks' inputs: side by side along axis 0, or along a new axis.
    input_tensor : Tensor
        This rank's.
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
    >>> dist.all_gather_into_tensor(cygrad.zeros(2), cygrad.ones(2))
    >>> dist.destroy_process_group()
    """
    check_tensor(input_tensor, "input_tensor")
    check_tensor(output_tensor, "output_tensor")
    check_same_dtype(output_tensor, input_tensor)
    if outside(group):
        return warn_outside("all_gather_into_tensor")
    group = resolved(group)
    source, target = Staged(input_tensor, group), Staged(output_tensor, group, read=False)
    if target.buffer.numel() != group.size() * source.buffer.numel():
        raise RuntimeError("output tensor size must be equal to world_size times input tensor size")
    work = group.start_all_gather(target.buffer, source.buffer, described("all_gather_into_tensor", input_tensor))
    work.after(target.restore)
    return ended(work, async_op, [output_tensor])


all_gather_single = all_gather_into_tensor


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    """
    Give one rank a list of all tensors.

    Parameters
    ----------
    tensor : Tensor
        This rank's, of one shape on all.
    gather_list : list of Tensor, optional
        On `dst`: one for each rank, written to.
    dst : int
        One of the world's ranks; 0 by default.
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
    >>> dist.gather(cygrad.ones(2), [cygrad.zeros(2)])
    >>> dist.destroy_process_group()
    """
    check_tensor(tensor, "tensor")
    gather_list = gather_list or []
    check_list(gather_list, "gather_list")
    check_same_dtype(tensor, *gather_list)
    group = group if outside(group) else resolved(group)
    if outside(group):
        return warn_outside("gather")
    root = rank_in(group, dst, group_dst, 0)
    mine = group.rank() == root
    if mine and not gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if gather_list and not mine:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    if mine:
        check_sizes("gather", gather_list, group.size(), tensor.shape)
    own = Staged(tensor, group).buffer
    buffer = cygrad.empty(group.size() * own.numel(), dtype=own.dtype, device=own.device) if mine else None
    work = group.start_gather(buffer, own, root, described("gather", tensor, f"to {root}"))
    if mine:
        work.after(lambda _: write_back(buffer, gather_list))
    return ended(work, async_op, gather_list)


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    """
    Give each rank a tensor out of one rank's list.

    Parameters
    ----------
    tensor : Tensor
        Written to.
    scatter_list : list of Tensor, optional
        On `src`: one for each rank.
    src : int
        One of the world's ranks; 0 by default.
    group : ProcessGroup, optional
    async_op : bool
        Return a Work instead of waiting.
    group_src : int, optional
        Instead of `src`: its rank in the group.

    Returns
    -------
    Work or None

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.scatter(cygrad.zeros(2), [cygrad.ones(2)])
    >>> dist.destroy_process_group()
    """
    check_tensor(tensor, "tensor")
    scatter_list = scatter_list or []
    check_list(scatter_list, "scatter_list")
    check_same_dtype(tensor, *scatter_list)
    if outside(group):
        return warn_outside("scatter")
    group = resolved(group)
    root = rank_in(group, src, group_src, 0)
    mine = group.rank() == root
    if mine and not scatter_list:
        raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
    if scatter_list and not mine:
        raise ValueError("Argument ``scatter_list`` must NOT be specified on non-source ranks.")
    if mine:
        check_sizes("scatter", scatter_list, group.size(), tensor.shape)
    target = Staged(tensor, group, read=False)
    work = group.start_scatter(target.buffer, flattened(scatter_list, group) if mine else None, root,
                         described("scatter", tensor, f"from {root}"))
    work.after(target.restore)
    return ended(work, async_op, [tensor])


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    """
    Send a part of a tensor to each rank, and receive one from each.

    Parameters
    ----------
    output : Tensor
        Written to: the parts that came, by rank, along axis 0.
    input : Tensor
        The parts to send, by rank, along axis 0.
    output_split_sizes, input_split_sizes : list of int, optional
        How many rows each part has; equal parts by default.
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
    >>> dist.all_to_all_single(cygrad.zeros(2), cygrad.ones(2))
    >>> dist.destroy_process_group()
    """
    if outside(group):
        return warn_outside("all_to_all_single")
    check_tensor(output, "output")
    check_tensor(input, "input")
    check_same_dtype(output, input)
    group = resolved(group)
    source, target = Staged(input, group), Staged(output, group, read=False)
    counts_in = _row_counts(source.buffer, input_split_sizes, group.size())
    counts_out = _row_counts(target.buffer, output_split_sizes, group.size())
    work = group.start_all_to_all(target.buffer, source.buffer, counts_out, counts_in,
                            f"all_to_all_single({source.buffer.dtype.name})")
    work.after(target.restore)
    return ended(work, async_op, [output])


def _row_counts(buffer, splits, size):
    """How many elements go to, or come from, each rank."""
    rows = buffer.shape[0] if buffer.dim() else 1
    if not splits:
        if rows % size:
            raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
        splits = [rows // size] * size
    elif len(splits) != size:
        raise RuntimeError("Number of tensor splits not equal to group size")
    elif sum(splits) != rows or min(splits) < 0:
        raise RuntimeError("Split sizes doesn't match total dim 0 size")
    row = buffer.numel() // rows if rows else 0
    return [count * row for count in splits]


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """
    Send a tensor to each rank, and receive one from each.

    Parameters
    ----------
    output_tensor_list : list of Tensor
        What came, by rank; written to. Shapes may differ.
    input_tensor_list : list of Tensor
        What to send, by rank.
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
    >>> dist.all_to_all([cygrad.zeros(2)], [cygrad.ones(2)])
    >>> dist.destroy_process_group()
    """
    if outside(group):
        return warn_outside("all_to_all")
    check_list(output_tensor_list, "output_tensor_list")
    check_list(input_tensor_list, "input_tensor_list")
    check_same_dtype(*output_tensor_list, *input_tensor_list)
    group = resolved(group)
    for tensors in (output_tensor_list, input_tensor_list):
        if len(tensors) != group.size():
            raise RuntimeError(f"all_to_all: expected a tensor for each of {group.size()} ranks, got {len(tensors)}")
    source = flattened(input_tensor_list, group)
    counts_in = [plain(each).numel() for each in input_tensor_list]
    counts_out = [plain(each).numel() for each in output_tensor_list]
    buffer = cygrad.empty(sum(counts_out), dtype=source.dtype, device=source.device)
    work = group.start_all_to_all(buffer, source, counts_out, counts_in, f"all_to_all({source.dtype.name})")
    work.after(lambda _: write_back(buffer, output_tensor_list))
    return ended(work, async_op, output_tensor_list)
