"""`cygrad.optim`: optimizers, learning rate schedules and averaged models.

Python over public names of cygrad. `updates.py` says how a step runs, `checks.py` which options are refused; each
optimizer's file has its options, its state and its formula.
"""
import importlib as _importlib

from cygrad.optim import lr_scheduler
from cygrad.optim.adadelta import Adadelta
from cygrad.optim.adafactor import Adafactor
from cygrad.optim.adagrad import Adagrad
from cygrad.optim.adam import Adam
from cygrad.optim.adamax import Adamax
from cygrad.optim.adamw import AdamW
from cygrad.optim.asgd import ASGD
from cygrad.optim.lbfgs import LBFGS
from cygrad.optim.muon import Muon
from cygrad.optim.nadam import NAdam
from cygrad.optim.optimizer import Optimizer
from cygrad.optim.radam import RAdam
from cygrad.optim.rmsprop import RMSprop
from cygrad.optim.rprop import Rprop
from cygrad.optim.sgd import SGD
from cygrad.optim.sparse_adam import SparseAdam
from cygrad.optim.swapping import swap_in_optimizer_params_and_state

__all__ = ["Adadelta", "Adafactor", "Adagrad", "Adam", "Adamax", "AdamW", "ASGD", "LBFGS", "Muon", "NAdam",
           "Optimizer", "RAdam", "RMSprop", "Rprop", "SGD", "SparseAdam", "lr_scheduler",
           "swa_utils", "swap_in_optimizer_params_and_state"]

Adafactor.__module__ = Muon.__module__ = swap_in_optimizer_params_and_state.__module__ = "cygrad.optim"


def __getattr__(name):
    if name == "swa_utils":             # it is made of modules: `cygrad.nn` is imported with it
        return _importlib.import_module("cygrad.optim.swa_utils")
    raise AttributeError(f"module 'cygrad.optim' has no attribute {name!r}")
