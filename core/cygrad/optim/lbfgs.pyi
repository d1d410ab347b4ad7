# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Callable, Iterable
from cygrad import Tensor
from cygrad.optim.optimizer import Optimizer
from typing import Any
from typing_extensions import TypeVar
_T = TypeVar("_T")
class LBFGS(Optimizer):
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float |
            Tensor = 1, max_iter: int = 20, max_eval: int | None = None, tolerance_grad: float = 1e-07,
            tolerance_change: float = 1e-09, history_size: int = 100, line_search_fn: str | None = None) -> None: ...
    def step(self, closure: Callable[[], _T]) -> _T: ...  # type: ignore[override]
