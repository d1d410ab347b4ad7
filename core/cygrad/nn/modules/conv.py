"""Convolutions and transposed convolutions over one, two or three axes. Their lazy kinds are in `lazy_conv.py`."""
import math

import cygrad
from cygrad.nn import functional as F
from cygrad.nn import init
from cygrad.nn.modules.module import Module
from cygrad.nn.modules.utils import _pair, _single, _triple
from cygrad.nn.parameter import Parameter

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

_TUPLES = {1: _single, 2: _pair, 3: _triple}
_SPACE = {1: "L", 2: "H, W", 3: "D, H, W"}


class _ConvNd(Module):
    """What all convolutions have; sizes are tuples here, or for the padding a word."""

    __constants__ = ["stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels",
                     "out_channels", "kernel_size"]

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding,
                 groups, bias, padding_mode, device=None, dtype=None):
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            words = {"same", "valid"}
            if padding not in words:
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {words}")
            if padding == "same" and any(step != 1 for step in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        modes = {"zeros", "reflect", "replicate", "circular"}
        if padding_mode not in modes:
            raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._padding_of_pad()
        self.weight = Parameter(cygrad.empty(self._weight_shape(), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(cygrad.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _weight_shape(self):
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        return first, second // self.groups, *self.kernel_size

    def _padding_of_pad(self):
        """The padding as `nn.functional.pad` takes it: before and after, the last axis first."""
        if not isinstance(self.padding, str):
            return tuple(n for n in reversed(self.padding) for _ in range(2))
        found = [0, 0] * len(self.kernel_size)
        if self.padding == "same":
            for place, (step, length) in enumerate(zip(reversed(self.dilation), reversed(self.kernel_size))):
                total = step * (length - 1)
                found[2 * place:2 * place + 2] = total // 2, total - total // 2
        return found

    def reset_parameters(self):
        """Draw weight and bias anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def _wants(self):
        space = _SPACE[len(self.kernel_size)]
        return f"(N, {self.in_channels}, {space}) or ({self.in_channels}, {space})"

    def extra_repr(self):
        """Its sizes, and what is not as usual."""
        shown = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        for name, usual in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            value = getattr(self, name)
            if value != (usual,) * len(value):
                shown.append(f"{name}={value}")
        if self.groups != 1:
            shown.append(f"groups={self.groups}")
        if self.bias is None:
            shown.append("bias=False")
        if self.padding_mode != "zeros":
            shown.append(f"padding_mode={self.padding_mode}")
        return ", ".join(shown)

    def __setstate__(self, state):
        super().__setstate__(state)
        if not hasattr(self, "padding_mode"):
            self.padding_mode = "zeros"


class _Conv(_ConvNd):
    """A convolution over `_axes` axes."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        sizes = _TUPLES[self._axes]
        super().__init__(in_channels, out_channels, sizes(kernel_size), sizes(stride),
                         padding if isinstance(padding, str) else sizes(padding), sizes(dilation), False, sizes(0),
                         groups, bias, padding_mode, device=device, dtype=dtype)

    def _padded(self, input):
        """The input with something else than 0 around it."""
        return F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)


class Conv1d(_Conv):
    """A convolution (cross-correlation) over one axis.

    Parameters
    ----------
    in_channels, out_channels : int
    kernel_size : int or tuple of int
        How much of the input an output is computed from.
    stride : int or tuple of int
        Distance of the places that outputs are computed from.
    padding : int, tuple of int or str
        How much is put around the input; "same" for an output of the input's size, "valid" for none.
    dilation : int or tuple of int
        Distance of the elements that an output is computed from.
    groups : int
        Into how many groups the channels are divided, each of which goes from input to output by itself.
    bias : bool
        Whether there is a bias.
    padding_mode : str
        "zeros", "reflect", "replicate" or "circular".
    device : device, optional
    dtype : dtype, optional

    Attributes
    ----------
    weight : Parameter
        (out_channels, in_channels / groups, *kernel_size), uniform between -1/sqrt(n) and 1/sqrt(n) at first, where n
        is how many numbers an output is computed from.
    bias : Parameter or None
        (out_channels,), as the weight.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.Conv1d(3, 8, 5)(cygrad.zeros(2, 3, 20)).shape
    cygrad.Size([2, 8, 16])
    """

    _axes = 1

    def _conv_forward(self, input, weight, bias):
        if self.padding_mode != "zeros":
            return F.conv1d(self._padded(input), weight, bias, self.stride, _single(0), self.dilation, self.groups)
        return F.conv1d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input):
        """(N, in_channels, L) or (in_channels, L) -> (N, out_channels, L') or (out_channels, L')."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv2d(_Conv):
    """A convolution (cross-correlation) over two axes.

    Parameters
    ----------
    in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        As for `Conv1d`; sizes are numbers, or pairs of them.

    Attributes
    ----------
    weight, bias : Parameter
        As for `Conv1d`.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.Conv2d(3, 8, 3, padding=1)
    >>> layer
    Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))
    >>> layer(cygrad.zeros(2, 3, 8, 8)).shape
    cygrad.Size([2, 8, 8, 8])
    """

    _axes = 2

    def _conv_forward(self, input, weight, bias):
        if self.padding_mode != "zeros":
            return F.conv2d(self._padded(input), weight, bias, self.stride, _pair(0), self.dilation, self.groups)
        return F.conv2d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input):
        """(N, in_channels, H, W) or (in_channels, H, W) -> (N, out_channels, H', W') or (out_channels, H', W')."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv3d(_Conv):
    """A convolution (cross-correlation) over three axes.

    Parameters
    ----------
    in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        As for `Conv1d`; sizes are numbers, or triples of them.

    Attributes
    ----------
    weight, bias : Parameter
        As for `Conv1d`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.Conv3d(3, 8, 3, stride=(1, 2, 2), padding=1)(cygrad.zeros(2, 3, 4, 8, 8)).shape
    cygrad.Size([2, 8, 4, 4, 4])
    """

    _axes = 3

    def _conv_forward(self, input, weight, bias):
        if self.padding_mode != "zeros":
            return F.conv3d(self._padded(input), weight, bias, self.stride, _triple(0), self.dilation, self.groups)
        return F.conv3d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input):
        """(N, in_channels, D, H, W) or (in_channels, D, H, W) -> the same with out_channels and other sizes."""
        return self._conv_forward(input, self.weight, self.bias)


class _ConvTransposeNd(_ConvNd):
    """A transposed convolution over `_axes` axes."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
                 bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        sizes = _TUPLES[self._axes]
        super().__init__(in_channels, out_channels, sizes(kernel_size), sizes(stride), sizes(padding), sizes(dilation),
                         True, sizes(output_padding), groups, bias, padding_mode, device=device, dtype=dtype)

    def _output_padding(self, input, output_size):
        """How much to add to the least output for the size that is asked for."""
        if output_size is None:
            return self.output_padding
        axes = self._axes
        others = 2 if input.dim() == axes + 2 else 1
        if len(output_size) == others + axes:
            output_size = output_size[others:]
        if len(output_size) != axes:
            raise ValueError(f"ConvTranspose{axes}D: for {input.dim()}D input, output_size must have {axes} or "
                             f"{others + axes} elements (got {len(output_size)})")
        least = [(length - 1) * stride - 2 * padding + dilation * (kernel - 1) + 1
                 for length, stride, padding, dilation, kernel in zip(
                     input.size()[others:], self.stride, self.padding, self.dilation, self.kernel_size)]
        most = [length + stride - 1 for length, stride in zip(least, self.stride)]
        if not all(low <= length <= high for low, length, high in zip(least, output_size, most)):
            raise ValueError(f"requested an output size of {output_size}, but valid sizes range from {least} to {most} "
                             f"(for an input of {input.size()[2:]})")
        return [length - low for length, low in zip(output_size, least)]

    def forward(self, input, output_size=None):
        """(N, in_channels, ...) or (in_channels, ...) -> the same with out_channels and other sizes."""
        if self.padding_mode != "zeros":
            raise ValueError(f"Only `zeros` padding mode is supported for {type(self).__name__}")
        return getattr(F, self._function)(input, self.weight, self.bias, self.stride, self.padding,
                              self._output_padding(input, output_size), self.groups, self.dilation)


class ConvTranspose1d(_ConvTransposeNd):
    """A transposed convolution over one axis: what the gradient of a `Conv1d` with respect to its input computes.

    Parameters
    ----------
    in_channels, out_channels : int
    kernel_size : int or tuple of int
        To how much of the output an element of the input is added.
    stride : int or tuple of int
        Distance of the places that two neighbours of the input are added to.
    padding : int or tuple of int
        How much of the result is left away on both sides, less `dilation * (kernel_size - 1)` zeros around the input.
    output_padding : int or tuple of int
        How much longer the result is at its end.
    groups : int
        Into how many groups the channels are divided, each of which goes from input to output by itself.
    bias : bool
        Whether there is a bias.
    dilation : int or tuple of int
        Distance of the places that an element of the input is added to.
    padding_mode : str
        "zeros"; there is no other.
    device : device, optional
    dtype : dtype, optional

    Attributes
    ----------
    weight : Parameter
        (in_channels, out_channels / groups, *kernel_size), uniform between -1/sqrt(n) and 1/sqrt(n) at first, where n
        is how many numbers `weight[0]` has.
    bias : Parameter or None
        (out_channels,), as the weight.

    Raises
    ------
    ValueError
        If `padding_mode` is not "zeros", or the layer is called with an `output_size` that it can't make.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.ConvTranspose1d(3, 8, 4, stride=2)
    >>> layer(cygrad.zeros(2, 3, 5)).shape
    cygrad.Size([2, 8, 12])
    >>> layer(cygrad.zeros(2, 3, 5), output_size=[13]).shape
    cygrad.Size([2, 8, 13])
    """

    _axes, _function = 1, "conv_transpose1d"


class ConvTranspose2d(_ConvTransposeNd):
    """A transposed convolution over two axes: what the gradient of a `Conv2d` with respect to its input computes.

    Parameters
    ----------
    in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation
    padding_mode, device, dtype
        As for `ConvTranspose1d`; sizes are numbers, or pairs of them.

    Attributes
    ----------
    weight, bias : Parameter
        As for `ConvTranspose1d`.

    Raises
    ------
    ValueError
        As for `ConvTranspose1d`.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.ConvTranspose2d(3, 8, 4, stride=2, padding=1)
    >>> layer
    ConvTranspose2d(3, 8, kernel_size=(4, 4), stride=(2, 2), padding=(1, 1))
    >>> layer(cygrad.zeros(2, 3, 8, 8)).shape
    cygrad.Size([2, 8, 16, 16])
    """

    _axes, _function = 2, "conv_transpose2d"


class ConvTranspose3d(_ConvTransposeNd):
    """A transposed convolution over three axes: what the gradient of a `Conv3d` with respect to its input computes.

    Parameters
    ----------
    in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation
    padding_mode, device, dtype
        As for `ConvTranspose1d`; sizes are numbers, or triples of them.

    Attributes
    ----------
    weight, bias : Parameter
        As for `ConvTranspose1d`.

    Raises
    ------
    ValueError
        As for `ConvTranspose1d`.
    """

    _axes, _function = 3, "conv_transpose3d"


def __getattr__(name):
    """Lazy convolutions that PyTorch has in this module, imported when they are first used."""
    from cygrad.nn import modules      # start-up time
    if modules.PLACES.get(name) in ("cygrad.nn.modules.lazy_conv",):
        return getattr(modules, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
