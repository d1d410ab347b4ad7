"""Packages that import what they name when it is first used, and all of it for whoever reads their dictionary."""
import sys
import types

_OWN = types.ModuleType.__dict__["__dict__"]


class LazyPackage(types.ModuleType):
    """A package whose `__getattr__` finds the names of its `__all__`.

    Programs pick a class by its name from ``nn.__dict__``, or go through ``vars(distributions)``: they find every name
    there, as in a package that imports all at once.
    """

    @property
    def __dict__(self):
        for name in _OWN.__get__(self)["__all__"]:
            getattr(self, name)
        return _OWN.__get__(self)


def import_when_used(package):
    """Make a package, given by its name, a `LazyPackage`; it calls this at its end."""
    sys.modules[package].__class__ = LazyPackage
