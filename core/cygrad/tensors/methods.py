"""Methods of Tensor that are neither ops nor hot, and have no file of their own."""
from cygrad.autograd.backward import tensor_backward
from cygrad.ops.declare.op_forms import op
from cygrad.tensor import Tensor
from cygrad.tensors.elements import tolist
from cygrad.tensors.overriding import overridable

op(tensor_backward, name="backward", only_method=True)
op(tolist, only_method=True)


@op(only_method=True)
def __idiv__(self, other):
    return self.__itruediv__(other)


@op(only_method=True)
def __div__(self, other):
    return self.__truediv__(other)


def set_data(self, value):
    """`self.data = value`: take over another tensor's storage, geometry and dtype."""
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if self.requires_grad and not (value.is_floating_point() or value.is_complex()):
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    if value.dtype is not self.dtype or value.device != self.device:
        self._forget_accumulator()          # which an older graph may keep, and which knows what gradients are like
    self._take(value)
    self._set_inference(value.is_inference())
    self.names = value.names


def contains(self, element):
    """`element in self`: whether any element equals it."""
    from numbers import Number                           # start-up time: nothing else needs it
    if isinstance(element, (Tensor, Number)):            # (NumPy's bool is no number)
        return bool((self == element).any().item())
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


@op(only_method=True)
@overridable
def __reversed__(self):
    """The elements with all axes reversed."""
    return self if self.dim() == 0 else self.flip(0)
