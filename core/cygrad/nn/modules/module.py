"""`Module`: what layers and models derive from.

The class is put together from parts, each in a file: `registration` (what is set on a module is registered),
`traversal` (iteration, and members by path), `state` (`state_dict`), `conversion` (dtypes and devices) and `hooks`.
Here are its beginning, the call, training mode, `apply`, its parameters' gradients, and its text.
"""
import warnings
from collections import OrderedDict
from types import FunctionType

import cygrad
from cygrad.nn.modules import member_dicts
from cygrad.nn.modules.registration import Attributes
from cygrad.nn.modules.called import Called, settle
from cygrad.nn.modules.calling import call_with_hooks
from cygrad.nn.modules.conversion import Conversion
from cygrad.nn.modules.failures import ERRORS, explain
from cygrad.nn.modules.hooks import (Hooking, register_module_backward_hook,
                                     register_module_buffer_registration_hook, register_module_forward_hook,
                                     register_module_forward_pre_hook, register_module_full_backward_hook,
                                     register_module_full_backward_pre_hook, register_module_module_registration_hook,
                                     register_module_parameter_registration_hook, watched)
from cygrad.nn.modules.traversal import Paths
from cygrad.nn.modules.state import State, _EXTRA as _EXTRA_STATE_KEY_SUFFIX, _IncompatibleKeys  # noqa: F401
from cygrad.utils.whole_class import made_of_parts

__all__ = ["register_module_forward_pre_hook", "register_module_forward_hook", "register_module_full_backward_pre_hook",
           "register_module_backward_hook", "register_module_full_backward_hook",
           "register_module_buffer_registration_hook", "register_module_module_registration_hook",
           "register_module_parameter_registration_hook", "Module"]


# Hooks for all modules, by PyTorch's names: programs set them to empty dicts to be rid of all hooks.
_global_backward_pre_hooks, _global_backward_hooks = OrderedDict(), OrderedDict()
_global_forward_pre_hooks, _global_forward_hooks = OrderedDict(), OrderedDict()
_global_forward_hooks_always_called, _global_forward_hooks_with_kwargs = OrderedDict(), OrderedDict()
_global_is_full_backward_hook = None        # whether those after the backward pass are full; None before the first


def _forward_unimplemented(self, *input):
    """What the module computes; to be overridden."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class _SignatureOfCalls:
    """What `inspect.signature` says of an instance: a call that is written in C has no signature for it."""

    def __get__(self, module, kind):
        if module is None:
            raise AttributeError("__signature__")
        import inspect      # start-up time
        return inspect.signature(module._call_impl)


@made_of_parts
class Module(Attributes, Paths, State, Conversion, Hooking, Called):
    """Base class of all layers and models.

    A subclass makes its parameters and submodules in `__init__`, after ``super().__init__()``, by setting them as
    attributes, and computes in `forward`. Calling the module calls `forward`, with the hooks around it.

    Attributes
    ----------
    training : bool
        Whether the module is in training mode; see `train` and `eval`.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad import nn
    >>> class Scale(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = nn.Parameter(cygrad.tensor(2.0))
    ...
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> Scale()(cygrad.ones(2))
    tensor([2., 2.], grad_fn=<MulBackward0>)
    """

    dump_patches = False
    call_super_init = False
    _compiled_call_impl = None
    training: bool

    def __init_subclass__(cls, **kwargs):
        """A layer's `__init__` has its name in errors, not that of a class of the inside that it comes from."""
        super().__init_subclass__(**kwargs)
        begin = cls.__init__
        if cls.__module__.startswith("cygrad.nn.modules.") and begin.__qualname__.startswith("_"):
            cls.__init__ = own = FunctionType(begin.__code__, begin.__globals__, "__init__", begin.__defaults__,
                                              begin.__closure__)
            own.__kwdefaults__, own.__qualname__ = begin.__kwdefaults__, f"{cls.__qualname__}.__init__"

    def __init__(self, *args, **kwargs):
        if not self.call_super_init:
            if kwargs:
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                                f"'{next(iter(kwargs))}'")
            if args:
                raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} "
                                "were given")
        own = self.__dict__
        own["training"] = True
        for kind in member_dicts.KINDS:
            member_dicts.adopt(self, kind, {})
        own["_non_persistent_buffers_set"] = set()
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward = _forward_unimplemented

    __signature__ = _SignatureOfCalls()

    def _call_impl(self, *args, **kwargs):
        """What a call runs when there are hooks, or a class has overridden this; see `called.pyx`."""
        return call_with_hooks(self, args, kwargs)

    def _wants(self):
        """The shapes that `forward` takes, for errors; "" where the module does not say."""
        return ""

    def compile(self, *args, **kwargs):
        """Nothing, with the warning of `cygrad.compile`: the module runs as it is written."""
        cygrad.compile(self, *args, **kwargs)

    def train(self, mode=True):
        """Set training mode of the module and those below it, as dropout and batch norm want to know.

        Parameters
        ----------
        mode : bool

        Returns
        -------
        Module
            Itself.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Leave training mode: ``train(False)``."""
        return self.train(False)

    def apply(self, fn):
        """Call ``fn(module)`` with every submodule and then the module itself, as to initialise parameters.

        Parameters
        ----------
        fn : callable

        Returns
        -------
        Module
            Itself.
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # --------------------------------------------------------------- gradients

    def requires_grad_(self, requires_grad=True):
        """Set `requires_grad` of all parameters; returns the module."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Drop the gradients of all parameters, or fill them with 0.

        Parameters
        ----------
        set_to_none : bool
        """
        if getattr(self, "_is_replica", False):
            warnings.warn("Calling .zero_grad() from a module created with nn.DataParallel() has no effect. The "
                          "parameters are copied (in a differentiable manner) from the original module. This means "
                          "they are not leaf nodes in autograd and so don't accumulate gradients. If you need "
                          "gradients in your forward method, consider using autograd.grad instead.", stacklevel=2)
        for param in self.parameters():
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
                continue
            if param.grad.grad_fn is not None:
                param.grad.detach_()
            else:
                param.grad.requires_grad_(False)
            param.grad.zero_()

    # --------------------------------------------------------- copies and files

    def __getstate__(self):
        return member_dicts.without_copies(self)

    def __setstate__(self, state):
        own = self.__dict__
        own.update(state)
        own.setdefault("_non_persistent_buffers_set", set())
        if any(value and name.endswith("_hooks") for name, value in own.items()):
            watched["some module"] = True
        for kind in member_dicts.KINDS:
            if kind in own:
                member_dicts.adopt(self, kind, own.pop(kind))

    def _replicate_for_data_parallel(self):
        """A copy without parameters, whose submodules are to be replaced."""
        replica = self.__new__(type(self))
        replica.__setstate__(self.__getstate__())
        replica._parameters = {}
        replica._buffers = self._buffers.copy()
        replica._modules = self._modules.copy()
        replica._is_replica = True
        return replica

    # -------------------------------------------------------------------- text

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """What stands in the brackets of the module's text; to be overridden.

        Returns
        -------
        str
        """
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        own = extra.split("\n") if extra else []
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if not own and not children:
            return f"{self._get_name()}()"
        if len(own) == 1 and not children:
            return f"{self._get_name()}({own[0]})"
        lines = "\n  ".join(own + children)
        return f"{self._get_name()}(\n  {lines}\n)"


settle(Module._call_impl, watched, ERRORS, explain)


def indented(text, spaces=2):
    """A module's text inside another's: all lines but the first further right."""
    first, *rest = text.split("\n")
    return "\n".join([first] + [" " * spaces + line if line.strip() else "" for line in rest])


_addindent = indented       # models of other people import it by this name
