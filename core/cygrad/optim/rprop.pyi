# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable, Sequence
from cygrad import Tensor
from cygrad.optim.optimizer import Optimizer
from typing import Any
class Rprop(Optimizer):
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float |
            Tensor = 0.01, etas: Sequence[float] = (0.5, 1.2), step_sizes: Sequence[float] = (1e-06, 50), *, capturable:
            bool = False, foreach: bool | None = None, maximize: bool = False, differentiable: bool =
            False) -> None: ...
def rprop(params: Sequence[Tensor], grads: Sequence[Tensor], prevs: Sequence[Tensor], step_sizes: Sequence[Tensor],
        state_steps: Sequence[Tensor], foreach: bool | None = None, capturable: bool = False, maximize: bool = False,
        differentiable: bool = False, has_complex: bool = False, *, step_size_min: float, step_size_max: float,
        etaminus: float, etaplus: float) -> None: ...
