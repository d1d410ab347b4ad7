"""What is done with modules and their parameters from outside; most files are imported when they are first used."""
import importlib as _importlib

# These files have the names of functions in them, which an import of the file would hide if it came later.
from cygrad.nn.utils.spectral_norm import remove_spectral_norm, spectral_norm
from cygrad.nn.utils.weight_norm import remove_weight_norm, weight_norm

_FILES = {
    "clip_grad": ("clip_grad_norm", "clip_grad_norm_", "clip_grads_with_norm_", "clip_grad_value_", "get_total_norm"),
    "convert_parameters": ("parameters_to_vector", "vector_to_parameters"),
    "fusion": ("fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"),
    "init": ("skip_init",),
    "memory_format": ("convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"),
}
_PLACES = {name: file for file, names in _FILES.items() for name in names}
_PARTS = ("parametrizations", "parametrize", "prune", "rnn", "stateless")

__all__ = [*_PLACES, *_PARTS, "spectral_norm", "remove_spectral_norm", "weight_norm", "remove_weight_norm"]


def __getattr__(name):
    """A function or a part, imported when it is first used."""
    if name in _PLACES:
        value = getattr(_importlib.import_module(f"cygrad.nn.utils.{_PLACES[name]}"), name)
        globals()[name] = value
        return value
    if name in _PARTS or name in _FILES:
        return _importlib.import_module(f"cygrad.nn.utils.{name}")
    raise AttributeError(f"module 'cygrad.nn.utils' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
