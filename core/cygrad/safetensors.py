"""Dicts of tensors in the safetensors format, through its library: the functions of `safetensors.torch`, for tensors of
this package. Needs ``pip install cygrad[safetensors]``. Such a file holds names, shapes and bytes; it can't run code.
"""
import os

try:
    import safetensors      # optional dependency
except ImportError as error:
    raise ImportError("cygrad.safetensors needs the library of this format: pip install cygrad[safetensors]") from error

from cygrad.devices.transfers import bytes_of, to_host
from cygrad.dtype import all_dtypes
from cygrad.ops.create.filled import empty_
from cygrad.serialization.replacing import replacing
from cygrad.tensor import Tensor

_CODES = {"bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64",
          "uint16": "U16", "uint32": "U32", "uint64": "U64",
          "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2",
          "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64", "complex64": "C64"}
_DTYPES = {_CODES[d.name]: d for d in all_dtypes() if d.name in _CODES}


def save(tensors, metadata=None):
    """The bytes of a safetensors file with these tensors.

    Parameters
    ----------
    tensors : dict of str to Tensor
        Contiguous tensors that don't share memory.
    metadata : dict of str to str, optional

    Raises
    ------
    ValueError
        If something is no tensor, not contiguous, or of a dtype that the format does not have.
    RuntimeError
        If tensors share memory: the file would hold them twice, and they would no longer share it when loaded.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad import safetensors
    >>> safetensors.load(safetensors.save({"w": cygrad.ones(2)}))
    {'w': tensor([1., 1.])}
    """
    host = _checked(tensors)
    return bytes(safetensors.serialize(_described(host), metadata=metadata))


def save_file(tensors, filename, metadata=None):
    """Write what `save` returns to a file, which is replaced when all is written."""
    host = _checked(tensors)
    with replacing(filename) as file:
        file.write(safetensors.serialize(_described(host), metadata=metadata))


def load(data):
    """The tensors in the bytes of a safetensors file, as a dict."""
    return {name: _tensor(entry["dtype"], entry["shape"], entry["data"]) for name, entry in
            safetensors.deserialize(data)}


def load_file(filename, device="cpu"):
    """The tensors of a safetensors file, as a dict, on a device."""
    with open(filename, "rb") as file:
        found = load(file.read())
    return {name: tensor.to(device) for name, tensor in found.items()}


def load_metadata(filename):
    """The metadata of a safetensors file: a dict of str to str, or None."""
    with safetensors.safe_open(os.fspath(filename), framework="np") as file:
        return file.metadata()


def _checked(tensors):
    """The tensors on the host, if they can be saved."""
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, Tensor] but received {type(tensors)}")
    places = {}
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected Tensor but received {type(tensor)}")
        if tensor.numel():
            places.setdefault(id(tensor._storage()), []).append((tensor.storage_offset(), tensor.numel(), name))
    for parts in places.values():
        parts.sort()
        shared = {name for (start, count, first), (after, _, second) in zip(parts, parts[1:])
                  if after < start + count for name in (first, second)}
        if shared:
            raise RuntimeError(f"Some tensors share memory, this will lead to duplicate memory on disk and potential "
                               f"differences when loading them again: {sorted(shared)}")
    return {name: _on_host(name, tensor) for name, tensor in tensors.items()}


def _on_host(name, tensor):
    if tensor.dtype.name not in _CODES:
        raise ValueError(f"the safetensors format has no {tensor.dtype} (`{name}`)")
    if not tensor.is_contiguous():
        raise ValueError(f"You are trying to save a non contiguous tensor: `{name}` which is not allowed; "
                         "call .contiguous() on it before saving")
    return tensor.detach().resolve_conj().resolve_neg() if tensor.device.type == "cpu" else to_host(tensor)


def _described(tensors):
    """What the library wants to know of tensors on the host; it reads their memory, so they have to stay alive."""
    return {name: safetensors.TensorSpec(dtype=tensor.dtype.name, shape=tuple(tensor.shape), data_ptr=tensor.data_ptr(),
                                         data_len=tensor.numel() * tensor.element_size())
            for name, tensor in tensors.items()}


def _tensor(code, shape, data):
    if code not in _DTYPES:
        raise ValueError(f"a tensor of safetensors dtype {code}, which has no equal here")
    out = empty_(tuple(shape), dtype=_DTYPES[code], device="cpu")
    if len(data):
        bytes_of(out)[:] = data
    return out
