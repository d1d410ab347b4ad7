# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Callable
from cygrad import Tensor
from typing import Any
def minimize(fun: Callable[..., Any], x0: Tensor, args: tuple[Any, ...] = (), method: str | None = None, *, jac: Any =
        None, hess: Any = None, hessp: Any = None, **options: Any) -> Any: ...
