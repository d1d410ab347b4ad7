"""Parameters by number (`ParameterList`) and by name (`ParameterDict`); tensors put into either become Parameters."""
import operator
from collections import OrderedDict
from collections.abc import Iterable, Mapping

import cygrad
from cygrad import Tensor
from cygrad.nn.modules.module import Module
from cygrad.nn.parameter import Parameter


def _as_member(value):
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _described(name, value, kind):
    """A line of the container's text; `kind` says what a tensor's type is called."""
    if not isinstance(value, Tensor):
        return f"  ({name}): Object of type: {type(value).__name__}"
    size = "x".join(map(str, value.size()))
    where = f" ({value.device})" if value.device.type == "cuda" else ""
    is_parameter = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({name}): {is_parameter} containing: [{kind(value)} of size {size}{where}]"


class ParameterList(Module):
    """Parameters by number.

    Parameters
    ----------
    values : iterable, optional
        Tensors become Parameters; anything else is kept as it is.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.ParameterList([cygrad.ones(2, 3)])
    ParameterList(  (0): Parameter containing: [cygrad.float32 of size 2x3])
    """

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _name_at(self, index):
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return str(index % len(self))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)([self[number] for number in range(len(self))[index]])
        return getattr(self, self._name_at(index))

    def __setitem__(self, index, param):
        setattr(self, self._name_at(index), _as_member(param))

    def __len__(self):
        return self._size

    def __iter__(self):
        return (self[number] for number in range(len(self)))

    def __iadd__(self, parameters):
        return self.extend(parameters)

    def append(self, value):
        """Add a value at the end; returns the list."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values):
        """Add values at the end; returns the list.

        Parameters
        ----------
        values : iterable
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self):
        """One line for each value."""
        return "\n".join(_described(number, value, lambda value: value.dtype) for number, value in enumerate(self))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Parameters by name, in the order in which they were added.

    Parameters
    ----------
    parameters : mapping of str to values, or iterable of pairs, optional
        Tensors become Parameters; anything else is kept as it is.

    Examples
    --------
    >>> import cygrad
    >>> p = cygrad.nn.ParameterDict({"w": cygrad.ones(2)})
    >>> p["w"]
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def _attribute(self, key):
        if not isinstance(key, str):
            raise TypeError("Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                            f"'{type(key).__name__}'). Open an issue on github if you need non-string keys.")
        return key

    def __getitem__(self, key):
        return getattr(self, self._attribute(key))

    def __setitem__(self, key, value):
        self._keys[key] = None
        setattr(self, self._attribute(key), _as_member(value))

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, self._attribute(key))

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(self._keys)

    def __contains__(self, key):
        return key in self._keys

    def copy(self):
        """A ParameterDict with the same values."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key, default=None):
        """The value of a name, which becomes `default` if there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self):
        """Take all values out."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key):
        """Take a value out and return it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Take the last value out and return its name and itself."""
        if not self._keys:
            self._keys.popitem()        # which raises
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def get(self, key, default=None):
        """The value of a name, or `default`."""
        return self[key] if key in self else default  # noqa: SIM401  this is `get`

    def fromkeys(self, keys, default=None):
        """A new ParameterDict with the same value for each name."""
        return ParameterDict((key, default) for key in keys)

    def keys(self):
        """The names."""
        return self._keys.keys()

    def items(self):
        """(name, value) of each."""
        return ((key, self[key]) for key in self._keys)

    def values(self):
        """The values."""
        return (self[key] for key in self._keys)

    def update(self, parameters):
        """Add values; those of a name that is there take its place.

        Parameters
        ----------
        parameters : mapping of str to values, or iterable of pairs
            A mapping other than an OrderedDict or a ParameterDict is taken in the order of its names.
        """
        from cygrad.nn.modules.container import pairs_of      # knot: it needs this module
        if not isinstance(parameters, Iterable):
            raise TypeError("ParametersDict.update should be called with an iterable of key/value pairs, but got "
                            f"{type(parameters).__name__}")
        pairs = pairs_of("ParameterDict", parameters)
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            pairs = sorted(pairs)
        for key, value in pairs:
            self[key] = value

    def extra_repr(self):
        """One line for each value."""
        return "\n".join(_described(key, value, cygrad.typename) for key, value in self.items())

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other):
        found = self.copy()
        found.update(other)
        return found

    def __ror__(self, other):
        found = other.copy()
        found.update(self)
        return found

    def __ior__(self, other):
        self.update(other)
        return self
