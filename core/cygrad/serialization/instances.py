"""Instances of classes in files: what `load` builds besides data, where the caller allows it.

A file never runs code. Python's unpickler imports what a file names and calls it, so a file for it is a program. This
one imports nothing, and calls only functions of a table that build values, and what the caller named by
`add_safe_globals`. With ``weights_only=False`` it also makes instances of classes that the running program has imported
already, without calling their `__init__`: modules (`nn.Module`), whose state goes through `Module.__setstate__`, and
classes that leave making, state and end of their instances to Python, whose attributes are set as they were.
"""
import collections
import datetime
import enum
import pickle
import sys
from abc import ABC, ABCMeta
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath

from cygrad.ops.declare.public_op import PublicOp
from cygrad.ops.declare.op_forms import named_op
from cygrad.serialization.subclasses import is_left_to_tensor
from cygrad.serialization.unpickling import Lacking, UnpicklingError, refuse_blocked

_added = {}             # what the caller allowed: (module, name) -> the class or function

# What may be called with whatever a file says: they build values, and do nothing else.
_BUILDERS = (complex, dict, frozenset, list, range, set, slice, tuple, collections.Counter, collections.OrderedDict,
             collections.deque, datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone,
             Decimal, Fraction)
_PLAIN = {(kind.__module__, kind.__qualname__): kind for kind in _BUILDERS}
_NUMPY = "_reconstruct", "scalar", "ndarray", "dtype", "_frombuffer"


def _name_of(allowed):
    if isinstance(allowed, tuple):
        allowed, path = allowed
        module, _, name = path.rpartition(".")
        return (module, name), allowed
    return (allowed.__module__, allowed.__qualname__), allowed


def add_safe_globals(safe_globals):
    """Let `load` take these classes and functions when files refer to them, and call them.

    Parameters
    ----------
    safe_globals : list of class, function, or (either, str)
        With a str, the full name that files have for it.

    Examples
    --------
    >>> import collections, cygrad
    >>> Point = collections.namedtuple("Point", "x y", module="shapes")
    >>> cygrad.serialization.add_safe_globals([Point])
    >>> cygrad.serialization.get_safe_globals() == [Point]
    True
    >>> cygrad.serialization.clear_safe_globals()
    """
    _added.update(map(_name_of, safe_globals))


def get_safe_globals():
    """What was allowed by `add_safe_globals`.

    Returns
    -------
    list
        Classes and functions.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.serialization.get_safe_globals()
    []
    """
    return list(_added.values())


def clear_safe_globals():
    """Allow nothing any more that `add_safe_globals` allowed.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.serialization.clear_safe_globals()
    """
    _added.clear()


@contextmanager
def safe_globals(safe_globals):
    """`add_safe_globals` inside of a ``with``.

    Parameters
    ----------
    safe_globals : list
        As there.

    Examples
    --------
    >>> import fractions, cygrad
    >>> with cygrad.serialization.safe_globals([fractions.Fraction]):
    ...     cygrad.serialization.get_safe_globals()
    [<class 'fractions.Fraction'>]
    """
    before = dict(_added)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _added.clear()
        _added.update(before)


def any_allowed():
    """Whether `add_safe_globals` allowed something."""
    return bool(_added)


def _is_left_to_python(kind):
    """Whether nothing of a class's own runs when an instance is made, given attributes, or freed."""
    own = {name for each in kind.__mro__[:-1] for name in vars(each) if each is not ABC}
    return (kind.__new__ is object.__new__ and type(kind) in (type, ABCMeta)
            and not own & {"__del__", "__setstate__", "__setattr__", "__getattribute__", "__slots__"})


class ObjectReader(pickle._Unpickler):
    """Reads one pickle with objects.

    Parameters
    ----------
    file : binary file
    names : dict
        What (module, name) stands for in files of data.
    storage : callable
        Gives the storage of a persistent id.
    of_program : bool
        Whether classes of the running program are taken, too, and not only what the caller named.
    encoding : str
        Of the strings that Python 2 wrote.
    """

    def __init__(self, file, names, storage, of_program, encoding="utf-8"):
        super().__init__(file, encoding=encoding)
        self.names, self.persistent_load, self.of_program = names, storage, of_program
        self.builders = [*names.values(), *_added.values()]
        if of_program:
            self.builders += [*_BUILDERS, named_op, _made, _member]

    def find_class(self, module, name):
        """What a name in the file stands for: never imported, only looked up."""
        module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))    # Python 2's
        refuse_blocked(module, name)
        found = _added.get((module, name), self.names.get((module, name)))
        if self.of_program and (module, name) in _PLAIN:
            return _PLAIN[module, name]
        if isinstance(found, Lacking):
            raise UnpicklingError(f"the file refers to {module}.{name}, which {found.words}")
        if found is None and self.of_program:
            found = self.of_modules(module, name)
        if found is None:
            where = "" if self.of_program else " (or load with weights_only=False, if it is a class of this program's)"
            raise UnpicklingError(
                f"Weights only load failed: the file refers to {module}.{name}, which is not allowed, because loading "
                "calls nothing that a file names. If you trust it, import it and allow it by "
                f"cygrad.serialization.add_safe_globals([{name}]){where}")
        return found

    def of_modules(self, module, name):
        """A builder, an op, a module's class or a plain class of what the program has imported; else None."""
        from cygrad.nn import Module, Parameter      # start-up time
        room, _, rest = module.partition(".")
        if room == "torch":
            room, module = "cygrad", f"cygrad.{rest}" if rest else "cygrad"
        if (module, name) == ("copyreg", "_reconstructor"):
            return _made
        if (module, name) == ("builtins", "getattr"):
            return _member
        found = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, "__dict__", {}).get(part)
        if room == "numpy" and name in _NUMPY or isinstance(found, type) and issubclass(found, (enum.Enum, PurePath)):
            self.builders.append(found)
            return found
        if found is named_op or found is Parameter or isinstance(found, PublicOp):
            return found
        if isinstance(found, type) and (issubclass(found, Module) or _is_left_to_python(found)
                                        or is_left_to_tensor(found)):
            return found
        return None

    def load_reduce(self):
        """Call a function that is known to build a value."""
        arguments, function = self.stack.pop(), self.stack[-1]
        if not any(function is each for each in self.builders):
            raise UnpicklingError(f"Weights only load failed: the file calls {function!r:.80}, which is not allowed; "
                                  "if you trust it, allow it by cygrad.serialization.add_safe_globals")
        self.stack[-1] = function(*arguments)

    def load_newobj(self):
        """An instance of a class, without `__init__`."""
        arguments, kind = self.stack.pop(), self.stack[-1]
        self.stack[-1] = self._allowed(kind).__new__(kind, *arguments) if arguments else _made(kind)

    def load_newobj_ex(self):
        """The same with keywords, of what the caller allowed."""
        words, arguments, kind = self.stack.pop(), self.stack.pop(), self.stack[-1]
        self.stack[-1] = self._allowed(kind).__new__(kind, *arguments, **words)

    def _allowed(self, kind):
        if not isinstance(kind, type) or kind not in _added.values():
            raise UnpicklingError(f"Weights only load failed: an instance of {kind!r:.80} is made from values, which "
                                  "cygrad.serialization.add_safe_globals has to allow")
        return kind

    def load_build(self):
        """Give an instance its attributes: never a class, a function or another object that the program has."""
        from cygrad.nn import Module      # start-up time
        state, target = self.stack.pop(), self.stack[-1]
        kind = type(target)
        if isinstance(target, Module) or kind in _added.values() or kind.__module__.partition(".")[0] == "numpy":
            target.__setstate__(state) if hasattr(kind, "__setstate__") else target.__dict__.update(state)
        elif isinstance(state, dict) and all(type(word) is str for word in state) and (
                kind is collections.OrderedDict or _is_left_to_python(kind)):
            target.__dict__.update(state)
        else:
            raise UnpicklingError(f"Weights only load failed: the file changes a {kind.__name__}")

    def refused(self):
        """Opcodes that call, or look into registries, and that neither `save` nor PyTorch writes."""
        raise UnpicklingError("the pickle has an opcode for calls that files of tensors don't have")

    dispatch = dict(pickle._Unpickler.dispatch)
    dispatch[pickle.REDUCE[0]] = load_reduce
    dispatch[pickle.NEWOBJ[0]] = load_newobj
    dispatch[pickle.NEWOBJ_EX[0]] = load_newobj_ex
    dispatch[pickle.BUILD[0]] = load_build
    for _code in (pickle.INST, pickle.OBJ, pickle.EXT1, pickle.EXT2, pickle.EXT4):
        dispatch[_code[0]] = refused


def _member(kind, name):
    """A member of an enumeration, in the place of `getattr`, by which some versions of Python pickle them."""
    if not isinstance(kind, enum.EnumMeta) or name not in kind.__members__:
        raise UnpicklingError(f"Weights only load failed: the file asks for builtins.getattr of {kind!r:.60}, which is "
                              "not allowed but for a member of an enumeration")
    return kind.__members__[name]


def _made(kind, base=object, state=None):
    """An instance of a class, as `object.__new__` makes it; in the place of `copyreg._reconstructor`, too."""
    if not isinstance(kind, type) or base is not object or state is not None:
        raise UnpicklingError(f"Weights only load failed: an instance made from a {base!r:.60}")
    return object.__new__(kind)
