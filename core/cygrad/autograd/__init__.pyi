import builtins
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from cygrad import Axis, DeviceLike, Dims, Generator, Number, Size, Tensor, return_types
from cygrad import device as _device, dtype as _dtype, layout as _layout, memory_format as _memory_format

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_complex: TypeAlias = builtins.complex

from cygrad import enable_grad as enable_grad, inference_mode as inference_mode, no_grad as no_grad
from cygrad import set_grad_enabled as set_grad_enabled
from cygrad.autograd import functional as functional
from cygrad.autograd.function import Function as Function

class detect_anomaly:
    """Detect anomalies inside a block: slow, for debugging."""
    def __init__(self, check_nan: _bool = True) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

class set_detect_anomaly(detect_anomaly):
    """Switch anomaly detection on or off, at once; as a context manager, until the block ends."""
    def __init__(self, mode: _bool, check_nan: _bool = True) -> None: ...

class set_multithreading_enabled:
    """Say whether a pass may use more threads than the one that began it: at once, and as a context manager."""
    def __init__(self, mode: _bool) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...
    def clone(self) -> set_multithreading_enabled: ...

class Variable:
    """PyTorch's old name of Tensor."""
    def __new__(cls, data: Tensor, requires_grad: _bool = False) -> Tensor: ...  # type: ignore[misc]

# Above: by hand. Below: written by docs/make_stubs.py from the package itself.

def backward(tensors: Sequence[Tensor], grad_tensors: Tensor | Sequence[Tensor | None] | None = None, retain_graph:
        _bool | None = None, create_graph: _bool = False, grad_variables: Any = None, inputs: Any = None) -> None:
    """Add the gradients of `tensors` to the `.grad` of the leaves they depend on."""
def grad(outputs: Any, inputs: Any, grad_outputs: Tensor | Sequence[Tensor | None] | None = None, retain_graph: _bool |
        None = None, create_graph: _bool = False, only_inputs: Any = True, allow_unused: Any = None, is_grads_batched:
        Any = False, materialize_grads: Any = False) -> tuple[Tensor, ...]:
    """The gradients of `outputs` with respect to `inputs`, without touching any `.grad`."""
def gradcheck(func: Any, inputs: Any, *, eps: _float = 1e-06, atol: _float = 1e-05, rtol: _float = 0.001,
        raise_exception: _bool = True, nondet_tol: Any = 0.0, check_undefined_grad: _bool = True, check_grad_dtypes:
        _bool = False, check_batched_grad: _bool = False, check_batched_forward_grad: Any = False, check_forward_ad: Any
        = False, check_backward_ad: Any = True, fast_mode: _bool = False, masked: Any = None) -> _bool:
    """Check the gradients of a function against finite differences."""
def gradgradcheck(func: Any, inputs: Any, grad_outputs: Tensor | Sequence[Tensor | None] | None = None, *, eps: _float =
        1e-06, atol: _float = 1e-05, rtol: _float = 0.001, gen_non_contig_grad_outputs: Any = False, raise_exception:
        _bool = True, nondet_tol: Any = 0.0, check_undefined_grad: _bool = True, check_grad_dtypes: _bool = False,
        check_batched_grad: _bool = False, check_fwd_over_rev: Any = False, check_rev_over_rev: Any = True, fast_mode:
        _bool = False, masked: Any = False) -> _bool:
    """Check the gradients of the gradients of a function against finite differences."""
def is_multithreading_enabled() -> _bool:
    """Whether passes that this thread begins may use other threads."""
