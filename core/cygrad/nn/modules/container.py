"""Modules that hold others: in a row (`Sequential`), by number (`ModuleList`), by name (`ModuleDict`)."""
import operator
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from itertools import chain

from cygrad.nn.modules.module import Module
from cygrad.nn.modules.parameter_containers import ParameterDict, ParameterList

__all__ = ["Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"]


def absolute(index, length):
    """The index from the start, if it is inside."""
    index = operator.index(index)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


def pairs_of(name, given):
    """(key, value) of a dict or of an iterable of pairs, for the `update` of a container."""
    if isinstance(given, Mapping) or hasattr(given, "items"):
        return given.items()
    return (_checked_pair(name, number, pair) for number, pair in enumerate(given))


def _checked_pair(name, number, pair):
    if not isinstance(pair, Iterable):
        raise TypeError(f"{name} update sequence element #{number} should be Iterable; is{type(pair).__name__}")
    if len(pair) != 2:
        raise ValueError(f"{name} update sequence element #{number} has length {len(pair)}; 2 is required")
    return pair


class Container(Module):
    """Deprecated: a module with the submodules that it is given by keyword. Subclass Module instead."""

    def __init__(self, **kwargs):
        warnings.warn("`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. "
                      "Subclass that instead.", FutureWarning, stacklevel=2)
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


class _Row(Module):
    """What Sequential and ModuleList share: modules in an order."""

    def _renumber(self):
        """After some were deleted: count from 0 again."""
        self._modules = {str(number): module for number, module in enumerate(self._modules.values())}

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def append(self, module):
        """Add a module at the end; returns the container.

        Parameters
        ----------
        module : Module
        """
        self.add_module(str(len(self)), module)
        return self

    def _insert(self, index, module):
        for number in range(len(self), index, -1):
            self._modules[str(number)] = self._modules[str(number - 1)]
        self._modules[str(index)] = module

    def pop(self, key):
        """Take out the module (or modules) at an index (or slice) and return it.

        Parameters
        ----------
        key : int or slice
        """
        found = self[key]
        del self[key]
        return found


class Sequential(_Row):
    """Modules, each of which is called with what the one before it returned.

    Parameters
    ----------
    *args : Module
        In their order; or one OrderedDict of modules by name.

    Examples
    --------
    >>> from cygrad import nn
    >>> nn.Sequential(nn.Linear(4, 8), nn.Identity())
    Sequential(
      (0): Linear(in_features=4, out_features=8, bias=True)
      (1): Identity()
    )
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for number, module in enumerate(args):
                self.add_module(str(number), module)

    def forward(self, input):
        """The last module's result."""
        for module in self:
            input = module(input)
        return input

    def _name_at(self, index):
        return list(self._modules)[absolute(index, len(self))]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._name_at(index)]

    def __setitem__(self, index, module):
        setattr(self, self._name_at(index), module)

    def __delitem__(self, index):
        for name in list(self._modules)[index] if isinstance(index, slice) else [self._name_at(index)]:
            delattr(self, name)
        self._renumber()

    def _check_summand(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")

    def __add__(self, other):
        self._check_summand(other)
        return Sequential(*self, *other)

    def __iadd__(self, other):
        self._check_summand(other)
        return self.extend(list(other))

    def _check_factor(self, other):
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")

    def __mul__(self, other):
        self._check_factor(other)
        return Sequential(*list(self) * other)

    __rmul__ = __mul__

    def __imul__(self, other):
        self._check_factor(other)
        return self.extend([self._modules[str(number)] for number in range(len(self))] * (other - 1))

    def insert(self, index, module):
        """Put a module before the one at `index`; returns the container.

        Parameters
        ----------
        index : int
        module : Module
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        length = len(self)
        if not -length <= index <= length:
            raise IndexError(f"Index out of range: {index}")
        self._insert(index + length if index < 0 else index, module)
        return self

    def extend(self, sequential):
        """Add modules at the end; returns the container.

        Parameters
        ----------
        sequential : iterable of Module
        """
        for module in sequential:
            self.append(module)
        return self


class ModuleList(_Row):
    """Modules by number, for a `forward` that calls them itself.

    Parameters
    ----------
    modules : iterable of Module, optional

    Examples
    --------
    >>> from cygrad import nn
    >>> nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
    ModuleList(
      (0-2): 3 x Linear(in_features=4, out_features=4, bias=True)
    )
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self += modules

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[str(absolute(index, len(self)))]

    def __setitem__(self, index, module):
        setattr(self, str(absolute(index, len(self))), module)

    def __delitem__(self, index):
        for number in range(len(self))[index] if isinstance(index, slice) else [absolute(index, len(self))]:
            delattr(self, str(number))
        self._renumber()

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        combined = ModuleList()
        for number, module in enumerate(chain(self, other)):
            combined.add_module(str(number), module)
        return combined

    def insert(self, index, module):
        """Put a module before the one at `index`.

        Parameters
        ----------
        index : int
        module : Module
        """
        self._insert(index, module)

    def extend(self, modules):
        """Add modules at the end; returns the container.

        Parameters
        ----------
        modules : iterable of Module
        """
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        start = len(self)
        for number, module in enumerate(modules):
            self.add_module(str(start + number), module)
        return self

    def __repr__(self):
        blocks = []         # [text, first, last], equal neighbours taken together
        for number, module in enumerate(self):
            text = repr(module)
            if blocks and blocks[-1][0] == text:
                blocks[-1][2] = number
            else:
                blocks.append([text, number, number])
        if not blocks:
            return f"{self._get_name()}()"
        lines = [f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
                 for text, first, last in blocks]
        listed = "\n".join(lines).replace("\n", "\n  ")
        return f"{self._get_name()}(\n  {listed}\n)"


class ModuleDict(Module):
    """Modules by name, in the order in which they were added.

    Parameters
    ----------
    modules : mapping of str to Module, or iterable of pairs, optional

    Examples
    --------
    >>> from cygrad import nn
    >>> m = nn.ModuleDict({"act": nn.Identity()})
    >>> m["act"]
    Identity()
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        """Take all modules out."""
        self._modules.clear()

    def pop(self, key):
        """Take a module out and return it."""
        return self._modules.pop(key)

    def keys(self):
        """The names."""
        return self._modules.keys()

    def items(self):
        """(name, module) of each."""
        return self._modules.items()

    def values(self):
        """The modules."""
        return self._modules.values()

    def update(self, modules):
        """Add modules; those of a name that is there take its place.

        Parameters
        ----------
        modules : mapping of str to Module, or iterable of pairs
        """
        if not isinstance(modules, Iterable):
            raise TypeError("ModuleDict.update should be called with an iterable of key/value pairs, but got "
                            f"{type(modules).__name__}")
        for name, module in pairs_of("ModuleDict", modules):
            self[name] = module
