# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Iterable
from cygrad import Tensor
from cygrad.distributed.process_group import ProcessGroup
from cygrad.nn.parameter import Parameter
from typing import Any
def average_parameters(params: Iterable[Parameter], process_group: ProcessGroup | None) -> None: ...
def average_parameters_or_parameter_groups(params: Any, process_group: Any) -> None: ...
def get_params_to_average(params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str,
        Tensor]]) -> list[Parameter]: ...
