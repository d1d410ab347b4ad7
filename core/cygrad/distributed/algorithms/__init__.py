"""Ways of communicating that `DistributedDataParallel` and others may be given: `join`, `ddp_comm_hooks`."""
from cygrad.distributed.algorithms.join import Join, Joinable, JoinHook

__all__ = ["Join", "JoinHook", "Joinable"]
