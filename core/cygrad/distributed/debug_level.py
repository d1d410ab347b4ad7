"""How much PyTorch checks at each call, by its names; here the level changes nothing."""
import enum
import os

__all__ = ["DebugLevel", "get_debug_level", "set_debug_level", "set_debug_level_from_env"]


class DebugLevel(enum.Enum):
    """How much PyTorch checks; here what ranks call is compared at each level."""

    OFF, INFO, DETAIL = range(3)


_level = DebugLevel.OFF


def get_debug_level():
    """The level that was set."""
    return _level


def set_debug_level(arg0):
    """Set the level; nothing depends on it."""
    global _level
    _level = DebugLevel(arg0)


def set_debug_level_from_env():
    """Set the level that `TORCH_DISTRIBUTED_DEBUG` names, OFF without it."""
    name = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper()
    if name not in DebugLevel.__members__:
        raise ValueError("The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL.")
    set_debug_level(DebugLevel[name])


set_debug_level_from_env()
