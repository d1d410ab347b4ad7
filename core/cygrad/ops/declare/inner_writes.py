"""How often PyTorch's kernels write, as ops in place do, into a result that they have just made: for `_version`.

Where an operand is tracked, what a kernel does inside is not counted, and a result is at version 0. Of tensors of
inference mode that are used outside it PyTorch tracks nothing, so that its kernels call other ops as a user would:
a sum fills its result before it adds. What it gives then is a plain tensor, which counts.
"""

# The count, and the ops whose results have it in most calls.
_COUNTS = {
    1: """
        abs absolute addmm alias_copy all amax amin any argsort argwhere as_strided_copy baddbmm bernoulli bfloat16
        bincount bool byte cdouble cfloat chalf char cholesky_inverse clone complex contiguous cummax cummin deg2rad det
        detach_copy diagonal_copy dot double expand_copy float frexp geqrf half hardtanh index_copy int isclose isin
        kthvalue linalg_cholesky linalg_det linalg_householder_product linalg_slogdet linalg_solve logical_and
        logical_not logical_or logical_xor logsumexp long msort mv multi_margin_loss multilabel_margin_loss nan_to_num
        nansum new_full new_ones new_zeros nonzero permute_copy pixel_shuffle pixel_unshuffle poisson polar prod
        rad2deg ravel relu6 renorm repeat scatter scatter_add select_copy short slice_copy slogdet soft_margin_loss
        sort squeeze_copy sum t_copy tile to transpose_copy type type_as unfold_copy unsqueeze_copy vdot
        view_as_real_copy""",
    2: """
        cholesky_solve constant_pad_nd diag diag_embed diagonal_scatter histc index_fill index_put masked_fill
        masked_scatter max_unpool1d max_unpool2d max_unpool3d mean mode pad put select_scatter slice_scatter""",
    3: "block_diag inverse linalg_inv linalg_solve_triangular cholesky ormqr",
    4: "addbmm",
}
_OF_INTEGERS = frozenset("ceil fix floor isfinite isinf isneginf isposinf round trunc".split())   # which are copied
_INNER_WRITES = {name: count for count, names in _COUNTS.items() for name in names.split()}


def inner_writes(name):
    """How often PyTorch's kernels write into a result of an op, and whether that is so for integers alone."""
    name = name.rpartition(".")[2]
    return (1, True) if name in _OF_INTEGERS else (_INNER_WRITES.get(name, 0), False)
