"""Hooks for `DistributedDataParallel.register_comm_hook`: how the gradients of a bucket are averaged."""
import enum

from cygrad.distributed.algorithms.ddp_comm_hooks import debugging_hooks, default_hooks

__all__ = ["DDPCommHookType", "debugging_hooks", "default_hooks", "register_ddp_comm_hook"]


class DDPCommHookType(enum.Enum):
    """Hooks by name."""

    ALLREDUCE = "allreduce_hook"
    FP16_COMPRESS = "fp16_compress_hook"
    BF16_COMPRESS = "bf16_compress_hook"
    NOOP = "noop_hook"


def register_ddp_comm_hook(comm_hook_type, model, state=None):
    """
    Register a hook by name.

    Parameters
    ----------
    comm_hook_type : DDPCommHookType
    model : DistributedDataParallel
    state : object, optional
        The hook's first argument.
    """
    name = comm_hook_type.value
    model.register_comm_hook(state, getattr(default_hooks, name, None) or getattr(debugging_hooks, name))
