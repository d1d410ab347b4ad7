"""Layers that normalise each sample by itself: over its last axes, over groups of channels, over channels nearby."""
from numbers import Integral

import cygrad
from cygrad.nn import functional as F
from cygrad.nn import init
from cygrad.nn.modules.module import Module
from cygrad.nn.parameter import Parameter

__all__ = ["LayerNorm", "GroupNorm", "RMSNorm", "LocalResponseNorm"]


class _Affine(Module):
    """A norm with a weight and a bias for each element or channel; what it has not got is None."""

    def _make(self, shape, weight, bias, device, dtype):
        for name, wanted in (("weight", bool(weight)), ("bias", bias)):
            if wanted is not None:
                made = Parameter(cygrad.empty(shape, device=device, dtype=dtype)) if wanted else None
                self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self):
        """Set the weight to 1 and the bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self._parameters.get("bias") is not None:
            init.zeros_(self.bias)


def _shape_of(normalized_shape):
    return (normalized_shape,) if isinstance(normalized_shape, Integral) else tuple(normalized_shape)


class LayerNorm(_Affine):
    """(x - mean) / sqrt(variance + eps) * weight + bias, over the last axes.

    Parameters
    ----------
    normalized_shape : int or sequence of int
        Lengths of the last axes.
    eps : float
    elementwise_affine : bool
        Whether there are weight and bias.
    bias : bool
        Whether there is a bias.
    device : device, optional
    dtype : dtype, optional

    Attributes
    ----------
    weight, bias : Parameter or None
        (*normalized_shape), 1 and 0 at first.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.LayerNorm(4, elementwise_affine=False)(cygrad.tensor([[1.0, 1.0, 3.0, 3.0]]))
    tensor([[-1.0000, -1.0000,  1.0000,  1.0000]])
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = _shape_of(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._make(self.normalized_shape, elementwise_affine, bool(elementwise_affine and bias), device, dtype)

    def forward(self, input):
        """(..., *normalized_shape) -> the same."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def _wants(self):
        return f"(..., {', '.join(map(str, self.normalized_shape))})"

    def extra_repr(self):
        """The shape and options that `repr` shows."""
        return (f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
                f"bias={self.bias is not None}")


class GroupNorm(_Affine):
    """(x - mean) / sqrt(variance + eps) * weight + bias, over each group of channels of each sample.

    Parameters
    ----------
    num_groups, num_channels : int
    eps : float
    affine : bool
        Whether there are weight and bias.
    device : device, optional
    dtype : dtype, optional
    bias : bool
        Whether there is a bias.

    Attributes
    ----------
    weight, bias : Parameter or None
        (num_channels,), 1 and 0 at first.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.GroupNorm(2, 4)(cygrad.ones(1, 4, 5)).shape
    cygrad.Size([1, 4, 5])
    """

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None, *, bias=True):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._make(num_channels, affine, bool(affine and bias), device, dtype)

    def forward(self, input):
        """(N, num_channels, ...) -> the same."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def _wants(self):
        return f"(N, {self.num_channels}, ...)"

    def extra_repr(self):
        """The sizes and options that `repr` shows."""
        return (f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
                f"bias={self.bias is not None}")


class RMSNorm(_Affine):
    """x / sqrt(mean of squares + eps) * weight, over the last axes.

    Parameters
    ----------
    normalized_shape : int or sequence of int
        Lengths of the last axes.
    eps : float, optional
        By default the least difference that the dtype has at 1.
    elementwise_affine : bool
        Whether there is a weight.
    device : device, optional
    dtype : dtype, optional

    Attributes
    ----------
    weight : Parameter or None
        (*normalized_shape), 1 at first.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.RMSNorm(2, eps=0.)(cygrad.tensor([1., 7.])).tolist()
    [0.20000000298023224, 1.399999976158142]
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = _shape_of(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._make(self.normalized_shape, elementwise_affine, None, device, dtype)

    def forward(self, x):
        """(..., *normalized_shape) -> the same."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def _wants(self):
        return f"(..., {', '.join(map(str, self.normalized_shape))})"

    def extra_repr(self):
        """The shape and options that `repr` shows."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LocalResponseNorm(Module):
    """x / (k + alpha * mean of the squares of channels nearby) ** beta.

    Parameters
    ----------
    size : int
        How many channels are nearby.
    alpha, beta, k : float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.LocalResponseNorm(1, alpha=1.0, beta=1.0)(cygrad.tensor([[[1.0, 2.0]]]))
    tensor([[[0.5000, 0.4000]]])
    """

    __constants__ = ["size", "alpha", "beta", "k"]

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input):
        """(N, C, ...) -> the same."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        """The numbers."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(LocalResponseNorm):
    """`LocalResponseNorm` of images as older models have it.

    Parameters
    ----------
    size : int
        How many channels are nearby; an even number counts as the odd one below it.
    alpha, beta, k : float

    Notes
    -----
    As in PyTorch, the first channel is nearby to all others: its running sum never lets go of it.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.CrossMapLRN2d(1, alpha=1.0, beta=1.0)(cygrad.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[0.5000, 0.4000]]]])
    """

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1):
        super().__init__(size, alpha, beta, k)

    def forward(self, input):
        """(N, C, H, W) -> the same."""
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        squares, channels, reach = input * input, input.shape[1], (self.size - 1) // 2
        padded = F.pad(squares, (0, 0, 0, 0, reach, reach))
        near = sum(padded[:, i:i + channels] for i in range(2 * reach + 1))
        far = F.pad(squares[:, :1].expand(-1, max(channels - reach - 1, 0), -1, -1),
                    (0, 0, 0, 0, min(reach + 1, channels), 0))
        return input * (self.k + self.alpha / self.size * (near + far)).pow(-self.beta)
