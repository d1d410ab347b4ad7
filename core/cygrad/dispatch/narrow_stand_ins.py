"""complex32 and floats of 8 bits, of which backends have no kernels: they are computed in complex64 and float32.

Each result is rounded.

A call with such an operand never reaches a backend. It counts as declined, and `fallback.run` comes here: `ENTRIES` has
a function for each entry of the contract that PyTorch's CPU has for them; what is the same on bytes goes by way of
integers, and a conversion is one of the parts, which are float16. The others are refused, as PyTorch refuses them.
"""
from cygrad.backend import BINARY, REDUCE, SCAN, SCATTER, UNARY
from cygrad.devices.watching import seen as called
from cygrad.dispatch import fallback
from cygrad.dispatch.allocation import empty_like_strided
from cygrad.dispatch.narrow_elements import decoded, encode, part, parts
from cygrad.dispatch.operands import binary_to, scalar_near, unary_to
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import cast_to, copy_, fill_, seen_as_signed
from cygrad.dispatch.step_by_step import run_in_steps
from cygrad.dtype import FLOATS_OF_8_BITS, WIDER, all_dtypes
from cygrad.errors import not_implemented
from cygrad.tensor import Tensor

DTYPES = {d.name: d for d in all_dtypes()}
BOOL, FLOAT32 = DTYPES["bool"], DTYPES["float32"]
RESULTS = {**WIDER, DTYPES["float16"]: DTYPES["float32"]}        # what wider operands give in place of these

PREDICATES, COMPARED = ("isnan", "isinf", "isfinite"), ("eq", "ne")
OF_ONE = {True: ("neg", "abs", "sgn", "conj", *PREDICATES), False: ("abs", *PREDICATES)}   # what there is in PyTorch of
OF_TWO = {True: ("add", "sub", "mul", *COMPARED), False: ("mul", *COMPARED)}               # complex32, of 8 bits
KERNELS = {"prod": "prod_out_cpu", "cumsum": "cumsum_out_cpu", "cumprod": "cumprod_out_cpu",        # its names
           "matmul": "bmm", "addmm": "addmm_impl_cpu_"}
OF_8_BITS = {**KERNELS, "add": "add_stub", "sub": "add_stub"}
BESIDE_NUMBERS = {**OF_8_BITS, "mul": "mul_cpu_reduced_float", "div": "div_cpu_reduced_float"}


def narrow(t):
    return t.dtype in WIDER


def widened(t):
    """A copy in the wider dtype, or `t` itself if it has another."""
    return cast_to(t, WIDER.get(t.dtype, t.dtype))


def refused(name, t, beside_number=False):
    """The error for an op that is not there for a dtype."""
    kernels = KERNELS if t.dtype.is_complex else BESIDE_NUMBERS if beside_number else OF_8_BITS
    return not_implemented(kernels.get(name, name), SCALAR_NAMES[t.dtype.code], name not in kernels)


def call(like, entry, outs, *args):
    """A call of an entry of like's backend; `outs` are the positions of the arguments that it writes."""
    backend = like._backend()           # an operand may have another dtype without kernels
    if fallback.stand_in_needed(args) or getattr(called(backend), entry)(*args) is NotImplemented:
        fallback.run(backend, entry, args, outs)


def on_bytes(like, entry, outs, *args):
    """The same call on the same bytes, seen as integers."""
    call(like, entry, outs, *[seen_as_signed(a) if isinstance(a, Tensor) else a for a in args])


# ------------------------------------------------------------------------------- copies

def copy(src, out):
    if src.dtype is out.dtype:
        on_bytes(out, "copy", (1,), src, out)
    elif src.dtype in FLOATS_OF_8_BITS:
        copy_(out, decoded(src))
    elif out.dtype in FLOATS_OF_8_BITS:
        encode(cast_to(src, FLOAT32), out)
    elif src.dtype.is_complex and out.dtype.is_complex:
        copy_(parts(out), parts(src))
    elif out.dtype.is_complex:
        copy_(part(out, 0), src)
        fill_(part(out, 1), 0)
    elif out.dtype is BOOL:
        copy_(out, widened(src))
    else:
        copy_(out, part(src, 0))


def fill(out, value):
    """What is too large is infinite, other than in float16."""
    copy_(out, scalar_near(out, value, WIDER[out.dtype]).expand(tuple(out.shape)))


def where(cond, a, b, out):
    on_bytes(out, "where", (3,), cond, a, b, out)


# ------------------------------------------------------------------------------- pointwise

def rounded(op, *operands):
    """op(*operands, out), a raw op, in wider dtypes."""
    *operands, out = operands
    result = empty_like_strided(out, RESULTS.get(out.dtype, out.dtype))
    op(*[widened(t) for t in operands], result)
    copy_(out, result)


def unary(op, a, out):
    computed = a if narrow(a) else out
    dtype = computed.dtype
    if UNARY[op] not in OF_ONE[dtype.is_complex] and out.dtype in (BOOL, dtype, dtype.to_real()):
        raise refused(UNARY[op], computed)
    rounded(lambda a, result: unary_to(op, a, result), a, out)


def binary(op, a, b, out):
    name = BINARY[op]
    computed = a if narrow(a) else b
    if name not in OF_TWO[computed.dtype.is_complex] and (narrow(out) or out.dtype is BOOL and (a.dtype is b.dtype)):
        raise refused(name, out if narrow(out) else computed)
    if narrow(out):
        a, b = cast_to(a, out.dtype), cast_to(b, out.dtype)
    rounded(lambda a, b, result: binary_to(op, a, b, result), a, b, out)


def binary_scalar(op, a, x, swapped, out):
    """A number is rounded as a tensor is; the powers that need no kernel are there."""
    if BINARY[op] == "pow" and narrow(out) and (x == 1 or x == 0 and not swapped):
        return copy_(out, a) if x == 1 and not swapped else fill(out, 1)
    if out.dtype in FLOATS_OF_8_BITS:
        raise refused(BINARY[op], out, True)
    dtype = a.dtype if out.dtype is BOOL else out.dtype
    number = scalar_near(a, x, WIDER.get(dtype, dtype))
    number = cast_to(number, dtype).expand(tuple(a.shape))
    binary(op, *((number, a) if swapped else (a, number)), out)


def elementwise(program, ins, outs):
    """A program step by step, each of which is rounded."""
    dtype = next(v.dtype for v in (*outs, *ins) if isinstance(v, Tensor) and narrow(v))
    run_in_steps(program, ins, outs, dtype)


# ------------------------------------------------------------------------------- along axes

def reduce(op, a, out):
    """PyTorch has none to complex32; to another dtype it is of the operand's values in it."""
    if narrow(out):
        raise refused(REDUCE[op], out)
    call(a, "reduce", (2,), op, widened(a), out)


def map_reduce(program, ins, ops, finish, numbers, outs):
    """Norms and the like, which are rounded at the end."""
    results = [empty_like_strided(t, RESULTS.get(t.dtype, t.dtype)) for t in outs]
    call(outs[0], "map_reduce", (5,), program, tuple([widened(v) if isinstance(v, Tensor) else v for v in ins]), ops,
         finish, numbers, tuple(results))
    for out, result in zip(outs, results):
        copy_(out, result)


def scan(op, a, out, index):
    if narrow(out):
        raise refused(SCAN[op], out)
    call(a, "scan", (2, 3), op, widened(a), out, index)


# ------------------------------------------------------------------------------- places, products

def gather(src, index, dim, out):
    on_bytes(out, "gather", (3,), src, index, dim, out)


def scatter(mode, out, dim, index, src):
    """`out` may overlap itself: so all of its memory is widened, and rounded when all is done."""
    if SCATTER[mode] == "set":
        return on_bytes(out, "scatter", (1,), mode, out, dim, index, src)
    span = 1 + sum([(size - 1) * stride for size, stride in zip(out.shape, out.stride())])
    memory = out.as_strided((span,), (1,), out.storage_offset())
    wide = widened(memory)
    call(out, "scatter", (1,), mode, wide.as_strided(tuple(out.shape), out.stride(), 0), dim, index, widened(src))
    copy_(memory, wide)


def matmul(a, b, out):
    """Of floats of 8 bits, of which PyTorch has it for two matrices."""
    if out.dtype.is_complex:
        raise refused("matmul", out)
    result = empty_like_strided(out, WIDER[out.dtype])
    call(out, "matmul", (2,), widened(a), widened(b), result)
    copy_(out, result)


def addmm(bias, a, b, beta, alpha, out):
    result = empty_like_strided(out, WIDER[out.dtype])
    call(out, "addmm", (5,), widened(bias), widened(a), widened(b), beta, alpha, result)
    copy_(out, result)


ENTRIES = {function.__name__: function for function in (
    fill, copy, where, unary, binary, binary_scalar, elementwise, reduce, map_reduce, scan, gather, scatter, matmul,
    addmm)}
