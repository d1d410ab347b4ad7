"""What the arguments of `load` mean: where tensors go, what may be built, what can be read from."""
import os

from cygrad.devices import discovery
from cygrad.devices.device import device
from cygrad.devices.home import away
from cygrad.errors import warn
from cygrad.tensors.typed_storage import untyped


def placement(map_location):
    """A function from a storage on the host and the location in the file to the storage where it belongs."""
    if map_location is None:
        return _to if away() is None else _to_home
    if isinstance(map_location, dict):
        return lambda storage, location: _to(storage, map_location.get(location, location))
    if isinstance(map_location, (str, device)):
        return lambda storage, location: _to(storage, str(map_location))
    if not callable(map_location):
        raise TypeError(f"load(): map_location must be a device, a string, a dict or a function, not "
                        f"{type(map_location).__name__}")

    def place(storage, location):
        found = map_location(storage, location)
        return _to(storage, location) if found is None else found
    return place


class Unavailable(RuntimeError):
    """The device a storage belongs to is not there; the file itself is fine."""


def _to_home(storage, location):
    """The storage where a script written for the CPU looks for it: in files "cpu" stands for home."""
    return _to(storage, str(discovery.home()) if location == "cpu" else location)


def _to(storage, location):
    """The storage on the device of that name."""
    if location == "cpu":
        return storage
    try:
        return untyped(storage.elements.to(location))
    except (RuntimeError, ImportError) as error:
        raise Unavailable(
            f"Attempting to deserialize object on device {str(location)[:80]}, which is not available ({error}). Use "
            "load with map_location='cpu' to map the storages to the CPU.") from error


class Readable:
    """The methods of a file that `zipfile` asks for, over an object that reads, seeks and tells."""

    def __init__(self, file):
        self.file, self.seek, self.tell = file, file.seek, file.tell

    def seekable(self):
        return True

    def read(self, count=-1):
        if count is None or count < 0:
            return self.file.read()
        if not hasattr(self.file, "readinto"):
            return self.file.read(count)
        room = bytearray(count)
        return bytes(room[:self.file.readinto(room)])


def data_only(weights_only):
    """Whether only data is loaded; PyTorch's variables of the environment have a say, too."""
    forced, loosened = (os.environ.get(f"TORCH_FORCE_{word}_LOAD", "0").lower() in ("1", "y", "yes", "true")
                        for word in ("WEIGHTS_ONLY", "NO_WEIGHTS_ONLY"))
    if forced and loosened:
        raise RuntimeError("Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should "
                           "be set, but both were set.")
    if forced:
        return True
    if loosened and weights_only is None:
        warn("Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not "
             "explicitly passed to `torch.load`, forcing weights_only=False.")
        return False
    return weights_only is None or bool(weights_only)
