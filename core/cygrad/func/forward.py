"""`jvp` and `linearize`: derivatives of functions in forward mode, each inside a level of its own."""
import cygrad
from cygrad.autograd.forward_ad import with_tangent, without_tangent
from cygrad.autograd.forward_mode import enter_level, leave_level
from cygrad.batching.levels import differentiating, dual
from cygrad.func.arguments import as_tensor, check_list, check_tensors, outside_inference, output_and_aux
from cygrad.utils._pytree import tree_flatten, tree_map, tree_unflatten

_CALLER = "jvp(f, primals, tangents)"


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """The value of a function, and the product of its Jacobian with a vector.

    Parameters
    ----------
    func : callable
        Returns a nest of tensors; with `has_aux`, a pair of one and a nest of tensors.
    primals : tuple of nests of Tensor
        Its arguments.
    tangents : tuple
        The vector: a nest like `primals`.
    strict : bool
        Refuse an output that does not depend on the arguments, instead of giving zeros.
    has_aux : bool

    Returns
    -------
    tuple
        (output, product), with `has_aux` (output, product, aux).

    Raises
    ------
    RuntimeError
        If the structures differ, or `func` returns anything but tensors.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.func.jvp(cygrad.sin, (cygrad.tensor(0.),), (cygrad.tensor(2.),))
    (tensor(0.), tensor(2.))
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{_CALLER}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    return jvp_of(lambda values: func(*values), primals, tangents, strict, has_aux)


@outside_inference
def jvp_of(function, primals, tangents, strict=False, has_aux=False):
    """`jvp` of a function of one nest."""
    flat, spec = tree_flatten(primals)
    vectors, found = tree_flatten(tangents)
    if spec != found:
        raise RuntimeError(f"{_CALLER}: Expected primals and tangents to have the same python structure. For example, "
                           "if primals is a tuple of 3 tensors, tangents also must be. Got primals with structure "
                           f"{spec} and tangents with structure {found}")
    check_list(flat, _CALLER, "primals")
    check_list(vectors, _CALLER, "tangents")
    for value, vector in zip(flat, vectors):
        for what, each in (("primal", value), ("tangent", vector)):
            if not (each.is_floating_point() or each.is_complex()):
                raise ValueError(f"Expected {what} to be floating point or complex, but got: {each.dtype}")
    level = enter_level()
    try:
        duals = [dual(value, vector, lambda x, t: with_tangent(x.clone() if x.is_inference() else x, t, level))
                 for value, vector in zip(flat, vectors)]       # on tensors of inference mode nothing is tracked
        with differentiating():
            output, aux = function(tree_unflatten(duals, spec)), None
        if has_aux:
            output, aux = output_and_aux(output, _CALLER)
        outputs, spec = tree_flatten(output)
        check_tensors(outputs, _CALLER)
        pairs = [unpacked(each, level, strict) for each in outputs]
        aux = tree_map(lambda x: unpacked(as_tensor(x), level, False)[0], aux) if has_aux else None
    finally:
        leave_level(level)
    values, products = (tree_unflatten(side, spec) for side in zip(*pairs)) if pairs else (output, output)
    return (values, products, aux) if has_aux else (values, products)


def unpacked(output, level, strict):
    """The value and the tangent of an output, zeros where it has none."""
    from cygrad.batching.levels import parted      # start-up time
    primal, tangent = parted(output, lambda x: without_tangent(x, level))
    if tangent is None:
        if strict:
            raise RuntimeError("jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. "
                               "This is not allowed with strict=True.")
        tangent = cygrad.zeros_like(primal)
    return primal, tangent


def linearize(func, *primals):
    """The value of a function, and the function that multiplies its Jacobian there with vectors.

    Parameters
    ----------
    func : callable
        Returns a nest of tensors.
    *primals : nests of Tensor
        Its arguments.

    Returns
    -------
    tuple
        (output, jvp_fn); ``jvp_fn`` takes tangents like the arguments and returns a nest like the output.

    Examples
    --------
    >>> import cygrad
    >>> y, product = cygrad.func.linearize(lambda x: x ** 2, cygrad.tensor([1., 2.]))
    >>> product(cygrad.tensor([1., 1.]))
    tensor([2., 4.])
    """
    flat, spec = tree_flatten(primals)
    output = func(*primals)
    constants = tree_unflatten([primal.detach().requires_grad_(primal.requires_grad) for primal in flat], spec)

    def product(*tangents):
        vectors, found = tree_flatten(tangents)
        if found != spec:
            raise RuntimeError(f"Expected the tangents {found} to have the same argspec as the primals {spec}")
        for i, (vector, primal) in enumerate(zip(vectors, flat)):
            for what in ("shape", "device", "dtype"):
                mine, its = getattr(vector, what), getattr(primal, what)
                if mine != its:
                    raise RuntimeError(f"tangent:{i} with {what} {mine} in flattened pytree doesn't match the {what} "
                                       f"{its} of the corresponding primal.".replace("cygrad.", "torch."))
        return jvp(func, constants, tangents)[1]
    return output, product
