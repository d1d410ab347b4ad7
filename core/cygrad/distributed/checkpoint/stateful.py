"""`Stateful`: what `checkpoint.save` and `load` ask of objects for their state."""
from typing import Protocol, runtime_checkable

__all__ = ["Stateful"]


@runtime_checkable
class Stateful(Protocol):
    """An object with a state that is saved and loaded: a module, an optimiser, or what a program writes itself."""

    def state_dict(self):
        """The state, a dict."""

    def load_state_dict(self, state_dict):
        """Take a state over."""
