# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable, Sequence
from cygrad import Tensor
from cygrad.optim.optimizer import Optimizer
from typing import Any
class SparseAdam(Optimizer):
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float |
            Tensor = 0.001, betas: Sequence[float] = (0.9, 0.999), eps: float = 1e-08, maximize: bool =
            False) -> None: ...
