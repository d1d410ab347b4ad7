# Written by docs/make_stubs.py; edit that, not this.
from collections.abc import Callable
from cygrad.distributions import Transform
from cygrad.distributions.constraints import Constraint
from typing import Any
class ConstraintRegistry:
    def __init__(self) -> None: ...
    def register(self, constraint: type[Any] | Constraint, factory: Callable[..., Any] | None = None) -> Any: ...
    def __call__(self, constraint: Constraint) -> Transform: ...
biject_to: ConstraintRegistry
transform_to: ConstraintRegistry
