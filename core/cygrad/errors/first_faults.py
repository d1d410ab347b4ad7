"""Which of two faults PyTorch tells: what it looks at before that which an op here refused.

Ops check where they use a thing. PyTorch looks at axes, shapes, the dtype of `out` and numbers in an order of its own:
a kernel is asked last, so that it lacks a dtype is told only where all else is right, and a number is converted to the
dtype of a kernel by that kernel. Nothing here runs for a call that works.
"""
import re

from cygrad.dispatch.operands import broadcast
from cygrad.dispatch.promotion import check_scalar, result_type
from cygrad.dtype import can_cast, get_default_dtype
from cygrad.ops.declare.operand_types import DTYPES
from cygrad.ops.declare.out_dtypes import check_dtypes, text
from cygrad.ops.declare.out_rules import WITHOUT_RESULT
from cygrad.tensor import Tensor

# Ops of two tensors whose shapes broadcast, and what they give: the promoted dtype, or a float one for integers.
_PAIRS = frozenset("""
    atan2 arctan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor clamp_max clamp_min copysign
    fmax fmin fmod gcd hypot igamma igammac lcm logaddexp logaddexp2 maximum minimum nextafter remainder floor_divide
    special_gammainc special_gammaincc xlogy special_xlogy special_xlog1py special_zeta div divide ldexp clamp
    clip""".split())
_COMPARISONS = frozenset("eq ge greater greater_equal gt le less less_equal lt ne not_equal".split())
_OF_FLOATS = frozenset("""
    acos acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh copysign cos cosh
    deg2rad digamma erf erfc erfinv exp exp2 expm1 i0 lgamma log log10 log1p log2 logit rad2deg reciprocal rsqrt
    sigmoid sin sinc sinh sqrt tan tanh xlogy special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0
    special_bessel_y1 special_digamma special_entr special_erf special_erfc special_erfcx special_erfinv special_exp2
    special_expit special_expm1 special_gammaln special_i0 special_i0e special_i1 special_i1e special_log1p
    special_log_ndtr special_logit special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0
    special_modified_bessel_k1 special_ndtri special_psi special_scaled_modified_bessel_k0
    special_scaled_modified_bessel_k1 special_sinc special_spherical_bessel_j0 special_xlog1py special_xlogy
    special_zeta""".split())
# Ops of one tensor that give its dtype, or the one named, and nothing else.
_OF_ONE_DTYPE = frozenset("""
    abs absolute bitwise_not ceil cumprod cumsum fix floor frac hardshrink log_softmax logcumsumexp neg negative round
    sgn sign softmax special_round trunc""".split())
# Ops that look at the dtypes of `out` before anything else: those of what they make, None for the input's.
_OUT_FIRST = {**dict.fromkeys("amax amin histc index_copy logcumsumexp nanquantile quantile take".split(), (None,)),
              **dict.fromkeys(("all", "any"), ("bool",)), "hash_tensor": ("uint64",), "aminmax": (None, None),
              **dict.fromkeys("cummax cummin kthvalue median mode nanmedian".split(), (None, "int64"))}
_AXES_FIRST = "aminmax", "kthvalue", "median", "nanmedian"         # of these, whose axes come before
# Ops that take `out_dtype`, for which only NVIDIA's devices have kernels.
_MIXED = frozenset("addmm baddbmm bmm mm".split())
_NO_KERNEL = re.compile('^(".*" not implemented for |clamp is not supported)')
# Functions that look at the type of what they are given as a tensor (in C), and that ask it for its attributes (in
# Python), where it is the other way round here.
_IN_C = frozenset("einsum get_device logsigmoid multilabel_soft_margin_loss nonzero".split())
_IN_PYTHON = frozenset("""
    binary_cross_entropy gaussian_nll_loss l1_loss linear_cross_entropy local_response_norm max_unpool1d mse_loss
    nn.functional.sigmoid nn.functional.tanh norm softsign split tanhshrink triplet_margin_with_distance_loss
    unravel_index""".split())
_NO_TENSOR = re.compile(r"^(?!.* 'out' ).*?(?:argument '(\w+)'.* must be Tensor, not|\(expected Tensor, got) "
                        r"([\w.]+)\)?$")
# What Python says of a number that is converted to one that can't hold it.
_UNFIT = re.compile("cannot convert float|must be real number, not complex|not supported between instances of|"
                    "real number, not 'complex'|can't convert complex|int too large")


def first_fault(name, values, error, objects=()):
    """The error that PyTorch raises for a call that was refused with `error`, which may be the same.

    Parameters
    ----------
    name : str
        The op's public name.
    values : dict
        The arguments by PyTorch's names.
    objects : list of str
        Those that Python looks at in PyTorch.
    """
    short = name.rpartition(".")[2]
    if isinstance(error, AttributeError) and short in _IN_C:
        for word, value in values.items():
            if type(value) is type(error.obj) and not isinstance(value, Tensor):
                return TypeError(f"{short}(): argument '{word}' must be Tensor, not {type(value).__name__}")
    found = isinstance(error, TypeError) and (objects or name in _IN_PYTHON) and _NO_TENSOR.search(str(error))
    if found:
        if not values:                      # the parser's error
            return AttributeError(f"'{found[2]}' object has no attribute 'dim'")
        for word in objects or values:
            value = values.get(word, values)
            if type(value).__name__ == found[2] and (not objects or word == found[1] or word == next(iter(values))):
                return AttributeError(f"'{found[2]}' object has no attribute 'dim'", obj=value)
    if values.get("out_dtype") is not None and name in _MIXED:
        overload = "dtype" if values.get("out") is None else "dtype_out"
        return NotImplementedError(f"Could not run 'aten::{name}.{overload}' with arguments from the 'CPU' backend.")
    out, input = values.get("out"), values.get("input", values.get("self"))
    if isinstance(error, OverflowError) and "to convert to C" in str(error) and not any(
            type(value).__module__ == "numpy" for value in values.values()):      # which are made Python's after this
        return ValueError("Overflow when unpacking long long")
    if isinstance(out, (tuple, list)) and len(out) == 1 and not isinstance(error, TypeError) and (
            name not in WITHOUT_RESULT):
        return TypeError("expected tuple of 2 elements but got 1")
    if isinstance(error, (IndexError, NotImplementedError)) and isinstance(input, Tensor):
        if name.endswith("_") and "dropout" not in name and not input.is_inference():
            refused = _raised(None, input._check_inplace)
            if refused is not None:
                return refused
        if type(values.get("correction")) is complex:
            return _unfit_number(values) or error
        if name in _OUT_FIRST and out is not None and not (isinstance(error, IndexError) and name in _AXES_FIRST):
            made = [input.new_empty(0, dtype=each and DTYPES[each]) for each in _OUT_FIRST[name]]
            error = _raised(error, check_dtypes, name, "scalar_type", made, out if len(made) > 1 else (out,), (input,),
                            {})
    if isinstance(error, NotImplementedError) and _NO_KERNEL.match(str(error)):
        return _before_the_kernel(name, values, str(error)) or error
    if isinstance(error, (TypeError, ValueError, OverflowError)) and _UNFIT.search(str(error)) and complex not in [
            type(values.get(word)) for word in objects]:
        return _unfit_number(values) or error
    return error


def _unfit_number(values):
    """What PyTorch says of a number that the operands' dtype can't hold."""
    if "data" in values:
        return None
    tensors = [value for word, value in values.items() if isinstance(value, Tensor) and word != "out"]
    try:
        for dtype in ([result_type(*tensors)] if tensors else []) + [DTYPES["float64"]]:
            for value in values.values():
                if isinstance(value, (float, complex)):
                    check_scalar(dtype, value)
    except RuntimeError as found:
        return found
    return None


def _before_the_kernel(name, values, error):
    """A fault of axes, shapes or dtypes, which PyTorch finds before it looks for a kernel."""
    inplace = name.endswith("_")
    name = name.removesuffix("_")
    operands = [value for word, value in values.items() if isinstance(value, Tensor) and word != "out"]
    if not operands or error.startswith("clamp") and (      # which asks before bounds are numbers
            name in ("clamp", "clip") if operands[0].is_complex() and len(operands) > 1 else len(operands) == 1 and (
                operands[0].is_complex() or not inplace or name not in ("clamp", "clip"))):
        return None
    out = operands[0] if inplace else values.get("out")
    pair = name in _PAIRS or "_polynomial_" in name
    try:
        dim = values.get("dim")
        if type(dim) is int and not name.startswith("unique"):
            (operands[0] if operands[0].dim() else operands[0].new_empty(1)).size(dim)
        if pair or name in _COMPARISONS:
            shape = broadcast(*operands)[0].shape
            if isinstance(out, Tensor) and any(out is t for t in operands) and shape != out.shape:
                return RuntimeError(f"output with shape {list(out.shape)} doesn't match the broadcast shape "
                                    f"{list(shape)}")
    except (IndexError, RuntimeError) as found:
        return found
    if not isinstance(out, Tensor):
        return None
    numbers = [value for value in values.values() if pair and type(value) in (float, complex)]
    made = values.get("dtype") or result_type(*operands, *numbers)
    if name in _OF_ONE_DTYPE:
        # Running sums and products are made in the dtype of `out`, unless one is named.
        return None if name.startswith("cum") and not values.get("dtype") else _raised(
            None, check_dtypes, name, "found", (out.new_empty(0, dtype=made),), (out,), operands, {})
    if (name in _OF_FLOATS or "_polynomial_" in name) and not (made.is_floating_point or made.is_complex):
        made = get_default_dtype()
    if (pair or name in _OF_FLOATS) and not can_cast(made, out.dtype):
        return RuntimeError(text("result type {made} can't be cast to the desired output type {given}", name,
                                 made.code, out.dtype.code))
    return None


def _raised(error, check, *args):
    """The RuntimeError that a check raises, else `error`."""
    try:
        check(*args)
    except RuntimeError as found:
        return found
    return error
