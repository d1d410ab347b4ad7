# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Mapping
from cygrad import Tensor
from cygrad.nn.modules.module import Module
from typing import Any
def functional_call(module: Module, parameters_and_buffers: Mapping[str, Tensor], args: Any = None, kwargs: dict[Any,
        Any] | None = None, *, tie_weights: bool = True, strict: bool = False) -> Any: ...
