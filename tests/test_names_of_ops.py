"""If one of these fails, an op treats named tensors in a way of its own: every op of the table is called with them.

The result is the one on tensors without names, and so are the gradients; a name stays with its axis. Axes are named
from the right ("a" is the last, "b" the one before), as broadcasting lines them up.
"""

import cygrad
import cygrad.linalg
import cygrad.nn.functional
import numpy as np
import pytest
from cygrad.named_tensors.rules import RULES
from cygrad.ops.declare import op_forms
from cygrad.ops.declare.public_op import PublicOp
from op_db import OPS, tensors_of
from op_db.table import T

pytestmark = pytest.mark.filterwarnings("ignore")  # samples include what PyTorch warns of
LETTERS = "abcdefgh"
UNSUPPORTED = "is not yet supported with named tensors. Please drop names via `tensor = tensor.rename(None)`"
# Ops without a rule, as docs/named_tensors.md lists them; `unflatten` asks for names of the new axes.
WITHOUT_RULE = set("""
    Tensor.reshape Tensor.reshape_as Tensor.view Tensor.view_as as_strided cholesky cholesky_inverse cholesky_solve
    as_strided_copy as_strided_scatter diagonal_copy expand_copy permute_copy select_copy squeeze_copy t_copy
    transpose_copy unbind_copy unfold_copy unsqueeze_copy view_as_real_copy view_copy geqrf ormqr svd_lowrank
    pca_lowrank lobpcg linalg.householder_product linalg.ldl_factor linalg.ldl_factor_ex linalg.ldl_solve
    nn.functional.linear_cross_entropy
    istft stft linalg.cholesky
    linalg.eig linalg.eigh linalg.eigh.upper linalg.lstsq linalg.lu linalg.lu_factor linalg.qr.complete
    linalg.qr.r linalg.qr.reduced linalg.svd.full linalg.svd.reduced qr reshape svd unflatten""".split())
# Rows that make A + A.mT of their argument, reshape the result, or ask for the diagonal of two axes (einsum "ii").
UNFITTING = set("""
    einsum linalg.cholesky.symmetric linalg.cholesky_inverse.symmetric linalg.cholesky_solve.symmetric
    linalg.eigh.symmetric linalg.eigvals linalg.eigvalsh.symmetric linalg.ldl_solve lobpcg""".split())
# Why a call with the names of this test may be refused.
REFUSALS = ("duplicate names", "Misaligned dims", "do not match", "Cannot resize named tensor")


def names_for(rank):
    return tuple(reversed(LETTERS[:rank]))


def arguments(sample, named, requires_grad, changed=lambda t: t):
    """(args, kwargs, leaves) of a sample; `named` tells how many of its tensors have names."""
    leaves = sample.leaves(cygrad, requires_grad=requires_grad)
    chosen = sample.tensors[:named]
    for recipe in chosen:
        if recipe.layout == "contiguous" and leaves[recipe].dim():
            leaves[recipe].names = names_for(leaves[recipe].dim())
    views = {}

    def real(value):
        if isinstance(value, T):
            if value not in views:
                view = value.view(leaves[value])
                if value in chosen and view.dim() and not view.has_names():
                    view = view.rename(*names_for(view.dim()))
                views[value] = changed(view)
            return views[value]
        if isinstance(value, (tuple, list)):
            return type(value)(real(item) for item in value)
        if isinstance(value, dict):
            return {key: real(item) for key, item in value.items()}
        return value.make(cygrad) if hasattr(value, "make") else getattr(cygrad, value.name) if hasattr(value, "name") \
            and type(value).__name__ == "Attr" else value

    return real(sample.args), real(sample.kwargs), leaves


def outcome(op, sample, named, requires_grad):
    """(tensors of the result, leaves, the error)."""
    cygrad.manual_seed(0)
    args, kwargs, leaves = arguments(sample, named, requires_grad)
    try:
        return tensors_of(cygrad, op.function(cygrad)(*args, **kwargs)), leaves, None
    except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError) as error:
        return None, leaves, error


def bits(t):
    return np.array(t.detach().rename(None).tolist()), t.dtype, tuple(t.shape), t.stride()


def same(t, plain):
    found, expected = bits(t), bits(plain)
    return found[1:] == expected[1:] and np.array_equal(found[0], expected[0], equal_nan=found[0].dtype.kind in "fc")


def close(t, other):
    return np.allclose(bits(t)[0], bits(other)[0], rtol=1e-6, equal_nan=True)


def dtype_for(op):
    return next(d for d in ("float64", "float32", "complex128", "int64", "bool", *op.dtypes) if d in op.dtypes)


def is_refused(error, words):
    return isinstance(error, RuntimeError) and any(each in str(error) for each in words)


def backward(op, results):
    """Gradients of all results that have one; False where the op has no derivative."""
    wanted = [t for t in results if t.requires_grad]
    try:
        cygrad.autograd.backward(wanted, [cygrad.ones_like(t) for t in wanted])
    except (RuntimeError, NotImplementedError):
        return False
    return bool(wanted)


@pytest.mark.parametrize("op", OPS, ids=[op.name for op in OPS])
def test_named_equals_plain(op):
    """Values, dtypes, shapes and strides, nodes and gradients; or the documented refusal."""
    for sample in op.samples(dtype_for(op)):
        plain, leaves, error = outcome(op, sample, 0, op.diff)
        results, named_leaves, refusal = outcome(op, sample, len(sample.tensors), op.diff)
        if error is not None:
            assert refusal is not None, sample
            continue
        if is_refused(refusal, REFUSALS):           # these names don't fit each other; those of one tensor do
            results, named_leaves, refusal = outcome(op, sample, 1, op.diff)
        if is_refused(refusal, (UNSUPPORTED, "no names were given")):
            assert op.name in WITHOUT_RULE or op.name in UNFITTING, sample
            continue
        if op.name in UNFITTING and is_refused(refusal, REFUSALS):
            continue
        assert refusal is None, (sample, refusal)
        assert len(results) == len(plain)
        for t, p in zip(results, plain):
            assert same(t, p), (sample, t, p)
            assert len(t.names) == t.dim()
            assert t.requires_grad == p.requires_grad
            if p.grad_fn is not None and t.grad_fn.name() != "AliasBackward0":      # of `rename`, here
                assert t.grad_fn.name() == p.grad_fn.name(), sample
        if backward(op, plain):
            assert backward(op, results)
            for leaf, plain_leaf in zip(named_leaves.values(), leaves.values()):
                assert (leaf.grad is None) == (plain_leaf.grad is None), sample
                if leaf.grad is not None:
                    assert same(leaf.grad, plain_leaf.grad) and leaf.grad.names == leaf.names, sample


# ------------------------------------------------------------- which name belongs to which axis

def turned(t, name):
    """`t` with the axis of this name, if it has one, in reverse order."""
    return t.rename(None).flip(t.names.index(name)).rename(*t.names) if name in t.names else t


def called(op, sample, name=None):
    """The tensors of the op's result on named tensors, turned round along `name`; None if they are refused."""
    cygrad.manual_seed(0)
    args, kwargs, _ = arguments(sample, len(sample.tensors), False, lambda t: turned(t, name))
    try:
        return tensors_of(cygrad, op.function(cygrad)(*args, **kwargs))
    except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError):
        return None


def misplaced(op):
    """(sample, name) where a name of the result is not the axis that turns round with the axes of this name."""
    for sample in op.samples(dtype_for(op)):
        results = called(op, sample)
        for name in sorted({name for t in results or () for name in t.names if name}):
            others = called(op, sample, name)
            if others is None or not all(close(turned(t, name), u) for t, u in zip(results, others) if name in t.names):
                yield sample, name


# Rows for which a name may be right and this fail: random numbers, ops to which the order along an axis matters or
# that put elements at places, matrices (rows and columns are not alike), and products, whose operands have the same
# names here (tests/test_named_axes.py has their rules).
ORDERED = set("""
    bernoulli multinomial normal poisson rand_like randint_like randn_like Tensor.bernoulli_ Tensor.cauchy_
    Tensor.exponential_ Tensor.geometric_ Tensor.log_normal_ Tensor.normal_ Tensor.random_ Tensor.uniform_
    argmax argmin argsort bucketize cat chunk column_stack concat concatenate cross cummax cummin cumprod cumsum diff
    hstack kthvalue linalg.cross logcumsumexp max max.ties median min min.ties mode msort nanmedian narrow
    nn.functional.glu quantile roll searchsorted sort split tensor_split Tensor.unfold Tensor.view.dtype topk vstack
    x[key] x[key]=y
    diagonal_scatter gather index_add index_copy index_fill index_put index_select masked_scatter put scatter
    scatter.reduce scatter_add scatter_reduce select_scatter slice_scatter take take_along_dim Tensor.fill_diagonal_
    linalg.matrix_exp linalg.matrix_power linalg.solve matrix_power tril triu
    constant_pad_nd conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution
    nn.functional.dropout nn.functional.pad nn.functional.scaled_dot_product_attention feature_dropout
    nn.functional.alpha_dropout nn.functional.dropout1d nn.functional.dropout2d nn.functional.dropout3d
    nn.functional.feature_alpha_dropout nn.functional.gumbel_softmax nn.functional.rrelu cdist nn.functional.bilinear
    nn.functional.pad.reflect nn.functional.pad.replicate nn.functional.pad.circular
    channel_shuffle pixel_shuffle pixel_unshuffle nn.functional.unfold nn.functional.fold
    nn.functional.interpolate.nearest1 nn.functional.interpolate.nearest2 nn.functional.interpolate.nearest3
    nn.functional.interpolate.nearest-exact1 nn.functional.interpolate.nearest-exact2
    nn.functional.interpolate.nearest-exact3 nn.functional.interpolate.linear1 nn.functional.interpolate.bilinear2
    nn.functional.interpolate.trilinear3 nn.functional.interpolate.bicubic2 nn.functional.interpolate.area1
    nn.functional.interpolate.area2 nn.functional.interpolate.area3 nn.functional.grid_sample.images
    nn.functional.grid_sample.volumes nn.functional.affine_grid
    native_batch_norm native_group_norm nn.functional.batch_norm nn.functional.group_norm nn.functional.instance_norm
    max_pool1d_with_indices nn.functional.avg_pool1d nn.functional.avg_pool2d nn.functional.avg_pool3d
    nn.functional.fractional_max_pool2d nn.functional.fractional_max_pool3d nn.functional.lp_pool1d
    nn.functional.lp_pool2d nn.functional.lp_pool3d nn.functional.max_pool1d nn.functional.max_pool2d
    nn.functional.max_pool2d_with_indices nn.functional.max_pool3d nn.functional.max_pool3d_with_indices
    nn.functional.adaptive_max_pool1d nn.functional.adaptive_max_pool2d nn.functional.adaptive_max_pool3d
    nn.functional.max_unpool1d nn.functional.max_unpool2d nn.functional.max_unpool3d nn.functional.local_response_norm
    nn.functional.prelu gradient unsafe_chunk unsafe_split unsafe_split_with_sizes slice_copy split_copy
    split_with_sizes_copy
    nn.functional.ctc_loss nn.functional.multi_margin_loss nn.functional.multilabel_margin_loss
    nn.functional.multi_head_attention_forward
    gru gru_cell lstm lstm_cell rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell
    addbmm addmm baddbmm bmm linalg.multi_dot matmul mm tensordot""".split()) | {
    "x @ y", "nn.functional.interpolate.bilinear2 smooth", "nn.functional.interpolate.bicubic2 smooth"}
ORDERED |= {op.name for op in OPS if op.name.startswith("fft.")}


def test_every_op_has_a_rule():
    """A rule in `cygrad.named_tensors.rules`, or a place in this list and in docs/named_tensors.md."""
    refused = set("""
        as_strided as_strided_copy as_strided_scatter diagonal_copy expand_copy permute_copy select_copy squeeze_copy
        t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy view_as_complex_copy view_as_real_copy view_copy
        geqrf linalg_householder_product linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve ormqr pca_lowrank
        lobpcg linear_cross_entropy svd_lowrank conv_tbc hash_tensor native_dropout norm_except_dim segment_reduce
        frobenius_norm nuclear_norm
        cholesky cholesky_inverse cholesky_solve istft linalg_cholesky linalg_cholesky_ex linalg_eig
        linalg_eigh
        linalg_inv_ex linalg_lstsq linalg_lu linalg_lu_factor linalg_lu_factor_ex linalg_lu_solve linalg_qr
        linalg_solve_ex linalg_svd linalg_tensorinv linalg_tensorsolve lu lu_solve lu_unpack qr set_ stft svd
        triangular_solve""".split())
    dir(cygrad)         # imports the ops that are imported when first used
    spaces = op_forms.functions, op_forms.methods, vars(cygrad.linalg), vars(cygrad.nn.functional)
    ops = {op.op for space in spaces for op in space.values() if isinstance(op, PublicOp)} - op_forms.NOT_ON_VALUES
    ops = {"linalg_householder_product" if name == "orgqr" else name for name in ops}     # one op, two names
    ruled = {name for name in ops if name in RULES or name.removesuffix("_") in RULES}
    assert ops - ruled - {"as_strided_"} == refused


CHECKED = [op for op in OPS if op.name not in ORDERED]


@pytest.mark.parametrize("op", CHECKED, ids=[op.name for op in CHECKED])
def test_name_stays_with_its_axis(op):
    """All axes of a name turned round, the result's axis of this name is turned round, and nothing else is changed."""
    assert list(misplaced(op)) == []


def test_division_by_the_names_of_python_2():
    x = cygrad.tensor([2., 3.])
    assert x.__div__(2).tolist() == [1., 1.5] and x.__rdiv__(6).tolist() == [3., 2.]
