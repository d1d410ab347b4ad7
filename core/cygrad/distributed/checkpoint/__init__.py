"""Checkpoints that all ranks write together, each a part, and that any number of ranks can read."""
from cygrad.distributed.checkpoint.folders import CheckpointException, load, save

__all__ = ["CheckpointException", "load", "save"]
