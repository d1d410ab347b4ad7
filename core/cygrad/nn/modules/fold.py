"""Layers that lay windows of images out as columns, and columns as images."""
from cygrad.nn import functional as F
from cygrad.nn.modules.module import Module

__all__ = ["Fold", "Unfold"]


class Unfold(Module):
    """What windows see that move over images: a column for each window.

    Parameters
    ----------
    kernel_size : int or pair of int
        How many places a window sees.
    dilation, padding, stride : int or pair of int
        Distance of two places that a window sees, zeros on both sides, and distance of two windows.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.Unfold((2, 3))(cygrad.zeros(2, 5, 3, 4)).shape
    cygrad.Size([2, 30, 4])
    """

    __constants__ = ["kernel_size", "dilation", "padding", "stride"]

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input):
        """(N, C, H, W) or (C, H, W) -> (N, C * places, windows) or (C * places, windows)."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        """The windows."""
        return (f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
                f"stride={self.stride}")


class Fold(Unfold):
    """Columns of windows added up to images.

    Parameters
    ----------
    output_size : int or pair of int
        Height and width of the images.
    kernel_size, dilation, padding, stride : int or pair of int
        As for `Unfold`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.Fold((4, 5), (2, 2))(cygrad.zeros(1, 3 * 2 * 2, 12)).shape
    cygrad.Size([1, 3, 4, 5])
    """

    __constants__ = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input):
        """(N, C * places, windows) or (C * places, windows) -> (N, C, H, W) or (C, H, W)."""
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        """The images and the windows."""
        return f"output_size={self.output_size}, {super().extra_repr()}"
