# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable, Sequence
from cygrad import Tensor
from cygrad.optim.adam import Adam
from typing import Any
class AdamW(Adam):
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float |
            Tensor = 0.001, betas: Any = (0.9, 0.999), eps: float = 1e-08, weight_decay: float = 0.01, amsgrad: bool =
            False, *, maximize: bool = False, foreach: Any = None, capturable: bool = False, differentiable: bool =
            False, fused: Any = None) -> None: ...
def adamw(params: Sequence[Tensor], grads: Sequence[Tensor], exp_avgs: Sequence[Tensor], exp_avg_sqs: Sequence[Tensor],
        max_exp_avg_sqs: Sequence[Tensor], state_steps: Sequence[Tensor], foreach: Any = None, capturable: bool = False,
        differentiable: bool = False, fused: Any = None, grad_scale: Any = None, found_inf: Any = None, has_complex:
        bool = False, *, amsgrad: Any, beta1: Any, beta2: Any, lr: Any, weight_decay: Any, eps: float, maximize:
        Any) -> None: ...
