"""Hooks for `DistributedDataParallel.register_comm_hook`: how the gradients of a bucket are averaged."""
from cygrad.distributed.algorithms.ddp_comm_hooks import debugging_hooks, default_hooks

__all__ = ["debugging_hooks", "default_hooks"]
