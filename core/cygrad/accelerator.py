"""`torch.accelerator`: the device beside the processor.

That is where tensors are made without `device=` (CYGRAD_BACKEND), else CUDA's. OpenCL's is none by itself: it may be
the processor.
"""
import contextlib

import cygrad
from cygrad.devices.namespaces import installed, namespace

__all__ = ["current_accelerator", "current_device_idx", "current_device_index", "current_stream", "device_count",
           "device_index", "empty_cache", "is_available", "max_memory_allocated", "memory_allocated",
           "set_device_idx", "set_device_index", "set_stream", "synchronize"]


def _found():
    """The namespace of the backend that has a device, or None."""
    home = cygrad.empty(0).device.type
    if home not in ("cpu", "meta"):
        return namespace(home)
    return namespace("cuda") if installed("cuda") and namespace("cuda").is_available() else None


def _needed():
    found = _found()
    if found is None:
        raise RuntimeError("Cannot access accelerator device when none is available.")
    return found


def is_available():
    """Whether there is a device beside the processor.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.accelerator.is_available() == (cygrad.accelerator.device_count() > 0)
    True
    """
    return _found() is not None


def current_accelerator(check_available=False):
    """The kind of device, without a number.

    Parameters
    ----------
    check_available : bool
        Makes no difference: a backend without a device is none.

    Returns
    -------
    device or None

    Examples
    --------
    >>> import cygrad
    >>> there = cygrad.accelerator.current_accelerator()
    >>> device = "cpu" if there is None else there.type
    """
    found = _found()
    return None if found is None else cygrad.device(found.__name__.rpartition(".")[2])


def device_count():
    """How many devices the backend has.

    Returns
    -------
    int
        0 where there is none.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.accelerator.device_count() >= 0
    True
    """
    found = _found()
    return 0 if found is None else found.device_count()


def current_device_index():
    """The number of the current device.

    Returns
    -------
    int
    """
    return _needed().current_device()


def set_device_index(device, /):
    """Make a device the current one.

    Parameters
    ----------
    device : device, str or int
    """
    _needed().set_device(device)


current_device_idx, set_device_idx = current_device_index, set_device_index


@contextlib.contextmanager
def device_index(device, /):
    """A block in which a device is the current one.

    Parameters
    ----------
    device : int or None
        None changes nothing.
    """
    if device is None:
        yield
        return
    before = current_device_index()
    set_device_index(device)
    try:
        yield
    finally:
        set_device_index(before)


def synchronize(device=None, /):
    """Wait until a device has done all that it was given.

    Parameters
    ----------
    device : device, str or int, optional
        The current one.
    """
    _needed().synchronize(device)


def current_stream(device=None, /):
    """The stream that a device's work goes to now.

    Parameters
    ----------
    device : device, str or int, optional

    Returns
    -------
    Stream
    """
    return _needed().current_stream(device)


def set_stream(stream):
    """Send work to another stream.

    Parameters
    ----------
    stream : Stream
    """
    _needed().set_stream(stream)


def empty_cache():
    """Give memory that is kept for reuse back to the device."""
    _needed().empty_cache()


def memory_allocated(device=None, /):
    """How many bytes tensors take on a device.

    Parameters
    ----------
    device : device, str or int, optional

    Returns
    -------
    int
    """
    return _needed().memory_allocated(device)


def max_memory_allocated(device=None, /):
    """The most bytes that tensors have taken on a device.

    Parameters
    ----------
    device : device, str or int, optional

    Returns
    -------
    int
    """
    return _needed().max_memory_allocated(device)
