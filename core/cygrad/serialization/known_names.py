"""What the pickle in a file of tensors may refer to: PyTorch's names, and functions that build what they stand for.

Each function checks what the file says before it builds anything.
"""
from collections import Counter, OrderedDict

import cygrad
from cygrad.devices.device import device, strided
from cygrad.dispatch.lazy_views import CONJUGATED, NEGATED, made_lazy
from cygrad.dtype import DType, all_dtypes
from cygrad.serialization.lacking import LACKING
from cygrad.serialization.subclasses import as_instance
from cygrad.serialization.unpickling import Function, UnpicklingError
from cygrad.tensor import Tensor
from cygrad.tensors.legacy_types import KINDS
from cygrad.tensors.size import Size
from cygrad.tensors.typed_storage import TypedStorage, UntypedStorage, typed

DTYPES = {d.name: d for d in all_dtypes()}
LAZY = {"conj": CONJUGATED, "neg": NEGATED}


class StorageType:
    """A storage type named in a file: stands for a dtype, or for bytes."""

    def __init__(self, dtype=None):
        self.dtype = dtype


def _rebuild_tensor(reader, storage, offset, size, stride, requires_grad=False, hooks=None, metadata=None):
    """The tensor that a file describes, on the bytes that the file holds."""
    if type(storage) is not TypedStorage or not isinstance(size, tuple) or not isinstance(stride, tuple):
        raise UnpicklingError("a tensor without a storage, a size or a stride")
    values = [offset, *size, *stride]
    if not all(type(n) is int and n >= 0 for n in values) or len(size) != len(stride):
        raise UnpicklingError(f"a tensor of size {size}, stride {stride}, offset {offset}"[:200])
    out = cygrad.as_strided(storage.elements, tuple(size), tuple(stride), offset).detach()
    if isinstance(metadata, dict):
        lazy = sum(flag for name, flag in LAZY.items() if metadata.get(name))
        if lazy & CONJUGATED and not out.is_complex():
            raise UnpicklingError(f"a conjugate of {out.dtype}")
        made_lazy(out, lazy)
    out._count_from(1)                                      # its memory is set after it was made
    return out.requires_grad_() if requires_grad else out


def _rebuild_meta(reader, dtype, size, stride, requires_grad=False):
    """A tensor on the device `meta`, which has no storage in the file."""
    if not isinstance(dtype, DType) or not isinstance(size, tuple) or not isinstance(stride, tuple):
        raise UnpicklingError("a meta tensor without a dtype, a size or a stride")
    if not all(type(n) is int and n >= 0 for n in (*size, *stride)) or len(size) != len(stride):
        raise UnpicklingError(f"a meta tensor of size {size}, stride {stride}"[:200])
    return cygrad.empty_strided(size, stride, dtype=dtype, device="meta", requires_grad=bool(requires_grad))


def _rebuild_parameter(reader, data, requires_grad=True, hooks=None, state=None):
    if not isinstance(data, Tensor):
        raise UnpicklingError("a parameter that is no tensor")
    from cygrad.nn.parameter import Parameter      # start-up time
    out = Parameter(data, bool(requires_grad))
    _set_attributes(out, state)
    return out


def _set_attributes(out, state):
    """What the program that saved a tensor had set on it by name."""
    if isinstance(state, dict):
        if not all(type(name) is str for name in state):
            raise UnpicklingError("attributes with names that are no strings")
        out.__dict__.update(state)


def _rebuild_subclass(reader, function, kind, arguments, state):
    """A tensor with attributes, or one of a subclass."""
    if not isinstance(function, Function) or not isinstance(arguments, tuple):
        raise UnpicklingError("a tensor of a subclass without its parts")
    out = function.build(reader, *arguments)
    if kind is not Tensor:
        return as_instance(out, kind, state)
    if isinstance(state, dict) and isinstance(out, Tensor) and isinstance(state.get("names"), (tuple, list)):
        try:
            out.names = state["names"]
        except (TypeError, RuntimeError) as error:
            raise UnpicklingError(f"a tensor whose names are wrong: {error}"[:200]) from None
        state = {name: value for name, value in state.items() if name != "names"}
    if isinstance(out, Tensor):
        _set_attributes(out, state)
    return out


def _size(reader, values=()):
    if not isinstance(values, (list, tuple)):
        raise UnpicklingError(f"a size made from a {type(values).__name__}")
    return Size(values)


def _device(reader, kind, index=None):
    return device(kind) if index is None else device(kind, index)


def _layout(reader, name):
    if name != "torch.strided":
        raise UnpicklingError(f"layout {name!r:.80}, where only torch.strided exists")
    return strided


def _ordered(reader, pairs=()):
    if reader is None:          # Python's unpickler builds it, for a file with classes that the caller allowed
        return OrderedDict(pairs)
    reader.push(OrderedDict())
    reader.fill([part for key, value in pairs for part in (key, value)])
    return reader.pop()


def _counter(reader, counts=None):
    if counts is None:
        return Counter()
    if type(counts) not in (dict, OrderedDict) or not all(type(count) is int for count in counts.values()):
        raise UnpicklingError("a Counter of something else than counts")
    return Counter(counts)


def _rebuild_with_dtype(reader, storage, offset, size, stride, requires_grad, hooks, dtype, metadata=None):
    """PyTorch's form for dtypes without a type of storage of their own."""
    if type(storage) is not UntypedStorage or not isinstance(dtype, DType):
        raise UnpicklingError("a tensor without a storage or a dtype")
    return _rebuild_tensor(reader, typed(storage.elements.view(dtype)), offset, size, stride, requires_grad, None,
                           metadata)


def _complex(reader, real, imag):
    if type(real) is not float or type(imag) is not float:
        raise UnpicklingError("a complex number of other parts than two floats")
    return complex(real, imag)


def _encoded(reader, text, encoding="utf-8"):
    if type(text) is not str or encoding not in ("latin1", "utf-8", "ascii"):
        raise UnpicklingError("bytes that are no text in latin1")
    return text.encode(encoding)


def _bytearray(reader, content=b"", encoding="latin1"):
    return bytearray(_encoded(reader, content, encoding.replace("-", "")) if type(content) is str
                     else reader.expect(content, (bytes,)))


def _items(kind):
    return Function(lambda reader, items=(): reader.collection(kind, items))


_BUILTINS = {"set": _items(set), "frozenset": _items(frozenset), "complex": Function(_complex),
             "bytes": Function(lambda reader: b""), "bytearray": Function(_bytearray)}
NAMES = {
    ("torch._utils", "_rebuild_tensor_v2"): Function(_rebuild_tensor),
    ("torch._utils", "_rebuild_tensor"): Function(_rebuild_tensor),
    ("torch._utils", "_rebuild_meta_tensor_no_storage"): Function(_rebuild_meta),
    ("torch._utils", "_rebuild_parameter"): Function(_rebuild_parameter),
    ("torch._utils", "_rebuild_parameter_with_state"): Function(_rebuild_parameter),
    ("torch._tensor", "_rebuild_from_type_v2"): Function(_rebuild_subclass),
    ("torch._utils", "_rebuild_tensor_v3"): Function(_rebuild_with_dtype),
    **LACKING,
    ("torch", "Tensor"): Tensor,
    ("torch.nn.parameter", "Parameter"): Tensor,
    ("torch.serialization", "_get_layout"): Function(_layout),
    ("torch", "Size"): Function(_size),
    ("torch", "device"): Function(_device),
    ("torch.storage", "UntypedStorage"): StorageType(),
    ("collections", "OrderedDict"): Function(_ordered),
    ("collections", "Counter"): Function(_counter),
    ("_codecs", "encode"): Function(_encoded),
    **{("builtins", name): function for name, function in _BUILTINS.items()},
    **{("__builtin__", name): function for name, function in _BUILTINS.items()},    # as Python 2 named it
    **{("torch", name): dtype for name, dtype in DTYPES.items()},
    **{("torch", f"{kind}Storage"): StorageType(DTYPES[name]) for name, kind in KINDS.items()},
}
