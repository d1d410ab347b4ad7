"""`save` and `load`: a checkpoint is a folder with a file of each rank, and a list of what is in which.

It is written beside its place and moved there when all ranks are done, so a place holds a whole checkpoint or, where
there was one, the earlier one. The folder is on a file system that all ranks see.
"""
import atexit
import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import cygrad
import cygrad.distributed as dist
from cygrad.distributed import groups

__all__ = ["CheckpointException", "async_save", "load", "save"]

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


def part_of(value):
    """(first row, whole shape) of what `fully_shard` has divided; None of what is whole."""
    return (value.rows()[0], tuple(value.full_shape)) if hasattr(value, "full_shape") else None


def named(values):
    """{(place, part_of the value): value}: parts of one tensor have different names."""
    return {(place, part_of(value)): value for place, value in values.items()}


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


def save(state_dict, *, checkpoint_id=None, storage_writer=None, process_group=None, no_dist=False):
    """
    Write a checkpoint; all ranks of the group call it. Of what `fully_shard` has divided each rank writes its rows.

    Parameters
    ----------
    state_dict : dict
        Tensors, numbers, texts, and dicts and lists of them; also objects with a `state_dict`. What several ranks have
        under one key is taken to be the same, and is written once.
    checkpoint_id : str or path
        The folder. One that is there is replaced when the new one is whole.
    storage_writer : FileSystemWriter, optional
        Instead of `checkpoint_id`: its folder.
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
    target = folder_of(checkpoint_id, storage_writer)
    write_checkpoint(ranks_of(process_group, no_dist), target, named(flat(state_dict)))


def folder_of(checkpoint_id, storage):
    """The folder that the arguments of a call name."""
    if checkpoint_id is None and storage is None:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
    target = os.fspath(storage.path if checkpoint_id is None else checkpoint_id)
    if not getattr(storage, "overwrite", True) and os.path.exists(os.path.join(target, CONTENTS)):
        raise RuntimeError(f"Checkpoint already exists and {storage.overwrite=}.")
    return target


def write_checkpoint(ranks, target, values):
    """The folder of a checkpoint with these values, as `named` names them, or what was there before."""
    owners = divided(ranks.gathered({place: size_of(value) for place, value in values.items()}))
    writing = f"{target}.writing"
    what = f"the checkpoint {target!r} could not be written"

    def prepare():
        if ranks.rank == 0:
            shutil.rmtree(writing, ignore_errors=True)
            os.makedirs(writing)

    def write():
        own = [(place, values[place].detach().clone() if isinstance(values[place], cygrad.Tensor) else values[place])
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


class _Background:
    """The thread that writes for `async_save`: one checkpoint after the other, in the same order on all ranks."""

    thread = None
    twins = {}          # {group: another of the same ranks, whose calls don't meet those of the program}

    @classmethod
    def submit(cls, call):
        if cls.thread is None:
            cls.thread = ThreadPoolExecutor(1, "cygrad-checkpoint")
            atexit.register(cls.thread.shutdown)
        return cls.thread.submit(call)

    @classmethod
    def twin(cls, group):
        if group not in cls.twins or not groups.known(cls.twins[group]):
            cls.twins[group] = groups.another(group, "async_save")
        return cls.twins[group]


def async_save(state_dict, *, checkpoint_id=None, storage_writer=None, process_group=None, no_dist=False):
    """
    Copy a state and return; a thread writes the checkpoint while the program goes on. All ranks of the group call it.

    Parameters
    ----------
    state_dict : dict
        As in `save`. It may change as soon as the call has returned.
    checkpoint_id : str or path
        The folder.
    storage_writer : FileSystemWriter, optional
        Instead of `checkpoint_id`: its folder.
    process_group : ProcessGroup, optional
    no_dist : bool
        This rank saves by itself.

    Returns
    -------
    concurrent.futures.Future
        Its `result()` waits until the checkpoint is whole, and raises CheckpointException if it could not be written.
        Checkpoints are written one after the other.

    Examples
    --------
    >>> import cygrad, tempfile
    >>> import cygrad.distributed.checkpoint as dcp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state = {"weight": cygrad.ones(2)}
    ...     future = dcp.async_save(state, checkpoint_id=f"{folder}/first")
    ...     state["weight"].zero_()
    ...     future.result()
    ...     dcp.load(state, checkpoint_id=f"{folder}/first")
    tensor([0., 0.])
    >>> state
    {'weight': tensor([1., 1.])}
    """
    ranks, target = ranks_of(process_group, no_dist), folder_of(checkpoint_id, storage_writer)
    if isinstance(ranks, _Together):
        ranks = _Together(_Background.twin(ranks.group))
    values = {name: value.detach().to("cpu", copy=True) if isinstance(value, cygrad.Tensor) else value
              for name, value in named(flat(state_dict)).items()}
    return _Background.submit(lambda: write_checkpoint(ranks, target, values))


def file_of(rank):
    """The name of a rank's file."""
    return f"__{rank}_0.distcp"


def put(value, path):
    """Write an object, and see it on the disk."""
    cygrad.save(value, path)
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def load(state_dict, *, checkpoint_id=None, storage_reader=None, process_group=None, no_dist=False):
    """
    Read a checkpoint into a state dict: tensors in place, other values anew. All ranks of the group call it.

    Parameters
    ----------
    state_dict : dict
        Says what is wanted; the checkpoint may have more, and may be of another number of ranks.
    checkpoint_id : str or path
        The folder.
    storage_reader : FileSystemReader, optional
        Instead of `checkpoint_id`: its folder.
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
    ranks, folder = ranks_of(process_group, no_dist), folder_of(checkpoint_id, storage_reader)
    wanted, read = flat(state_dict), {}

    def gather_parts():
        where, found = {}, {}
        for (place, part), rank in cygrad.load(os.path.join(folder, CONTENTS)):
            where.setdefault(place, []).append((part, rank))
        for place in wanted:
            if place not in where:
                raise RuntimeError(f"Missing key in checkpoint state_dict: {'.'.join(map(str, place))}.")
        for rank in sorted({rank for place in wanted for _, rank in where[place]}):
            for (place, part), value in cygrad.load(os.path.join(folder, file_of(rank))):
                if place in wanted:
                    found.setdefault(place, []).append((part, value))
        for place, value in wanted.items():
            read[place] = joined(found[place], value)
            if isinstance(value, cygrad.Tensor) and value.shape != read[place].shape:
                raise ValueError(f"Size mismatch between saved {read[place].shape} and current: {value.shape} for "
                                 f"{'.'.join(map(str, place))}")

    together(ranks, f"the checkpoint {folder!r} could not be read", gather_parts)
    for name, value in state_dict.items():
        state_dict[name] = filled(value, (name,), read)


def everything(folder):
    """All that a checkpoint has, as nested dicts; lists come back as dicts of numbers."""
    found, whole = {}, {}
    for rank in sorted({rank for _, rank in cygrad.load(os.path.join(folder, CONTENTS))}):
        for (place, part), value in cygrad.load(os.path.join(folder, file_of(rank))):
            found.setdefault(place, []).append((part, value))
    for place, parts in found.items():
        inner = whole
        for key in place[:-1]:
            inner = inner.setdefault(key, {})
        inner[place[-1]] = joined(parts, None)
    return whole


def joined(parts, like):
    """What is wanted of a value: the rows that `like` has, of a tensor that was saved whole or in parts."""
    (first_part, value), *_ = parts
    if first_part is not None:
        value = cygrad.cat([rows for _, rows in sorted(parts, key=lambda each: each[0][0])])
    if part_of(like) is None:
        return value
    if value.shape != like.full_shape:
        raise ValueError(f"Size mismatch between saved {value.shape} and current: {like.full_shape}")
    first, end = like.rows()
    return value[first:end]


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
