"""`grad`, `grad_and_value` and `vjp`: derivatives of functions by backward passes.

A function is called on fresh stand-ins for its arguments, and the pass asks for their gradients alone: so derivatives
nest without levels, since the graph itself says what depends on which stand-in. A stand-in is connected to its argument
where a graph around it is wanted. Inside `vmap` arguments are first spread over the batch, so that each of its elements
has a gradient of its own.
"""
import functools

import cygrad
from cygrad.autograd.backward import depends_beyond
from cygrad.autograd.forward_levels import requires_backward
from cygrad.autograd.forward_mode import plain
from cygrad.autograd.modes import grad_mode, set_grad_mode
from cygrad.autograd.node import stands_in
from cygrad.autograd.graph import disable_saved_tensors_hooks
from cygrad.batching.levels import bare, differentiating, dressed, spread, whole
from cygrad.func.arguments import (as_tensor, check_tensors, differentiated, outside_inference, output_and_aux,
                                   replaced)
from cygrad.ops.shape.views import alias
from cygrad.tensor import Tensor
from cygrad.utils._pytree import tree_flatten, tree_map, tree_unflatten


_NO_HOOKS = ("torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with "
             "your use case.")


class Recorded:
    """A call of a function whose stand-ins for `values`, a nest of tensors, can be differentiated.

    Attributes
    ----------
    spec : TreeSpec
        Of `values`.
    output, aux : object
        What the function returned, with the graph of the call.
    """

    @outside_inference
    def __init__(self, function, values, has_aux, caller):
        self.mode = grad_mode()
        flat, self.spec = tree_flatten(values)
        for value in flat:
            if not isinstance(value, Tensor):
                raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
        set_grad_mode(1)
        try:
            pairs = [bare(spread(value)) for value in flat]
            self.values = [value for value, _ in pairs]
            self.leaves = list(map(stand_in, self.values))
            self.dress = [dress for _, dress in pairs]
            stand_ins = list(map(dressed, self.leaves, self.dress))
            with differentiating(), disable_saved_tensors_hooks(_NO_HOOKS):
                self.output, self.aux = function(tree_unflatten(stand_ins, self.spec)), None
            if has_aux:
                self.output, self.aux = output_and_aux(self.output, caller)
        finally:
            set_grad_mode(self.mode)

    @outside_inference
    def gradients(self, outputs, cotangents, retain_graph):
        """The gradients of the stand-ins, as a nest like the arguments; zeros where there is none."""
        pairs = [(output, cotangent) for output, cotangent in zip(map(undressed, outputs), cotangents)
                 if output.requires_grad]
        found = [None] * len(self.leaves)
        if pairs:
            outputs, cotangents = zip(*pairs)
            graph = grad_mode() == 1 and (depends_beyond(outputs, self.leaves) or any(
                requires_backward(undressed(t)) for t in cotangents))
            found = cygrad.autograd.grad(outputs, self.leaves, cotangents, retain_graph=retain_graph or graph,
                                         create_graph=graph, allow_unused=True)
            for gradient in found:
                if gradient is not None and not gradient.is_inference() and gradient._version:
                    gradient._count_from(0)                 # PyTorch records the pass, and so adds nothing in place
        found = [cygrad.zeros_like(leaf) if gradient is None else gradient
                 for leaf, gradient in zip(self.leaves, found)]
        return tree_unflatten([dressed(*pair) for pair in zip(found, self.dress)], self.spec)

    @outside_inference
    def outside(self, nest):
        """Results as they are outside of the derivative: with a graph if something there can be differentiated."""
        def freed(value):
            inner, dress = bare(as_tensor(value))
            if not requires_backward(inner):
                return value
            for leaf, argument in zip(self.leaves, self.values):
                if inner is leaf and not dress:
                    return argument
            kept = self.mode == 1 and depends_beyond([inner], self.leaves)
            return value if kept else dressed(plain(inner), dress)
        return tree_map(freed, nest)


def stand_in(value):
    """A fresh tensor to differentiate by, connected to `value` where that has a graph."""
    if requires_backward(value):
        made = alias(value)                     # whose gradient is no view
        stands_in(made.grad_fn)
        return made
    made = value.clone() if value.is_inference() else plain(value)
    made.requires_grad = True
    return made


def undressed(value):
    return bare(value)[0]


def grad_and_value(func, argnums=0, has_aux=False):
    """The function that computes the gradient of `func` and its value.

    Parameters
    ----------
    func : callable
        Returns a tensor without axes; with `has_aux`, a pair of one and a nest of tensors.
    argnums : int or tuple of int
        The arguments, nests of tensors, that it is differentiated by.
    has_aux : bool

    Returns
    -------
    callable
        Of func's arguments; returns (gradient, value), with `has_aux` (gradient, (value, aux)).

    Raises
    ------
    RuntimeError
        If `func` returns anything but a tensor without axes.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.func.grad_and_value(lambda x: (x * x).sum())(cygrad.tensor([1., 2.]))
    (tensor([2., 4.]), tensor(5.))
    """
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        caller = "grad_and_value(f)(*args)"
        call = Recorded(lambda values: func(*replaced(args, argnums, values), **kwargs), differentiated(args, argnums),
                        has_aux, caller)
        output = call.output
        if not isinstance(output, Tensor):
            raise RuntimeError(f"{caller}: Expected f(*args) to return a Tensor, got {type(output)}")
        if output.dim():
            raise RuntimeError(f"{caller}: Expected f(*args) to return a scalar Tensor, got tensor with "
                               f"{output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?")
        if not output.is_floating_point() and output.requires_grad:
            raise RuntimeError("grad can be implicitly created only for real scalar outputs but got "
                               f"torch.{output.dtype.name}")
        gradient = call.gradients([output], [cygrad.ones_like(undressed(output))], False)
        value = call.outside(output)
        return (gradient, (value, call.outside(call.aux))) if has_aux else (gradient, value)
    return wrapper


def grad(func, argnums=0, has_aux=False):
    """The function that computes the gradient of `func`.

    Parameters
    ----------
    func : callable
        Returns a tensor without axes; with `has_aux`, a pair of one and a nest of tensors.
    argnums : int or tuple of int
        The arguments, nests of tensors, that it is differentiated by.
    has_aux : bool

    Returns
    -------
    callable
        Of func's arguments; returns the gradient, with `has_aux` (gradient, aux).

    Raises
    ------
    RuntimeError
        If `func` returns anything but a tensor without axes.

    Examples
    --------
    >>> import cygrad
    >>> slope = cygrad.func.grad(cygrad.sin)
    >>> slope(cygrad.tensor(0.)), cygrad.func.grad(slope)(cygrad.tensor(0.))
    (tensor(1.), tensor(-0.))
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        gradient, rest = both(*args, **kwargs)
        return (gradient, rest[1]) if has_aux else gradient
    return wrapper


def vjp(func, *primals, has_aux=False):
    """The value of a function, and the function that multiplies vectors with its Jacobian.

    Parameters
    ----------
    func : callable
        Returns a nest of tensors; with `has_aux`, a pair of one and a nest of tensors.
    *primals : nests of Tensor
        Its arguments.
    has_aux : bool

    Returns
    -------
    tuple
        (output, vjp_fn), with `has_aux` (output, vjp_fn, aux). ``vjp_fn`` takes a nest like the output and returns the
        tuple of products, one for each argument.

    Raises
    ------
    RuntimeError
        If `func` returns anything but tensors of floating-point or complex dtype.

    Examples
    --------
    >>> import cygrad
    >>> y, product = cygrad.func.vjp(lambda x: x ** 2, cygrad.tensor([1., 2.]))
    >>> product(cygrad.tensor([1., 10.]))
    (tensor([ 2., 40.]),)
    """
    output, product, aux = vjp_of(lambda values: func(*values), primals, has_aux)
    return (output, product, aux) if has_aux else (output, product)


def vjp_of(function, values, has_aux):
    """`vjp` of a function of one nest: (output, vjp_fn, aux)."""
    call = Recorded(function, values, has_aux, "vjp(f, *primals)")
    outputs, spec = tree_flatten(call.output)
    check_tensors(outputs, "vjp(f, *primals)")
    for each in outputs:
        if not (each.is_floating_point() or each.is_complex()):
            raise RuntimeError("vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor "
                               f"with dtype {each.dtype}".replace("cygrad.", "torch."))

    def product(cotangents, retain_graph=True, create_graph=None):
        flat, found = tree_flatten(cotangents)
        if found != spec:
            raise RuntimeError("Expected pytree structure of cotangents to be the same as pytree structure of outputs "
                               f"to the function. cotangents: {found}, primal output: {spec}")
        return call.gradients(outputs, list(map(fitting, flat, outputs)), retain_graph)
    return call.outside(call.output), product, call.outside(call.aux) if has_aux else None


def fitting(cotangent, output):
    """A cotangent with the batches that its output has, in their places."""
    for level in bare(output)[1]:
        cotangent = whole(cotangent, level)
    return cotangent
