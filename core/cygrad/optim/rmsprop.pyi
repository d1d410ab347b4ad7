# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable, Sequence
from cygrad import Tensor, _Number
from cygrad.optim.optimizer import Optimizer
from typing import Any
class RMSprop(Optimizer):
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float |
            Tensor = 0.01, alpha: float = 0.99, eps: float = 1e-08, weight_decay: float = 0, momentum: float = 0,
            centered: bool = False, capturable: bool = False, foreach: bool | None = None, maximize: bool = False,
            differentiable: bool = False) -> None: ...
def rmsprop(params: Sequence[Tensor], grads: Sequence[Tensor], square_avgs: Sequence[Tensor], grad_avgs:
        Sequence[Tensor], momentum_buffer_list: Sequence[Tensor], state_steps: Sequence[Tensor], foreach: bool | None =
        None, maximize: bool = False, differentiable: bool = False, capturable: bool = False, has_complex: bool = False,
        *, lr: Any, alpha: _Number, eps: float, weight_decay: Any, momentum: Any, centered: Any) -> None: ...
