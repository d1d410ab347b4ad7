"""Pointwise ops that are one kernel: how they are applied, recorded, and computed in place.

Operators of `Tensor` and other Cython modules call `apply_unary`, `apply_binary` and the ops named at the end directly;
what users call is made in `arithmetic.pyx`, the list of ops is `table.py`. Operands of one dtype and shape,
dense and on one device go straight to the kernel.
"""
from cpython.bool cimport PyBool_Check
from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject, PyTypeObject, Py_TYPE

from cygrad cimport backend as k
from cygrad.autograd.forward_levels cimport FORWARD
from cygrad.autograd.inplace cimport check_inference, check_inplace, rebase, set_meta_of
from cygrad.autograd.modes cimport grad_enabled, inference_enabled
from cygrad.autograd.recording cimport attach, keep_result, record_pair, refuse_before_writing
from cygrad.autograd.derivative cimport DROPPED, Derivative, OpNode, RESULT_BIT, find_row
from cygrad.dispatch.allocation cimport empty_as, output_like
from cygrad.dispatch.overlap cimport refuse_overlap, refuse_self_overlap
from cygrad.dispatch.kernel_calls cimport (binary, binary_into, broadcast_sizes, cast, copy_into, dense_copy,
                                           expand_to, has_dense_strides, scalar_into, unary, unary_into)
from cygrad.dispatch.promotion cimport (INTEGRAL, NO_BOOL, NO_COMPLEX, ROUNDING, SAME, TO_BOOL, TO_FLOAT, TO_REAL,
                                        check_scalar, compute_dtype, result_dtype, scalar_dtype)
from cygrad.dtype cimport (BOOL, CATEGORY_BOOL, CATEGORY_COMPLEX, CATEGORY_FLOAT, CATEGORY_INTEGER, DType, can_cast_to,
                           dtype_of)
from cygrad.ops.declare.op cimport Op
from cygrad.tensor cimport Tensor, bump_version, plain, requires_grad
from cygrad.view cimport INLINE_RANK, fill_dense, same_sizes, size_of
from cygrad.tensors cimport operators as table
from cygrad.tensors.operators cimport Binary, Pair, Unary, operators
from cygrad.tensors.overriding cimport hand_over_pair, is_overridden, overridden

from cygrad import errors
from cygrad.backend import BINARY, UNARY
from cygrad.devices.home import together
from cygrad.ops.pointwise.table import ALIASES, BINARY_OPS, UNARY_OPS
from cygrad.named_tensors.names import unified
from cygrad.ops.create.from_data import as_tensor
from cygrad.ops.declare.op_forms import functions
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.autograd.inplace import shadow
from cygrad.ops.shape.broadcasting import broadcast_shapes
from cygrad.ops.declare.out_rules import look_at_first

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


cdef class KernelOp(Op):
    """A pointwise op that is one kernel: of one tensor, or of two tensors, one of which may be a number."""

    def __init__(self, str name, int code, int rule, tuple arguments):
        super().__init__(name, *arguments)
        self.code, self.rule, self.extra = code, rule, (1,) * (len(arguments) - 2)
        self.plain = plain_categories(rule)
        if len(arguments) == 1 and (code == k.ANGLE or code == k.ISINF or code == k.ISFINITE):
            self.plain = BIT_FLOAT
        elif len(arguments) == 1 and (code == k.RELU or code == k.ABS):
            self.plain &= ~BIT_BOOL

    cdef Derivative number_derivative(self, bint second):
        """The row of a call with a number: ``"fmod_scalar"``, ``"scalar_pow"``; the common one where there is none."""
        if self.number_rows is None:
            self.number_rows = (find_row("scalar_" + self.name, self.arguments) or self.derivative(),
                                find_row(self.name + "_scalar", self.arguments) or self.derivative())
        return <Derivative>self.number_rows[second]

    cdef Derivative inplace_derivative(self, bint number):
        """The row of the in-place form, where PyTorch tells it from the op: ``"eq_"``, ``"eq__scalar"``."""
        if self.inplace_rows is None:
            own = find_row(self.name + "_", self.arguments)
            of_number = find_row(self.name + "__scalar", self.arguments)
            self.inplace_rows = own or self.derivative(), of_number or own or self.number_derivative(True)
        return <Derivative>self.inplace_rows[number]


# ------------------------------------------------------------------ application

cdef object apply_unary(KernelOp op, Tensor a):
    """op(a), recorded when needed."""
    cdef Tensor out
    cdef Derivative row
    cdef OpNode node
    if a.names_ is not None:
        return named_unary(op, a)
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
    if op.rule == TO_BOOL and op.code == k.ISFINITE and a.dtype.category == CATEGORY_COMPLEX:
        bump_version(out)                       # of the real parts, and in place of the others
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


cdef inline bint is_ours(object x):
    """Whether an operand is a tensor whose type has no way of its own to do ops."""
    return Py_TYPE(x) == <PyTypeObject *>Tensor or isinstance(x, Tensor) and not is_overridden(<PyObject *>x)


cdef object apply_binary(KernelOp op, object x, object y):
    """op(x, y), recorded when needed; NotImplemented when an operand is neither tensor nor number."""
    cdef Tensor a, b = None, out
    cdef Derivative row
    cdef OpNode node
    if is_ours(x):
        a = <Tensor>x
        if is_ours(y):
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
                if a.memory.backend is not b.memory.backend and a.rank and b.rank:
                    moved = together((a, b), {})
                    if moved is not None:
                        return apply_binary(op, moved[0][0], moved[0][1])
                out = binary(op.code, a, b, op.rule)
        elif is_number(y):
            if a.names_ is not None:
                return named_binary(op, x, y)
            if (a.dense and (a.rank < 2 or has_dense_strides(a)) and a.elements and a.rank <= INLINE_RANK
                    and op.plain >> a.dtype.category & 1 and a.dtype.category >= scalar_dtype(y).category
                    and not (op.rule == NO_BOOL and PyBool_Check(y))):
                out = empty_as(a, BOOL_DTYPE if op.rule == TO_BOOL else a.dtype)
                scalar_into(op.code, a, y, False, out)
            else:
                if op.rule == NO_BOOL and (a.dtype.code == BOOL or PyBool_Check(y)):
                    raise bool_error(op.name, a.dtype.code == BOOL and PyBool_Check(y))
                out = binary(op.code, a, y, op.rule)
        else:
            return other_operand(op, x, y)
    elif is_ours(y) and is_number(x):
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
            if a is not x and (op is op_add or op is op_mul):
                x, y = y, x                                 # the tensor is input 0, as in PyTorch
            node = record_pair(row, x, y, op.extra)
            attach(node, out)
    return out


cdef Tensor named_unary(KernelOp op, Tensor a):
    """op(a) of a tensor with names, which its result gets."""
    if type(a.names_) is not tuple:
        return batched(op, (a,))
    cdef Tensor out = apply_unary(op, plain(a))
    out.names_ = a.names_
    return out


cdef object batched(KernelOp op, tuple operands):
    """op of what stands in for a batch inside `vmap`."""
    return functions[op.name.removesuffix("_tensor")](*operands)


cdef object named_binary(KernelOp op, object x, object y):
    """op(x, y) where a tensor has names: they are checked, the op runs without them, and its result gets them."""
    for each in (x, y):
        if isinstance(each, Tensor) and (<Tensor>each).names_ is not None and type((<Tensor>each).names_) is not tuple:
            return batched(op, (x, y))
    names = unified((x, y))
    cdef Tensor out = apply_binary(op, plain(<Tensor>x) if isinstance(x, Tensor) else x,
                                   plain(<Tensor>y) if isinstance(y, Tensor) else y)
    out.names_ = names
    return out


cdef enum:
    FEW = 4096          # elements up to which two kernels cost less than a program


cdef inline bint is_bound(object x):
    return x is None or PyFloat_CheckExact(x) or PyLong_CheckExact(x)


def clamped_few(Tensor a not None, low, high):
    """`a` between Python numbers, one of which may be None, by a kernel for each, if it is small and the call plain;
    else None."""
    cdef Tensor out
    if (a.elements > FEW or not a.dense or a.elements == 0 or a.rank > INLINE_RANK or a.dtype.category != CATEGORY_FLOAT
            or not is_bound(low) or not is_bound(high) or low is None and high is None
            or (grad_enabled() and requires_grad(a))):
        return None
    if low is not None:
        check_scalar(a.dtype, low)
    if high is not None:
        check_scalar(a.dtype, high)
    out = empty_as(a, a.dtype)
    if low is not None:
        scalar_into(k.MAXIMUM, a, low, False, out)
        a = out
    if high is not None:
        scalar_into(k.MINIMUM, a, high, False, out)
    return out


cdef object python_number(object x):
    """The number that a NumPy scalar holds: `item` of one in extended precision is no Python number."""
    cdef object found = x.item()
    if is_number(found):
        return found
    return complex(found) if x.dtype.kind == "c" else float(found)


cdef object other_operand(KernelOp op, object x, object y):
    """NumPy scalars count as numbers. Arrays are compared by ==; other operators are left to NumPy, as in PyTorch.

    NumPy's operators then take the tensor as an array, and `Tensor.__array_wrap__` makes a tensor of the result.
    """
    cdef int i
    if overridden(x) or overridden(y):
        for i in range(table.N_OPERATORS):
            if operators.ops[i] == <PyObject *>op:
                return hand_over_pair(i, x, y)
    if isinstance(x, Tensor) and is_scalar_of_numpy(y):
        return apply_binary(op, x, number_of_numpy(y))
    if isinstance(y, Tensor) and is_scalar_of_numpy(x):
        return apply_binary(op, number_of_numpy(x), y)
    if op is op_eq and isinstance(x, Tensor) and hasattr(y, "__array_interface__"):
        return apply_binary(op, x, as_tensor(y))
    return NotImplemented


cdef bint is_scalar_of_numpy(object x):
    """Whether it is a number of NumPy's; an array without axes is none, as it can be written to."""
    return hasattr(x, "__array_interface__") and getattr(x, "shape", None) == () and not hasattr(x, "__setitem__")


cdef object number_of_numpy(object x):
    """Python's number for one of NumPy's; a bool counts as a float, as PyTorch's parser takes it."""
    number = python_number(x)
    return float(number) if PyBool_Check(number) else number


cdef object apply_pow(object x, object y):
    """x ** y: a scalar exponent and a tensor exponent have rows of their own, as in PyTorch."""
    cdef Tensor out, moved
    if isinstance(y, Tensor):
        found = apply_binary(op_pow_tensor, x, y)
        if isinstance(x, Tensor) or not isinstance(found, Tensor) or (<Tensor>found).dense:
            return found
        out, moved = <Tensor>found, dense_copy(<Tensor>found)      # of a number it is row-major, whatever y is
        fill_dense(out, moved.memory, moved.dtype, out.rank, moved.sizes)
        return out
    if isinstance(x, Tensor) and (<Tensor>x).dtype.category <= CATEGORY_INTEGER and PyLong_CheckExact(y) and y < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if PyBool_Check(y) and isinstance(x, Tensor) and (<Tensor>x).dtype.code == BOOL:
        return dense_copy(<Tensor>x) if y else apply_binary(op_eq, x, x)
    return apply_binary(op_pow, x, y)


cdef object apply_reciprocal(Tensor x, object y):
    """y / x for a y that is no tensor: the reciprocal times y, as PyTorch computes it."""
    cdef Tensor turned = apply_unary(op_reciprocal, x)
    try:
        return turned * y                       # of an array of NumPy's, too, which only the operator asks
    except TypeError:
        if isinstance(y, (int, float, complex)) or hasattr(y, "__array__"):
            raise
        return NotImplemented                   # y may know what to do


def check_writable(Tensor target not None, tuple operands=()):
    """Raise unless `target` may be changed in place; with the operands of a pointwise op, unless its result fits."""
    cdef Py_ssize_t sizes[64]
    cdef int rank
    cdef DType dtype
    check_target(target)
    for value in operands:
        if isinstance(value, Tensor):
            refuse_overlap(target, <Tensor>value, False)
    for value in operands:
        if isinstance(value, Tensor) and not same_sizes(target, <Tensor>value):
            rank = broadcast_sizes(target, <Tensor>value, sizes)
            if not fits(target, rank, sizes):
                shapes = [each.shape for each in operands if isinstance(each, Tensor)]
                raise misfit(target, broadcast_shapes(target.shape, *shapes))
    for value in operands:
        if isinstance(value, Tensor):
            dtype = result_dtype(target, value)
            if not can_cast_to(dtype, target.dtype):
                raise cast_error(dtype, target.dtype)


cdef int check_target(Tensor a) except -1:
    check_inplace(a)
    refuse_self_overlap(a)
    return 0


cdef object apply_binary_(KernelOp op, Tensor a, object y):
    """a = op(a, y) in place."""
    cdef Tensor b = None
    cdef DType dtype
    cdef Derivative row = None
    cdef OpNode node = None
    cdef Py_ssize_t sizes[64]
    cdef int rank
    if a.names_ is not None or (isinstance(y, Tensor) and (<Tensor>y).names_ is not None):
        return getattr(a, op.name + "_")(y)
    if isinstance(y, Tensor):
        b = <Tensor>y
    elif not is_number(y):
        return apply_binary_(op, a, number_of_numpy(y)) if is_scalar_of_numpy(y) else NotImplemented
    if a.inference and a.counter is None and not inference_enabled():       # which PyTorch tells when all is done
        apply_binary_(op, dense_copy(a), y)
    if op.rule == TO_BOOL and op.inplace_derivative(False) is None:        # PyTorch's autograd does not see it
        check_inference(a)
        refuse_self_overlap(a)
    else:
        check_target(a)
    if op.rule == NO_BOOL and (a.dtype.code == BOOL or (b.dtype.code == BOOL if b is not None else PyBool_Check(y))):
        raise bool_error(op.name, a.dtype.code == BOOL and (b is None or b.dtype.code == BOOL))
    if b is not None and b is not a and b.memory is a.memory:
        refuse_overlap(a, b, False)
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
        row = op.inplace_derivative(b is None)
    if row is not None and row.needs[0] & 1 or (row is not None and row.needs[1] & 1):
        return finish_inplace(a, apply_binary(op, shadow(a), y))
    if row is not None:
        refuse_before_writing(a)
        node = record_pair(row, a, y, op.extra)
    if dtype is a.dtype and op.rule != TO_BOOL and not (may_refuse(op.code, dtype) and (b is not None or not y)):
        if b is None:
            scalar_into(op.code, a, y, False, a)
        else:
            if (b.memory.backend is not a.memory.backend or b.memory.index != a.memory.index
                    or (b is not a and b.memory is a.memory)):
                b = binary_operand(a, b)
            b = cast(b, dtype)
            if not same_sizes(a, b):
                b = expand_to(b, a.rank, a.sizes)
            binary_into(op.code, a, b, a)
    else:
        if b is not None and b.memory.backend is not a.memory.backend and b.rank:
            y = binary_operand(a, b)
        copy_into(binary(op.code, a, y, op.rule), a)
    bump_version(a)
    if node is not None:
        set_meta_of(node, a, 0)
        rebase(a, node, 0)
    return a


cdef bint may_refuse(int code, DType dtype) noexcept:
    """Whether a kernel may stop on its way, at a zero: then nothing may be written before it is done."""
    return dtype.category <= CATEGORY_INTEGER and (code == k.FLOOR_DIVIDE or code == k.REMAINDER or code == k.FMOD
                                                   or code == k.TRUNC_DIVIDE)


cdef Tensor binary_operand(Tensor a, Tensor b):
    """An operand of an in-place op that is elsewhere (a 0-d host tensor is copied) or shares a's memory (is cloned)."""
    if b.memory.backend is not a.memory.backend or b.memory.index != a.memory.index:
        if b.rank == 0 or together((a, b), {}, True) is not None:
            return b.to(a.device)
        raise errors.on_two_devices(None, a, b, ("self", "other"))
    return dense_copy(b)


cdef object cast_error(DType source, DType target):
    return RuntimeError(f"result type {SCALAR_NAMES[source.code]} can't be cast to the desired output type "
                        f"{SCALAR_NAMES[target.code]}")


cdef bint fits(Tensor a, int rank, Py_ssize_t *sizes) noexcept:
    cdef int i
    if rank != a.rank:
        return False
    for i in range(rank):
        if sizes[i] != a.sizes[i]:
            return False
    return True


cdef object misfit(Tensor a, shape):
    return RuntimeError(f"output with shape {list(size_of(a))} doesn't match the broadcast shape {list(shape)}")


cdef check_fits(Tensor a, int rank, Py_ssize_t *sizes):
    if not fits(a, rank, sizes):
        raise misfit(a, [sizes[i] for i in range(rank)])


cdef object finish_inplace(Tensor target, Tensor value):
    """Write the result of an out-of-place op into its first input: values, version and history."""
    cdef OpNode node
    check_target(target)
    if not same_sizes(target, value):
        raise misfit(target, size_of(value))
    if not can_cast_to(value.dtype, target.dtype):
        raise cast_error(value.dtype, target.dtype)
    if value.node is not None:
        refuse_before_writing(target)
    copy_into(value, target)
    bump_version(target)
    if value.node is not None:
        if isinstance(value.node, OpNode):
            node = <OpNode>value.node
            if node.row.inplace_type is not None:
                node.__class__ = node.row.inplace_type
                in_place = find_row(node.row.op + "_", node.row.arguments)
                if in_place is not None:                   # whose formula reads the result
                    node.row, node.value0, node.kept = in_place, DROPPED, node.kept & ~1 | 1ull << RESULT_BIT
                    keep_result(node, target)
            if (isinstance(node.result, Tensor) and (<Tensor>node.result).memory is value.memory
                    and value.dtype is target.dtype):
                keep_result(node, target)                  # that it is changed afterwards is noticed
        if value.dtype is not target.dtype:
            set_meta_of(value.node, target, value.output_number)
        rebase(target, value.node, value.output_number)
    if (value.requires | target.requires) & FORWARD:
        from cygrad.autograd.forward_mode import take_tangents      # start-up time
        take_tangents(target, value)
    return target


def inplace_result(Tensor target not None, Tensor value not None):
    """Write the result of an out-of-place op into its first input: values, version and history."""
    return finish_inplace(target, value)


cdef object apply_unary_(KernelOp op, Tensor a):
    """a = op(a) in place."""
    cdef Derivative row
    cdef OpNode node
    if op.rule == TO_BOOL:                     # PyTorch's autograd does not see it
        check_inference(a)
        refuse_self_overlap(a)
        copy_into(apply_unary(op, a), a)
        bump_version(a)
        return a
    if a.dtype.category == CATEGORY_COMPLEX and (op.rule == ROUNDING or op.rule == NO_COMPLEX):
        check_inplace(a)
        compute_dtype(a.dtype, 1000 + op.code, op.rule)        # told before that elements share memory
    check_target(a)
    if op.rule == TO_REAL and a.dtype.category == CATEGORY_COMPLEX:
        raise RuntimeError(f"In-place {op.name} is not supported for complex tensors.")
    if grad_enabled() and requires_grad(a):
        row = op.inplace_derivative(False)
        if row is not None and not row.needs[0] & 1 and op.plain >> a.dtype.category & 1 and op.rule != TO_BOOL:
            node = record_pair(row, a, None, NO_EXTRA)           # the formula reads no more than the result
            unary_into(op.code, a, a)
            bump_version(a)
            set_meta_of(node, a, 0)
            if node.result is not None:
                keep_result(node, a)
            rebase(a, node, 0)
            return a
        return finish_inplace(a, apply_unary(op, shadow(a)))
    if op.plain >> a.dtype.category & 1 and op.rule != TO_BOOL:
        unary_into(op.code, a, a)
        bump_version(a)
        return a
    return finish_inplace(a, apply_unary(op, a))


# ------------------------------------------------------- the ops that Cython code names

cdef dict RULES = {"SAME": SAME, "TO_FLOAT": TO_FLOAT, "TO_BOOL": TO_BOOL, "TO_REAL": TO_REAL, "NO_BOOL": NO_BOOL,
                   "INTEGRAL": INTEGRAL, "NO_COMPLEX": NO_COMPLEX, "ROUNDING": ROUNDING}
cdef tuple ONE = ("self",), TWO = ("self", "other"), SCALED = ("self", "other", "alpha")
UNARY_BY_NAME = {name: KernelOp(name, UNARY.index(name), RULES[rule], ONE) for name, rule, *_ in UNARY_OPS}
BINARY_BY_NAME = {name: KernelOp(name, BINARY.index(name if name in BINARY else name.removeprefix("bitwise_")),
                                 RULES[rule], TWO) for name, rule, *_ in BINARY_OPS}
op_neg, op_abs, op_bitwise_not = UNARY_BY_NAME["neg"], UNARY_BY_NAME["abs"], UNARY_BY_NAME["bitwise_not"]
op_reciprocal = UNARY_BY_NAME["reciprocal"]
op_mul, op_remainder = BINARY_BY_NAME["mul"], BINARY_BY_NAME["remainder"]
op_and, op_or, op_xor = (BINARY_BY_NAME["bitwise_and"], BINARY_BY_NAME["bitwise_or"], BINARY_BY_NAME["bitwise_xor"])
op_lshift, op_rshift = BINARY_BY_NAME["bitwise_left_shift"], BINARY_BY_NAME["bitwise_right_shift"]
op_eq, op_ne, op_lt = BINARY_BY_NAME["eq"], BINARY_BY_NAME["ne"], BINARY_BY_NAME["lt"]
op_le, op_gt, op_ge = BINARY_BY_NAME["le"], BINARY_BY_NAME["gt"], BINARY_BY_NAME["ge"]
op_add = KernelOp("add", k.ADD, SAME, SCALED)
op_sub = KernelOp("sub", k.SUB, NO_BOOL, SCALED)
op_div = KernelOp("div", k.DIV, TO_FLOAT, TWO)
op_floor_divide = KernelOp("floor_divide", k.FLOOR_DIVIDE, NO_COMPLEX, TWO)
cdef KernelOp op_pow = KernelOp("pow", k.POW, SAME, TWO)
cdef KernelOp op_pow_tensor = KernelOp("pow_tensor", k.POW, SAME, TWO)


# ------------------------------------------------------- the operators of Tensor

cdef tuple OPERATORS = (op_add, op_sub, op_mul, op_div, op_floor_divide, op_remainder, op_and, op_or, op_xor, op_lshift,
                        op_rshift, op_lt, op_le, op_eq, op_ne, op_gt, op_ge, op_neg, op_abs, op_bitwise_not)
cdef int _each
for _each in range(table.N_OPERATORS):
    operators.ops[_each] = <PyObject *>OPERATORS[_each]
operators.unary, operators.binary, operators.inplace = <Unary>apply_unary, <Binary>apply_binary, <Binary>apply_binary_
operators.power, operators.reciprocal = <Pair>apply_pow, <Pair>apply_reciprocal
look_at_first([each[0] for each in (*UNARY_OPS, *BINARY_OPS)])
look_at_first([name for each in (*UNARY_OPS, *BINARY_OPS) for name in ALIASES.get(each[0], ())])
