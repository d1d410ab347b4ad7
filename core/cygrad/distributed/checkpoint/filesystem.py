"""Checkpoints by the objects with which PyTorch's programs name a folder, and between folders and files of `save`."""
import os

import cygrad
from cygrad.distributed.checkpoint import folders

__all__ = ["FileSystemReader", "FileSystemWriter", "dcp_to_torch_save", "torch_save_to_dcp"]


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
