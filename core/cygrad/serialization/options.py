"""How files are written and read unless a call says otherwise, by PyTorch's names: checksums, byte order, mappings."""
import enum
import mmap
import threading

__all__ = ["LoadEndianness", "get_crc32_options", "get_default_load_endianness", "get_default_mmap_options",
           "set_crc32_options", "set_default_load_endianness", "set_default_mmap_options", "skip_data"]

_PRIVATE = getattr(mmap, "MAP_PRIVATE", None)           # Windows has no such flags
_SHARED = getattr(mmap, "MAP_SHARED", None)


class LoadEndianness(enum.Enum):
    """The order of bytes in files that don't say theirs."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class _Options:
    """What is set for the whole process."""

    crc32 = True
    endianness = None
    mapping = _PRIVATE


_thread = threading.local()         # .skips: whether `save` leaves the bytes of storages out


def set_crc32_options(compute_crc32):
    """Whether `save` computes the checksums of what it writes. Without, other programs may find the file damaged.

    Parameters
    ----------
    compute_crc32 : bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.serialization.set_crc32_options(True)
    """
    _Options.crc32 = compute_crc32


def get_crc32_options():
    """Whether `save` computes checksums.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.serialization.get_crc32_options()
    True
    """
    return _Options.crc32


def set_default_load_endianness(endianness):
    """The order of bytes that `load` takes for that of a file that doesn't say it.

    Parameters
    ----------
    endianness : LoadEndianness or None

    Raises
    ------
    TypeError
        For anything else.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.serialization.set_default_load_endianness(None)
    """
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _Options.endianness = endianness


def get_default_load_endianness():
    """What `set_default_load_endianness` has set.

    Returns
    -------
    LoadEndianness or None

    Examples
    --------
    >>> import cygrad
    >>> cygrad.serialization.get_default_load_endianness() is None
    True
    """
    return _Options.endianness


def get_default_mmap_options():
    """How ``load(mmap=True)`` maps files.

    Returns
    -------
    int
        ``mmap.MAP_PRIVATE`` or ``mmap.MAP_SHARED``.

    Examples
    --------
    >>> import cygrad, mmap
    >>> cygrad.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    True
    """
    return _Options.mapping


def maps_shared():
    """Whether what is written to tensors of a mapped file goes to the file."""
    return _Options.mapping == _SHARED


class set_default_mmap_options:
    """Say how ``load(mmap=True)`` maps files, from now on or for a ``with`` block.

    Parameters
    ----------
    flags : int
        ``mmap.MAP_PRIVATE``: changes of tensors are the process's own. ``mmap.MAP_SHARED``: they go to the file.

    Raises
    ------
    ValueError
        For other flags.
    RuntimeError
        On Windows, which has one way to map.

    Examples
    --------
    >>> import cygrad, mmap
    >>> with cygrad.serialization.set_default_mmap_options(mmap.MAP_SHARED):
    ...     cygrad.serialization.get_default_mmap_options() == mmap.MAP_SHARED
    True
    """

    def __init__(self, flags):
        if _PRIVATE is None:
            raise RuntimeError("Changing the default mmap options is currently not supported for Windows")
        if flags not in (_PRIVATE, _SHARED):
            raise ValueError("Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or "
                             f"mmap.MAP_SHARED, but got {flags}")
        self.before, _Options.mapping = _Options.mapping, flags

    def __enter__(self):
        pass

    def __exit__(self, *error):
        _Options.mapping = self.before


class skip_data:
    """In a ``with`` block `save` leaves room for the bytes of storages, and does not write them.

    Parameters
    ----------
    materialize_fake_tensors : bool
        Taken for PyTorch's sake.

    Examples
    --------
    >>> import cygrad, io
    >>> file = io.BytesIO()
    >>> with cygrad.serialization.skip_data():
    ...     cygrad.save(cygrad.ones(2), file)
    >>> _ = file.seek(0)
    >>> cygrad.load(file)
    tensor([0., 0.])
    """

    def __init__(self, materialize_fake_tensors=False):
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self):
        self.before, _thread.skips = skips_data(), True

    def __exit__(self, *error):
        _thread.skips = self.before


def skips_data():
    """Whether this thread is in a block of `skip_data`."""
    return getattr(_thread, "skips", False)
