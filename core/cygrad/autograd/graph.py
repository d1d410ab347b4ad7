"""`cygrad.autograd.graph`: the graph as users see it, and hooks on what it saves.

Nodes and edges, hooks that turn a saved tensor into something else (a copy on the host, a file) and back, and hooks on
the gradients of several tensors. What the hooks do is in `saved.pyx`, where tensors are saved.
"""
from contextlib import contextmanager
from typing import NamedTuple

import cygrad
from cygrad.autograd import engine as _engine
from cygrad.autograd import saved as _saved
from cygrad.autograd.removable_handle import RemovableHandle
from cygrad.autograd.node import Node

__all__ = ["GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks",
           "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks"]


# ------------------------------------------------------- places in the graph

class GradientEdge(NamedTuple):
    """Where a tensor's gradient enters the graph; `grad` and `backward` take it for the tensor.

    Attributes
    ----------
    node : Node
    output_nr : int
        Which output of the node the tensor is.
    ownership_token : object
        PyTorch's; here nodes are kept by who refers to them.
    """

    node: Node
    output_nr: int
    ownership_token: object = None


def get_gradient_edge(tensor):
    """The place of a tensor in the graph.

    Parameters
    ----------
    tensor : Tensor

    Returns
    -------
    GradientEdge

    Raises
    ------
    RuntimeError
        If it requires no gradient.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor(3., requires_grad=True)
    >>> edge = cygrad.autograd.graph.get_gradient_edge(x)
    >>> cygrad.autograd.grad(x * x, edge)
    (tensor(6.),)
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(_node_of(tensor), tensor.output_nr)


def _node_of(tensor):
    """The node of a tensor or an edge; a leaf's is the one that adds to its gradient."""
    if isinstance(tensor, GradientEdge):
        return tensor.node
    if tensor.requires_grad and tensor.grad_fn is None:
        with cygrad.enable_grad():
            return tensor.view_as(tensor).grad_fn.next_functions[0][0]
    return tensor.grad_fn


def increment_version(tensor):
    """Tell autograd that tensors were changed in place behind its back.

    Parameters
    ----------
    tensor : Tensor or iterable of Tensor
        Those of inference mode, which have no version, are passed over.
    """
    for each in (tensor,) if isinstance(tensor, cygrad.Tensor) else tensor:
        if not each.is_inference():
            each._bump_version()


# ------------------------------------------------------- hooks on saved tensors

class saved_tensors_hooks:
    """In a `with` block: what ops save for backward goes through a pair of functions.

    The innermost pair applies, in the thread that entered it.

    Parameters
    ----------
    pack_hook : callable
        Gets each tensor when it is saved, and returns what is kept in its place. It must not change the tensor; what it
        returns should not refer to an op's own output, but to `output.detach()`.
    unpack_hook : callable
        Gets that when backward needs it, and returns a tensor of the same values, shape and dtype.

    Raises
    ------
    RuntimeError
        If hooks are disabled.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([1., 2.], requires_grad=True)
    >>> with cygrad.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), cygrad.tensor):
    ...     y = x * x
    >>> y.sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        _saved.push_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *error):
        _saved.pop_hooks()


class save_on_cpu(saved_tensors_hooks):
    """In a `with` block: what ops save for backward waits in host memory.

    Parameters
    ----------
    pin_memory : bool
        Put it into page-locked memory, which copies reach faster.
    device_type : str
        The device whose namespace says whether there is such memory.
    """

    def __init__(self, pin_memory=False, device_type="cuda"):
        pinned = pin_memory and getattr(cygrad, device_type).is_available()

        def pack(tensor):
            if not pin_memory:
                return tensor.device, tensor.cpu()
            packed = cygrad.empty(tensor.size(), dtype=tensor.dtype, device="cpu", pin_memory=pinned)
            packed.copy_(tensor, non_blocking=pinned)
            return tensor.device, packed

        def unpack(packed):
            device, tensor = packed
            return tensor.to(device, non_blocking=pin_memory)

        super().__init__(pack, unpack)


@contextmanager
def disable_saved_tensors_hooks(error_message):
    """In a `with` block: hooks on saved tensors are refused.

    Parameters
    ----------
    error_message : str
        What the error says.
    """
    before = None
    try:
        before = _saved.refuse_hooks(error_message)
        yield
    finally:
        _saved.refuse_hooks(before)


_mutation_allowed = False


@contextmanager
def allow_mutation_on_saved_tensors():
    """In a `with` block: tensors that were saved for backward may be changed in place.

    Notes
    -----
    What is saved in the block is copied at once (PyTorch copies it when it is changed), so it takes more memory.

    Raises
    ------
    RuntimeError
        If such a block is open already.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.ones(2, requires_grad=True)
    >>> with cygrad.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     loss = (y ** 2).sum()
    ...     _ = y.sin_()
    ...     loss.backward()
    >>> x.grad
    tensor([2., 2.])
    """
    global _mutation_allowed
    if _mutation_allowed:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    _mutation_allowed = here = object()

    def unpack(copy):
        if _mutation_allowed is not here:
            raise AssertionError("Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which "
                                 "the graph was originally recorded.")
        return copy

    try:
        with saved_tensors_hooks(lambda tensor: tensor.detach().clone(), unpack):
            yield
    finally:
        _mutation_allowed = False


# ------------------------------------------------------- hooks on several gradients

class _MultiHandle(RemovableHandle):
    """Removes several hooks."""

    def __init__(self, handles):
        self.handles = handles

    def remove(self):
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Call a function when the gradients of several tensors are known.

    Parameters
    ----------
    tensors : sequence of Tensor
        Those that a pass does not reach, or does not need, are not waited for.
    fn : callable
        With "all", gets a list of the gradients, None for those that were not computed; with "any", the first one.
        It should not change them.
    mode : {"all", "any"}

    Returns
    -------
    RemovableHandle

    Raises
    ------
    ValueError
        For another mode.

    Examples
    --------
    >>> import cygrad
    >>> a, b = (cygrad.ones(2, requires_grad=True) for _ in range(2))
    >>> handle = cygrad.autograd.graph.register_multi_grad_hook((a, b), print)
    >>> (a * b).sum().backward()
    [tensor([1., 1.]), tensor([1., 1.])]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    return _MultiHandle(_hooks_on_all(tensors, fn) if mode == "all" else _hooks_on_first(tensors, fn))


def _hooks_on_all(tensors, fn):
    nodes = list(map(_node_of, tensors))
    waiting = {}                        # a pass's number: [gradients to come, gradients]

    def hook_of(i):
        def hook(grad):
            number = _engine.current_pass()
            if number not in waiting:
                expected = sum(node is nodes[i] or node is not None and _engine.will_run(node) for node in nodes)
                waiting[number] = [expected, [None] * len(nodes)]
            state = waiting[number]
            state[0] -= 1
            state[1][i] = grad
            if state[0] == 0:
                del waiting[number]
                fn(state[1])
        return hook

    return tuple(tensor.register_hook(hook_of(i)) for i, tensor in enumerate(tensors))


def _hooks_on_first(tensors, fn):
    last = None                         # the last pass that called it

    def hook(grad):
        nonlocal last
        if last != _engine.current_pass():
            last = _engine.current_pass()
            fn(grad)

    return tuple(tensor.register_hook(hook) for tensor in tensors if tensor.requires_grad)
