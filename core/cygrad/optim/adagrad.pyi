# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable, Sequence
from cygrad import Tensor
from cygrad.optim.optimizer import Optimizer
from typing import Any
class Adagrad(Optimizer):
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float |
            Tensor = 0.01, lr_decay: float = 0, weight_decay: float = 0, initial_accumulator_value: float = 0, eps:
            float = 1e-10, foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False, fused:
            bool | None = None) -> None: ...
    def share_memory(self) -> None: ...
def adagrad(params: Sequence[Tensor], grads: Sequence[Tensor], state_sums: Sequence[Tensor], state_steps:
        Sequence[Tensor], fused: bool | None = None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None,
        has_sparse_grad: bool = False, foreach: bool | None = None, differentiable: bool = False, has_complex: bool =
        False, *, lr: Any, weight_decay: Any, lr_decay: Any, eps: float, maximize: Any) -> None: ...
