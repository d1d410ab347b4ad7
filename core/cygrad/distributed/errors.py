"""Exceptions of `cygrad.distributed`: PyTorch's names, and one for plug-ins that are not there."""

__all__ = ["DistBackendError", "DistError", "DistNetworkError", "DistStoreError", "ProcessGroupLoadError",
           "QueueEmptyError"]


class DistError(RuntimeError):
    """Base of the errors of distributed programs."""


class DistBackendError(DistError):
    """A collective failed: a rank died, left, came too late or called something else; the text names it."""


class DistNetworkError(DistError):
    """The processes can't reach each other."""


class DistStoreError(DistError):
    """The processes could not agree on how to begin."""


class QueueEmptyError(DistStoreError):
    """PyTorch's name for an empty queue of its store; nothing here raises it."""


class ProcessGroupLoadError(DistError):
    """No installed package provides process groups of this name, or the one that does can't be loaded."""
