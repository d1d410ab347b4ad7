"""Nodes of the autograd graph: what records an op and computes its gradient."""
from cygrad.dtype cimport DType
from cygrad.tensor cimport Tensor
from cygrad.view cimport INLINE_RANK, View

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define CYGRAD_THREAD_LOCAL __declspec(thread)
    #else
    #define CYGRAD_THREAD_LOCAL __thread
    #endif
    """

cdef enum:
    FORMULAS = 8           # most differentiable arguments an op has
    PARAMETERS = 8         # most parameters a formula has

ctypedef object (*Shortcut)(OpNode, Tensor)    # gradient of an input by C code, from that of the output (shortcuts.pyx)

cdef class OpNode(Node)

cdef class Derivative:
    cdef readonly str op
    cdef readonly str name
    cdef readonly object node_type
    cdef readonly tuple arguments      # names of the op's arguments
    cdef tuple inputs                  # names of the differentiable ones, in the order of the edges
    cdef tuple formulas                # one callable for each of `inputs`
    cdef int count                     # how many there are
    cdef int positions[FORMULAS]       # of the differentiable arguments
    cdef int arity[FORMULAS]           # parameters of each formula
    cdef int sources[FORMULAS][PARAMETERS]      # where they come from (see node.pyx)
    cdef unsigned long long needs[FORMULAS]     # arguments whose values each reads: bit i; RESULT_BIT: the result
    cdef Shortcut shortcuts[FORMULAS]  # NULL where there is but the formula
    cdef unsigned long long geometries          # arguments of which some formula reads the geometry: bit i

cdef class Node:
    cdef Node next0, next1             # nodes of the first two inputs; None where an input needs no gradient
    cdef int number0, number1          # which outputs of these nodes the inputs are
    cdef list more                     # (node or None, output number) of the inputs after these; None: no more
    cdef int edges                     # number of inputs
    cdef unsigned long long sequence
    cdef DType dtype                   # of output 0; None while there is none
    cdef int rank
    cdef Py_ssize_t sizes[INLINE_RANK]
    cdef list metas                    # Views without storage: all outputs, if there are several or one has many axes
    cdef object backend                # of the outputs
    cdef int index
    cdef object pending                # the engine's state of this node in a pass, or None
    cdef object tensor_hooks           # {output number: dict of hooks} of the outputs, or None
    cdef object retained               # {output number: weak reference to the tensor}, or None
    cdef object pre_hooks
    cdef object post_hooks
    cdef object anomaly                # traceback of the forward call, in anomaly mode
    cdef dict metadata_

    cdef object run(self, list grads)
    cdef void release(self) noexcept
    cdef int outputs(self) noexcept

cdef class OpNode(Node):
    cdef Derivative row
    cdef object value0, value1         # the op's first two arguments; tensors are dropped that no formula needs
    cdef tuple rest                    # its other arguments, likewise
    cdef bint lists                    # an argument is a list of tensors, with one edge for each
    cdef object result                 # alias of the output, or tuple of them, when a formula needs it
    cdef unsigned int versions[8]
    cdef unsigned int result_version
    cdef bint holds_tensors
    cdef bint released

    cdef object gradient(self, int k, object grad)
    cdef object _apply(self, int k, object grad, list grads)
    cdef object _argument(self, int code, object grad, list grads)
    cdef object _value(self, int i)
    cdef object _unpack(self, int i)
    cdef object _shape(self, int i)
    cdef tuple _geometry(self, int i)
    cdef object _unpack_result(self)
    cdef Tensor _raw_result(self)
    cdef object _reattach(self, object saved, int number)

cdef class PythonNode(Node):
    cdef int connect(self, tuple inputs) except -1
    cdef int own(self, Tensor output, int index, bint alone) except -1

cdef class SavedTensor:
    cdef Tensor tensor                 # without history, if it is an output of the node that keeps it
    cdef public unsigned int version
    cdef readonly bint is_output
    cdef int number                    # which output
    cpdef Tensor unpack(self, Node node=*)

cdef class AccumulateGrad(Node):
    cdef readonly Tensor variable

cdef inline Node next_of(Node node, Py_ssize_t i):
    """The node that edge i leads to, or None."""
    if i == 0:
        return node.next0
    if i == 1:
        return node.next1
    return <Node>(<tuple>(node.more[i - 2]))[0]

cdef inline int number_of(Node node, Py_ssize_t i) except -1:
    """Which output of that node the input is."""
    if i == 0:
        return node.number0
    if i == 1:
        return node.number1
    return (<tuple>(node.more[i - 2]))[1]

cdef bint grad_enabled() noexcept
cdef void set_grad_enabled(bint enabled) noexcept
cdef bint inference_enabled() noexcept
cdef bint tracks(Tensor a) noexcept
cdef object gradient_edge(Tensor t)
cdef Derivative find_row(str op, tuple arguments)
cdef int set_shortcut(str op, str argument, Shortcut function) except -1
cdef View meta_of(Node node, Py_ssize_t number)
cdef set_meta_of(Node node, Tensor output, int number)
cdef OpNode record(Derivative row, tuple args)
cdef OpNode record_pair(Derivative row, object x, object y, tuple extra)
cdef int attach(OpNode node, object outputs) except -1
cdef int set_output(Node node, Tensor output, int number) except -1
cdef int rebase(Tensor t, object node, int number) except -1
cdef int check_inplace(Tensor t) except -1
cdef int check_overlap(Tensor t) except -1
