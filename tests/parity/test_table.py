"""If one of these fails, the table claims something of PyTorch that is not so, or tests less than it seems to."""

import warnings

import pytest
import torch
from compare import KINDS, Error, attempt, dtypes_for, grad, is_tensor_first
from op_db import OPS, resolve

# The ops the project promises, by PyTorch's names; a name stands for its method, in-place and operator forms too.
PROMISED = """
tensor as_tensor zeros ones full empty arange linspace logspace eye zeros_like ones_like full_like empty_like
from_numpy rand randn rand_like randn_like randint randperm normal bernoulli Tensor.new_zeros Tensor.new_ones
Tensor.new_full Tensor.new_empty Tensor.new_tensor rng add sub mul div floor_divide remainder fmod pow neg abs maximum
minimum atan2 eq ne lt le gt ge logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor
bitwise_not bitwise_left_shift bitwise_right_shift exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sign
square sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc sigmoid relu nn.functional.softplus
nn.functional.gelu nn.functional.silu nn.functional.leaky_relu clamp lerp addcmul addcdiv where isnan isinf isfinite
nan_to_num floor ceil trunc round frac sum mean prod max min amax amin argmax argmin any all std var norm logsumexp
median mode cumsum cumprod softmax log_softmax count_nonzero Tensor.view reshape flatten unflatten squeeze unsqueeze
transpose permute movedim t Tensor.T Tensor.mT Tensor.expand Tensor.expand_as Tensor.repeat tile flip roll cat stack
split chunk unbind narrow select Tensor.unfold as_strided diagonal meshgrid broadcast_to broadcast_tensors x[key]
x[key]=y gather scatter scatter_add scatter_reduce index_select index_add index_copy index_fill masked_select
masked_fill take put nonzero argwhere sort argsort topk kthvalue unique searchsorted bincount histc mm bmm matmul mv
dot outer addmm addmv addbmm baddbmm einsum trace diag tril triu cross kron inverse det linalg.solve cholesky
linalg.qr.reduced linalg.svd.reduced linalg.eigh linalg.lstsq linalg.pinv linalg.matrix_norm result_type promote_types
can_cast
""".split()


def test_every_promised_op_is_in_the_table():
    names = {op.name for op in OPS}
    assert not [name for name in PROMISED if name not in names]


@pytest.mark.parametrize("op", OPS, ids=[op.name for op in OPS])
def test_something_succeeds_in_every_kind(op):
    """A row whose samples PyTorch refuses, all of them, would compare nothing but exceptions."""
    for kind, (function, applies) in KINDS.items():
        if not applies(op) or kind in ("refused", "grad", "inplace_grad") or not dtypes_for(kind, op):
            continue
        results = (
            attempt(function, torch, op, sample)
            for dtype in sorted(dtypes_for(kind, op), reverse=True)
            for sample in op.samples(dtype)
            if kind not in ("method", "inplace") or is_tensor_first(sample)
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert op.name == "del x[key]" or any(not isinstance(result, Error) for result in results), kind


@pytest.mark.parametrize("op", OPS, ids=[op.name for op in OPS])
def test_differentiable_is_as_in_pytorch(op):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = [s for dtype in ("float64", "complex128") if dtype in op.dtypes for s in op.samples(dtype)]
        results = [attempt(grad, torch, op, sample) for sample in samples]
    assert op.diff == any(not isinstance(result, Error) and any(result[0]) for result in results)


PLAIN = [op for op in OPS if op.call is None and "." not in op.name]


@pytest.mark.parametrize("op", PLAIN, ids=[op.name for op in PLAIN])
def test_methods_are_as_in_pytorch(op):
    """``where``, ``polygamma`` and the parts of complex numbers have methods with other arguments."""
    assert resolve(torch, op.name) is not None
    if op.name not in ("where", "real", "imag", "polygamma"):
        assert op.method == hasattr(torch.Tensor, op.name)
        assert op.inplace == hasattr(torch.Tensor, op.name + "_")
