"""Methods of Tensor that are neither ops nor hot: autograd calls, hooks, conversion to Python and NumPy, storages."""
import copy
import copyreg
import functools
import io
from collections import OrderedDict

from cygrad.autograd.backward import tensor_backward
from cygrad.autograd.hooks import RemovableHandle
from cygrad.autograd.pass_hooks import retain_grad_of, tensor_hooks_of
from cygrad.ops.declare.registry import functions, methods, op
from cygrad.ops.shape.geometry import window
from cygrad.tensor import Tensor
from cygrad.tensors.elements import tolist
from cygrad.tensors.overriding import DisableTorchFunctionSubclass, overridable
from cygrad.tensors.typed_storage import untyped

op(tensor_backward, name="backward", only_method=True)


@op(only_method=True)
def retain_grad(self):
    """Make backward store the gradient of this non-leaf in `.grad`.

    Raises
    ------
    RuntimeError
        If the tensor requires no gradient.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.ones(1, requires_grad=True)
    >>> y = x * 2
    >>> y.retain_grad()
    >>> (y * 3).backward()
    >>> y.grad
    tensor([3.])
    """
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    retain_grad_of(self)


@op(only_method=True)
def register_hook(self, hook):
    """Call ``hook(grad)`` whenever the gradient of this tensor is computed; a tensor it returns replaces the gradient.

    Parameters
    ----------
    hook : callable
        Takes the gradient; gives None, or the tensor to go on with.

    Returns
    -------
    RemovableHandle
        Its `remove()` takes the hook away.

    Raises
    ------
    RuntimeError
        If the tensor requires no gradient.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.ones(1, requires_grad=True)
    >>> handle = x.register_hook(lambda grad: grad * 10)
    >>> (x * 2).backward()
    >>> x.grad
    tensor([20.])
    """
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    return RemovableHandle(tensor_hooks_of(self), _on_named(self.names, hook) if self.has_names() else hook)


def _on_named(names, hook):
    """A hook of a tensor with names: it sees the gradient with the same."""
    @functools.wraps(hook)
    def named_hook(grad):
        found = hook(grad.rename(*names))
        return found.rename(None) if isinstance(found, Tensor) else found
    return named_hook


@property
def _backward_hooks(self):
    """The tensor's hooks by number; None if it has none."""
    hooks = tensor_hooks_of(self) if self.requires_grad else None
    return OrderedDict(hooks) if hooks else None


methods["_backward_hooks"] = _backward_hooks


@op(only_method=True)
def register_post_accumulate_grad_hook(self, hook):
    """Call ``hook(tensor)`` after a gradient was added to this leaf's `.grad`.

    Parameters
    ----------
    hook : callable
        Takes the tensor; what it gives is not used.

    Returns
    -------
    RemovableHandle
        Its `remove()` takes the hook away.

    Raises
    ------
    RuntimeError
        If the tensor is no leaf, or requires no gradient.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.ones(1, requires_grad=True)
    >>> handle = x.register_post_accumulate_grad_hook(lambda x: print(x.grad))
    >>> (x * 2).backward()
    tensor([2.])
    """
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    if self._get_post_hooks() is None:
        self._set_post_hooks({})
    return RemovableHandle(self._get_post_hooks(), hook)


@op(only_method=True)
def detach_(self):
    """Cut the tensor off from its history, in place.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    RuntimeError
        For a view.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.ones(1, requires_grad=True) * 2
    >>> x.detach_().requires_grad
    False
    """
    if self._is_view():
        raise RuntimeError("Can't detach views in-place. Use detach() instead. If you are using "
                           "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, "
                           "gradients are views of DDP buckets, and hence detach_() cannot be called on these "
                           "gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
                           "torch/optim/optimizer.py as the solution.")
    self._drop_history()
    return self


op(tolist, only_method=True)


@op(only_method=True)
@overridable
def __array__(self, dtype=None, copy=None):
    found = self.numpy()
    cast = found if dtype is None else found.astype(dtype, copy=False)
    if copy is False and cast is not found:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return cast.copy() if copy and cast is found else cast


@op(only_method=True)
def __array_wrap__(self, array, context=None, return_scalar=False):
    """What NumPy's functions make of their result, if they were given a tensor; of bools a tensor of uint8."""
    return functions["from_numpy"](array.astype("uint8") if array.dtype == bool else array).to(self.device)


@op(only_method=True)
def __array_namespace__(self, /, *, api_version=None):
    """The namespace of the array API standard for tensors, `cygrad.array_api`.

    Parameters
    ----------
    api_version : str, optional
        The year and month of the version that is asked for, as in "2024.12"; the latest by default.

    Returns
    -------
    module

    Raises
    ------
    ValueError
        For a version that there is not.
    """
    from cygrad import array_api                        # start-up time
    if api_version is not None and api_version not in array_api.VERSIONS:
        raise ValueError(f"__array_namespace__: version {api_version!r} of the array API is not among "
                         f"{', '.join(array_api.VERSIONS)}")
    return array_api


@op(only_method=True)
def to_device(self, device, /, *, stream=None):
    """The tensor on a device; what `to(device)` is in the array API standard.

    Parameters
    ----------
    device : device or str
        Where to.
    stream : int or object, optional
        Has no meaning here: only None is taken.

    Returns
    -------
    Tensor
        The tensor itself, if it is there.

    Raises
    ------
    ValueError
        For a stream.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.ones(2).to_device("cpu").device
    device(type='cpu')
    """
    if stream is not None:
        raise ValueError("to_device: no stream can be given")
    return self.to(device)


_dlpack = None


def _exchange():
    """The module of DLPack, kept: to import it in each call took a third of an exchange."""
    global _dlpack
    from cygrad.tensors import dlpack                   # start-up time
    _dlpack = dlpack
    return dlpack


@op(only_method=True)
def __dlpack_device__(self):
    """The kind and the number of the device, as DLPack counts them: (1, 0) is the host, (2, i) the i-th CUDA device.

    Returns
    -------
    tuple of int
    """
    return (_dlpack or _exchange()).device_of(self)


@op(only_method=True)
def __dlpack__(self, *, stream=-1, max_version=None, dl_device=None, copy=None):
    """A capsule with which another library can use the tensor's memory; its `from_dlpack` asks for it.

    Parameters
    ----------
    stream : int, optional
        A CUDA stream in which the taker will use the memory; on the CPU None or -1.
    max_version : tuple of int, optional
        The latest version of DLPack that the taker knows; version 0 by default.
    dl_device : tuple of int, optional
        Where the memory has to be, as `__dlpack_device__` says it.
    copy : bool, optional
        True: always copy; False: raise where a copy would be needed.

    Raises
    ------
    BufferError
        For a tensor that requires grad, a device that DLPack has no number for, and where no copy is allowed.
    """
    return (_dlpack or _exchange()).give(self, stream, max_version, dl_device, copy)


@op(method=False)
def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor over the memory of another library's array, without a copy.

    Parameters
    ----------
    ext_tensor : object with ``__dlpack__``, or a capsule that such a method made
        An array of NumPy, PyTorch, JAX, CuPy, ... A capsule can be taken once.
    device : device or str, optional
        Where the tensor has to be; where the array is, by default.
    copy : bool, optional
        True: always copy; False: raise where a copy would be needed.

    Returns
    -------
    Tensor
        Of the array's shape, strides and dtype. It shares the memory unless it had to be copied.

    Raises
    ------
    RuntimeError
        If it has no ``__dlpack__`` and is no capsule, or the capsule was taken before.
    BufferError
        If no dtype here is the array's, or its strides are negative.
    ValueError
        If the array is on another device than `device` and `copy` is False.

    Examples
    --------
    >>> import numpy
    >>> a = numpy.arange(3)
    >>> t = cygrad.from_dlpack(a)
    >>> t += 1
    >>> a
    array([1, 2, 3])
    """
    return (_dlpack or _exchange()).take(ext_tensor, device, copy)



@op(only_method=True)
def __idiv__(self, other):
    return self.__itruediv__(other)


methods["__array_priority__"] = 1000       # a NumPy scalar beside a tensor leaves the operator to it


def set_data(self, value):
    """`self.data = value`: take over another tensor's storage, geometry and dtype."""
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if self.requires_grad and not (value.is_floating_point() or value.is_complex()):
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    self._take(value)
    self._set_inference(value.is_inference())
    self.names = value.names


def contains(self, element):
    """`element in self`: whether any element equals it."""
    if isinstance(element, (Tensor, int, float, complex, bool)):
        return bool((self == element).any().item())
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


@op(only_method=True)
@overridable
def __reduce_ex__(self, protocol):
    from cygrad.serialization.archive import rebuild_instance, rebuild_tensor, save      # knot: it needs this module
    file = io.BytesIO()
    save(self, file)
    if type(self) is Tensor:
        return rebuild_tensor, (file.getvalue(), self.__dict__)
    return rebuild_instance, (type(self), file.getvalue(), self.__dict__, _slots_of(self))


def _slots_of(self):
    """What is in the `__slots__` of a subclass."""
    return {name: getattr(self, name) for name in copyreg._slotnames(type(self)) if hasattr(self, name)}


@op(only_method=True)
@overridable
def __reversed__(self):
    """The elements with all axes reversed."""
    return self if self.dim() == 0 else self.flip(0)


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
    out = memo[id(self)] = _at_the_same_place(self, memo[key], copy.deepcopy(self.__dict__, memo))
    out.grad = copy.deepcopy(self.grad, memo)
    return out


def _at_the_same_place(self, storage, attributes):
    """A leaf of self's type, dtype and geometry in another storage of that size."""
    out = window(storage.elements, self.dtype, self.storage_offset(), self.shape, self.stride())
    if type(self) is not Tensor:
        out = Tensor._make_subclass(type(self), out)
        for name, value in _slots_of(self).items():
            setattr(out, name, value)
    out.names = self.names
    out.requires_grad = self.requires_grad
    if attributes:
        out.__dict__.update(attributes)
    return out
