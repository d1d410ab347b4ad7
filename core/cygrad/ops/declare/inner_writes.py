"""How often PyTorch's kernels write, as ops in place do, into a result that they have just made: for `_version`.

Where an operand is tracked, what a kernel does inside is not counted, and a result is at version 0. Of tensors of
inference mode that are used outside it PyTorch tracks nothing, so that its kernels call other ops as a user would:
a sum fills its result before it adds. What it gives then is a plain tensor, which counts.
"""

# The count, and the ops whose results have it in most calls.
_COUNTS = {
    1: """
        abs absolute adaptive_avg_pool1d adaptive_avg_pool2d addmm alias_copy all amax amin any argsort
        argwhere as_strided_copy baddbmm bernoulli bfloat16 bincount bool byte cdouble cfloat chalf
        channel_shuffle char cholesky_inverse clone complex contiguous cummax cummin deg2rad det detach_copy
        diag diagonal_copy dot double expand_copy fill float frexp geqrf half hardtanh index_add index_copy int
        interpolate isin isreal kthvalue linalg_cholesky linalg_det linalg_householder_product linalg_qr
        linalg_slogdet linalg_solve logical_and logical_not logical_or logical_xor logsumexp long msort
        multi_margin_loss multilabel_margin_loss mv mvlgamma nan_to_num nansum new_full new_ones new_zeros
        nonzero pdist permute_copy pixel_shuffle pixel_unshuffle poisson polar prod qr rad2deg ravel relu6
        renorm repeat rot90 scatter scatter_add select_copy short slice_copy slogdet soft_margin_loss sort
        split_with_sizes_copy squeeze_copy sum sum_to_size t_copy tile to transpose_copy triangular_solve type
        type_as unbind_copy unfold unfold_copy unique unsqueeze_copy vdot view_as_real_copy view_copy""",
    2: """
        cholesky_solve constant_pad_nd diag_embed diagflat diagonal_scatter histc index_fill index_put
        masked_fill masked_scatter max_unpool1d max_unpool2d max_unpool3d mean mode mse_loss normal pad put
        select_scatter slice_scatter smooth_l1_loss""",
    3: "block_diag cholesky inverse linalg_inv linalg_solve_triangular ormqr",
    4: "addbmm",
}
_OF_INTEGERS = frozenset("ceil fix floor isfinite isinf isneginf isposinf round trunc".split())   # which are copied
_INNER_WRITES = {name: 17 * count for count, names in _COUNTS.items() for name in names.split()}
_INNER_WRITES.update(max=33, min=33, aminmax=33, median=16, nanmedian=16, std=1, var=1)


def inner_writes(name):
    """How often PyTorch's kernels write into a result of an op, and whether that is so for integers alone.

    The count is that of a call with one argument, and 16 times that of one with more, an axis for instance.
    """
    name = name.rpartition(".")[2]
    return (17, True) if name in _OF_INTEGERS else (_INNER_WRITES.get(name, 0), False)
