"""`cygrad.nn`: modules to build networks from, and the functions they call.

    from cygrad import nn

A layer's file is imported when the layer is first asked for: `modules/__init__.py` says where each is.
"""
import importlib as _importlib

from cygrad.nn.modules import PLACES as _PLACES
from cygrad.utils.lazy_package import import_when_used as _import_when_used

PARTS = ("attention", "common_types", "functional", "grad", "init", "modules", "parallel", "parameter", "utils")

__all__ = [name for name in _PLACES if not name.startswith("register_")] + ["factory_kwargs", *PARTS]


def factory_kwargs(kwargs):
    """The keywords that tensors are made with, out of those of a module.

    Parameters
    ----------
    kwargs : dict or None
        `device`, `dtype` and `memory_format`, or a dict `factory_kwargs` of these; nothing else.

    Returns
    -------
    dict

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.factory_kwargs({"dtype": cygrad.float64})
    {'dtype': cygrad.float64}
    """
    if kwargs is None:
        return {}
    simple = {"device", "dtype", "memory_format"}
    unknown = kwargs.keys() - simple - {"factory_kwargs"}
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    found = dict(kwargs.get("factory_kwargs", {}))
    for name in simple & kwargs.keys():
        if name in found:
            raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
        found[name] = kwargs[name]
    return found


def __getattr__(name):
    """A module class or a part of the package, imported when it is first used."""
    if name in _PLACES:
        value = getattr(_importlib.import_module(_PLACES[name]), name)
        globals()[name] = value
        return value
    if name in PARTS:
        return _importlib.import_module(f"cygrad.nn.{name}")
    from cygrad.utils.not_here import missing      # start-up time
    raise missing("nn", name, __all__)


def __dir__():
    return sorted({*globals(), *__all__})


_import_when_used(__name__)
