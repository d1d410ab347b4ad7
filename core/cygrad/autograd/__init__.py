"""Automatic differentiation: `backward`, `grad`, grad modes, custom Functions, and checks of gradients."""
import importlib as _importlib

from cygrad.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from cygrad.autograd.backward import backward, grad
from cygrad.autograd.function import Function
from cygrad.autograd.grad_mode import (enable_grad, inference_mode, is_multithreading_enabled, no_grad,
                                       set_grad_enabled, set_multithreading_enabled)
from cygrad.autograd.gradcheck import gradcheck, gradgradcheck
from cygrad.autograd.variable import Variable


def _is_checkpoint_valid():
    """Whether the pass that runs in this thread adds to the gradients of all leaves."""
    from cygrad.autograd.engine import fills_all_leaves      # knot: it needs this module
    return fills_all_leaves()


def __getattr__(name):
    """Parts that are imported when first used."""
    if name in ("forward_ad", "functional", "graph", "profiler"):
        return _importlib.import_module("cygrad.autograd." + name)
    if name == "SavedTensor":
        return _importlib.import_module("cygrad.autograd.derivative").RawSaved
    from cygrad.utils.not_here import missing      # start-up time
    raise missing("autograd", name)
