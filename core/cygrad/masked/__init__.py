"""`cygrad.masked`: reductions and normalizations that leave out the elements whose mask is False.

There is no MaskedTensor: a mask goes beside its tensor, as the argument `mask=`.
"""
from cygrad.masked.along_axes import cumprod, cumsum, log_softmax, normalize, softmax, softmin
from cygrad.masked.masked_reductions import (amax, amin, argmax, argmin, logaddexp, logsumexp, mean, median, norm,
                                             prod, std, sum, var)

__all__ = ["amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp", "logsumexp", "mean",
           "median", "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var"]
