"""An op as the graph sees it: a name, the names of its arguments, and the derivatives' row that they stand in.

Every op with a node of its own is an `Op`. One written in Cython calls `record` when its input is tracked; `Primitive`
(primitives.pyx) does so for functions written in Python, `KernelOp` (ops/pointwise/single_kernel.pyx) for kernels.
"""
from cygrad.autograd cimport recording
from cygrad.autograd.derivative cimport Derivative, find_row
from cygrad.tensor cimport Tensor


cdef class Op:
    """An op that is recorded under `name`, with arguments of these names."""

    def __cinit__(self, *args, **kwargs):
        if not args:                                # what an op is recorded by, which its methods rely on
            raise TypeError("an op needs a name")

    def __init__(self, str name, *arguments):
        self.name, self.arguments = name, arguments

    cdef Derivative derivative(self):
        """The op's row, looked up when it is first needed; None where the op has no derivative."""
        if not self.resolved:
            self.row = find_row(self.name, self.arguments)
            self.resolved = True
        return self.row

    cdef int record(self, object outputs, tuple args) except -1:
        """Give what was computed, a tensor or a tuple of them, the node of this op on `args`."""
        recording.attach(recording.record(self.derivative(), args), outputs)
        return 0

    cdef int record_pair(self, Tensor out, object x, object y, tuple extra) except -1:
        """The same for an op of one or two operands, without a tuple of them."""
        recording.attach(recording.record_pair(self.derivative(), x, y, extra), out)
        return 0

    cdef Tensor result(self, Tensor out, Tensor input, object argument, tuple others):
        """`out`, with the node of this op on `input` and further arguments where one is needed."""
        if tracked(input) and self.derivative() is not None:
            self.record_pair(out, input, argument, others)
        return out

    def __repr__(self):
        return f"<op {self.name}({', '.join(self.arguments)})>"
