"""Handles of hooks on tensors and nodes."""
import itertools

_ids = itertools.count()


class RemovableHandle:
    """What `register_hook` returns: `remove()` takes the hook away, also at the end of a `with` block."""

    def __init__(self, hooks, hook):
        self.id = next(_ids)
        self._holder = hooks
        hooks[self.id] = hook

    def remove(self):
        """Remove the hook; calling it again does nothing."""
        self._holder.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


RemovableHandle.__module__ = "cygrad.utils.hooks"
