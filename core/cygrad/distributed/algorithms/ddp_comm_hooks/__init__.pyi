# Written by docs/make_stubs.py; edit that, not this.
from cygrad.nn.parallel.distributed import DistributedDataParallel
from enum import Enum
from typing import Any
from cygrad.distributed.algorithms.ddp_comm_hooks import (debugging_hooks as debugging_hooks, default_hooks as
    default_hooks, post_localSGD_hook as post_localSGD_hook, powerSGD_hook as powerSGD_hook)
class DDPCommHookType(Enum):
    ALLREDUCE = 'allreduce_hook'
    FP16_COMPRESS = 'fp16_compress_hook'
    BF16_COMPRESS = 'bf16_compress_hook'
    POWER_SGD = ...
    POWER_SGD_RANK2 = ...
    BATCHED_POWER_SGD = ...
    BATCHED_POWER_SGD_RANK2 = ...
    NOOP = 'noop_hook'
def register_ddp_comm_hook(comm_hook_type: DDPCommHookType, model: DistributedDataParallel, state: Any =
        None) -> None: ...
