"""Elements of channels moved to pixels and back, and channels of several groups mixed."""
from cygrad.dispatch.memory_formats import kept
from cygrad.dispatch.raw import clone_dense
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.operand_types import need_tensors


def whole_number(function, name, value):
    if type(value) is int:
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{function}(): argument '{name}' (position 2) must be int, not {type(value).__name__}")
    return int(value)


def copied(parts, shape, like):
    """A tensor of this shape with the elements of `parts`, in memory of its own, in the memory format of `like`."""
    return kept(clone_dense(parts).view(shape), like)


@primitive(name="pixel_shuffle")
def _pixel_shuffle(self, factor):
    *lead, channels, height, width = self.shape
    parts = self.reshape(*lead, channels // factor**2, factor, factor, height, width)
    k = len(lead)
    return copied(parts.permute(*range(k + 1), k + 3, k + 1, k + 4, k + 2),
                  (*lead, channels // factor**2, height * factor, width * factor), self)


@primitive(name="pixel_unshuffle")
def _pixel_unshuffle(self, factor):
    if self.numel() == 0:           # PyTorch leaves the sizes as they are
        return self.clone()
    *lead, channels, height, width = self.shape
    parts = self.reshape(*lead, channels, height // factor, factor, width // factor, factor)
    k = len(lead)
    return copied(parts.permute(*range(k + 1), k + 2, k + 4, k + 1, k + 3),
                  (*lead, channels * factor**2, height // factor, width // factor), self)


@primitive(name="channel_shuffle")
def _channel_shuffle(self, groups):
    images, channels, *inner = self.shape
    return copied(self.reshape(images, groups, channels // groups, *inner).transpose(1, 2), self.shape, self)


def check_images(function, input, name, factor):
    need_tensors(function, input=input)
    factor = whole_number(function, name, factor)
    if input.dim() < 3:
        raise RuntimeError(f"{function} expects input to have at least 3 dimensions, but got input with {input.dim()} "
                           "dimension(s)")
    if factor <= 0:
        raise RuntimeError(f"{function} expects a positive {name}, but got {factor}")
    return factor


@op(method=False)
def pixel_shuffle(input, upscale_factor):
    """Channels as pixels between the pixels (Shi et al., 2016).

    Parameters
    ----------
    input : Tensor
        (..., C * r**2, H, W).
    upscale_factor : int
        The r.

    Returns
    -------
    Tensor
        (..., C, H * r, W * r).

    Raises
    ------
    RuntimeError
        If there are less than three axes, or the channels are no multiple of r**2.

    Examples
    --------
    >>> cygrad.pixel_shuffle(cygrad.arange(4.).view(4, 1, 1), 2)
    tensor([[[0., 1.],
             [2., 3.]]])
    """
    factor = check_images("pixel_shuffle", input, "upscale_factor", upscale_factor)
    if input.size(-3) % factor**2:
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                           f"upscale_factor, but input.size(-3)={input.size(-3)} is not divisible by {factor**2}")
    return _pixel_shuffle(input, factor)


@op(method=False)
def pixel_unshuffle(input, downscale_factor):
    """The inverse of `pixel_shuffle`: squares of pixels as channels.

    Parameters
    ----------
    input : Tensor
        (..., C, H * r, W * r).
    downscale_factor : int
        The r.

    Returns
    -------
    Tensor
        (..., C * r**2, H, W).

    Raises
    ------
    RuntimeError
        If there are less than three axes, or height or width are no multiples of r.

    Examples
    --------
    >>> cygrad.pixel_unshuffle(cygrad.arange(4.).view(1, 2, 2), 2).flatten()
    tensor([0., 1., 2., 3.])
    """
    factor = check_images("pixel_unshuffle", input, "downscale_factor", downscale_factor)
    for axis, word in ((-2, "height"), (-1, "width")):
        if input.size(axis) % factor:
            raise RuntimeError(f"pixel_unshuffle expects {word} to be divisible by downscale_factor, but "
                               f"input.size({axis})={input.size(axis)} is not divisible by {factor}")
    return _pixel_unshuffle(input, factor)


@op(method=False)
def channel_shuffle(input, groups):
    """Channels in another order: the first of each group, the second of each, and so on (Zhang et al., 2018).

    Parameters
    ----------
    input : Tensor
        (N, C, ...), with an axis more at least.
    groups : int
        How many groups of C / groups channels there are.

    Returns
    -------
    Tensor
        As the input.

    Raises
    ------
    RuntimeError
        If there are less than three axes, or the channels are no multiple of `groups`.

    Examples
    --------
    >>> cygrad.channel_shuffle(cygrad.arange(6.).view(1, 6, 1), 2).flatten()
    tensor([0., 3., 1., 4., 2., 5.])
    """
    need_tensors("channel_shuffle", input=input)
    groups = whole_number("channel_shuffle", "groups", groups)
    if input.dim() < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if input.size(1) % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {input.size(1)} channels and {groups} "
                           "groups.")
    return _channel_shuffle(input, groups)
