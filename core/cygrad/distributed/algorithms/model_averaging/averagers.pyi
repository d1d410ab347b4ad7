# Written by docs/make_stubs.py; edit that, not this.
from abc import ABCMeta, abstractmethod
from collections.abc import Iterable
from cygrad import Tensor
from cygrad.distributed.process_group import ProcessGroup
from typing import Any
class ModelAverager(metaclass=ABCMeta):
    process_group: Any
    step: int
    def __init__(self, process_group: ProcessGroup | None = None) -> None: ...
    @abstractmethod
    def average_parameters(self, params: Any) -> None: ...
class PeriodicModelAverager(ModelAverager):
    def __init__(self, period: int, warmup_steps: int = 0, process_group: ProcessGroup | None = None) -> None: ...
    def average_parameters(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str,
            Tensor]]) -> None: ...
