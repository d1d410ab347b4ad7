"""`cygrad.utils`: loading data and other tools around tensors, each imported when it is first used."""
import importlib as _importlib

_LAZY = ("_pytree", "adapters", "benchmark", "checkpoint", "data", "deterministic", "dlpack", "einops_layers",
         "flop_counter", "hooks", "model_zoo", "module_tracker", "scipy", "tensorboard", "weak")


def __getattr__(name):
    if name == "swap_tensors":
        return _importlib.import_module("cygrad.tensors.exchanging").swap_tensors
    if name in _LAZY:
        return _importlib.import_module("cygrad.utils." + name)
    from cygrad.utils.not_here import missing      # start-up time
    raise missing("utils", name)


def __dir__():
    return sorted([*globals(), *_LAZY, "swap_tensors"])
