"""Collectives of Python objects: pickled, sent as bytes, and read again. Only from processes that you trust."""
import pickle

import cygrad
from cygrad.distributed import collectives, point_to_point
from cygrad.distributed.groups import outside, rank_in, resolved, warn_outside

__all__ = ["all_gather_object", "broadcast_object_list", "gather_object", "recv_object_list", "scatter_object_list",
           "send_object_list"]


def packed(value):
    """A tensor of the bytes of an object."""
    return cygrad.frombuffer(bytearray(pickle.dumps(value)), dtype=cygrad.uint8)


def unpacked(tensor, size):
    """The object in the first `size` bytes."""
    return pickle.loads(tensor[:size].cpu().numpy().tobytes())


def packed_list(values):
    """(the bytes of all objects, how many bytes each has)."""
    parts = list(map(packed, values))
    sizes = cygrad.tensor([part.numel() for part in parts], dtype=cygrad.int64)
    return (cygrad.cat(parts) if parts else cygrad.empty(0, dtype=cygrad.uint8)), sizes


def unpacked_list(buffer, sizes):
    """The objects of `packed_list`."""
    values, start = [], 0
    for size in sizes.tolist():
        values.append(unpacked(buffer[start:start + size], size))
        start += size
    return values


def all_gather_object(object_list, obj, group=None):
    """
    Give all ranks a list of all ranks' objects.

    Parameters
    ----------
    object_list : list
        Of as many elements as there are ranks; written to.
    obj : object
        This rank's; it can be pickled.
    group : ProcessGroup, optional

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> found = [None]
    >>> dist.all_gather_object(found, {"loss": 0.5})
    >>> found
    [{'loss': 0.5}]
    >>> dist.destroy_process_group()
    """
    if outside(group):
        return warn_outside("all_gather_object")
    group = resolved(group)
    own = packed(obj)
    sizes = _all_sizes(own, group)
    longest = max(sizes)
    padded = cygrad.zeros(longest, dtype=cygrad.uint8)
    padded[:own.numel()] = own
    everything = cygrad.empty(group.size(), longest, dtype=cygrad.uint8)
    collectives.all_gather_into_tensor(everything, padded, group)
    for rank, size in enumerate(sizes):
        object_list[rank] = unpacked(everything[rank], size)
    return None


def _all_sizes(own, group):
    """How many bytes each rank has."""
    sizes = cygrad.empty(group.size(), dtype=cygrad.int64)
    collectives.all_gather_into_tensor(sizes, cygrad.tensor([own.numel()], dtype=cygrad.int64), group)
    return sizes.tolist()


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    """
    Give one rank a list of all ranks' objects.

    Parameters
    ----------
    obj : object
        This rank's; it can be pickled.
    object_gather_list : list, optional
        On `dst`: of as many elements as there are ranks; written to.
    dst : int
        One of the world's ranks; 0 by default.
    group : ProcessGroup, optional
    group_dst : int, optional
        Instead of `dst`: its rank in the group.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> found = [None]
    >>> dist.gather_object("mine", found)
    >>> found
    ['mine']
    >>> dist.destroy_process_group()
    """
    if outside(group):
        return warn_outside("gather_object")
    group = resolved(group)
    root = rank_in(group, dst, group_dst, 0)
    mine = group.rank() == root
    if mine and not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if object_gather_list and not mine:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    own = packed(obj)
    sizes = _all_sizes(own, group)
    padded = cygrad.zeros(max(sizes), dtype=cygrad.uint8)
    padded[:own.numel()] = own
    found = [cygrad.empty_like(padded) for _ in sizes] if mine else None
    collectives.gather(padded, found, group=group, group_dst=root)
    if mine:
        for rank, size in enumerate(sizes):
            object_gather_list[rank] = unpacked(found[rank], size)
    return None


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """
    Give all ranks the objects of one rank's list.

    Parameters
    ----------
    object_list : list
        Of the same length on all ranks; written to on others than `src`.
    src : int
        One of the world's ranks; 0 by default.
    group : ProcessGroup, optional
    device : device, optional
        Not used: objects travel through the host's memory.
    group_src : int, optional
        Instead of `src`: its rank in the group.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> dist.broadcast_object_list(["settings", 3], src=0)
    >>> dist.destroy_process_group()
    """
    if outside(group):
        return warn_outside("broadcast_object_list")
    group = resolved(group)
    root = rank_in(group, src, group_src, 0)
    mine = group.rank() == root
    buffer, sizes = packed_list(object_list) if mine else (None, cygrad.empty(len(object_list), dtype=cygrad.int64))
    collectives.broadcast(sizes, group=group, group_src=root)
    if not mine:
        buffer = cygrad.empty(int(sizes.sum()), dtype=cygrad.uint8)
    collectives.broadcast(buffer, group=group, group_src=root)
    if not mine:
        object_list[:] = unpacked_list(buffer, sizes)
    return None


def scatter_object_list(scatter_object_output_list, scatter_object_input_list=None, src=None, group=None,
                        group_src=None):
    """
    Give each rank an object out of one rank's list.

    Parameters
    ----------
    scatter_object_output_list : list
        Its first element becomes the object.
    scatter_object_input_list : list, optional
        On `src`: an object for each rank.
    src : int
        One of the world's ranks; 0 by default.
    group : ProcessGroup, optional
    group_src : int, optional
        Instead of `src`: its rank in the group.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> found = [None]
    >>> dist.scatter_object_list(found, ["task"])
    >>> found
    ['task']
    >>> dist.destroy_process_group()
    """
    if outside(group):
        return warn_outside("scatter_object_list")
    group = resolved(group)
    root = rank_in(group, src, group_src, 0)
    if not isinstance(scatter_object_output_list, list) or len(scatter_object_output_list) < 1:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    mine = group.rank() == root
    if mine and scatter_object_input_list is None:
        raise ValueError("source rank must provide non-None scatter_object_input_list")
    sizes, parts = cygrad.zeros(group.size(), dtype=cygrad.int64), []
    if mine:
        parts = list(map(packed, scatter_object_input_list))
        if len(parts) != group.size():
            raise ValueError(f"scatter_object_input_list has {len(parts)} objects for {group.size()} ranks")
        sizes = cygrad.tensor([part.numel() for part in parts], dtype=cygrad.int64)
    collectives.broadcast(sizes, group=group, group_src=root)
    sizes = sizes.tolist()
    output = cygrad.empty(max(sizes), dtype=cygrad.uint8)
    padded = [cygrad.cat([part, cygrad.zeros(max(sizes) - part.numel(), dtype=cygrad.uint8)]) for part in parts]
    collectives.scatter(output, padded or None, group=group, group_src=root)
    scatter_object_output_list[0] = unpacked(output, sizes[group.rank()])
    return None


def send_object_list(object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False):
    """
    Send objects to another rank.

    Parameters
    ----------
    object_list : list
    dst : int
        One of the world's ranks.
    group : ProcessGroup, optional
    device, use_batch : optional
        Not used.
    group_dst : int, optional
        Instead of `dst`: its rank in the group.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> if dist.is_initialized() and dist.get_rank() == 0:
    ...     dist.send_object_list(["settings", 3], dst=1)
    """
    if outside(group):
        return warn_outside("send_object_list")
    group = resolved(group)
    to = rank_in(group, dst, group_dst)
    buffer, sizes = packed_list(object_list)
    point_to_point.send(sizes, group=group, group_dst=to)
    point_to_point.send(buffer, group=group, group_dst=to)
    return None


def recv_object_list(object_list, src=None, group=None, device=None, group_src=None, use_batch=False):
    """
    Receive objects from another rank.

    Parameters
    ----------
    object_list : list
        Of as many elements as are sent; written to.
    src : int, optional
        One of the world's ranks; any, by default.
    group : ProcessGroup, optional
    device, use_batch : optional
        Not used.
    group_src : int, optional
        Instead of `src`: its rank in the group.

    Returns
    -------
    int
        The world's rank that sent them; -1 where this process is not in the group.

    Examples
    --------
    >>> import cygrad.distributed as dist
    >>> if dist.is_initialized() and dist.get_rank() == 1:
    ...     dist.recv_object_list([None, None], src=0)
    """
    if outside(group):
        warn_outside("recv_object_list")
        return -1
    group = resolved(group)
    sizes = cygrad.empty(len(object_list), dtype=cygrad.int64)
    sender = point_to_point.recv(sizes, src, group, group_src=group_src)
    buffer = cygrad.empty(int(sizes.sum()), dtype=cygrad.uint8)
    point_to_point.recv(buffer, sender, group)
    object_list[:] = unpacked_list(buffer, sizes)
    return sender
