"""Where new tensors are made without `device=`: what CYGRAD_BACKEND names, or what `set_default_device` chose.

A choice is the calling thread's. `discovery.resolve(None)` looks it up; here is how it is made.
"""
import os
import threading

from cygrad.devices import discovery, entry_points
from cygrad.devices.device import device, of
from cygrad.errors import BackendError, BackendNotFound, BackendUnavailable

PREFERENCE = ("cuda", "opencl")           # what `auto` tries first


# ----------------------------------------------------------- the environment variable

def named_by_environment():
    """(Backend, index) that CYGRAD_BACKEND names; the CPU where it names none."""
    wish = "".join(os.environ.get("CYGRAD_BACKEND", "").split())
    return _wished(wish) if wish else discovery.resolve("cpu")


def _wished(wish):
    """(Backend, index) of a name, name:index, the first usable of a list, or "auto"."""
    if wish.lower() == "auto":
        return _best()
    names = [name for name in wish.split(",") if name]
    reasons = []
    for name in names:
        try:
            return discovery.resolve(_spelled(name))
        except RuntimeError as error:               # a BackendError, or the string is no device
            reasons.append((name, error))
    if len(reasons) == 1:
        _, error = reasons[0]
        kind = type(error) if isinstance(error, BackendError) else BackendNotFound
        raise kind(f"CYGRAD_BACKEND={wish}: {error}") from error.__cause__
    lines = "".join(f"\n  {name}: {error}" for name, error in reasons)
    raise BackendUnavailable(f"CYGRAD_BACKEND={wish}: none of these can be used:{lines or ' the list is empty'}")


def _spelled(name):
    """The device as its package spells it: capitals don't matter."""
    type, colon, index = name.lower().partition(":")
    if type != "cpu":
        type = next((each for each in entry_points.find(discovery.GROUP) if each.lower() == type), type)
    return type + colon + index


def _best():
    """The first backend with a device: those of PREFERENCE, then by name, then the CPU."""
    found = entry_points.find(discovery.GROUP)
    for name in [*(name for name in PREFERENCE if name in found), *sorted(set(found) - {"cpu", *PREFERENCE})]:
        try:
            return discovery.resolve(name)
        except BackendError:
            continue
    return discovery.resolve("cpu")


# ----------------------------------------------------------- the thread's choice

class _Blocks(threading.local):
    """The `with device(...)` blocks that a thread is in."""

    def __init__(self):
        self.outer = []        # (device, place) that was the choice outside each


_blocks = _Blocks()


def default_override():
    """What `set_default_device` was last given in this thread, or None."""
    return discovery.choice()[0]


def set_default_device(where):
    """Make new tensors live on this device unless `device=` says otherwise; None: back to CYGRAD_BACKEND or the CPU.

    The choice is the calling thread's, as in PyTorch.

    Parameters
    ----------
    where : device, str or None
        The device.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.set_default_device("cpu")
    >>> cygrad.zeros(1).device
    device(type='cpu')
    >>> cygrad.set_default_device(None)
    """
    place = None if where is None else discovery.resolve(where)
    discovery.choose(None if where is None else device(where), place)


def push_default(where):
    """`set_default_device`, until `pop_default`."""
    before = discovery.choice()
    set_default_device(where)
    _blocks.outer.append(before)


def pop_default():
    """The thread's default device is again what it was before the last `push_default`."""
    discovery.choose(*_blocks.outer.pop())


def get_default_device():
    """The device on which new tensors are made.

    Returns
    -------
    device
        With the index, where there are several.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.get_default_device().type in ("cpu", "opencl", "cuda")
    True
    """
    return of(*discovery.resolve(None))
