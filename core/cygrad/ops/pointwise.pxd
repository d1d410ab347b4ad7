"""The pointwise ops that operators and other Cython modules call directly."""
from cygrad.autograd.rows cimport Derivative
from cygrad.tensor cimport Tensor

cdef class UnaryOp:
    cdef readonly str name
    cdef readonly int code
    cdef readonly int rule
    cdef int plain                  # bit per category of dtypes for which the result has the input's dtype
    cdef Derivative row
    cdef bint resolved
    cdef Derivative derivative(self)

cdef class BinaryOp:
    cdef readonly str name
    cdef readonly int code
    cdef readonly int rule
    cdef int plain
    cdef tuple extra                # values of further arguments of the derivative row (alpha of add)
    cdef Derivative row
    cdef bint resolved
    cdef tuple number_rows          # the rows of calls whose first, or second, operand is a Python number; or None
    cdef Derivative derivative(self)
    cdef Derivative number_derivative(self, bint second)

cdef BinaryOp op_add, op_sub, op_mul, op_div, op_floor_divide, op_remainder, op_and, op_or, op_xor
cdef BinaryOp op_lshift, op_rshift, op_eq, op_ne, op_lt, op_le, op_gt, op_ge
cdef UnaryOp op_neg, op_abs, op_bitwise_not, op_reciprocal

cdef object apply_unary(UnaryOp op, Tensor a)
cdef object apply_binary(BinaryOp op, object x, object y)
cdef object apply_unary_(UnaryOp op, Tensor a)
cdef object apply_binary_(BinaryOp op, Tensor a, object y)
cdef object apply_pow(object x, object y)
cdef object apply_reciprocal(Tensor x, object y)
cdef object finish_inplace(Tensor target, Tensor value)
cdef int check_target(Tensor a) except -1
cdef object bool_error(str name, bint both)
cdef bint is_number(object x)
