"""`cygrad.utils.deterministic`: what `use_deterministic_algorithms` may do besides."""
import sys as _sys
import types as _types

from cygrad.devices.determinism import _Mode          # what the switches of the namespace set, too


class _Deterministic(_types.ModuleType):
    @property
    def fill_uninitialized_memory(self):
        """Whether memory that nothing was written to is given a known value in this mode. True at first."""
        return _Mode.fill_uninitialized_memory

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode):
        if not isinstance(mode, bool):
            raise TypeError(f"expected a bool, but got {type(mode).__name__}")
        _Mode.change(fill=mode)


_sys.modules[__name__].__class__ = _Deterministic
