"""What a class must be to serve as a backend: each mistake of its author is told with its cause and its remedy.

All of it is looked at once, when the backend is loaded; nothing here runs in a call.
"""
import sys

from cygrad.backend import INTERFACE_VERSION, Backend
from cygrad.errors import BackendLoadError, warn

REQUIRED = ("device_count", "alloc", "h2d", "d2h")
VARARGS = 0x04                            # of a code object's flags: it has *args


def checked(name, cls):
    """The class, if it is one that this cygrad can call."""
    of = f"backend {name!r}"
    if not (isinstance(cls, type) and issubclass(cls, Backend)):
        raise BackendLoadError(f"{of}: {cls!r} is not a subclass of cygrad.backend.Backend{_named_instead(cls)}")
    own = [base for base in cls.__mro__ if base is not Backend and issubclass(base, Backend)]
    if not any("interface_version" in vars(base) for base in own):
        raise BackendLoadError(f"{of}: {cls.__name__} does not say which version of the kernel interface it is written "
                               f"for; this cygrad has version {INTERFACE_VERSION}: read docs/backends.md, then write "
                               f"interface_version = {INTERFACE_VERSION} in the class")
    if not isinstance(cls.interface_version, int):
        raise BackendLoadError(f"{of}: {cls.__name__}.interface_version is {cls.interface_version!r}; it is a whole "
                               f"number: write interface_version = {INTERFACE_VERSION}")
    if cls.interface_version != INTERFACE_VERSION:
        raise BackendLoadError(f"{of} is written for version {cls.interface_version} of the kernel interface, this "
                               f"cygrad has version {INTERFACE_VERSION}; install matching versions")
    missing = [entry for entry in REQUIRED if getattr(cls, entry) is getattr(Backend, entry)]
    if missing and not cls.found_in_base:
        raise BackendLoadError(f"{of} lacks required entries: {', '.join(missing)}{_misspelled(own, missing)}")
    _check_attributes(of, cls)
    for base in own:
        for attribute, value in vars(base).items():
            _check_callable(of, base, attribute, value)
            _check_signature(of, base, attribute, value)
            _warn_of_not_implemented(of, base, attribute, value)
    _warn_of_misspelled(of, own)
    return cls


def _named_instead(cls):
    """The backends in a module, where the entry point names something else of it."""
    module = cls if hasattr(cls, "__file__") else sys.modules.get(getattr(cls, "__module__", None))
    found = [key for key, value in vars(module).items() if isinstance(value, type) and issubclass(value, Backend)
             and value is not Backend] if module is not None else []
    if found:
        return f"; its module has {', '.join(found)}: name that in the entry point"
    return f": write class {cls.__name__}(cygrad.backend.Backend)" if isinstance(cls, type) else ""


def entries():
    """The names of all entries of the contract."""
    return [name for name, value in vars(Backend).items() if not name.startswith("_") and callable(value)]


def _near(name, known):
    import difflib      # start-up time
    return next(iter(difflib.get_close_matches(name, known, 1, 0.75)), None)


def _misspelled(own, missing):
    """``"; is 'allocc' meant as 'alloc'?"`` where a method is called nearly so."""
    found = [(name, near) for base in own for name in vars(base) if (near := _near(name, missing)) and name not in
             entries()]
    return "".join(f"; is {name!r} meant as {near!r}?" for name, near in found)


def _warn_of_misspelled(of, own):
    """Warn of methods whose names are nearly those of entries, which nobody calls."""
    known = entries()
    for base in own:
        for name, value in vars(base).items():
            if name.startswith("_") or name in known or not callable(value):
                continue
            near = _near(name, known)
            if near is not None and not any(near in vars(each) for each in own):
                warn(f"{of}: {base.__name__} has a method {name!r}, which cygrad never calls; if it is the entry "
                     f"{near!r}, rename it, else give it a name that is less like one")


def _warn_of_not_implemented(of, cls, name, value):
    """Warn of an entry that raises NotImplementedError, which ends the program, where it means to decline."""
    code = getattr(value, "__code__", None)
    if name in entries() and name not in REQUIRED and "NotImplementedError" in getattr(code, "co_names", ()):
        warn(f"{of}: {cls.__name__}.{name} raises NotImplementedError, which ends the program; a kernel that can't do "
             "a call returns NotImplemented, and the CPU does it")


def _check_attributes(of, cls):
    """Raise where what a class may have beside the entries is not what is looked for."""
    for name in ("Stream", "Event", "Graph", "graph"):
        if not callable(own := getattr(cls, name, type)) and not hasattr(own, "__get__"):       # of each object
            raise BackendLoadError(f"{of}: {cls.__name__}.{name} is {own!r}; it is a class whose "
                                   f"objects cygrad makes: write class {name} inside the class, or leave it out")
    if not isinstance(declines := getattr(cls, "declines", {}), dict) and not hasattr(declines, "__get__"):
        raise BackendLoadError(f"{of}: {cls.__name__}.declines is {cls.declines!r}; it is a dict, "
                               "{entry: why the backend declines it}")
    for name in declines if isinstance(declines, dict) else ():
        if name not in entries() and (near := _near(name, entries())):
            warn(f"{of}: {cls.__name__}.declines has a reason for {name!r}, which is no entry; is {near!r} meant?")
    kind = getattr(cls, "dlpack_kind", None)
    if not isinstance(kind, (int, type(None))) and not hasattr(kind, "__get__"):
        raise BackendLoadError(f"{of}: {cls.__name__}.dlpack_kind is {kind!r}; it is the number that DLPack has for "
                               "such devices, 12 for those that it has no name for, or None")
    lacking = [name for name in ("dlpack_address", "from_dlpack") if not hasattr(cls, name)]
    if lacking and isinstance(kind, int):
        raise BackendLoadError(f"{of}: {cls.__name__} has dlpack_kind, but lacks {' and '.join(lacking)}, by which "
                               "memory is handed out and taken; docs/backends.md says what they get")


def _check_callable(of, cls, name, value):
    """Raise where an entry is no method."""
    if name in entries() and isinstance(value, (staticmethod, classmethod, property)):
        raise BackendLoadError(f"{of}: {cls.__name__}.{name} is a {type(value).__name__}; cygrad calls it as a method: "
                               f"write def {name}(self, ...)")
    if name in entries() and not callable(value):
        raise BackendLoadError(f"{of}: {cls.__name__}.{name} is {value!r}, not a method; write def {name}(self, ...), "
                               f"and return it")


def _check_signature(of, cls, name, value):
    """Raise where a Python method can't be called as the contract calls the entry of its name."""
    contract, code = getattr(Backend, name, None), getattr(value, "__code__", None)
    expected = getattr(contract, "__code__", None)
    if name.startswith("_") or code is None or expected is None:
        return
    count, most = expected.co_argcount, code.co_argcount
    least = most - len(value.__defaults__ or ())
    named, ours = code.co_varnames[1:most], expected.co_varnames[1:count]
    turned = named != ours and sorted(named) == sorted(ours)            # the same names in another order
    if least > count or turned or count > most and not code.co_flags & VARARGS:
        def words(of_code):
            return ", ".join(of_code.co_varnames[1:of_code.co_argcount])
        raise BackendLoadError(f"{of}: cygrad calls {name}({words(expected)}), but {cls.__name__}.{name} takes "
                               f"({words(code)}); help(cygrad.backend.Backend.{name}) says what each of them is")
