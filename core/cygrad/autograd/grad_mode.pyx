"""Switches of gradient recording: `no_grad`, `enable_grad`, `set_grad_enabled`, `inference_mode`.

Each is a context manager and a decorator over thread-local flags that `node` keeps in C, so that a `with` block costs a
few function calls. Nothing here knows of tensors.
"""

import functools
import sys
import warnings

from cygrad.autograd.modes cimport grad_enabled, set_grad_enabled as set_mode

from cygrad.autograd.modes import inference_mode_enabled, set_grad_mode, set_inference_mode

__all__ = ["no_grad", "enable_grad", "set_grad_enabled", "inference_mode"]

_new = object.__new__

_GENERATOR = 0x20      # flag of a generator function's code object, as in the module inspect


class _GradContext:
    """A context manager that also decorates functions and generator functions."""

    __slots__ = ()

    def _clone(self):
        return type(self)()

    def __call__(self, function):
        """Return `function` wrapped so that it always runs inside this context."""
        if isinstance(function, type):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
                "functions or methods; to keep what class decoration does today, decorate the `__init__` method.",
                FutureWarning,
                stacklevel=2,
            )
            return _wrap_function(self._clone, lambda *args, **kwargs: function(*args, **kwargs))
        if getattr(getattr(function, "__code__", None), "co_flags", 0) & _GENERATOR:
            return _wrap_generator(self._clone, function)
        return _wrap_function(self._clone, function)


def _wrap_function(context, function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with context():
            return function(*args, **kwargs)

    return wrapper


def _wrap_generator(context, function):
    """Run the body of a generator in the context, but not the code between its `yield`s, which is the caller's."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        generator = function(*args, **kwargs)
        resume, argument = generator.send, (None,)
        try:
            while True:
                with context():
                    item = resume(*argument)
                try:
                    resume, argument = generator.send, ((yield item),)
                except GeneratorExit:
                    with context():
                        generator.close()
                    raise
                except BaseException:
                    resume, argument = generator.throw, (sys.exc_info()[1],)
        except StopIteration as stop:
            return stop.value

    return wrapper


class no_grad(_GradContext):
    """Do not record operations: results need no gradient, whatever their inputs need.

    Usable as ``with no_grad():``, ``@no_grad()`` and ``@no_grad``. The setting belongs to the current thread. Tensors
    made from data with ``requires_grad=True`` still require a gradient.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.ones(2, requires_grad=True)
    >>> with cygrad.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    __slots__ = ("prev",)

    def __new__(cls, function=None):
        return _new(cls) if function is None else cls()(function)

    def __enter__(self):
        self.prev = bool(grad_enabled())
        set_mode(False)

    def __exit__(self, exc_type, exc_value, traceback):
        set_mode(self.prev)


class enable_grad(_GradContext):
    """Record operations again inside a `no_grad` block; the counterpart of `no_grad`, used in the same ways."""

    __slots__ = ("prev",)

    def __new__(cls, function=None):
        return _new(cls) if function is None else cls()(function)

    def __enter__(self):
        self.prev = bool(grad_enabled())
        set_mode(True)

    def __exit__(self, exc_type, exc_value, traceback):
        set_mode(self.prev)


class set_grad_enabled(_GradContext):
    """Switch recording on or off, at once; as a context manager, until the block ends.

    Parameters
    ----------
    mode : bool
        Whether operations are recorded.

    Raises
    ------
    TypeError
        If `mode` is no bool.
    """

    __slots__ = ("mode", "prev")

    def __init__(self, mode):
        if mode is not True and mode is not False:
            raise TypeError(
                f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}"
            )
        self.prev = set_grad_mode(mode)
        self.mode = mode

    def __call__(self, function):
        set_grad_mode(self.prev)  # a decorator acts when the function runs, not where it is defined
        return super().__call__(function)

    def __enter__(self):
        set_grad_mode(self.mode)

    def __exit__(self, exc_type, exc_value, traceback):
        set_grad_mode(self.prev)

    def _clone(self):
        return type(self)(self.mode)

    def __repr__(self):
        return f"{type(self).__module__}.{type(self).__qualname__}(mode={self.mode})"


class inference_mode(_GradContext):
    """Neither record operations nor track versions and views; stricter and cheaper than `no_grad`.

    Tensors made in this mode can't take part in a recorded operation afterwards.

    Parameters
    ----------
    mode : bool, default True
        False leaves inference mode, and switches recording on, inside a block that entered it. A function may stand
        here instead: ``@inference_mode`` decorates without parentheses.
    """

    __slots__ = ("mode", "prev")

    def __new__(cls, mode=True):
        if mode is True or mode is False:
            return _new(cls)
        return cls(True)(mode)

    def __init__(self, mode=True):
        self.mode = mode

    def __enter__(self):
        self.prev = inference_mode_enabled(), set_grad_mode(not self.mode)
        set_inference_mode(self.mode)

    def __exit__(self, exc_type, exc_value, traceback):
        inference, grad = self.prev
        set_inference_mode(inference)
        set_grad_mode(grad)

    def _clone(self):
        return type(self)(self.mode)
