"""Custom differentiable functions: `Function`, whose `forward` and `backward` a user writes.

Each subclass gets a node class of its own, so that ``type(y.grad_fn).__name__`` reads ``MyFunctionBackward``. Its
instances are both the node in the graph and the `ctx` that `forward` and `backward` receive.
"""

import functools
import warnings

import cygrad
from cygrad.autograd.node import (
    SECOND_BACKWARD,
    PythonNode,
    SavedTensor,
    rebase_history,
    set_grad_mode,
)
from cygrad.devices import of as device_of
from cygrad.tensor import Tensor

__all__ = ["Function", "FunctionCtx", "once_differentiable"]


class FunctionCtx:
    """What `forward` tells `backward`: tensors and marks, through these methods, and anything else as attributes.

    Attributes
    ----------
    needs_input_grad : tuple of bool
        For each argument of `forward`, whether it requires a gradient.
    saved_tensors : tuple of Tensor
        What `save_for_backward` got.
    """

    __slots__ = ()

    needs_input_grad = ()
    materialize_grads = True
    dirty_tensors = ()
    non_differentiable = ()
    to_save = ()

    def save_for_backward(self, *tensors):
        """Keep inputs, outputs or intermediate tensors (or None) for `backward`, guarded against in-place changes."""
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        """Keep tensors for `jvp`, which is never called here: there is no forward-mode differentiation."""
        for tensor in tensors:
            if not isinstance(tensor, Tensor) and tensor is not None:
                raise AssertionError("save_for_forward expects all arguments to be tensors; you should save "
                                     "non-tensors as attributes on ctx.")
        self.saved_for_forward = tensors

    def mark_shared_storage(self, *pairs):
        """Do nothing: tensors that share memory are found without being declared."""
        warnings.warn("mark_shared_storage is deprecated. Tensors with shared storages are automatically tracked.",
                      FutureWarning, stacklevel=2)

    def mark_dirty(self, *tensors):
        """Declare inputs that `forward` changed in place; each must also be returned."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors):
        """Declare outputs that have no derivative; `backward` still receives a gradient of zeros for each."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value):
        """Choose whether `backward` receives zeros (the default) or None for outputs without a gradient."""
        if not isinstance(value, bool):
            raise TypeError("set_materialize_grads received an invalid combination of arguments - got "
                            f"({type(value).__name__}), but expected (bool)")
        self.materialize_grads = value

    @property
    def saved_tensors(self):
        """The tensors given to `save_for_backward`, checked to be unchanged."""
        if self._saved is None:
            raise RuntimeError(SECOND_BACKWARD)
        return tuple([saved and saved.unpack(self) for saved in self._saved])

    @property
    def saved_variables(self):
        """PyTorch's old name of `saved_tensors`."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    @property
    def requires_grad(self):
        """Whether any argument of `forward` requires a gradient."""
        return True in self.needs_input_grad


class FunctionNode(PythonNode, FunctionCtx):
    """The node of a call of a `Function`; each Function has a subclass of it."""

    _forward_cls = None
    _are_tensors = None  # for each argument of `forward`; None if all are
    _outputs = 1
    _saved = ()  # of SavedTensor or None; None once released
    _constants = {}  # {number of an output without history: (shape, dtype, device), None if it is no tensor}

    def apply(self, grads, *more):
        """Gradients of the tensor inputs of `forward` from those of its outputs: a tuple of them, or one by one."""
        if not isinstance(grads, tuple):
            grads = (grads, *more)
        for gradient in grads:
            if gradient is None:
                grads = self._materialize(grads)
                break
        if len(grads) != self._outputs:
            grads = self._materialize(grads)
        function = self._forward_cls
        backward = function.backward
        if function.vjp is not _no_backward:
            if backward is not _no_backward:
                raise RuntimeError(
                    "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                    "implement one of them."
                )
            backward = function.vjp
        found = backward(self, *grads)
        if type(found) is not tuple:
            found = (found,)
        if self._are_tensors is not None or len(found) != len(self.needs_input_grad):
            found = self._match(found)
        for gradient in found:
            if not isinstance(gradient, Tensor) and gradient is not None:
                raise self._error(f"expected Variable or None (got {type(gradient).__name__})")
        return found

    def release_variables(self):
        """Drop saved tensors; called by the engine after a backward pass without `retain_graph`."""
        self._saved = None

    def _materialize(self, grads):
        """One entry for each output of `forward`; zeros for a tensor without a gradient, unless switched off."""
        grads = list(grads) + [None] * (self._outputs - len(grads))
        if self.materialize_grads:
            for number, gradient in enumerate(grads):
                if gradient is None:
                    grads[number] = self._zeros(number)
        return grads

    def _zeros(self, number):
        if number in self._constants:
            metadata = self._constants[number]
            if metadata is None:
                return None  # the output was no tensor
            shape, dtype, device = metadata
        else:
            shape, dtype, backend, index = self.input_metadata(number)
            device = device_of(backend, index)
        return cygrad.zeros(shape, dtype=dtype, device=device)

    def _match(self, found):
        """The gradients that belong to tensor inputs; refuses a wrong number of them and gradients of other inputs."""
        expected = len(self.needs_input_grad)
        if len(found) > expected and all(gradient is None for gradient in found[expected:]):
            found = found[:expected]
        if len(found) != expected:
            raise self._error(
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(found)})"
            )
        if self._are_tensors is None:
            return found
        for position, (gradient, is_tensor) in enumerate(zip(found, self._are_tensors), 1):
            if gradient is not None and not is_tensor:
                raise self._error(
                    f"function {self.name()} returned a gradient different than None at position {position}, but the "
                    "corresponding forward input was not a Variable"
                )
        return [gradient for gradient, is_tensor in zip(found, self._are_tensors) if is_tensor]

    def _error(self, message):
        """PyTorch's message, with a note (shown from Python 3.11 on) of what `backward` should return."""
        function = self._forward_cls
        names = [parameter.name for parameter in parameters_of(function)]
        error = RuntimeError(message)
        error.__notes__ = [
            f"{function.__name__}.forward takes ({', '.join(names)}): return one gradient for each, None for an input "
            "that needs none."
        ]
        return error


class Function:
    """A differentiable function written by its user.

    Subclass it, define the static methods `forward` and `backward`, and call ``MyFunction.apply(...)``. `forward` runs
    without recording and takes the context first; or it takes the arguments alone, and the static method
    `setup_context` fills the context afterwards. `backward` takes the context and one gradient for each output, and
    returns one for each argument of `forward`, None for those that need none.

    Examples
    --------
    >>> import cygrad
    >>> class Cube(cygrad.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x**3
    ...
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return 3 * grad * x**2
    >>> x = cygrad.tensor(2.0, requires_grad=True)
    >>> y = Cube.apply(x)
    >>> y.backward()
    >>> x.grad
    tensor(12.)
    """

    _backward_cls = FunctionNode
    generate_vmap_rule = False

    def __init__(self, *args, **kwargs):
        warnings.warn(f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you "
                      "should invoke them on the class itself.", DeprecationWarning, stacklevel=2)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls._backward_cls = type(
            f"{cls.__name__}Backward", (FunctionNode,), {"_forward_cls": cls, "__module__": __name__}
        )

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            f"function with static forward method: call {type(self).__name__}.apply(...)."
        )

    @staticmethod
    def forward(*args, **kwargs):
        """Compute the outputs: a tensor, anything else, or a tuple of these. To be overridden."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Fill the context from the arguments (a tuple) and the output of a `forward` that takes no context."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Compute the gradients of the inputs from those of the outputs. To be overridden; `vjp` is another name."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """Forward-mode derivatives do not exist here."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info, in_dims, *args):
        """Batching transforms do not exist here."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args, **kwargs):
        """Call the function and, where an argument requires a gradient, record it."""
        forward = cls.forward
        splits = cls.setup_context is not _no_setup_context
        if kwargs or (splits and forward.__defaults__):
            args = _positional(forward, splits, args, kwargs)
        ctx = cls._backward_cls()
        ctx.needs_input_grad = needs = tuple([isinstance(value, Tensor) and value.requires_grad for value in args])
        mode = set_grad_mode(False)
        try:
            recorded = mode and True in needs
            if recorded:
                ctx.collect_next_edges(args)
                if ctx.num_inputs != len(args):
                    ctx._are_tensors = [isinstance(value, Tensor) for value in args]
            if splits:
                outputs = forward(*args)
                cls.setup_context(ctx, args, outputs)
            else:
                outputs = forward(ctx, *args)
            if type(outputs) is tuple:
                ctx._outputs = len(outputs)
                outputs = tuple(_attach(ctx, args, outputs, recorded))
            elif recorded and _is_new(ctx, args, outputs):
                ctx.set_history(outputs, 0)
            else:
                (outputs,) = _attach(ctx, args, (outputs,), recorded)
        finally:
            set_grad_mode(mode)
        if ctx.to_save:
            if recorded:
                ctx._saved = _saved(ctx)
            ctx.to_save = ()
        return outputs


CHANGED_VIEW_AND_MORE = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than "
    "one Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a "
    "view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it into two "
    "Functions: one doing the inplace that returns a single Tensor and a second one that does the other operations)."
)
_no_setup_context = Function.setup_context
_no_backward = Function.backward


def parameters_of(function):
    """The parameters of a Function's `forward` that stand for its arguments: all but the context."""
    import inspect  # slow to import, and seldom needed

    parameters = list(inspect.signature(function.forward).parameters.values())
    return parameters if function.setup_context is not _no_setup_context else parameters[1:]


def _positional(forward, splits, args, kwargs):
    """The arguments of `forward` by position: keywords put in their places; where it takes no context, defaults too."""
    import inspect
    signature = inspect.signature(forward)
    if splits:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = bound.args
    else:
        bound = signature.bind(None, *args, **kwargs)
        arguments = bound.args[1:]
    if bound.kwargs:
        raise TypeError(f"forward() got keyword-only arguments: {', '.join(bound.kwargs)}")
    return arguments


def _is_new(ctx, args, output):
    """Whether an output is a tensor that `forward` computed and said nothing about: the usual case, quickly told."""
    if type(output) is not Tensor or ctx.dirty_tensors or ctx.non_differentiable:
        return False
    for value in args:
        if value is output:
            return False
    return output.dtype.is_floating_point


def _attach(ctx, args, outputs, recorded):
    """Give the outputs of `forward` their history, or take it from them. Runs while nothing is recorded."""
    inputs = {id(value) for value in args if isinstance(value, Tensor)}
    dirty = _ids(ctx.dirty_tensors, "mark_dirty")
    non_differentiable = _ids(ctx.non_differentiable, "mark_non_differentiable")
    ctx.dirty_tensors = ctx.non_differentiable = ()  # no cycle ctx -> output -> ctx
    if not dirty.issubset(map(id, outputs)):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
            "modified inplace must all be outputs of the Function."
        )
    if not dirty.issubset(inputs):
        warnings.warn("ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been "
                      "mutated should be passed to ctx.mark_dirty().", stacklevel=3)
    for value in args:
        if id(value) in dirty:
            value._bump_version()  # `forward` may have changed it behind the library's back, through NumPy
    attached, constants = [], {}
    for number, output in enumerate(outputs):
        if not isinstance(output, Tensor):
            constants[number] = None
            attached.append(output)
            continue
        is_input, is_dirty = id(output) in inputs, id(output) in dirty
        differentiable = recorded and id(output) not in non_differentiable and _is_continuous(output)
        if not differentiable:
            constants[number] = output.shape, output.dtype, output.device
        if is_input and is_dirty:
            if differentiable:
                if len(outputs) > 1 and output._is_view():
                    raise RuntimeError(CHANGED_VIEW_AND_MORE)
                if output.requires_grad and output.is_leaf:
                    raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
                set_grad_mode(True)
                output._check_inplace()
                set_grad_mode(False)
                rebase_history(output, ctx, number)
            elif output.requires_grad:
                output = output.detach()
        elif differentiable:
            if is_input:
                output = output.view_as(output)
            ctx.set_history(output, number, len(outputs) == 1)
        elif is_input or output.requires_grad:
            output = output.detach()
        attached.append(output)
    ctx._constants = constants
    return attached


def _is_continuous(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


def _ids(tensors, method):
    for position, value in enumerate(tensors):
        if not isinstance(value, Tensor):
            raise RuntimeError(
                f"{method} can only accept variables, but argument {position} is of type {type(value).__name__}"
            )
    return {id(tensor) for tensor in tensors}


def _saved(ctx):
    """What `save_for_backward` got, with versions; outputs without their history, which would be a cycle."""
    saved = []
    for position, value in enumerate(ctx.to_save):
        if isinstance(value, Tensor):
            saved.append(SavedTensor(value, None, value.grad_fn is ctx))
        elif value is None:
            saved.append(None)
        else:
            raise TypeError(
                f"save_for_backward can only save variables, but argument {position} is of type {type(value).__name__}"
            )
    return saved


def once_differentiable(backward):
    """Decorate a `backward` that is not itself differentiable: a second derivative through it raises."""

    @functools.wraps(backward)
    def wrapper(ctx, *grads):
        mode = set_grad_mode(False)
        try:
            outputs = backward(ctx, *grads)
        finally:
            set_grad_mode(mode)
        if not mode or not any(isinstance(value, Tensor) and value.requires_grad for value in grads):
            return outputs
        many = isinstance(outputs, tuple)
        blocked = _Twice.apply(
            *[
                value.detach().requires_grad_() if isinstance(value, Tensor) else value
                for value in (outputs if many else (outputs,))
            ]
        )
        return blocked if many else blocked[0]

    return wrapper


class _Twice(Function):
    """The identity, for gradients that can't be differentiated again."""

    @staticmethod
    def forward(ctx, *gradients):
        return gradients

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


_Twice._backward_cls.__name__ = "Error"  # what PyTorch calls the node
