"""Activation checkpointing: a part of a network is computed again in the backward pass, instead of remembered.

`Checkpoint` is the node of a part of the graph that has been thrown away. Its inputs are the arguments of the function
and the leaves (parameters) that the function reaches by itself, which the first run finds out: its graph is looked
through for them, then dropped. In the backward pass the function runs again on cut-off copies of its arguments, and
`grad` gives what goes to each input. Computing these gradients is again a function of tensors, so a gradient that is to
be differentiated is itself checkpointed, to any order.
"""
import warnings
from contextlib import contextmanager

import cygrad
from cygrad.autograd import Function
from cygrad.autograd.function import once_differentiable


def checkpoint(function, *args, use_reentrant=False, preserve_rng_state=True, **kwargs):
    """``function(*args, **kwargs)``, whose intermediate results are computed again in the backward pass.

    Parameters
    ----------
    function : callable
        Called twice with the same values: it must do the same both times. It returns a tensor or a tuple.
    use_reentrant : bool
        False: gradients go to all arguments and to all parameters that the function uses, with `backward` as with
        `grad`, to any order. True: the older way, in which the backward pass runs another inside; only with `backward`,
        once, and only if an argument requires a gradient. (PyTorch has both, under this name.)
    preserve_rng_state : bool
        Random numbers (dropout) are the same the second time.

    Returns
    -------
    Tensor or tuple
        What the function returns.

    Notes
    -----
    Memory for the inner results of n parts of equal size falls to that of one part and n arguments; the time grows by
    one forward pass (T. Chen et al., "Training deep nets with sublinear memory cost", 2016).

    Examples
    --------
    >>> import cygrad
    >>> weight = cygrad.tensor([2.0, 3.0], requires_grad=True)
    >>> x = cygrad.tensor([0.5, 1.0], requires_grad=True)
    >>> y = cygrad.functions.checkpoint(lambda x: cygrad.relu(x * weight), x)
    >>> y.sum().backward()
    >>> x.grad, weight.grad
    (tensor([2., 3.]), tensor([0.5000, 1.0000]))
    """
    if not cygrad.is_grad_enabled():
        return function(*args, **kwargs)
    names, positional = list(kwargs), len(args)
    args = (*args, *kwargs.values())

    def call(*values):
        return function(*values[:positional], **dict(zip(names, values[positional:])))

    replay = Replay(call, args, preserve_rng_state)
    if use_reentrant:
        if not any(tensor.requires_grad for tensor in replay.tensors(args)):
            warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)
        return ReentrantCheckpoint.apply(replay, *args)
    inputs = replay.tensors(args)
    with cygrad.enable_grad():
        copies = list(map(cut_off, inputs))
        outputs = call(*replay.arguments(copies))
    many = isinstance(outputs, tuple)
    outputs = outputs if many else (outputs,)
    leaves = leaves_behind(outputs, copies)
    found = Checkpoint.apply(replay, outputs, len(inputs), *inputs, *leaves)
    return found if many else found[0]


class Replay:
    """A call that can be made again: the function, its arguments but for the tensors, and the random state."""

    def __init__(self, function, args, preserve_rng_state):
        self.function = function
        self.others = [None if isinstance(value, cygrad.Tensor) else value for value in args]
        self.places = [place for place, value in enumerate(args) if isinstance(value, cygrad.Tensor)]
        self.random_state = cygrad.get_rng_state() if preserve_rng_state else None

    def tensors(self, args):
        """The tensors among the arguments."""
        return [args[place] for place in self.places]

    def arguments(self, tensors):
        """All arguments, given the tensors among them."""
        args = list(self.others)
        for place, tensor in zip(self.places, tensors):
            args[place] = tensor
        return args

    def __call__(self, tensors):
        """The outputs of another run, as a tuple, with their graph."""
        with cygrad.enable_grad(), random_state(self.random_state):
            outputs = self.function(*self.arguments(tensors))
        return outputs if isinstance(outputs, tuple) else (outputs,)


class Checkpoint(Function):
    """Outputs that were computed outside, with history: the inputs' gradients come from a replay."""

    @staticmethod
    def forward(ctx, replay, outputs, count, *inputs):
        ctx.replay, ctx.count = replay, count       # the first `count` inputs are arguments, the others leaves
        ctx.save_for_backward(*inputs)
        detached = tuple(value.detach() if isinstance(value, cygrad.Tensor) else value for value in outputs)
        ctx.mark_non_differentiable(*[plain for plain, value in zip(detached, outputs)
                                      if isinstance(value, cygrad.Tensor) and not value.requires_grad])
        return detached

    @staticmethod
    def backward(ctx, *grads):
        inputs, replay, count = ctx.saved_tensors, ctx.replay, ctx.count
        wanted = [number for number, needed in enumerate(ctx.needs_input_grad[3:]) if needed]

        def gradients(*values):
            arguments, grads = values[:count], values[count:]
            outputs, grads = connected(replay(arguments), grads)
            sources = [*arguments, *inputs[count:]]
            # retain_graph: the function may use a tensor with a history of its own, which is not ours to release.
            return cygrad.autograd.grad(outputs, [sources[number] for number in wanted], grads, allow_unused=True,
                                        retain_graph=True, create_graph=cygrad.is_grad_enabled())

        if cygrad.is_grad_enabled():
            found = checkpoint(gradients, *inputs[:count], *grads)
        else:
            found = gradients(*map(cut_off, inputs[:count]), *grads)
        by_number = dict(zip(wanted, found))
        return (None, None, None, *map(by_number.get, range(len(inputs))))


class ReentrantCheckpoint(Function):
    """The replay's own backward pass runs inside the node's: it adds to the leaves' `.grad` by itself."""

    @staticmethod
    def forward(ctx, replay, *args):
        ctx.replay = replay
        ctx.save_for_backward(*replay.tensors(args))
        return replay.function(*args)

    @staticmethod
    @once_differentiable
    def backward(ctx, *grads):
        copies = list(map(cut_off, ctx.saved_tensors))
        outputs, grads = connected(ctx.replay(copies), grads)
        if not outputs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        cygrad.autograd.backward(outputs, grads)
        found = dict(zip(ctx.replay.places, [copy.grad for copy in copies]))
        return (None, *map(found.get, range(len(ctx.replay.others))))


def cut_off(tensor):
    """The same values without a history; a leaf that gathers its own gradient."""
    return tensor.detach().requires_grad_(tensor.requires_grad)


def connected(outputs, grads):
    """The outputs that depend on something that requires a gradient, and their gradients."""
    pairs = [(output, grad) for output, grad in zip(outputs, grads)
             if isinstance(output, cygrad.Tensor) and output.requires_grad and grad is not None]
    return [output for output, _ in pairs], [grad for _, grad in pairs]


def leaves_behind(outputs, known):
    """The leaves in the graph of the outputs, without those that are known."""
    found, seen = {}, set()
    queue = [output.grad_fn for output in outputs if isinstance(output, cygrad.Tensor)]
    while queue:
        node = queue.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        queue.extend(behind for behind, _ in node.next_functions)
        leaf = getattr(node, "variable", None)      # of the nodes that add to a leaf's gradient
        if leaf is not None and all(leaf is not each for each in known):
            found[id(leaf)] = leaf
    return list(found.values())


@contextmanager
def random_state(state):
    """Random numbers from this state on, inside the block; None: as they come."""
    if state is None:
        yield
        return
    with cygrad.random.fork_rng():
        cygrad.set_rng_state(state)
        yield
