"""Nodes of the autograd graph: edges, the geometry of outputs, and a place for a pass to keep its state."""
from cygrad.dtype cimport DType, LAZY, plain_of
from cygrad.tensor cimport Tensor
from cygrad.view cimport INLINE_RANK, View

cdef extern from *:
    """
    static void show_without_module(PyObject *type, const char *name) { ((PyTypeObject *)type)->tp_name = name; }
    """
    void show_without_module(object type, const char *name)

cdef class Node

cdef class Attached:
    cdef dict tensor_hooks             # {output number: dict of hooks} of the outputs, or None
    cdef dict retained                 # {output number: weak reference to the tensor}, or None
    cdef dict pre_hooks
    cdef dict post_hooks
    cdef object traceback              # of the forward call, in anomaly mode
    cdef Node parent                   # in anomaly mode: the node in whose run it was made, or None
    cdef dict metadata
    cdef Tensor viewed                 # what has the history of the output, while an op on a view runs for its base

cdef class Node:
    cdef Node next0, next1, next2      # nodes of the first three inputs; None where an input needs no gradient
    cdef int number0, number1, number2      # which outputs of these nodes the inputs are
    cdef list more                     # (node or None, output number) of the inputs after these; None: no more
    cdef int edges                     # number of inputs
    cdef unsigned long long sequence   # a node is made after those that its edges lead to
    cdef DType dtype                   # of output 0; None while there is none
    cdef int rank
    cdef Py_ssize_t sizes[INLINE_RANK]
    cdef list metas                    # Views without storage: all outputs, if there are several or one has many axes
    cdef object backend                # of the outputs
    cdef int index
    cdef Attached attached             # what users hang on a node, or None
    # the state of the node in a pass of the engine
    cdef unsigned long long holder     # number of the pass that has state here; 0: none
    cdef Py_ssize_t dependencies       # edges over which something may still come
    cdef object arrived                # gradient of the output; a list of those of all, if there are several
    cdef bint needed                   # whether a captured node lies behind this one
    cdef bint captured                 # whether what arrives here is wanted itself

    cdef object run(self, list grads)
    cdef void release(self) noexcept
    cdef int outputs(self) noexcept

cdef class PythonNode(Node):
    cdef int own(self, Tensor output, int index, bint alone) except -1

cdef class AccumulateGrad(Node):
    cdef readonly Tensor variable

cdef inline Node next_of(Node node, Py_ssize_t i):
    """The node that edge i leads to, or None."""
    if i == 0:
        return node.next0
    if i == 1:
        return node.next1
    if i == 2:
        return node.next2
    return <Node>(<tuple>(node.more[i - 3]))[0]

cdef inline int number_of(Node node, Py_ssize_t i) except -1:
    """Which output of that node the input is."""
    if i == 0:
        return node.number0
    if i == 1:
        return node.number1
    if i == 2:
        return node.number2
    return (<tuple>(node.more[i - 3]))[1]

cdef inline int add_edge(Node node, Node following, int number) except -1:
    """Give `node` one more edge."""
    if node.edges == 0:
        node.next0, node.number0 = following, number
    elif node.edges == 1:
        node.next1, node.number1 = following, number
    elif node.edges == 2:
        node.next2, node.number2 = following, number
    else:
        if node.more is None:
            node.more = []
        node.more.append((following, number))
    node.edges += 1
    return 0

cdef inline void blank(Node node) noexcept:
    """Drop what a node refers to, and make it as new."""
    if node.next0 is not None:
        node.next0 = None
    if node.next1 is not None:
        node.next1 = None
    if node.next2 is not None:
        node.next2 = None
    if node.more is not None:
        node.more = None
    node.edges = 0
    node.dtype = None
    if node.metas is not None:
        node.metas = None
    if node.attached is not None:
        node.attached = None
    node.holder = 0
    if node.arrived is not None:
        node.arrived = None
    node.needed = node.captured = False

cdef inline int set_meta(Node node, Tensor output) except -1:
    """Note shape, dtype and device of a node's first output."""
    cdef int i
    node.dtype = output.dtype
    if output.dtype.code >= LAZY:
        node.dtype = plain_of(output.dtype)
    node.rank = output.rank
    if output.rank <= INLINE_RANK:
        for i in range(output.rank):
            node.sizes[i] = output.sizes[i]
    else:
        node.metas = [meta_view(output)]
    node.backend = output.memory.backend
    node.index = output.memory.index
    return 0

cdef AccumulateGrad accumulator_of(Tensor leaf)
cdef bint takes_any_dtype(Node node)
cdef Attached attached_to(Node node)
cdef int number_node(Node node) except -1
cdef int move_retained(Tensor t, Node before, int number) except -1
cdef View meta_view(Tensor t)
cdef View meta_of(Node node, Py_ssize_t number)
cdef int set_output(Node node, Tensor output, int number) except -1

cdef object evaluating                 # {number of a thread: the node that it runs}, in anomaly mode
