"""Finding backends by their entry points, loading them and opening their devices.

Listing imports nothing; a backend's module is imported when one of its devices is first used. `cpu` is the one name
that resolves without looking anything up, so that `import cygrad` and the first tensor stay quick. A backend that
nobody asks for can be as broken as it likes.
"""
import importlib
import os
import sys
import threading

from cygrad import storage
from cygrad.backend import Backend
from cygrad.devices import entry_points
from cygrad.devices.device import device, of
from cygrad.dispatch import allocation
from cygrad.dtype import all_dtypes
from cygrad.errors import BackendError, BackendLoadError, BackendNotFound, BackendUnavailable

GROUP = "cygrad.backends"
EXTRAS = ("cuda", "opencl")       # what `pip install cygrad[NAME]` brings

NEEDED = ("bool", "int64", "float32")     # dtypes that every device holds

_lock = threading.RLock()
_loaded = {}           # name -> Backend
_opened = set()        # (Backend, index)
_default = None        # (Backend, index) of CYGRAD_BACKEND, read once


class _Override(threading.local):
    """What `set_default_device`, `with device(...)` and `cuda.set_device` chose in this thread."""

    where = None       # the device
    place = None       # its (Backend, index)

    def __init__(self):
        self.indices = {}      # name of a backend -> the device that its plain name stands for, if not the first


_override = _Override()


class _Namespaces:
    """Lets import statements find `cygrad.cuda`, `cygrad.cuda.amp` and `cygrad.backends.NAME`, which have no file."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if not fullname.startswith("cygrad."):
            return None
        from cygrad.devices import namespaces       # knot: it needs this module; start-up time
        return namespaces.find_spec(fullname)


sys.meta_path.append(_Namespaces)
_ever_overridden = False      # spares programs that never choose a look at the thread's choice


# ------------------------------------------------------------------ loading

def load(name):
    """The Backend object of this name, imported at first use."""
    found = _loaded.get(name)
    if found is not None:
        return found
    with _lock:
        if name not in _loaded:
            _loaded[name] = _make(name)
        return _loaded[name]


def in_use():
    """The backends that were imported so far."""
    return list(_loaded.values())


def _make(name):
    if name == "cpu":
        cls = importlib.import_module("cygrad_cpu").CPUBackend
    elif name == "meta":
        cls = importlib.import_module("cygrad.devices.meta").MetaBackend
    else:
        cls = _installed(name)
    backend = _checked(name, cls)
    backend.name = name
    if name not in ("cpu", "meta"):
        from cygrad.devices import tensor_methods      # knot: tensors need this module
        tensor_methods.attach(name)
    return backend


def need_installed(name):
    """Raise unless a package provides a backend of this name, or one is here already."""
    if name not in _loaded:
        _entry_point(name)


def _entry_point(name):
    found = entry_points.find(GROUP)
    if name not in found:
        raise BackendNotFound(_unknown(name, found))
    return found[name]


def _installed(name):
    """What the package that provides this backend calls its class."""
    found = _entry_point(name)
    remedy = f"; what it needs comes with: pip install cygrad[{name}]" if name in EXTRAS else ""
    return entry_points.load("backend", found, BackendLoadError, remedy)


def _checked(name, cls):
    """A Backend object of the class, if it is one that this cygrad can call; an object is taken as it is."""
    if name != "cpu":                     # whose class is ours, and whose start shall be quick
        from cygrad.devices import contract      # start-up time
        contract.checked(name, type(cls) if isinstance(cls, Backend) else cls)
        if isinstance(cls, Backend):
            return cls
    try:
        return cls()
    except Exception as error:
        remedy = "; cygrad makes it without arguments" if isinstance(error, TypeError) else ""
        raise BackendLoadError(f"backend {name!r}: {cls.__name__}() raises {type(error).__name__}: {error}{remedy}"
                               ) from error


def _unknown(name, found):
    known = sorted({"cpu", *found})
    text = f"no backend named {name!r} is installed (installed: {', '.join(known)})"
    if name == "gpu":
        return text + "; GPUs are devices of 'cuda' and 'opencl'"
    if getattr(sys.modules["cygrad"], name, None) in all_dtypes():      # x.to("float")
        return text + f"; the dtype is cygrad.{name}, without quotes"
    text += entry_points.elsewhere(name, GROUP) or entry_points.suggestion(name, [*known, *EXTRAS])
    if name in EXTRAS:
        text += f"; install it with: pip install cygrad[{name}]"
    return text


# ------------------------------------------------------------------ devices

def count(backend):
    """Number of the backend's devices; raises BackendUnavailable when it can't say."""
    try:
        found = backend.device_count()
    except BackendError:                  # says what is wrong by itself
        raise
    except Exception as error:
        raise BackendUnavailable(f"backend {backend.name!r} can't count its devices: {type(error).__name__}: {error}; "
                                 "device_count() never raises, it returns 0 where there is none") from error
    if not isinstance(found, int) or found < 0:
        raise BackendUnavailable(f"backend {backend.name!r} can't count its devices: device_count() returned "
                                 f"{found!r}; it returns how many there are, 0 where there is none")
    return found


def absence(backend):
    """``": why"`` a backend counts no device, where it says so in its attribute `absence`; else nothing."""
    reason = getattr(backend, "absence", "")
    return f": {reason}" if reason else ""


def open_device(backend, index):
    """Check the index and open the device at its first use."""
    key = backend, index
    if key in _opened:
        return
    with _lock:
        if key in _opened:                # by another thread, meanwhile
            return
        storage.refuse_orphan(backend)
        devices = count(backend)
        if devices == 0:
            remedy = f"; what it needs beside a driver comes with: pip install cygrad[{backend.name}]"
            raise BackendUnavailable(f"backend {backend.name!r} has no usable device on this machine{absence(backend)}"
                                     + (remedy if backend.name in EXTRAS else ""))
        if not 0 <= index < devices:
            names = ", ".join(f"{backend.name}:{i}" for i in range(devices))
            raise BackendUnavailable(f"backend {backend.name!r} has no device {index}; its devices: {names}")
        if backend.name != "cpu":
            fallback_mode()               # a word that means nothing is refused now, not at the first decline
        try:
            backend.open(index)
            lacking = [dtype.name for dtype in all_dtypes() if dtype.name in NEEDED and not backend.supports(dtype)]
            if lacking:
                raise BackendError(f"supports() returns False for {', '.join(lacking)}, which every device holds "
                                   "(masks, indices, results); it is called with a dtype, whose `name` is a text")
            allocation.refuse_dtypes(backend, [dtype for dtype in all_dtypes() if not backend.supports(dtype)])
        except Exception as error:
            raise BackendUnavailable(f"device {backend.name}:{index} does not open: {type(error).__name__}: {error}"
                                     ) from error
        _opened.add(key)


def fallback_mode():
    """What CYGRAD_FALLBACK says of calls that a backend declines: ``"warn"``, ``"silent"`` or ``"error"``."""
    mode = os.environ.get("CYGRAD_FALLBACK", "").strip().lower() or "warn"
    if mode not in ("warn", "silent", "error"):
        raise BackendError(f"CYGRAD_FALLBACK={mode!r} means nothing; set it to warn, silent or error")
    return mode


def resolve(where):
    """(Backend, index) of a device, a string, or None for the default."""
    if where is None:
        return _ever_overridden and _override.place or _default or _from_environment()
    if not isinstance(where, device):
        where = _device_named(where)
    backend, index = _loaded.get(where.type), where.index
    if backend is None:
        backend = load(where.type)
    if index is None:
        index = current_index(where.type) if _ever_overridden else 0
    if (backend, index) not in _opened:
        open_device(backend, index)
    return backend, index


def _device_named(where):
    """The device of a string; a backend whose name no string can have is told so."""
    try:
        return device(where)
    except RuntimeError:
        if isinstance(where, str) and where in entry_points.find(GROUP):
            refuse_name(where)
        raise


def refuse_name(name):
    """Raise if no string can name a device of this backend."""
    if not (name.isascii() and name.isidentifier()):
        raise BackendLoadError(f"backend {name!r} can't be named in a device string, which has letters, digits and "
                               "underscores: rename it in its package's entry point, to "
                               f"{name.replace('-', '_')!r}") from None


def current_index(name):
    """Which device of a backend its plain name stands for in this thread."""
    return _override.indices.get(name, 0) if _ever_overridden else 0


def set_current_index(name, index):
    """Let the plain name of a backend stand for this one of its devices, in the calling thread."""
    global _ever_overridden
    open_device(load(name), index)
    _override.indices[name] = index
    _ever_overridden = True


def choose(where, place):
    """Let a device, which is this place, be the calling thread's default; None, None: no longer one of its own."""
    global _ever_overridden
    _override.where, _override.place = where, place
    _ever_overridden = True


def choice():
    """(device, its place) of the last `choose` in this thread, or (None, None)."""
    return _override.where, _override.place


# ----------------------------------------------------------- the home device

def _from_environment():
    """(Backend, index) that CYGRAD_BACKEND names, looked up once."""
    global _default
    with _lock:
        if _default is None:
            from cygrad.devices import default_device      # knot: it needs this module
            _default = default_device.named_by_environment()
        return _default


def home_place():
    """(Backend, index) that CYGRAD_BACKEND names; see `cygrad.devices.home`."""
    return _default or _from_environment()


def home():
    """The device that CYGRAD_BACKEND names, which printed tensors don't mention, as PyTorch's default tensor type."""
    return of(*home_place())


# -------------------------------------------------------------- after a fork

def _after_fork():
    """In a forked child: nobody holds the lock, and backends that don't survive a fork are out of reach."""
    global _lock
    _lock = threading.RLock()
    lost = {backend for backend, _ in _opened if not backend.fork_safe}
    _opened.difference_update([key for key in _opened if key[0] in lost])
    storage.orphan(lost)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
