# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable, Sequence
from cygrad import Tensor
from cygrad.optim.optimizer import Optimizer
from typing import Any
class Adam(Optimizer):
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float |
            Tensor = 0.001, betas: Any = (0.9, 0.999), eps: float = 1e-08, weight_decay: float = 0, amsgrad: bool =
            False, *, foreach: bool | None = None, maximize: bool = False, capturable: bool = False, differentiable:
            bool = False, fused: bool | None = None, decoupled_weight_decay: bool = False) -> None: ...
def adam(params: Sequence[Tensor], grads: Sequence[Tensor], exp_avgs: Sequence[Tensor], exp_avg_sqs: Sequence[Tensor],
        max_exp_avg_sqs: Sequence[Tensor], state_steps: Sequence[Tensor], foreach: bool | None = None, capturable: bool
        = False, differentiable: bool = False, fused: bool | None = None, grad_scale: Tensor | None = None, found_inf:
        Tensor | None = None, has_complex: bool = False, decoupled_weight_decay: bool = False, *, amsgrad: Any, beta1:
        float | Tensor, beta2: float | Tensor, lr: Any, weight_decay: Any, eps: float, maximize: Any) -> None: ...
