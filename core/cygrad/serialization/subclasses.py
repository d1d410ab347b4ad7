"""Instances of subclasses of Tensor in files: their class by name, the tensor, and what they have beside it."""
import copyreg

from cygrad.serialization.unpickling import UnpicklingError
from cygrad.tensor import Tensor
from cygrad.tensors.overriding import DisableTorchFunctionSubclass

_OBJECTS_OWN = getattr(object, "__getstate__", None)        # since Python 3.11


def state_of(obj):
    """What an instance has beside its tensor: as its class says, else its attributes, with slots as a pair."""
    own = getattr(type(obj), "__getstate__", _OBJECTS_OWN)
    if own is not _OBJECTS_OWN:
        return obj.__getstate__()
    slots = {name: getattr(obj, name) for name in copyreg._slotnames(type(obj)) if hasattr(obj, name)}
    return (dict(obj.__dict__), slots) if slots else dict(obj.__dict__)


def is_left_to_tensor(kind):
    """Whether nothing of a class's own runs when a tensor becomes an instance of it and is given attributes."""
    if not issubclass(kind, Tensor):
        return False
    own = {name for each in kind.__mro__[:kind.__mro__.index(Tensor)] for name in vars(each)}
    return not own & {"__del__", "__setstate__", "__setattr__", "__getattribute__"}


def as_instance(tensor, kind, state):
    """The tensor as an instance of a class that the caller, or the table of names, allows; with its state."""
    if not isinstance(kind, type) or not issubclass(kind, Tensor) or not isinstance(tensor, Tensor):
        raise UnpicklingError(f"a tensor of the type {kind!r:.80}")
    with DisableTorchFunctionSubclass():
        out = Tensor._make_subclass(kind, tensor.detach(), tensor.requires_grad)
    if hasattr(kind, "__setstate__"):
        out.__setstate__(state)
        return out
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, {})
    if not isinstance(attributes, dict) or not isinstance(slots, dict) or not all(
            type(name) is str for name in (*attributes, *slots)):
        raise UnpicklingError("attributes of a tensor that are no dict of them")
    out.__dict__.update(attributes)
    for name, value in slots.items():
        setattr(out, name, value)
    return out
