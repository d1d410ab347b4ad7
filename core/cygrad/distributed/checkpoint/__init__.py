"""Checkpoints that all ranks write together, each a part, and that any number of ranks can read."""
from cygrad.distributed.checkpoint.filesystem import (FileSystemReader, FileSystemWriter, load_state_dict,
                                                   save_state_dict)
from cygrad.distributed.checkpoint.folders import CheckpointException, async_save, load, save
from cygrad.distributed.checkpoint.stateful import Stateful

__all__ = ["CheckpointException", "FileSystemReader", "FileSystemWriter", "Stateful", "async_save", "load",
           "load_state_dict", "save", "save_state_dict"]
