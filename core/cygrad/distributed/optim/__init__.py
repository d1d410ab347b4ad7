"""Optimisers whose state is divided among the ranks, or whose weights are averaged over them."""
from cygrad.distributed.optim.post_localSGD_optimizer import PostLocalSGDOptimizer
from cygrad.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["PostLocalSGDOptimizer", "ZeroRedundancyOptimizer"]
