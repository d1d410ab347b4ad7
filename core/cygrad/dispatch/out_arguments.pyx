# distutils: extra_compile_args = -Os
"""Results that go into a tensor given as `out=`: what PyTorch refuses, what is resized, with which warning.

`refuse_out_grad` is asked before an op runs: autograd and overlaps. `write_out` puts the finished result where it goes.
"""
from cygrad.autograd.modes cimport grad_enabled, inference_enabled
from cygrad.dispatch.axes cimport refuse_overlap, refuse_self_overlap
from cygrad.dispatch.kernel_calls cimport copy_into, same_device
from cygrad.dtype cimport can_cast_to, plain_of
from cygrad.tensor cimport Tensor, bump_version, requires_grad
from cygrad.view cimport same_sizes

from cygrad.dispatch.axes import OVERLAPPED
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.errors import warn

cdef frozenset WITHOUT_GRADIENT = frozenset("""
    all any argmax argmin bucketize count_nonzero eq equal ge greater greater_equal gt histc isin isneginf isposinf le
    less less_equal logical_and logical_not logical_or logical_xor lt ne nonzero not_equal searchsorted signbit
    special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_modified_bessel_i0
    special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 special_scaled_modified_bessel_k0
    special_scaled_modified_bessel_k1 special_spherical_bessel_j0 special_chebyshev_polynomial_t
    special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w
    special_hermite_polynomial_h special_hermite_polynomial_he special_laguerre_polynomial_l
    special_legendre_polynomial_p special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u
    special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w split_copy
    split_with_sizes_copy unbind_copy""".split())
# Ops whose operands may require gradients, where `out` may not: PyTorch copies what they give into it, recorded.
cdef frozenset OPERANDS_AT_WILL = frozenset("""
    bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor conj_physical diag floor_divide heaviside
    linalg_matrix_norm linalg_norm log_softmax nanquantile quantile slice_scatter softmax special_ndtr
    tensordot""".split())

# What PyTorch says of operands that share memory with `out`, a letter for each argument, the last for those behind it:
# WHOLE: `out` may not even be the operand itself; PARTLY: that it may be; SHAPED: likewise, if it has out's shape;
# "-": they may share what they like. Ops that are not here have PARTLY. Nothing is read after `out` was written to.
cdef enum:
    WHOLE = 87      # "W"
    PARTLY = 80     # "P"
    SHAPED = 83     # "S"

cdef dict _OVERLAPS = {}
for _rule, _names in (
        ("W", "index_select take masked_select cat concat concatenate hstack vstack dstack row_stack column_stack "
              "stack kthvalue diff cross linalg_cross"),
        ("WWP", "gather"), ("W-", "take_along_dim"), ("PW", "scatter scatter_add scatter_reduce index_add"),
        ("S-", "addmm addmv addbmm baddbmm"), ("SP", "addr"), ("-P", "linalg_solve_triangular"),
        ("-", "sum prod nansum argmax argmin mean amax amin max min logsumexp var std linalg_vector_norm quantile "
              "nanquantile histc searchsorted mm bmm mv dot vdot tensordot matmul matrix_power linalg_vecdot diag tril "
              "triu inverse linalg_inv linalg_det linalg_solve cholesky linalg_cholesky cholesky_solve "
              "cholesky_inverse linalg_svdvals linalg_eigvalsh linalg_pinv linalg_cond linalg_matrix_norm linalg_norm "
              "orgqr ormqr special_ndtr")):
    _OVERLAPS.update(dict.fromkeys(_names.split(), _rule))

# Ops that look whether places of `out` are there twice before its shape is.
cdef set _LOOKED_AT_FIRST = set("""
    index_select take add sub div subtract true_divide divide pow clamp clamp_min clamp_max clip nan_to_num lerp
    addcmul addcdiv masked_select scatter scatter_add scatter_reduce addr complex conj_physical deg2rad diff
    float_power floor_divide frac outer heaviside i0 igamma igammac isneginf isposinf logaddexp logaddexp2 logit polar
    polygamma rad2deg round sgn signbit square where xlogy special_chebyshev_polynomial_t
    special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_entr
    special_erfcx special_hermite_polynomial_h special_hermite_polynomial_he special_i0e special_i1 special_i1e
    special_laguerre_polynomial_l special_legendre_polynomial_p special_log_ndtr special_modified_bessel_i0
    special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 special_ndtri
    special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 special_shifted_chebyshev_polynomial_t
    special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v
    special_shifted_chebyshev_polynomial_w special_spherical_bessel_j0 special_xlog1py special_zeta""".split())

# Ops whose `out` may have places twice: the last value written there stays.
cdef frozenset _TWICE = frozenset("""
    amax amin argmax argmin bmm cummax cummin eye full histc linalg_vecdot linalg_vector_norm mv nansum ones prod sum
    tril triu zeros""".split())


# Ops that PyTorch composes of others, whose `out` is row-major where it is resized, in whatever order the result is.
cdef frozenset ROW_MAJOR = frozenset("""
    cholesky cholesky_solve quantile nanquantile linalg_tensorinv stack fft_fft fft_fft2 fft_fftn fft_hfft fft_hfft2
    fft_hfftn fft_ifft2 fft_ifftn fft_ihfft2 fft_ihfftn fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2
    fft_rfftn""".split())

# Ops that make tensors: an `out=` of another shape is resized without a word.
cdef frozenset MAKERS = frozenset("arange range linspace logspace eye zeros ones full rand normal bernoulli".split())


cdef int check_inference(Tensor t) except -1:
    """Refuse to write into a tensor of inference mode outside it."""
    if t.inference and t.counter is None and not inference_enabled():      # `.data` of one counts by itself
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a "
                           "clone to get a normal tensor before doing inplace update.See "
                           "https://github.com/pytorch/rfcs/pull/17 for more details.")
    return 0


cdef inline bint has_gradient(Tensor t):
    """Whether backward goes through `t`, by the first bit of `requires`; else what it has is a tangent."""
    return (t.requires | (0 if t.base is None else t.base.requires)) & 1


def refuse_out_grad(str name, *operands):
    """`out=` and autograd exclude each other, as in PyTorch; the last operand is `out`, which no other may overlap."""
    cdef bint recording = grad_enabled()
    cdef object out = operands[len(operands) - 1], other
    cdef str rule = _OVERLAPS.get(name, "P")
    cdef Py_UCS4 said
    cdef Py_ssize_t i
    if isinstance(out, Tensor) and name in _LOOKED_AT_FIRST:
        refuse_self_overlap(<Tensor>out)
    for i in range(len(operands)):
        other = operands[i]
        if not isinstance(other, Tensor):
            continue
        if (recording and requires_grad(<Tensor>other) and name not in WITHOUT_GRADIENT
                and not (other is not out and name in OPERANDS_AT_WILL)):
            if not has_gradient(<Tensor>other):
                raise NotImplementedError(f"Trying to use forward AD with {name}_out that does not support it because "
                                          "it is an out= function")
            raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic differentiation, "
                               "but one of the arguments requires grad.")
        if i < len(operands) - 1 and isinstance(out, Tensor):
            said = rule[min(i, len(rule) - 1)]
            if said == WHOLE or said == PARTLY or said == SHAPED and same_sizes(<Tensor>out, <Tensor>other):
                refuse_overlap(<Tensor>out, <Tensor>other, said == WHOLE)


def refuse_self_overlapping(Tensor out not None):
    """Raise if places of `out` are in memory more than once."""
    refuse_self_overlap(out)


def look_at_first(names):
    """Have ops look whether places of `out` are there twice before they look at its shape."""
    _LOOKED_AT_FIRST.update(names)


cdef bint grows_by_broadcasting(Tensor small, Tensor large) noexcept:
    cdef int i
    if small.rank > large.rank or small.elements >= large.elements:
        return False
    for i in range(1, small.rank + 1):
        if small.sizes[small.rank - i] != large.sizes[large.rank - i] and small.sizes[small.rank - i] != 1:
            return False
    return True


cdef int refuse_grown(str name, Tensor result, Tensor target, operands) except -1:
    """What `refuse_out_grad` looks for where `out` is still to be resized: that it will lie over an operand then."""
    cdef str rule = _OVERLAPS.get(name, "P")
    cdef Py_ssize_t i = 0, start = target.offset, stop = target.offset + result.elements
    cdef Py_UCS4 said
    cdef Tensor t
    if result.elements == 0:
        return 0
    for other in operands:
        said = rule[min(i, len(rule) - 1)]
        i += 1
        if said != WHOLE and said != PARTLY or not isinstance(other, Tensor):
            continue
        t = <Tensor>other
        if said == PARTLY:                      # what lay over `out` as it was has been refused
            if t is target and grows_by_broadcasting(target, result) and name not in _OVERLAPS:
                raise RuntimeError(f"output with shape {list(target.shape)} doesn't match the broadcast shape "
                                   f"{list(result.shape)}")
        elif t.memory is target.memory and plain_of(t.dtype) is plain_of(target.dtype) and (
                t is target or t.offset < stop and start < t.offset + t.elements):
            raise RuntimeError(OVERLAPPED)
    return 0


cdef void take_strides(Tensor target, Tensor result) noexcept:
    """Give a tensor that was resized, and is row-major, the order of axes that its new values have."""
    cdef Py_ssize_t reach = 1
    cdef int i
    for i in range(result.rank):
        if result.strides[i] == 0 and result.sizes[i] > 1:
            return
        reach += (result.sizes[i] - 1) * result.strides[i]
    if reach == result.elements:
        for i in range(result.rank):
            target.strides[i] = result.strides[i]
        target.finish()


def write_out(str name, Tensor result not None, out, exact=False, operands=()):
    """Put a result into the tensor given as `out=`: resized if it is empty (or, with a warning, of another shape).

    One that is resized gets the strides of the result. `operands`: the op's, over which it may not come to lie.
    """
    cdef Tensor target
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    target = <Tensor>out
    check_inference(target)
    same_device(name, result, target, ("the result", "out"))
    if plain_of(target.dtype) is not plain_of(result.dtype):
        if exact in ("exact", "dtype"):
            raise RuntimeError(f"{name}(): expected out tensor to have dtype {result.dtype.name}, but got "
                               f"{target.dtype.name} instead")
        if exact != "any" and not can_cast_to(result.dtype, target.dtype):
            raise RuntimeError(f"result type {SCALAR_NAMES[result.dtype.code]} can't be cast to the desired output "
                               f"type {SCALAR_NAMES[target.dtype.code]}")
    if grad_enabled() and has_gradient(target) and made_anew(name):
        if target.node is None and target.base is None:
            raise RuntimeError(f"aten::{name}(): functions with out=... arguments don't support automatic "
                               "differentiation, but one of the arguments requires grad.")
        from cygrad.autograd.inplace import forget_history      # knot: it needs this module
        forget_history(name, target)
    elif has_gradient(target) and target.node is None and target.base is None and made_anew(name):
        target.requires &= ~1                   # as PyTorch has it, which makes such a tensor anew, too
    if not same_sizes(target, result):
        refuse_grown(name, result, target, operands)
        if target.elements and name not in MAKERS:
            warn_of_resizing(target, result)
        from cygrad.ops.shape.inplace_geometry import resized      # knot: it needs this module
        resized(target, result.shape)
        if name not in ROW_MAJOR:
            take_strides(target, result)
    if name not in _TWICE:
        refuse_self_overlap(target)
    if name in OPERANDS_AT_WILL and grad_enabled() and has_gradient(result):
        return target.copy_(result)             # so that gradients go through, as in PyTorch
    copy_into(result, target)
    bump_version(target)
    return target


cdef inline bint made_anew(str name):
    """Whether an op reads no tensor: then there is nothing to differentiate but `out` itself."""
    return name in MAKERS and name != "bernoulli" or name == "fft_fftfreq" or name == "fft_rfftfreq"


cdef int warn_of_resizing(Tensor out, Tensor result) except -1:
    warn(
        f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not "
        f"match the required output shape {list(result.shape)}. This behavior is deprecated, and in a future "
        "release outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
        "tensor t by resizing it, inplace, to zero elements with t.resize_(0).")
