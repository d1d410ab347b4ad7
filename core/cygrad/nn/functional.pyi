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
def celu(input: Tensor, *args: Any, inplace: Any = False, **kwargs: Any) -> Tensor:
    """x where x > 0, else alpha * (exp(x / alpha) - 1)."""
def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """In-place version of `celu`: writes the result into the tensor and returns it."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[_int] | _int = 1, padding: Any =
        0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    """Cross-correlation of signals with filters."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[_int] | _int = 1, padding: Any =
        0, dilation: Any = 1, groups: Any = 1) -> Tensor:
    """Cross-correlation of images with filters."""
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index:
        Any = -100, reduce: str | None = None, reduction: Any = 'mean', label_smoothing: Any = 0.0) -> Tensor:
    """`nll_loss` of the log-softmax over the classes."""
def dropout(input: Tensor, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Tensor:
    """Elements set to 0 with probability `p`, the others divided by 1 - p; the input itself if not `training`."""
def elu(input: Tensor, *args: Any, inplace: Any = False, **kwargs: Any) -> Tensor:
    """x where x > 0, else alpha * (exp(x) - 1)."""
def gelu(input: Tensor, approximate: Any = 'none') -> Tensor:
    """x times the normal distribution's cumulative function at x."""
def glu(input: Tensor, dim: Dims = -1) -> Tensor:
    """The first half along an axis times the sigmoid of the second."""
def hardshrink(input: Tensor, lambd: _float = 0.5, *, out: Any = None) -> Tensor:
    """0 where abs(x) <= lambd, else x."""
def hardsigmoid(input: Tensor, *args: Any, inplace: Any = False, **kwargs: Any) -> Tensor:
    """relu6(x + 3) / 6."""
def hardswish(input: Tensor, *args: Any, inplace: Any = False, **kwargs: Any) -> Tensor:
    """x * relu6(x + 3) / 6."""
def hardtanh(input: Tensor, *args: Any, inplace: Any = False, **kwargs: Any) -> Tensor:
    """x, but not below min_val and not above max_val."""
def l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: str | None = None, reduction: Any = 'mean',
        weight: Tensor | None = None) -> Tensor:
    """abs(input - target), and its mean or sum; arguments as in `mse_loss`."""
def layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps:
        _float = 1e-05) -> Tensor:
    """(x - mean) / sqrt(variance + eps) * weight + bias, over the last axes; see `cygrad.layer_norm`."""
def leaky_relu(input: Tensor, *args: Any, inplace: Any = False, **kwargs: Any) -> Tensor:
    """x where x > 0, else negative_slope * x."""
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight^T + bias."""
def log_softmax(input: Tensor, dim: Dims = None, dtype: _dtype | None = None) -> Tensor:
    """The logarithm of `softmax`, computed without its cancellation."""
def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(x)), without its underflow."""
def mish(input: Tensor, *args: Any, inplace: Any = False, **kwargs: Any) -> Tensor:
    """x * tanh(softplus(x))."""
def mse_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: str | None = None, reduction: Any =
        'mean', weight: Tensor | None = None) -> Tensor:
    """(input - target) ** 2, and its mean or sum."""
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: Any =
        -100, reduce: str | None = None, reduction: Any = 'mean') -> Tensor:
    """The negative of the log-probability that each row of the input gives to its target class."""
def one_hot(tensor: Tensor, num_classes: Any = -1) -> Tensor:
    """Ones at the given indices of a new last axis, zeros elsewhere."""
def pad(input: Tensor, pad: Any, mode: Any = 'constant', value: Tensor | Number | None = None) -> Tensor:
    """`input` with `value` (0 when omitted) around it; see `cygrad.constant_pad_nd`. No other mode is there."""
def relu(input: Tensor, *args: Any, inplace: Any = False, **kwargs: Any) -> Tensor:
    """Elementwise: max(x, 0) of each element."""
def relu6(input: Tensor, *args: Any, inplace: Any = False, **kwargs: Any) -> Tensor:
    """`hardtanh` between 0 and 6."""
def relu_(input: Tensor) -> Tensor:
    """In-place version of `relu`: writes the result into the tensor and returns it."""
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p:
        Any = 0.0, is_causal: Any = False, scale: Any = None, enable_gqa: Any = False) -> Tensor:
    """softmax(scale * query @ key^T + mask) @ value."""
def selu(input: Tensor, *args: Any, inplace: Any = False, **kwargs: Any) -> Tensor:
    """`elu` with the scale and alpha that keep mean 0 and variance 1 (Klambauer et al., 2017)."""
def selu_(input: Tensor) -> Tensor:
    """In-place version of `selu`: writes the result into the tensor and returns it."""
def sigmoid(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: 1 / (1 + exp(-x)) of each element."""
def silu(input: Tensor, *args: Any, inplace: Any = False, **kwargs: Any) -> Tensor:
    """x * sigmoid(x)."""
def softmax(input: Tensor, dim: Dims = None, dtype: _dtype | None = None) -> Tensor:
    """exp(x) divided by its sum along an axis."""
def softmin(input: Tensor, dim: Dims = None, dtype: _dtype | None = None) -> Tensor:
    """`softmax` of -x."""
def softplus(input: Tensor, beta: Number = 1.0, threshold: Any = 20.0) -> Tensor:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""
def softshrink(input: Tensor, lambd: _float = 0.5) -> Tensor:
    """x moved towards 0 by lambd, not beyond it."""
def softsign(input: Tensor) -> Tensor:
    """x / (abs(x) + 1)."""
def tanh(input: Tensor, *, out: Any = None) -> Tensor:
    """Elementwise: the hyperbolic tangent of each element."""
def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x)."""
def threshold(input: Tensor, *args: Any, inplace: Any = False, **kwargs: Any) -> Tensor:
    """x where x > threshold, else value."""
def threshold_(input: Tensor, threshold: Any, value: Tensor | Number) -> Tensor:
    """In-place version of `threshold`: writes the result into the tensor and returns it."""
