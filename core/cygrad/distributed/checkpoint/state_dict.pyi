# Written by docs/make_stubs.py; edit that, not this.
from builtins import bool as _bool
from collections.abc import Iterable
from cygrad.nn.modules.module import Module
from cygrad.optim.optimizer import Optimizer
from typing import Any
class StateDictOptions:
    full_state_dict: _bool
    cpu_offload: _bool
    ignore_frozen_params: _bool
    keep_submodule_prefixes: _bool
    strict: _bool
    broadcast_from_rank0: _bool
    flatten_optimizer_state_dict: _bool
    def __init__(self, full_state_dict: bool = False, cpu_offload: bool = False, ignore_frozen_params: bool = False,
            keep_submodule_prefixes: bool = True, strict: bool = True, broadcast_from_rank0: bool = False,
            flatten_optimizer_state_dict: bool = False) -> None: ...
    def __eq__(self, other: object) -> bool: ...
def get_model_state_dict(model: Module, *, submodules: Iterable[Module] | None = None, options: StateDictOptions | None
        = None) -> dict[str, Any]: ...
def get_optimizer_state_dict(model: Module, optimizers: Optimizer | Iterable[Optimizer], *, submodules: Iterable[Module]
        | None = None, options: StateDictOptions | None = None) -> dict[str, Any]: ...
def get_state_dict(model: Module, optimizers: Optimizer | Iterable[Optimizer], *, submodules: Iterable[Module] | None =
        None, options: StateDictOptions | None = None) -> tuple[dict[str, Any], ...]: ...
def set_model_state_dict(model: Module, model_state_dict: dict[Any, Any], *, options: StateDictOptions | None =
        None) -> Any: ...
def set_optimizer_state_dict(model: Module, optimizers: Optimizer | Iterable[Optimizer], optim_state_dict: dict[Any,
        Any], *, options: StateDictOptions | None = None) -> None: ...
def set_state_dict(model: Module, optimizers: Optimizer | Iterable[Optimizer], *, model_state_dict: dict[Any, Any],
        optim_state_dict: dict[Any, Any], options: StateDictOptions | None = None) -> Any: ...
