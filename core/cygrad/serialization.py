"""`save` and `load`: tensors, and nests of them, in PyTorch's own zip format, both ways.

A file is a zip archive: `data.pkl`, a pickle in which storages are persistent ids, and one uncompressed entry with the
bytes of each storage. Loading never runs code: the unpickler knows a fixed list of names (how a tensor is rebuilt,
storage types, dtypes, containers) and refuses all others, and everything a file says about a tensor is checked against
the bytes that are there. Format as written by PyTorch 2.x (archive version 3, little-endian).
"""
import io
import os
import pickle
import zipfile
from collections import OrderedDict

from cygrad.devices import device
from cygrad.dtype import DType, all_dtypes
from cygrad.legacy import KINDS
from cygrad.size import Size
from cygrad.tensor import Tensor

_DTYPES = {d.name: d for d in all_dtypes()}
_STORAGES = {f"{kind}Storage": _DTYPES[name] for name, kind in KINDS.items()}
_ALIGNMENT = 64


class UnpicklingError(pickle.UnpicklingError, RuntimeError):
    """A file holds something that may not be loaded, or is damaged."""


# ------------------------------------------------------------------------ saving

class _Name:
    """A name that the pickle refers to and only PyTorch needs to resolve."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self, *args):
        raise TypeError(f"{self.module}.{self.name} is a name in a file, not a function")


_REBUILD = _Name("torch._utils", "_rebuild_tensor_v2")
_ORDERED = _Name("collections", "OrderedDict")
_SIZE = _Name("torch", "Size")
_DEVICE = _Name("torch", "device")
_STORAGE_NAMES = {dtype: _Name("torch", name) for name, dtype in _STORAGES.items()}
_DTYPE_NAMES = {dtype: _Name("torch", name) for name, dtype in _DTYPES.items()}


class _StorageOf:
    """The storage of a tensor, as a persistent id."""

    def __init__(self, tensor):
        self.tensor = tensor


class _Pickler(pickle._Pickler):
    """Writes tensors, dtypes, sizes and devices under PyTorch's names; collects the storages."""

    dispatch = pickle._Pickler.dispatch.copy()

    def __init__(self, file):
        super().__init__(file, 2)
        self.storages = {}      # id of the Storage -> (key, tensor that shows it)

    def save_name(self, obj):
        self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
        self.memoize(obj)

    dispatch[_Name] = save_name

    def reducer_override(self, obj):
        if isinstance(obj, Tensor):
            requires_grad = obj.requires_grad and obj.grad_fn is None
            return _REBUILD, (_StorageOf(obj), obj.storage_offset(), tuple(obj.shape), obj.stride(), requires_grad,
                              _Ordered())
        if isinstance(obj, Size):
            return _SIZE, (list(obj),)
        if isinstance(obj, device):
            return _DEVICE, (str(obj),)
        if isinstance(obj, _Ordered):
            return _ORDERED, ()
        return NotImplemented

    def save(self, obj, save_persistent_id=True):
        if isinstance(obj, DType):
            obj = _DTYPE_NAMES[obj]
        super().save(obj, save_persistent_id)

    def persistent_id(self, obj):
        if not isinstance(obj, _StorageOf):
            return None
        tensor = obj.tensor
        storage = tensor._storage()
        key, _ = self.storages.setdefault(id(storage), (str(len(self.storages)), tensor))
        count = storage.nbytes() // tensor.element_size()
        return "storage", _STORAGE_NAMES[tensor.dtype], key, str(tensor.device), count


class _Ordered:
    """An empty OrderedDict: the backward hooks of a tensor, which are not saved."""


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True):
    """Write a tensor, or nested containers of tensors and plain values, to a file that PyTorch also reads.

    Parameters
    ----------
    obj : object
    f : str, path or binary file

    Examples
    --------
    >>> import cygrad, io
    >>> file = io.BytesIO()
    >>> cygrad.save({"w": cygrad.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> cygrad.load(file)
    {'w': tensor([1., 1.])}
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "wb") as file:
            return save(obj, file)
    if not hasattr(f, "write"):
        raise AttributeError(f"expected 'f' to be a path or a file open for writing, got {type(f).__name__}")
    text = io.BytesIO()
    pickler = _Pickler(text)
    pickler.dump(obj)
    root = os.path.splitext(os.path.basename(getattr(f, "name", "archive")))[0] \
        if isinstance(getattr(f, "name", None), str) else "archive"
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        _write(archive, f, f"{root}/data.pkl", text.getvalue())
        _write(archive, f, f"{root}/byteorder", b"little")
        for key, tensor in pickler.storages.values():
            _write(archive, f, f"{root}/data/{key}", _bytes_of_storage(tensor))
        _write(archive, f, f"{root}/version", b"3\n")


def _write(archive, file, name, content):
    """One stored entry whose bytes start at a multiple of 64, as PyTorch's do (it may map them)."""
    entry = zipfile.ZipInfo(name)
    start = archive.fp.tell() + 30 + len(name)
    padding = -(start + 4) % _ALIGNMENT
    entry.extra = b"FB" + padding.to_bytes(2, "little") + b"Z" * padding
    archive.writestr(entry, content)


def _bytes_of_storage(tensor):
    from cygrad.transfer import bytes_of, to_host
    from cygrad.typed_storage import untyped
    host = to_host(untyped(tensor).elements)
    return bytes(bytes_of(host)) if host.numel() else b""


# ----------------------------------------------------------------------- loading

class _StorageType:
    """A storage type named in a file: stands for a dtype."""

    def __init__(self, dtype):
        self.dtype = dtype


def _rebuild_tensor(storage, offset, size, stride, requires_grad=False, hooks=None, metadata=None):
    """The tensor that a file describes, on the bytes that the file holds."""
    import cygrad
    if not isinstance(storage, Tensor):
        raise UnpicklingError("a tensor without a storage")
    values = [offset, *size, *stride]
    if not all(type(n) is int and n >= 0 for n in values) or len(size) != len(stride):
        raise UnpicklingError(f"a tensor of size {size}, stride {stride}, offset {offset}")
    out = cygrad.as_strided(storage, tuple(size), tuple(stride), offset).detach()
    if requires_grad:
        out.requires_grad = True
    return out


def _rebuild_parameter(data, requires_grad=True, hooks=None):
    if not isinstance(data, Tensor):
        raise UnpicklingError("a parameter that is no tensor")
    return data.detach().requires_grad_(bool(requires_grad))


_ALLOWED = {
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor,
    ("torch._utils", "_rebuild_tensor"): _rebuild_tensor,
    ("torch._utils", "_rebuild_parameter"): _rebuild_parameter,
    ("torch.serialization", "_get_layout"): str,
    ("torch", "Size"): Size,
    ("torch", "device"): device,
    ("collections", "OrderedDict"): OrderedDict,
    ("builtins", "set"): set, ("__builtin__", "set"): set,
    ("builtins", "frozenset"): frozenset,
    ("builtins", "complex"): complex, ("__builtin__", "complex"): complex,
    ("builtins", "bytearray"): bytearray, ("__builtin__", "bytearray"): bytearray,
    ("_codecs", "encode"): lambda text, encoding="latin1": str(text).encode(
        encoding if encoding in ("latin1", "utf-8", "ascii") else "latin1"),
    **{("torch", name): dtype for name, dtype in _DTYPES.items()},
    **{("torch", name): _StorageType(dtype) for name, dtype in _STORAGES.items()},
}


class _Unpickler(pickle.Unpickler):
    """Knows the names of `_ALLOWED` and no others."""

    def __init__(self, file, archive, root, where):
        super().__init__(file, encoding="utf-8")
        self.archive, self.root, self.where = archive, root, where
        self.storages = {}

    def find_class(self, module, name):
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise UnpicklingError(
                f"Weights only load failed: the file refers to {module}.{name}, which is not allowed, because loading "
                "never runs code. Files may hold tensors, numbers, strings, None and containers of them") from None

    def persistent_load(self, saved):
        if not (isinstance(saved, tuple) and len(saved) == 5 and saved[0] == "storage"
                and isinstance(saved[1], _StorageType)):
            raise UnpicklingError(f"an unknown kind of storage: {str(saved)[:80]}")
        _, kind, key, location, count = saved
        if not isinstance(key, str) or type(count) is not int or count < 0:
            raise UnpicklingError(f"a storage named {key!r} of {count!r} elements")
        if key not in self.storages:
            self.storages[key] = self._read(kind.dtype, key, location, count)
        found = self.storages[key]
        return found if found.dtype is kind.dtype else found.view(kind.dtype)

    def _read(self, dtype, key, location, count):
        import cygrad
        from cygrad.transfer import bytes_of
        content = self.archive.read(f"{self.root}data/{key}")
        if len(content) != count * dtype.itemsize:
            raise UnpicklingError(f"storage {key} should have {count} elements of {dtype}, the file has "
                                  f"{len(content)} bytes")
        out = cygrad.empty(count, dtype=dtype, device="cpu")
        if count:
            bytes_of(out)[:] = content
        where = self.where(location)
        return out if where is None else out.to(where)


def _placement(map_location):
    """A function from the location in the file to a device (None: the host)."""
    if map_location is None:
        def place(location):
            return None if location == "cpu" else location
        return place
    if isinstance(map_location, dict):
        return lambda location: map_location.get(location, location)
    if callable(map_location) and not isinstance(map_location, (str, device)):
        raise TypeError("load(): map_location must be a device, a string or a dict, functions are not supported")
    return lambda location: map_location


def load(f, map_location=None, pickle_module=None, *, weights_only=True, mmap=None, **options):
    """Read what `save`, here or in PyTorch, wrote.

    Parameters
    ----------
    f : str, path or binary file
    map_location : device, str or dict, optional
        Where tensors go, or a dict from the devices they were saved on; by default back to where they were.
    weights_only : bool
        Only True makes sense: nothing but data is ever loaded.

    Raises
    ------
    UnpicklingError
        If the file refers to anything but tensors, plain values and containers, or is damaged (a RuntimeError, too).
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return load(file, map_location)
    if not hasattr(f, "read") or not hasattr(f, "seek"):
        raise AttributeError(f"expected 'f' to be a path or a binary file that can seek, got {type(f).__name__}")
    try:
        with zipfile.ZipFile(f) as archive:
            names = [name for name in archive.namelist() if name == "data.pkl" or name.endswith("/data.pkl")]
            if not names:
                raise UnpicklingError("the archive has no data.pkl: this is no file of save()")
            root = names[0][:-len("data.pkl")]
            if f"{root}byteorder" in archive.namelist() and archive.read(f"{root}byteorder") != b"little":
                raise UnpicklingError("the file was written on a big-endian machine, which is not supported")
            return _Unpickler(io.BytesIO(archive.read(names[0])), archive, root, _placement(map_location)).load()
    except UnpicklingError:
        raise
    except zipfile.BadZipFile as error:
        raise UnpicklingError(f"the file is damaged or not written by save(): {error}") from error
    except MemoryError:
        raise
    except Exception as error:
        raise UnpicklingError(f"the file is damaged: {type(error).__name__}: {error}") from error


def rebuild_storage(kind, dtype, values):
    """A storage from a pickle made with Python's own pickle module."""
    import cygrad
    from cygrad.typed_storage import typed, untyped
    flat = cygrad.tensor(values, dtype=dtype)
    return untyped(flat) if kind == "UntypedStorage" else typed(flat)


def rebuild_tensor(content):
    """A tensor from a pickle or deep copy made with Python's own modules."""
    return load(io.BytesIO(content))
