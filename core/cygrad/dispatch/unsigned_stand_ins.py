"""uint16, uint32 and uint64, of which backends have no kernels: their calls are computed in other dtypes.

A call with such an operand never reaches a backend. It counts as declined, and `fallback.run` comes here: `ENTRIES` has
a function for each entry of the contract that gets such operands (as tensors), which calls kernels of other dtypes:

* on the same bytes seen as signed integers (`seen_as_signed`), for what is the same for both: copies, choices, places,
  sums and products that wrap around, bitwise ops, equality;
* on copies with the highest bit turned over (`biased`), whose signed order is the unsigned one: comparisons, extremes,
  sorting;
* in a dtype that holds all values (`WIDE`), for quotients, powers, shifts to the right and conversions; uint64, which
  has none, by the formulas at the end of this file.
"""
from cygrad.backend import BINARY, REDUCE, SCAN, SCATTER, UNARY
from cygrad.devices.watching import seen as called
from cygrad.dispatch import fallback
from cygrad.dispatch.kernel_calls import SAME_ON_BYTES
from cygrad.dispatch.operands import binary_to, scalar_near, unary_to
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import binary_op, cast_to, copy_, seen_as_signed, where_op
from cygrad.dispatch.step_by_step import run_in_steps
from cygrad.dtype import UNSIGNED, all_dtypes
from cygrad.errors import not_implemented
from cygrad.tensor import Tensor

DTYPES = {d.name: d for d in all_dtypes()}
BOOL, INT64, FLOAT32 = DTYPES["bool"], DTYPES["int64"], DTYPES["float32"]
WIDE = {DTYPES["uint16"]: DTYPES["int32"], DTYPES["uint32"]: INT64, DTYPES["uint64"]: None}
LOWEST = {dtype: -1 << 8 * dtype.itemsize - 1 for dtype in UNSIGNED}   # of the signed dtype: its highest bit
WRITTEN = {"fill": (0,), "copy": (1,), "unary": (2,), "binary": (3,), "binary_scalar": (4,), "where": (3,),
           "reduce": (2,), "argreduce": (2,), "arange": (0,), "scan": (2, 3), "sort": (3, 4), "partial_sort": (3, 4),
           "gather": (3,), "scatter": (1,), "matmul": (2,), "addmm": (5,)}      # the arguments that entries write
TO_BOOL = 2                     # the rule of comparisons (promotion.pxd)

SAME_UNARY = ("neg", "bitwise_not", "logical_not", "square", "isnan", "isinf", "isfinite")
UNCHANGED = ("abs", "relu", "floor", "ceil", "trunc", "round", "conj")
COMPARED = ("lt", "le", "gt", "ge")
EXTREMES = {"maximum": "maximum", "minimum": "minimum", "fmax": "maximum", "fmin": "minimum"}
DIV, EQ, NE, LT, GE, ADD, SUB, MUL, AND, OR, XOR, SHIFT, TRUNC_DIVIDE = (BINARY.index(name) for name in (
    "div", "eq", "ne", "lt", "ge", "add", "sub", "mul", "bitwise_and", "bitwise_or", "bitwise_xor", "right_shift",
    "trunc_divide"))


def unsigned(t):
    return t.dtype in UNSIGNED


def again(like, entry, *args):
    """The same call on the same bytes, seen as signed integers."""
    args = [seen_as_signed(a) if isinstance(a, Tensor) else a for a in args]
    backend = like._backend()
    if getattr(called(backend), entry)(*args) is NotImplemented:
        fallback.run(backend, entry, args, WRITTEN[entry])


def wrapped(dtype, value):
    """A number as the signed one of the same bits."""
    bits = 8 * dtype.itemsize
    value = int(value) & (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def biased(t):
    """A row-major signed copy that is ordered as the unsigned numbers are."""
    return binary_op(XOR, seen_as_signed(t), LOWEST[t.dtype])


def unbias(t):
    """Turn the highest bit of a tensor's elements over, which `biased` had turned, in place."""
    signed = seen_as_signed(t)
    binary_to(XOR, signed, LOWEST[t.dtype], signed)


# ------------------------------------------------------------------------------- copies

def fill(out, value):
    again(out, "fill", out, wrapped(out.dtype, value))


def copy(src, out):
    """Fewer bits are the lower ones; more are zeros, except from signed integers."""
    if src.dtype is out.dtype or out.dtype is BOOL:
        return again(out, "copy", src, out)
    if unsigned(src):
        return copy_from(src, out)
    target = seen_as_signed(out)
    if src.dtype.is_complex:
        src = cast_to(src, src.dtype.to_real())
    if not src.dtype.is_floating_point:
        copy_(target, src)
    elif out.dtype is DTYPES["uint64"]:
        copy_(target, float_to_uint64(src))
    else:
        copy_(target, cast_to(src, WIDE[out.dtype]))


def copy_from(src, out):
    """`copy` of an unsigned tensor into one of another dtype."""
    integer = not out.dtype.is_floating_point and not out.dtype.is_complex
    if integer and out.dtype.itemsize <= src.dtype.itemsize:
        copy_(seen_as_signed(out), seen_as_signed(src))
    elif WIDE[src.dtype] is not None:
        copy_(seen_as_signed(out), widened(src))
    else:
        target = out.dtype.to_real() if out.dtype.is_complex else out.dtype
        copy_(out, uint64_to_float(src, target))


def widened(src):
    """A copy in the signed dtype of twice as many bits."""
    wide = cast_to(seen_as_signed(src), WIDE[src.dtype])
    return binary_to(AND, wide, (1 << 8 * src.dtype.itemsize) - 1, wide)


def where(cond, a, b, out):
    again(out, "where", cond, a, b, out)


def arange(out, start, step):
    if isinstance(start, float) or isinstance(step, float):
        raise NotImplementedError(f"arange: steps that are no integers are not implemented for {out.dtype.name}")
    again(out, "arange", out, wrapped(out.dtype, start), wrapped(out.dtype, step))


# ------------------------------------------------------------------------------- pointwise

def unary(op, a, out):
    name = UNARY[op]
    if out.dtype is not BOOL and not unsigned(out):                     # it is computed in out's dtype
        unary_to(op, cast_to(a, out.dtype), out)
        return
    if unsigned(out):
        a = cast_to(a, out.dtype)
    if name in SAME_UNARY:
        again(out, "unary", op, a, out)
    elif name in UNCHANGED:
        copy_(out, a)
    elif name == "sign":
        copy_(out, binary_op(NE, a, 0, TO_BOOL))
    else:
        raise refused(name, a)


def refused(name, t):
    """The error for an op that is not there for a dtype."""
    return not_implemented(name, SCALAR_NAMES[t.dtype.code])


def binary(op, a, b, out):
    name = BINARY[op]
    dtype = computed_in(a, b, out)
    a, b = cast_to(a, dtype), cast_to(b, dtype)
    if not unsigned(a):
        binary_to(op, a, b, out)
    elif name in SAME_ON_BYTES:
        again(out, "binary", op, a, b, out)
    elif name in COMPARED:
        binary_to(op, biased(a), biased(b), out)
    elif name in EXTREMES:
        binary_to(BINARY.index(EXTREMES[name]), biased(a), biased(b), seen_as_signed(out))
        unbias(out)
    elif WIDE[dtype] is not None:
        copy_(seen_as_signed(out), binary_op(op, cast_to(a, WIDE[dtype]), cast_to(b, WIDE[dtype])))
    elif name in UINT64:
        copy_(seen_as_signed(out), UINT64[name](seen_as_signed(a), seen_as_signed(b)))
    else:
        raise refused(name, a)


def computed_in(a, b, out):
    """The dtype in which a binary op computes: that of its result, or what its operands have in common."""
    if out.dtype is not BOOL:
        return out.dtype
    return b.dtype if unsigned(a) and a.dtype is not b.dtype else a.dtype


def binary_scalar(op, a, x, swapped, out):
    name = BINARY[op]
    if unsigned(a) and (out.dtype is a.dtype or out.dtype is BOOL):
        if name in SAME_ON_BYTES:
            return again(out, "binary_scalar", op, a, wrapped(a.dtype, x), swapped, out)
        if not swapped and type(x) is int and 0 <= x < 1 << 8 * a.dtype.itemsize and beside(op, name, a, x, out):
            return
    number = scalar_near(a, x, a.dtype if out.dtype is BOOL else out.dtype).expand(tuple(a.shape))
    binary(op, *((number, a) if swapped else (a, number)), out)


def beside(op, name, a, x, out):
    """A binary op beside an int that the dtype can hold, if it needs no tensor of it: whether it was done."""
    if name in COMPARED:
        binary_to(op, biased(a), x + LOWEST[a.dtype], out)
    elif name in EXTREMES:
        binary_to(BINARY.index(EXTREMES[name]), biased(a), x + LOWEST[a.dtype], seen_as_signed(out))
        unbias(out)
    elif name == "right_shift" and 0 < x < 8 * a.dtype.itemsize:
        signed = seen_as_signed(out)
        binary_to(AND, binary_op(SHIFT, seen_as_signed(a), x), (1 << 8 * a.dtype.itemsize - x) - 1, signed)
    elif WIDE[a.dtype] is not None:
        copy_(seen_as_signed(out), binary_op(op, widened(a), x))
    else:
        return False
    return True


def elementwise(program, ins, outs):
    """A program step by step, in the dtype of its first operand that is no mask."""
    run_in_steps(program, ins, outs,
                 next((v.dtype for v in ins if isinstance(v, Tensor) and v.dtype is not BOOL), outs[0].dtype))


# ------------------------------------------------------------------------------- along axes

def reduce(op, a, out):
    """Sums and products wrap around; those of another dtype are of the operand's values in it."""
    if out.dtype is BOOL:
        return again(out, "reduce", op, a, out)
    if not unsigned(out):
        wide = cast_to(a, WIDE[a.dtype]) if WIDE[a.dtype] else a if out.dtype is INT64 else cast_to(a, out.dtype)
        return again(out, "reduce", op, wide, out)
    a = cast_to(a, out.dtype)
    if REDUCE[op] not in ("max", "min"):
        return again(out, "reduce", op, a, out)
    again(out, "reduce", op, biased(a), out)
    unbias(out)


def argreduce(op, a, out):
    again(out, "argreduce", op, biased(a), out)


def scan(op, a, out, index):
    a = cast_to(a, out.dtype)
    if SCAN[op] in ("cumsum", "cumprod"):
        return again(out, "scan", op, a, out, index)
    again(out, "scan", op, biased(a), out, index)
    unbias(out)


def sort(a, descending, stable, values, index):
    again(a, "sort", biased(a), descending, stable, values, index)
    unbias(values)


def partial_sort(a, descending, first, values, index):
    again(a, "partial_sort", biased(a), descending, first, values, index)
    unbias(values)


# ------------------------------------------------------------------------------- places, products

def gather(src, index, dim, out):
    again(out, "gather", src, index, dim, out)


def scatter(mode, out, dim, index, src):
    """`out` may overlap itself: so it is biased where it lies, with what is between its elements."""
    if SCATTER[mode] not in ("max", "min"):
        return again(out, "scatter", mode, out, dim, index, src)
    span = 1 + sum((size - 1) * stride for size, stride in zip(out.shape, out.stride()))
    memory = out.as_strided((span,), (1,), out.storage_offset())
    unbias(memory)
    try:
        again(out, "scatter", mode, out, dim, index, biased(src))
    finally:
        unbias(memory)


def matmul(a, b, out):
    again(out, "matmul", a, b, out)


def addmm(bias, a, b, beta, alpha, out):
    again(out, "addmm", bias, a, b, beta, alpha, out)


ENTRIES = {function.__name__: function for function in (
    fill, copy, where, arange, unary, binary, binary_scalar, elementwise, reduce, argreduce, scan, sort, partial_sort,
    gather, scatter, matmul, addmm)}


# ------------------------------------------------------------------------------- uint64
# Operands are int64 tensors of the same bits.

def uint64_to_float(src, dtype):
    """uint64 as floats: halves of what is too large for int64, rounded to odd so that nothing is rounded twice."""
    if dtype not in (FLOAT32, DTYPES["float64"]):
        return uint64_to_float(src, FLOAT32)
    a = seen_as_signed(src)
    negative = binary_op(LT, a, 0, TO_BOOL)
    halves = binary_op(OR, logical_shift(a, 1), binary_op(AND, a, 1))
    large = cast_to(halves, dtype)
    return where_op(negative, binary_op(ADD, large, large), cast_to(a, dtype))


def float_to_uint64(src):
    """Floats as the int64 of the same bits as their uint64; what does not fit is what processors make of it."""
    if src.dtype.itemsize < 4:
        src = cast_to(src, FLOAT32)
    large = binary_op(GE, src, 2.0 ** 63, TO_BOOL)
    upper = cast_to(binary_op(SUB, src, 2.0 ** 63), INT64)
    return where_op(large, binary_op(XOR, upper, LOWEST[DTYPES["uint64"]]), cast_to(src, INT64))


def logical_shift(a, count):
    """Bits moved to the right by 1 or more, zeros after them."""
    return binary_op(AND, binary_op(SHIFT, a, count), (1 << 64 - count) - 1)


def not_below(a, b):
    """a >= b of unsigned numbers, as 0 or 1."""
    lowest = LOWEST[DTYPES["uint64"]]
    return cast_to(binary_op(GE, binary_op(XOR, a, lowest), binary_op(XOR, b, lowest), TO_BOOL), INT64)


def quotient(a, b):
    """Half of a is divided as a signed number; the quotient's last bit is found by comparing the rest.

    Where b is above 2**63 the quotient is 0 or 1. (Warren, Hacker's Delight, 9-3.)
    """
    small = binary_op(TRUNC_DIVIDE, logical_shift(a, 1), b)
    small = binary_op(ADD, small, small)
    rest = binary_op(SUB, a, binary_op(MUL, small, b))
    return where_op(binary_op(LT, b, 0, TO_BOOL), not_below(a, b), binary_op(ADD, small, not_below(rest, b)))


def remainder(a, b):
    return binary_op(SUB, a, binary_op(MUL, quotient(a, b), b))


def shift_right(a, b):
    """One place first, which makes the number positive; counts of 64 and more leave nothing."""
    shifted = binary_op(SHIFT, logical_shift(a, 1), binary_op(SUB, b, 1))
    large = binary_op(NE, binary_op(AND, b, ~63), 0, TO_BOOL)
    shifted = where_op(large, binary_op(SUB, a, a), shifted)
    return where_op(binary_op(EQ, b, 0, TO_BOOL), a, shifted)


def power(a, b):
    """Powers of odd numbers repeat after 2**62 factors, and those of even ones are 0 by then."""
    large = cast_to(binary_op(NE, logical_shift(b, 62), 0, TO_BOOL), INT64)
    b = binary_op(ADD, binary_op(AND, b, (1 << 62) - 1), binary_op(MUL, large, 1 << 62))
    return binary_op(BINARY.index("pow"), a, b)


def greatest_divisor(a, b):
    """Euclid's algorithm, until all are done."""
    while True:
        going = binary_op(NE, b, 0, TO_BOOL)
        if not going.any():
            return a
        divisor = where_op(going, b, binary_op(OR, b, 1))
        a, b = where_op(going, b, a), where_op(going, remainder(a, divisor), b)


def least_multiple(a, b):
    divisor = greatest_divisor(a, b)
    zero = cast_to(binary_op(EQ, divisor, 0, TO_BOOL), INT64)
    return binary_op(MUL, quotient(a, binary_op(ADD, divisor, zero)), b)


UINT64 = {"floor_divide": quotient, "trunc_divide": quotient, "remainder": remainder, "fmod": remainder,
          "right_shift": shift_right, "pow": power, "gcd": greatest_divisor, "lcm": least_multiple}
