"""Training whose parameters, gradients and optimiser state are divided among the ranks: `fully_shard`."""
from cygrad.distributed.fsdp.fully_shard import FSDPModule, UnshardHandle, fully_shard, register_fsdp_forward_method
from cygrad.distributed.fsdp.sharding_policies import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy
from cygrad.distributed.fsdp.sharded_parameter import ShardedParameter

__all__ = ["CPUOffloadPolicy", "FSDPModule", "MixedPrecisionPolicy", "OffloadPolicy", "ShardedParameter",
           "UnshardHandle", "fully_shard", "register_fsdp_forward_method"]
