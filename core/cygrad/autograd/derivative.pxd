"""One row of the table of derivatives, and the node of an op that has one."""
from cygrad.autograd.node cimport Node
from cygrad.tensor cimport Tensor
from cygrad.view cimport View

cdef enum:
    FORMULAS = 8           # most differentiable arguments an op has
    PARAMETERS = 10        # most parameters a formula has
    RESULT_BIT = 62        # in sets of arguments: the op's result

ctypedef object (*Shortcut)(OpNode, Tensor)    # gradient of an input by C code, from that of the output (shortcuts.pyx)
ctypedef bint (*Asked)(Node)

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
    cdef int sources[FORMULAS][PARAMETERS]      # where they come from (see derivative.pyx)
    cdef unsigned long long needs[FORMULAS]     # arguments whose values each reads: bit i; RESULT_BIT: the result
    cdef Shortcut shortcuts[FORMULAS]  # NULL where there is but the formula
    cdef unsigned long long geometries          # arguments of which some formula reads the geometry: bit i
    cdef unsigned long long differentiable      # arguments that are differentiable: bit i
    cdef object inplace_type           # the nodes' type in the op's in-place form, or None: the same
    cdef bint only_tracked             # edges for arguments that require a gradient alone: it has no derivative at all
    cdef bint keeps_numbers            # a number that a formula reads is gone after a pass, like a saved tensor

cdef class OpNode(Node):
    cdef Derivative row
    cdef object value0, value1         # the op's first two arguments; tensors are dropped that no formula needs
    cdef tuple rest                    # its other arguments, likewise
    cdef bint lists                    # an argument is a list of tensors, with one edge for each
    cdef object result                 # alias of the output, or `Outputs`, when a formula needs it
    cdef unsigned int versions[8]
    cdef unsigned int result_version
    cdef unsigned long long kept       # arguments that go when the node is released: bit i; RESULT_BIT: the result
    cdef bint released

    cdef object formula(self, int k, object grad, list grads)
    cdef object argument(self, int code, object grad, list grads)
    cdef object value(self, int i)
    cdef object unpack(self, int i)
    cdef View geometry(self, int i)
    cdef object unpack_result(self)
    cdef Tensor raw_result(self)
    cdef object reattached(self, object saved, int number)

cdef class Outputs:
    cdef OpNode node
    cdef tuple saved

cdef class ListOf:
    cdef Py_ssize_t count

cdef object DROPPED

cdef object raw_saved(Node node, object place)

cdef void set_asked(Asked function) noexcept
cdef OpNode new_node(Derivative row)
cdef Derivative find_row(str op, tuple arguments)
cdef int set_shortcut(str op, str argument, Shortcut function) except -1
cdef int set_shortcut_of(object formula, Shortcut function) except -1
cdef tuple parameters_of(object function)
