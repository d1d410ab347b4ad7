"""Hooks for `DistributedDataParallel.register_comm_hook`: how the gradients of a bucket are averaged."""
import enum

from cygrad.distributed.algorithms.ddp_comm_hooks import (debugging_hooks, default_hooks, post_localSGD_hook,
                                                           powerSGD_hook)

__all__ = ["DDPCommHookType", "debugging_hooks", "default_hooks", "post_localSGD_hook", "powerSGD_hook",
           "register_ddp_comm_hook"]


class DDPCommHookType(enum.Enum):
    """Hooks by name."""

    ALLREDUCE = "allreduce_hook"
    FP16_COMPRESS = "fp16_compress_hook"
    BF16_COMPRESS = "bf16_compress_hook"
    POWER_SGD = "powerSGD_hook", 1
    POWER_SGD_RANK2 = "powerSGD_hook", 2
    BATCHED_POWER_SGD = "batched_powerSGD_hook", 1
    BATCHED_POWER_SGD_RANK2 = "batched_powerSGD_hook", 2
    NOOP = "noop_hook"


def register_ddp_comm_hook(comm_hook_type, model, state=None):
    """
    Register a hook by name.

    Parameters
    ----------
    comm_hook_type : DDPCommHookType
    model : DistributedDataParallel
    state : object, optional
        The hook's first argument; for those of PowerSGD, of which the number is the rank, their group.
    """
    name = comm_hook_type.value
    if isinstance(name, tuple):
        name, rank = name
        model.register_comm_hook(powerSGD_hook.PowerSGDState(state, rank), getattr(powerSGD_hook, name))
        return
    model.register_comm_hook(state, getattr(default_hooks, name, None) or getattr(debugging_hooks, name))
