"""`torch.functional`: functions of tensors that PyTorch writes in Python, by the name of their module."""
from cygrad import (atleast_1d, atleast_2d, atleast_3d, block_diag, broadcast_shapes, broadcast_tensors, cartesian_prod,
                    cdist, chain_matmul, einsum, istft, lu, meshgrid, norm, pca_lowrank, split, stft, svd_lowrank,
                    tensordot, unique, unique_consecutive, unravel_index)
from cygrad.nn import functional as F  # noqa: F401 (PyTorch has it here, and editors write `from torch.functional import F`)

__all__ = ["atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors",
           "cartesian_prod", "cdist", "chain_matmul", "einsum", "istft", "lu", "meshgrid", "norm", "pca_lowrank",
           "split", "stft", "svd_lowrank", "tensordot", "unique", "unique_consecutive", "unravel_index"]
