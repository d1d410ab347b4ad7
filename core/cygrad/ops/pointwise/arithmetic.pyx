"""What users call of the pointwise ops that are one kernel: functions, methods, in-place forms and `out=`.

From each row of `table.py` come the function (`cygrad.exp`), the method, the in-place form (`exp_`) and
`out=`. add, sub, div and pow, which have arguments of their own, follow. What the registry makes of a function with
`out=` writes a copy; the `into` given to it has the kernel write straight into a tensor that is just what is needed.
"""
from cpython.bool cimport PyBool_Check
from cpython.long cimport PyLong_CheckExact

from cygrad cimport backend as k
from cygrad.autograd.modes cimport grad_enabled
from cygrad.autograd.recording cimport attach, record
from cygrad.autograd.derivative cimport OpNode
from cygrad.dispatch.overlap cimport refuse_overlap
from cygrad.dispatch.kernel_calls cimport binary, binary_into, cast, unary_into
from cygrad.dispatch.promotion cimport NO_BOOL, NO_COMPLEX, SAME, TO_BOOL, TO_FLOAT, TO_REAL, check_scalar, result_dtype
from cygrad.dtype cimport BFLOAT16, BOOL, CATEGORY_COMPLEX, CATEGORY_FLOAT, DType, FLOAT16
from cygrad.ops.pointwise.single_kernel cimport (KernelOp, apply_binary, apply_binary_, apply_pow,
                                                 apply_unary, apply_unary_, bool_error, check_target, finish_inplace,
                                                 is_number, may_refuse, op_add, op_div, op_floor_divide, op_mul,
                                                 op_sub)
from cygrad.tensor cimport Tensor, bump_version, requires_grad
from cygrad.view cimport INLINE_RANK, same_sizes

from cygrad.ops.pointwise.single_kernel import BINARY_BY_NAME, UNARY_BY_NAME
from cygrad.ops.pointwise.table import ALIASES, binary_docs, unary_docs
from cygrad.ops.declare.op_forms import op
from cygrad.ops.create.from_data import tensor
from cygrad.ops.pointwise.lerp_and_addcmul import ADD_MULTIPLE
from cygrad.autograd.inplace import shadow

cdef enum:
    WIDE = 32       # elements of a vector of PyTorch's 16-bit floats: of fewer each step is rounded

cdef KernelOp op_div_mode = KernelOp("div_mode", k.DIV, TO_FLOAT, ("self", "other"))
cdef KernelOp op_rsub = KernelOp("rsub", k.SUB, NO_BOOL, ("self", "other", "alpha"))
cdef KernelOp op_div_floor = KernelOp("div_floor", k.FLOOR_DIVIDE, NO_COMPLEX, ("self", "other"))
cdef KernelOp op_trunc_divide = KernelOp("trunc_divide", k.TRUNC_DIVIDE, NO_COMPLEX, ("self", "other"))


cdef bint fits_out(Tensor a, object out, bint plain) except -1:
    """Whether a kernel can write straight into `out=`: a tensor like `a`, none of autograd's business."""
    cdef Tensor t
    if not plain or type(out) is not Tensor:
        return False
    t = <Tensor>out
    if not (a.dtype is t.dtype and a.dense and t.dense and a.elements and a.rank <= INLINE_RANK
            and a.memory.backend is t.memory.backend and a.memory.index == t.memory.index and same_sizes(a, t)
            and a.names_ is None and t.names_ is None and not t.inference):
        return False
    if grad_enabled() and (requires_grad(a) or requires_grad(t)):
        return False
    refuse_overlap(t, a, False)
    return True


cdef bint unary_to(KernelOp op, Tensor a, object out) except -1:
    """out = op(a) if that needs no care; else False."""
    if op.rule == TO_BOOL or not fits_out(a, out, op.plain >> a.dtype.category & 1):
        return False
    unary_into(op.code, a, <Tensor>out)
    bump_version(<Tensor>out)
    return True


cdef bint binary_to(KernelOp op, Tensor a, object y, object out) except -1:
    """out = op(a, y) for two tensors alike, if that needs no care; else False."""
    cdef bint plain = op.rule != TO_BOOL and op.plain >> a.dtype.category & 1
    if type(y) is not Tensor or may_refuse(op.code, a.dtype):
        return False
    if not fits_out(a, out, plain) or not fits_out(<Tensor>y, out, plain):
        return False
    binary_into(op.code, a, <Tensor>y, <Tensor>out)
    bump_version(<Tensor>out)
    return True


cdef Tensor need_tensor(object x, str name, str argument="input", int position=1):
    if isinstance(x, Tensor):
        return <Tensor>x
    raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type(x).__name__}")


def _unary_forms(KernelOp kernel):
    def function(input):
        return apply_unary(kernel, need_tensor(input, kernel.name))

    def inplace(self):
        return apply_unary_(kernel, need_tensor(self, kernel.name + "_"))

    def into(input, *, out):
        return out if type(input) is Tensor and unary_to(kernel, <Tensor>input, out) else None

    return function, inplace, into


# What takes numbers only, too.
OF_NUMBERS = "add", "sub", "mul", "div", "floor_divide", "div_mode", "div_floor", "trunc_divide"


cdef inline bint number_first(KernelOp op, object x, object y) except -1:
    """Whether a function (no operator) gets a number, an operand like any in PyTorch, and a tensor to record."""
    return (not isinstance(x, Tensor) and type(y) is Tensor and (op is op_add or op is op_sub or op is op_mul)
            and (<Tensor>y).names_ is None and grad_enabled() and requires_grad(<Tensor>y) and is_number(x)
            and not (op is op_sub and PyBool_Check(x)))


cdef object checked_binary(KernelOp op, object x, object y):
    cdef OpNode node
    cdef Tensor made
    if number_first(op, x, y):
        made = binary(op.code, x, y, op.rule)
        node = record(op.derivative(), (x, y) + op.extra)
        attach(node, made)
        return made
    out = apply_binary(op, x, y)
    if out is NotImplemented:
        if not isinstance(x, Tensor) and not isinstance(y, Tensor):
            if op.name in OF_NUMBERS and is_number(x) and is_number(y):
                return apply_binary(op, tensor(x), y)
            raise TypeError(f"{op.name}(): argument 'input' (position 1) must be Tensor, not {type(x).__name__}")
        raise TypeError(f"{op.name}(): argument 'other' (position 2) must be Tensor or Number, not "
                        f"{type(y if isinstance(x, Tensor) else x).__name__}")
    return out


TENSORS_ONLY = ("maximum", "minimum", "fmax", "fmin", "atan2", "hypot", "nextafter", "gcd", "lcm", "logical_and",
                "logical_or", "logical_xor")


cdef int need_tensors(KernelOp op, object input, object other) except -1:
    """Raise where a Python number, or a complex tensor, is no operand of this op."""
    cdef Tensor a = need_tensor(input, op.name)
    cdef Tensor b = need_tensor(other, op.name, "other", 2)
    if (a.dtype.category == CATEGORY_COMPLEX or b.dtype.category == CATEGORY_COMPLEX) and (
            op.code in (k.MAXIMUM, k.MINIMUM, k.FMAX, k.FMIN)):
        raise RuntimeError(f"{op.name} not implemented for complex tensors.")
    return 0


def exact_out(KernelOp kernel):
    """What the registry is told of the dtype of `out`: that of the result, for ops that change no kind of dtype."""
    if kernel.rule == TO_FLOAT or kernel.rule == TO_BOOL or kernel.code == k.ANGLE:
        return True
    return (lambda out, input: "" if input.is_complex() else "exact") if kernel.rule == TO_REAL else "exact"


def _binary_forms(KernelOp kernel):
    tensors_only = kernel.name in TENSORS_ONLY

    def function(input, other):
        if tensors_only:
            need_tensors(kernel, input, other)
        return checked_binary(kernel, input, other)

    def inplace(self, other):
        if tensors_only:
            need_tensors(kernel, self, other)
        result = apply_binary_(kernel, need_tensor(self, kernel.name + "_"), other)
        if result is NotImplemented:
            raise TypeError(f"{kernel.name}_(): argument 'other' (position 1) must be Tensor or Number, not "
                            f"{type(other).__name__}")
        return result

    def into(input, other, *, out):
        if kernel.code in (k.LEFT_SHIFT, k.RIGHT_SHIFT) and not isinstance(input, Tensor):
            raise TypeError(f"{kernel.name}() received an invalid combination of arguments - got (Number, Tensor, "
                            "out=Tensor)")
        return out if type(input) is Tensor and binary_to(kernel, <Tensor>input, other, out) else None

    return function, inplace, into


for _name, _inplace, _doc in unary_docs():
    _function, _function_, _into = _unary_forms(UNARY_BY_NAME[_name])
    op(_function, name=_name, doc=_doc, inplace=_inplace and _function_, out=exact_out(UNARY_BY_NAME[_name]),
       into=_into, aliases=ALIASES.get(_name, ()))
for _name, _inplace, _doc in binary_docs(TENSORS_ONLY):
    _function, _function_, _into = _binary_forms(BINARY_BY_NAME[_name])
    op(_function, name=_name, doc=_doc, inplace=_inplace and _function_, out=True, into=_into,
       aliases=ALIASES.get(_name, ()))


# ------------------------------------------ ops with arguments of their own

cdef int refuse_bools(str name, object x, object y) except -1:
    cdef bint first = (<Tensor>x).dtype.code == BOOL if isinstance(x, Tensor) else PyBool_Check(x)
    cdef bint second = (<Tensor>y).dtype.code == BOOL if isinstance(y, Tensor) else PyBool_Check(y)
    if first or second:
        raise bool_error(name, first and second)
    return 0


cdef object scaled(KernelOp op, object input, object other, object alpha):
    """add or sub with alpha: one node, whose formula multiplies by alpha."""
    cdef Tensor out
    if PyLong_CheckExact(alpha) and alpha == 1:         # True and 1.0 are refused where they don't fit
        return checked_binary(op, input, other)
    if is_number(input) and is_number(other):
        input = tensor(input)
    elif not (isinstance(other, Tensor) or is_number(other)):       # NumPy's are made into Python's by who called
        raise TypeError(f"{op.name}: other must be a Tensor or a number, not {type(other).__name__}")
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
    elif (<DType>dtype).category <= CATEGORY_FLOAT:
        check_scalar(<DType>dtype, alpha)
    if (<DType>dtype).category >= CATEGORY_FLOAT and isinstance(input, Tensor) and isinstance(other, Tensor):
        if (<DType>dtype).itemsize == 2 and max((<Tensor>input).elements, (<Tensor>other).elements) < WIDE:
            step = binary(k.MUL, cast(<Tensor>other, dtype), tensor(alpha, dtype=dtype).item(), SAME)
            return recorded_scaled(op, input, other, alpha, binary(op.code, input, step, op.rule))
        out = add_multiple()(input, other, factor_of(op, alpha, <DType>dtype))
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


cdef object factor_of(KernelOp op, object alpha, DType dtype):
    """What `other` is multiplied with; 16-bit floats take alpha as one of them, as in PyTorch."""
    if dtype.code == FLOAT16 or dtype.code == BFLOAT16:
        alpha = tensor(alpha, dtype=dtype).item()
    return -alpha if op.code == k.SUB else alpha


cdef object add_multiple():
    """The program input + alpha * other."""
    return ADD_MULTIPLE


cdef object scaled_to(KernelOp op, object input, object other, object alpha, object out):
    """add or sub with alpha straight into `out`; None where that can't be."""
    if type(alpha) is int and alpha == 1 and type(input) is Tensor and binary_to(op, <Tensor>input, other, out):
        return out
    if ((type(alpha) is float or type(alpha) is int) and type(input) is Tensor and type(other) is Tensor
            and (<Tensor>input).dtype.category == CATEGORY_FLOAT
            and not ((<Tensor>input).dtype.itemsize == 2 and (<Tensor>input).elements < WIDE)
            and fits_out(<Tensor>input, out, True) and fits_out(<Tensor>other, out, True)):
        add_multiple().into(out, input, other, factor_of(op, alpha, <DType>result_dtype(input, other)))
        bump_version(<Tensor>out)
        return out
    return None


cdef object scaled_(KernelOp op, Tensor target, object other, object alpha):
    """add_ or sub_ with alpha."""
    if PyBool_Check(alpha):
        pass
    elif PyLong_CheckExact(alpha) and alpha == 1:
        result = apply_binary_(op, target, other)
        if result is not NotImplemented:
            return result
    elif scaled_in_place(op, target, other, alpha):
        return target
    if isinstance(other, Tensor):
        check_target(target)
        refuse_overlap(target, <Tensor>other, False)
    return finish_inplace(target, scaled(op, target, other, alpha))


cdef bint scaled_in_place(KernelOp op, Tensor target, object other, object alpha) except -1:
    """target +- alpha * other, if that needs neither a graph nor a temporary; whether it did."""
    if (not isinstance(other, Tensor) or target.dtype.category != CATEGORY_FLOAT or not isinstance(alpha, (int, float))
            or (<Tensor>other).dtype is not target.dtype or not same_sizes(target, <Tensor>other)
            or target.dtype.itemsize == 2 and target.elements < WIDE
            or grad_enabled() and (requires_grad(target) or requires_grad(<Tensor>other))):
        return False
    check_target(target)
    refuse_overlap(target, <Tensor>other, False)
    add_multiple().into(target, target, other, factor_of(op, alpha, target.dtype))
    bump_version(target)
    return True


cdef object recorded_scaled(KernelOp op, object input, object other, object alpha, Tensor out):
    cdef OpNode node
    if grad_enabled() and ((isinstance(input, Tensor) and requires_grad(<Tensor>input))
                           or (isinstance(other, Tensor) and requires_grad(<Tensor>other))):
        if isinstance(input, Tensor) and isinstance(other, Tensor):
            node = record(op.derivative(), (input, other, alpha))
        else:
            # PyTorch's functions add and sub record a number that comes first as a tensor.
            as_tensor = isinstance(other, Tensor) and op is not op_rsub
            node = record(op.derivative() if as_tensor else op.number_derivative(isinstance(input, Tensor)),
                          (input, other, alpha))
        attach(node, out)
    return out


def add(input, other, *, alpha=1):
    return scaled(op_add, input, other, alpha)


def add_into(input, other, *, alpha=1, out):
    return scaled_to(op_add, input, other, alpha, out)


def add_(self, other, *, alpha=1):
    return scaled_(op_add, need_tensor(self, "add_"), other, alpha)


def sub(input, other, *, alpha=1):
    return scaled(op_sub, input, other, alpha)


def sub_into(input, other, *, alpha=1, out):
    return scaled_to(op_sub, input, other, alpha, out)


def sub_(self, other, *, alpha=1):
    return scaled_(op_sub, need_tensor(self, "sub_"), other, alpha)


def rsub(input, other, *, alpha=1):
    """other - alpha * input, elementwise.

    Parameters
    ----------
    input, other : Tensor or number
        At least one tensor; shapes broadcast and dtypes promote.
    alpha : number
        Factor of `input`; an integer for integer tensors.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.rsub(cygrad.tensor([1., 2.]), 10)
    tensor([9., 8.])
    """
    if PyLong_CheckExact(alpha) and alpha == 1:
        return checked_binary(op_rsub, other, input)
    return scaled(op_rsub, other, input, alpha)


cdef KernelOp division(object rounding_mode):
    if rounding_mode is _NOT_GIVEN:
        return op_div
    if rounding_mode is None:
        return op_div_mode
    if rounding_mode == "floor":
        return op_div_floor
    if rounding_mode == "trunc":
        return op_trunc_divide
    raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                       f"'{rounding_mode}'")


_NOT_GIVEN = " ".join(("not", "given"))          # no object that a caller has


def div(input, other, *, rounding_mode=_NOT_GIVEN):
    """input / other, elementwise.

    Parameters
    ----------
    input, other : Tensor or number
        At least one tensor; shapes broadcast. Integers give the default float dtype unless a rounding mode is given.
    rounding_mode : {"trunc", "floor"} or None, optional
        Round the quotient towards zero or down, and keep integer dtypes.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Raises
    ------
    RuntimeError
        For another rounding mode, or when integers are divided by zero with one.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.div(cygrad.tensor([7., -7.]), 2)
    tensor([ 3.5000, -3.5000])
    """
    return checked_binary(division(rounding_mode), input, other)


def div_into(input, other, *, rounding_mode=_NOT_GIVEN, out):
    return out if type(input) is Tensor and binary_to(division(rounding_mode), <Tensor>input, other, out) else None


def div_(self, other, *, rounding_mode=_NOT_GIVEN):
    return divided_in_place(division(rounding_mode), self, other)


cdef object divided_in_place(KernelOp op, object self, object other):
    result = apply_binary_(op, need_tensor(self, "div_"), other)
    if result is NotImplemented:
        raise TypeError(f"div_(): argument 'other' must be Tensor or Number, not {type(other).__name__}")
    return result


def floor_divide(input, other):
    """floor(input / other), elementwise.

    Parameters
    ----------
    input, other : Tensor or number
        At least one tensor; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        Of the broadcast shape; integers stay integers.

    Raises
    ------
    RuntimeError
        When an integer is divided by zero.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.floor_divide(cygrad.tensor([7, -7]), 2)
    tensor([ 3, -4])
    """
    return checked_binary(op_floor_divide, input, other)


def floor_divide_into(input, other, *, out):
    return out if type(input) is Tensor and binary_to(op_floor_divide, <Tensor>input, other, out) else None


def floor_divide_(self, other):
    return divided_in_place(op_floor_divide, self, other)


def pow(input, exponent):
    """input ** exponent, elementwise.

    Parameters
    ----------
    input, exponent : Tensor or number
        At least one tensor; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Raises
    ------
    RuntimeError
        For integers to a negative integer power.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.pow(cygrad.tensor([1, 2, 3]), 2)
    tensor([1, 4, 9])
    """
    result = apply_pow(input, exponent)
    if result is NotImplemented:
        raise TypeError(f"pow(): argument 'exponent' (position 2) must be Tensor or Number, not "
                        f"{type(exponent).__name__}")
    return result


def pow_out(out, input, exponent):
    """What the registry is told of pow's `out`: powers of 1 are ones in whatever dtype."""
    return "any" if not isinstance(input, Tensor) and not PyBool_Check(input) and input == 1 else True


def pow_(self, exponent):
    if isinstance(exponent, Tensor):
        refuse_overlap(self, <Tensor>exponent, False)
    if grad_enabled():
        check_target(need_tensor(self, "pow_"))
        return finish_inplace(self, pow(shadow(self), exponent))
    return finish_inplace(self, pow(self, exponent))


def square(input):
    """input ** 2, elementwise.

    Parameters
    ----------
    input : Tensor
        Any shape.

    Returns
    -------
    Tensor
        Of input's shape and dtype; int64 for bools.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.square(cygrad.tensor([1., -3.]))
    tensor([1., 9.])
    """
    return pow(input, 2)


def square_(self):
    return pow_(self, 2)


SCALED = """input {sign} alpha * other, elementwise.

    Parameters
    ----------
    input, other : Tensor or number
        At least one tensor; shapes broadcast and dtypes promote.
    alpha : number
        Factor of `other`; an integer for integer tensors.

    Returns
    -------
    Tensor
        Of the broadcast shape.

    Raises
    ------
    RuntimeError
        If shapes don't broadcast, or `alpha` is a fraction and all tensors are of integers.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.{name}(cygrad.tensor([1., 2.]), cygrad.tensor([10., 20.]), alpha=2)
    tensor({result})
    """

op(add, doc=SCALED.format(name="add", sign="+", result="[21., 42.]"), inplace=add_, out=True, into=add_into)
op(sub, doc=SCALED.format(name="sub", sign="-", result="[-19., -38.]"), inplace=sub_, out=True, into=sub_into,
   aliases=("subtract",))
op(div, inplace=div_, out=True, into=div_into, aliases=("divide", "true_divide"))
op(floor_divide, inplace=floor_divide_, out=True, into=floor_divide_into)
op(pow, inplace=pow_, out=pow_out)
op(square, inplace=square_, out=True)
op(rsub, method=False)
