# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable, Mapping, Sequence
from contextlib import _GeneratorContextManager
from cygrad import Tensor
from typing import Any
from cygrad.optim import (adadelta as adadelta, adagrad as adagrad, adam as adam, adamax as adamax, adamw as adamw, asgd
    as asgd, lbfgs as lbfgs, lr_scheduler as lr_scheduler, nadam as nadam, optimizer as optimizer, radam as radam,
    rmsprop as rmsprop, rprop as rprop, sgd as sgd, sparse_adam as sparse_adam, swa_utils as swa_utils)
from cygrad.optim.adadelta import Adadelta as Adadelta
from cygrad.optim.adagrad import Adagrad as Adagrad
from cygrad.optim.adam import Adam as Adam
from cygrad.optim.adamax import Adamax as Adamax
from cygrad.optim.adamw import AdamW as AdamW
from cygrad.optim.asgd import ASGD as ASGD
from cygrad.optim.lbfgs import LBFGS as LBFGS
from cygrad.optim.nadam import NAdam as NAdam
from cygrad.optim.optimizer import Optimizer as Optimizer
from cygrad.optim.radam import RAdam as RAdam
from cygrad.optim.rmsprop import RMSprop as RMSprop
from cygrad.optim.rprop import Rprop as Rprop
from cygrad.optim.sgd import SGD as SGD
from cygrad.optim.sparse_adam import SparseAdam as SparseAdam
class Adafactor(Optimizer):
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float |
            Tensor = 0.01, beta2_decay: float = -0.8, eps: Sequence[float | None] = (None, 0.001), d: float = 1.0,
            weight_decay: float = 0.0, *, foreach: bool | None = None, maximize: bool = False) -> None: ...
class Muon(Optimizer):
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float |
            Tensor = 0.001, weight_decay: float = 0.1, momentum: float = 0.95, nesterov: bool = True, ns_coefficients:
            Sequence[float] = (3.4445, -4.775, 2.0315), eps: float = 1e-07, ns_steps: int = 5, adjust_lr_fn: str | None
            = None) -> None: ...
def swap_in_optimizer_params_and_state(optimizer: Optimizer, swapin_parameters: Mapping[str, Tensor],
        swapin_optim_state: dict[Any, Any]) -> _GeneratorContextManager[None]: ...
