"""How often PyTorch's kernels write, as ops in place do, into a result that they have just made: for `_version`.

Where an operand is tracked, what a kernel does inside is not counted, and a result is at version 0. Of tensors of
inference mode that are used outside it PyTorch tracks nothing, so that its kernels call other ops as a user would:
a sum fills its result before it adds. What it gives then is a plain tensor, which counts. And where one of them
requires a gradient, what the kernel does with that plain tensor is recorded, or refused, as if a user had done it.
"""
from cygrad.autograd.modes import grad_mode

# The count, or one for each result, and the ops whose results have it in most calls.
_COUNTS = {
    1: """
        abs absolute adaptive_avg_pool1d adaptive_avg_pool2d addmm alias_copy all amax amin any argsort
        argwhere as_strided_copy baddbmm bernoulli bfloat16 bincount bool byte cdouble cfloat chalf
        channel_shuffle char cholesky_inverse clone complex contiguous cummax cummin deg2rad det detach_copy
        diag diagonal_copy dot double expand_copy fill float frexp geqrf half hardtanh index_add index_copy
        int interpolate isin kthvalue linalg_cholesky linalg_det linalg_householder_product linalg_ldl_solve
        linalg_lstsq linalg_lu_solve linalg_slogdet linalg_solve logical_and logical_not logical_or
        logical_xor logsumexp long lu_solve msort multi_margin_loss multilabel_margin_loss mv mvlgamma
        nan_to_num nansum new_full new_ones new_zeros nonzero pdist permute_copy pixel_shuffle pixel_unshuffle
        poisson polar prod rad2deg ravel relu6 renorm scatter scatter_add select_copy short slice_copy slogdet
        soft_margin_loss sort split_with_sizes_copy squeeze_copy sum sum_to_size t_copy tile to transpose_copy
        triangular_solve type type_as unbind_copy unfold unfold_copy unique unsqueeze_copy upsample
        upsample_bilinear vdot view_as_real_copy view_copy""",
    2: """
        as_strided_scatter cholesky_solve constant_pad_nd diag_embed diagflat diagonal_scatter histc
        index_fill index_put masked_fill masked_scatter max_unpool1d max_unpool2d max_unpool3d mean pad put
        select_scatter slice_scatter""",
    3: "cholesky inverse linalg_inv linalg_solve_triangular ormqr",
    (1, 1): "linalg_eig linalg_solve_ex",
    (1,): "linalg_ldl_factor linalg_ldl_factor_ex linalg_lu_factor linalg_lu_factor_ex lu",
    (0, 1): "linalg_eigh",
    (2, 1): "histogram",
    (3, 1): "linalg_inv_ex",
    (1, 1, 2): "linalg_lu",
}
_INNER_WRITES = {name: count for count, names in _COUNTS.items() for name in names.split()}


def _of_extremes(x, others, result):
    if not x.numel():
        return 0
    if others and isinstance(others[0], type(x)):
        return 0
    return 1 if not others or not x.dim() else 0 if any(value is True for value in others) else 2


def _of_losses(x, others, result):
    return 0 if "none" in _words(others) else 2 if x.dim() else 1


def _of_reductions(x, others, result):
    return 1 + ("mean" in _words(others)) + any(value is False for value in others)


def _of_pad(x, others, result):
    if "reflect" in _words(others):
        return len(others[0]) == 4
    return 0 if {"replicate", "circular"} & _words(others) else 2


def _of_interpolate(x, others, result):
    return x.dim() == 4 and "bicubic" not in _words(others) or "area" in _words(others)


def _of_cross_entropy(x, others, result):
    return _of_losses(x, others, result) + (sum(isinstance(value, type(x)) for value in others) > 1)


def _of_biased(x, others, result):
    return (len(others) > 1 and isinstance(others[1], type(x)) and not x.is_complex() and others[0].is_contiguous())


def _of_transforms(x, others, result):
    """What is cut or filled up is new."""
    same = all(m in (n, n // 2 + 1) for m, n in zip(result.shape, x.shape))
    return same and (2 - (x.dim() == 2)) * x.is_floating_point()


# Where it depends on the arguments and the result.
for _names, _count in (
        ("max min aminmax", _of_extremes), ("mse_loss smooth_l1_loss", _of_losses), ("pad", _of_pad),
        ("mode", lambda x, others, result: 0 if x.dim() and any(value is True for value in others) else 2),
        ("interpolate", _of_interpolate),
        ("index_reduce", _of_reductions), ("scatter_reduce", lambda *call: 1 + _of_reductions(*call)),
        ("median nanmedian", lambda x, others, result: len(others) > 0),
        ("std var", lambda x, others, result: result.numel() == 1 or not x.numel()),
        ("topk logcumsumexp", lambda x, others, result: not x.dim()),
        ("cumprod cumsum", lambda x, others, result: not x.dim() or not x.numel()),
        ("repeat", lambda x, others, result: result.numel() > 0),
        ("normal", lambda x, others, result: 1 + isinstance(others[0], type(x))),
        ("diag", lambda x, others, result: 3 - x.dim()),
        ("flip", lambda x, others, result: not x.numel() or others == ((),)),
        ("roll flipud fliplr", lambda x, others, result: not x.numel()),
        ("block_diag", lambda x, others, result: 2 + len(others)),
        ("addbmm", lambda x, others, result: 2 + others[0].size(0)),
        ("fft_fft fft_ifft fft_ihfft fft_rfft", _of_transforms),
        ("fft_hfft fft_irfft", lambda x, others, result: (2 - (x.dim() == 2)) * x.is_complex()),
        ("linalg_vector_norm", lambda x, others, result: not x.dim()),
        ("linalg_tensorsolve", lambda x, others, result: x.is_contiguous()),
        ("linalg_tensorinv", lambda x, others, result: 3 * x.is_contiguous()),
        ("rot90", lambda x, others, result: not others or not isinstance(others[0], int) or others[0] % 2),
        ("upsample_nearest", lambda x, others, result: x.dim() == 4),
        ("std_mean var_mean", lambda x, others, result: not x.numel() and (1, 1)),
        ("fft_rfft2 fft_rfftn linalg_eigvals", lambda x, others, result: 1 + x.is_floating_point()),
        ("binary_cross_entropy_with_logits", lambda x, others, result:
         ("none" in _words(others)) * (4 + (sum(isinstance(value, type(x)) for value in others) > 1))),
        ("linalg_cholesky_ex", lambda x, others, result: (1, 0) if x.numel() else (0, 1)),
        ("linalg_qr qr", lambda x, others, result: (0, 2) if "r" in _words(others) else 1),
        ("multinomial", lambda x, others, result: 1 if any(value is True for value in others) else 2),
        ("adaptive_avg_pool3d", lambda x, others, result: result.numel() > result.size(0) * result.size(1)),
        ("binary_cross_entropy", _of_cross_entropy),
        ("conv1d conv3d conv_transpose1d conv_transpose3d", _of_biased),
        ("isreal", lambda x, others, result: not x.is_complex()),
        ("angle conj_physical", lambda x, others, result: x.is_complex()),
        ("signbit", lambda x, others, result: x.dtype.name == "bool"),
        ("ceil fix floor isfinite isinf isneginf isposinf round trunc",        # which copy integers
         lambda x, others, result: not (x.is_floating_point() or x.is_complex()))):
    _INNER_WRITES |= dict.fromkeys(_names.split(), _count)

# Ops whose kernels call another one with `out=` (as a rule that of the same name), which is refused.
_REFUSED = {name: name for name in """
    abs cholesky_inverse complex cummax cummin deg2rad frexp geqrf hardtanh kthvalue linalg_householder_product
    logsumexp median nan_to_num nanmedian polar rad2deg""".split()}
_REFUSED.update(absolute="abs", inverse="_linalg_solve_ex", linalg_inv="_linalg_solve_ex", linalg_qr="triu",
                linalg_solve="linalg_lu_factor_ex", mean="sum", qr="triu", relu6="hardtanh", renorm="mul", std="sum",
                var="sum")
# Those that change a copy of an operand by others, which would have to be kept; those that give the copy.
_KEEPING = frozenset("index_fill index_put masked_fill masked_scatter mv put".split())
_COPYING = frozenset("""addmm baddbmm bfloat16 cdouble cfloat chalf clone double float half index_add index_copy msort
    scatter scatter_add sort to type""".split())


def _words(values):
    return {value for value in values if isinstance(value, str)}


def inner_writes(name):
    """Whether PyTorch's kernels write into a result of an op that they have made."""
    return name.rpartition(".")[2] in _INNER_WRITES


def after_inference(name, values, found):
    """Do to the result of a call outside of inference mode, on tensors that were made in it, what PyTorch's kernels do.

    Returns whether they would have to keep such a tensor for backward.
    """
    kind = type(values[0])
    tensors = [value for value in values if isinstance(value, kind)]
    results = found if isinstance(found, tuple) else (found,)
    results = [t for t in results if isinstance(t, kind) and not t.is_inference()]
    if not all(t.is_inference() for t in tensors) or not results or any(
            isinstance(value, tuple) and value and value[0] is results[0] for value in values):
        return False
    name = name.rpartition(".")[2]
    count = _INNER_WRITES[name]
    count = count(values[0], values[1:], results[0]) if callable(count) else count
    if count and grad_mode() and any(t.requires_grad for t in tensors):
        if name in _REFUSED:
            raise RuntimeError(f"{_REFUSED[name]}(): functions with out=... arguments don't support automatic "
                               "differentiation, but one of the arguments requires grad.")
        if name in _KEEPING:
            return True
        if name in _COPYING and results[0].is_floating_point():
            result = results.pop(0)
            kept = result.clone()
            result.copy_(values[0])
            result.data.copy_(kept)
    for t, times in zip(results, count if type(count) is tuple else [count] * len(results)):
        for _ in range(times):
            t._bump_version()
    return False
