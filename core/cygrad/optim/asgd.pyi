# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable, Sequence
from cygrad import Tensor, _Number
from cygrad.optim.optimizer import Optimizer
from typing import Any
class ASGD(Optimizer):
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float |
            Tensor = 0.01, lambd: float = 0.0001, alpha: float = 0.75, t0: float = 1000000.0, weight_decay: float = 0,
            foreach: bool | None = None, maximize: bool = False, differentiable: bool = False, capturable: bool =
            False) -> None: ...
def asgd(params: Sequence[Tensor], grads: Sequence[Tensor], axs: Sequence[Tensor], mus: Sequence[Tensor], etas:
        Sequence[Tensor], state_steps: Sequence[Tensor], foreach: bool | None = None, maximize: bool = False,
        differentiable: bool = False, capturable: bool = False, has_complex: bool = False, *, lambd: float, lr: Any, t0:
        Any, alpha: _Number, weight_decay: Any) -> None: ...
