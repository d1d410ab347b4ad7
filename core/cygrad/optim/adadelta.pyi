# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable, Sequence
from cygrad import Tensor
from cygrad.optim.optimizer import Optimizer
from typing import Any
class Adadelta(Optimizer):
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float |
            Tensor = 1.0, rho: float = 0.9, eps: float = 1e-06, weight_decay: float = 0, foreach: bool | None = None, *,
            capturable: bool = False, maximize: bool = False, differentiable: bool = False) -> None: ...
def adadelta(params: Sequence[Tensor], grads: Sequence[Tensor], square_avgs: Sequence[Tensor], acc_deltas:
        Sequence[Tensor], state_steps: Sequence[Tensor], capturable: bool = False, foreach: bool | None = None,
        differentiable: bool = False, has_complex: bool = False, *, lr: Any, rho: Any, eps: float, weight_decay: Any,
        maximize: Any) -> None: ...
