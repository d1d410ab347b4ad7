"""`cygrad.utils.checkpoint`: a part of a network is computed again in backward, instead of remembered.

Without `use_reentrant`, the graph of the first run stays, and hooks on saved tensors keep a place for each in its
stead; when backward comes to the first place, the part runs again and fills all of them. With it, one node stands for
the part, and its backward runs another backward pass inside.

The memory of n parts of equal size falls to that of one part and of n arguments; the time grows by one forward pass
(T. Chen et al., "Training deep nets with sublinear memory cost", 2016).
"""
import contextlib
import warnings
import weakref

import cygrad
from cygrad.amp.autocast_mode import modes_in_force
from cygrad.autograd import Function
from cygrad.autograd.engine import current_pass
from cygrad.autograd.forward_levels import batch_depth, depth
from cygrad.autograd.graph import saved_tensors_hooks

__all__ = ["CheckpointError", "CheckpointFunction", "checkpoint", "checkpoint_sequential", "check_backward_validity",
           "detach_variable", "get_device_states", "noop_context_fn", "set_checkpoint_debug_enabled",
           "set_checkpoint_early_stop", "set_device_states"]

_early_stop = None                      # what `set_checkpoint_early_stop` says
_debug = None


class CheckpointError(RuntimeError):
    """A part did not do the same when it ran again."""


class _Done(Exception):
    """All places are filled: the rest of the part need not run again."""


def noop_context_fn():
    """Two contexts that do nothing: for the first run of a part, and for those in backward."""
    return contextlib.nullcontext(), contextlib.nullcontext()


@contextlib.contextmanager
def set_checkpoint_early_stop(enable):
    """In a `with` block: whether a part stops running again as soon as it has given what backward needs.

    Parameters
    ----------
    enable : bool
    """
    global _early_stop
    before, _early_stop = _early_stop, enable
    try:
        yield
    finally:
        _early_stop = before


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled):
    """In a `with` block: what `debug` of `checkpoint` is.

    Parameters
    ----------
    enabled : bool or None
        None: as each call says. Nothing depends on it here; errors say what differs in any case.
    """
    global _debug
    before, _debug = _debug, enabled
    try:
        yield
    finally:
        _debug = before


def checkpoint(function, *args, use_reentrant=None, context_fn=noop_context_fn, determinism_check="default",
               debug=False, early_stop=True, **kwargs):
    """``function(*args, **kwargs)``, whose intermediate results are computed again in backward.

    Parameters
    ----------
    function : callable
        Is called again with the same arguments: it must do the same then.
    use_reentrant : bool
        False (recommended): gradients go to whatever the function uses, with `backward` as with `grad`, to any order.
        True: only with `backward`, and only if an argument requires a gradient; what the function reaches by itself
        gets its gradients too.
    context_fn : callable
        Returns two contexts: for this run, and for those in backward.
    determinism_check : {"default", "none"}
        Whether shapes, dtypes and devices of the tensors are compared.
    debug : bool
        PyTorch's; nothing depends on it.
    early_stop : bool
        Stop the second run when backward has what it needs.
    preserve_rng_state : bool
        Random numbers (dropout) are the same the second time; the default.

    Returns
    -------
    object
        What the function returns.

    Raises
    ------
    ValueError
        For keywords that can't be had with `use_reentrant`.
    CheckpointError
        In backward, if the function does not do the same again.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.checkpoint import checkpoint
    >>> w = cygrad.tensor([2., 3.], requires_grad=True)
    >>> x = cygrad.tensor([0.5, 1.], requires_grad=True)
    >>> checkpoint(lambda x: cygrad.relu(x * w), x, use_reentrant=False).sum().backward()
    >>> x.grad, w.grad
    (tensor([2., 3.]), tensor([0.5000, 1.0000]))
    """
    if use_reentrant is None:
        warnings.warn("torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in "
                      "PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception. "
                      "use_reentrant=False is recommended, but if you need to preserve the current default behavior, "
                      "you can pass use_reentrant=True. Refer to docs for more details on the differences between the "
                      "two variants.", stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    check = _CHECKS.get(determinism_check)
    if check is None:
        raise ValueError(f"determinism_check should be one of {list(_CHECKS)}, but got {determinism_check}")
    first, again = context_fn()
    if not cygrad.is_grad_enabled():
        return function(*args, **kwargs)
    if depth() or batch_depth():                # what is saved inside of transforms stays
        with saved_tensors_hooks(_as_it_is, _as_it_is), first:
            return function(*args, **kwargs)
    part = _Part(function, args, kwargs, preserve, again, check, early_stop if _early_stop is None else _early_stop)
    with saved_tensors_hooks(part.pack, part.unpack), first:
        found = function(*args, **kwargs)
    part.complete = True
    return found


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Call functions one after the other, in segments that are checkpointed, all but the last.

    Parameters
    ----------
    functions : Sequential or sequence of callable
    segments : int
        How many; of as many functions each as the number allows.
    input : Tensor
        What the first function gets.
    use_reentrant, preserve_rng_state : bool
        See `checkpoint`.

    Returns
    -------
    object
        What the last function returns.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.checkpoint import checkpoint_sequential
    >>> x = cygrad.ones(2, requires_grad=True)
    >>> checkpoint_sequential([cygrad.exp, cygrad.sin, cygrad.cos], 3, x, use_reentrant=False)
    tensor([0.9170, 0.9170], grad_fn=<CosBackward0>)
    """
    if use_reentrant is None:
        warnings.warn("torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed "
                      "explicitly. In version 2.9 we will raise an exception if use_reentrant is not passed. "
                      "use_reentrant=False is recommended, but if you need to preserve the current default behavior, "
                      "you can pass use_reentrant=True. Refer to docs for more details on the differences between the "
                      "two variants.", stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if hasattr(functions, "children"):
        functions = list(functions.children())

    def run_of(chosen):
        def run(value):
            for function in chosen:
                value = function(value)
            return value
        return run

    size, done = len(functions) // segments, 0
    for start in range(0, size * (segments - 1), size):
        done = start + size
        input = checkpoint(run_of(functions[start:done]), input, use_reentrant=use_reentrant,
                           preserve_rng_state=preserve)
    return run_of(functions[done:])(input)


# ------------------------------------------------------- what is computed again

class _Surroundings:
    """The random state and the precision of a run, to be had again."""

    def __init__(self, preserve_rng_state):
        self.random_state = cygrad.get_rng_state() if preserve_rng_state else None
        self.precision = modes_in_force()

    @contextlib.contextmanager
    def __call__(self):
        with contextlib.ExitStack() as stack:
            stack.enter_context(cygrad.random.fork_rng(enabled=self.random_state is not None))
            stack.enter_context(cygrad.enable_grad())
            for mode in self.precision:
                stack.enter_context(mode)
            if self.random_state is not None:
                cygrad.set_rng_state(self.random_state)
            yield


class _Place:
    """Where a tensor that was saved will be."""

    tensor = None
    owner = None                        # the pass for which the tensor was computed


class _Part:
    """A call that is made again when backward wants what it saved; the hooks on what it saves."""

    def __init__(self, function, args, kwargs, preserve_rng_state, context, check, early_stop):
        self.function, self.context, self.check, self.early_stop = function, context, check, early_stop
        self.names, self.count = list(kwargs), len(args)
        self.arguments = _Arguments((*args, *kwargs.values()))
        self.surroundings = _Surroundings(preserve_rng_state)
        self.places, self.descriptions = [], []
        self.complete = False           # whether the first run has ended: a backward pass may be part of it

    def pack(self, tensor):
        place = _Place()
        self.places.append(weakref.ref(place))
        self.descriptions.append(self.check(tensor))
        return place

    def unpack(self, place):
        # What is computed again is there for one pass; outside of passes, for one look.
        number = current_pass() or object()
        if place.owner != number:
            self.run_again(number)
        tensor = place.tensor
        if tensor is None:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If you "
                "are calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an "
                "issue with details on your use case.")
        place.tensor = None
        if type(number) is not int:
            for reference in self.places:
                held = reference()
                if held is not None:
                    held.tensor = held.owner = None
        return tensor

    def run_again(self, number):
        """Call the function again, and fill the places that are left."""
        saved = []
        wanted = len(self.places)

        def keep(tensor):
            if self.early_stop and len(saved) == wanted:
                raise _Done
            if len(saved) >= wanted and self.complete:
                raise CheckpointError("torch.utils.checkpoint: trying to save more tensors during recomputation than "
                                      "during the original forward pass.")
            place = self.places[len(saved)]() if len(saved) < wanted else None
            saved.append(self.check(tensor))
            if place is not None:
                place.tensor, place.owner = tensor.detach(), number
            if self.early_stop and len(saved) == wanted:
                raise _Done
            return tensor.detach()

        values = self.arguments.values()
        with contextlib.suppress(_Done), self.surroundings(), self.context, saved_tensors_hooks(keep, _as_it_is):
            self.function(*values[:self.count], **dict(zip(self.names, values[self.count:])))
        if self.complete:
            self.compare(saved)

    def compare(self, saved):
        """Raise if what was saved is not what the first run saved."""
        if len(saved) != len(self.places):
            raise CheckpointError("torch.utils.checkpoint: A different number of tensors was saved during the original "
                                  f"forward and recomputation.\nNumber of tensors saved during forward: "
                                  f"{len(self.places)}\nNumber of tensors saved during recomputation: {len(saved)}.")
        different = [f"tensor at position {i}:\nsaved metadata: {before}\nrecomputed metadata: {now}\n"
                     for i, (before, now) in enumerate(zip(self.descriptions, saved))
                     if before != now and self.places[i]() is not None]
        if different:
            raise CheckpointError("torch.utils.checkpoint: Recomputed values for the following tensors have different "
                                  f"metadata than during the forward pass.\n{''.join(different)}.")


def _as_it_is(packed):
    return packed


def _description(tensor):
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


_CHECKS = {"default": _description, "none": lambda tensor: None}


class _Arguments:
    """The arguments of a part. Tensors are saved by a node, so that hooks around the part (one that is checkpointed
    itself) keep them as they like, and one that was changed in place since is refused.
    """

    def __init__(self, values):
        self.others = [None if isinstance(value, cygrad.Tensor) else value for value in values]
        self.places = [i for i, value in enumerate(values) if isinstance(value, cygrad.Tensor)]
        self.node = _Saver.apply(cygrad.empty(0, requires_grad=True), *[values[i] for i in self.places]).grad_fn

    def values(self):
        found = list(self.others)
        for i, tensor in zip(self.places, self.node.saved_tensors):
            found[i] = tensor
        return found


class _Saver(Function):
    """Saves tensors, and is there for nothing else."""

    @staticmethod
    def forward(ctx, dummy, *tensors):
        ctx.save_for_backward(*tensors)
        return dummy.clone()

    @staticmethod
    def backward(ctx, *grads):
        raise AssertionError("expected nobody to differentiate the node that saves a part's arguments")


# ------------------------------------------------------- a backward pass inside another

def detach_variable(inputs):
    """Copies of tensors without their history, which require gradients as these do.

    Parameters
    ----------
    inputs : tuple
        What is no tensor stays as it is.

    Returns
    -------
    tuple
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError("Only tuple of tensors is supported. Got Unsupported input type: " + type(inputs).__name__)
    return tuple(value.detach().requires_grad_(value.requires_grad) if isinstance(value, cygrad.Tensor) else value
                 for value in inputs)


def get_device_states(*args):
    """Where tensors are, and the random states of these devices; the processor's is `cygrad.get_rng_state`.

    Parameters
    ----------
    *args
        What is no tensor is left out.

    Returns
    -------
    tuple
        Numbers of devices that are not the processor, and the state of each.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.checkpoint import get_device_states
    >>> get_device_states(cygrad.ones(2), 3)
    ([], [])
    """
    devices = {value.device for value in args if isinstance(value, cygrad.Tensor)}
    devices = sorted((device for device in devices if device.type not in ("cpu", "meta")), key=str)
    return ([device.index for device in devices],
            [cygrad.get_device_module(device).get_rng_state(device) for device in devices])


def set_device_states(devices, states, *, device_type=None):
    """Give devices the random states that `get_device_states` found.

    Parameters
    ----------
    devices : sequence of int
    states : sequence of Tensor
    device_type : str, optional
        Whose numbers these are, by default "cuda".

    Examples
    --------
    >>> from cygrad.utils.checkpoint import get_device_states, set_device_states
    >>> set_device_states(*get_device_states())
    """
    kind = device_type or "cuda"
    for number, state in zip(devices, states):
        cygrad.get_device_module(kind).set_rng_state(state, f"{kind}:{number}")


def check_backward_validity(inputs):
    """Warn if none of the tensors among these requires a gradient."""
    if not any(value.requires_grad for value in inputs if isinstance(value, cygrad.Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


class CheckpointFunction(Function):
    """The node of a part that runs again in a backward pass of its own."""

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.run_function, ctx.surroundings = run_function, _Surroundings(preserve_rng_state)
        ctx.others = [None if isinstance(value, cygrad.Tensor) else value for value in args]
        ctx.places = [i for i, value in enumerate(args) if isinstance(value, cygrad.Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        with cygrad.no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *grads):
        if not cygrad.autograd._is_checkpoint_valid():
            raise RuntimeError("When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
                               "passing an `inputs` parameter to .backward(). To resolve this error, you can either "
                               "set use_reentrant=False, or call .backward() without passing the `inputs` argument.")
        values = list(ctx.others)
        for i, tensor in zip(ctx.places, ctx.saved_tensors):
            values[i] = tensor
        values = detach_variable(tuple(values))
        with ctx.surroundings():
            outputs = ctx.run_function(*values)
        outputs = (outputs,) if isinstance(outputs, cygrad.Tensor) else outputs
        pairs = [(output, grad) for output, grad in zip(outputs, grads)
                 if isinstance(output, cygrad.Tensor) and output.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        cygrad.autograd.backward([output for output, _ in pairs], [grad for _, grad in pairs])
        return (None, None, *[value.grad if isinstance(value, cygrad.Tensor) else None for value in values])
