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
        linalg_lstsq linalg_lu_solve linalg_slogdet linalg_solve linalg_tensorsolve logical_and logical_not
        logical_or logical_xor logsumexp long lu_solve msort multi_margin_loss multilabel_margin_loss mv
        mvlgamma nan_to_num nansum new_full new_ones new_zeros nonzero pdist permute_copy pixel_shuffle
        pixel_unshuffle poisson polar prod rad2deg ravel relu6 renorm rot90 scatter scatter_add select_copy
        short slice_copy slogdet soft_margin_loss sort split_with_sizes_copy squeeze_copy sum sum_to_size
        t_copy tile to transpose_copy triangular_solve type type_as unbind_copy unfold unfold_copy unique
        unsqueeze_copy upsample upsample_bilinear vdot view_as_real_copy view_copy""",
    2: """
        as_strided_scatter cholesky_solve constant_pad_nd diag_embed diagflat diagonal_scatter histc
        index_fill index_put masked_fill masked_scatter max_unpool1d max_unpool2d max_unpool3d mean pad put
        select_scatter slice_scatter""",
    3: "cholesky inverse linalg_inv linalg_solve_triangular linalg_tensorinv ormqr",
    (1, 1): "linalg_eig linalg_solve_ex",
    (1,): "linalg_ldl_factor linalg_ldl_factor_ex linalg_lu_factor linalg_lu_factor_ex lu",
    (0, 1): "linalg_eigh",
    (2, 1): "histogram",
    (3, 1): "linalg_inv_ex",
    (1, 1, 2): "linalg_lu",
}
_INNER_WRITES = {name: count for count, names in _COUNTS.items() for name in names.split()}


# Those for which it depends on the arguments and the result (`_count_of`).
_INNER_WRITES |= dict.fromkeys("""
    max min aminmax mse_loss smooth_l1_loss pad mode interpolate index_reduce scatter_reduce median nanmedian
    std var topk logcumsumexp cumprod cumsum repeat normal diag flip roll flipud fliplr block_diag addbmm
    fft_fft fft_ifft fft_ihfft fft_rfft fft_hfft fft_irfft linalg_vector_norm std_mean var_mean fft_rfft2
    fft_rfftn linalg_eigvals binary_cross_entropy_with_logits linalg_cholesky_ex linalg_qr qr multinomial
    binary_cross_entropy conv1d conv3d conv_transpose1d conv_transpose3d isreal angle conj_physical signbit
    ceil fix floor isfinite isinf isneginf isposinf round trunc""".split())


def _count_of(name, x, others, result):
    words, some, axes, real = _words(others), x.numel() > 0, x.dim() > 0, x.is_floating_point()
    given = [isinstance(value, type(x)) for value in others]
    yes = any(value is True for value in others)
    losses = 0 if "none" in words else 1 + axes
    reductions = 1 + ("mean" in words) + any(value is False for value in others)
    match name:
        case "max" | "min" | "aminmax":
            return some and given[:1] != [True] and (1 if not others or not axes else 0 if yes else 2)
        case "mse_loss" | "smooth_l1_loss":
            return losses
        case "binary_cross_entropy":
            return losses + (sum(given) > 1)
        case "binary_cross_entropy_with_logits":
            return ("none" in words) * (4 + (sum(given) > 1))
        case "pad":
            return len(others[0]) == 4 if "reflect" in words else 0 if {"replicate", "circular"} & words else 2
        case "mode":
            return 0 if axes and yes else 2
        case "interpolate":
            return x.dim() == 4 and "bicubic" not in words or "area" in words
        case "index_reduce":
            return reductions
        case "scatter_reduce":
            return 1 + reductions
        case "median" | "nanmedian":
            return len(others) > 0
        case "std" | "var":
            return result.numel() == 1 or not some
        case "std_mean" | "var_mean":
            return not some and (1, 1)
        case "topk" | "logcumsumexp" | "linalg_vector_norm":
            return not axes
        case "cumprod" | "cumsum":
            return not axes or not some
        case "repeat":
            return result.numel() > 0
        case "normal":
            return 1 + given[0]
        case "diag":
            return 3 - x.dim()
        case "flip":
            return not some or others == ((),)
        case "roll" | "flipud" | "fliplr":
            return not some
        case "block_diag":
            return 2 + len(others)
        case "addbmm":
            return 2 + others[0].size(0)
        case "fft_hfft" | "fft_irfft":
            return (2 - (x.dim() == 2)) * x.is_complex()
        case "fft_fft" | "fft_ifft" | "fft_ihfft" | "fft_rfft":         # what is cut or filled up is new
            same = all(m in (n, n // 2 + 1) for m, n in zip(result.shape, x.shape))
            return same and (2 - (x.dim() == 2)) * real
        case "fft_rfft2" | "fft_rfftn" | "linalg_eigvals":
            return 1 + real
        case "linalg_cholesky_ex":
            return (1, 0) if some else (0, 1)
        case "linalg_qr" | "qr":
            return (0, 2) if "r" in words else 1
        case "multinomial":
            return 2 - yes
        case "conv1d" | "conv3d" | "conv_transpose1d" | "conv_transpose3d":
            return given[1:2] == [True] and not x.is_complex() and others[0].is_contiguous()
        case "angle" | "conj_physical":
            return x.is_complex()
        case "isreal":
            return not x.is_complex()
        case "signbit":
            return x.dtype.name == "bool"
    return not (real or x.is_complex())         # those that copy integers


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
    count = _count_of(name, values[0], values[1:], results[0]) if count is None else count
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
