"""Hooks of modules: the handles that take them away, those for all modules, and the methods that register one's own.

A module's dicts of hooks are made when the first is registered, or when somebody looks at one. As long as no such dict
exists in the process, and no hook for all modules, `watched` is empty, and a call of a module need not look for hooks.
What a call with hooks does is in `calling.py`.
"""
import functools
import weakref
from collections import OrderedDict

from cygrad.nn.modules import member_dicts, module as of_all     # not yet whole: it takes its parts from here

watched = {}


class Hooks(OrderedDict):
    """Hooks by the number of their handle, or what is to be known of them."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        watched["some module"] = True

    def __reduce__(self):                   # files and copies have what PyTorch has there
        return OrderedDict, (), None, None, iter(self.items())

    def __repr__(self):
        return repr(OrderedDict(self))


class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook away, also at the end of a `with` block.

    Parameters
    ----------
    hooks_dict : OrderedDict
        Where the hook is going to be, under the handle's `id`.
    extra_dict : OrderedDict or list of them, optional
        Where more may be said of it.
    """

    id: int
    next_id = 0

    def __init__(self, hooks_dict, *, extra_dict=None):
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        extra = [extra_dict] if isinstance(extra_dict, dict) else extra_dict or ()
        self.extra_dict_ref = tuple(map(weakref.ref, extra))

    def remove(self):
        """Remove the hook; calling it again does nothing."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = reference()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self):
        return self.hooks_dict_ref(), self.id, tuple(reference() for reference in self.extra_dict_ref)

    def __setstate__(self, state):
        hooks, self.id, extra = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        self.extra_dict_ref = tuple(weakref.ref(each) for each in extra if each is not None)
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


def added(hook, hooks, prepend=False, **marks):
    """Add a hook and return its handle; `marks` are pairs of a flag and the dict that has the hooks with that flag."""
    handle = RemovableHandle(hooks, extra_dict=[known for _, known in marks.values()])
    hooks[handle.id] = hook
    for flag, known in marks.values():
        if flag:
            known[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


class BoundHook:
    """A hook that is called with its module first; the module is not kept alive by it."""

    def __init__(self, hook, module=None):
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        if self.with_module:
            self.module = weakref.ref(module)

    def __call__(self, *args, **kwargs):
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self):
        state = {"hook": self.hook, "with_module": self.with_module}
        if self.with_module:
            state["module"] = self.module()
        return state

    def __setstate__(self, state):
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


# ------------------------------------------------------------- for all modules

on_buffer, on_module, on_parameter = OrderedDict(), OrderedDict(), OrderedDict()


def _watching(handle):
    watched["all modules"] = True
    return handle


def register_module_buffer_registration_hook(hook):
    """Call ``hook(module, name, buffer)`` before any module registers a buffer; what it returns takes its place."""
    return added(hook, on_buffer)


def register_module_module_registration_hook(hook):
    """Call ``hook(module, name, submodule)`` before any module registers a submodule, as for buffers."""
    return added(hook, on_module)


def register_module_parameter_registration_hook(hook):
    """Call ``hook(module, name, param)`` before any module registers a parameter, as for buffers."""
    return added(hook, on_parameter)


def register_module_forward_pre_hook(hook):
    """Call ``hook(module, args)`` before the `forward` of any module; what it returns are the arguments instead."""
    return _watching(added(hook, of_all._global_forward_pre_hooks))


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Call ``hook(module, args, output)`` after the `forward` of any module; what it returns is the output instead.

    Parameters
    ----------
    hook : callable
    with_kwargs : bool
        Call ``hook(module, args, kwargs, output)``.
    always_call : bool
        Call it also where an exception was raised.
    """
    return _watching(added(hook, of_all._global_forward_hooks,
                           always=(always_call, of_all._global_forward_hooks_always_called),
                           kwargs=(with_kwargs, of_all._global_forward_hooks_with_kwargs)))


def _one_kind_of_global_hook(full):
    if of_all._global_is_full_backward_hook is (not full):
        raise RuntimeError("Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
                           "Please use only one of them.")
    of_all._global_is_full_backward_hook = full


def register_module_backward_hook(hook):
    """Deprecated: use `register_module_full_backward_hook`."""
    _one_kind_of_global_hook(False)
    return _watching(added(hook, of_all._global_backward_hooks))


def register_module_full_backward_pre_hook(hook):
    """Call ``hook(module, grad_output)`` before the backward of any module; what it returns replaces the gradients."""
    return _watching(added(hook, of_all._global_backward_pre_hooks))


def register_module_full_backward_hook(hook):
    """Call ``hook(module, grad_input, grad_output)`` after the backward of any module.

    A tuple that it returns replaces the gradients of the module's inputs.
    """
    _one_kind_of_global_hook(True)
    return _watching(added(hook, of_all._global_backward_hooks))


# -------------------------------------------------------------- for one module

for _name in ("_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs",
              "_forward_hooks_always_called", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs"):
    member_dicts.lazily_made[_name] = Hooks
for _name in ("_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
              "_load_state_dict_post_hooks"):
    member_dicts.lazily_made[_name] = OrderedDict


class Hooking:
    """The part of Module that registers hooks on calls and on the backward pass."""

    _is_full_backward_hook = None

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call ``hook(module, args)`` before `forward`.

        Parameters
        ----------
        hook : callable
            What it returns, if not None, are the arguments instead; a single value that is no tuple is the only one.
        prepend : bool
            Call it before the module's other hooks of the kind.
        with_kwargs : bool
            Call ``hook(module, args, kwargs)``, which returns None or a tuple of both.

        Returns
        -------
        RemovableHandle
        """
        return added(hook, self._forward_pre_hooks, prepend,
                     kwargs=(with_kwargs, self._forward_pre_hooks_with_kwargs))

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call ``hook(module, args, output)`` after `forward`.

        Parameters
        ----------
        hook : callable
            What it returns, if not None, is the output instead.
        prepend : bool
            Call it before the module's other hooks of the kind.
        with_kwargs : bool
            Call ``hook(module, args, kwargs, output)``.
        always_call : bool
            Call it also where an exception was raised.

        Returns
        -------
        RemovableHandle
        """
        return added(hook, self._forward_hooks, prepend, kwargs=(with_kwargs, self._forward_hooks_with_kwargs),
                     always=(always_call, self._forward_hooks_always_called))

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call ``hook(module, grad_output)`` before the gradients of the module's inputs are computed.

        Parameters
        ----------
        hook : callable
            A tuple that it returns replaces the gradients of the outputs.
        prepend : bool
            Call it before the module's other hooks of the kind.

        Returns
        -------
        RemovableHandle
        """
        return added(hook, self._backward_pre_hooks, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call ``hook(module, grad_input, grad_output)`` when the gradients of the module's inputs are computed.

        Parameters
        ----------
        hook : callable
            A tuple that it returns replaces the gradients of the inputs. What is no tensor has None as its gradient.
        prepend : bool
            Call it before the module's other hooks of the kind.

        Returns
        -------
        RemovableHandle
        """
        self._one_kind_of_hook(True)
        return added(hook, self._backward_hooks, prepend)

    def register_backward_hook(self, hook):
        """Deprecated: use `register_full_backward_hook`."""
        self._one_kind_of_hook(False)
        return added(hook, self._backward_hooks)

    def _one_kind_of_hook(self, full):
        if self._is_full_backward_hook is (not full):
            raise RuntimeError("Cannot use both regular backward hooks and full backward hooks on a single Module. "
                               "Please use only one of them.")
        self._is_full_backward_hook = full
