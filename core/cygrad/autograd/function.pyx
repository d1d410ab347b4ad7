# distutils: extra_compile_args = -Os
"""Custom differentiable functions: `Function`, whose `forward` and `backward` a user writes.

Each subclass gets a node class of its own, so that ``type(y.grad_fn).__name__`` reads ``MyFunctionBackward``. What a
call does is in `context`.
"""
import functools

from cygrad.autograd.context cimport applied
from cygrad.autograd.forward_levels import requiring_gradient
from cygrad.tensor cimport Tensor

from cygrad.autograd.context import FunctionCtx, FunctionNode, know_defaults, node_type
from cygrad.autograd.modes import set_grad_mode
from cygrad.errors import warn

__all__ = ["Function", "FunctionCtx", "once_differentiable"]


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
        warn(f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you "
             "should invoke them on the class itself.", DeprecationWarning)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls._backward_cls = node_type(cls, __name__)

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
        """Compute the tangents of the outputs from those of the inputs (None where there is none). To be overridden."""
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
        return applied(cls, args, kwargs)


class InplaceFunction(Function):
    """A Function that may be told to write in place (``inplace=True``); kept for old code.

    Parameters
    ----------
    inplace : bool
        Is kept as the attribute of this name.
    """

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


know_defaults(Function.setup_context, Function.backward)


def once_differentiable(backward):
    """Decorate a `backward` that is not itself differentiable: a second derivative through it raises.

    Parameters
    ----------
    backward : callable
        The static method of a `Function`.

    Returns
    -------
    callable
        The method to put in its place.

    Examples
    --------
    >>> import cygrad
    >>> class Double(cygrad.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return 2 * x
    ...     @staticmethod
    ...     @cygrad.autograd.function.once_differentiable
    ...     def backward(ctx, grad):
    ...         return 2 * grad
    ...
    >>> x = cygrad.ones(1, requires_grad=True)
    >>> Double.apply(x).backward()
    >>> x.grad
    tensor([2.])
    """

    @functools.wraps(backward)
    def wrapper(ctx, *grads):
        mode = set_grad_mode(False)
        try:
            outputs = backward(ctx, *grads)
        finally:
            set_grad_mode(mode)
        if not mode or not any([isinstance(value, Tensor) and value.requires_grad for value in grads]):
            return outputs
        given = outputs if isinstance(outputs, tuple) else (outputs,)
        # None is an input of the node, too, as a tensor that no gradient belongs to.
        blocked = final.apply(
            "trying to differentiate twice a function that was marked with @once_differentiable",
            *[requiring_gradient(value.detach()) if isinstance(value, Tensor) else
              Tensor() if value is None else value for value in given]
        )
        blocked = blocked if isinstance(blocked, tuple) else (blocked,)
        blocked = tuple([found if value is not None else None for found, value in zip(blocked, given)])
        return blocked if isinstance(outputs, tuple) else blocked[0]

    return wrapper


class final(Function):
    """The identity, for gradients that can't be differentiated again: that raises a RuntimeError of given words."""

    generate_vmap_rule = True

    @staticmethod
    def forward(words, *gradients):
        return gradients if len(gradients) != 1 else gradients[0]

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.words = inputs[0]

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError(ctx.words)


final._backward_cls.__name__ = "Error"  # what PyTorch calls the node
