"""The names of `torch._C` that programs use: whether a tracer runs, how a block does without `__torch_function__`."""
from cygrad import Tensor as TensorBase
from cygrad.ops.linalg.lapack import _LinAlgError
from cygrad.random.generator import Generator
from cygrad.tensors.overriding import DisableTorchFunction, DisableTorchFunctionSubclass, functions_are_off
from cygrad.tensors.overriding import disabled_torch_function as _disabled_torch_function_impl

__all__ = ["DisableTorchFunction", "DisableTorchFunctionSubclass", "Generator", "TensorBase",
           "_LinAlgError", "_disabled_torch_function_impl"]


def _get_tracing_state():
    """None, which stands for no tracer: nothing is traced here."""
    return None


def _is_torch_function_enabled():
    """Whether calls go to `__torch_function__` of their arguments' types."""
    return not functions_are_off()
