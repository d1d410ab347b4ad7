"""Automatic differentiation: `backward`, `grad`, grad modes, custom Functions, and checks of gradients."""
import importlib as _importlib

from cygrad.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from cygrad.autograd.backward import backward, grad
from cygrad.autograd.function import Function
from cygrad.autograd.grad_mode import (enable_grad, inference_mode, is_multithreading_enabled, no_grad,
                                       set_grad_enabled, set_multithreading_enabled)
from cygrad.autograd.gradcheck import gradcheck, gradgradcheck
from cygrad.tensor import Tensor as _Tensor


class _VariableMeta(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, _Tensor)


class _Engine:
    """What code written for PyTorch's engine object calls."""

    @staticmethod
    def queue_callback(callback):
        """Call a function at the end of the pass that runs in this thread.

        Parameters
        ----------
        callback : callable
            Takes nothing.

        Raises
        ------
        RuntimeError
            Outside of a backward pass.
        """
        from cygrad.autograd.engine import queue_callback      # knot: it needs this module
        queue_callback(callback)


class Variable(metaclass=_VariableMeta):
    """PyTorch's old name: ``Variable(t, requires_grad)`` is the tensor itself, set to require a gradient."""

    _execution_engine = _Engine()

    def __new__(cls, data, requires_grad=False, volatile=None):
        out = data.detach()
        out.requires_grad = bool(requires_grad)
        return out


def _is_checkpoint_valid():
    """Whether the pass that runs in this thread adds to the gradients of all leaves."""
    from cygrad.autograd.engine import fills_all_leaves      # knot: it needs this module
    return fills_all_leaves()


def __getattr__(name):
    """Parts that are imported when first used."""
    if name in ("forward_ad", "functional", "graph"):
        return _importlib.import_module("cygrad.autograd." + name)
    if name == "SavedTensor":
        return _importlib.import_module("cygrad.autograd.derivative").RawSaved
    raise AttributeError(f"module 'cygrad.autograd' has no attribute {name!r}")
