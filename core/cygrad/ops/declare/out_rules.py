"""How PyTorch's ops differ in what they do with `out=`, by op; `out_arguments.pyx` reads these tables.

They are facts about PyTorch's kernels, one for each table; an op that none of them names does what most do. The dtypes
that an op takes there, and the words in which it refuses others, stand in `out_dtypes.py`.
"""
import math

# Ops that may be given operands, and an `out`, that require gradients: there is nothing to differentiate.
WITHOUT_GRADIENT = frozenset("""
    all any argmax argmin bitwise_not bucketize count_nonzero eq equal ge greater greater_equal gt histc isin
    isneginf isposinf le less less_equal linalg_matrix_rank logical_and logical_not logical_or logical_xor lt
    multinomial ne nonzero
    not_equal searchsorted signbit special_airy_ai
    special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_modified_bessel_i0
    special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 special_scaled_modified_bessel_k0
    special_scaled_modified_bessel_k1 special_spherical_bessel_j0 special_chebyshev_polynomial_t
    special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w
    special_hermite_polynomial_h special_hermite_polynomial_he special_laguerre_polynomial_l
    special_legendre_polynomial_p special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u
    special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w split_copy
    split_with_sizes_copy unbind_copy""".split())
# Ops that give nothing back where they write into `out`.
WITHOUT_RESULT = frozenset(["split_copy", "split_with_sizes_copy", "unbind_copy"])
# Reductions that fill an `out` of float32 or float64 before they read: it shows where the operand lies in its memory.
FILLED_FIRST = {"sum": 0, "nansum": 0, "mean": 0, "amax": -math.inf, "amin": math.inf}
# Ops that PyTorch composes of others, and copies what they give into `out`, recorded.
COPIED = frozenset("""
    inner linalg_cond linalg_eigvals linalg_matrix_norm linalg_norm linalg_tensorinv linalg_tensorsolve nanquantile
    nuclear_norm quantile special_ndtr tensordot""".split())

# What PyTorch says of operands that share memory with `out`, a letter for each argument, the last for those behind it:
# WHOLE: `out` may not even be the operand itself; PARTLY: that it may be; in lower case: `out` as it is once it was
# resized; "s": likewise PARTLY, if the operand has its shape; "-": they may share what they like. Ops that are not here
# have PARTLY. Nothing is read after `out` was written to.
_OVERLAPS = (
    ("W", ("index_select take masked_select cat concat concatenate hstack vstack dstack row_stack column_stack "
           "stack kthvalue cross linalg_cross")),
    ("wwp", "gather"), ("W-", "take_along_dim"), ("pw", "scatter scatter_add scatter_reduce index_add index_copy"),
    ("p", "cumprod cumsum log_softmax logcumsumexp msort renorm softmax"),
    ("s-", "addmm addmv addbmm baddbmm"), ("sWP", "addr"), ("-P", "linalg_solve_triangular"),
    ("-", ("sum prod nansum argmax argmin mean amax amin max min logsumexp var std linalg_vector_norm quantile "
           "nanquantile histc searchsorted mm bmm mv dot vdot tensordot matmul matrix_power linalg_vecdot diag tril "
           "triu inverse linalg_inv linalg_det linalg_solve cholesky linalg_cholesky cholesky_solve "
           "cholesky_inverse linalg_svdvals linalg_eigvalsh linalg_pinv linalg_cond linalg_matrix_norm linalg_norm "
           "orgqr ormqr special_ndtr avg_pool2d alias_copy as_strided_copy detach_copy diagonal_copy expand_copy "
           "permute_copy select_copy slice_copy squeeze_copy t_copy transpose_copy unfold_copy unsqueeze_copy "
           "view_copy")))
OVERLAPS = {name: rule for rule, names in _OVERLAPS for name in names.split()}

# Ops that look whether places of `out` are there twice before its shape is.
LOOKED_AT_FIRST = set("""
    index_select take add sub div subtract true_divide divide pow clamp clamp_min clamp_max clip nan_to_num lerp
    addcmul addcdiv hardshrink
    ldexp masked_select scatter scatter_add scatter_reduce addr complex conj_physical deg2rad diff
    float_power floor_divide frac outer heaviside i0 igamma igammac isneginf isposinf logaddexp logaddexp2 logit polar
    polygamma rad2deg round sgn signbit sinc square where xlogy special_chebyshev_polynomial_t
    special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_entr
    special_erfcx special_hermite_polynomial_h special_hermite_polynomial_he special_i0e special_i1 special_i1e
    special_laguerre_polynomial_l special_legendre_polynomial_p special_log_ndtr special_modified_bessel_i0
    special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 special_ndtri
    special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 special_shifted_chebyshev_polynomial_t
    special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v
    special_shifted_chebyshev_polynomial_w special_spherical_bessel_j0 special_xlog1py special_zeta""".split())

# Ops whose `out` may have places twice: the last value written there stays.
TWICE = frozenset("""
    amax amin argmax argmin bmm cummax cummin eye full histc linalg_vecdot linalg_vector_norm mv nansum ones prod sum
    tril triu zeros""".split())

# Ops that PyTorch composes of others, whose `out` is row-major where it is resized, in whatever order the result is.
ROW_MAJOR = frozenset("""
    cholesky cholesky_solve quantile nanquantile linalg_tensorinv stack fft_fft fft_fft2 fft_fftn fft_hfft fft_hfft2
    fft_hfftn fft_ifft2 fft_ifftn fft_ihfft2 fft_ihfftn fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2
    fft_rfftn special_ndtr""".split())

# Likewise, if it had elements before; if it was empty, it gets LAPACK's order.
ROW_MAJOR_GROWN = frozenset("cholesky_inverse geqrf orgqr ormqr triangular_solve".split())

# Ops that make tensors: an `out=` of another shape is resized without a word.
MAKERS = frozenset("arange range linspace logspace eye zeros ones full rand normal bernoulli".split())

# Whose `out` depends on what it was and on the operands without a derivative.
UNDIFFERENTIATED = frozenset("""
    bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor conj_physical diag
    floor_divide gcd heaviside
    histogram lcm linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve log_softmax slice_scatter softmax""".split())

# Of makers, what reads no tensor: there is nothing to differentiate but `out` itself.
MADE_ANEW = MAKERS - {"bernoulli"} | {"fft_fftfreq", "fft_rfftfreq"}


def look_at_first(names):
    """Have ops look whether places of `out` are there twice before they look at its shape."""
    LOOKED_AT_FIRST.update(names)
