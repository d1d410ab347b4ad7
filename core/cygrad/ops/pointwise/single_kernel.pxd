"""The pointwise ops that operators and other Cython modules call directly."""
from cygrad.dtype cimport DType
from cygrad.autograd.derivative cimport Derivative
from cygrad.ops.declare.op cimport Op
from cygrad.tensor cimport Tensor

cdef class KernelOp(Op):
    cdef readonly int code          # of the kernel
    cdef readonly int rule          # how it chooses dtypes, a `Rule` of promotion.pxd
    cdef int plain                  # bit per category of dtypes for which the result has the input's dtype
    cdef tuple extra                # values of further arguments of the derivative row (alpha of add)
    cdef tuple number_rows          # the rows of calls whose first, or second, operand is a Python number; or None
    cdef tuple inplace_rows         # the rows of the in-place form with a tensor, and with a number; or None
    cdef Derivative number_derivative(self, bint second)
    cdef Derivative inplace_derivative(self, bint number)

cdef KernelOp op_add, op_sub, op_mul, op_div, op_floor_divide, op_remainder, op_and, op_or, op_xor
cdef KernelOp op_lshift, op_rshift, op_eq, op_ne, op_lt, op_le, op_gt, op_ge
cdef KernelOp op_neg, op_abs, op_bitwise_not, op_reciprocal

cdef object apply_unary(KernelOp op, Tensor a)
cdef object apply_binary(KernelOp op, object x, object y)
cdef object apply_unary_(KernelOp op, Tensor a)
cdef object apply_binary_(KernelOp op, Tensor a, object y)
cdef object apply_pow(object x, object y)
cdef object apply_reciprocal(Tensor x, object y)
cdef object finish_inplace(Tensor target, Tensor value)
cdef int check_target(Tensor a) except -1
cdef object bool_error(str name, bint both)
cdef bint is_number(object x)
cdef bint may_refuse(int code, DType dtype) noexcept
