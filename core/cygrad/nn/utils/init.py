"""Modules made without drawing their initial values."""
import inspect

import cygrad
from cygrad.nn.modules.module import Module

__all__ = ["skip_init"]


def skip_init(module_cls, *args, **kwargs):
    """A module whose parameters and buffers have no values one may rely on; the random stream stays where it was.

    Parameters
    ----------
    module_cls : type
        A subclass of Module that takes `device`.
    *args, **kwargs
        For its constructor.

    Returns
    -------
    Module
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    state = cygrad.get_rng_state()
    try:
        return module_cls(*args, **kwargs)
    finally:
        cygrad.set_rng_state(state)
