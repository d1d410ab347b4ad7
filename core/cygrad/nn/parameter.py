"""`Parameter` and `Buffer`: tensors that a module knows as its own when they are set on it as attributes.

A Parameter is a Tensor of a subclass, on the memory of the tensor it is made from; what ops make of it is a Tensor. The
uninitialized kinds are for lazy modules: they have a dtype and a device but no shape until `materialize`, and refuse
whatever would need one.
"""
from collections import OrderedDict

import cygrad
from cygrad import Tensor
from cygrad._C import _disabled_torch_function_impl

__all__ = ["Parameter", "UninitializedParameter", "is_lazy", "Buffer", "UninitializedBuffer",
           "UninitializedTensorMixin"]


class _ParameterMeta(type(Tensor)):
    """Lets a tensor of another subclass be a Parameter, too: one that `Parameter` marked."""

    def __instancecheck__(cls, instance):
        return (type.__instancecheck__(cls, instance)
                or cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False))


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that is a parameter of the module it is set on.

    Parameters
    ----------
    data : Tensor, optional
        Its memory is shared, its history is not. By default a tensor of shape (0,).
    requires_grad : bool
        Whether backward computes a gradient for it.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.Parameter(cygrad.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = cygrad.empty(0)
        if type(data) is Tensor or type(data) is Parameter:
            return Tensor._make_subclass(cls, data, requires_grad)
        made = data.detach()
        made.requires_grad = requires_grad
        if type(made) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns "
                f"an instance of the same type, but return type {type(made).__name__} was found instead. To use the "
                "type as a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() "
                "implementation.")
        made._is_param = True
        return made

    def __init__(self, *args, **kwargs):
        """Nothing is left to do after `__new__`: a tensor's own constructor would take the arguments for sizes."""

    def __copy__(self):
        made = type(self)(self.data, self.requires_grad)
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __reduce_ex__(self, protocol):
        parts = self.data, self.requires_grad, OrderedDict()
        state = self.__dict__
        return (_rebuild_parameter_with_state, (*parts, state)) if state else (_rebuild_parameter, parts)

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    __str__ = __repr__

    __torch_function__ = _disabled_torch_function_impl


def _rebuild_parameter(data, requires_grad, backward_hooks):
    """A Parameter from a pickle."""
    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    """A Parameter from a pickle, with what was set on it by name."""
    made = Parameter(data, requires_grad)
    made.__dict__.update(state)
    return made


_ALLOWED = {"size", "copy_", "is_complex", "is_floating_point", "half", "float", "double", "char", "short", "int",
            "long", "cuda", "cpu", "to", "get_device", "materialize", "share_memory_", "cls_to_become"}


def _refused(cls, func):
    """The error about an op on a tensor that has no shape yet."""
    return ValueError(
        f"Attempted to use an uninitialized parameter in {func}. This error happens "
        f"when you are using a `LazyModule` or explicitly manipulating `torch.nn.parameter.{cls.__name__}` objects. "
        "When using LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch "
        "functions")


class UninitializedTensorMixin:
    """A tensor that has a dtype and a device, and gets its shape by `materialize`."""

    def materialize(self, shape, device=None, dtype=None):
        """Become a Parameter or Tensor of this shape, with uninitialised elements.

        Parameters
        ----------
        shape : sequence of int
        device : device, optional
        dtype : dtype, optional
            By default its own, as the device.
        """
        device = self.data.device if device is None else device
        dtype = self.data.dtype if dtype is None else dtype
        data = cygrad.empty(shape, device=device, dtype=dtype)
        if self.cls_to_become is Tensor:
            self._make_plain()
        else:
            self.__class__ = self.cls_to_become
        self.data = data

    @property
    def data(self):
        """A plain tensor of the dtype and device."""
        return Tensor.data.__get__(self)

    @data.setter
    def data(self, value):
        self._take(value)

    @property
    def shape(self):
        """Refused: there is no shape yet."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes.")

    def share_memory_(self):
        """There is no memory to share yet."""
        raise RuntimeError("Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize "
                           "the parameters before calling `module.share_memory()`.")

    def __repr__(self):
        return f"<{type(self).__name__}>"

    __str__ = __repr__

    def __reduce_ex__(self, protocol):
        return type(self), (self.requires_grad,)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """Ops that need no shape, and properties."""
        if type(func).__name__ == "method-wrapper" or func.__name__ in _ALLOWED:
            return _disabled_torch_function_impl(func, types, args, kwargs)
        raise _refused(cls, func)


def is_lazy(param):
    """Whether a parameter or buffer has no shape yet."""
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape is not known yet, of a lazy module.

    Parameters
    ----------
    requires_grad : bool
    device : device, optional
    dtype : dtype, optional

    Examples
    --------
    >>> import cygrad
    >>> p = cygrad.nn.UninitializedParameter()
    >>> p
    <UninitializedParameter>
    >>> p.materialize((2, 3))
    >>> p.shape
    cygrad.Size([2, 3])
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return Tensor._make_subclass(cls, cygrad.empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[id(self)]


class _BufferMeta(type(Tensor)):
    """Lets plain tensors be Buffers: those that `Buffer` marked."""

    def __instancecheck__(cls, instance):
        return (type.__instancecheck__(cls, instance)
                or cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False))


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that is a buffer of the module it is set on: part of its state, but no parameter.

    What is made is a plain Tensor on the same memory, marked as a buffer.

    Parameters
    ----------
    data : Tensor, optional
        By default a tensor of shape (0,).
    persistent : bool
        Whether it is part of the module's `state_dict`.

    Examples
    --------
    >>> import cygrad
    >>> m = cygrad.nn.Module()
    >>> m.count = cygrad.nn.Buffer(cygrad.zeros(1))
    >>> list(m.state_dict())
    ['count']
    """

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = cygrad.empty(0)
        made = data.detach()
        made.requires_grad = data.requires_grad
        made.persistent = persistent
        made._is_buffer = True
        return made


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose shape is not known yet, of a lazy module.

    Parameters
    ----------
    requires_grad : bool
    device : device, optional
    dtype : dtype, optional
    persistent : bool
        Whether it is part of the module's `state_dict`.
    """

    cls_to_become = Tensor

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        made = Tensor._make_subclass(cls, cygrad.empty(0, device=device, dtype=dtype), requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made

    def __init__(self, *args, **kwargs):
        """Nothing is left to do after `__new__`."""
