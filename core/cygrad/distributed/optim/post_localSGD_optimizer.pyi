# Written by docs/make_stubs.py; edit that, not this.
from cygrad.distributed.algorithms.model_averaging.averagers import ModelAverager
from cygrad.optim.optimizer import Optimizer
class PostLocalSGDOptimizer(Optimizer):
    def __init__(self, optim: Optimizer, averager: ModelAverager) -> None: ...
