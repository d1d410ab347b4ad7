"""Which class serves a name that scripts give to `init_process_group`: entry points of ``cygrad.process_groups``."""
from cygrad.devices import entry_points
from cygrad.distributed.errors import ProcessGroupLoadError
from cygrad.distributed.process_group import INTERFACE_VERSION, REQUIRED, ProcessGroup
from cygrad.distributed.rendezvous import rendezvous
from cygrad.distributed.single_process_group import LocalProcessGroup
from cygrad.distributed.store import PrefixStore

__all__ = ["found", "get_default_backend_for_device", "is_installed", "load", "named"]

GROUP = "cygrad.process_groups"
ON_THE_HOST = "mpi"             # what serves "gloo", PyTorch's name for processes that meet in host memory
EXTRAS = ("mpi", "nccl")        # what `pip install cygrad[NAME]` brings
registered = {}                 # {name: what makes the group} of `Backend.register_backend`


def named(backend):
    """The name in what scripts write: "gloo", "mpi", "cpu:gloo,cuda:nccl", None; the host's where there are two."""
    text = "gloo" if backend is None else str(backend).lower()
    if ":" in text:
        pairs = dict(part.split(":", 1) for part in text.split(",") if part.count(":") == 1)
        if len(pairs) != len(text.split(",")):
            raise ValueError(f"The custom backend string argument is invalid: {backend}.\nIt is a list of pairs, such "
                             "as: \"cpu:gloo,cuda:nccl\"")
        text = "nccl" if "nccl" in pairs.values() else pairs.get("cpu") or next(iter(pairs.values()))
    return text


def found():
    """Names of all process groups that are installed, PyTorch's own names included."""
    return sorted({*entry_points.find(GROUP), *registered, "gloo", "local"})


def provider(name):
    """The entry point's name that serves a name."""
    return ON_THE_HOST if name == "gloo" else name


def load(name):
    """The class for a name of `named`; it is imported here."""
    if name == "local":
        return LocalProcessGroup
    serving = provider(name)
    points = entry_points.find(GROUP)
    if serving not in points:
        extra = f"; install it with: pip install \"cygrad[{serving}]\"" if serving in EXTRAS else ""
        raise ProcessGroupLoadError(f"no installed package provides process groups named {name!r} (installed: "
                                    f"{', '.join(found())}){entry_points.suggestion(name, found())}{extra}")
    try:
        loaded = entry_points.load("process group", points[serving], ProcessGroupLoadError)
    except ProcessGroupLoadError as error:
        if serving in EXTRAS and isinstance(error.__cause__, (ImportError, RuntimeError)):
            raise ProcessGroupLoadError(f"{error}; what it needs comes with: pip install \"cygrad[{serving}]\""
                                        ) from error.__cause__
        raise
    return checked(name, loaded)


def checked(name, loaded):
    """The class, if it is one that this cygrad can call."""
    if not (isinstance(loaded, type) and issubclass(loaded, ProcessGroup)):
        raise ProcessGroupLoadError(f"process group {name!r}: {loaded!r} is not a subclass of "
                                    "cygrad.distributed.ProcessGroup")
    if loaded.interface_version != INTERFACE_VERSION:
        raise ProcessGroupLoadError(f"process group {name!r} is written for version {loaded.interface_version} of the "
                                    f"interface, this cygrad has {INTERFACE_VERSION}; install matching versions")
    missing = [entry for entry in REQUIRED
               if getattr(getattr(loaded, entry), "__func__", getattr(loaded, entry))
               is getattr(getattr(ProcessGroup, entry), "__func__", getattr(ProcessGroup, entry))]
    if missing:
        raise ProcessGroupLoadError(f"process group {name!r} lacks required entries: {', '.join(missing)}")
    return loaded


def made_by_user(name, init_method, store, rank, world_size, timeout):
    """The group of all processes, of a name that is registered; they meet at the store, or at the address."""
    if store is None:
        address = (init_method or "env://").partition("?")[0]
        store, rank, world_size = next(rendezvous(address, rank, world_size, timeout=timeout))
    made = registered[name](PrefixStore("default_pg", store), rank, world_size, timeout)
    checked(name, type(made))
    return made


def is_installed(name):
    """Whether a process group of this name can be loaded."""
    if named(name) in registered:
        return True
    try:
        load(named(name))
    except ProcessGroupLoadError:
        return False
    return True


def get_default_backend_for_device(device):
    """The name of the process groups that serve a device by default."""
    kind = getattr(device, "type", device)
    return "nccl" if str(kind).partition(":")[0] == "cuda" else "gloo"
