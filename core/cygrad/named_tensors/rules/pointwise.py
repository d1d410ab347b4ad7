"""Names of results that have the input's axes, or none of them: pointwise ops, scans, parts, places and look-ups."""
from cygrad.named_tensors.names import unified, unify
from cygrad.named_tensors.rules.helpers import rule


@rule("""
    abs acos acosh angle asin asinh atan atanh bitwise_not ceil conj conj_physical cos cosh deg2rad digamma erf erfc
    erfinv exp exp2 expm1 floor frac hardshrink imag isfinite isinf isnan isneginf isposinf isreal lgamma log log10
    log1p log2 logical_not logit nan_to_num neg polygamma positive rad2deg real reciprocal relu resolve_conj resolve_neg
    _conj _neg_view
    round rsqrt sgn sigmoid sign signbit sin sinc sinh sqrt square tan tanh trunc
    celu elu gelu glu hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu6 selu silu softplus softshrink
    softsign tanhshrink threshold
    apply_ bernoulli cauchy_ detach exponential_ fill fill_ fill_diagonal_ geometric_ log_normal_ mvlgamma normal_
    poisson prelu random_ uniform_ unravel_index zero_
    empty_like full_like ones_like rand_like randint_like randn_like zeros_like
    as_subclass bfloat16 bool byte cdouble cfloat chalf char clone contiguous cpu cuda double float half int long opencl
    short to to_dense to_device type type_as
    argsort cummax cummin cumprod cumsum cumulative_trapezoid diff flip fliplr flipud log_softmax logcumsumexp msort
    renorm roll softmax softmin sort topk tril triu
    chunk dsplit hsplit narrow narrow_copy split split_with_sizes tensor_split unsafe_chunk unsafe_split
    unsafe_split_with_sizes vsplit
    alias_copy detach_copy frexp gradient native_channel_shuffle slice_copy split_copy split_with_sizes_copy
    diagonal_scatter index_fill index_put index_select put select_scatter slice_scatter
    alpha_dropout dropout dropout1d dropout2d dropout3d feature_alpha_dropout feature_dropout gumbel_softmax rrelu
    constant_pad_nd layer_norm linalg_matrix_power matrix_exp matrix_power native_layer_norm pad
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool1d_with_indices
    adaptive_max_pool2d adaptive_max_pool2d_with_indices adaptive_max_pool3d adaptive_max_pool3d_with_indices avg_pool1d
    avg_pool2d avg_pool3d fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d
    fractional_max_pool3d_with_indices lp_pool1d lp_pool2d lp_pool3d max_pool1d max_pool1d_with_indices max_pool2d
    max_pool2d_with_indices max_pool3d max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d
    batch_norm group_norm instance_norm local_response_norm normalize rms_norm
    fft_fft fft_fft2 fft_fftn fft_ifft fft_ifft2 fft_ifftn fft_rfft fft_rfft2 fft_rfftn fft_irfft fft_irfft2 fft_irfftn
    fft_hfft fft_hfft2 fft_hfftn fft_ihfft fft_ihfft2 fft_ihfftn fft_fftshift fft_ifftshift
    channel_shuffle pixel_shuffle pixel_unshuffle interpolate upsample upsample_bilinear upsample_nearest
    i0 special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_entr
    special_erfcx special_i0e special_i1 special_i1e special_log_ndtr special_modified_bessel_i0
    special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 special_ndtr special_ndtri
    special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 special_spherical_bessel_j0
    module_load pin_memory share_memory_""")
def keeps(call):
    """Each axis keeps its name."""
    return call.names


@rule("bucketize isin searchsorted")
def looks_up(call):
    """The names of what is looked up, not of where."""
    values = call["elements" if call.op == "isin" else "input"]
    return getattr(values, "names", ())


@rule("""
    add addcdiv addcmul atan2 binomial bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor clamp
    clamp_max clamp_min complex copy_ copysign cross div eq float_power floor_divide fmax fmin fmod gcd ge gt heaviside
    hypot isclose lcm ldexp le lerp linalg_cross logaddexp logaddexp2 logical_and logical_or logical_xor lt map2_ map_
    igamma igammac masked_fill maximum minimum mul ne nextafter normal polar pow remainder rsub sub xlogy
    special_xlog1py special_zeta special_hermite_polynomial_h special_hermite_polynomial_he
    special_laguerre_polynomial_l special_legendre_polynomial_p special_chebyshev_polynomial_t
    special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w
    special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u
    special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w""")
def unifies(call):
    """Operands are lined up from the right, and their names have to match."""
    return unified(call.tensors)


@rule("allclose dist")
def compares(call):
    """One number for all elements of both."""
    unified(call.tensors)
    return ()


@rule("equal")
def equals(call):
    """Tensors with other names are other tensors."""
    if call.names != call.tensors[1].names:
        call.answer = False


@rule("""
    dense_dim get_device is_complex is_conj is_distributed is_floating_point is_inference is_neg is_nonzero is_pinned
    is_same_size is_set_to is_shared is_signed numel record_stream result_type
    sparse_dim""")
def asks(call):
    """The answer is no tensor."""


@rule("where")
def chooses(call):
    """`where(condition)` alone finds places, as `nonzero` does."""
    return unified(call.tensors) if len(call.args) + len(call.kwargs) > 1 else None


@rule("gather")
def gathers(call):
    index = call["index"].names
    return unify(call.names, index) if len(index) == len(call.names) else index


@rule("index_add index_copy index_reduce masked_scatter scatter scatter_add scatter_reduce")
def lined_up(call):
    """Operands of as many axes as the input have its names; index vectors and numbers have no say."""
    return unified([t for t in call.tensors if t.dim() == call.input.dim()])


@rule("take_along_dim")
def taken_along(call):
    return (None,) if call["dim"] is None else unified(call.tensors)


@rule("take")
def taken(call):
    return call["index"].names


# ------------------------------------------------------------------------- no names

@rule("""
    argwhere bincount block_diag combinations corrcoef cov diag diagflat histc histogram histogramdd kron
    nonzero nonzero_static unique unique_consecutive""")
def nameless(call):
    """No axis of a result is one of the input's."""


@rule("cartesian_prod")
def pairs(call):
    return call.names if len(call.tensors) == 1 else None


@rule("masked_select")
def selects(call):
    unified(call.tensors)
