"""`backward` and `grad`: arguments checked, gradients of the roots made, then one call of the engine."""
from cygrad.autograd.engine cimport run_from_all
from cygrad.autograd.scalar_roots cimport edge_of, gradients_of_scalar
from cygrad.tensor cimport Tensor

from cygrad.errors import warn
from cygrad.names import unify


def _as_tuple(value, name):
    if isinstance(value, Tensor):
        return (value,)
    return tuple(value)


def _root_gradients(outputs, gradients, create_graph):
    """The gradient to start with at each output: given, or one for a scalar."""
    import cygrad
    made = []
    for i, (output, gradient) in enumerate(zip(outputs, gradients)):
        if gradient is None:
            if not output.requires_grad:
                made.append(None)
                continue
            if output.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            if not (output.is_floating_point() or output.is_complex()):
                raise RuntimeError("grad can be implicitly created only for real scalar outputs but got "
                                   f"{output.dtype}".replace("cygrad.", "torch."))
            if output.is_complex():
                raise RuntimeError("grad can be implicitly created only for real scalar outputs but got "
                                   f"{output.dtype}".replace("cygrad.", "torch."))
            made.append(cygrad.ones_like(output).rename_(None) if output.has_names() else cygrad.ones_like(output))
        elif isinstance(gradient, Tensor):
            if gradient.shape != output.shape:
                raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of "
                                   f"{gradient.shape} and output[{i}] has a shape of {output.shape}."
                                   .replace("cygrad.", "torch."))
            if gradient.device != output.device:
                from cygrad.home import brought
                found = brought(gradient, output.device)
                if found is None:
                    raise RuntimeError(f"invalid gradient at index {i} - expected device {output.device} but got "
                                       f"{gradient.device}")
                gradient = found
            if gradient.is_complex() != output.is_complex():
                raise RuntimeError("For complex Tensors, both grad_output and output are required to have the same "
                                   f"dtype. Mismatch in dtype: grad_output[{i}] has a dtype of {gradient.dtype} and "
                                   f"output[{i}] has a dtype of {output.dtype}.".replace("cygrad.", "torch."))
            made.append(_without_names(gradient, output))
        else:
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    return made


def _without_names(gradient, output):
    """A gradient as the engine takes it; its names have to match the output's."""
    if not gradient.has_names():
        return gradient
    unify(output.names, gradient.names, "match")
    return gradient.rename(None)


def _edges(outputs):
    cdef list roots = [], numbers = []
    for i, output in enumerate(outputs):
        node, number = edge_of(output)
        if node is None:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        roots.append(node)
        numbers.append(number)
    return roots, numbers


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Add the gradients of `tensors` to the `.grad` of the leaves they depend on.

    Parameters
    ----------
    tensors : Tensor or sequence of Tensor
        What is differentiated; a scalar unless its gradient is given.
    grad_tensors : Tensor, None or sequence of them, optional
        The gradients of `tensors` to start with; None stands for 1 at a scalar.
    retain_graph : bool, optional
        Keep saved tensors for another pass; `create_graph` when omitted.
    create_graph : bool
        Record the pass, so that its results can be differentiated again.
    inputs : Tensor or sequence of Tensor, optional
        Accumulate only into these leaves.

    Raises
    ------
    RuntimeError
        For a tensor that needs no gradient, a non-scalar without one, a graph that was freed, or a tensor that was
        changed in place since it was saved.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([1., 2.], requires_grad=True)
    >>> cygrad.autograd.backward((x * x).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`."
                               " Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    if inputs is not None and not isinstance(inputs, Tensor) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    outputs = _as_tuple(tensors, "tensors")
    gradients = (None,) * len(outputs) if grad_tensors is None else _as_tuple(grad_tensors, "grad_tensors")
    if len(gradients) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    made = _root_gradients(outputs, gradients, create_graph)
    roots, numbers = _edges(outputs)
    wanted = None
    if inputs is not None:
        wanted = []
        for i, t in enumerate(_as_tuple(inputs, "inputs")):
            node, number = edge_of(t)
            if node is None:
                raise RuntimeError("One of the differentiated Tensors does not require grad")
            if t.grad_fn is not None:
                t.retain_grad()
            wanted.append((node, number))
    keep = create_graph if retain_graph is None else retain_graph
    run_from_all(roots, numbers, made, keep, create_graph, wanted, True)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):
    """The gradients of `outputs` with respect to `inputs`, without touching any `.grad`.

    Parameters
    ----------
    outputs, inputs : Tensor or sequence of Tensor
    grad_outputs : Tensor, None or sequence of them, optional
        The gradients of `outputs` to start with; None stands for 1 at a scalar.
    retain_graph, create_graph : bool
        As in `backward`.
    allow_unused : bool, optional
        Give None for an input that the outputs do not depend on, instead of raising.
    materialize_grads : bool
        Give zeros instead of None.

    Returns
    -------
    tuple of Tensor or None

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor(3., requires_grad=True)
    >>> cygrad.autograd.grad(x ** 2, x)
    (tensor(6.),)
    """
    keep = create_graph if retain_graph is None else retain_graph
    if grad_outputs is None and type(outputs) is Tensor and not is_grads_batched and not materialize_grads \
            and isinstance(inputs, (Tensor, tuple, list)):
        found = gradients_of_scalar(outputs, inputs, keep, create_graph)
        if found is not None:
            if not allow_unused:
                for i, gradient in enumerate(found):
                    if gradient is None:
                        raise unused(i)
            return tuple(found)
    import cygrad
    if is_grads_batched:
        raise NotImplementedError("grad(): is_grads_batched needs vmap, which cygrad does not have; loop over the "
                                  "gradients instead")
    if materialize_grads:
        if allow_unused is False:
            raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                             "allow_unused=False.")
        allow_unused = True
    outputs, inputs = _as_tuple(outputs, "outputs"), _as_tuple(inputs, "inputs")
    gradients = (None,) * len(outputs) if grad_outputs is None else _as_tuple(grad_outputs, "grad_outputs")
    if len(gradients) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    made = _root_gradients(outputs, gradients, create_graph)
    roots, numbers = _edges(outputs)
    wanted = []
    for t in inputs:
        if not isinstance(t, Tensor):
            raise TypeError(f"inputs must be Tensors, got {type(t).__name__}")
        if not t.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        wanted.append(edge_of(t))
    used = [edge for edge in wanted if edge[0] is not None]       # a view made in inference mode has no edge
    found = iter(run_from_all(roots, numbers, made, keep, create_graph, used, False))
    found = [next(found) if edge[0] is not None else None for edge in wanted]
    for i, (gradient, t) in enumerate(zip(found, inputs)):
        if gradient is None:
            if not allow_unused:
                raise unused(i)
            if materialize_grads:
                found[i] = cygrad.zeros_like(t)
        elif t.has_names():
            found[i] = gradient.rename(*t.names)
    return tuple(found)


def unused(i):
    """The error for an input that the outputs don't depend on."""
    return RuntimeError(f"The differentiated Tensor at index {i} appears to not have been used in the graph. Set "
                        "allow_unused=True if this is the desired behavior.")
