# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable
from cygrad import Tensor
from cygrad.distributed.algorithms.join import Joinable
from cygrad.distributed.process_group import ProcessGroup
from cygrad.optim.optimizer import Optimizer
from typing import Any
class ZeroRedundancyOptimizer(Optimizer, Joinable):
    process_group: Any
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]],
            optimizer_class: type[Any], process_group: ProcessGroup | None = None, parameters_as_bucket_view: bool =
            False, overlap_with_ddp: bool = False, **defaults: Any) -> None: ...
    def join_hook(self, **_: Any) -> Any: ...
    @property
    def join_device(self) -> Any: ...
    @property
    def join_process_group(self) -> Any: ...
    def consolidate_state_dict(self, to: int = 0) -> None: ...
