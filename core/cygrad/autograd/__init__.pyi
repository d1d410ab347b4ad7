# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Sequence
from cygrad import Tensor
from typing import Any
from cygrad.autograd import (anomaly_mode as anomaly_mode, forward_ad as forward_ad, function as function, functional as
    functional, grad_mode as grad_mode, graph as graph, profiler as profiler, variable as variable)
from cygrad.autograd.anomaly_mode import detect_anomaly as detect_anomaly, set_detect_anomaly as set_detect_anomaly
from cygrad.autograd.function import Function as Function
from cygrad.autograd.grad_mode import (enable_grad as enable_grad, inference_mode as inference_mode, no_grad as no_grad,
    set_grad_enabled as set_grad_enabled, set_multithreading_enabled as set_multithreading_enabled)
from cygrad.autograd.gradcheck import gradcheck as gradcheck, gradgradcheck as gradgradcheck
class Variable:
    def __new__(cls, data: Tensor, requires_grad: bool = False,  # type: ignore[misc]
                volatile: Any = None) -> Tensor: ...
def backward(tensors: Tensor | Sequence[Tensor], grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
        retain_graph: bool | None = None, create_graph: bool = False, grad_variables: Any = None, inputs: Tensor |
        Sequence[Tensor] | None = None) -> None: ...
def grad(outputs: Tensor | Sequence[Tensor], inputs: Tensor | Sequence[Tensor], grad_outputs: Tensor | Sequence[Tensor |
        None] | None = None, retain_graph: bool | None = None, create_graph: bool = False, only_inputs: bool = True,
        allow_unused: bool | None = None, is_grads_batched: bool = False, materialize_grads: bool =
        False) -> tuple[Tensor, ...]: ...
def is_multithreading_enabled() -> bool: ...
