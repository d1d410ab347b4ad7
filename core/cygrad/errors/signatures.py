"""The ways of calling PyTorch's functions and methods: `signatures.txt`, read when a call has failed.

An `Overload` is one line of it. It holds arguments against itself the way PyTorch's own parser does.
"""
import operator
import re
from functools import cache

import numpy as np

from cygrad.devices.device import device, layout, memory_format
from cygrad.dtype import PYTHONS_TYPES, DType, _named as named
from cygrad.errors.accepted import PASS_AS_NONE, lines_of
from cygrad.ops.declare.op_forms import functions
from cygrad.random.generator import Generator
from cygrad.tensor import Tensor

NUMPY_NUMBERS = np.number, np.bool_


class Parameter:
    """One parameter of an overload."""

    def __init__(self, text, keyword_only):
        head, _, default = text.partition(" = ")
        kind, _, self.name = head.rpartition(" ")
        self.optional = bool(default)
        self.none = kind.endswith("?") or default in PASS_AS_NONE
        kind = kind.rstrip("?")
        self.numbers, self.one, self.index = kind.endswith("#"), kind.endswith("[]"), "%" in kind
        self.kind = kind.rstrip("#%[]")
        self.keyword_only = keyword_only
        self.default = default
        self.text = f"{self.kind} {self.name}" + (f" = {default}" if default else "")

    def takes(self, value):
        """(whether the parser lets a value pass, the place of an element of a sequence that it doesn't)."""
        if self.kind == "Tensor":
            return isinstance(value, Tensor) or self.numbers and _is_number(value), None
        if self.kind == "tuple of ints":
            if isinstance(value, (tuple, list)):
                return (True, None) if not value or _is_index(value[0]) else (False, 0)
            return self.one and (self.is_int(value) or isinstance(value, Tensor) and _is_index(value)), None
        if self.kind == "tuple of floats":
            return isinstance(value, (tuple, list)) and (not value or _CHECKS["float"](value[0])), None
        if self.kind == "tuple of Scalars":
            return isinstance(value, (tuple, list)) and all(map(_is_number, value)), None
        if self.kind == "tuple of Tensors":
            return _is_tensors(value), None
        if self.kind == "int":
            return self.is_int(value), None
        return _CHECKS.get(self.kind, lambda value: True)(value), None

    def is_int(self, value):
        """Whether a value passes for one int."""
        return _is_index(value) if self.index else _is_int(value)

    def plain(self, value):
        """A value that passes, as ops take it."""
        if self.kind in ("int", "tuple of ints"):
            if isinstance(value, (tuple, list)):
                items = [self.plain(item) for item in value]
                return value if all(a is b for a, b in zip(items, value)) else items
            if not isinstance(value, (int, type(None))):
                value = value.item() if isinstance(value, Tensor) else operator.index(value)
        if self.name == "out" and self.numbers and not isinstance(value, (Tensor, type(None))):
            return functions["as_tensor"](np.array(value))
        if self.kind == "torch.dtype" and isinstance(value, type):
            return DTYPES[value]
        if isinstance(value, bytes) and self.kind in ("str", "torch.device"):
            return value.decode()
        if isinstance(value, Tensor) and self.kind in _NUMBERS:
            value = value.item()
        if self.kind == "float" and type(value) is complex:
            if value.imag:
                raise RuntimeError("value cannot be converted to type double without overflow")
            return value.real
        if self.kind == "float" and isinstance(value, (int, np.complexfloating)) and type(value) is not bool:
            return float(value)
        if isinstance(value, int) and not -2 ** 63 <= value < 2 ** (63 if self.kind == "int" or self.one else 64):
            self._overflow(value)
        return value

    def _overflow(self, value):
        if self.kind == "int" or self.one:
            raise ValueError("Overflow when unpacking long long")
        if self.kind == "Number" or self.numbers:
            raise OverflowError("int too big to convert" if value > 0 else "can't convert negative int to unsigned")


def _is_int(value):
    if isinstance(value, Tensor):
        return value.dim() == 0 and not value.requires_grad and value.dtype.name.startswith(("int", "uint"))
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _is_index(value):
    """Whether a value counts as an int where PyTorch has symbolic ones, and in lists."""
    if isinstance(value, Tensor):
        return value.numel() == 1 and value.dtype.name.startswith(("int", "uint", "bool"))
    if isinstance(value, (bool, np.bool_)):
        return False
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "iu"
    return hasattr(type(value), "__index__")


def _is_number(value):
    if isinstance(value, Tensor):
        return value.dim() == 0 and not value.requires_grad
    return isinstance(value, (int, float, complex, *NUMPY_NUMBERS))


def _is_tensors(value):
    if not isinstance(value, (tuple, list)):
        return False
    for i, item in enumerate(value):
        if not isinstance(item, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type_name(item)}")
    return True


_NUMBERS = "int", "float", "bool", "Number", "complex", "tuple of ints"
DTYPES = {kind: named(name) for kind, name in PYTHONS_TYPES.items()}
_CHECKS = {
    "Number": _is_number,
    "sizes": lambda value: isinstance(value, (tuple, list)) or _is_index(value),
    "complex": _is_number,
    "float": lambda value: _is_number(value) and type(value) is not complex,
    "bool": lambda value: isinstance(value, bool),
    "str": lambda value: isinstance(value, (str, bytes)),
    "torch.dtype": lambda value: isinstance(value, DType) or any(value is kind for kind in (float, int, bool, complex)),
    "torch.layout": lambda value: isinstance(value, layout),
    "torch.memory_format": lambda value: isinstance(value, memory_format),
    "torch.device": lambda value: (
        isinstance(value, (device, str, bytes)) or _is_int(value) and not isinstance(value, Tensor)),
    "torch.Generator": lambda value: isinstance(value, Generator),
}


def type_name(value):
    """The name of a value's type as errors of PyTorch show it."""
    if isinstance(value, DType):
        return "torch.dtype"
    kind = type(value)
    if kind is Tensor:
        return "Tensor"
    if kind in (device, layout, memory_format, Generator):
        return f"torch.{'_C.' if kind is Generator else ''}{kind.__name__}"
    if kind.__module__ == "numpy":
        return f"numpy.{kind.__name__}"
    return "torch.Size" if kind.__module__.startswith("cygrad") and kind.__name__ == "Size" else kind.__name__


class Overload:
    """One way of calling a function."""

    def __init__(self, line):
        self.hidden = line.startswith("~")
        self.python = line.startswith("!")
        body = re.fullmatch(r"[~!]?[\w.]+\((.*)\)", line).group(1)
        self.parameters, keyword_only = [], False
        for part in body.split(", ") if body else ():
            if part == "*":
                keyword_only = True
            else:
                self.parameters.append(Parameter(part, keyword_only))
        self.objects = [p.name for p in self.parameters if self.python and p.kind == "object"]
        self.positional = sum(not p.keyword_only for p in self.parameters)
        if self.parameters and self.parameters[-1].name == "out":          # a number may be where the result goes, too
            self.parameters[-1].numbers = any(p.numbers for p in self.parameters)
        self.least = sum(not p.optional for p in self.parameters)
        parts = [p.text for p in self.parameters]
        if self.positional < len(parts):
            parts.insert(self.positional, "*")
        self.text = f"({', '.join(parts)})"

    def refusal(self, name, args, kwargs):
        """Why the parser refuses these arguments, in its words; None if it takes them."""
        parameters, at, left = self.parameters, 0, len(kwargs)
        spread = self.positional == 1 and parameters[0].kind == "tuple of ints"     # sizes given one by one
        if len(args) > self.positional and not spread:
            return self._too_many(name, args)
        for index, parameter in enumerate(parameters):
            by_keyword = at >= len(args)
            if not by_keyword and parameter.keyword_only:
                return self._too_many(name, args)
            given = parameter.name in kwargs if by_keyword else True
            value = (kwargs.get(parameter.name) if by_keyword else args[at])
            if not (not given and parameter.optional or given and value is None and parameter.none):
                if not given:
                    missing = [p.name for p in parameters[index:] if not p.optional]
                    quoted = ", ".join(f'"{each}"' for each in missing)
                    return (f"{name}() missing {len(missing)} required positional argument"
                            f"{'s' if len(missing) == 1 else ''}: {quoted}")
                fits, wrong = parameter.takes(value)
                if not fits and spread and at == 0 and not by_keyword:
                    if _is_index(value):
                        at = len(args)
                        continue
                    if len(args) > 1:
                        return self._too_many(name, args)
                if not fits:
                    return self._wrong_type(name, parameter, value, None if by_keyword else at, wrong)
            if not by_keyword:
                at += 1
            elif given:
                left -= 1
        if at < len(args):
            return self._too_many(name, args)
        if left:
            for keyword in kwargs:
                index = next((i for i, p in enumerate(parameters) if p.name == keyword), None)
                if index is None:
                    return f"{name}() got an unexpected keyword argument '{keyword}'"
                if index < len(args):
                    return f"{name}() got multiple values for argument '{keyword}'"
        return None

    def unreadable(self, name, args, kwargs):
        """What is wrong with a list of ints behind its first element, at which alone choosing an overload looks."""
        spread = self.positional == 1 and args and _is_index(args[0])
        for i, parameter in enumerate(self.parameters):
            value = args if spread else args[i] if i < len(args) else kwargs.get(parameter.name)
            if parameter.kind == "tuple of ints" and isinstance(value, (tuple, list)):
                for place, item in enumerate(value):
                    fault = None
                    if not (_is_index(item) or isinstance(item, bool) and place):
                        fault = f"type must be tuple of ints,but got {type_name(item)}"
                    elif isinstance(item, int) and not -2 ** 63 <= item < 2 ** 63:
                        fault = "Overflow when unpacking long long"
                    if fault is not None:
                        return (f"{name}(): argument '{parameter.name}' failed to unpack the object at pos {place + 1} "
                                f'with error "{fault}"')
        return None

    def _too_many(self, name, args):
        given = len(args)
        if self.least != self.positional:
            return f"{name}() takes from {self.least} to {self.positional} positional arguments but {given} were given"
        return (f"{name}() takes {self.positional} positional argument{'' if self.positional == 1 else 's'} but "
                f"{given} {'was' if given == 1 else 'were'} given")

    def _wrong_type(self, name, parameter, value, place, wrong):
        where = f"argument '{parameter.name}'" + ("" if place is None else f" (position {place + 1})")
        if wrong is not None and place is not None:
            return (f"{name}(): {where} must be {parameter.kind}, but found element of type {type_name(value[wrong])} "
                    f"at pos {wrong}")
        return f"{name}(): {where} must be {parameter.kind}, not {type_name(value)}"

    def described(self, args, kwargs):
        """(keywords this overload doesn't know, how the arguments fit it); (None, None) if their number is another.

        PyTorch reads its own text again here, with the `*` and the words behind `=` taken for parameters; so do we.
        """
        parts = self.text[1:-1].split(", ")     # "()" has one part, which is empty
        kinds = [(part.rpartition(" ")[0], part.rpartition(" ")[2]) for part in parts]
        if len(kinds) != len(args) + len(kwargs):
            return None, None
        expected = {name for _, name in kinds[max(len(kinds) - len(kwargs), 0):]}
        unknown = [name for name in reversed(kwargs) if name not in expected]
        if unknown:
            return ", ".join(unknown), None
        shown = [_shown(kind, value) for (kind, _), value in zip(kinds, args)]
        shown += [_shown(kind, kwargs[name], name + "=") for kind, name in kinds[len(args):]]
        return None, f"({', '.join(shown)}{', ' * (not args and bool(kwargs))})"

    def plain(self, args):
        """Arguments by position that the parser takes, as ops take them."""
        last = len(self.parameters) - 1
        return [self.parameters[min(i, last)].plain(value) for i, value in enumerate(args)]

    def plain_words(self, kwargs):
        """Arguments by keyword that the parser takes, as ops take them."""
        known = {p.name: p for p in self.parameters}
        return [known[word].plain(value) for word, value in kwargs.items()]

    def bound(self, args, kwargs):
        """{name: value} of arguments that the parser takes, as ops take them; sizes given one by one as a tuple."""
        if args and self.positional == 1 and self.parameters[0].kind == "tuple of ints" and _is_index(args[0]):
            args = (tuple(args),)
        known = {p.name: p for p in self.parameters}
        values = dict(zip(known, args)) | kwargs
        return {name: known[name].plain(value) for name, value in values.items()}


def _shown(kind, value, prefix=""):
    """A value's type, between exclamation marks if it is not what the text of the overload says."""
    name = type_name(value)
    fits = name == kind or kind == "float" and name == "int"
    if isinstance(value, (tuple, list)):
        elements = ", ".join(map(type_name, value))
        comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
        name += f" of ({elements}{comma})" if isinstance(value, tuple) else f" of [{elements}]"
    return f"{prefix}{name}" if fits else f"!{prefix}{name}!"


@cache
def overloads(name, method):
    """The ways of calling a function, or a method; () if they are not known."""
    return tuple(map(Overload, lines_of(name, method)))
