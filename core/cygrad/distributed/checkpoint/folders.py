"""`save` and `load`: a checkpoint is a folder with a file of each rank, and a list of what is in which.

It is written beside its place and moved there when all ranks are done, so a place holds a whole checkpoint or, where
there was one, the earlier one. The folder is on a file system that all ranks see.
"""
import os
import shutil

import cygrad
import cygrad.distributed as dist

__all__ = ["CheckpointException", "load", "save"]

CONTENTS = ".metadata"          # PyTorch's name for the list; what is in the files is cygrad's own


class CheckpointException(Exception):
    """
    Some ranks could not write or read their parts.

    Attributes
    ----------
    failures : dict
        {rank: its error}.
    """

    def __init__(self, what, failures):
        self.failures = failures
        said = "".join(f"\n  rank {rank}: {type(error).__name__}: {error}" for rank, error in sorted(failures.items()))
        super().__init__(f"{what}:{said}")


class _Alone:
    """The group of a program that has none."""

    @staticmethod
    def gathered(value):
        return [value]

    rank = 0


class _Together:
    """The ranks of a group."""

    def __init__(self, group):
        self.group = group
        self.rank = group.rank()

    def gathered(self, value):
        found = [None] * self.group.size()
        dist.all_gather_object(found, value, self.group)
        return found


def ranks_of(process_group, no_dist):
    if no_dist or not dist.is_initialized():
        return _Alone()
    return _Together(process_group or dist.group.WORLD)


def flat(value, path=()):
    """{place: value} of nested dicts and lists; a place is a tuple of keys. Objects with a state give that."""
    if hasattr(value, "state_dict") and hasattr(value, "load_state_dict"):
        value = value.state_dict()
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if inner is None or not value:
        return {path: value}
    found = {}
    for key, each in inner:
        found.update(flat(each, (*path, key)))
    return found


def size_of(value):
    return value.numel() * value.element_size() if isinstance(value, cygrad.Tensor) else 64


def divided(lists):
    """{place: the rank that writes it}: of those that have it the one with least to write; the same on all ranks."""
    sizes, having = {}, {}
    for rank, places in enumerate(lists):
        for place, size in places.items():
            sizes[place] = size
            having.setdefault(place, []).append(rank)
    loads, owners = [0] * len(lists), {}
    for place in sorted(sizes, key=lambda each: (-sizes[each], repr(each))):
        rank = min(having[place], key=lambda each: loads[each])
        loads[rank] += sizes[place]
        owners[place] = rank
    return owners


def together(ranks, what, call):
    """Let each rank do its part; raise on all of them if one fails."""
    error = None
    try:
        call()
    except Exception as failure:
        error = failure
    failures = {rank: each for rank, each in enumerate(ranks.gathered(error)) if each is not None}
    if failures:
        raise CheckpointException(what, failures)


def save(state_dict, *, checkpoint_id, process_group=None, no_dist=False):
    """
    Write a checkpoint; all ranks of the group call it.

    Parameters
    ----------
    state_dict : dict
        Tensors, numbers, texts, and dicts and lists of them; also objects with a `state_dict`. What several ranks have
        under one key is taken to be the same, and is written once.
    checkpoint_id : str or path
        The folder. One that is there is replaced when the new one is whole.
    process_group : ProcessGroup, optional
    no_dist : bool
        This rank saves by itself.

    Raises
    ------
    CheckpointException
        On all ranks, if one could not write: what was in the folder is still there.

    Examples
    --------
    >>> import cygrad, tempfile
    >>> import cygrad.distributed.checkpoint as dcp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dcp.save({"weight": cygrad.ones(2), "step": 3}, checkpoint_id=f"{folder}/first")
    ...     state = {"weight": cygrad.zeros(2), "step": 0}
    ...     dcp.load(state, checkpoint_id=f"{folder}/first")
    >>> state
    {'weight': tensor([1., 1.]), 'step': 3}
    """
    ranks, target = ranks_of(process_group, no_dist), os.fspath(checkpoint_id)
    values = flat(state_dict)
    owners = divided(ranks.gathered({place: size_of(value) for place, value in values.items()}))
    writing = f"{target}.writing"
    what = f"the checkpoint {target!r} could not be written"

    def prepare():
        if ranks.rank == 0:
            shutil.rmtree(writing, ignore_errors=True)
            os.makedirs(writing)

    def write():
        own = [(place, values[place].detach() if isinstance(values[place], cygrad.Tensor) else values[place])
               for place, owner in owners.items() if owner == ranks.rank]
        put(own, os.path.join(writing, file_of(ranks.rank)))

    def put_in_place():
        if ranks.rank == 0:
            put([(place, owner) for place, owner in owners.items()], os.path.join(writing, CONTENTS))
            before = f"{target}.before"
            shutil.rmtree(before, ignore_errors=True)
            if os.path.exists(target):
                os.rename(target, before)
            os.rename(writing, target)
            shutil.rmtree(before, ignore_errors=True)

    try:
        for part in (prepare, write, put_in_place):
            together(ranks, what, part)
    except CheckpointException:
        if ranks.rank == 0:
            shutil.rmtree(writing, ignore_errors=True)
        raise


def file_of(rank):
    """The name of a rank's file."""
    return f"__{rank}_0.distcp"


def put(value, path):
    """Write an object, and see it on the disk."""
    cygrad.save(value, path)
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def load(state_dict, *, checkpoint_id, process_group=None, no_dist=False):
    """
    Read a checkpoint into a state dict: tensors in place, other values anew. All ranks of the group call it.

    Parameters
    ----------
    state_dict : dict
        Says what is wanted; the checkpoint may have more, and may be of another number of ranks.
    checkpoint_id : str or path
        The folder.
    process_group : ProcessGroup, optional
    no_dist : bool
        This rank loads by itself.

    Raises
    ------
    CheckpointException
        On all ranks, if there is no checkpoint, or one lacks a key, or a tensor has another size. Nothing is loaded.

    Examples
    --------
    >>> import cygrad, tempfile
    >>> import cygrad.distributed.checkpoint as dcp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dcp.save({"a": cygrad.ones(1), "b": 2}, checkpoint_id=folder + "/first")
    ...     state = {"b": 0}
    ...     dcp.load(state, checkpoint_id=folder + "/first")
    >>> state
    {'b': 2}
    """
    ranks, folder = ranks_of(process_group, no_dist), os.fspath(checkpoint_id)
    wanted, read = flat(state_dict), {}

    def gather_parts():
        owners = dict(cygrad.load(os.path.join(folder, CONTENTS)))
        for place in wanted:
            if place not in owners:
                raise RuntimeError(f"Missing key in checkpoint state_dict: {'.'.join(map(str, place))}.")
        for rank in sorted({owners[place] for place in wanted}):
            part = dict(cygrad.load(os.path.join(folder, file_of(rank))))
            read.update({place: part[place] for place in part if place in wanted})
        for place, value in wanted.items():
            if isinstance(value, cygrad.Tensor) and value.shape != read[place].shape:
                raise ValueError(f"Size mismatch between saved {read[place].shape} and current: {value.shape} for "
                                 f"{'.'.join(map(str, place))}")

    together(ranks, f"the checkpoint {folder!r} could not be read", gather_parts)
    for name, value in state_dict.items():
        state_dict[name] = filled(value, (name,), read)


def filled(value, path, read):
    """A value with what was read in it."""
    if hasattr(value, "state_dict") and hasattr(value, "load_state_dict"):
        value.load_state_dict(filled(value.state_dict(), path, read))
        return value
    if isinstance(value, cygrad.Tensor):
        with cygrad.no_grad():
            value.copy_(read[path])
        return value
    if isinstance(value, (dict, list)) and value:
        for key in value if isinstance(value, dict) else range(len(value)):
            value[key] = filled(value[key], (*path, key), read)
        return value
    return read[path]
