# Written by docs/make_stubs.py from the package itself; edit that, not this.
import builtins
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from cygrad import Axis, DeviceLike, Dims, Generator, Number, Size, Tensor, return_types
from cygrad import device as _device, dtype as _dtype, layout as _layout, memory_format as _memory_format

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_complex: TypeAlias = builtins.complex
def hessian(func: Any, inputs: Any, create_graph: _bool = False, strict: _bool = False, vectorize: _bool = False,
        outer_jacobian_strategy: Any = 'reverse-mode') -> Any:
    """Compute the Hessian of a function that returns one element."""
def hvp(func: Any, inputs: Any, v: Any = None, create_graph: _bool = False, strict: _bool = False) -> Any:
    """Compute the product of the Hessian of a function that returns one element with a vector `v`."""
def jacobian(func: Any, inputs: Any, create_graph: _bool = False, strict: _bool = False, vectorize: _bool = False,
        strategy: Any = 'reverse-mode') -> Any:
    """Compute the Jacobian of a function."""
def jvp(func: Any, inputs: Any, v: Any = None, create_graph: _bool = False, strict: _bool = False) -> Any:
    """Compute the product of the Jacobian of a function with a vector `v`."""
def vhp(func: Any, inputs: Any, v: Any = None, create_graph: _bool = False, strict: _bool = False) -> Any:
    """Compute the product of a vector `v` with the Hessian of a function that returns one element."""
def vjp(func: Any, inputs: Any, v: Any = None, create_graph: _bool = False, strict: _bool = False) -> Any:
    """Compute the product of a vector `v` with the Jacobian of a function."""
