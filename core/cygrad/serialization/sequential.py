"""Files as PyTorch wrote them before its zip archives (`_use_new_zipfile_serialization=False`): several pickles, then
the bytes of the storages in the order of their keys, each after the number of its elements.

The value's pickle stands before the bytes, so it is read twice: once for the kinds and sizes of the storages, whose sum
is held against the file's length, then with the storages.
"""
import io
import pickle

import cygrad
from cygrad.devices.transfers import bytes_of
from cygrad.serialization.unpickling import Reader, UnpicklingError
from cygrad.tensors.typed_storage import typed, untyped

MAGIC = 0x1950A86A20F9469CFC6C
VERSION = 1001


def is_sequential(content):
    """Whether a file begins as one of these does."""
    return content.startswith(b"\x80\x02\x8a\x0a" + MAGIC.to_bytes(10, "little"))


class SequentialFile:
    """The parts of such a file.

    Parameters
    ----------
    content : bytes
    names : dict
        As for `Reader`.
    place : callable
        Puts a storage where it belongs, by its location in the file.
    encoding : str
        Of the strings that Python 2 wrote.
    objects : callable, optional
        Makes the reader of a value with objects, of a binary file and a function that gives storages.
    """

    def __init__(self, content, names, place, encoding="utf-8", objects=None):
        self.content, self.names, self.place, self.encoding, self.objects = content, names, place, encoding, objects
        self.position = 0               # behind the file's last byte, in the end
        self.kinds = {}                 # key of a storage: (dtype or None, elements, location)
        self.storages = {}
        self.windows = {}               # (key of a storage, name of a window on it): the window

    def load(self):
        """The value that was saved."""
        header = self.pickle(), self.pickle(), self.pickle()
        if header[1] != VERSION or not isinstance(header[2], dict):
            raise UnpicklingError(f"a file of protocol version {header[1]!r:.40}, where only {VERSION} is known")
        if header[2].get("little_endian") is not True:
            raise UnpicklingError("the file was written on a big-endian machine, which is not supported")
        start = self.position
        self.value(self.described)
        keys = self.pickle()
        if type(keys) is not list or any(type(key) is not str for key in keys) or set(keys) != set(self.kinds):
            raise UnpicklingError("the file has other storages than its value refers to")
        for key in keys:
            self.fetch(key)
        end, self.position = self.position, start
        found = self.value(self.storage)
        self.position = end
        return found

    def value(self, storage):
        """The pickle of the value, with objects if the caller takes them."""
        if self.objects is None:
            return self.pickle(storage)
        file = io.BytesIO(self.content)
        file.seek(self.position)
        found = self.objects(file, storage).load()
        self.position = file.tell()
        return found

    def pickle(self, storage=None):
        """The value of the pickle at this position."""
        reader = Reader(self.content, self.names, storage or _no_storage, self.encoding if storage else "utf-8")
        reader.position = self.position
        value = reader.load()
        self.position = reader.position
        return value

    def described(self, saved):
        """A storage of the right size, without its bytes."""
        if len(saved) != 6 or _text(saved[0]) != "storage" or not hasattr(saved[1], "dtype"):
            raise UnpicklingError("an unknown kind of storage")
        _, kind, key, location, count, view = map(_text, saved)
        if view is not None:
            self.check_window(view, count)
        if type(key) is not str or type(location) is not str or type(count) is not int or count < 0:
            raise UnpicklingError("a storage without a name, a place or a length")
        known = self.kinds.setdefault(key, (kind.dtype, count, location))
        if known != (kind.dtype, count, location):
            raise UnpicklingError(f"storage {key[:80]} has two kinds or lengths")
        if sum(count * _itemsize(dtype) for dtype, count, _ in self.kinds.values()) > len(self.content):
            raise UnpicklingError("the file has storages that are longer than the file")
        empty = untyped(cygrad.empty(count * _itemsize(kind.dtype), dtype=cygrad.uint8, device="cpu"))
        return empty if kind.dtype is None else typed(empty.elements.view(kind.dtype))

    def check_window(self, view, count):
        """Look at what says that a storage is a window on another, as PyTorch wrote them before version 0.4."""
        if type(view) is not tuple or len(view) != 3:
            raise UnpicklingError("a window on a storage without a name, a beginning or a length")
        name, start, length = map(_text, view)
        if type(name) is not str or not all(type(n) is int for n in (start, length)) or not (
                0 <= start and 0 <= length <= count - start):
            raise UnpicklingError("a window that is not inside of its storage")

    def fetch(self, key):
        """Read the bytes of the next storage."""
        dtype, count, location = self.kinds[key]
        found = self.take(8)
        if int.from_bytes(found, "little") != count:
            raise UnpicklingError(f"storage {key[:80]} should have {count} elements, the file says otherwise")
        content = self.take(count * _itemsize(dtype))
        out = cygrad.empty(len(content), dtype=cygrad.uint8, device="cpu")
        if content:
            bytes_of(out)[:] = content
        self.storages[key] = self.place(untyped(out), location)

    def take(self, count):
        """The next bytes."""
        start, self.position = self.position, self.position + count
        if self.position > len(self.content):
            raise UnpicklingError("the file is cut off")
        return self.content[start:self.position]

    def storage(self, saved):
        """The storage of a persistent id."""
        dtype, view = saved[1].dtype, saved[5]
        content = self.storages[_text(saved[2])]
        if view is not None:
            name, start, length = map(_text, view)
            size = _itemsize(dtype)
            content = self.windows.setdefault((_text(saved[2]), name), content[start * size:(start + length) * size])
        return content if dtype is None else typed(content.elements.view(dtype))


def _text(part):
    """A word of the format, where strings of Python 2 are read as bytes."""
    return part.decode("ascii") if type(part) is bytes else part


def write_sequential(file, value, storages, content):
    """Write such a file.

    Parameters
    ----------
    file : binary file
    value : bytes
        The pickle of the value.
    storages : list of (str, int, storage)
        Key, number of elements and storage of each.
    content : callable
        Gives a storage's bytes.
    """
    for part in (MAGIC, VERSION, {"protocol_version": VERSION, "little_endian": True,
                                  "type_sizes": {"short": 2, "int": 4, "long": 4}}):
        file.write(pickle.dumps(part, 2))
    file.write(value)
    storages = sorted(storages, key=lambda each: each[0])
    file.write(pickle.dumps([key for key, _, _ in storages], 2))
    for _, count, storage in storages:
        file.write(count.to_bytes(8, "little"))
        file.write(content(storage))
    if hasattr(file, "flush"):
        file.flush()


def _itemsize(dtype):
    return 1 if dtype is None else dtype.itemsize


def _no_storage(saved):
    raise UnpicklingError("a storage in the head of the file")
