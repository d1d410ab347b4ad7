"""Rules of ops that work element by element: operands are lined up behind the batch, and the op runs."""
import cygrad
from cygrad.batching.dispatch import in_place_error, mapped, tensors_in
from cygrad.batching.rules.helpers import is_batched, ranked, rule
from cygrad.batching.wrapping import in_line
from cygrad.tensor import Tensor

ONE = """
    abs acos acosh angle asin asinh atan atanh bitwise_not ceil conj conj_physical cos cosh deg2rad digamma erf erfc
    erfinv exp exp2 expm1 floor frac hardshrink imag isfinite isinf isnan isneginf isposinf isreal lgamma log log10
    log1p log2 logical_not logit nan_to_num neg polygamma positive rad2deg real reciprocal relu resolve_conj resolve_neg
    _conj _neg_view
    round rsqrt sgn sigmoid sign signbit sin sinc sinh sqrt square tan tanh trunc celu elu gelu hardsigmoid hardswish
    hardtanh leaky_relu logsigmoid mish relu6 selu silu softplus softshrink softsign tanhshrink threshold
    bfloat16 bool byte cdouble cfloat chalf char clone contiguous cpu cuda double float half int long short to type
    type_as empty_like full_like ones_like zeros_like view_as_real view_as_complex detach i0 mvlgamma"""
SEVERAL = """
    add addcdiv addcmul atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor clamp
    clamp_max clamp_min complex copysign div eq float_power floor_divide fmax fmin fmod gcd ge gt heaviside
    hypot isclose lcm ldexp le lerp logaddexp logaddexp2 logical_and logical_or logical_xor lt maximum
    minimum mul ne nextafter polar pow remainder rsub sub xlogy"""
IN_PLACE = "zero_ fill_ copy_ masked_fill_"


@rule(ONE)
def element_by_element(level, op, x, *args, **kwargs):
    if not is_batched(x, level):
        return lined_up(level, op, x, *args, **kwargs)
    return op(x.value, *args, **kwargs)


@rule(SEVERAL)
def lined_up(level, op, *args, **kwargs):
    if not kwargs:
        values = in_line(level, args)
        if values is not None:
            return op(*values)
    tensors = list(tensors_in(args, kwargs))
    rank = max([t.dim() for t in tensors])
    wanted = None
    if rank and len({t.dtype for t in tensors}) > 1:
        wanted = promoted(tensors)
    # an unbatched operand lines up from the right already
    args, kwargs = mapped(lambda t: operand(t, level, rank, wanted), args, kwargs)
    return op(*args, **kwargs)


def operand(t, level, rank, wanted):
    if not is_batched(t, level):
        return t
    value = ranked(t, level, rank)
    if wanted is not None and t.dim() == 0 and t.dtype is not wanted:
        value = value.to(wanted)                # an example without axes does not decide the dtype, the batch would
    return value


def promoted(tensors):
    """The dtype of a pointwise op on these, by the shapes of the examples."""
    found = None
    scalars = [t for t in tensors if not t.dim()]
    for t in tensors:
        if t.dim():
            found = t.dtype if found is None else cygrad.promote_types(found, t.dtype)
    carrier = cygrad.empty(1, dtype=found)
    for t in scalars:
        carrier = cygrad.empty(1, dtype=cygrad.result_type(carrier, cygrad.empty((), dtype=t.dtype)))
    return carrier.dtype


@rule("masked_fill")
def masked(level, op, x, mask, value):
    if isinstance(value, Tensor) and is_batched(value, level):
        return cygrad.where(mask, value.to(x.dtype), x)
    return lined_up(level, op, x, mask, value)


@rule("where")
def chosen(level, op, condition, *args, **kwargs):
    if not args and not kwargs:
        raise RuntimeError("vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. "
                           "We don't support that yet, please shout over at "
                           "https://github.com/pytorch/functorch/issues/257 .")
    tensors = list(tensors_in(args, kwargs))
    rank = max([condition.dim(), *[t.dim() for t in tensors]])
    wanted = promoted(tensors) if tensors and len({t.dtype for t in tensors}) > 1 and any(
        t.dim() for t in tensors) else None
    mask = ranked(condition, level, rank) if is_batched(condition, level) else condition
    args, kwargs = mapped(lambda t: operand(t, level, rank, wanted), args, kwargs)
    return op(mask, *args, **kwargs)


def changed_in_place(level, op, x, *args, **kwargs):
    """In-place forms: the target has to be batched if an operand is."""
    if not is_batched(x, level):
        raise RuntimeError(in_place_error(level))
    rank = x.dim()
    for t in tensors_in(args, kwargs):
        if t.dim() > rank:
            raise RuntimeError(f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(t.shape)}")
    args, kwargs = mapped(lambda t: ranked(t, level, rank) if is_batched(t, level) else t, args, kwargs)
    op(x.value, *args, **kwargs)
    return x


for _name in (ONE + SEVERAL).split():
    rule(_name + "_")(changed_in_place)
rule(IN_PLACE)(changed_in_place)


@rule("equal allclose")
def compared(level, op, *args, **kwargs):
    raise RuntimeError("vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We "
                       "don't support that yet, please shout over at https://github.com/pytorch/functorch/issues/257 .")


@rule("result_type")
def type_of(level, op, *args, **kwargs):
    return op(*[cygrad.empty(t.shape, dtype=t.dtype) if isinstance(t, Tensor) else t for t in args], **kwargs)


@rule("is_complex is_floating_point is_signed numel is_conj is_neg is_inference get_device is_nonzero is_same_size")
def asks(level, op, x, *args):
    if op.name == "numel":
        return x.numel()
    return op(x.value.select(0, 0) if x.value.shape[0] else x.value, *args)
