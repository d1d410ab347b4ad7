"""What users hang on optimizers: functions called before and after a step, `state_dict` and `load_state_dict`.

Each kind of hook has a registry of its own in the optimizer, by the handle's number; two more registries are of all
optimizers together. `Hooked` is the base class that has the registries and the methods which fill them.
"""
from collections import OrderedDict

from cygrad.utils.hooks import RemovableHandle

REGISTRIES = ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks", "_optimizer_state_dict_pre_hooks",
              "_optimizer_state_dict_post_hooks", "_optimizer_load_state_dict_pre_hooks",
              "_optimizer_load_state_dict_post_hooks")
_global_optimizer_pre_hooks = OrderedDict()
_global_optimizer_post_hooks = OrderedDict()


def _registered(registry, hook, prepend=False):
    handle = RemovableHandle(registry, hook)
    if prepend:
        registry.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook):
    """Let a function be called before each step of every optimizer.

    Parameters
    ----------
    hook : callable
        ``hook(optimizer, args, kwargs)``: None, or the (args, kwargs) that `step` gets instead.

    Returns
    -------
    RemovableHandle
        Its `remove()` takes the hook away.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.optim.optimizer import register_optimizer_step_pre_hook
    >>> handle = register_optimizer_step_pre_hook(lambda optimizer, args, kwargs: print("a step"))
    >>> cygrad.optim.SGD([cygrad.ones(2, requires_grad=True)]).step()
    a step
    >>> handle.remove()
    """
    return _registered(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook):
    """Let a function be called after each step of every optimizer.

    Parameters
    ----------
    hook : callable
        ``hook(optimizer, args, kwargs)``; what it returns is not looked at.

    Returns
    -------
    RemovableHandle
        Its `remove()` takes the hook away.
    """
    return _registered(_global_optimizer_post_hooks, hook)


class Hooked:
    """The registries of one optimizer's hooks."""

    def _make_registries(self):
        """Make those that are not there yet: a state that was pickled has none."""
        for name in REGISTRIES:
            self.__dict__.setdefault(name, OrderedDict())

    def register_step_pre_hook(self, hook):
        """Let a function be called before each step of this optimizer.

        Parameters
        ----------
        hook : callable
            ``hook(optimizer, args, kwargs)``: None, or the (args, kwargs) that `step` gets instead.

        Returns
        -------
        RemovableHandle
            Its `remove()` takes the hook away.
        """
        return _registered(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """Let a function be called after each step of this optimizer.

        Parameters
        ----------
        hook : callable
            ``hook(optimizer, args, kwargs)``; what it returns is not looked at.

        Returns
        -------
        RemovableHandle
            Its `remove()` takes the hook away.
        """
        return _registered(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Let a function be called before `state_dict` writes the state down.

        Parameters
        ----------
        hook : callable
            ``hook(optimizer)``.
        prepend : bool
            Before the hooks that are there, instead of after them.

        Returns
        -------
        RemovableHandle
            Its `remove()` takes the hook away.
        """
        return _registered(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """Let a function change what `state_dict` returns.

        Parameters
        ----------
        hook : callable
            ``hook(optimizer, state_dict)``: None, or the dict to return instead.
        prepend : bool
            Before the hooks that are there, instead of after them.

        Returns
        -------
        RemovableHandle
            Its `remove()` takes the hook away.
        """
        return _registered(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Let a function change what `load_state_dict` loads.

        Parameters
        ----------
        hook : callable
            ``hook(optimizer, state_dict)`` with a shallow copy of the dict: None, or the dict to load instead.
        prepend : bool
            Before the hooks that are there, instead of after them.

        Returns
        -------
        RemovableHandle
            Its `remove()` takes the hook away.
        """
        return _registered(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """Let a function be called after `load_state_dict`.

        Parameters
        ----------
        hook : callable
            ``hook(optimizer)``.
        prepend : bool
            Before the hooks that are there, instead of after them.

        Returns
        -------
        RemovableHandle
            Its `remove()` takes the hook away.
        """
        return _registered(self._optimizer_load_state_dict_post_hooks, hook, prepend)
