"""Convolutions that take the number of input channels from their first input."""
from cygrad.nn.modules.conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from cygrad.nn.modules.lazy import LazyModuleMixin
from cygrad.nn.parameter import UninitializedParameter

__all__ = ["LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d",
           "LazyConvTranspose3d"]


class _LazyConvXdMixin(LazyModuleMixin):
    """What a lazy convolution has beside one that is not."""

    def _leave_open(self, out_channels, bias, device, dtype):
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self):
        """Draw weight and bias anew, if they are there."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input, *args, **kwargs):
        """Take the number of channels from the first input."""
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        self.weight.materialize(self._weight_shape())
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def _get_in_channels(self, input):
        alone = self._axes + 1
        if input.dim() not in (alone, alone + 1):
            raise RuntimeError(f"Expected {alone}D (unbatched) or {alone + 1}D (batched) input to "
                               f"{type(self).__name__}, but got input of size: {input.shape}")
        return input.shape[-alone]


class _LazyConv(_LazyConvXdMixin):
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._leave_open(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """A `Conv1d` that takes `in_channels` from its first input.

    Parameters
    ----------
    out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        As for `Conv1d`.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.LazyConv1d(4, 3)
    >>> layer(cygrad.ones(1, 2, 9)).shape, layer.in_channels
    (cygrad.Size([1, 4, 7]), 2)
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """A `Conv2d` that takes `in_channels` from its first input.

    Parameters
    ----------
    out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        As for `Conv2d`.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.LazyConv2d(8, 3)
    >>> _ = layer(cygrad.zeros(1, 5, 6, 6))
    >>> layer
    Conv2d(5, 8, kernel_size=(3, 3), stride=(1, 1))
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """A `Conv3d` that takes `in_channels` from its first input.

    Parameters
    ----------
    out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        As for `Conv3d`.
    """

    cls_to_become = Conv3d


class _LazyConvTranspose(_LazyConvXdMixin):
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
                 dilation=1, padding_mode="zeros", device=None, dtype=None):
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode,
                         device, dtype)
        self._leave_open(out_channels, bias, device, dtype)


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """A `ConvTranspose1d` that takes `in_channels` from its first input.

    Parameters
    ----------
    out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode, device, dtype
        As for `ConvTranspose1d`.
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """A `ConvTranspose2d` that takes `in_channels` from its first input.

    Parameters
    ----------
    out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode, device, dtype
        As for `ConvTranspose2d`.
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """A `ConvTranspose3d` that takes `in_channels` from its first input.

    Parameters
    ----------
    out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode, device, dtype
        As for `ConvTranspose3d`.
    """

    cls_to_become = ConvTranspose3d
