"""Sizes given as one number or several, and what modules say of them."""
from collections.abc import Iterable
from itertools import repeat


def ntuple(length, name):
    """A function from a number, or an iterable of numbers, to a tuple; a number is repeated."""
    def parse(given):
        return tuple(given) if isinstance(given, Iterable) else tuple(repeat(given, length))
    parse.__name__ = name
    return parse


_single, _pair, _triple, _quadruple = (ntuple(length, name) for length, name in (
    (1, "_single"), (2, "_pair"), (3, "_triple"), (4, "_quadruple")))
_sextuple = ntuple(6, "_sextuple")


def consume_prefix_in_state_dict_if_present(state_dict, prefix):
    """Take a prefix off the names of a state dict, in place: that of a wrapper that the state was saved from.

    Parameters
    ----------
    state_dict : dict
        Names without the prefix stay as they are, and come first.
    prefix : str
        Such as ``"module."``.

    Examples
    --------
    >>> from cygrad.nn.modules.utils import consume_prefix_in_state_dict_if_present
    >>> state = {"module.weight": 1, "bias": 2}
    >>> consume_prefix_in_state_dict_if_present(state, "module.")
    >>> state
    {'bias': 2, 'weight': 1}
    """
    for name in [name for name in state_dict if name.startswith(prefix)]:
        state_dict[name.removeprefix(prefix)] = state_dict.pop(name)
    about = getattr(state_dict, "_metadata", None)      # of modules, whose names end before the dot
    for name in list(about or ()):
        if name == prefix.removesuffix("."):
            about[""] = about.pop(name)
        elif name.startswith(prefix):
            about[name.removeprefix(prefix)] = about.pop(name)
