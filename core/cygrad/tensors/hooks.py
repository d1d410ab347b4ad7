"""Hooks of tensors: `register_hook`, `retain_grad` and what runs after a gradient is accumulated."""
import functools
from collections import OrderedDict

from cygrad.autograd.removable_handle import RemovableHandle
from cygrad.autograd.pass_hooks import retain_grad_of, tensor_hooks_of
from cygrad.ops.declare.op_forms import methods, op
from cygrad.tensor import Tensor


@op(only_method=True)
def retain_grad(self):
    """Make backward store the gradient of this non-leaf in `.grad`.

    Raises
    ------
    RuntimeError
        If the tensor requires no gradient; inside of a transform of `cygrad.func`.

    Examples
    --------
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
    if hooks:
        return OrderedDict(hooks)
    return self.__dict__.get("_backward_hooks")


@_backward_hooks.deleter
def _backward_hooks(self):
    raise RuntimeError("Deletion of _backwards_hooks not allowed!")


@_backward_hooks.setter
def _backward_hooks(self, value):
    self.__dict__["_backward_hooks"] = value       # old code that copies tensors sets it


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
