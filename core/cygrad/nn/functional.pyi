# Written by docs/make_stubs.py from the package itself; edit that, not this.
import builtins
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from cygrad import Axis, DeviceLike, Dims, Generator, Number, Size, Tensor, return_types
from cygrad import device as _device, dtype as _dtype, layout as _layout, memory_format as _memory_format

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_complex: TypeAlias = builtins.complex
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Means of `output_size` windows that cover each row as evenly as they can."""
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Means of windows that cover each image as evenly as they can."""
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Means of windows that cover each volume as evenly as they can."""
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: Any = False) -> Tensor:
    """The largest numbers of `output_size` windows that cover each row as evenly as they can."""
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Any, return_indices: Any = False) -> Tensor:
    """The largest numbers of `output_size` windows that cover each row, and their places in the row."""
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: Any = False) -> Tensor:
    """The largest numbers of windows that cover each image as evenly as they can."""
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Any, return_indices: Any = False) -> Tensor:
    """`adaptive_max_pool2d`, and where in its plane each result is."""
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: Any = False) -> Tensor:
    """The largest numbers of windows that cover each volume as evenly as they can."""
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Any, return_indices: Any = False) -> Tensor:
    """`adaptive_max_pool3d`, and where in its volume each result is."""
def affine_grid(theta: Any, size: Sequence[_int] | _int, align_corners: Any = None) -> Tensor:
    """The grid for `grid_sample` by which an affine map moves images or volumes."""
def alpha_dropout(input: Tensor, p: Any = 0.5, training: Any = False, inplace: Any = False) -> Tensor:
    """Elements set to what SELU gives far below 0, with probability `p`; mean 0 and variance 1 stay so."""
def avg_pool1d(input: Tensor, kernel_size: Any, stride: Sequence[_int] | _int = (), padding: Any = 0, ceil_mode: Any =
        False, count_include_pad: Any = True) -> Tensor:
    """The mean of a window that moves over rows."""
def avg_pool2d(input: Tensor, kernel_size: Any, stride: Sequence[_int] | _int | None = None, padding: Any = 0,
        ceil_mode: Any = False, count_include_pad: Any = True, divisor_override: Any = None, *, out: Any =
        None) -> Tensor:
    """The mean of a window that moves over images."""
def avg_pool3d(input: Tensor, kernel_size: Any, stride: Sequence[_int] | _int | None = None, padding: Any = 0,
        ceil_mode: Any = False, count_include_pad: Any = True, divisor_override: Any = None, *, out: Any =
        None) -> Tensor:
    """The mean of a window that moves over volumes."""
def batch_norm(input: Tensor, running_mean: Any, running_var: Any, weight: Tensor | None = None, bias: Tensor | None =
        None, training: Any = False, momentum: Any = 0.1, eps: _float = 1e-05) -> Tensor:
    """(x - mean) / sqrt(variance + eps) * weight + bias, with a mean and a variance for each channel."""
def bilinear(input1: Any, input2: Any, weight: Tensor | None, bias: Tensor | None = None) -> Tensor:
    """input1 @ weight[k] @ input2 for each k, plus bias."""
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce:
        str | None = None, reduction: Any = 'mean') -> Tensor:
    """-(target * log(input) + (1 - target) * log(1 - input)): the cross-entropy of two classes."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any =
        None, reduce: str | None = None, reduction: Any = 'mean', pos_weight: Any = None) -> Tensor:
    """`binary_cross_entropy` of the sigmoid of the input, computed without its overflow."""
def celu(input: Tensor, alpha: Number = 1.0, inplace: Any = False) -> Tensor:
    """x where x > 0, else alpha * (exp(x / alpha) - 1)."""
def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """In-place version of `celu`: writes the result into the tensor and returns it."""
def channel_shuffle(input: Tensor, groups: Any) -> Tensor:
    """Channels in another order: the first of each group, the second of each, and so on (Zhang et al., 2018)."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[_int] | _int = 1, padding: Any =
        0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    """Cross-correlation of signals with filters."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[_int] | _int = 1, padding: Any =
        0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    """Cross-correlation of images with filters."""
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[_int] | _int = 1, padding: Any =
        0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    """Cross-correlation of volumes with filters."""
def conv_tbc(input: Tensor, weight: Tensor | None, bias: Tensor | None, pad: Any = 0) -> Tensor:
    """A convolution of sequences whose axes are time, batch and channels."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[_int] | _int = 1,
        padding: Any = 0, output_padding: Any = 0, groups: Any = 1, dilation: Any = 1) -> Tensor:
    """The transposed convolution of signals: the gradient of `conv1d` with respect to its input, as a function."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[_int] | _int = 1,
        padding: Any = 0, output_padding: Any = 0, groups: Any = 1, dilation: Any = 1) -> Tensor:
    """The transposed convolution of images: the gradient of `conv2d` with respect to its input, as a function."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[_int] | _int = 1,
        padding: Any = 0, output_padding: Any = 0, groups: Any = 1, dilation: Any = 1) -> Tensor:
    """The transposed convolution of volumes: the gradient of `conv3d` with respect to its input, as a function."""
def cosine_embedding_loss(input1: Any, input2: Any, target: Tensor, margin: Any = 0, size_average: Any = None, reduce:
        str | None = None, reduction: Any = 'mean') -> Tensor:
    """1 - cosine of the angle between two vectors where the target is 1, max(0, cosine - margin) where it is -1."""
def cosine_similarity(x1: Any, x2: Any, dim: Dims = 1, eps: _float = 1e-08) -> Tensor:
    """Cosine of the angle between vectors along an axis; norms below `eps` count as `eps`."""
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index:
        Any = -100, reduce: str | None = None, reduction: Any = 'mean', label_smoothing: Any = 0.0) -> Tensor:
    """`nll_loss` of the log-softmax over the classes."""
def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: Any = 0, reduction: Any =
        'mean', zero_infinity: Any = False) -> Tensor:
    """The negative logarithm of the probability that sequences of labels are read from steps of class probabilities."""
def dropout(input: Tensor, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Tensor:
    """Elements set to 0 with probability `p`, the others divided by 1 - p."""
def dropout1d(input: Tensor, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Tensor:
    """Rows set to 0 with probability `p`, the others divided by 1 - p."""
def dropout2d(input: Tensor, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Tensor:
    """Images set to 0 with probability `p`, the others divided by 1 - p."""
def dropout3d(input: Tensor, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Tensor:
    """Volumes set to 0 with probability `p`, the others divided by 1 - p."""
def elu(input: Tensor, alpha: Number = 1.0, inplace: Any = False) -> Tensor:
    """x where x > 0, else alpha * (exp(x) - 1)."""
def elu_(input: Tensor, alpha: Number = 1.0, scale: Any = 1, input_scale: Any = 1) -> Tensor:
    """`elu`, in place."""
def embedding(input: Tensor, weight: Tensor | None, padding_idx: Any = None, max_norm: Any = None, norm_type: Any = 2.0,
        scale_grad_by_freq: Any = False, sparse: Any = False) -> Tensor:
    """Rows of the table `weight`, one for each index."""
def embedding_bag(input: Tensor, weight: Tensor | None, offsets: Any = None, max_norm: Any = None, norm_type: Any = 2,
        scale_grad_by_freq: Any = False, mode: Any = 'mean', sparse: Any = False, per_sample_weights: Any = None,
        include_last_offset: Any = False, padding_idx: Any = None) -> Tensor:
    """The sum, mean or maximum of the rows of a table that each bag of indices names."""
def feature_alpha_dropout(input: Tensor, p: Any = 0.5, training: Any = False, inplace: Any = False) -> Tensor:
    """`alpha_dropout` of whole channels."""
def fold(input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Sequence[_int]
        | _int = 1) -> Tensor:
    """Columns of windows added up to images: what the gradient of `unfold` computes."""
def fractional_max_pool2d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: Any = False) -> Tensor:
    """The largest numbers of windows whose distances are drawn at random (Graham, 2014)."""
def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any =
        None, return_indices: Any = False) -> Tensor:
    """`fractional_max_pool2d`, and where in its plane each result is."""
def fractional_max_pool3d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: Any = False) -> Tensor:
    """The largest numbers of windows whose distances are drawn at random; see `fractional_max_pool2d`."""
def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any =
        None, return_indices: Any = False) -> Tensor:
    """`fractional_max_pool3d`, and where in its volume each result is."""
def gaussian_nll_loss(input: Tensor, target: Tensor, var: Any, full: Any = False, eps: _float = 1e-06, reduction: Any =
        'mean') -> Tensor:
    """The negative log-likelihood of the target under normal distributions of mean `input` and variance `var`."""
def gelu(input: Tensor, approximate: Any = 'none', *, out: Any = None) -> Tensor:
    """x times the normal distribution's cumulative function at x."""
def glu(input: Tensor, dim: Dims = -1) -> Tensor:
    """The first half along an axis times the sigmoid of the second."""
def grid_sample(input: Tensor, grid: Any, mode: Any = 'bilinear', padding_mode: Any = 'zeros', align_corners: Any =
        None) -> Tensor:
    """Images or volumes looked at where a grid says."""
def group_norm(input: Tensor, num_groups: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float =
        1e-05) -> Tensor:
    """(x - mean) / sqrt(variance + eps) * weight + bias, with a mean and a variance for each group of channels."""
def gumbel_softmax(logits: Any, tau: Any = 1, hard: Any = False, eps: _float = 1e-10, dim: Dims = -1) -> Tensor:
    """A sample from a discrete distribution that has a gradient."""
def hardshrink(input: Tensor, lambd: _float = 0.5, *, out: Any = None) -> Tensor:
    """0 where abs(x) <= lambd, else x."""
def hardsigmoid(input: Tensor, inplace: Any = False) -> Tensor:
    """relu6(x + 3) / 6."""
def hardswish(input: Tensor, inplace: Any = False) -> Tensor:
    """x * relu6(x + 3) / 6."""
def hardtanh(input: Tensor, min_val: Number = -1.0, max_val: Number = 1.0, inplace: Any = False) -> Tensor:
    """x, but not below min_val and not above max_val."""
def hardtanh_(input: Tensor, min_val: Number = -1.0, max_val: Number = 1.0) -> Tensor:
    """`hardtanh`, in place."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: Any = 1.0, size_average: Any = None, reduce: str | None
        = None, reduction: Any = 'mean') -> Tensor:
    """The input, a distance, where the target is 1; max(0, margin - input) where it is -1."""
def huber_loss(input: Tensor, target: Tensor, reduction: Any = 'mean', delta: Any = 1.0, weight: Tensor | None =
        None) -> Tensor:
    """Squares of small differences, absolute values of large: d ** 2 / 2 or, past delta, delta (abs(d) - delta / 2)."""
def instance_norm(input: Tensor, running_mean: Any = None, running_var: Any = None, weight: Tensor | None = None, bias:
        Tensor | None = None, use_input_stats: Any = True, momentum: Any = 0.1, eps: _float = 1e-05) -> Tensor:
    """`batch_norm` of each instance by itself: a mean and a variance for each channel of each instance."""
def interpolate(input: Tensor, size: Sequence[_int] | _int | None = None, scale_factor: Any = None, mode: Any =
        'nearest', align_corners: Any = None, recompute_scale_factor: Any = None, antialias: Any = False) -> Tensor:
    """Signals, images or volumes resampled to another size."""
def kl_div(input: Tensor, target: Tensor, size_average: Any = None, reduce: str | None = None, reduction: Any = 'mean',
        log_target: Any = False) -> Tensor:
    """The Kullback-Leibler divergence's terms, target * (log(target) - input)."""
def l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: str | None = None, reduction: Any = 'mean',
        weight: Tensor | None = None) -> Tensor:
    """abs(input - target), and its mean or sum; arguments as in `mse_loss`."""
def layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps:
        _float = 1e-05) -> Tensor:
    """(x - mean) / sqrt(variance + eps) * weight + bias, over the last axes; see `cygrad.layer_norm`."""
def leaky_relu(input: Tensor, negative_slope: Number = 0.01, inplace: Any = False) -> Tensor:
    """x where x > 0, else negative_slope * x."""
def leaky_relu_(input: Tensor, negative_slope: Number = 0.01) -> Tensor:
    """`leaky_relu`, in place."""
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Any = None) -> Tensor:
    """input @ weight^T + bias."""
def linear_cross_entropy(input: Tensor, linear_weight: Any, target: Tensor, *, linear_bias: Any = None, weight: Tensor |
        None = None, reduction: Any = 'mean', ignore_index: Any = None, label_smoothing: Any = 0.0, options: Any =
        None) -> Tensor:
    """The cross entropy of ``linear(input, linear_weight, linear_bias)``."""
def local_response_norm(input: Tensor, size: Sequence[_int] | _int, alpha: Number = 0.0001, beta: Number = 0.75, k: _int
        = 1.0) -> Tensor:
    """x / (k + alpha * mean of squares over `size` neighbouring channels) ** beta."""
def log_softmax(input: Tensor, dim: Dims = None, dtype: _dtype | None = None) -> Tensor:
    """The logarithm of `softmax`, computed without its cancellation."""
def logsigmoid(input: Tensor, *, out: Any = None) -> Tensor:
    """log(sigmoid(x)), without its underflow."""
def lp_pool1d(input: Tensor, norm_type: Any, kernel_size: Any, stride: Sequence[_int] | _int | None = None, ceil_mode:
        Any = False) -> Tensor:
    """The p-norm of a window that moves over rows."""
def lp_pool2d(input: Tensor, norm_type: Any, kernel_size: Any, stride: Sequence[_int] | _int | None = None, ceil_mode:
        Any = False) -> Tensor:
    """The p-norm of a window that moves over images; arguments as in `lp_pool1d`, for two axes."""
def lp_pool3d(input: Tensor, norm_type: Any, kernel_size: Any, stride: Sequence[_int] | _int | None = None, ceil_mode:
        Any = False) -> Tensor:
    """The p-norm of a window that moves over volumes; arguments as in `lp_pool1d`, for three axes."""
def margin_ranking_loss(input1: Any, input2: Any, target: Tensor, margin: Any = 0, size_average: Any = None, reduce: str
        | None = None, reduction: Any = 'mean') -> Tensor:
    """max(0, margin - target * (input1 - input2)): which of two is to be the larger one."""
def max_pool1d(input: Tensor, kernel_size: Any, stride: Sequence[_int] | _int | None = None, padding: Any = 0, dilation:
        Any = 1, ceil_mode: Any = False, return_indices: Any = False) -> Tensor:
    """The largest number of a window that moves over rows."""
def max_pool1d_with_indices(input: Tensor, kernel_size: Any, stride: Sequence[_int] | _int = (), padding: Any = 0,
        dilation: Any = 1, ceil_mode: Any = False, return_indices: Any = False) -> Tensor:
    """`max_pool1d`, and where in its row each result is."""
def max_pool2d(input: Tensor, kernel_size: Any, stride: Sequence[_int] | _int | None = None, padding: Any = 0, dilation:
        Any = 1, ceil_mode: Any = False, return_indices: Any = False) -> Tensor:
    """The largest number of a window that moves over images."""
def max_pool2d_with_indices(input: Tensor, kernel_size: Any, stride: Sequence[_int] | _int | None = None, padding: Any =
        0, dilation: Any = 1, ceil_mode: Any = False, return_indices: Any = False) -> Tensor:
    """`max_pool2d`, and where in its plane each result is: row * width + column."""
def max_pool3d(input: Tensor, kernel_size: Any, stride: Sequence[_int] | _int | None = None, padding: Any = 0, dilation:
        Any = 1, ceil_mode: Any = False, return_indices: Any = False) -> Tensor:
    """The largest number of a window that moves over volumes."""
def max_pool3d_with_indices(input: Tensor, kernel_size: Any, stride: Sequence[_int] | _int | None = None, padding: Any =
        0, dilation: Any = 1, ceil_mode: Any = False, return_indices: Any = False) -> Tensor:
    """`max_pool3d`, and where in its volume each result is, counted row by row."""
def max_unpool1d(input: Tensor, indices: Any, kernel_size: Any, stride: Sequence[_int] | _int | None = None, padding:
        Any = 0, output_size: Any = None) -> Tensor:
    """What `max_pool1d` gave, put back to the places in `indices`; zeros elsewhere."""
def max_unpool2d(input: Tensor, indices: Any, kernel_size: Any, stride: Sequence[_int] | _int | None = None, padding:
        Any = 0, output_size: Any = None) -> Tensor:
    """What `max_pool2d` gave, put back to the places in `indices`; zeros elsewhere; arguments as in `max_unpool1d`."""
def max_unpool3d(input: Tensor, indices: Any, kernel_size: Any, stride: Sequence[_int] | _int | None = None, padding:
        Any = 0, output_size: Any = None) -> Tensor:
    """What `max_pool3d` gave, put back to the places in `indices`; zeros elsewhere; arguments as in `max_unpool1d`."""
def mish(input: Tensor, inplace: Any = False) -> Tensor:
    """x * tanh(softplus(x))."""
def mse_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: str | None = None, reduction: Any =
        'mean', weight: Tensor | None = None) -> Tensor:
    """(input - target) ** 2, and its mean or sum."""
def multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor | Number, embed_dim_to_check: Any, num_heads:
        Any, in_proj_weight: Any, in_proj_bias: Any, bias_k: Any, bias_v: Any, add_zero_attn: Any, dropout_p: Any,
        out_proj_weight: Any, out_proj_bias: Any, training: Any = True, key_padding_mask: Any = None, need_weights: Any
        = True, attn_mask: Tensor | None = None, use_separate_proj_weight: Any = False, q_proj_weight: Any = None,
        k_proj_weight: Any = None, v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None,
        average_attn_weights: Any = True, is_causal: Any = False) -> Tensor:
    """Attention of several heads, each on a projection of its own; see `nn.MultiheadAttention`."""
def multi_margin_loss(input: Tensor, target: Tensor, p: Any = 1, margin: Any = 1.0, weight: Tensor | None = None,
        size_average: Any = None, reduce: str | None = None, reduction: Any = 'mean') -> Tensor:
    """The sum over other classes i of max(0, margin - input[target] + input[i]) ** p, divided by the number of
    classes."""
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: str | None = None,
        reduction: Any = 'mean') -> Tensor:
    """The sum over labels j and classes i that are none of max(0, 1 - input[j] + input[i]), divided by their number."""
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None,
        reduce: str | None = None, reduction: Any = 'mean') -> Tensor:
    """`binary_cross_entropy_with_logits`, averaged over the last axis, of classes."""
def native_channel_shuffle(input: Tensor, groups: Any) -> Tensor:
    """Channels in another order; see `channel_shuffle`."""
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: Any =
        -100, reduce: str | None = None, reduction: Any = 'mean') -> Tensor:
    """The negative of the log-probability that each row of the input gives to its target class."""
def normalize(input: Tensor, p: Any = 2.0, dim: Dims = 1, eps: _float = 1e-12, out: Any = None) -> Tensor:
    """`input` divided by the p-norms of its vectors along an axis; norms below `eps` count as `eps`."""
def one_hot(tensor: Tensor, num_classes: Any = -1) -> Tensor:
    """Ones at the given indices of a new last axis, zeros elsewhere."""
def pad(input: Tensor, pad: Any, mode: Any = 'constant', value: Tensor | Number | None = None) -> Tensor:
    """Something around `input`: a constant, or what is in it."""
def pairwise_distance(x1: Any, x2: Any, p: Any = 2.0, eps: _float = 1e-06, keepdim: _bool = False) -> Tensor:
    """The p-norm of ``x1 - x2 + eps`` over the last axis."""
def pdist(input: Tensor, p: Any = 2.0) -> Tensor:
    """The p-norm distances of every two rows."""
def pixel_shuffle(input: Tensor, upscale_factor: Any) -> Tensor:
    """Channels as pixels between the pixels (Shi et al., 2016)."""
def pixel_unshuffle(input: Tensor, downscale_factor: Any) -> Tensor:
    """The inverse of `pixel_shuffle`: squares of pixels as channels."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: Any = True, full: Any = False, size_average: Any = None,
        eps: _float = 1e-08, reduce: str | None = None, reduction: Any = 'mean') -> Tensor:
    """The negative log-likelihood of counts under Poisson distributions."""
def prelu(input: Tensor, weight: Tensor | None) -> Tensor:
    """`input` where it is positive, else `weight` times it; one weight, or one for each place of axis 1."""
def relu(input: Tensor, inplace: Any = False) -> Tensor:
    """Elementwise: max(x, 0) of each element."""
def relu6(input: Tensor, inplace: Any = False) -> Tensor:
    """`hardtanh` between 0 and 6."""
def relu_(input: Tensor) -> Tensor:
    """In-place version of `relu`: writes the result into the tensor and returns it."""
def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: _float | None = None) -> Tensor:
    """x / sqrt(mean(x ** 2) + eps) * weight, over the last axes."""
def rrelu(input: Tensor, lower: Any = 0.125, upper: _bool = 0.3333333333333333, training: Any = False, inplace: Any =
        False) -> Tensor:
    """x where x > 0, else x times a number uniform between `lower` and `upper`; their mean if not `training`."""
def rrelu_(input: Tensor, lower: Any = 0.125, upper: _bool = 0.3333333333333333, training: Any = False, generator:
        Generator | None = None) -> Tensor:
    """In-place version of `rrelu`: writes the result into the tensor and returns it."""
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p:
        Any = 0.0, is_causal: Any = False, scale: Any = None, enable_gqa: Any = False) -> Tensor:
    """softmax(scale * query @ key^T + mask) @ value."""
def selu(input: Tensor, inplace: Any = False) -> Tensor:
    """`elu` with the scale and alpha that keep mean 0 and variance 1 (Klambauer et al., 2017)."""
def selu_(input: Tensor) -> Tensor:
    """In-place version of `selu`: writes the result into the tensor and returns it."""
def sigmoid(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: 1 / (1 + exp(-x)) of each element."""
def silu(input: Tensor, inplace: Any = False) -> Tensor:
    """x * sigmoid(x)."""
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: str | None = None, reduction: Any =
        'mean', beta: Number = 1.0) -> Tensor:
    """Squares of small differences, absolute values of large: d ** 2 / (2 beta) if abs(d) < beta, abs(d) - beta / 2."""
def soft_margin_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: str | None = None, reduction: Any
        = 'mean') -> Tensor:
    """log(1 + exp(-target * input)) with targets of 1 and -1."""
def softmax(input: Tensor, dim: Dims = None, dtype: _dtype | None = None) -> Tensor:
    """exp(x) divided by its sum along an axis."""
def softmin(input: Tensor, dim: Dims = None, dtype: _dtype | None = None) -> Tensor:
    """`softmax` of -x."""
def softplus(input: Tensor, beta: Number = 1.0, threshold: Any = 20.0, *, out: Any = None) -> Tensor:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""
def softshrink(input: Tensor, lambd: _float = 0.5, *, out: Any = None) -> Tensor:
    """x moved towards 0 by lambd, not beyond it."""
def softsign(input: Tensor) -> Tensor:
    """x / (abs(x) + 1)."""
def tanh(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the hyperbolic tangent of each element."""
def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x)."""
def threshold(input: Tensor, threshold: Any, value: Tensor | Number, inplace: Any = False) -> Tensor:
    """x where x > threshold, else value."""
def threshold_(input: Tensor, threshold: Any, value: Tensor | Number) -> Tensor:
    """In-place version of `threshold`: writes the result into the tensor and returns it."""
def triplet_margin_loss(anchor: Any, positive: Any, negative: Any, margin: Any = 1.0, p: Any = 2, eps: _float = 1e-06,
        swap: Any = False, size_average: Any = None, reduce: str | None = None, reduction: Any = 'mean') -> Tensor:
    """max(0, margin + distance of anchor and positive - distance of anchor and negative)."""
def triplet_margin_with_distance_loss(anchor: Any, positive: Any, negative: Any, *, distance_function: Any = None,
        margin: Any = 1.0, swap: Any = False, reduction: Any = 'mean') -> Tensor:
    """`triplet_margin_loss` with any distance."""
def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Sequence[_int] | _int =
        1) -> Tensor:
    """What windows see that move over images: a column for each window."""
def upsample(input: Tensor, size: Sequence[_int] | _int | None = None, scale_factor: Any = None, mode: Any = 'nearest',
        align_corners: Any = None) -> Tensor:
    """`interpolate` by an older name."""
def upsample_bilinear(input: Tensor, size: Sequence[_int] | _int | None = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` in the mode "bilinear" with `align_corners`, by an older name."""
def upsample_nearest(input: Tensor, size: Sequence[_int] | _int | None = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` in the mode "nearest", by an older name."""
