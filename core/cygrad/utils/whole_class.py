"""Public classes that are made of several, each in a file of its own: users see one class."""
from types import FunctionType


def made_of_parts(cls):
    """Let the methods that a class has from its bases say that they are its own, where they are printed and pickled."""
    for part in cls.__bases__:
        for name, method in vars(part).items():
            if isinstance(method, FunctionType):
                method.__qualname__, method.__module__ = f"{cls.__qualname__}.{name}", cls.__module__
    return cls
