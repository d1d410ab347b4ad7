"""Hooks on a module's backward pass: nodes before and after the module in the graph call them.

The inputs go through an identity whose node knows the gradients of the inputs, the outputs through another whose node
knows those of the outputs; a hook wants both, so the second keeps what it sees for the first, which runs later.
"""
import warnings

import cygrad
from cygrad import Tensor
from cygrad.autograd import Function


class BackwardHookFunction(Function):
    """The identity on several tensors."""

    @staticmethod
    def forward(ctx, *args):
        ctx.mark_non_differentiable(*[each for each in args if not each.requires_grad])
        return args

    @staticmethod
    def backward(ctx, *args):
        return args


def _spread(places, values, length):
    """A tuple of `length` with the values in their places and None elsewhere."""
    spread = [None] * length
    for place, value in zip(places, values):
        spread[place] = value
    return tuple(spread)


class BackwardHook:
    """The hooks of one call of a module.

    Parameters
    ----------
    module : Module
    user_hooks : list of callable
        Called with (module, gradients of inputs, gradients of outputs).
    user_pre_hooks : list of callable
        Called with (module, gradients of outputs).
    """

    def __init__(self, module, user_hooks, user_pre_hooks):
        self.module, self.user_hooks, self.user_pre_hooks = module, user_hooks, user_pre_hooks
        self.grad_outputs = None
        self.input_places = self.output_places = None       # of the tensors among inputs and outputs
        self.n_inputs = self.n_outputs = -1

    def setup_input_hook(self, args):
        """The arguments of the module, with a node of ours behind them."""
        self.n_inputs = len(args)
        found, self.input_places = self._through_identity(args, self._on_inputs)
        return found

    def setup_output_hook(self, result):
        """The result of the module, with a node of ours before it."""
        results = result if isinstance(result, tuple) else (result,)
        self.n_outputs = len(results)
        found, self.output_places = self._through_identity(results, self._on_outputs)
        return found if isinstance(result, tuple) else found[0]

    def _through_identity(self, values, hook):
        """(values, places of the tensors among them), the tensors passed through a node that calls the hook."""
        places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
        if not cygrad.is_grad_enabled() or not any(values[place].requires_grad for place in places):
            return values, None
        new = BackwardHookFunction.apply(*[values[place] for place in places])
        node = next(each.grad_fn for each in new if each.grad_fn is not None)
        node.register_hook(hook)
        values_now = list(values)
        for place, value in zip(places, new):
            values_now[place] = value
        return (tuple(values_now) if type(values) is tuple else type(values)(*values_now)), places

    def _on_outputs(self, _, grad_outputs):
        """The gradients of the outputs are known: pre-hooks may change them, and hooks will want them."""
        self.grad_outputs = _spread(self.output_places, grad_outputs, self.n_outputs)
        for hook in self.user_pre_hooks:
            found = hook(self.module, self.grad_outputs)
            if found is None:
                continue
            if len(found) != self.n_outputs:
                raise RuntimeError(f"Backward pre hook returned an invalid number of grad_output, got {len(found)}, "
                                   f"but expected {self.n_outputs}")
            self.grad_outputs = found
        grads = self.grad_outputs
        if self.input_places is None:
            self._run_without_inputs()
        if grads is not None:
            return tuple(grads[place] for place in self.output_places)

    def _run_without_inputs(self):
        """No input needs a gradient, so this is the last that is seen of the module."""
        warnings.warn("Full backward hook is firing when gradients are computed with respect to module outputs since "
                      "no inputs require gradients. See "
                      "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
                      "register_full_backward_hook for more details.", stacklevel=5)
        nothing = (None,) * self.n_inputs
        for hook in self.user_hooks:
            found = hook(self.module, nothing, self.grad_outputs)
            if found is not None and not (isinstance(found, tuple) and all(each is None for each in found)):
                raise RuntimeError("Backward hook for Modules where no input requires gradient should always return "
                                   "None or None for all gradients.")
        self.grad_outputs = None

    def _on_inputs(self, grad_inputs, _):
        """The gradients of the inputs are known: the hooks are called."""
        if self.grad_outputs is None:       # of a part of the graph that this pass leaves out
            return None
        grads = _spread(self.input_places, grad_inputs, self.n_inputs)
        for hook in self.user_hooks:
            found = hook(self.module, grads, self.grad_outputs)
            if found is None:
                continue
            if len(found) != len(grads):
                raise RuntimeError(f"Backward hook returned an invalid number of grad_input, got {len(found)}, but "
                                   f"expected {len(grads)}")
            grads = found
        self.grad_outputs = None
        return tuple(grads[place] for place in self.input_places)


_DEPRECATED = "is deprecated and will be removed in future versions. This hook will be missing some"
_FULL = "Please use register_full_backward_hook to get the documented behavior."


def warn_of_partial_hook(inputs, result, node):
    """Warn where a hook that is no full one does not see all gradients."""
    message = _what_is_missed(inputs, result, node)
    if message:
        warnings.warn(message, FutureWarning, stacklevel=5)


def _what_is_missed(inputs, result, node):
    result = (result,) if isinstance(result, Tensor) else result
    if not isinstance(result, tuple) or not all(isinstance(each, Tensor) for each in result):
        return ("Using non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors "
                f"{_DEPRECATED} of the grad_output. {_FULL}")
    inputs = (inputs,) if isinstance(inputs, Tensor) else inputs
    if not isinstance(inputs, tuple) or not all(isinstance(each, Tensor) for each in inputs):
        return ("Using non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of "
                f"Tensors {_DEPRECATED} of the grad_input. {_FULL}")
    nodes = {each.grad_fn for each in result if each.grad_fn is not None}
    if not nodes or len(nodes) == 1 and node not in nodes:
        return ("Using a non-full backward hook when outputs are nested in python data structure "
                f"{_DEPRECATED} grad_output.")
    if len(nodes) > 1:
        return ("Using a non-full backward hook when outputs are generated by different autograd Nodes "
                f"{_DEPRECATED} grad_output. {_FULL}")
    if {each.grad_fn for each in inputs if each.grad_fn is not None} != {each for each, _ in node.next_functions}:
        return ("Using a non-full backward hook when the forward contains multiple autograd Nodes "
                f"{_DEPRECATED} grad_input. {_FULL}")
    return None
