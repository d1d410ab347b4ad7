"""`cygrad.optim.lr_scheduler`: learning rates that change from step to step.

`base.py` has what all schedules share, the other files the schedules by kind.
"""
from cygrad.optim.lr_scheduler.base import EPOCH_DEPRECATION_WARNING, LRScheduler, _LRScheduler
from cygrad.optim.lr_scheduler.combined import ChainedScheduler, SequentialLR
from cygrad.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from cygrad.optim.lr_scheduler.cycles import CyclicLR, OneCycleLR
from cygrad.optim.lr_scheduler.factors import (ConstantLR, ExponentialLR, LambdaLR, LinearLR, MultiplicativeLR,
                                               MultiStepLR, PolynomialLR, StepLR)
from cygrad.optim.lr_scheduler.plateau import ReduceLROnPlateau

__all__ = ["LambdaLR", "MultiplicativeLR", "StepLR", "MultiStepLR", "ConstantLR", "LinearLR", "ExponentialLR",
           "SequentialLR", "CosineAnnealingLR", "ChainedScheduler", "ReduceLROnPlateau", "CyclicLR",
           "CosineAnnealingWarmRestarts", "OneCycleLR", "PolynomialLR", "LRScheduler"]
for _name in [*__all__, "_LRScheduler"]:
    globals()[_name].__module__ = __name__
