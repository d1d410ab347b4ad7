"""Nodes of the autograd graph: what records an op and computes its gradient."""
from cygrad.tensor cimport Tensor
from cygrad.view cimport View

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define CYGRAD_THREAD_LOCAL __declspec(thread)
    #else
    #define CYGRAD_THREAD_LOCAL __thread
    #endif
    """

cdef class Derivative:
    cdef readonly str op
    cdef readonly str name
    cdef readonly object node_type
    cdef readonly tuple arguments      # names of the op's arguments
    cdef tuple inputs                  # positions of the differentiable ones, in the order of the edges
    cdef tuple formulas                # one callable for each of `inputs`
    cdef tuple sources                 # for each formula, where its arguments come from (see node.pyx)
    cdef unsigned long long needs[8]   # for each formula, the arguments it reads: bit i; RESULT_BIT: the result

cdef class Node:
    cdef tuple nexts                   # Node or None for each input
    cdef tuple numbers                 # output number of each of `nexts`; None when all are 0
    cdef unsigned long long sequence
    cdef object meta                   # View without storage: geometry of the output; a list of them for several
    cdef object backend                # of the outputs
    cdef int index
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
    cdef tuple values                  # the op's arguments, tensors dropped that no formula needs
    cdef object result                 # alias of the output, or tuple of them, when a formula needs it
    cdef unsigned int versions[8]
    cdef unsigned int result_version
    cdef bint holds_tensors
    cdef bint released

    cdef tuple _arguments(self, tuple sources, list grads)
    cdef object _unpack(self, int i)
    cdef tuple _geometry(self, int i)
    cdef object _unpack_result(self)
    cdef object _reattach(self, object saved, int number)

cdef class AccumulateGrad(Node):
    cdef readonly Tensor variable

cdef bint grad_enabled() noexcept
cdef void set_grad_enabled(bint enabled) noexcept
cdef bint inference_enabled() noexcept
cdef bint tracks(Tensor a) noexcept
cdef object gradient_edge(Tensor t)
cdef Derivative find_row(str op, tuple arguments)
cdef set_meta_of(Node node, Tensor output, int number)
cdef OpNode record(Derivative row, tuple args)
cdef OpNode record_pair(Derivative row, object x, object y, tuple extra)
cdef int attach(OpNode node, object outputs) except -1
cdef int set_output(Node node, Tensor output, int number) except -1
cdef int rebase(Tensor t, object node, int number) except -1
cdef int check_inplace(Tensor t) except -1
cdef int check_overlap(Tensor t) except -1
