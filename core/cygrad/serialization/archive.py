"""`save` and `load`: tensors, and nests of them, in PyTorch's own zip format, both ways.

A file is a zip archive: `data.pkl`, a pickle in which storages are persistent ids, and one uncompressed entry with the
bytes of each storage. Loading runs no code (`unpickling.py`, and `instances.py` for what is more than data), and
everything a file says about a tensor is checked against the bytes that are there. Format as written by PyTorch 2.x
(archive version 3, little-endian).
"""
import codecs
import io
import os
import pickle
import sys
import zipfile

import cygrad
from cygrad.devices.device import device, layout
from cygrad.devices.home import stands_for_cpu
from cygrad.dispatch.lazy_views import laziness
from cygrad.dtype import DType
from cygrad.serialization.known_names import DTYPES, LAZY, NAMES, StorageType
from cygrad.serialization.instances import ObjectReader, any_allowed
from cygrad.serialization.load_arguments import Readable, Unavailable, data_only, placement
from cygrad.serialization.options import (LoadEndianness, get_crc32_options, get_default_load_endianness, maps_shared,
                                          skips_data)
from cygrad.serialization.replacing import replacing
from cygrad.serialization.sequential import SequentialFile, is_sequential, write_sequential
from cygrad.serialization.subclasses import state_of
from cygrad.serialization.unpickling import Reader, UnpicklingError
from cygrad.tensor import Tensor
from cygrad.tensors.legacy_types import KINDS
from cygrad.tensors.overriding import DisableTorchFunctionSubclass
from cygrad.tensors.size import Size
from cygrad.tensors.typed_storage import TypedStorage, UntypedStorage, typed, untyped
from cygrad.devices.transfers import bytes_of, to_host

__all__ = ["load", "save", "UnpicklingError"]

_ALIGNMENT = 64


# ------------------------------------------------------------------------ saving

class _Name:
    """A name that a file refers to and only PyTorch needs to resolve."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self, *args):
        raise TypeError(f"{self.module}.{self.name} is a name in a file, not a function")


_REBUILD = _Name("torch._utils", "_rebuild_tensor_v2")
_REBUILD_BYTES = _Name("torch._utils", "_rebuild_tensor_v3")        # of dtypes without a type of storage
_REBUILD_WITH = _Name("torch._tensor", "_rebuild_from_type_v2")
_REBUILD_META = _Name("torch._utils", "_rebuild_meta_tensor_no_storage")
_REBUILD_PARAMETER = _Name("torch._utils", "_rebuild_parameter")
_REBUILD_PARAMETER_WITH = _Name("torch._utils", "_rebuild_parameter_with_state")
_TENSOR = _Name("torch", "Tensor")
_ORDERED = _Name("collections", "OrderedDict")
_SIZE = _Name("torch", "Size")
_DEVICE = _Name("torch", "device")
_LAYOUT = _Name("torch.serialization", "_get_layout")
_BYTES = _Name("torch.storage", "UntypedStorage")
_STORAGE_NAMES = {DTYPES[name]: _Name("torch", f"{kind}Storage") for name, kind in KINDS.items()}
_DTYPE_NAMES = {dtype: _Name("torch", name) for name, dtype in DTYPES.items()}


class _Pickler(pickle._Pickler):
    """Writes tensors, storages, dtypes, sizes and devices under PyTorch's names; collects the storages."""

    dispatch = pickle._Pickler.dispatch.copy()

    def __init__(self, file, sequential=False, with_types=True, protocol=2):
        super().__init__(file, protocol)
        self.with_types = with_types            # whether instances of subclasses stay such
        self.storages = {}      # id of the Storage -> (key, bytes)
        self.dtypes = {}        # id of the Storage -> the dtype that it is written as
        self.sequential = sequential
        self.counts = {}        # key -> elements, of a file of several pickles

    def save_name(self, obj):
        self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
        self.memoize(obj)

    dispatch[_Name] = save_name

    def reducer_override(self, obj):
        if isinstance(obj, Tensor):
            if type(obj) is not Tensor and (form := _of_a_module(obj)):
                return form
            with DisableTorchFunctionSubclass():
                form = _of_a_tensor(obj)
            if self.with_types and type(obj) is not Tensor and not type(obj).__module__.startswith("cygrad."):
                return _REBUILD_WITH, (form[0], type(obj), form[1], state_of(obj))
            # PyTorch refuses to save names. They are written as an attribute, which it restores: as the names of the
            # axes where it has them (1.x), as a plain attribute since.
            attributes = dict(obj.__dict__) if type(obj) is Tensor and form[0] is _REBUILD else {}
            if obj.has_names():
                attributes["names"] = obj.names
            return (_REBUILD_WITH, (form[0], _TENSOR, form[1], attributes)) if attributes else form
        if isinstance(obj, Size):
            return _SIZE, (tuple(obj),)
        if isinstance(obj, device):
            return _DEVICE, (str(obj),)
        if isinstance(obj, layout):
            return _LAYOUT, (str(obj).replace("cygrad", "torch"),)
        if isinstance(obj, _Ordered):
            return _ORDERED, ()
        if type(obj) is bytes and not obj:          # Python would write a call of bytes, which PyTorch refuses
            return codecs.encode, ("", "latin1")
        return NotImplemented

    def save(self, obj, save_persistent_id=True):
        if isinstance(obj, DType):
            obj = _DTYPE_NAMES[obj]
        super().save(obj, save_persistent_id)

    def persistent_id(self, obj):
        if isinstance(obj, TypedStorage):
            kind, content = _STORAGE_NAMES[obj.dtype], obj.untyped()
        elif isinstance(obj, UntypedStorage):
            kind, content = _BYTES, obj
        else:
            return None
        storage = content.elements._storage()
        dtype = getattr(obj, "dtype", DTYPES["uint8"])
        if len(content) and self.dtypes.setdefault(id(storage), dtype) is not dtype:    # PyTorch reads one type of each
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        key, _ = self.storages.setdefault(id(storage), (str(len(self.storages)), content))
        where = "cpu" if stands_for_cpu(obj.device) else str(obj.device)
        if self.sequential:                 # the last part: not a window on another storage
            self.counts[key] = len(obj)
            return "storage", kind, key, where, len(obj), None
        return "storage", kind, key, where, len(obj)


def _of_a_tensor(obj):
    """(function, arguments) of PyTorch's that build a tensor again, whatever its type."""
    if obj.is_meta:
        return _REBUILD_META, (obj.dtype, tuple(obj.shape), obj.stride(), obj.requires_grad)
    parts = (obj.storage_offset(), tuple(obj.shape), obj.stride(), obj.requires_grad, _Ordered())
    metadata = (lazy,) if (lazy := _laziness_of(obj)) else ()
    if obj.dtype not in _STORAGE_NAMES:
        return _REBUILD_BYTES, (untyped(obj), *parts, obj.dtype, *metadata)
    return _REBUILD, (typed(obj), *parts, *metadata)


def _laziness_of(obj):
    """PyTorch's metadata of a lazy conjugate or negative; empty for other tensors."""
    lazy = laziness(obj)
    return {name: True for name, flag in LAZY.items() if lazy & flag}


def _of_a_module(obj):
    """How PyTorch writes parameters of modules, for a tensor of a subclass that is one; None for others."""
    parameter = sys.modules.get("cygrad.nn.parameter")
    if parameter is None:       # nn was never imported, so there is none
        return None
    if parameter.is_lazy(obj):
        return _Name("torch.nn.parameter", type(obj).__name__), (obj.requires_grad,)
    if parameter.Parameter in type(obj).__mro__:        # else a subclass of the user's, marked as a parameter
        parts = (obj.data, obj.requires_grad, _Ordered())
        attributes = dict(obj.__dict__) if type(obj) is parameter.Parameter else {}
        return (_REBUILD_PARAMETER_WITH, (*parts, attributes)) if attributes else (_REBUILD_PARAMETER, parts)
    return None


class _Ordered:
    """An empty OrderedDict: the backward hooks of a tensor, which are not saved."""


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True):
    """Write a tensor, or nested containers of tensors and plain values, to a file that PyTorch also reads.

    Parameters
    ----------
    obj : object
        Anything that Python's pickle takes. `load` reads tensors, plain values and containers of them back as it is;
        for arrays of NumPy and objects it has to be asked for, ``weights_only=False``.
    f : str, path or binary file
        A file that is there is replaced when all is written, so that an error on the way leaves it whole.
    pickle_module : optional
        Taken for PyTorch's sake.
    pickle_protocol : int
        That of the pickle in the file.
    _use_new_zipfile_serialization : bool
        With False the file is as PyTorch wrote them before its zip archives; several may follow one another.

    Examples
    --------
    >>> import cygrad, io
    >>> file = io.BytesIO()
    >>> cygrad.save({"w": cygrad.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> cygrad.load(file)
    {'w': tensor([1., 1.])}
    """
    text = io.BytesIO()
    pickler = _Pickler(text, not _use_new_zipfile_serialization, protocol=pickle_protocol)
    pickler.dump(obj)           # before a file is touched, so that what can't be saved doesn't cost an older file
    if isinstance(f, (str, os.PathLike)):
        folder = os.path.dirname(os.fspath(f))
        if folder and not os.path.isdir(folder):
            raise RuntimeError(f"Parent directory {folder} does not exist.")
        root = os.path.splitext(os.path.basename(os.fspath(f)))[0]
        with replacing(f) as file:
            return _write_file(file, root, text.getvalue(), pickler)
    if not hasattr(f, "write"):
        raise AttributeError(f"expected 'f' to be string, path, or a file-like object with a 'write' attribute, "
                             f"got {type(f).__name__}")
    name = getattr(f, "name", None)
    root = os.path.splitext(os.path.basename(name))[0] if isinstance(name, str) else "archive"
    if hasattr(f, "seekable"):
        return _write_file(f, root, text.getvalue(), pickler)
    whole = io.BytesIO()                    # for an object that can do nothing but write
    _write_file(whole, root, text.getvalue(), pickler)
    f.write(whole.getvalue())


def content_of(obj):
    """The file of a tensor as bytes, without what its own type adds."""
    text, file = io.BytesIO(), io.BytesIO()
    pickler = _Pickler(text, with_types=False)
    pickler.dump(obj)
    _write_archive(file, "archive", text.getvalue(), pickler.storages)
    return file.getvalue()


def _write_file(file, root, text, pickler):
    if pickler.sequential:
        if skips_data():
            raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
        storages = [(key, pickler.counts[key], storage) for key, storage in pickler.storages.values()]
        write_sequential(file, text, storages, _content)
    else:
        _write_archive(file, root, text, pickler.storages)


def _write_archive(file, root, text, storages):
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        _write(archive, f"{root}/data.pkl", text)
        _write(archive, f"{root}/byteorder", b"little")
        for key, storage in storages.values():
            content = bytes(storage.nbytes()) if skips_data() else _content(storage)
            _write(archive, f"{root}/data/{key}", content)
        _write(archive, f"{root}/version", b"3\n")


def _write(archive, name, content):
    """One stored entry whose bytes start at a multiple of 64, as PyTorch's do (it may map them)."""
    entry = zipfile.ZipInfo(name)
    start = archive.fp.tell() + 30 + len(name.encode())
    padding = -(start + 4) % _ALIGNMENT
    entry.extra = b"FB" + padding.to_bytes(2, "little") + b"Z" * padding
    if get_crc32_options():
        archive.writestr(entry, content)
        return
    entry.header_offset = archive.fp.tell()         # as `writestr` does it, but for the checksum, which stays 0
    entry.file_size = entry.compress_size = len(content)
    entry.CRC = 0
    archive.fp.write(entry.FileHeader())
    archive.fp.write(content)
    archive.start_dir = archive.fp.tell()
    archive.filelist.append(entry)
    archive.NameToInfo[name] = entry


def _content(storage):
    """The bytes of an untyped storage, from wherever it is."""
    host = to_host(storage.elements)
    return bytes(bytes_of(host)) if host.numel() else b""


# ----------------------------------------------------------------------- loading

class _Archive:
    """The zip archive of a file, with sizes checked before anything is read.

    Parameters
    ----------
    archive : zipfile.ZipFile
    length : int
        Of the file.
    place : callable
        Puts a storage where it belongs, by its location in the file.
    encoding : str
        Of the strings that Python 2 wrote.
    mapping : UntypedStorage, optional
        The file's bytes, where storages shall be windows on it.
    """

    def __init__(self, archive, length, place, encoding, mapping=None):
        self.archive, self.place, self.encoding, self.mapping = archive, place, encoding, mapping
        self.entries = {entry.filename: entry for entry in archive.infolist()}
        for entry in archive.infolist():
            if entry.CRC == 0:              # none was computed when the file was written
                entry.CRC = None
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
            raise UnpicklingError("the archive has compressed entries, which save() never writes")
        if sum(entry.file_size for entry in archive.infolist()) > length:
            raise UnpicklingError("the archive has entries that are longer than the file")
        name = next((name for name in self.entries if name == "data.pkl" or name.endswith("/data.pkl")), None)
        if name is None:
            raise UnpicklingError("the archive has no data.pkl: this is no file of save()")
        self.root = name[:-len("data.pkl")]
        self.storages = {}
        self.turned = self.order() != sys.byteorder
        self.shared = mapping is not None and maps_shared()

    def order(self):
        """The order of bytes in the file."""
        if f"{self.root}byteorder" in self.entries:
            found = self.read("byteorder")
            if found not in (b"little", b"big"):
                raise UnpicklingError(f"the bytes of the file are in an unknown order, {found!r:.40}")
            return found.decode()
        default = get_default_load_endianness()
        return {LoadEndianness.BIG: "big", LoadEndianness.NATIVE: sys.byteorder}.get(default, "little")

    def read(self, name):
        """The bytes of an entry."""
        if self.root + name not in self.entries:
            raise UnpicklingError(f"the archive has no {name[:80]}")
        return self.archive.read(self.root + name)

    def load(self):
        """The value that was saved."""
        return Reader(self.read("data.pkl"), NAMES, self.storage, self.encoding).load()

    def objects(self, of_program):
        """The same with objects of classes that are allowed, or that the program has."""
        pickled = io.BytesIO(self.read("data.pkl"))
        return ObjectReader(pickled, NAMES, self.storage, of_program, self.encoding).load()

    def storage(self, saved):
        """The storage of a persistent id."""
        if len(saved) != 5 or saved[0] != "storage" or type(saved[1]) is not StorageType:
            raise UnpicklingError("an unknown kind of storage")
        _, kind, key, location, count = saved
        if type(key) is not str or type(location) is not str or type(count) is not int or count < 0:
            raise UnpicklingError("a storage without a name, a place or a length")
        if key not in self.storages:
            self.storages[key] = self.place(self.fetch(key, kind.dtype), location)
        content = self.storages[key]
        itemsize = kind.dtype.itemsize if kind.dtype else 1
        if content.nbytes() != count * itemsize:
            raise UnpicklingError(f"storage {key[:80]} should have {count} elements of {itemsize} bytes, the file has "
                                  f"{content.nbytes()} bytes")
        return content if kind.dtype is None else typed(content.elements.view(kind.dtype))

    def fetch(self, key, dtype):
        """The bytes of a storage, on the host."""
        out = self.window(key) if self.mapping is not None else self.copied(key)
        if self.turned and dtype is not None and len(out):
            out.byteswap(dtype)
        return out

    def forget_checksum(self, entry):
        """Let the file have none for an entry whose bytes may be changed where they lie."""
        place = self.archive.start_dir
        for each in self.archive.infolist():
            head = bytes(self.mapping[place:place + 46].tolist())
            if each is entry:
                for start in (place + 16, entry.header_offset + 14):
                    self.mapping[start:start + 4].fill_(0)
            place += len(head) + sum(int.from_bytes(head[k:k + 2], "little") for k in (28, 30, 32))

    def copied(self, key):
        """The bytes of an entry in memory of their own."""
        content = self.read(f"data/{key}")
        out = cygrad.empty(len(content), dtype=cygrad.uint8, device="cpu")
        if content:
            bytes_of(out)[:] = content
        return untyped(out)

    def window(self, key):
        """An entry's bytes where the file is mapped."""
        name = f"{self.root}data/{key}"
        if name not in self.entries:
            raise UnpicklingError(f"the archive has no {name[:80]}")
        with self.archive.open(name):               # looks at the header that stands before the bytes
            pass
        entry = self.entries[name]
        header = bytes(self.mapping[entry.header_offset:entry.header_offset + 30].tolist())
        start = (entry.header_offset + len(header) + int.from_bytes(header[26:28], "little")
                 + int.from_bytes(header[28:30], "little"))
        if self.shared:
            self.forget_checksum(entry)
        if len(header) != 30 or start + entry.file_size > len(self.mapping):
            raise UnpicklingError(f"storage {key[:80]} is not whole in the file")
        return self.mapping[start:start + entry.file_size]


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, encoding="utf-8", **options):
    """Read what `save`, here or in PyTorch, wrote.

    Parameters
    ----------
    f : str, path or binary file
    map_location : device, str, dict or callable, optional
        Where tensors go, or a dict from the devices they were saved on, or a function of a storage on the host and the
        location it was saved from, which returns a storage or None; by default back to where they were.
    weights_only : bool, optional
        Load nothing but data, as by default, and what `serialization.add_safe_globals` allows. With False also
        modules (`nn.Module`), NumPy's arrays and instances of plain classes that the program has imported already.
        Either way no code that a file names is run, unlike in PyTorch; what is refused says how to allow it.
    encoding : str
        Of strings that Python 2 wrote; "bytes" leaves them as bytes.
    mmap : bool, optional
        Map the file instead of reading it: bytes are read when they are used. `f` has to be a path then.
        `serialization.set_default_mmap_options` says whether what is written to the tensors goes to the file.
    pickle_module : optional
        Taken for PyTorch's sake; files are read as they are.

    Returns
    -------
    object
        What was saved.

    Raises
    ------
    UnpicklingError
        If the file is damaged, or refers to anything but tensors, plain values and containers, with ``weights_only``
        (a RuntimeError, too).

    Examples
    --------
    >>> import io
    >>> import cygrad
    >>> file = io.BytesIO()
    >>> cygrad.save({"weight": cygrad.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> cygrad.load(file)
    {'weight': tensor([1., 1.])}
    """
    if skips_data():
        raise RuntimeError("`torch.load` called within a torch.serialization.skip_data context manager is not "
                           "supported yet. Please call torch.load outside the skip_data context manager.")
    unknown = [word for word in options if word not in ("buffers", "errors", "fix_imports")]
    if unknown:
        raise TypeError(f"Unpickler.__init__() got an unexpected keyword argument '{unknown[0]}'")
    place, weights_only = placement(map_location), data_only(weights_only)
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return _load(file, place, weights_only, encoding, f if mmap else None)
    if mmap:
        raise ValueError("f must be a file name in order to use the mmap argument")
    if not hasattr(f, "read") or not hasattr(f, "seek") or not hasattr(f, "tell"):
        raise AttributeError(f"'{type(f).__name__}' object has no attribute 'seek'. You can only torch.load from a "
                             "file that is seekable. Please pre-load the data into a buffer like io.BytesIO and try to "
                             "load from it instead.")
    return _load(f if hasattr(f, "seekable") else Readable(f), place, weights_only, encoding)


_NO_MAPPING = ("mmap can only be used with files saved with `torch.save(_use_new_zipfile_serialization=True), please "
               "torch.save your checkpoint with this option in order to use mmap.")


def _load(file, place, weights_only=True, encoding="utf-8", mapped=None):
    try:
        start = file.tell()
        length = file.seek(0, os.SEEK_END) or file.tell()
        if length == start:
            raise EOFError("Ran out of input")
        file.seek(start)
        with_objects = not weights_only or any_allowed()
        if is_sequential(file.read(16)):
            if mapped is not None:
                raise RuntimeError(_NO_MAPPING)
            file.seek(start)

            def objects(content, storage):
                return ObjectReader(content, NAMES, storage, not weights_only, encoding)
            found = SequentialFile(file.read(), NAMES, place, encoding, objects if with_objects else None)
            value = found.load()
            file.seek(start + found.position)           # where another may begin
            return value
        file.seek(start)
        with zipfile.ZipFile(file) as archive:
            mapping = None if mapped is None else UntypedStorage.from_file(os.fspath(mapped), maps_shared(), length)
            found = _Archive(archive, length, place, encoding, mapping)
            return found.objects(not weights_only) if with_objects else found.load()
    except (UnpicklingError, EOFError, MemoryError, Unavailable):
        raise
    except RuntimeError as error:
        if error.args == (_NO_MAPPING,):
            raise
        raise UnpicklingError(f"the file is damaged: {type(error).__name__}: {error}") from error
    except zipfile.BadZipFile as error:
        raise UnpicklingError(f"the file is damaged or not written by save(): {error}") from error
    except Exception as error:
        raise UnpicklingError(f"the file is damaged: {type(error).__name__}: {error}") from error


def rebuild_storage(kind, dtype, values):
    """A storage from a pickle made with Python's own pickle module."""
    flat = cygrad.tensor(values, dtype=dtype)
    return untyped(flat) if kind == "UntypedStorage" else typed(flat)


def rebuild_tensor(content, attributes=()):
    """A tensor from a pickle made with Python's own module, with what was set on it by name."""
    found = load(io.BytesIO(content))
    if attributes:
        found.__dict__.update(attributes)
    return found


def rebuild_instance(kind, content, attributes, slots):
    """An instance of a subclass of Tensor from a pickle made with Python's own module."""
    found = load(io.BytesIO(content))
    found = Tensor._make_subclass(kind, found.detach(), found.requires_grad)
    found.__dict__.update(attributes)
    for name, value in slots.items():
        setattr(found, name, value)
    return found
