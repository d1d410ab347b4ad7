"""Passes from one real scalar, the usual loss: `Tensor.backward`, and what `grad` begins with."""
from cygrad.autograd.engine cimport run_from
from cygrad.autograd.node cimport Node
from cygrad.autograd.recording cimport gradient_edge
from cygrad.allocation cimport empty_as
from cygrad.dispatch cimport fill_into
from cygrad.dtype cimport CATEGORY_FLOAT
from cygrad.tensor cimport Tensor, requires_grad


cdef inline Tensor one_like(Tensor t):
    cdef Tensor one = empty_as(t, t.dtype)
    fill_into(one, 1)
    return one


cdef inline int number_in(Tensor t) noexcept:
    """Which output of its node a tensor is."""
    return t.output_number if t.node is not None else 0


cdef tuple edge_of(Tensor t):
    """(node, output number) that a gradient of `t` enters; (None, 0) when it needs none."""
    cdef object node = gradient_edge(t) if requires_grad(t) else None
    return node, number_in(t)


def backward(Tensor self not None, gradient=None, retain_graph=None, bint create_graph=False, inputs=None):
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
    cdef Node node
    if (gradient is None and inputs is None and self.elements == 1 and requires_grad(self)
            and self.dtype.category == CATEGORY_FLOAT):
        node = gradient_edge(self)
        if node is None:                # a view made in inference mode
            raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
        run_from(node, number_in(self), one_like(self), create_graph if retain_graph is None else retain_graph,
                 create_graph, None, True)
        return
    from cygrad.autograd.backward import backward as run
    run(self, gradient, retain_graph, create_graph, inputs=inputs)


cdef list gradients_of_scalar(Tensor output, object inputs, bint keep_graph, bint create_graph):
    """Gradients of one real scalar for tensors that need one; None where `grad` must see to the arguments."""
    cdef list wanted = []
    cdef tuple edge
    cdef Node node
    if output.elements != 1 or not requires_grad(output) or output.dtype.category != CATEGORY_FLOAT:
        return None
    for t in (inputs,) if isinstance(inputs, Tensor) else inputs:
        if not isinstance(t, Tensor) or not requires_grad(<Tensor>t) or (<Tensor>t).names_ is not None:
            return None
        edge = edge_of(<Tensor>t)
        if edge[0] is None:             # a view made in inference mode
            return None
        wanted.append(edge)
    node = gradient_edge(output)
    if node is None:
        return None
    return run_from(node, number_in(output), one_like(output), keep_graph, create_graph, wanted, False)
