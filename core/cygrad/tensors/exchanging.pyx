# distutils: extra_compile_args = -Os
"""Exchanging what two tensors are, so that whoever holds one of them has the other from now on."""
import weakref

from cygrad.tensor cimport Tensor, alias
from cygrad.view cimport fill_strided


def swap_tensors(Tensor t1 not None, Tensor t2 not None):
    """Exchange two tensors: values, gradients, types and what was set on them by name.

    Parameters
    ----------
    t1, t2 : Tensor
        Nobody may have weak references to them, and no node of a graph may wait for their gradients.

    Raises
    ------
    RuntimeError
        If somebody does.

    Examples
    --------
    >>> import cygrad
    >>> a, b = cygrad.ones(2), cygrad.zeros(3)
    >>> cygrad.utils.swap_tensors(a, b)
    >>> a
    tensor([0., 0., 0.])
    """
    cdef Tensor held
    for name, t in (("t1", t1), ("t2", t2)):
        if weakref.getweakrefs(t):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    if t1.accumulator != NULL or t2.accumulator != NULL:
        raise RuntimeError("Cannot swap tensors whose AccumulateGrad node is alive: a graph waits for their gradients")
    attributes = dict(t1.__dict__), dict(t2.__dict__)
    if type(t1) is not type(t2):
        t1.__class__, t2.__class__ = type(t2), type(t1)
    for t, own in ((t1, attributes[1]), (t2, attributes[0])):
        t.__dict__.clear()
        t.__dict__.update(own)
    held = alias(t1)
    become(t1, t2)
    become(t2, held)
    t1.requires, t2.requires = t2.requires, t1.requires
    t1.retains, t2.retains = t2.retains, t1.retains
    t1.inference, t2.inference = t2.inference, t1.inference
    t1.creation, t2.creation = t2.creation, t1.creation
    t1.output_number, t2.output_number = t2.output_number, t1.output_number
    t1.node, t2.node = t2.node, t1.node
    t1.gradient, t2.gradient = t2.gradient, t1.gradient
    t1.base, t2.base = t2.base, t1.base
    t1.view_version, t2.view_version = t2.view_version, t1.view_version
    t1.counter, t2.counter = t2.counter, t1.counter
    t1.hooks, t2.hooks = t2.hooks, t1.hooks
    t1.post_hooks, t2.post_hooks = t2.post_hooks, t1.post_hooks
    t1.names_, t2.names_ = t2.names_, t1.names_
    t1.tangents, t2.tangents = t2.tangents, t1.tangents


cdef int become(Tensor t, Tensor other) except -1:
    """Have other's memory, dtype and geometry."""
    fill_strided(t, other.memory, other.dtype, other.offset, other.rank, other.sizes, other.strides)
    return 0
