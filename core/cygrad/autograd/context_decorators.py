"""Functions that run inside a context, which is made anew for each call: `no_grad` and its like as decorators."""
import functools
import sys
import warnings

_GENERATOR = 0x20      # flag of a generator function's code object, as in the module inspect


def decorated(context, function):
    """`function`, a class or a generator function, too, wrapped so that it runs in a new `context()`."""
    if isinstance(function, type):
        warnings.warn(
            "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
            "functions or methods; to keep what class decoration does today, decorate the `__init__` method.",
            FutureWarning,
            stacklevel=2,
        )
        return _wrap_function(context, lambda *args, **kwargs: function(*args, **kwargs))
    if getattr(getattr(function, "__code__", None), "co_flags", 0) & _GENERATOR:
        return _wrap_generator(context, function)
    return _wrap_function(context, function)


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
