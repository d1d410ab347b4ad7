"""Where storages come from beside allocation: buffers, and the older type names such as `FloatStorage(3)`."""
import functools
import sys

import cygrad
from cygrad.tensors.legacy_types import KINDS, place_name
from cygrad.tensors.typed_storage import TypedStorage, UntypedStorage, refusal_of


def from_buffer(buffer, byte_order, count, offset, dtype):
    """A tensor with a copy of a buffer's bytes; see `UntypedStorage.from_buffer`."""
    if dtype is None:
        raise RuntimeError("argument 'dtype' cannot be None")
    size = dtype.itemsize
    if byte_order is None and size > 1:
        raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
    if byte_order not in (None, "native", "little", "big"):
        raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
    try:
        given = bytes(memoryview(buffer))
    except TypeError:
        raise TypeError(f"a bytes-like object is required, not '{type(buffer).__name__}'") from None
    if not 0 <= offset <= len(given):
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({offset}) , but got "
                         f"{len(given)}")
    given = given[offset:]
    if count < 0:
        if len(given) % size:
            raise ValueError(f"buffer size ({len(given)}) must be a multiple of element size ({size})")
        count = len(given) // size
    elif len(given) < count * size:
        raise ValueError(f"buffer has only {len(given)} elements after offset {offset}, but specified a size of "
                         f"{count}")
    if count == 0:
        return cygrad.empty(0, dtype=cygrad.uint8, device="cpu")
    out = cygrad.frombuffer(bytearray(given[:count * size]), dtype=cygrad.uint8).clone()
    if byte_order not in (None, "native", sys.byteorder):
        out.untyped_storage().byteswap(dtype)
    return (out != 0).view(cygrad.uint8) if dtype is cygrad.bool else out


# ---------------------------------------------------------------------- older names

FORMS = """.__new__ received an invalid combination of arguments. Expected one of:
 * no arguments
 * (int size)
 * (Sequence data)
 * (*, UntypedStorage wrap_storage)
"""


class _LegacyStorageMeta(type):
    """Type of the older types of storages: each stands for a dtype on a device."""

    def __instancecheck__(cls, instance):
        return (isinstance(instance, TypedStorage) and instance.dtype is cls.dtype
                and cls._device == place_name(instance))

    def __call__(cls, *args, wrap_storage=None, **other):
        if cls is _LegacyStorage:
            raise RuntimeError("Only child classes of _LegacyStorage can be instantiated")
        refused = refusal_of(args, wrap_storage)
        for name in other:
            if name not in ("device", "dtype"):
                raise TypeError(f"TypedStorage.__new__() got an unexpected keyword argument '{name}'")
            refused = RuntimeError, f"Keyword argument '{name}' cannot be specified"
        if refused is None and wrap_storage is not None and place_name(wrap_storage) != cls._device:
            refused = RuntimeError, ("Device of 'wrap_storage' must be "
                                     f"{cls._device}, but got {place_name(wrap_storage)}")
        if refused is not None:
            raise refused[0](f"{cls}{FORMS}{refused[1]}")
        if wrap_storage is not None:
            return TypedStorage(wrap_storage=wrap_storage, dtype=cls.dtype)
        return TypedStorage(*args, dtype=cls.dtype, device=None if cls._device == "cpu" else cls._device)

    def __repr__(cls):
        return f"<class '{cls.__module__}.{cls.__name__}'>"


class _LegacyStorage(metaclass=_LegacyStorageMeta):
    """What the older types of storages have in common."""

    dtype = None
    _device = "cpu"

    @classmethod
    def from_buffer(cls, *args, **kwargs):
        """A storage with a copy of a buffer's bytes; see `UntypedStorage.from_buffer`."""
        cls._on_the_host()
        return TypedStorage.from_buffer(*args, dtype=cls.dtype, **kwargs)

    @classmethod
    def from_file(cls, filename, shared=False, size=0):
        """A storage of `size` elements on a file; see `UntypedStorage.from_file`."""
        cls._on_the_host()
        content = UntypedStorage.from_file(filename, shared, size * cls.dtype.itemsize)
        return TypedStorage(wrap_storage=content, dtype=cls.dtype)

    @classmethod
    def _on_the_host(cls):
        if cls._device != "cpu":
            raise RuntimeError(f"Not available for {cls._device.upper()} storage")


@functools.cache
def named(name, device):
    """The older type of this name, such as `FloatStorage`, for the storages on a device; None if there is none."""
    word = name.removesuffix("Storage")
    dtype = next((dtype for dtype, each in KINDS.items() if each == word), None)
    if dtype is None:
        return None
    return _LegacyStorageMeta(name, (_LegacyStorage,), {
        "dtype": getattr(cygrad, dtype), "_device": device,
        "__module__": "cygrad" if device == "cpu" else f"cygrad.{device}",
        "__doc__": f"An older name: `{name}(5)` and `{name}([1, 0])` make a `TypedStorage` of {dtype} elements."})


def __getattr__(name):
    """The older types of storages in host memory; `Storage` is that of the default dtype."""
    if name == "Storage":
        name = KINDS[cygrad.get_default_dtype().name] + name
    found = named(name, "cpu") if name.endswith("Storage") else None
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
