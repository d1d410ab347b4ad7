# Written by docs/make_stubs.py; edit that, not this.
from builtins import bool as _bool, int as _int
from collections.abc import Callable, Sequence
from cygrad import Tensor
from typing import Any
class Constraint:
    is_discrete: _bool
    event_dim: _int
    def check(self, value: Tensor) -> Tensor: ...
class MixtureSameFamilyConstraint(Constraint):
    base_constraint: Constraint
    def __init__(self, base_constraint: Constraint) -> None: ...
    is_discrete: Any
    event_dim: Any
boolean: Constraint
class cat(Constraint):
    lengths: Any
    def __init__(self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None) -> None: ...
    is_discrete: Any
    event_dim: Any
corr_cholesky: Constraint
dependent: Constraint
class dependent_property(property, Constraint):
    def __init__(self, fn: Callable[..., Any] | None = None, **known: Any) -> None: ...
    def __call__(self, fn: Callable[..., Any]) -> Any: ...
    is_discrete: Any
    event_dim: Any
    def check(self, x: Tensor) -> Tensor: ...
class greater_than(Constraint):
    bounds: dict[str, Any]
    def __init__(self, *given: Any, **named: Any) -> None: ...
class greater_than_eq(Constraint):
    bounds: dict[str, Any]
    def __init__(self, *given: Any, **named: Any) -> None: ...
class half_open_interval(Constraint):
    bounds: dict[str, Any]
    def __init__(self, *given: Any, **named: Any) -> None: ...
class independent(Constraint):
    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: Any) -> None: ...
    is_discrete: Any
    event_dim: Any
class integer_interval(interval): ...
class interval(Constraint):
    bounds: dict[str, Any]
    def __init__(self, *given: Any, **named: Any) -> None: ...
def is_dependent(constraint: Constraint) -> bool: ...
class less_than(Constraint):
    bounds: dict[str, Any]
    def __init__(self, *given: Any, **named: Any) -> None: ...
lower_cholesky: Constraint
lower_triangular: Constraint
class multinomial(Constraint):
    upper_bound: Any
    def __init__(self, upper_bound: Any) -> None: ...
    def check(self, x: Tensor) -> Tensor: ...
nonnegative: Constraint
nonnegative_integer: Constraint
one_hot: Constraint
positive: Constraint
positive_definite: Constraint
positive_integer: Constraint
positive_semidefinite: Constraint
real: Constraint
real_vector: Constraint
simplex: Constraint
square: Constraint
class stack(Constraint):
    event_dim: Any
    def __init__(self, cseq: Any, dim: int = 0) -> None: ...
    is_discrete: Any
symmetric: Constraint
unit_interval: Constraint
