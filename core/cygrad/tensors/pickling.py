"""Pickles and copies of tensors: `__reduce_ex__`, `copy.copy`, `copy.deepcopy`."""
import copyreg

from cygrad.dispatch.lazy_views import laziness, made_lazy
from cygrad.dispatch.raw import cast_to
from cygrad.ops.declare.op_forms import op
from cygrad.ops.shape.geometry import window
from cygrad.tensor import Tensor
from cygrad.tensors.overriding import DisableTorchFunctionSubclass, overridable
from cygrad.tensors.typed_storage import untyped


@op(only_method=True)
@overridable
def __reduce_ex__(self, protocol):
    from cygrad.serialization.archive import content_of, rebuild_instance, rebuild_tensor      # start-up time
    if type(self) is Tensor:
        return rebuild_tensor, (content_of(self), self.__dict__)
    return rebuild_instance, (type(self), content_of(self), self.__dict__, _slots_of(self))


def _slots_of(self):
    """What is in the `__slots__` of a subclass."""
    return {name: getattr(self, name) for name in copyreg._slotnames(type(self)) if hasattr(self, name)}


@op(only_method=True)
def __copy__(self):
    """A leaf on the same memory: a copy of the object, not of the numbers."""
    with DisableTorchFunctionSubclass():
        return _at_the_same_place(self, untyped(self), self.__dict__)


NOT_COPIED = ("The default implementation of __deepcopy__() for non-wrapper subclasses only works for subclass types "
              "that implement new_empty() and for which that function returns another instance of the same subclass. "
              "You should either properly implement new_empty() for your subclass or override __deepcopy__() if it is "
              "intended behavior for new_empty() to return an instance of a different type.")


@op(only_method=True)
@overridable
def __deepcopy__(self, memo):
    """A leaf in a copy of the storage; tensors that share memory share that of their copies, if they have one memo."""
    if self.grad_fn is not None:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
                           "at the moment.  If you were attempting to deepcopy a module, this may be because of a "
                           "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001")
    if id(self) in memo:
        return memo[id(self)]
    if type(self) is not Tensor and type(self.new_empty([])) is not type(self):
        raise RuntimeError(NOT_COPIED)
    key = id(self._storage())
    if key not in memo:
        memo[key] = untyped(self).clone()
    from copy import deepcopy       # start-up time
    out = memo[id(self)] = _at_the_same_place(self, memo[key], deepcopy(self.__dict__, memo), True)
    out.grad = deepcopy(self.grad, memo)
    return out


def _at_the_same_place(self, storage, attributes, resolved=False):
    """A leaf of self's type, dtype and geometry in another storage of that size; `resolved`: a lazy one copied."""
    out = made_lazy(window(storage.elements, self.dtype, self.storage_offset(), self.shape, self.stride()),
                    laziness(self))
    if resolved and laziness(self):
        out = cast_to(out, out.dtype)
    # PyTorch sets the memory of a plain tensor after it made it.
    out._count_from(type(self) is Tensor and not (resolved and laziness(self)))
    if type(self) is not Tensor:
        out = Tensor._make_subclass(type(self), out)
        for name, value in _slots_of(self).items():
            setattr(out, name, value)
    out.names = self.names
    out.requires_grad = self.requires_grad
    if attributes:
        out.__dict__.update(attributes)
    return out
