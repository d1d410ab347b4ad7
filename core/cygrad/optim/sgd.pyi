# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable, Sequence
from cygrad import Tensor
from cygrad.optim.optimizer import Optimizer
from typing import Any
class SGD(Optimizer):
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float |
            Tensor = 0.001, momentum: float = 0, dampening: float = 0, weight_decay: float | Tensor = 0, nesterov: bool
            = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False, fused: bool |
            None = None) -> None: ...
def sgd(params: Sequence[Tensor], d_p_list: Sequence[Tensor], momentum_buffer_list: Sequence[Tensor | None],
        has_sparse_grad: bool = False, foreach: bool | None = None, fused: bool | None = None, grad_scale: Tensor | None
        = None, found_inf: Tensor | None = None, *, weight_decay: Any, momentum: Any, lr: Any, dampening: Any, nesterov:
        Any, maximize: Any) -> None: ...
