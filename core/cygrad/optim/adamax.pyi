# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable, Sequence
from cygrad import Tensor
from cygrad.optim.optimizer import Optimizer
from typing import Any
class Adamax(Optimizer):
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float |
            Tensor = 0.002, betas: Sequence[float] = (0.9, 0.999), eps: float = 1e-08, weight_decay: float = 0, foreach:
            bool | None = None, *, maximize: bool = False, differentiable: bool = False, capturable: bool =
            False) -> None: ...
def adamax(params: Sequence[Tensor], grads: Sequence[Tensor], exp_avgs: Sequence[Tensor], exp_infs: Sequence[Tensor],
        state_steps: Sequence[Tensor], foreach: bool | None = None, maximize: bool = False, differentiable: bool =
        False, capturable: bool = False, has_complex: bool = False, *, eps: float, beta1: float, beta2: float, lr: Any,
        weight_decay: Any) -> None: ...
