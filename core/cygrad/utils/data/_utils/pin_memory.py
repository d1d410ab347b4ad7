"""Batches in page-locked memory, from which devices copy without waiting."""
import cygrad
from cygrad.utils.data._utils.containers import Mapping, Sequence, is_namedtuple, mapping_like, sequence_like


def can_pin():
    """Whether there is a device that needs and has page-locked memory."""
    try:
        cygrad.empty(1, device="cpu").pin_memory()
    except RuntimeError:
        return False
    return True


def pin_memory(data, device=None):
    """A batch whose tensors, also those in containers, are in page-locked memory, as are objects that know how."""
    if isinstance(data, cygrad.Tensor) or hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, Mapping):
        return mapping_like(data, {key: pin_memory(value, device) for key, value in data.items()})
    if is_namedtuple(data):
        return type(data)(*[pin_memory(item, device) for item in data])
    if isinstance(data, tuple):
        return type(data)([pin_memory(item, device) for item in data])
    if isinstance(data, Sequence):
        return sequence_like(data, [pin_memory(item, device) for item in data])
    return data
