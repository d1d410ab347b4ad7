# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable
from cygrad import Tensor
from cygrad.distributed.algorithms.model_averaging.averagers import ModelAverager
from cygrad.distributed.process_group import ProcessGroup
from typing import Any
class HierarchicalModelAverager(ModelAverager):
    warmup_steps: int
    period_process_group_dict: Any
    def __init__(self, period_group_size_dict: dict[Any, Any] | None = None, warmup_steps: int = 0, process_group:
            ProcessGroup | None = None) -> None: ...
    def average_parameters(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str,
            Tensor]]) -> None: ...
