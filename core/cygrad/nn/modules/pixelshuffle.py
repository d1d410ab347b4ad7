"""Layers that move elements of channels to pixels and back, or mix the channels of several groups."""
from cygrad.nn import functional as F
from cygrad.nn.modules.module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle", "ChannelShuffle"]


class PixelShuffle(Module):
    """Channels as pixels between the pixels (Shi et al., 2016).

    Parameters
    ----------
    upscale_factor : int
        How many pixels there are afterwards, along each axis, for each before.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.PixelShuffle(3)(cygrad.zeros(1, 9, 4, 4)).shape
    cygrad.Size([1, 1, 12, 12])
    """

    __constants__ = ["upscale_factor"]

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input):
        """(..., C * r**2, H, W) -> (..., C, H * r, W * r)."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self):
        """The factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """The inverse of `PixelShuffle`: squares of pixels as channels.

    Parameters
    ----------
    downscale_factor : int
        How many pixels there were, along each axis, for each afterwards.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.PixelUnshuffle(2)(cygrad.zeros(1, 1, 4, 4)).shape
    cygrad.Size([1, 4, 2, 2])
    """

    __constants__ = ["downscale_factor"]

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input):
        """(..., C, H * r, W * r) -> (..., C * r**2, H, W)."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self):
        """The factor."""
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Channels in another order: the first of each group, the second of each, and so on (Zhang et al., 2018).

    Parameters
    ----------
    groups : int
        How many groups the channels are divided into.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.ChannelShuffle(2)(cygrad.arange(4.).view(1, 4, 1, 1)).flatten()
    tensor([0., 2., 1., 3.])
    """

    __constants__ = ["groups"]

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, input):
        """(N, C, ...) -> (N, C, ...)."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self):
        """How many groups."""
        return f"groups={self.groups}"
