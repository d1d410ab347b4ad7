# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""`backward` and `grad`: arguments checked, gradients of the outputs made, then one call of the engine."""
from cpython.number cimport PyNumber_Index

from cygrad.autograd.engine cimport begin, close, new_pass, run
from cygrad.autograd.forward_levels cimport needs_gradient
from cygrad.autograd.node cimport AccumulateGrad, Node, accumulator_of, meta_of, next_of
from cygrad.autograd.recording cimport gradient_edge
from cygrad.autograd.saved cimport hooked, hooks_of_pass, restore_hooks
from cygrad.dispatch.allocation cimport empty, empty_as
from cygrad.dispatch.kernel_calls cimport fill_into
from cygrad.dtype cimport CATEGORY_COMPLEX, CATEGORY_FLOAT, plain_of
from cygrad.tensor cimport CREATED_IN_NO_GRAD, Tensor, view_of
from cygrad.tensors.overriding cimport functions_off
from cygrad.view cimport View, same_sizes

import cygrad
from cygrad.autograd.pass_hooks import retain_grad_of
from cygrad.errors import warn, warn_once
from cygrad.named_tensors.names import unify
from cygrad.devices.home import brought
from cygrad.tensors.overriding import any_overridden, hand_over_call


# ------------------------------------------------------------- where a pass begins

cdef Tensor first_gradient(Tensor output, object given, Py_ssize_t i):
    """The gradient to start with at output i: the given one, or one for a scalar; None at what needs none."""
    cdef Tensor gradient
    if given is None:
        if not needs_gradient(output):
            return None
        if output.elements != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if output.dtype.category != CATEGORY_FLOAT:
            raise RuntimeError("grad can be implicitly created only for real scalar outputs but got "
                               f"{output.dtype}".replace("cygrad.", "torch."))
        gradient = empty_as(output, output.dtype)
        fill_into(gradient, 1)
        return gradient
    if not isinstance(given, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}")
    gradient = <Tensor>given
    if not same_sizes(gradient, output):
        raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {gradient.shape} and output[{i}] has "
                           f"a shape of {output.shape}.".replace("cygrad.", "torch."))
    if gradient.memory.backend is not output.memory.backend or gradient.memory.index != output.memory.index:
        found = brought(gradient, output.device)
        if found is None:
            raise RuntimeError(f"invalid gradient at index {i} - expected device {output.device} but got "
                               f"{gradient.device}")
        gradient = <Tensor>found
    if (gradient.dtype.category == CATEGORY_COMPLEX) != (output.dtype.category == CATEGORY_COMPLEX):
        raise RuntimeError("For complex Tensors, both grad_output and output are required to have the same dtype. "
                           f"Mismatch in dtype: grad_output[{i}] has a dtype of {gradient.dtype} and output[{i}] has "
                           f"a dtype of {output.dtype}.".replace("cygrad.", "torch."))
    if type(gradient.names_) is tuple:
        unify(output.names, gradient.names, "match")
        return gradient.rename(None)
    return gradient


CYCLE = ("Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
         "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If "
         "you have to use this function, make sure to reset the .grad fields of your parameters to None after use to "
         "break the cycle and avoid the leak.")


cdef bint flag(object given) except -1:
    """A switch of a pass, which PyTorch's engine takes as a byte: no float, no None, no tensor of several elements."""
    cdef object byte
    if given is True or given is False:
        return given is True
    byte = PyNumber_Index(given)
    if byte < 0 or byte > 255:
        raise OverflowError("unsigned byte integer is " + ("less than minimum" if byte < 0 else "greater than maximum"))
    return byte != 0


cdef Tensor checked_input(object given):
    if not isinstance(given, Tensor):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(given).__name__}")
    return <Tensor>given


cdef Tensor checked_output(object given):
    if not isinstance(given, Tensor):
        raise AssertionError("Expected output to be a torch.Tensor")
    return <Tensor>given


cdef list differentiate(object outputs, object gradients, object retain_graph, object create_graph, tuple inputs,
                        bint accumulates):
    """One pass from `outputs`; returns the gradients of `inputs` (None: all leaves accumulate)."""
    cdef list wanted = None if inputs is None else [edge_of(checked_input(given)) for given in inputs]
    cdef Tensor t
    cdef int before
    cdef bint records = flag(create_graph)
    started = new_pass(records if retain_graph is None else flag(retain_graph), records, wanted, accumulates)
    cdef object held = hooks_of_pass() if hooked else None
    if records and accumulates:
        warn_once(CYCLE)
    before = functions_off(2)       # formulas compute on plain tensors, whatever was saved
    try:
        if isinstance(outputs, Tensor) and (gradients is None or isinstance(gradients, Tensor)):
            begin_at(started, <Tensor>outputs, gradients, 0)
        else:
            begin_at_all(started, outputs, gradients)
        if inputs is not None:
            for t in inputs:
                if not needs_gradient(t):
                    raise RuntimeError("One of the differentiated Tensors does not require grad")
                if accumulates and t.node is not None:
                    retain_grad_of(t)
        return run(started)
    finally:
        if hooked or held is not None:
            restore_hooks(held)
        functions_off(before)
        close(started)


cdef inline int begin_at(object started, Tensor output, object given, Py_ssize_t i) except -1:
    """Let a pass begin at output i."""
    cdef Tensor gradient = first_gradient(output, given, i)
    cdef object node = gradient_edge(output) if needs_gradient(output) else None
    if (given is not None and gradient is not None and gradient.dtype is not output.dtype
            and gradient.dtype.category <= output.dtype.category
            and plain_of(gradient.dtype) is not plain_of(output.dtype)):        # a lazy one stays as it is
        gradient = gradient.to(output.dtype)
    if node is None:
        raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
    return begin(started, <Node>node, number_in(output), gradient)


cdef int begin_at_all(object started, object outputs, object gradients) except -1:
    cdef tuple tensors = tensors_of(outputs)
    cdef tuple grads = (None,) * len(tensors)
    cdef Py_ssize_t i
    if gradients is not None:
        grads = (gradients,) if isinstance(gradients, Tensor) else tuple(gradients)
    if len(grads) != len(tensors):
        for i in range(min(len(tensors), len(grads))):      # what is wrong with one of these is told first
            first_gradient(checked_output(tensors[i]), grads[i], i)
        raise RuntimeError(f"got {len(tensors)} tensors and {len(grads)} gradients")
    for i in range(len(tensors)):
        begin_at(started, checked_output(tensors[i]), grads[i], i)
    return 0


cdef inline int number_in(Tensor t) noexcept:
    """Which output of its node a tensor is."""
    return t.output_number if t.node is not None else 0


cdef bint is_edge(object t):
    """Whether a user gave an `autograd.graph.GradientEdge` in the place of a tensor."""
    return isinstance(t, tuple) and len(<tuple>t) == 3 and isinstance((<tuple>t)[0], Node)


cdef Tensor placed(tuple edge):
    """A tensor, of any values, at an edge: the leaf itself, or one with the shape and dtype that the node knows of."""
    cdef Node node = <Node>edge[0]
    cdef int number = edge[1]
    cdef View meta = None
    cdef Tensor made
    if isinstance(node, AccumulateGrad):
        made = (<AccumulateGrad>node).variable
        if made is not None and accumulator_of(made) is node:
            return made
        meta = made                     # which has another memory now, and with it another place in the graph
    elif 0 <= number < node.outputs():
        meta = meta_of(node, number)
    if meta is None:
        raise RuntimeError(f"{node.name()} has no output {number} that a gradient could enter")
    made = empty(node.backend, node.index, meta.dtype, meta.rank, meta.sizes)
    made.node, made.output_number, made.requires = node, number, True
    return made


cdef tuple tensors_of(object given):
    """One tensor or several, with one in the place of each edge."""
    if isinstance(given, Tensor):
        return (given,)
    if is_edge(given):
        return (placed(<tuple>given),)
    return tuple([placed(<tuple>t) if is_edge(t) else t for t in given])


def depends_beyond(outputs, leaves):
    """Whether backward from these tensors reaches anything but these leaves, for which a graph is kept."""
    cdef set own = {id(leaf) for leaf in leaves}
    cdef set seen = set()
    cdef list waiting = [t.grad_fn for t in outputs if t.grad_fn is not None]
    cdef Node node, following
    cdef Py_ssize_t i
    for t in outputs:
        if t.is_leaf and t.requires_grad and id(t) not in own:
            return True
    while waiting:
        node = <Node>waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if type(node) is AccumulateGrad and id((<AccumulateGrad>node).variable) not in own:
            return True
        for i in range(node.edges):
            following = next_of(node, i)
            if following is not None:
                waiting.append(following)
    return False


cdef tuple edge_of(Tensor t):
    """(node, output number) that a gradient of `t` enters; no node where none can (a view of inference mode)."""
    cdef object node = gradient_edge(t) if needs_gradient(t) else None
    return node, number_in(t)


# ------------------------------------------------------------------- what users call

def tensor_backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Add the gradients of this tensor to the `.grad` of the leaves it depends on.

    Parameters
    ----------
    gradient : Tensor, optional
        The gradient of this tensor to start with; 1 for a scalar.
    retain_graph : bool, optional
        Keep saved tensors for another pass; `create_graph` when omitted.
    create_graph : bool
        Record the pass, so that gradients can be differentiated again.
    inputs : Tensor or sequence of Tensor, optional
        Accumulate only into these.

    Examples
    --------
    >>> import cygrad
    >>> x = cygrad.tensor([1., 2.], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """
    if gradient is None and inputs is None:
        differentiate(self, None, retain_graph, create_graph, None, True)
    else:
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)


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
    grad_variables
        An old name of `grad_tensors`.

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
    if inputs is not None:
        inputs = tensors_of(inputs)
        if len(inputs) == 0:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    differentiate(tensors, grad_tensors, retain_graph, create_graph, inputs, True)


cdef list batched_grad(tuple outputs, object seeds, object retain_graph, object create_graph, tuple tensors):
    """One pass for as many gradients of the outputs as their first axis counts."""
    from cygrad.autograd.batched_gradients import batched      # start-up time
    given = (None,) * len(outputs) if seeds is None else (seeds,) if isinstance(seeds, Tensor) else tuple(seeds)
    return batched(lambda each: differentiate(outputs, each, retain_graph, create_graph, tensors, False), outputs,
                   given, tensors)


cdef inline bint is_window(Tensor grad) noexcept:
    """Whether a gradient was made as a window on another by a shortcut, which notes no base."""
    return grad.base is None and grad.creation == CREATED_IN_NO_GRAD


cdef Tensor as_view(Tensor grad, object seeds):
    cdef Tensor source = grad, view
    for seed in (seeds,) if isinstance(seeds, Tensor) else seeds or ():
        if isinstance(seed, Tensor) and (<Tensor>seed).memory is grad.memory:
            source = <Tensor>seed
    view = view_of(source, grad.offset, grad.rank, grad.sizes, grad.strides)
    view.names_, view.creation = grad.names_, CREATED_IN_NO_GRAD
    return view


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, bint materialize_grads=False):
    """The gradients of `outputs` with respect to `inputs`, without touching any `.grad`.

    Parameters
    ----------
    outputs, inputs : Tensor or sequence of Tensor
        Or of places in the graph (`graph.GradientEdge`).
    grad_outputs : Tensor, None or sequence of them, optional
        The gradients of `outputs` to start with; None stands for 1 at a scalar.
    retain_graph, create_graph : bool
        As in `backward`.
    allow_unused : bool, optional
        Give None for an input that the outputs do not depend on, instead of raising.
    materialize_grads : bool
        Give zeros instead of None.
    is_grads_batched : bool
        The first axis of each of `grad_outputs` counts gradients: what is returned has it, too (`func.vmap`).
    only_inputs
        Nothing but the default, True, means anything.

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
    cdef list found
    cdef Py_ssize_t i
    cdef tuple tensors
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")
    if allow_unused is not None:
        allow_unused = flag(allow_unused)
    tensors = tensors_of(inputs)
    if not tensors:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if any_overridden(tensors + tensors_of(outputs)):
        return hand_over_call(grad, (outputs, inputs, grad_outputs, retain_graph, create_graph, only_inputs,
                                     allow_unused, is_grads_batched, materialize_grads), {})
    if not only_inputs:
        warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
             "other parts of the graph, please use torch.autograd.backward.", FutureWarning)
    if is_grads_batched:
        found = batched_grad(tensors_of(outputs), grad_outputs, retain_graph, create_graph, tensors)
    else:
        found = differentiate(outputs, grad_outputs, retain_graph, create_graph, tensors, False)
    for i in range(len(tensors)):
        if found[i] is not None:
            if is_window(<Tensor>found[i]):
                found[i] = as_view(<Tensor>found[i], grad_outputs)
            if (<Tensor>tensors[i]).names_ is not None:
                found[i] = found[i].rename(*tensors[i].names)
        elif materialize_grads:
            if not isinstance(inputs, Tensor) and (is_edge(inputs) or is_edge(inputs[i])):
                raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
            found[i] = cygrad.zeros_like(tensors[i], requires_grad=create_graph)
        elif not allow_unused:
            raise RuntimeError(f"The differentiated Tensor at index {i} appears to not have been used in the graph. "
                               "Set allow_unused=True if this is the desired behavior.")
    return tuple(found)
