"""Containers of samples: made again, of the same type, with other contents."""
import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence

__all__ = ["Mapping", "Sequence", "is_namedtuple", "mapping_like", "sequence_like"]


def is_namedtuple(value):
    """Whether a value is a tuple whose items have names."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def mapping_like(model, values):
    """A mapping of the model's type, with its other attributes, that holds `values`; a dict if none can be made."""
    if type(model) is dict:
        return values
    try:
        if isinstance(model, MutableMapping):
            made = copy.copy(model)
            made.update(values)
            return made
        return type(model)(values)
    except TypeError:
        return values


def sequence_like(model, values):
    """A sequence of the model's type, with its other attributes, of the items `values`; a list if none can be made."""
    if type(model) is list:
        return values
    try:
        if isinstance(model, MutableSequence):
            made = copy.copy(model)
            for place, value in enumerate(values):
                made[place] = value
            return made
        return type(model)(values)
    except TypeError:
        return values
