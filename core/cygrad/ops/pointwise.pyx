"""Pointwise ops that are one kernel: the table of them, and what makes functions, methods and in-place forms of a row.

`UNARY_OPS` and `BINARY_OPS` list each op once: name, kernel code, dtype rule, documentation. From a row come the
function (`cygrad.exp`), the method, the in-place form (`exp_`) and `out=`. Operators of `Tensor` call `apply_unary`
and `apply_binary` directly. Operands of one dtype and shape, dense and on one device go straight to the kernel.
"""
from cpython.bool cimport PyBool_Check
from cpython.complex cimport PyComplex_Check
from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact

from cygrad cimport backend as k
from cygrad.autograd.node cimport (Derivative, OpNode, attach, check_inplace, check_overlap, find_row, gradient_edge,
                                   grad_enabled, rebase, record, record_pair, set_meta_of)
from cygrad.backend cimport Backend
from cygrad.dispatch cimport (INTEGRAL, NO_BOOL, NO_COMPLEX, ROUNDING, SAME, TO_BOOL, TO_FLOAT, TO_REAL, binary,
                              binary_into, broadcast_sizes, cast, compute_dtype, copy_into, dense_copy, empty_as,
                              expand_to, output_like, refuse_overlap, result_dtype, scalar_dtype, scalar_into, unary,
                              unary_into)
from cygrad.dtype cimport (BOOL, CATEGORY_BOOL, CATEGORY_COMPLEX, CATEGORY_FLOAT, CATEGORY_INTEGER, DType, can_cast_to,
                           dtype_of)
from cygrad.tensor cimport Tensor, alias, bump_version, plain, requires_grad, version_of
from cygrad.view cimport INLINE_RANK, same_sizes, size_of

from cygrad import errors
from cygrad.ops.registry import add_op, refuse_out_grad, write_out

cdef tuple NO_EXTRA = ()
cdef DType BOOL_DTYPE = dtype_of(BOOL)

cdef enum:
    BIT_BOOL = 1 << CATEGORY_BOOL
    BIT_INTEGER = 1 << CATEGORY_INTEGER
    BIT_FLOAT = 1 << CATEGORY_FLOAT
    BIT_COMPLEX = 1 << CATEGORY_COMPLEX


cdef int plain_categories(int rule):
    """Categories whose dtype an op of this rule computes in and returns as it is."""
    if rule == TO_FLOAT:
        return BIT_FLOAT | BIT_COMPLEX
    if rule == TO_REAL:
        return BIT_BOOL | BIT_INTEGER | BIT_FLOAT
    if rule == NO_BOOL:
        return BIT_INTEGER | BIT_FLOAT | BIT_COMPLEX
    if rule == INTEGRAL:
        return BIT_BOOL | BIT_INTEGER
    if rule == NO_COMPLEX:
        return BIT_BOOL | BIT_INTEGER | BIT_FLOAT
    if rule == ROUNDING:
        return BIT_FLOAT
    return BIT_BOOL | BIT_INTEGER | BIT_FLOAT | BIT_COMPLEX


cdef class UnaryOp:
    """A pointwise op of one tensor."""

    def __init__(self, name, int code, int rule):
        self.name, self.code, self.rule = name, code, rule
        self.plain = plain_categories(rule)
        if code == k.ANGLE:
            self.plain = BIT_FLOAT
        elif code == k.RELU or code == k.ABS:
            self.plain &= ~BIT_BOOL

    cdef Derivative derivative(self):
        if not self.resolved:
            self.row = find_row(self.name, ("self",))
            self.resolved = True
        return self.row


cdef class BinaryOp:
    """A pointwise op of two tensors, or a tensor and a number."""

    def __init__(self, name, int code, int rule, tuple extra=()):
        self.name, self.code, self.rule, self.extra = name, code, rule, extra
        self.plain = plain_categories(rule)

    cdef Derivative derivative(self):
        if not self.resolved:
            self.row = find_row(self.name, ("self", "other", "alpha") if self.extra else ("self", "other"))
            self.resolved = True
        return self.row

    cdef Derivative number_derivative(self, bint second):
        """The row of a call with a number: ``"fmod_scalar"``, ``"scalar_pow"``; the common one where there is none."""
        cdef tuple names = ("self", "other")
        if self.number_rows is None:
            names = ("self", "other", "alpha") if self.extra else names
            self.number_rows = (find_row("scalar_" + self.name, names) or self.derivative(),
                                find_row(self.name + "_scalar", names) or self.derivative())
        return <Derivative>self.number_rows[second]


# ------------------------------------------------------------------ application

cdef object apply_unary(UnaryOp op, Tensor a):
    """op(a), recorded when needed."""
    cdef Tensor out
    cdef Derivative row
    cdef OpNode node
    if a.names_ is not None:
        out = apply_unary(op, plain(a))
        out.names_ = a.names_
        return out
    if a.dense and op.plain >> a.dtype.category & 1 and a.elements and a.rank <= INLINE_RANK:
        out = empty_as(a, BOOL_DTYPE if op.rule == TO_BOOL else a.dtype)
        unary_into(op.code, a, out)
    elif op.rule == ROUNDING and a.dtype.category == CATEGORY_INTEGER:
        out = output_like(a.dtype, a.rank, a.sizes, a, None, None)
        copy_into(a, out)
    else:
        if a.dtype.code == BOOL:
            if op.code == k.RELU:
                raise RuntimeError("Boolean inputs not supported for relu")
            if op.code == k.ABS:
                raise NotImplementedError("\"abs_cpu\" not implemented for 'Bool'")
        if op.rule == NO_BOOL and a.dtype.code == BOOL:
            raise bool_error(op.name, True)
        out = unary(op.code, a, op.rule)
    if grad_enabled() and requires_grad(a) and op.rule != TO_BOOL:
        row = op.derivative()
        if row is not None:
            node = record_pair(row, a, None, NO_EXTRA)
            attach(node, out)
    return out


cdef object bool_error(str name, bint both):
    if name == "neg":
        return RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
                            "invert a mask, use the `~` or `logical_not()` operator instead.")
    if both:
        return RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                            "`logical_xor()` operator instead.")
    return RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                        "invert a mask, use the `~` or `logical_not()` operator instead.")


cdef bint is_number(object x):
    return PyFloat_CheckExact(x) or PyLong_CheckExact(x) or scalar_dtype(x) is not None


cdef object apply_binary(BinaryOp op, object x, object y):
    """op(x, y), recorded when needed; NotImplemented when an operand is neither tensor nor number."""
    cdef Tensor a, b = None, out
    cdef Derivative row
    cdef OpNode node
    if isinstance(x, Tensor):
        a = <Tensor>x
        if isinstance(y, Tensor):
            b = <Tensor>y
            if a.names_ is not None or b.names_ is not None:
                return named_binary(op, x, y)
            if (a.dtype is b.dtype and a.dense and b.dense and a.elements and op.plain >> a.dtype.category & 1
                    and a.memory.backend is b.memory.backend and a.memory.index == b.memory.index
                    and same_sizes(a, b) and a.rank <= INLINE_RANK):
                out = empty_as(a, BOOL_DTYPE if op.rule == TO_BOOL else a.dtype)
                binary_into(op.code, a, b, out)
            else:
                if op.rule == NO_BOOL and (a.dtype.code == BOOL or b.dtype.code == BOOL):
                    raise bool_error(op.name, a.dtype is b.dtype)
                out = binary(op.code, a, b, op.rule)
        elif is_number(y):
            if a.names_ is not None:
                return named_binary(op, x, y)
            if (a.dense and a.elements and op.plain >> a.dtype.category & 1 and a.rank <= INLINE_RANK
                    and a.dtype.category >= scalar_dtype(y).category and not (op.rule == NO_BOOL and PyBool_Check(y))):
                out = empty_as(a, BOOL_DTYPE if op.rule == TO_BOOL else a.dtype)
                scalar_into(op.code, a, y, False, out)
            else:
                if op.rule == NO_BOOL and (a.dtype.code == BOOL or PyBool_Check(y)):
                    raise bool_error(op.name, a.dtype.code == BOOL and PyBool_Check(y))
                out = binary(op.code, a, y, op.rule)
        else:
            return other_operand(op, x, y)
    elif isinstance(y, Tensor) and is_number(x):
        a = <Tensor>y
        if a.names_ is not None:
            return named_binary(op, x, y)
        if op.rule == NO_BOOL and (a.dtype.code == BOOL or PyBool_Check(x)):
            raise bool_error(op.name, False)
        out = binary(op.code, x, y, op.rule)
    else:
        return other_operand(op, x, y)
    if op.rule != TO_BOOL and grad_enabled() and (requires_grad(a) or (b is not None and requires_grad(b))):
        row = op.derivative() if b is not None else op.number_derivative(a is x)
        if row is not None:
            node = record_pair(row, x, y, op.extra)
            attach(node, out)
    return out


cdef Tensor named_binary(BinaryOp op, object x, object y):
    """op(x, y) where a tensor has names: they are checked, the op runs without them, and its result gets them."""
    from cygrad.names import unified
    names = unified((x, y))
    cdef Tensor out = apply_binary(op, plain(<Tensor>x) if isinstance(x, Tensor) else x,
                                   plain(<Tensor>y) if isinstance(y, Tensor) else y)
    out.names_ = names
    return out


cdef bint fits_out(Tensor a, object out, bint plain) except -1:
    """Whether a kernel can write straight into `out=`: a tensor like `a`, none of autograd's business."""
    cdef Tensor t
    if not plain or type(out) is not Tensor:
        return False
    t = <Tensor>out
    if not (a.dtype is t.dtype and a.dense and t.dense and a.elements and a.rank <= INLINE_RANK
            and a.memory.backend is t.memory.backend and a.memory.index == t.memory.index and same_sizes(a, t)
            and a.names_ is None and t.names_ is None):
        return False
    if grad_enabled() and (requires_grad(a) or requires_grad(t)):
        return False
    refuse_overlap(t, a, False)
    return True


cdef bint unary_to(UnaryOp op, Tensor a, object out) except -1:
    """out = op(a) if that needs no care; else False."""
    if op.rule == TO_BOOL or not fits_out(a, out, op.plain >> a.dtype.category & 1):
        return False
    unary_into(op.code, a, <Tensor>out)
    bump_version(<Tensor>out)
    return True


cdef bint binary_to(BinaryOp op, Tensor a, object y, object out) except -1:
    """out = op(a, y) for two tensors alike, if that needs no care; else False."""
    cdef bint plain = op.rule != TO_BOOL and op.plain >> a.dtype.category & 1
    if type(y) is not Tensor or not fits_out(a, out, plain) or not fits_out(<Tensor>y, out, plain):
        return False
    binary_into(op.code, a, <Tensor>y, <Tensor>out)
    bump_version(<Tensor>out)
    return True


cdef enum:
    FEW = 4096          # elements up to which two kernels cost less than a program


def clamped_few(Tensor a not None, low, high):
    """`a` between two Python numbers by two kernels, if it is small and the call plain; else None."""
    cdef Tensor out
    if (a.elements > FEW or not a.dense or a.elements == 0 or a.rank > INLINE_RANK or a.dtype.category != CATEGORY_FLOAT
            or not (PyFloat_CheckExact(low) or PyLong_CheckExact(low))
            or not (PyFloat_CheckExact(high) or PyLong_CheckExact(high)) or (grad_enabled() and requires_grad(a))):
        return None
    out = empty_as(a, a.dtype)
    scalar_into(k.MAXIMUM, a, low, False, out)
    scalar_into(k.MINIMUM, out, high, False, out)
    return out


cdef object other_operand(BinaryOp op, object x, object y):
    """NumPy scalars and other objects that convert to a number count as one; the rest is not ours."""
    if hasattr(y, "__array_interface__") and getattr(y, "shape", None) == () and isinstance(x, Tensor):
        return apply_binary(op, x, y.item())
    if hasattr(x, "__array_interface__") and getattr(x, "shape", None) == () and isinstance(y, Tensor):
        return apply_binary(op, x.item(), y)
    if hasattr(y, "__array_interface__") and isinstance(x, Tensor):
        from cygrad.ops.creation import as_tensor
        return apply_binary(op, x, as_tensor(y))
    return NotImplemented


cdef object apply_pow(object x, object y):
    """x ** y: a scalar exponent and a tensor exponent have rows of their own, as in PyTorch."""
    if isinstance(y, Tensor):
        return apply_binary(op_pow_tensor, x, y)
    if isinstance(x, Tensor) and (<Tensor>x).dtype.category == CATEGORY_INTEGER and PyLong_CheckExact(y) and y < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if PyBool_Check(y) and isinstance(x, Tensor) and (<Tensor>x).dtype.code == BOOL:
        return dense_copy(<Tensor>x) if y else apply_binary(op_eq, x, x)
    return apply_binary(op_pow, x, y)


cdef object apply_reciprocal(Tensor x, object y):
    """y / x for a number y: the reciprocal times y, as PyTorch computes it."""
    if not is_number(y):
        return apply_binary(op_div, y, x)
    return apply_binary(op_mul, apply_unary(op_reciprocal, x), y)


def check_writable(Tensor target not None, tuple operands=()):
    """Raise unless `target` may be changed in place; with the operands of a pointwise op, unless its result fits."""
    cdef Py_ssize_t sizes[64]
    cdef int rank
    cdef DType dtype
    check_target(target)
    for value in operands:
        if isinstance(value, Tensor) and not same_sizes(target, <Tensor>value):
            rank = broadcast_sizes(target, <Tensor>value, sizes)
            check_fits(target, rank, sizes)
    for value in operands:
        if isinstance(value, Tensor):
            dtype = result_dtype(target, value)
            if not can_cast_to(dtype, target.dtype):
                raise cast_error(dtype, target.dtype)


cdef int check_target(Tensor a) except -1:
    check_inplace(a)
    if not a.dense:
        check_overlap(a)
    return 0


cdef object apply_binary_(BinaryOp op, Tensor a, object y):
    """a = op(a, y) in place."""
    cdef Tensor b = None
    cdef DType dtype
    cdef Derivative row = None
    cdef OpNode node = None
    cdef Py_ssize_t sizes[64]
    cdef int rank
    if a.names_ is not None or (isinstance(y, Tensor) and (<Tensor>y).names_ is not None):
        return getattr(a, op.name + "_")(y)
    check_target(a)
    if isinstance(y, Tensor):
        b = <Tensor>y
    elif not is_number(y):
        return NotImplemented
    if op.rule == NO_BOOL and (a.dtype.code == BOOL or (b.dtype.code == BOOL if b is not None else PyBool_Check(y))):
        raise bool_error(op.name, a.dtype.code == BOOL and (b is None or b.dtype.code == BOOL))
    if b is not None and not same_sizes(a, b):
        rank = broadcast_sizes(a, b, sizes)
        check_fits(a, rank, sizes)
    dtype = BOOL_DTYPE if op.rule == TO_BOOL else result_dtype(a, y)
    if not can_cast_to(dtype, a.dtype):
        raise cast_error(dtype, a.dtype)
    if op.rule != TO_BOOL:
        dtype = compute_dtype(dtype, op.code, op.rule)
        if not can_cast_to(dtype, a.dtype):
            raise cast_error(dtype, a.dtype)
    if grad_enabled() and (requires_grad(a) or (b is not None and requires_grad(b))):
        row = op.derivative() if b is not None else op.number_derivative(True)
    if row is not None and row.needs[0] & 1 or (row is not None and row.needs[1] & 1):
        from cygrad.autograd.node import shadow
        return finish_inplace(a, apply_binary(op, shadow(a), y), op.name)
    if row is not None:
        node = record_pair(row, a, y, op.extra)
    if dtype is a.dtype and op.rule != TO_BOOL:
        if b is None:
            scalar_into(op.code, a, y, False, a)
        else:
            if (b.memory.backend is not a.memory.backend or b.memory.index != a.memory.index
                    or (b is not a and b.memory is a.memory)):
                refuse_overlap(a, b, False)
                b = binary_operand(a, b)
            b = cast(b, dtype)
            if not same_sizes(a, b):
                b = expand_to(b, a.rank, a.sizes)
            binary_into(op.code, a, b, a)
    else:
        copy_into(binary(op.code, a, y, op.rule), a)
    bump_version(a)
    if node is not None:
        set_meta_of(node, a, 0)
        rebase(a, node, 0)
    return a


cdef Tensor binary_operand(Tensor a, Tensor b):
    """An operand of an in-place op that is elsewhere (a 0-d host tensor is copied) or shares a's memory (is cloned)."""
    if b.memory.backend is not a.memory.backend or b.memory.index != a.memory.index:
        if b.rank == 0:
            return b.to(a.device)
        raise errors.on_two_devices(None, a, b, ("self", "other"))
    return dense_copy(b)


cdef object cast_error(DType source, DType target):
    from cygrad.dispatch import SCALAR_NAMES
    return RuntimeError(f"result type {SCALAR_NAMES[source.code]} can't be cast to the desired output type "
                        f"{SCALAR_NAMES[target.code]}")


cdef check_fits(Tensor a, int rank, Py_ssize_t *sizes):
    cdef int i
    cdef bint fits = rank == a.rank
    for i in range(rank):
        if fits and sizes[i] != a.sizes[i]:
            fits = False
    if not fits:
        raise RuntimeError(f"output with shape {list(size_of(a))} doesn't match the broadcast shape "
                           f"{[sizes[i] for i in range(rank)]}")


cdef object finish_inplace(Tensor target, Tensor value, str name):
    """Write the result of an out-of-place op into its first input: values, version and history."""
    check_target(target)
    if not same_sizes(target, value):
        raise RuntimeError(f"output with shape {list(size_of(target))} doesn't match the broadcast shape "
                           f"{list(size_of(value))}")
    if not can_cast_to(value.dtype, target.dtype):
        raise cast_error(value.dtype, target.dtype)
    copy_into(value, target)
    bump_version(target)
    if value.node is not None:
        rebase(target, value.node, value.output_number)
    return target


def inplace_result(Tensor target not None, Tensor value not None, str name):
    """Write the result of an out-of-place op into its first input: values, version and history."""
    return finish_inplace(target, value, name)


cdef object apply_unary_(UnaryOp op, Tensor a):
    """a = op(a) in place."""
    cdef Derivative row
    cdef OpNode node
    check_target(a)
    if op.rule == TO_REAL and a.dtype.category == CATEGORY_COMPLEX:
        raise RuntimeError(f"In-place {op.name} is not supported for complex tensors.")
    if grad_enabled() and requires_grad(a):
        row = op.derivative()
        if row is not None and not row.needs[0] & 1 and op.plain >> a.dtype.category & 1 and op.rule != TO_BOOL:
            node = record_pair(row, a, None, NO_EXTRA)           # the formula reads no more than the result
            unary_into(op.code, a, a)
            bump_version(a)
            set_meta_of(node, a, 0)
            if node.result is not None:
                node.result = alias(a)
                node.result_version = version_of(a)
            rebase(a, node, 0)
            return a
        from cygrad.autograd.node import shadow
        return finish_inplace(a, apply_unary(op, shadow(a)), op.name)
    if op.plain >> a.dtype.category & 1 and op.rule != TO_BOOL:
        unary_into(op.code, a, a)
        bump_version(a)
        return a
    return finish_inplace(a, apply_unary(op, a), op.name)


# -------------------------------------------------------------------- the table

UNARY_OPS = [
    # name, code, rule, in place, what it computes
    ("neg", k.NEG, NO_BOOL, True, "the negative of each element"),
    ("abs", k.ABS, TO_REAL, True, "the absolute value of each element (the modulus of complex ones)"),
    ("sign", k.SIGN, NO_COMPLEX, True, "the sign of each element: -1, 0 or 1"),
    ("exp", k.EXP, TO_FLOAT, True, "e to the power of each element"),
    ("exp2", k.EXP2, TO_FLOAT, True, "2 to the power of each element"),
    ("expm1", k.EXPM1, TO_FLOAT, True, "exp(x) - 1 of each element, accurate near 0"),
    ("log", k.LOG, TO_FLOAT, True, "the natural logarithm of each element"),
    ("log2", k.LOG2, TO_FLOAT, True, "the logarithm to base 2 of each element"),
    ("log10", k.LOG10, TO_FLOAT, True, "the logarithm to base 10 of each element"),
    ("log1p", k.LOG1P, TO_FLOAT, True, "log(1 + x) of each element, accurate near 0"),
    ("sqrt", k.SQRT, TO_FLOAT, True, "the square root of each element"),
    ("rsqrt", k.RSQRT, TO_FLOAT, True, "the reciprocal of the square root of each element"),
    ("reciprocal", k.RECIPROCAL, TO_FLOAT, True, "1 / x of each element"),
    ("sin", k.SIN, TO_FLOAT, True, "the sine of each element (radians)"),
    ("cos", k.COS, TO_FLOAT, True, "the cosine of each element (radians)"),
    ("tan", k.TAN, TO_FLOAT, True, "the tangent of each element (radians)"),
    ("asin", k.ASIN, TO_FLOAT, True, "the inverse sine of each element, in radians"),
    ("acos", k.ACOS, TO_FLOAT, True, "the inverse cosine of each element, in radians"),
    ("atan", k.ATAN, TO_FLOAT, True, "the inverse tangent of each element, in radians"),
    ("sinh", k.SINH, TO_FLOAT, True, "the hyperbolic sine of each element"),
    ("cosh", k.COSH, TO_FLOAT, True, "the hyperbolic cosine of each element"),
    ("tanh", k.TANH, TO_FLOAT, True, "the hyperbolic tangent of each element"),
    ("asinh", k.ASINH, TO_FLOAT, True, "the inverse hyperbolic sine of each element"),
    ("acosh", k.ACOSH, TO_FLOAT, True, "the inverse hyperbolic cosine of each element"),
    ("atanh", k.ATANH, TO_FLOAT, True, "the inverse hyperbolic tangent of each element"),
    ("erf", k.ERF, TO_FLOAT, True, "the error function of each element"),
    ("erfc", k.ERFC, TO_FLOAT, True, "the complementary error function of each element"),
    ("erfinv", k.ERFINV, TO_FLOAT, True, "the inverse error function of each element"),
    ("lgamma", k.LGAMMA, TO_FLOAT, True, "the logarithm of the gamma function's modulus"),
    ("digamma", k.DIGAMMA, TO_FLOAT, True, "the derivative of lgamma"),
    ("sigmoid", k.SIGMOID, TO_FLOAT, True, "1 / (1 + exp(-x)) of each element"),
    ("relu", k.RELU, NO_COMPLEX, True, "max(x, 0) of each element"),
    ("floor", k.FLOOR, ROUNDING, True, "the largest integer not above each element"),
    ("ceil", k.CEIL, ROUNDING, True, "the smallest integer not below each element"),
    ("trunc", k.TRUNC, ROUNDING, True, "the integer part of each element"),
    ("logical_not", k.LOGICAL_NOT, TO_BOOL, True, "whether each element is zero"),
    ("bitwise_not", k.BITWISE_NOT, INTEGRAL, True, "the bitwise complement of each element"),
    ("isnan", k.ISNAN, TO_BOOL, False, "whether each element is NaN"),
    ("isinf", k.ISINF, TO_BOOL, False, "whether each element is infinite"),
    ("isfinite", k.ISFINITE, TO_BOOL, False, "whether each element is neither NaN nor infinite"),
    ("angle", k.ANGLE, TO_REAL, False, "the argument of each element, in radians"),
]

BINARY_OPS = [
    # name, code, rule, in place, what it computes
    ("mul", k.MUL, SAME, True, "input * other"),
    ("remainder", k.REMAINDER, NO_COMPLEX, True, "input modulo other, with the sign of other"),
    ("fmod", k.FMOD, NO_COMPLEX, True, "the remainder of input / other, with the sign of input"),
    ("maximum", k.MAXIMUM, NO_COMPLEX, False, "the larger of input and other; NaN if either is"),
    ("minimum", k.MINIMUM, NO_COMPLEX, False, "the smaller of input and other; NaN if either is"),
    ("fmax", k.FMAX, NO_COMPLEX, False, "the larger of input and other; a NaN only where both are"),
    ("fmin", k.FMIN, NO_COMPLEX, False, "the smaller of input and other; a NaN only where both are"),
    ("atan2", k.ATAN2, TO_FLOAT, True, "the angle of the point (other, input), in radians"),
    ("hypot", k.HYPOT, NO_COMPLEX, True, "sqrt(input**2 + other**2) without overflow"),
    ("copysign", k.COPYSIGN, TO_FLOAT, True, "input with the sign of other"),
    ("nextafter", k.NEXTAFTER, NO_COMPLEX, True, "the next float after input towards other"),
    ("gcd", k.GCD, INTEGRAL, True, "the greatest common divisor"),
    ("lcm", k.LCM, INTEGRAL, True, "the least common multiple"),
    ("bitwise_and", k.BITWISE_AND, INTEGRAL, True, "input & other"),
    ("bitwise_or", k.BITWISE_OR, INTEGRAL, True, "input | other"),
    ("bitwise_xor", k.BITWISE_XOR, INTEGRAL, True, "input ^ other"),
    ("bitwise_left_shift", k.LEFT_SHIFT, INTEGRAL, True, "input << other"),
    ("bitwise_right_shift", k.RIGHT_SHIFT, INTEGRAL, True, "input >> other"),
    ("eq", k.EQ, TO_BOOL, True, "input == other"),
    ("ne", k.NE, TO_BOOL, True, "input != other"),
    ("lt", k.LT, TO_BOOL, True, "input < other"),
    ("le", k.LE, TO_BOOL, True, "input <= other"),
    ("gt", k.GT, TO_BOOL, True, "input > other"),
    ("ge", k.GE, TO_BOOL, True, "input >= other"),
    ("logical_and", k.LOGICAL_AND, TO_BOOL, True, "whether both are non-zero"),
    ("logical_or", k.LOGICAL_OR, TO_BOOL, True, "whether either is non-zero"),
    ("logical_xor", k.LOGICAL_XOR, TO_BOOL, True, "whether exactly one is non-zero"),
]

ALIASES = {"neg": ("negative",), "abs": ("absolute",), "asin": ("arcsin",), "acos": ("arccos",), "atan": ("arctan",),
           "asinh": ("arcsinh",), "acosh": ("arccosh",), "atanh": ("arctanh",), "trunc": ("fix",),
           "mul": ("multiply",), "eq": (), "ne": ("not_equal",), "lt": ("less",), "le": ("less_equal",),
           "gt": ("greater",), "ge": ("greater_equal",), "atan2": ("arctan2",)}


cdef Tensor need_tensor(object x, str name, str argument="input"):
    if isinstance(x, Tensor):
        return <Tensor>x
    raise TypeError(f"{name}(): argument '{argument}' (position 1) must be Tensor, not {type(x).__name__}")


def _unary_forms(UnaryOp op):
    exact = op.rule != TO_FLOAT and op.rule != TO_BOOL and op.code != k.ANGLE

    def function(input, *, out=None):
        if out is None:
            return apply_unary(op, need_tensor(input, op.name))
        if type(input) is Tensor and unary_to(op, <Tensor>input, out):
            return out
        refuse_out_grad(op.name, input, out)
        return write_out(op.name, apply_unary(op, need_tensor(input, op.name)), out,
                         "exact" if exact and not (op.rule == TO_REAL and input.is_complex()) else "")

    def inplace(self):
        return apply_unary_(op, need_tensor(self, op.name + "_"))

    return function, inplace


cdef object checked_binary(BinaryOp op, object x, object y):
    out = apply_binary(op, x, y)
    if out is NotImplemented:
        if not isinstance(x, Tensor) and not isinstance(y, Tensor):
            if op.name in ("add", "sub", "mul", "div") and is_number(x) and is_number(y):
                from cygrad.ops.creation import tensor
                return apply_binary(op, tensor(x), y)
            raise TypeError(f"{op.name}(): argument 'input' (position 1) must be Tensor, not {type(x).__name__}")
        raise TypeError(f"{op.name}(): argument 'other' (position 2) must be Tensor or Number, not "
                        f"{type(y if isinstance(x, Tensor) else x).__name__}")
    return out


TENSORS_ONLY = ("maximum", "minimum", "fmax", "fmin", "atan2", "hypot", "nextafter", "gcd", "lcm", "logical_and",
                "logical_or", "logical_xor")


def need_tensors(BinaryOp op, input, other):
    """Raise where a Python number, or a complex tensor, is no operand of this op."""
    for place, (argument, value) in enumerate((("input", input), ("other", other))):
        if not isinstance(value, Tensor):
            raise TypeError(f"{op.name}(): argument '{argument}' (position {place + 1}) must be Tensor, not "
                            f"{type(value).__name__}")
    if op.code in (k.MAXIMUM, k.MINIMUM, k.FMAX, k.FMIN) and (
            (<Tensor>input).dtype.category == CATEGORY_COMPLEX or (<Tensor>other).dtype.category == CATEGORY_COMPLEX):
        raise RuntimeError(f"{op.name} not implemented for complex tensors.")


def _binary_forms(BinaryOp op):
    tensors_only = op.name in TENSORS_ONLY

    def function(input, other, *, out=None):
        if tensors_only:
            need_tensors(op, input, other)
        if out is None:
            return checked_binary(op, input, other)
        if type(input) is Tensor and binary_to(op, <Tensor>input, other, out):
            return out
        if op.code in (k.LEFT_SHIFT, k.RIGHT_SHIFT) and not isinstance(input, Tensor):
            raise TypeError(f"{op.name}() received an invalid combination of arguments - got (Number, Tensor, "
                            "out=Tensor)")
        refuse_out_grad(op.name, input, other, out)
        return write_out(op.name, checked_binary(op, input, other), out)

    def inplace(self, other):
        if tensors_only:
            need_tensors(op, self, other)
        result = apply_binary_(op, need_tensor(self, op.name + "_"), other)
        if result is NotImplemented:
            raise TypeError(f"{op.name}_(): argument 'other' (position 1) must be Tensor or Number, not "
                            f"{type(other).__name__}")
        return result

    return function, inplace


UNARY_BY_NAME = {}
BINARY_BY_NAME = {}


def _publish():
    for name, code, rule, inplace, what in UNARY_OPS:
        op = UNARY_BY_NAME[name] = UnaryOp(name, code, rule)
        function, function_ = _unary_forms(op)
        doc = f"""Elementwise: {what}.

    Parameters
    ----------
    input : Tensor
        Any shape{"; integers give the default float dtype" if rule == TO_FLOAT else ""}.
    out : Tensor, optional
        Receives the result.

    Returns
    -------
    Tensor
        Of input's shape{", of dtype bool" if rule == TO_BOOL else ""}.
    """
        add_op(name, function, doc, inplace=function_ if inplace else None, aliases=ALIASES.get(name, ()))
    for name, code, rule, inplace, what in BINARY_OPS:
        op = BINARY_BY_NAME[name] = BinaryOp(name, code, rule)
        function, function_ = _binary_forms(op)
        doc = f"""Elementwise: {what}.

    Parameters
    ----------
    input, other : Tensor or number
        At least one tensor; shapes broadcast and dtypes promote.
    out : Tensor, optional
        Receives the result.

    Returns
    -------
    Tensor
        Of the broadcast shape{" and dtype bool" if rule == TO_BOOL else ""}.
    """
        add_op(name, function, doc, inplace=function_ if inplace else None, aliases=ALIASES.get(name, ()))


_publish()

op_neg, op_abs, op_bitwise_not = UNARY_BY_NAME["neg"], UNARY_BY_NAME["abs"], UNARY_BY_NAME["bitwise_not"]
op_reciprocal = UNARY_BY_NAME["reciprocal"]
op_mul, op_remainder = BINARY_BY_NAME["mul"], BINARY_BY_NAME["remainder"]
op_and, op_or, op_xor = (BINARY_BY_NAME["bitwise_and"], BINARY_BY_NAME["bitwise_or"], BINARY_BY_NAME["bitwise_xor"])
op_lshift, op_rshift = BINARY_BY_NAME["bitwise_left_shift"], BINARY_BY_NAME["bitwise_right_shift"]
op_eq, op_ne, op_lt = BINARY_BY_NAME["eq"], BINARY_BY_NAME["ne"], BINARY_BY_NAME["lt"]
op_le, op_gt, op_ge = BINARY_BY_NAME["le"], BINARY_BY_NAME["gt"], BINARY_BY_NAME["ge"]
op_add = BinaryOp("add", k.ADD, SAME, (1,))
op_sub = BinaryOp("sub", k.SUB, NO_BOOL, (1,))
op_div = BinaryOp("div", k.DIV, TO_FLOAT)
op_floor_divide = BinaryOp("floor_divide", k.FLOOR_DIVIDE, NO_COMPLEX)
cdef BinaryOp op_div_mode = BinaryOp("div_mode", k.DIV, TO_FLOAT)
cdef BinaryOp op_rsub = BinaryOp("rsub", k.SUB, NO_BOOL, (1,))
cdef BinaryOp op_trunc_divide = BinaryOp("trunc_divide", k.TRUNC_DIVIDE, NO_COMPLEX)
cdef BinaryOp op_pow = BinaryOp("pow", k.POW, SAME)
cdef BinaryOp op_pow_tensor = BinaryOp("pow_tensor", k.POW, SAME)


# ------------------------------------------ ops with arguments of their own

cdef refuse_bools(str name, object x, object y):
    cdef bint first = x.dtype is BOOL_DTYPE if isinstance(x, Tensor) else PyBool_Check(x)
    cdef bint second = y.dtype is BOOL_DTYPE if isinstance(y, Tensor) else PyBool_Check(y)
    if first or second:
        raise bool_error(name, first and second)


cdef object scaled(BinaryOp op, object input, object other, object alpha):
    """add or sub with alpha: one node, whose formula multiplies by alpha."""
    cdef Tensor out
    cdef OpNode node
    if alpha == 1 and not PyBool_Check(alpha):
        return checked_binary(op, input, other)
    if op.rule == NO_BOOL:
        refuse_bools(op.name, input, other)
    dtype = result_dtype(input, other)
    if PyBool_Check(alpha) and (<DType>dtype).code != BOOL:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and (<DType>dtype).category < CATEGORY_FLOAT:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and (<DType>dtype).category < CATEGORY_COMPLEX:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    if (<DType>dtype).code == BOOL:
        alpha = bool(alpha)
    if (<DType>dtype).category == CATEGORY_FLOAT and isinstance(input, Tensor) and isinstance(other, Tensor):
        out = add_multiple()(input, other, -alpha if op.code == k.SUB else alpha)
        return recorded_scaled(op, input, other, alpha, out)
    if isinstance(other, Tensor):
        step = binary(k.MUL, cast(<Tensor>other, dtype), alpha, SAME)
    else:
        step = other * alpha if (<DType>dtype).code != BOOL else bool(other and alpha)
    if isinstance(input, Tensor):
        out = binary(op.code, input, step, op.rule)
    else:
        out = binary(op.code, cast(<Tensor>step, dtype), 0, op.rule)
        out = binary(op.code, input, step, op.rule)
    return recorded_scaled(op, input, other, alpha, out)


cdef object add_multiple():
    """The program input + alpha * other."""
    from cygrad.ops.composite import ADD_MULTIPLE
    return ADD_MULTIPLE


cdef bint scaled_in_place(Tensor target, object other, object alpha) except -1:
    """target += alpha * other, if that needs neither a graph nor a temporary; whether it did."""
    if (not isinstance(other, Tensor) or target.dtype.category != CATEGORY_FLOAT or not isinstance(alpha, (int, float))
            or (<Tensor>other).dtype is not target.dtype or not same_sizes(target, <Tensor>other)
            or grad_enabled() and (requires_grad(target) or requires_grad(<Tensor>other))):
        return False
    check_target(target)
    refuse_overlap(target, <Tensor>other, False)
    add_multiple().into(target, target, other, alpha)
    bump_version(target)
    return True


cdef object recorded_scaled(BinaryOp op, object input, object other, object alpha, Tensor out):
    cdef OpNode node
    if grad_enabled() and ((isinstance(input, Tensor) and requires_grad(<Tensor>input))
                           or (isinstance(other, Tensor) and requires_grad(<Tensor>other))):
        if isinstance(input, Tensor) and isinstance(other, Tensor):
            node = record(op.derivative(), (input, other, alpha))
        else:
            node = record(op.number_derivative(isinstance(input, Tensor)), (input, other, alpha))
        attach(node, out)
    return out


def add(input, other, *, alpha=1, out=None):
    """input + alpha * other, elementwise.

    Parameters
    ----------
    input, other : Tensor or number
        At least one tensor; shapes broadcast and dtypes promote.
    alpha : number
        Factor of `other`; an integer for integer tensors.
    out : Tensor, optional
        Receives the result.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.add(cygrad.tensor([1., 2.]), cygrad.tensor([10., 20.]), alpha=2)
    tensor([21., 42.])
    """
    if out is None:
        return scaled(op_add, input, other, alpha)
    if type(alpha) is int and alpha == 1 and type(input) is Tensor and binary_to(op_add, <Tensor>input, other, out):
        return out
    refuse_out_grad("add", input, other, out)
    return write_out("add", scaled(op_add, input, other, alpha), out)


def add_(self, other, *, alpha=1):
    if alpha == 1 and not PyBool_Check(alpha):
        result = apply_binary_(op_add, need_tensor(self, "add_"), other)
        if result is not NotImplemented:
            return result
    elif isinstance(self, Tensor) and not PyBool_Check(alpha) and scaled_in_place(<Tensor>self, other, alpha):
        return self
    return finish_inplace(self, scaled(op_add, self, other, alpha), "add_")


def sub(input, other, *, alpha=1, out=None):
    """input - alpha * other, elementwise.

    Parameters
    ----------
    input, other : Tensor or number
        At least one tensor; shapes broadcast and dtypes promote.
    alpha : number
        Factor of `other`; an integer for integer tensors.
    out : Tensor, optional
        Receives the result.
    """
    if out is None:
        return scaled(op_sub, input, other, alpha)
    if type(alpha) is int and alpha == 1 and type(input) is Tensor and binary_to(op_sub, <Tensor>input, other, out):
        return out
    refuse_out_grad("sub", input, other, out)
    return write_out("sub", scaled(op_sub, input, other, alpha), out)


def sub_(self, other, *, alpha=1):
    if alpha == 1 and not PyBool_Check(alpha):
        result = apply_binary_(op_sub, need_tensor(self, "sub_"), other)
        if result is not NotImplemented:
            return result
    elif isinstance(self, Tensor) and not PyBool_Check(alpha) and scaled_in_place(<Tensor>self, other, -alpha):
        return self
    return finish_inplace(self, scaled(op_sub, self, other, alpha), "sub_")


def rsub(input, other, *, alpha=1):
    """other - alpha * input, elementwise."""
    if alpha == 1 and not PyBool_Check(alpha):
        return checked_binary(op_rsub, other, input)
    return scaled(op_rsub, other, input, alpha)


cdef BinaryOp division(object rounding_mode):
    if rounding_mode is _NOT_GIVEN:
        return op_div
    if rounding_mode is None:
        return op_div_mode
    if rounding_mode == "floor":
        return op_floor_divide
    if rounding_mode == "trunc":
        return op_trunc_divide
    raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                       f"'{rounding_mode}'")


_NOT_GIVEN = ""


def div(input, other, *, rounding_mode=_NOT_GIVEN, out=None):
    """input / other, elementwise.

    Parameters
    ----------
    input, other : Tensor or number
        At least one tensor; shapes broadcast. Integers give the default float dtype unless a rounding mode is given.
    rounding_mode : {"trunc", "floor"} or None, optional
        Round the quotient towards zero or down, and keep integer dtypes.
    out : Tensor, optional
        Receives the result.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.div(cygrad.tensor([7, -7]), 2, rounding_mode="floor")
    tensor([ 3, -4])
    """
    if out is None:
        return checked_binary(division(rounding_mode), input, other)
    if type(input) is Tensor and binary_to(division(rounding_mode), <Tensor>input, other, out):
        return out
    refuse_out_grad("div", input, other, out)
    return write_out("div", checked_binary(division(rounding_mode), input, other), out)


def div_(self, other, *, rounding_mode=_NOT_GIVEN):
    result = apply_binary_(division(rounding_mode), need_tensor(self, "div_"), other)
    if result is NotImplemented:
        raise TypeError(f"div_(): argument 'other' must be Tensor or Number, not {type(other).__name__}")
    return result


def floor_divide(input, other, *, out=None):
    """floor(input / other), elementwise."""
    return div(input, other, rounding_mode="floor", out=out)


def floor_divide_(self, other):
    return div_(self, other, rounding_mode="floor")


def pow(input, exponent, *, out=None):
    """input ** exponent, elementwise.

    Parameters
    ----------
    input, exponent : Tensor or number
        At least one tensor; shapes broadcast and dtypes promote.
    out : Tensor, optional
        Receives the result.

    Raises
    ------
    RuntimeError
        For integers to a negative integer power.
    """
    if out is not None:
        refuse_out_grad("pow", input, exponent, out)
    result = apply_pow(input, exponent)
    if result is NotImplemented:
        raise TypeError(f"pow(): argument 'exponent' (position 2) must be Tensor or Number, not "
                        f"{type(exponent).__name__}")
    if out is None:
        return result
    if not isinstance(input, Tensor) and not PyBool_Check(input) and input == 1:      # ones, in whatever dtype
        result = (<Tensor>result).to(out.dtype)
    return write_out("pow", result, out)


def pow_(self, exponent):
    from cygrad.autograd.node import shadow
    if grad_enabled():
        check_target(need_tensor(self, "pow_"))
        return finish_inplace(self, pow(shadow(self), exponent), "pow_")
    return finish_inplace(self, pow(self, exponent), "pow_")


def square(input, *, out=None):
    """input ** 2, elementwise."""
    return pow(input, 2, out=out)


def square_(self):
    return pow_(self, 2)


for _name, _function, _inplace, _aliases in (
        ("add", add, add_, ()), ("sub", sub, sub_, ("subtract",)), ("div", div, div_, ("divide", "true_divide")),
        ("floor_divide", floor_divide, floor_divide_, ()), ("pow", pow, pow_, ()), ("square", square, square_, ())):
    add_op(_name, _function, None, inplace=_inplace, aliases=_aliases)
add_op("rsub", rsub, None, inplace=None, aliases=(), method=False)
