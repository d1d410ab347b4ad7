# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Callable
from contextlib import _GeneratorContextManager
from cygrad import Tensor
from cygrad.distributed.algorithms.join import Join, Joinable
from cygrad.distributed.device_mesh import DeviceMesh
from cygrad.distributed.process_group import ProcessGroup
from cygrad.nn.modules.module import Module
from typing import Any
class DistributedDataParallel(Module, Joinable):
    parameters_to_ignore: Any
    process_group: Any
    broadcast_buffers: Any
    forward_sync_buffers: Any
    gradient_as_bucket_view: bool
    require_backward_grad_sync: bool
    require_forward_param_sync: bool
    bucket_bytes_cap: Any
    buffers_in_step: Any
    reducer: Any
    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0,
            broadcast_buffers: bool | None = None, init_sync: bool = True, process_group: ProcessGroup | None = None,
            bucket_cap_mb: float | None = None, find_unused_parameters: bool = False, check_reduction: bool = False,
            gradient_as_bucket_view: bool = False, static_graph: bool = False, *, device_mesh: DeviceMesh | None = None,
            forward_sync_buffers: bool | None = None) -> None: ...
    def forward(self, *inputs: Any, **kwargs: Any) -> Tensor: ...
    def no_sync(self) -> _GeneratorContextManager[None]: ...
    def register_comm_hook(self, state: Any, hook: Callable[..., Any]) -> None: ...
    def join(self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool =
            False) -> Join: ...
    def join_hook(self, **kwargs: Any) -> Any: ...
    @property
    def join_device(self) -> Any: ...
    @property
    def join_process_group(self) -> Any: ...
    def __call__(self, *inputs: Any, **kwargs: Any) -> Tensor: ...
