"""Exceptions of cygrad that PyTorch does not have, and the texts shared by several places.

Each says what was expected, what came and what to do; all derive from the type PyTorch raises in that situation.
"""
import sys


class BackendError(RuntimeError):
    """Base of every error about finding, loading or using a backend."""


class BackendNotFound(BackendError):
    """No installed package provides a backend of this name."""


class BackendLoadError(BackendError):
    """A backend's package is installed but its module or class does not load."""


class BackendUnavailable(BackendError):
    """A backend loaded, but has no device that can be used."""


class KernelMissing(BackendError, NotImplementedError):
    """A backend declined a call and CYGRAD_FALLBACK forbids the CPU."""


class DeviceMismatch(BackendError):
    """Operands of one op lie on different devices."""


class DtypeUnsupported(BackendError, TypeError):
    """A device has no elements of this dtype; it is never down-cast silently."""


class OutOfMemoryError(RuntimeError):
    """A device could not give the memory asked for."""


def report_unraisable(what, name):
    """Report an exception where none can be raised (in a destructor)."""
    error = sys.exc_info()[1]
    print(f"cygrad: ignored in {what} of backend {name!r}: {error!r}", file=sys.stderr)
