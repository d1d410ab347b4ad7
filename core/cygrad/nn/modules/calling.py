"""A call of a module that has hooks, or while there are hooks for all modules."""
import warnings
from itertools import chain

from cygrad import Tensor
from cygrad.nn.modules import hooks, module as of_all     # not yet whole: it takes the call from here
from cygrad.nn.modules.backward_hooks import BackwardHook, warn_of_partial_hook

_NONE = {}


def call_with_hooks(module, args, kwargs):
    """`forward` with all hooks around it."""
    own = module.__dict__.get
    before, after = own("_forward_pre_hooks", _NONE), own("_forward_hooks", _NONE)
    before_backward, after_backward = own("_backward_pre_hooks", _NONE), own("_backward_hooks", _NONE)
    if not (before or after or before_backward or after_backward
            or of_all._global_forward_pre_hooks or of_all._global_forward_hooks
            or of_all._global_backward_pre_hooks or of_all._global_backward_hooks):
        return module.forward(*args, **kwargs)
    call = _Call(module, args, kwargs)
    try:
        return call.run()
    except Exception:
        call.run_hooks_not_yet_run()
        raise


class _Call:
    """One call: its arguments and result as the hooks leave them."""

    def __init__(self, module, args, kwargs):
        self.module, self.args, self.kwargs, self.result = module, args, kwargs, None
        self.always_called = set()

    def run(self):
        module = self.module
        before = [*of_all._global_backward_pre_hooks.values(), *module._backward_pre_hooks.values()]
        full, partial = self.backward_hooks()
        self.run_pre_hooks()
        backward = BackwardHook(module, full, before) if full or before else None
        if backward:
            self.args = backward.setup_input_hook(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        self.run_forward_hooks()
        if backward:
            if not isinstance(self.result, (Tensor, tuple)):
                warnings.warn("For backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
                              f"but received {type(self.result)}", stacklevel=4)
            self.result = backward.setup_output_hook(self.result)
        if partial:
            self.hang_on_last_node(partial)
        return self.result

    def backward_hooks(self):
        """The full hooks, and those that see the last node of the module only."""
        full, partial = [], []
        for is_full, found in ((of_all._global_is_full_backward_hook, of_all._global_backward_hooks),
                               (self.module._is_full_backward_hook, self.module._backward_hooks)):
            if is_full is not None:
                (full if is_full else partial).extend(found.values())
        return full, partial

    def run_pre_hooks(self):
        module = self.module
        with_kwargs = module._forward_pre_hooks_with_kwargs
        for number, hook in [*of_all._global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()]:
            if number in with_kwargs:
                found = hook(module, self.args, self.kwargs)
                if found is not None:
                    if not isinstance(found, tuple) or len(found) != 2:
                        raise RuntimeError("forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                                           f"but got {found}.")
                    self.args, self.kwargs = found
            else:
                found = hook(module, self.args)
                if found is not None:
                    self.args = found if isinstance(found, tuple) else (found,)

    def run_forward_hooks(self):
        module = self.module
        always = module._forward_hooks_always_called
        for number, hook in [*of_all._global_forward_hooks.items(), *module._forward_hooks.items()]:
            if number in always or number in of_all._global_forward_hooks_always_called:
                self.always_called.add(number)
            self.run_forward_hook(number, hook)

    def run_forward_hook(self, number, hook):
        if number in self.module._forward_hooks_with_kwargs or number in of_all._global_forward_hooks_with_kwargs:
            found = hook(self.module, self.args, self.kwargs, self.result)
        else:
            found = hook(self.module, self.args, self.result)
        if found is not None:
            self.result = found

    def run_hooks_not_yet_run(self):
        """After an exception: the hooks that are called always, unless they have been."""
        own = self.module._forward_hooks_always_called
        rest = chain((("global module", number, hook) for number, hook in of_all._global_forward_hooks.items()
                      if number in of_all._global_forward_hooks_always_called),
                     (("module", number, hook) for number, hook in self.module._forward_hooks.items() if number in own))
        for whose, number, hook in rest:
            if number not in self.always_called:
                try:
                    self.run_forward_hook(number, hook)
                except Exception as error:
                    warnings.warn(f"{whose} forward hook with ``always_call=True`` raised an exception that was "
                                  f"silenced as another error was raised in forward: {error}", stacklevel=4)

    def hang_on_last_node(self, partial):
        """Deprecated hooks: they are called when the gradient of what computed the (first) result is known."""
        first = self.result
        while not isinstance(first, Tensor):
            first = (next(value for value in first.values() if isinstance(value, Tensor)) if isinstance(first, dict)
                     else first[0])
        node = first.grad_fn
        if node is not None:
            for hook in partial:
                node.register_hook(hooks.BoundHook(hook, self.module))
            warn_of_partial_hook(self.args, self.result, node)
