# Written by docs/make_stubs.py; edit that, not this.
from cygrad.distributed.optim import (post_localSGD_optimizer as post_localSGD_optimizer, zero_redundancy_optimizer as
    zero_redundancy_optimizer)
from cygrad.distributed.optim.post_localSGD_optimizer import PostLocalSGDOptimizer as PostLocalSGDOptimizer
from cygrad.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer as ZeroRedundancyOptimizer
