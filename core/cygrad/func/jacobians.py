"""`jacrev`, `jacfwd` and `hessian`: whole Jacobians, the vectors of a basis being a batch."""
import functools

import cygrad
from cygrad.autograd.functional import _construct_standard_basis_for
from cygrad.func.arguments import differentiated, outside_inference, refuse_complex, replaced
from cygrad.func.vmapping import vmap
from cygrad.func.forward import jvp_of
from cygrad.func.reverse import vjp_of
from cygrad.utils._pytree import tree_flatten, tree_map, tree_unflatten


def basis(tensors):
    """For each tensor the parts of the vectors of the standard basis of all of them, along axis 0."""
    rows = _construct_standard_basis_for(tensors, tuple(t.numel() for t in tensors))
    return [part.view(part.shape[0], *t.shape) for part, t in zip(rows, tensors)]


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    """The function that computes the Jacobian of `func` in reverse mode.

    Parameters
    ----------
    func : callable
        Returns a nest of real tensors; with `has_aux`, a pair of one and a nest of tensors.
    argnums : int or tuple of int
        The arguments that it is differentiated by.
    has_aux : bool
    chunk_size : int, optional
        How many rows are computed at once; all by default.

    Returns
    -------
    callable
        Of func's arguments. In the place of each output stands a nest like the arguments (`argnums`), of tensors of the
        output's shape followed by the argument's.

    Raises
    ------
    ValueError
        If `chunk_size` is not positive.
    RuntimeError
        For complex arguments or outputs.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.func.jacrev(cygrad.sin)(cygrad.tensor([0., 0.]))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    @outside_inference
    def wrapper(*args):
        refuse_complex("jacrev", tree_flatten(args)[0], "inputs")
        values = differentiated(args, argnums)
        output, product, aux = vjp_of(lambda values: func(*replaced(args, argnums, values)), values, has_aux)
        outputs, spec = tree_flatten(output)
        refuse_complex("jacrev", outputs, "outputs")
        inputs, inputs_spec = tree_flatten(values)
        found = map(laid_out, rows(product, basis(outputs), spec, chunk_size))
        sizes = [each.numel() for each in outputs]
        made = []
        for each, *parts in zip(outputs, *(part.split(sizes) for part in found)):
            parts = [part.reshape((*each.shape, *x.shape)) for part, x in zip(parts, inputs)]
            made.append(tree_unflatten(parts, inputs_spec))
        result = tree_unflatten(made, spec)
        return (result, aux) if has_aux else result
    return wrapper


def laid_out(part):
    """Inside of `vmap`, what there is of one example lies together, before that of the next."""
    return part if type(part) is cygrad.Tensor else part.contiguous()


def rows(product, vectors, spec, chunk_size):
    """The products of all vectors of a basis, for each argument along axis 0."""
    def flat(cotangents):
        return tuple(tree_flatten(product(cotangents))[0])
    if chunk_size == 1:
        made = [flat(tree_unflatten([vector[i] for vector in vectors], spec)) for i in range(vectors[0].shape[0])]
        return [cygrad.cat([row.unsqueeze(0) for row in each]) for each in zip(*made)]
    return vmap(lambda *each: flat(tree_unflatten(each, spec)), chunk_size=chunk_size)(*vectors)


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """The function that computes the Jacobian of `func` in forward mode.

    Parameters
    ----------
    func : callable
        Returns a nest of real tensors; with `has_aux`, a pair of one and a nest of tensors.
    argnums : int or tuple of int
        The arguments that it is differentiated by.
    has_aux : bool
    randomness : {"error", "different", "same"}
        As in `vmap`.

    Returns
    -------
    callable
        Of func's arguments; returns what `jacrev` returns.

    Raises
    ------
    RuntimeError
        For complex arguments or outputs.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.func.jacfwd(lambda x: x ** 2)(cygrad.tensor([1., 2.]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    @functools.wraps(func)
    @outside_inference
    def wrapper(*args):
        refuse_complex("jacfwd", tree_flatten(args)[0], "inputs")
        values = args if argnums is None else differentiated(args, argnums)
        inputs, inputs_spec = tree_flatten(values)
        kept = {}

        def push(*vectors):
            def call(values):
                return func(*(values if argnums is None else replaced(args, argnums, values)))
            found = jvp_of(call, values, tree_unflatten(vectors, inputs_spec), has_aux=has_aux)
            outputs, kept["spec"] = tree_flatten(found[1])
            refuse_complex("jacfwd", outputs, "outputs")
            kept["aux"] = found[2] if has_aux else None
            return tuple(outputs), tuple(t for t in tree_flatten(kept["aux"])[0] if isinstance(t, cygrad.Tensor))

        columns, extras = vmap(push, randomness=randomness)(*basis(inputs))
        made = []
        for column in map(laid_out, columns):
            parts = column.movedim(0, -1).split([x.numel() for x in inputs], -1)
            parts = [part.view((*part.shape[:-1], *x.shape)) if x.dim() else part.squeeze(-1)
                     for part, x in zip(parts, inputs)]
            made.append(tree_unflatten(parts, inputs_spec))
        result = tree_unflatten(made, kept["spec"])
        if not has_aux:
            return result
        first = iter(extras)
        return result, tree_map(lambda t: next(first)[0] if isinstance(t, cygrad.Tensor) else t, kept["aux"])
    return wrapper


def hessian(func, argnums=0):
    """The function that computes the matrix of second derivatives of `func`, forward over reverse.

    Parameters
    ----------
    func : callable
        Returns a nest of real tensors.
    argnums : int or tuple of int
        The arguments that it is differentiated by.

    Returns
    -------
    callable
        Of func's arguments; returns ``jacfwd(jacrev(func))``.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.func.hessian(lambda x: (x ** 3).sum())(cygrad.tensor([1., 2.]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
