"""`cygrad.backends.cudnn`, `.mps`, `.mkldnn` and others: PyTorch's switches of libraries that compute nothing here.

Programs set them at their start, or ask whether a library is there before they use it. So they can be set and read,
have PyTorch's values at first, and change nothing.
"""
import sys
import types
from contextlib import contextmanager

# By module: the switches and their values, and whether `is_available()` finds the library.
SWITCHES = {
    "cudnn": (dict(enabled=True, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True), False),
    "mkldnn": (dict(enabled=True, deterministic=False, allow_tf32=True), False),
    "nnpack": (dict(enabled=True), False),
    "opt_einsum": (dict(enabled=True, strategy="auto"), False),
    "mps": ({}, False),
    "mkl": ({}, False),
    "openmp": ({}, True),
}


class Switches(types.ModuleType):
    """The switches of one library."""

    def __init__(self, name):
        super().__init__(f"cygrad.backends.{name}", f"Switches of {name}, which change nothing.")
        values, found = SWITCHES[name]
        self._names = tuple(values)
        self._found = found
        self.__dict__.update(values)

    def is_available(self):
        """Whether the library is used."""
        return self._found

    def is_built(self):
        """Whether the library is used."""
        return self._found

    def version(self):
        """The library's version: None, since it is not used."""
        return None

    def is_acceptable(self, tensor):
        """Whether the library takes a tensor: no."""
        return False

    def set_flags(self, **values):
        """Set switches; returns their values before, in the order of the module.

        Parameters
        ----------
        **values : object
            Switches by name, with ``_`` before it or not; those that are None stay as they are.

        Returns
        -------
        tuple
        """
        before = tuple(getattr(self, name) for name in self._names)
        for name, value in values.items():
            name = name.lstrip("_")
            if name not in self._names:
                raise TypeError(f"set_flags() got an unexpected keyword argument '_{name}'")
            if value is not None:
                setattr(self, name, value)
        return before

    @contextmanager
    def flags(self, **values):
        """`set_flags` for a `with` block."""
        before = self.set_flags(**values)
        try:
            yield
        finally:
            self.set_flags(**dict(zip(self._names, before)))


def module(name):
    """`cygrad.backends.NAME`, or None where PyTorch has no such switches."""
    if name not in SWITCHES:
        return None
    full = f"cygrad.backends.{name}"
    if full not in sys.modules:
        sys.modules[full] = Switches(name)
    return sys.modules[full]
