"""`torch.overrides`: functions of one's own that types with `__torch_function__` may override, and modes of functions.

Ops of cygrad ask by themselves (`tensors/overriding.pyx`). What is here is for functions written over them, for types
that want to know what there is to override, and for `TorchFunctionMode`, which sees every call of a block.
"""
import contextlib
import functools
import warnings
from _thread import get_ident
from types import FunctionType, ModuleType

import cygrad
from cygrad import Tensor
from cygrad._C import DisableTorchFunction
from cygrad.tensors.overriding import (any_overridden, disabled_torch_function, modes_here, overriding_arguments,
                                       pop_mode, push_mode)

__all__ = ["get_ignored_functions", "get_overridable_functions", "get_testing_overrides", "handle_torch_function",
           "has_torch_function", "resolve_name", "is_tensor_like", "is_tensor_method_or_property",
           "wrap_torch_function", "enable_reentrant_dispatch", "redispatch_function"]

_redispatching = set()      # numbers of threads that are in `redispatch_function`, before its function asked


# --------------------------------------------------------- functions of one's own

def has_torch_function(relevant_args):
    """Whether a type among these arguments has its own `__torch_function__`, or a mode of functions is on.

    Parameters
    ----------
    relevant_args : iterable

    Returns
    -------
    bool
        False for plain tensors and parameters.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.overrides.has_torch_function((cygrad.ones(1),))
    False
    """
    if get_ident() in _redispatching:
        _redispatching.discard(get_ident())
        return False
    return any_overridden(relevant_args)


def has_torch_function_unary(value):
    """`has_torch_function` of one argument."""
    return has_torch_function((value,))


def has_torch_function_variadic(*values):
    """`has_torch_function` of arguments that are given one by one."""
    return has_torch_function(values)


def handle_torch_function(public_api, relevant_args, /, *args, **kwargs):
    """Let a type's, or a mode's, `__torch_function__` do a call of a function.

    Parameters
    ----------
    public_api : callable
        The function that was called.
    relevant_args : iterable
        Those arguments of it that may override it.
    *args, **kwargs
        All of them.

    Returns
    -------
    object
        What that function gave.

    Raises
    ------
    TypeError
        If all of them gave NotImplemented.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.overrides import handle_torch_function, has_torch_function_unary
    >>> def double(x):
    ...     if has_torch_function_unary(x):
    ...         return handle_torch_function(double, (x,), x)
    ...     return x + x
    >>> class Loud(cygrad.Tensor):
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return super().__torch_function__(func, types, args, kwargs)
    >>> _ = double(cygrad.ones(1).as_subclass(Loud))
    double
    """
    found = overriding_arguments(relevant_args)
    kinds = tuple(map(type, found))
    if modes_here():
        with _without_innermost() as mode:
            result = mode.__torch_function__(public_api, kinds, args, kwargs)
        if result is not NotImplemented:
            return result
    for value in found:
        function = value.__torch_function__
        if getattr(function, "__self__", None) is value and function is not disabled_torch_function:
            warnings.warn("Defining your `__torch_function__ as a plain method is deprecated and will be an error in "
                          "future, please define it as a classmethod.", DeprecationWarning, stacklevel=2)
        result = function(public_api, kinds, args, kwargs)
        if result is not NotImplemented:
            return result
    message = (f"no implementation found for '{public_api.__module__}.{public_api.__name__}' on types that implement "
               f"__torch_function__: {list(kinds)}")
    if modes_here():
        message += f" nor in mode {modes_here()[-1]}"
    raise TypeError(message)


def wrap_torch_function(dispatcher):
    """Decorator: a function that types with `__torch_function__` may override.

    Parameters
    ----------
    dispatcher : callable
        Takes the function's arguments, gives those that may override it.

    Returns
    -------
    callable
        The decorator.
    """
    def decorate(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)
        return wrapped
    return decorate


def is_tensor_like(inp):
    """Whether something is a tensor, or has `__torch_function__`.

    Parameters
    ----------
    inp : object

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.overrides.is_tensor_like(cygrad.ones(1)), cygrad.overrides.is_tensor_like([1])
    (True, False)
    """
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


# -------------------------------------------------------- what there is to override

# Functions of the namespace that make tensors, or ask or set something: no argument of theirs is a tensor that counts.
_IGNORED = frozenset("""
    typename is_tensor is_storage set_default_tensor_type set_default_device get_default_device set_rng_state
    get_rng_state manual_seed initial_seed seed save load set_printoptions fork get_default_dtype
    get_num_interop_threads get_num_threads init_num_threads import_ir_module is_anomaly_enabled is_grad_enabled
    merge_type_from_type_comment promote_types set_anomaly_enabled set_default_dtype set_flush_denormal
    set_num_interop_threads set_num_threads as_tensor from_numpy tensor cartesian_prod arange as_strided
    bartlett_window blackman_window broadcast_shapes can_cast compile empty empty_strided eye full hamming_window
    hann_window kaiser_window linspace logspace normal ones rand randn randint randperm range scalar_tensor
    tril_indices triu_indices vander zeros vmap asarray frombuffer from_dlpack is_autocast_enabled
    is_autocast_available is_inference_mode_enabled is_anomaly_check_nan_enabled get_float32_matmul_precision
    set_float32_matmul_precision e inf nan pi""".split())
_IGNORED_METHODS = frozenset("""
    __delitem__ __dir__ __getattribute__ __init__ __iter__ __init_subclass__ __setattr__ __subclasshook__ __new__
    __torch_function__ __doc__ __module__ __dict__ __weakref__ new new_tensor as_subclass _make_subclass __copy__
    __array_wrap__ __array_priority__ __hash__ __class__""".split())


def _namespaces():
    """(name, namespace, names) of what PyTorch lists."""
    for name, space in (("torch", cygrad), ("torch.nn.functional", cygrad.nn.functional), ("torch.Tensor", Tensor),
                        ("torch.linalg", cygrad.linalg), ("torch.fft", cygrad.fft), ("torch.special", cygrad.special)):
        yield name, space, dir(space)


@functools.cache
def _overridable():
    """{namespace: its functions that can be overridden}, and {function: its name}."""
    found, names = {}, {}
    for space_name, space, members in _namespaces():
        for name in members:
            of_tensor = space is Tensor
            if not of_tensor and (name.startswith("_") or name.endswith("_") or not name[0].islower()):
                continue
            value = getattr(space, name)
            if of_tensor and (getattr(object, name, None) == value or name in _IGNORED_METHODS):
                continue
            if isinstance(value, (ModuleType, type)) or not of_tensor and name in _IGNORED:
                continue
            if not callable(value) and hasattr(value, "__get__"):
                names[value.__get__] = f"{space_name}.{name}.__get__"
                names[value.__set__] = f"{space_name}.{name}.__set__"
                found.setdefault(value, []).append(value.__get__)
            elif callable(value):
                names.setdefault(value, f"{space_name}.{name}")
                found.setdefault(space, []).append(value)
    return found, names


def get_overridable_functions():
    """What can be overridden by `__torch_function__`.

    Returns
    -------
    dict
        {namespace: list of its functions}; for a property of Tensor, {property: [its `__get__`]}.
    """
    return _overridable()[0]


def get_ignored_functions():
    """Public functions that can't be overridden.

    Returns
    -------
    set of callable
    """
    return {getattr(cygrad, name) for name in _IGNORED if callable(getattr(cygrad, name, None))} \
        | {getattr(Tensor, name) for name in _IGNORED_METHODS if callable(getattr(Tensor, name, None))}


def get_testing_overrides():
    """For each function that can be overridden, one of the same parameters that returns -1.

    Returns
    -------
    dict
        {function: lambda}
    """
    return {function: lambda *args, **kwargs: -1
            for functions in get_overridable_functions().values() for function in functions}


def resolve_name(f):
    """The name of a function that `__torch_function__` is given.

    Parameters
    ----------
    f : callable

    Returns
    -------
    str or None
        Evaluated, it is the function again; None for what can't be overridden.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.overrides.resolve_name(cygrad.Tensor.add)
    'torch.Tensor.add'
    """
    return _overridable()[1].get(f)


def is_tensor_method_or_property(func):
    """Whether a function that `__torch_function__` is given is a method or a property's getter of Tensor.

    Parameters
    ----------
    func : callable

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.overrides.is_tensor_method_or_property(cygrad.Tensor.add)
    True
    >>> cygrad.overrides.is_tensor_method_or_property(cygrad.add)
    False
    """
    return func in get_overridable_functions()[Tensor] or func.__name__ == "__get__"


# ---------------------------------------------------------------------------- modes

class TorchFunctionMode:
    """In a `with` block, every call of an op goes to this object's `__torch_function__`.

    Also of ops without a tensor among their arguments, such as `zeros`. Inside that function calls go to the next mode
    around, or are done.

    Examples
    --------
    >>> import cygrad
    >>> class Log(cygrad.overrides.TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return func(*args, **(kwargs or {}))
    >>> with Log():
    ...     x = cygrad.ones(2)
    ...     y = x.exp()
    ones
    exp
    """

    def __init__(self):
        pass

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        push_mode(self)
        return self

    def __exit__(self, *error):
        pop_mode()

    @classmethod
    def push(cls, *args, **kwargs):
        """An instance: for programs of before modes were entered by `with`."""
        warnings.warn("`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2)
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """The mode that changes nothing."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def _without_innermost():
    """The innermost mode, which is off in the block."""
    mode = pop_mode()
    try:
        yield mode
    finally:
        push_mode(mode)


@contextlib.contextmanager
def enable_reentrant_dispatch():
    """A block in which `__torch_function__` is asked again. It is here: no op of ours suspends it."""
    yield


def redispatch_function(func, types, args, kwargs):
    """Do a call that `__torch_function__` was given: types are not asked about it again, but about calls inside it.

    Parameters
    ----------
    func, types, args, kwargs
        What `__torch_function__` was given.

    Returns
    -------
    object
        What the function gives.
    """
    if isinstance(func, FunctionType):         # somebody's own, which asks by `has_torch_function`
        _redispatching.add(get_ident())
        try:
            return func(*args, **(kwargs or {}))
        finally:
            _redispatching.discard(get_ident())
    with DisableTorchFunction():                # an op of ours: neither its types nor a mode that is on again
        return func(*args, **(kwargs or {}))
