"""Checkpoints that all ranks write together, each a part, and that any number of ranks can read."""
from cygrad.distributed.checkpoint.folders import CheckpointException, async_save, load, save

__all__ = ["CheckpointException", "async_save", "load", "save"]
