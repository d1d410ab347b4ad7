"""Checkpoints by the objects with which PyTorch's programs name a folder, and between folders and files of `save`."""
import os
import warnings

import cygrad
from cygrad.distributed.checkpoint import folders

__all__ = ["FileSystemReader", "FileSystemWriter", "dcp_to_torch_save", "load_state_dict", "save_state_dict",
           "torch_save_to_dcp"]


class FileSystemReader:
    """
    A folder that `load` reads: its `storage_reader`.

    Parameters
    ----------
    path : str or path
    """

    def __init__(self, path):
        self.path = self.checkpoint_id = os.fspath(path)


class FileSystemWriter:
    """
    A folder that `save` writes: its `storage_writer`.

    Parameters
    ----------
    path : str or path
    overwrite : bool
        Replace a checkpoint that is there.
    single_file_per_rank, sync_files, thread_count, per_thread_copy_ahead, cache_staged_state_dict : optional
        Of no effect: each rank writes one file, and sees it on the disk.
    """

    def __init__(self, path, single_file_per_rank=True, sync_files=True, thread_count=1,
                 per_thread_copy_ahead=10_000_000, cache_staged_state_dict=False, overwrite=True):
        self.path = self.checkpoint_id = os.fspath(path)
        self.overwrite = overwrite


def dcp_to_torch_save(dcp_checkpoint_dir, torch_save_path):
    """
    Write what a checkpoint's folder has into one file, for `cygrad.load`; one process calls it.

    Parameters
    ----------
    dcp_checkpoint_dir, torch_save_path : str or path

    Examples
    --------
    >>> import cygrad, os, tempfile
    >>> import cygrad.distributed.checkpoint as dcp
    >>> from cygrad.distributed.checkpoint.format_utils import dcp_to_torch_save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dcp.save({"a": {"b": cygrad.ones(1)}}, checkpoint_id=os.path.join(folder, "parts"))
    ...     dcp_to_torch_save(os.path.join(folder, "parts"), os.path.join(folder, "whole.pt"))
    ...     cygrad.load(os.path.join(folder, "whole.pt"))
    {'a': {'b': tensor([1.])}}
    """
    cygrad.save(folders.everything(os.fspath(dcp_checkpoint_dir)), torch_save_path)


def torch_save_to_dcp(torch_save_path, dcp_checkpoint_dir):
    """
    Write what a file of `cygrad.save` has into a checkpoint's folder; one process calls it.

    Parameters
    ----------
    torch_save_path, dcp_checkpoint_dir : str or path

    Examples
    --------
    >>> import cygrad, os, tempfile
    >>> import cygrad.distributed.checkpoint as dcp
    >>> from cygrad.distributed.checkpoint.format_utils import torch_save_to_dcp
    >>> state = {"a": cygrad.zeros(1)}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cygrad.save({"a": cygrad.ones(1)}, os.path.join(folder, "whole.pt"))
    ...     torch_save_to_dcp(os.path.join(folder, "whole.pt"), os.path.join(folder, "parts"))
    ...     dcp.load(state, checkpoint_id=os.path.join(folder, "parts"))
    >>> state
    {'a': tensor([1.])}
    """
    folders.save(cygrad.load(torch_save_path, weights_only=False), checkpoint_id=dcp_checkpoint_dir, no_dist=True)


def save_state_dict(state_dict, storage_writer, process_group=None, coordinator_rank=0, no_dist=False):
    """
    The older form of `save`.

    Parameters
    ----------
    state_dict : dict
    storage_writer : FileSystemWriter
    process_group : ProcessGroup, optional
    coordinator_rank : int
        Not used.
    no_dist : bool
        This rank saves by itself.

    Examples
    --------
    >>> import cygrad, tempfile, warnings
    >>> import cygrad.distributed.checkpoint as dcp
    >>> with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     dcp.save_state_dict({"a": cygrad.ones(1)}, dcp.FileSystemWriter(folder + "/first"))
    """
    warnings.warn("'save_state_dict' is deprecated and will be removed in future versions. Please use 'save' instead.",
                  FutureWarning, stacklevel=2)
    folders.save(state_dict, storage_writer=storage_writer, process_group=process_group, no_dist=no_dist)


def load_state_dict(state_dict, storage_reader, process_group=None, coordinator_rank=0, no_dist=False):
    """
    The older form of `load`.

    Parameters
    ----------
    state_dict : dict
    storage_reader : FileSystemReader
    process_group : ProcessGroup, optional
    coordinator_rank : int
        Not used.
    no_dist : bool
        This rank loads by itself.

    Examples
    --------
    >>> import cygrad, tempfile, warnings
    >>> import cygrad.distributed.checkpoint as dcp
    >>> state = {"a": cygrad.zeros(1)}
    >>> with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     dcp.save({"a": cygrad.ones(1)}, checkpoint_id=folder + "/first")
    ...     dcp.load_state_dict(state, dcp.FileSystemReader(folder + "/first"))
    >>> state
    {'a': tensor([1.])}
    """
    warnings.warn("'load_state_dict' is deprecated and will be removed in future versions. Please use 'load' instead.",
                  FutureWarning, stacklevel=2)
    folders.load(state_dict, storage_reader=storage_reader, process_group=process_group, no_dist=no_dist)
