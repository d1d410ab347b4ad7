"""Jacobians, Hessians and products with them, of functions from tensors to tensors.

Nearly everything is built from `autograd.grad` (forward mode is that of `cygrad.func`): a Jacobian is one backward pass
per output element, a Jacobian-vector product the derivative of a vector-Jacobian product with respect to its vector
(the double-backward trick).

A function's inputs and outputs are each one tensor or a tuple of tensors, and results nest the same way. With
``strict=True`` an output that does not depend on an input is an error; without, its derivative is zero.
"""

import cygrad
from cygrad.autograd.forward_levels import requiring_gradient
from cygrad.autograd.grad_mode import enable_grad, set_grad_enabled

__all__ = ["jacobian", "hessian", "vjp", "jvp", "vhp", "hvp"]

_INPUTS = "inputs"
_OUTPUTS = "outputs of the user-provided function"
_NOT_STRICT = "This is not allowed in strict mode"


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """Compute the Jacobian of a function.

    Parameters
    ----------
    func : callable
        Takes the inputs, returns a tensor or a tuple of tensors.
    inputs : Tensor or tuple of Tensor
        Where to take the derivative.
    create_graph : bool, default False
        Whether the result can itself be differentiated.
    strict : bool, default False
        Whether an output independent of an input is an error.
    vectorize : bool, default False
        Accepted as a hint.
    strategy : str
        "reverse-mode", or "forward-mode", which asks for `vectorize`.

    Returns
    -------
    Tensor or (nested) tuple of Tensor
        ``jacobian[i][j]`` has shape ``outputs[i].shape + inputs[j].shape``.

    Raises
    ------
    TypeError
        If inputs or outputs are neither a tensor nor a tuple of tensors.
    RuntimeError
        In strict mode, if an output is independent of an input.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.autograd.functional.jacobian(lambda x: x * x, cygrad.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    _check_strategy(create_graph, strict, vectorize, strategy)
    with enable_grad():
        many_inputs, inputs = _as_tuple(inputs, _INPUTS, "jacobian")
        if strategy == "forward-mode":
            return _jacobian_by_tangents(func, inputs, many_inputs)
        inputs = _fresh(inputs, create_graph)
        many_outputs, outputs = _as_tuple(func(*inputs), _OUTPUTS, "jacobian")
        _require_grad(outputs, "outputs", strict)
        rows = tuple(
            _jacobian_of_output(index, output, inputs, create_graph, strict) for index, output in enumerate(outputs)
        )
    return _tuple_postprocess(_grad_postprocess(rows, create_graph), (many_outputs, many_inputs))


def _jacobian_by_tangents(func, inputs, many_inputs):
    from cygrad.func.forward import jvp_of      # start-up time
    from cygrad.func.vmapping import vmap       # start-up time
    counts, kept = [x.numel() for x in inputs], {}

    def push(*tangents):
        def call(values):
            kept["many"], outputs = _as_tuple(func(*values), _OUTPUTS, "jacobian")
            return outputs
        return jvp_of(call, inputs, tuple(t.view(x.shape) for t, x in zip(tangents, inputs)))[1]

    columns = vmap(push)(*_construct_standard_basis_for(inputs, counts))
    blocks = tuple(tuple(part.permute(*range(1, part.dim()), 0).reshape((*part.shape[1:], *x.shape))
                         for part, x in zip(column.split(counts), inputs)) for column in columns)
    return _tuple_postprocess(blocks, (kept["many"], many_inputs))


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """Compute the Hessian of a function that returns one element.

    Parameters
    ----------
    func, inputs, create_graph, strict, vectorize
        As for `jacobian`.
    outer_jacobian_strategy : str
        How the gradient is differentiated: "reverse-mode" or "forward-mode".

    Returns
    -------
    Tensor or (nested) tuple of Tensor
        ``hessian[i][j]`` has shape ``inputs[i].shape + inputs[j].shape``.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.autograd.functional.hessian(lambda x: (x**3).sum(), cygrad.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    many_inputs, inputs = _as_tuple(inputs, _INPUTS, "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def one_element(*inputs):
        many, outputs = _as_tuple(func(*inputs), _OUTPUTS, "hessian")
        _require_grad(outputs, "outputs", strict)
        return _single_element(many, outputs, "hessian").squeeze()

    def gradient(*inputs):
        if outer_jacobian_strategy == "forward-mode":
            inputs = tuple(x if x.requires_grad else requiring_gradient(x) for x in inputs)
        jacobians = jacobian(one_element, inputs, create_graph=True)
        _require_grad(jacobians, "jacobian", strict)
        return jacobians

    blocks = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return blocks if many_inputs else blocks[0][0]


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute the product of a vector `v` with the Jacobian of a function.

    Parameters
    ----------
    func, inputs, create_graph, strict
        As for `jacobian`.
    v : Tensor or tuple of Tensor, optional
        The vector, shaped as the outputs; may be left out when the output is one element.

    Returns
    -------
    outputs : Tensor or tuple of Tensor
        ``func(*inputs)``.
    vjp : Tensor or tuple of Tensor
        The product, shaped as the inputs.

    Examples
    --------
    >>> import cygrad
    >>> F = cygrad.autograd.functional
    >>> F.vjp(lambda x: x * x, cygrad.tensor([1.0, 2.0]), cygrad.tensor([1.0, 1.0]))[1]
    tensor([2., 4.])
    """
    with enable_grad():
        many_inputs, inputs = _as_tuple(inputs, _INPUTS, "vjp")
        inputs = _fresh(inputs, create_graph)
        many_outputs, outputs = _as_tuple(func(*inputs), _OUTPUTS, "vjp")
        _require_grad(outputs, "outputs", strict)
        v = _vector(v, outputs, many_outputs, create_graph, "vjp", "user-provided function returns")
    with set_grad_enabled(create_graph or cygrad.is_grad_enabled()):
        products = _grad(outputs, inputs, v, create_graph)
        products = _zeros_for_missing(products, inputs, strict, create_graph, "back")
    outputs, products = _grad_postprocess((outputs, products), create_graph)
    return outputs if many_outputs else outputs[0], products if many_inputs else products[0]


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute the product of the Jacobian of a function with a vector `v`.

    Parameters
    ----------
    func, inputs, create_graph, strict
        As for `jacobian`.
    v : Tensor or tuple of Tensor, optional
        The vector, shaped as the inputs; may be left out when those are one element.

    Returns
    -------
    tuple
        ``func(*inputs)``, and the product, shaped as the outputs.

    Notes
    -----
    It takes two backward passes: the vector-Jacobian product is linear in its vector, so that its derivative with
    respect to that vector is the Jacobian's transpose.

    Examples
    --------
    >>> import cygrad
    >>> F = cygrad.autograd.functional
    >>> F.jvp(lambda x: x * x, cygrad.tensor([1.0, 2.0]), cygrad.tensor([1.0, 1.0]))[1]
    tensor([2., 4.])
    """
    with enable_grad():
        many_inputs, inputs = _as_tuple(inputs, _INPUTS, "jvp")
        inputs = _fresh(inputs, create_graph)
        v = _vector(v, inputs, many_inputs, create_graph, "jvp", "input to the user-provided function is")
        many_outputs, outputs = _as_tuple(func(*inputs), _OUTPUTS, "jvp")
        _require_grad(outputs, "outputs", strict)
        dummies = tuple(cygrad.zeros_like(output, requires_grad=True) for output in outputs)
        transposed = _grad(outputs, inputs, dummies, create_graph=True)
        transposed = _zeros_for_missing(transposed, inputs, strict, False, "back")
        _require_grad(transposed, "gradients", strict)
    with set_grad_enabled(create_graph or cygrad.is_grad_enabled()):
        products = _grad(transposed, dummies, v, create_graph)
        products = _zeros_for_missing(products, outputs, strict, create_graph, "back_trick")
    outputs, products = _grad_postprocess((outputs, products), create_graph)
    return (outputs, products) if many_outputs else (outputs[0], products[0])


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute the product of a vector `v` with the Hessian of a function that returns one element.

    Parameters
    ----------
    func, inputs, create_graph, strict
        As for `jacobian`.
    v : Tensor or tuple of Tensor, optional
        The vector, shaped as the inputs; may be left out when those are one element.

    Returns
    -------
    tuple
        ``func(*inputs)``, and the product, shaped as the inputs.

    Notes
    -----
    Cheaper than `hvp`, and equal to it where the second derivatives are continuous (the Hessian is symmetric there).

    Examples
    --------
    >>> import cygrad
    >>> F = cygrad.autograd.functional
    >>> F.vhp(lambda x: (x ** 3).sum(), cygrad.tensor([1.0, 2.0]), cygrad.tensor([1.0, 1.0]))[1]
    tensor([ 6., 12.])
    """
    with enable_grad():
        many_inputs, inputs, v, outputs, gradients = _gradient_for_product(
            func, inputs, v, create_graph, strict, "vhp"
        )
    with set_grad_enabled(create_graph or cygrad.is_grad_enabled()):
        products = _grad(gradients, inputs, v, create_graph)
        products = _zeros_for_missing(products, inputs, strict, create_graph, "double_back")
    outputs, products = _grad_postprocess((outputs, products), create_graph)
    return outputs[0], products if many_inputs else products[0]


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute the product of the Hessian of a function that returns one element with a vector `v`.

    Parameters
    ----------
    func, inputs, create_graph, strict
        As for `jacobian`.
    v : Tensor or tuple of Tensor, optional
        As for `vhp`, which is the cheaper of the two.

    Returns
    -------
    tuple
        ``func(*inputs)``, and the product, shaped as the inputs.

    Examples
    --------
    >>> import cygrad
    >>> F = cygrad.autograd.functional
    >>> F.hvp(lambda x: (x ** 3).sum(), cygrad.tensor([1.0, 2.0]), cygrad.tensor([1.0, 1.0]))[1]
    tensor([ 6., 12.])
    """
    with enable_grad():
        many_inputs, inputs, v, outputs, gradients = _gradient_for_product(
            func, inputs, v, create_graph, strict, "hvp"
        )
        dummies = tuple(cygrad.zeros_like(tensor, requires_grad=True) for tensor in inputs)
        transposed = _grad(gradients, inputs, dummies, create_graph=True)
        transposed = _zeros_for_missing(transposed, inputs, strict, False, "double_back")
        _require_grad(transposed, "hessian", strict)
    with set_grad_enabled(create_graph or cygrad.is_grad_enabled()):
        products = _grad(transposed, dummies, v, create_graph)
        products = _zeros_for_missing(products, inputs, strict, create_graph, "double_back_trick")
    outputs, products = _grad_postprocess((outputs, products), create_graph)
    return outputs[0], products if many_inputs else products[0]


# -- pieces ------------------------------------------------------------------------------------------------------------


def _jacobian_of_output(index, output, inputs, create_graph, strict):
    """One tensor of shape ``output.shape + input.shape`` for each input."""
    rows = tuple([] for _ in inputs)
    flat = output.flatten()
    for position in range(output.numel()):
        gradients = _grad((flat[position],), inputs, create_graph=create_graph, retain_graph=True)
        for number, (row, gradient, tensor) in enumerate(zip(rows, gradients, inputs)):
            if gradient is None:
                if strict:
                    raise RuntimeError(
                        f"Output {index} of the user-provided function is independent of input {number}. {_NOT_STRICT}."
                    )
                gradient = cygrad.zeros_like(tensor)
            elif strict and create_graph and not gradient.requires_grad:
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {number}. {_NOT_STRICT} when "
                    "create_graph=True."
                )
            row.append(gradient.rename(None) if gradient.has_names() else gradient)
    return tuple(
        cygrad.stack(row).reshape(output.shape + tensor.shape) for row, tensor in zip(rows, inputs)
    )


def _gradient_for_product(func, inputs, v, create_graph, strict, caller):
    """The part that `vhp` and `hvp` share: the gradient of `func`, with a graph."""
    many_inputs, inputs = _as_tuple(inputs, _INPUTS, caller)
    inputs = _fresh(inputs, create_graph)
    v = _vector(v, inputs, many_inputs, create_graph, caller, "input to the user-provided function is")
    many_outputs, outputs = _as_tuple(func(*inputs), _OUTPUTS, caller)
    _require_grad(outputs, "outputs", strict)
    _single_element(many_outputs, outputs, caller)
    gradients = _grad(outputs, inputs, create_graph=True)
    gradients = _zeros_for_missing(gradients, inputs, strict, False, "back")
    _require_grad(gradients, "jacobian", strict)
    return many_inputs, inputs, v, outputs, gradients


def _grad(outputs, inputs, grad_outputs=None, create_graph=False, retain_graph=None):
    """`autograd.grad` that skips outputs without a graph; None for an input that nothing depends on."""
    if grad_outputs is None:
        grad_outputs = (None,) * len(outputs)
    recorded = [(output, grad) for output, grad in zip(outputs, grad_outputs) if output.requires_grad]
    if not recorded:
        return (None,) * len(inputs)
    outputs, grad_outputs = zip(*recorded)
    return cygrad.autograd.grad(
        outputs, inputs, grad_outputs, retain_graph=retain_graph, create_graph=create_graph, allow_unused=True
    )


def _fresh(tensors, create_graph):
    """Stand-ins for the inputs that require a gradient: connected to them if the result is to be differentiated."""
    return tuple(
        tensor.view_as(tensor) if create_graph and tensor.requires_grad else tensor.detach().requires_grad_()
        for tensor in tensors
    )


def _vector(v, like, many, create_graph, caller, subject):
    """The checked vector of a product as a tuple of tensors or of None."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(
                f"The vector v can only be None if the {subject} a single Tensor with a single element."
            )
        return (None,) if caller == "vjp" else (cygrad.ones_like(like[0]),)
    _, v = _as_tuple(v, "v", caller)
    if len(v) != len(like):
        if many:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for index, (vector, tensor) in enumerate(zip(v, like)):
        if vector.shape != tensor.shape:
            entry = f"Entry {index} in v" if len(v) > 1 else "v"
            raise RuntimeError(f"{entry} has invalid size: should be {tensor.shape} but got {vector.shape}.")
    return tuple(
        vector.view_as(vector) if create_graph and vector.requires_grad else vector.detach() for vector in v
    )


def _grad_postprocess(tensors, create_graph):
    """Detach results, at any depth of tuples, unless they are to be differentiated."""
    if create_graph:
        return tensors
    if isinstance(tensors, tuple):
        return tuple(_grad_postprocess(tensor, create_graph) for tensor in tensors)
    return tensors.detach()


def _tuple_postprocess(results, many):
    """A tuple of results, or the only one; with two answers in `many` those inside it likewise."""
    outer, *inner = many if isinstance(many, tuple) else (many,)
    if inner:
        results = tuple(row if inner[0] else row[0] for row in results)
    return results if outer else results[0]


def _construct_standard_basis_for(tensors, tensor_numels):
    """For each tensor the parts, in rows, of the vectors of the standard basis of all of them, along axis 0."""
    total = sum(tensor_numels)
    found, start = [], 0
    for tensor, count in zip(tensors, tensor_numels):
        part = cygrad.zeros(total, count, dtype=tensor.dtype, device=tensor.device)
        part.diagonal(-start).fill_(1)
        found.append(part)
        start += count
    return tuple(found)


# -- checks ------------------------------------------------------------------------------------------------------------


def _as_tuple(value, what, caller):
    """Whether `value` is a tuple, and its tensors as a tuple; a TypeError if there is anything else in it."""
    many = isinstance(value, tuple)
    for index, tensor in enumerate(value if many else (value,)):
        if not isinstance(tensor, cygrad.Tensor):
            subject = f"the value at index {index}" if many else f"the given {what}"
            raise TypeError(
                f"The {what} given to {caller} must be either a Tensor or a tuple of Tensors but {subject} has type "
                f"{type(tensor)}."
            )
    return many, value if many else (value,)


def _single_element(many, outputs, caller):
    if many:
        raise RuntimeError(f"The function given to {caller} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {caller} should contain a single element")
    return outputs[0]


def _check_strategy(create_graph, strict, vectorize, strategy):
    """Refuse the combinations of hints that PyTorch refuses, so that code written here runs there."""
    prefix = "cygrad.autograd.functional.jacobian:"
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(f'{prefix} create_graph=True and strategy="forward-mode" exclude each other.')
        if strict:
            raise RuntimeError(f'{prefix} strict=True and strategy="forward-mode" exclude each other.')
        if not vectorize:
            raise NotImplementedError(f'{prefix} strategy="forward-mode" needs vectorize=True.')
    elif strict and vectorize:
        raise RuntimeError("torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported "
                           "together. Please either set `strict=False` or `vectorize=False`.")


def _require_grad(tensors, kind, strict):
    """In strict mode, refuse tensors of this kind that nothing can be differentiated through."""
    if not strict:
        return
    for index, tensor in enumerate(tensors):
        if tensor.requires_grad:
            continue
        if kind == "outputs":
            raise RuntimeError(
                f"Output {index} of the user-provided function does not require gradients. The outputs must be "
                "computed in a differentiable manner from the input when running in strict mode."
            )
        if kind == "gradients":
            raise RuntimeError(
                f"The gradient with respect to input {index} does not depend on the vector of the product. "
                f"{_NOT_STRICT}."
            )
        times, derivative = ("twice", "jacobian") if kind == "jacobian" else ("thrice", "hessian")
        raise RuntimeError(
            f"While computing the hessian, found that the {derivative} of the user-provided function with respect to "
            f"input {index} is independent of the input. {_NOT_STRICT}. You should ensure that your function is "
            f"{times} differentiable and that the {derivative} depends on the inputs (this would be violated by a "
            f"{'linear' if times == 'twice' else 'quadratic'} function for example)."
        )


_INDEPENDENT = {
    "back": "The output of the user-provided function is independent of input {}.",
    "back_trick": "The gradient with respect to the inputs is independent of entry {} of the vector of outputs.",
    "double_back": "The jacobian of the user-provided function is independent of input {}.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} of the vector.",
}


def _zeros_for_missing(gradients, like, strict, create_graph, stage):
    """Replace None by zeros; in strict mode refuse it, and with `create_graph` also what can't be differentiated."""
    filled = []
    for index, (gradient, tensor) in enumerate(zip(gradients, like)):
        if gradient is None:
            if strict:
                raise RuntimeError(f"{_INDEPENDENT[stage].format(index)} {_NOT_STRICT}.")
            gradient = cygrad.zeros_like(tensor)
        elif strict and create_graph and not gradient.requires_grad:
            derivative = "hessian" if stage.startswith("double") else "jacobian"
            raise RuntimeError(
                f"The {derivative} of the user-provided function is independent of input {index}. {_NOT_STRICT} when "
                "create_graph=True."
            )
        filled.append(gradient)
    return tuple(filled)
