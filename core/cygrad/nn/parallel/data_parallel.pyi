# Written by docs/make_stubs.py; edit that, not this.
from cygrad import Tensor
from cygrad.nn.modules.module import Module
from typing import Any
class DataParallel(Module):
    module: Module
    device_ids: Any
    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None: ...
    def forward(self, *inputs: Any, **kwargs: Any) -> Tensor: ...
    def __call__(self, *inputs: Any, **kwargs: Any) -> Tensor: ...
