"""In which dtype an op computes while autocast is on: PyTorch's lists, for host memory and for other devices.

LOWER: in autocast's dtype; WIDER: in float32; SUMMED: its result is float32, computed from 16 bits as they are;
PROMOTED: in the widest dtype of its operands. CARRIED: in the widest of the state's and autocast's, as PyTorch's cells,
which multiply in autocast's, add to the state. Ops in no list compute in what they get. Compositions stand for the
products that PyTorch's are made of.

Source of the lists: PyTorch's documentation, "Automatic Mixed Precision package", "Autocast Op Reference".
"""
from cygrad import int64

LOWER, WIDER, SUMMED, PROMOTED, CARRIED, BANNED = "lower", "wider", "summed", "promoted", "carried", "banned"


def _table(**lists):
    return {name: policy for policy, names in lists.items() for name in names.split()}


_PRODUCTS = ("matmul mm bmm addmm addbmm baddbmm linear einsum tensordot chain_matmul multi_dot linalg_multi_dot "
             "linalg_vecdot vecdot prelu scaled_dot_product_attention conv_tbc "
             "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d ")
_LOSSES = ("poisson_nll_loss cosine_embedding_loss nll_loss hinge_embedding_loss kl_div l1_loss smooth_l1_loss "
           "huber_loss mse_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss triplet_margin_loss "
           "multi_margin_loss binary_cross_entropy_with_logits cdist ")

HOST = _table(
    lower=_PRODUCTS + "lstm rnn_tanh rnn_relu rnn_tanh_cell rnn_relu_cell",
    wider=_LOSSES + (
        "binary_cross_entropy cross_entropy ctc_loss avg_pool3d max_pool3d max_pool3d_with_indices max_unpool2d "
        "max_unpool3d adaptive_avg_pool3d grid_sample polar prod quantile nanquantile stft trace view_as_complex "
        "cholesky cholesky_inverse cholesky_solve inverse lu_solve orgqr ormqr pinverse "
        "reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d replication_pad3d "
        "linalg_cholesky linalg_cholesky_ex linalg_cond linalg_det linalg_eig linalg_eigh linalg_eigvals "
        "linalg_eigvalsh linalg_householder_product linalg_inv linalg_inv_ex linalg_lstsq linalg_matrix_rank "
        "linalg_qr linalg_slogdet linalg_solve linalg_svd linalg_svdvals linalg_tensorinv linalg_tensorsolve "
        "linalg_matrix_power linalg_pinv linalg_lu_factor qr svd slogdet logdet "
        "fft_fft fft_ifft fft_fft2 fft_ifft2 fft_fftn fft_ifftn fft_rfft fft_irfft fft_rfft2 fft_irfft2 fft_rfftn "
        "fft_irfftn fft_hfft fft_ihfft"),
    promoted="stack cat index_copy",
    carried="gru gru_cell lstm_cell")

DEVICE = _table(
    lower=_PRODUCTS + "addmv addr mv lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell",
    wider=_LOSSES + (
        "acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow softplus layer_norm "
        "native_layer_norm group_norm rms_norm cosine_similarity dist pdist renorm logsumexp norm frobenius_norm "
        "nuclear_norm interpolate upsample"),
    summed="prod softmax log_softmax softmin cumprod cumsum sum linalg_vector_norm linalg_matrix_norm",
    promoted="addcdiv addcmul atan2 bilinear cross dot vdot grid_sample index_put tensordot scatter_add cat stack",
    banned="binary_cross_entropy")


def policy_of(name, device_type):
    """The policy for an op that is called by this name; None if it computes in what it gets."""
    return (HOST if device_type == "cpu" else DEVICE).get(name.removeprefix("nn.functional."))


def states_among(args, kwargs):
    """The states that a recurrent op is given: (input, hx, ...), or packed (data, batch_sizes, hx, ...)."""
    if "hx" in kwargs:
        return [kwargs["hx"]]
    return args[2:3] if len(args) > 1 and getattr(args[1], "dtype", None) == int64 else args[1:2]
