"""Finding and choosing backends: the environment variable, entry points, the default device.

Listing imports nothing; a backend's module is imported when one of its devices is first used. `cpu` is the one name
that resolves without looking anything up, so that `import cygrad` and the first tensor stay quick.
"""
import importlib
import os
import threading

from cygrad.backend import INTERFACE_VERSION, Backend
from cygrad.devices import device
from cygrad.errors import BackendError, BackendLoadError, BackendNotFound, BackendUnavailable

GROUP = "cygrad.backends"
PREFERENCE = ("cuda", "opencl")           # what `auto` tries first
EXTRAS = {"cuda": "cuda", "opencl": "opencl"}

_lock = threading.RLock()
_loaded = {}           # name -> Backend
_opened = set()        # (name, index)
_default = None        # (Backend, index) once resolved
_override = None       # device of set_default_device


def entry_points():
    """{name: entry point} of every installed backend; raises when two packages claim one name."""
    from importlib.metadata import entry_points as installed
    found = {}
    for point in installed(group=GROUP):
        if point.name in found and found[point.name].value != point.value:
            raise BackendLoadError(
                f"two packages provide the backend {point.name!r}: {found[point.name].value} and {point.value}; "
                "uninstall one of them")
        found[point.name] = point
    return found


def load(name):
    """The Backend object of this name, imported at first use."""
    found = _loaded.get(name)
    if found is not None:
        return found
    with _lock:
        if name not in _loaded:
            _loaded[name] = _make(name)
        return _loaded[name]


def _make(name):
    if name == "cpu":
        cls = importlib.import_module("cygrad_cpu").CPUBackend
    else:
        points = entry_points()
        if name not in points:
            raise BackendNotFound(_unknown(name, points))
        try:
            cls = points[name].load()
        except Exception as error:
            raise BackendLoadError(f"backend {name!r} ({points[name].value}) does not load: "
                                   f"{type(error).__name__}: {error}") from error
    if not (isinstance(cls, type) and issubclass(cls, Backend)):
        raise BackendLoadError(f"backend {name!r}: {cls!r} is not a subclass of cygrad.backend.Backend")
    if cls.interface_version != INTERFACE_VERSION:
        raise BackendLoadError(f"backend {name!r} is written for version {cls.interface_version} of the kernel "
                               f"interface, this cygrad has version {INTERFACE_VERSION}; install matching versions")
    missing = [entry for entry in ("device_count", "alloc", "h2d", "d2h")
               if getattr(cls, entry) is getattr(Backend, entry)]
    if missing and name != "cpu":
        raise BackendLoadError(f"backend {name!r} lacks required entries: {', '.join(missing)}")
    backend = cls()
    backend.name = name
    return backend


def _unknown(name, points):
    known = sorted({"cpu", *points})
    text = f"no backend named {name!r} is installed (installed: {', '.join(known)})"
    import difflib
    close = difflib.get_close_matches(name, [*known, *EXTRAS], 1)
    if close and close[0] != name:
        text += f"; did you mean {close[0]!r}?"
    if name in EXTRAS:
        text += f"; install it with: pip install cygrad[{EXTRAS[name]}]"
    return text


def count(backend):
    """Number of the backend's devices; 0 when it can't say."""
    try:
        return int(backend.device_count())
    except Exception:
        return 0


def open_device(backend, index):
    """Check the index and open the device at its first use."""
    key = (backend.name, index)
    if key in _opened:
        return
    with _lock:
        devices = count(backend)
        if devices == 0:
            raise BackendUnavailable(f"backend {backend.name!r} has no usable device on this machine")
        if not 0 <= index < devices:
            names = ", ".join(f"{backend.name}:{i}" for i in range(devices))
            raise BackendUnavailable(f"backend {backend.name!r} has no device {index}; its devices: {names}")
        try:
            backend.open(index)
        except Exception as error:
            raise BackendUnavailable(f"device {backend.name}:{index} does not open: {error}") from error
        _opened.add(key)


def resolve(where):
    """(Backend, index) of a device, a string, or None for the default."""
    if where is None:
        return _default or default()
    if not isinstance(where, device):
        where = device(where)
    backend = load(where.type)
    index = where.index or 0
    open_device(backend, index)
    return backend, index


def default():
    """(Backend, index) of the default device: `set_default_device`, else CYGRAD_BACKEND, else the CPU."""
    global _default
    with _lock:
        if _default is None:
            _default = resolve(_override) if _override is not None else _from_environment()
        return _default


def _from_environment():
    wish = os.environ.get("CYGRAD_BACKEND", "").strip().lower()
    if not wish:
        return resolve("cpu")
    if wish == "auto":
        installed = entry_points()
        ordered = [n for n in PREFERENCE if n in installed]
        ordered += sorted(n for n in installed if n not in PREFERENCE and n != "cpu")
        for name in ordered:
            try:
                return resolve(name)
            except BackendError:
                continue
        return resolve("cpu")
    names = [name.strip() for name in wish.split(",") if name.strip()]
    reasons = []
    for name in names:
        try:
            return resolve(name)
        except (BackendError, RuntimeError) as error:
            if len(names) == 1:
                raise
            reasons.append(f"  {name}: {error}")
    raise BackendUnavailable(f"CYGRAD_BACKEND={wish!r}: none of these can be used:\n" + "\n".join(reasons))


def default_override():
    """What `set_default_device` was last given, or None."""
    return _override


def set_default_device(where):
    """Make new tensors live on this device unless `device=` says otherwise; None: back to CYGRAD_BACKEND or the CPU.

    Parameters
    ----------
    where : device, str or None
    """
    global _default, _override
    with _lock:
        resolved = resolve(where) if where is not None else None
        _override = None if where is None else device(where)
        _default = resolved


def get_default_device():
    """The device on which new tensors are made."""
    from cygrad.devices import of
    return of(*(_default or default()))
