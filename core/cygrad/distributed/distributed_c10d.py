"""PyTorch's longer name for what `cygrad.distributed` has: programs import functions of groups from here."""
import cygrad.distributed
from cygrad.distributed.groups import default as _get_default_group

__all__ = ["_get_default_group"]


def __getattr__(name):
    """A name of `cygrad.distributed`."""
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(cygrad.distributed, name)
