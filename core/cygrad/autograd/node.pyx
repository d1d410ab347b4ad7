# distutils: extra_compile_args = -Os
# cython: binding=False, embedsignature=True, embedsignature.format=clinic
"""Nodes of the autograd graph: what every node has, and the two kinds that are no op of a table.

A node knows the nodes of its inputs (the edges), and shape, dtype and device of its outputs. `Node.run` turns
gradients of the outputs into those of the inputs. Ops that have a row in the table of derivatives make an `OpNode`
(`derivative.pyx`); here are the end of every path, `AccumulateGrad`, and the base of nodes that Python code runs.

Edges are there from the start and lead to older nodes, so sequence numbers are a topological order. Most nodes have
three inputs at most, one output, and nothing attached: that is kept in the node itself, and freed nodes are kept whole
for the next ones (`object_reuse.pxd`).
"""
cimport cython
from cpython.object cimport PyObject

from cygrad.dtype cimport DType, plain_of
from cygrad.tensors.object_reuse cimport keep_whole
from cygrad.tensor cimport CREATED_BY_MULTI_OUTPUT, CREATED_IN_CUSTOM_FUNCTION, Tensor, version_of
from cygrad.view cimport View, make_view
from threading import get_ident

from cygrad.autograd.grad_dtypes import declared as _declared, declared_dtype
from cygrad.autograd.removable_handle import RemovableHandle

cdef extern from *:
    AccumulateGrad whole_accumulator "whole_instance"(object cls, tuple no_args)

cdef unsigned long long _sequence = 0
evaluating = {}
cdef bint _tracebacks = False          # whether nodes keep where they were made
cdef dict declared = _declared          # leaves whose gradients have a dtype of their own
cdef tuple NO_ARGS = ()
cdef object STANDS_IN = object()       # a key of `metadata`


@cython.final
cdef class Attached:
    """What users hang on a node: hooks, metadata, and in anomaly mode where it was made."""


cdef Attached attached_to(Node node):
    """What hangs on the node, made when first needed."""
    if node.attached is None:
        node.attached = Attached.__new__(Attached)
    return node.attached


cdef tuple seen_edge(object following, Py_ssize_t number):
    """(node, output number) of an edge, past the views that stand for arguments of functional derivatives."""
    cdef Node node = <Node>following
    while (node is not None and node.attached is not None and node.attached.metadata is not None
            and STANDS_IN in node.attached.metadata):
        number, node = number_of(node, 0), next_of(node, 0)
    return node, number


def stands_in(Node node not None):
    """Hide a view's node from who looks at the edges that lead to it."""
    node.metadata[STANDS_IN] = True


cdef class Node:
    """A grad function: an edge in the graph from the gradient of an op's outputs to those of its inputs."""

    cdef object run(self, list grads):
        """Gradients of the inputs from those of the outputs (None: zero); one for each edge."""
        raise NotImplementedError(f"{self.name()} cannot be applied")

    cdef void release(self) noexcept:
        """Drop saved tensors."""

    cdef int outputs(self) noexcept:
        return 1 if self.metas is None else <int>len(self.metas)

    def __call__(self, *grads):
        cdef int expected = self.outputs()
        if len(grads) != expected:
            raise TypeError(f"expected {expected} arguments, got {len(grads)} instead")
        for grad in grads:
            if grad is not None and not isinstance(grad, Tensor):
                raise TypeError(f"argument {grads.index(grad)} is not a Variable")
        result = self.run(list(grads))
        return result[0] if len(result) == 1 else tuple(result)

    def name(self):
        """Name of the node, such as ``"MulBackward0"``."""
        cdef str name = type(self).__name__
        return "torch::autograd::" + name if name in ("CopyBackwards", "Identity", "NotImplemented") else name

    @property
    def next_functions(self):
        """Tuple of (node or None, output number) for each input."""
        return tuple([seen_edge(next_of(self, i), number_of(self, i)) for i in range(self.edges)])

    @property
    def metadata(self):
        """A dict for whatever a user wants to keep with the node."""
        cdef Attached attached = attached_to(self)
        if attached.metadata is None:
            attached.metadata = {}
        return attached.metadata

    def _sequence_nr(self):
        return self.sequence

    def register_hook(self, hook):
        """Call ``hook(grad_inputs, grad_outputs)`` after the node ran; returns a removable handle."""
        cdef Attached attached = attached_to(self)
        if attached.post_hooks is None:
            attached.post_hooks = {}
        return RemovableHandle(attached.post_hooks, hook)

    def register_prehook(self, hook):
        """Call ``hook(grad_outputs)`` before the node runs; returns a removable handle."""
        cdef Attached attached = attached_to(self)
        if attached.pre_hooks is None:
            attached.pre_hooks = {}
        return RemovableHandle(attached.pre_hooks, hook)


cdef int number_node(Node node) except -1:
    """Give a new node its sequence number."""
    global _sequence
    _sequence += 1
    node.sequence = _sequence
    if _tracebacks:
        import traceback      # start-up time
        attached_to(node).traceback = traceback.format_stack()
        attached_to(node).parent = evaluating.get(get_ident())
    return 0


def keep_tracebacks(bint wanted):
    """Whether nodes keep the traceback of the forward call from now on (anomaly mode)."""
    global _tracebacks
    _tracebacks = wanted


cdef int move_retained(Tensor t, Node before, int number) except -1:
    """Let a tensor whose node has changed retain the gradient that reaches the new one: that is its value's now."""
    cdef Attached attached
    if before is None or before.attached is None or before.attached.retained is None:
        return 0
    reference = before.attached.retained.pop(number, None)
    if reference is not None:
        attached = attached_to(t.node)
        if attached.retained is None:
            attached.retained = {}
        attached.retained[t.output_number] = reference
    return 0


# ------------------------------------------------------------------ outputs

cdef View meta_view(Tensor t):
    """Shape and dtype of a tensor, as a View without storage."""
    return make_view(None, plain_of(t.dtype), 0, t.rank, t.sizes, t.strides)


cdef View meta_of(Node node, Py_ssize_t number):
    """Shape and dtype of one of a node's outputs as a View without storage; None where they are not known."""
    if node.metas is not None:
        return <View>node.metas[number]
    if node.dtype is None:
        return None
    return make_view(None, node.dtype, 0, node.rank, node.sizes, node.sizes)


cdef int set_output(Node node, Tensor output, int number) except -1:
    """Make `output` output `number` of `node`."""
    cdef View meta
    if number == 0 and node.dtype is None:
        set_meta(node, output)
    else:
        meta = meta_view(output)
        if node.metas is None:
            node.metas = [] if node.dtype is None else [meta_of(node, 0)]
        while len(node.metas) <= number:
            node.metas.append(meta)
        node.metas[number] = meta
        if node.dtype is None:
            node.dtype = plain_of(output.dtype)
        node.backend = output.memory.backend
        node.index = output.memory.index
    output.node = node
    output.output_number = number
    output.requires = output.requires | 1        # the other bit: it has a tangent
    output.view_version = version_of(output)
    return 0


# ------------------------------------------------------------------- leaves

@cython.no_gc_clear      # the garbage collector would drop `variable`, which `__dealloc__` needs
cdef class AccumulateGrad(Node):
    """Adds what reaches a leaf to its `.grad`. Lives as long as some graph needs it."""

    def __init__(self):
        raise TypeError("cannot create 'AccumulateGrad' instances")        # `accumulator_of` makes them

    def __dealloc__(self):
        forget(self)

    def name(self):
        return "torch::autograd::AccumulateGrad"

    cdef object run(self, list grads):
        from cygrad.autograd.accumulation import accumulate      # knot: it needs this module
        if grads[0] is not None:
            accumulate(self.variable, grads[0])
        return []


cdef inline void forget(AccumulateGrad node) noexcept:
    """Make the leaf forget a node that goes."""
    if node.variable is not None and node.variable.accumulator == <PyObject *>node:
        node.variable.accumulator = NULL


cdef void blank_accumulator(AccumulateGrad node) noexcept:
    forget(node)
    node.variable = None
    blank(node)


keep_whole(AccumulateGrad, <void *>blank_accumulator, False)


cdef AccumulateGrad accumulator_of(Tensor leaf):
    """The node that adds to a leaf's `.grad`."""
    cdef AccumulateGrad node
    if leaf.accumulator != NULL:
        return <AccumulateGrad>leaf.accumulator
    node = whole_accumulator(AccumulateGrad, NO_ARGS)
    node.variable = leaf
    node.sequence = 0xffffffffffffffffull
    set_meta(node, leaf)
    if declared:
        take_declared(node)
    leaf.accumulator = <PyObject *>node
    return node


cdef int take_declared(AccumulateGrad node) except -1:
    """Give a leaf's node the dtype that was declared for the gradient."""
    found = declared_dtype(node.variable)
    if found is not None:
        node.dtype = <DType?>found
        if node.metas is not None:
            (<View>node.metas[0]).dtype = node.dtype
    return 0


cdef bint takes_any_dtype(Node node):
    """Whether this is a leaf's, for whose gradient any dtype goes."""
    return bool(declared) and type(node) is AccumulateGrad and declared_dtype((<AccumulateGrad>node).variable) is None


def update_leaf_node(Tensor leaf not None):
    """See to it that the node of a leaf, if it has one, knows what was declared for its gradient."""
    if leaf.accumulator != NULL:
        take_declared(<AccumulateGrad>leaf.accumulator)


# -------------------------------------------------------- nodes run by Python

cdef class PythonNode(Node):
    """A node whose gradient is computed by `apply(grads)` in Python: the base of custom Functions' nodes."""

    cdef object run(self, list grads):
        return self.apply(tuple(grads))

    cdef void release(self) noexcept:
        try:
            self.release_variables()
        except Exception:
            pass

    def apply(self, grads):
        raise NotImplementedError(f"{self.name()}.apply is not defined")

    def release_variables(self):
        """Called after the node ran without retain_graph; drop what was saved."""

    cdef int own(self, Tensor output, int index, bint alone) except -1:
        """Make `output` output number `index` of this node; a view among them can't be changed in place any more."""
        set_output(self, output, index)
        if output.base is not None:
            output.creation = CREATED_IN_CUSTOM_FUNCTION if alone else CREATED_BY_MULTI_OUTPUT
        return 0


show_without_module(AccumulateGrad, "AccumulateGrad")       # as PyTorch's is
