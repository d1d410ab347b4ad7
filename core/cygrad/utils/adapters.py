"""Libraries that keep lists of the array libraries they know, and what puts cygrad on those lists.

A program need not call anything: when one of them is imported, before cygrad or after it, `watched_imports` does it.

SciPy, scikit-learn and array-api-extra ask a tensor for its namespace and need nothing of this. einops has a class for
each library; opt_einsum and autoray look NumPy's functions up in the package of an array, where cygrad has PyTorch's.
"""
import importlib
import importlib.util

import cygrad
from cygrad import array_api as xp

__all__ = ["register"]


def register():
    """Tell einops, einx, opt_einsum and autoray about tensors, which otherwise happens when they are imported.

    Returns
    -------
    list of str
        Which of them are installed. To call it again changes nothing.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils import adapters
    >>> "scipy" in adapters.register()
    False
    """
    installed = [name for name in ADAPTERS
                 if all(importlib.util.find_spec(each) is not None for each in (name, *NEEDS.get(name, ())))]
    for name in installed:
        ADAPTERS[name]()
    return installed


# ------------------------------------------------------------------ functions as NumPy has them

def transpose(x, axes=None):
    """The axes in another order, reversed by default."""
    return xp.permute_dims(x, tuple(range(x.ndim))[::-1] if axes is None else axes)


def tensordot(x, y, axes=2):
    """The sums of products along axes."""
    return xp.tensordot(x, y, axes=axes)


def squeeze(x, axis=None):
    """The array without axes of size 1, all of them by default."""
    return xp.squeeze(x, tuple(i for i, size in enumerate(x.shape) if size == 1) if axis is None else axis)


def pad(x, width, mode="constant", constant_values=0):
    """The array with `width` pairs of places of one number around it."""
    if mode != "constant":
        raise NotImplementedError(f"pad: mode must be 'constant', not {mode!r}")
    widths = [each for pair in reversed(width) for each in pair]
    return cygrad.nn.functional.pad(x, widths, value=constant_values)


def _dtype_of(dtype):
    """A dtype, also by its name."""
    return getattr(cygrad, dtype) if isinstance(dtype, str) else dtype


def _by_position(function, *names):
    """A function of the standard that takes these keywords by position, too, as NumPy's does."""
    def numpy_like(x, *values, **words):
        return function(x, **dict(zip(names, values)), **words)
    return numpy_like


def _made(function):
    """A function that makes arrays, its dtype also by name."""
    def numpy_like(*args, dtype=None, **words):
        return function(*args, dtype=_dtype_of(dtype), **words)
    return numpy_like


def _random(sample):
    """Random numbers of a size."""
    def numpy_like(first=0.0, second=1.0, size=(), dtype=None, device=None):
        shape = (size,) if isinstance(size, int) else tuple(size)
        return sample(first, second, shape, {"dtype": _dtype_of(dtype), "device": device})
    return numpy_like


_NUMPY = {
    "transpose": transpose, "tensordot": tensordot, "squeeze": squeeze, "pad": pad,
    "concatenate": _by_position(xp.concat, "axis"), "stack": _by_position(xp.stack, "axis"),
    "take": _by_position(lambda x, indices, axis=None: xp.take(x, indices, axis=axis), "indices", "axis"),
    "expand_dims": xp.expand_dims, "clip": xp.clip, "where": xp.where, "power": xp.pow,
    "astype": lambda x, dtype: xp.astype(x, _dtype_of(dtype)),
    "to_numpy": lambda x: x.detach().cpu().numpy(), "sort": _by_position(xp.sort, "axis"),
    "random.uniform": _random(lambda low, high, shape, made: cygrad.rand(shape, **made) * (high - low) + low),
    "random.normal": _random(lambda mean, std, shape, made: cygrad.randn(shape, **made) * std + mean),
}
_NUMPY |= {name: _by_position(getattr(xp, name), "axis") for name in (
    "sum", "prod", "max", "min", "mean", "all", "any", "argmax", "argmin", "count_nonzero", "argsort", "flip")}
_NUMPY |= {short: _by_position(getattr(xp, name), "axis") for short, name in (
    ("cumsum", "cumulative_sum"), ("cumprod", "cumulative_prod"))}
_MAKING = {name: _made(getattr(xp, name)) for name in ("zeros", "ones", "empty", "full", "eye", "arange", "linspace")}
_MAKING["identity"] = _MAKING["eye"]


# ------------------------------------------------------------------ the libraries

def _opt_einsum():
    from opt_einsum.backends import dispatch            # optional dependency

    for name in ("transpose", "tensordot"):
        dispatch._cached_funcs[name, "cygrad"] = _NUMPY[name]


def _autoray():
    import autoray                                      # optional dependency

    for name, function in _NUMPY.items():
        autoray.register_function("cygrad", name, function)
    for name, function in _MAKING.items():
        autoray.register_function("cygrad", name, function)


def _einops():
    from einops import _backends                        # optional dependency

    if any(kind.framework_name == "cygrad" for kind in _backends.TorchBackend.__subclasses__()):
        return

    class CygradBackend(_backends.TorchBackend):
        """einops' functions on tensors, by PyTorch's names; einops finds the class among the subclasses of its own."""

        framework_name = "cygrad"

        def __init__(self):
            self.torch = cygrad

        def layers(self):
            from cygrad.utils import einops_layers      # optional dependency
            return einops_layers

    _kept.append(CygradBackend)


def _einx():
    importlib.import_module("array_api_compat")         # einx looks whether it is imported, and then takes our tensors


_kept = []      # einops' class, which Python forgets between here and einops' first call: subclasses are held weakly
ADAPTERS = {"einops": _einops, "einx": _einx, "opt_einsum": _opt_einsum, "autoray": _autoray}
NEEDS = {"einx": ("array_api_compat",)}
