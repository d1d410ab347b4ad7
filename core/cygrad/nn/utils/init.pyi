# Written by docs/make_stubs.py; edit that, not this.
from cygrad.nn.modules.module import Module
from typing import Any
def skip_init(module_cls: type[Any], *args: Any, **kwargs: Any) -> Module: ...
