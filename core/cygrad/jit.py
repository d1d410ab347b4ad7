"""`torch.jit` for programs that use it: nothing is compiled, and what is scripted or traced runs as it is written.

PyTorch calls TorchScript deprecated and asks for `torch.compile` instead, but decorators of it stand in many programs.
They give back what they were given, as `cygrad.compile` does. Files of TorchScript hold programs, so they are not read.
"""
import builtins
import typing
import warnings

from cygrad.futures import Future

__all__ = ["Attribute", "Error", "Final", "Future", "ScriptFunction", "annotate", "export", "fork", "freeze", "ignore",
           "interface", "is_scripting", "is_tracing", "isinstance", "load", "optimize_for_inference", "save", "script",
           "script_if_tracing", "script_method", "set_fusion_strategy", "trace", "trace_module", "unused", "wait"]

Final = typing.Final


class Attribute(typing.NamedTuple):
    """A value, and the type that PyTorch's compiler would give it."""

    value: object
    type: object


class Error(RuntimeError):
    """The error of a scripted function in PyTorch; no function raises it here."""


class TracerWarning(Warning):
    """A category of warnings in PyTorch, for programs that silence it: nothing warns of it here."""


class ScriptFunction:
    """The type of scripted functions in PyTorch, for `isinstance`: there are none here."""


def __getattr__(name):
    if name != "ScriptModule":
        raise AttributeError(f"module 'cygrad.jit' has no attribute {name!r}")
    from cygrad.nn import Module        # start-up time: a program of functions needs no modules

    class ScriptModule(Module):
        """A Module that runs as it is written."""
        __qualname__ = "ScriptModule"
    globals()["ScriptModule"] = ScriptModule
    return ScriptModule


def _as_it_is(thing, call):
    """`thing`, with a warning that names the call."""
    if not callable(thing):
        raise RuntimeError(f"{call}(): expected a function, a class or a module, got {type(thing).__name__}")
    warnings.warn(f"cygrad has no compiler: jit.{call}() returns its function or module as it is, which runs op by op.",
                  stacklevel=3)
    return thing


def script(obj, optimize=None, example_inputs=None):
    """The function, class or module itself, with a warning: it runs as it is written.

    Parameters
    ----------
    obj : callable
    optimize, example_inputs
        Without effect.

    Returns
    -------
    callable
        `obj`.

    Raises
    ------
    RuntimeError
        If `obj` can't be called.

    Examples
    --------
    >>> import cygrad, warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     @cygrad.jit.script
    ...     def twice(x):
    ...         return 2 * x
    >>> twice(cygrad.ones(2))
    tensor([2., 2.])
    """
    return _as_it_is(obj, "script")


def trace(func, example_inputs=None, **options):
    """The function or module itself, with a warning: every call runs it anew, its branches too.

    Parameters
    ----------
    func : callable
    example_inputs, **options
        Without effect: PyTorch would run `func` on the inputs and keep the ops that it met.

    Returns
    -------
    callable
        `func`.

    Raises
    ------
    RuntimeError
        If `func` can't be called.

    Examples
    --------
    >>> import cygrad, warnings
    >>> layer = cygrad.nn.Linear(2, 1)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     cygrad.jit.trace(layer, cygrad.ones(1, 2)) is layer
    True
    """
    return _as_it_is(func, "trace")


def trace_module(mod, inputs=None, **options):
    """The module itself, with a warning: see `trace`.

    Parameters
    ----------
    mod : Module
    inputs, **options
        Without effect.

    Returns
    -------
    Module
        `mod`.

    Raises
    ------
    RuntimeError
        If `mod` can't be called.
    """
    return _as_it_is(mod, "trace_module")


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    """The module itself.

    Parameters
    ----------
    mod : Module
        In evaluation mode, as PyTorch wants it.
    preserved_attrs, optimize_numerics
        Without effect.

    Returns
    -------
    Module
        `mod`.

    Raises
    ------
    RuntimeError
        If `mod` is in training mode.
    """
    if mod.training:
        raise RuntimeError("Freezing is currently only implemented for modules in eval mode. Please call .eval() on "
                           "your module before freezing.")
    return mod


def optimize_for_inference(mod, other_methods=None):
    """The module itself.

    Parameters
    ----------
    mod : Module
    other_methods : list of str, optional
        Without effect.

    Returns
    -------
    Module
        `mod`.
    """
    return mod


def set_fusion_strategy(strategy):
    """Take a strategy of fusing ops, without effect.

    Parameters
    ----------
    strategy : list of (str, int)

    Returns
    -------
    list
        The strategy before: none.
    """
    return []


def _marker(name, text):
    """A decorator that marks functions for TorchScript, and here returns them as they are."""
    def mark(fn):
        return fn
    mark.__name__ = mark.__qualname__ = name
    mark.__doc__ = f"""{text}

    Parameters
    ----------
    fn : callable

    Returns
    -------
    callable
        `fn`.
    """
    return mark


export = _marker("export", "The method itself, which PyTorch would compile with its module.")
interface = _marker("interface", "The class itself, which PyTorch would take for an interface.")
unused = _marker("unused", "The function itself, which PyTorch would leave out of a compiled module.")
script_method = _marker("script_method", "The method itself, which PyTorch would compile with its module.")
script_if_tracing = _marker("script_if_tracing", "The function itself, which PyTorch would compile while it traces.")


def ignore(drop=False, **options):
    """The function itself, which PyTorch would leave to Python; with and without parentheses.

    Parameters
    ----------
    drop : bool or callable
        The function, or a choice without effect.
    **options
        Without effect.

    Returns
    -------
    callable

    Examples
    --------
    >>> import cygrad
    >>> cygrad.jit.ignore(len) is len and cygrad.jit.ignore(drop=True)(len) is len
    True
    """
    return drop if callable(drop) else lambda fn: fn


def annotate(the_type, the_value):
    """The value itself.

    Parameters
    ----------
    the_type : type
        What PyTorch's compiler would take the value for.
    the_value : object

    Returns
    -------
    object
        `the_value`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.jit.annotate(list[int], [])
    []
    """
    return the_value


def isinstance(obj, target_type):
    """Whether an object is of a type that may name what it holds.

    Parameters
    ----------
    obj : object
    target_type : type or tuple of types
        A class, `Optional[...]`, `Union[...]`, or `list[...]`, `tuple[...]` and `dict[...]` of such, which look at each
        member.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.jit.isinstance([1, 2], list[int]), cygrad.jit.isinstance([1, "2"], list[int])
    (True, False)
    """
    if builtins.isinstance(target_type, tuple):
        return any(isinstance(obj, each) for each in target_type)
    whole, parts = typing.get_origin(target_type), typing.get_args(target_type)
    if target_type is typing.Any:
        return True
    if whole is None:
        return builtins.isinstance(obj, type(None) if target_type is None else target_type)
    if not builtins.isinstance(whole, type) or whole.__name__ == "UnionType":
        return any(isinstance(obj, each) for each in parts)
    if not builtins.isinstance(obj, whole):
        return False
    if whole is tuple:
        return len(obj) == len(parts) and all(map(isinstance, obj, parts))
    if whole is dict:
        return all(isinstance(key, parts[0]) and isinstance(value, parts[1]) for key, value in obj.items())
    return all(isinstance(each, parts[0]) for each in obj)


def is_scripting():
    """Whether a compiled function runs: never.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.jit.is_scripting()
    False
    """
    return False


def is_tracing():
    """Whether a function is being traced: never.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.jit.is_tracing()
    False
    """
    return False


def fork(func, *args, **kwargs):
    """Call a function and put its result into a Future, as PyTorch does outside of compiled functions.

    Parameters
    ----------
    func : callable
    *args, **kwargs
        What it is called with.

    Returns
    -------
    Future

    Examples
    --------
    >>> import cygrad
    >>> cygrad.jit.wait(cygrad.jit.fork(cygrad.ones, 2))
    tensor([1., 1.])
    """
    future = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future):
    """The result of a Future.

    Parameters
    ----------
    future : Future

    Returns
    -------
    object
    """
    return future.wait()


def _refused(name, remedy):
    def refuse(*args, **kwargs):
        raise RuntimeError(f"jit.{name}: a file of TorchScript holds a program, which cygrad neither writes nor runs. "
                           f"{remedy}")
    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"""Refused: a file of TorchScript holds a program. {remedy}

    Raises
    ------
    RuntimeError
        Always.
    """
    return refuse


load = _refused("load", "Load the module's state dict with cygrad.load and nn.Module.load_state_dict.")
save = _refused("save", "Save the module's state dict with cygrad.save.")
