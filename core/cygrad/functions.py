"""`cygrad.functions.NAME(...)`: differentiable functions from installed packages, each loaded when it is first used.

A package declares them under the entry-point group `cygrad.functions`: ``name = "module:Object"``, where the object is
a subclass of `cygrad.autograd.Function` or any other callable. ``dir(cygrad.functions)`` lists the names, ``python -m
cygrad.plugins`` their packages too. One that does not load fails when it is used, alone.
"""
from cygrad.autograd import Function as _Function
from cygrad.autograd.context import parameters_of as _parameters_of
from cygrad.devices import entry_points as _entry_points
from cygrad.errors import FunctionLoadError as _FunctionLoadError

_GROUP = "cygrad.functions"


def __getattr__(name):
    """The function of this name; from now on an attribute like any other."""
    if name.startswith("__"):                   # what the import system and inspect ask every module for
        raise AttributeError(f"module 'cygrad.functions' has no attribute {name!r}")
    found = _entry_points.find(_GROUP)
    if name not in found:
        raise AttributeError(_unknown(name, found))
    globals()[name] = function = _load(name, found[name])
    return function


def __dir__():
    return sorted(_entry_points.find(_GROUP))


def _load(name, points):
    """What `cygrad.functions.NAME` is, for the entry points that claim the name."""
    loaded = _entry_points.load("function", points, _FunctionLoadError)
    if isinstance(loaded, type) and issubclass(loaded, _Function):
        if loaded.forward is _Function.forward:
            raise _FunctionLoadError(f"function {name!r} ({points[0].value}) is a Function without a forward")
        return _applied(loaded)
    if isinstance(loaded, type) or not callable(loaded):
        kind = f"the class {loaded.__name__}" if isinstance(loaded, type) else f"{type(loaded).__name__} {loaded!r}"
        raise _FunctionLoadError(f"function {name!r} ({points[0].value}) is {kind}: expected a subclass of "
                                 "cygrad.autograd.Function or a callable")
    return loaded


def _applied(function):
    """`function.apply`, with the name, text and signature of the Function."""
    from inspect import Signature      # start-up time: slow to import

    def apply(*args, **kwargs):
        return function.apply(*args, **kwargs)

    apply.__name__ = apply.__qualname__ = function.__name__
    apply.__module__, apply.__doc__, apply.function = function.__module__, function.__doc__, function
    apply.__signature__ = Signature(_parameters_of(function))
    return apply


def _unknown(name, found):
    installed = ", ".join(sorted(found)) or "none"
    return (f"no installed package provides the function {name!r} (installed: {installed})"
            + _entry_points.suggestion(name, found))
