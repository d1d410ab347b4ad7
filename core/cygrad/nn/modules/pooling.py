"""Layers that take the largest number, the mean or the norm of windows that move over one, two or three axes, and
those that put the largest numbers back. Windows that the output's size determines are in `adaptive_pooling.py`."""
from cygrad.nn import functional as F
from cygrad.nn.modules.adaptive_pooling import (AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d,
                                                AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d,
                                                FractionalMaxPool2d, FractionalMaxPool3d)
from cygrad.nn.modules.module import Module
from cygrad.nn.modules.utils import _pair, _single, _triple

__all__ = ["MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "AvgPool1d",
           "AvgPool2d", "AvgPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d", "LPPool1d", "LPPool2d", "LPPool3d",
           "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d",
           "AdaptiveAvgPool3d"]


# --------------------------------------------------------------------------------------- the largest

def _largest(layer, function, input):
    return function(input, layer.kernel_size, layer.stride, layer.padding, layer.dilation, layer.ceil_mode,
                    layer.return_indices)


class _MaxPool(Module):
    """The largest number of each window.

    Classes have a `forward` of their own that reads only what an instance holds: programs call it with other objects.
    """

    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self):
        """The windows."""
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
                f"dilation={self.dilation}, ceil_mode={self.ceil_mode}")


class MaxPool1d(_MaxPool):
    """The largest number of a window that moves over rows.

    Parameters
    ----------
    kernel_size : int or tuple of int
        How many places the window sees.
    stride : int or tuple of int, optional
        How far it moves each time; `kernel_size` when omitted.
    padding : int or tuple of int
        Places without a number before and after, at most half of `kernel_size`.
    dilation : int or tuple of int
        Distance of two places that the window sees.
    return_indices : bool
        Return the int64 places of the results, too; `MaxUnpool1d` takes them.
    ceil_mode : bool
        A last window may reach over the end.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.MaxPool1d(2)(cygrad.tensor([[1., 3., 2., 0.]]))
    tensor([[3., 2.]])
    """

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with shorter axes, with `return_indices` together with the places."""
        return _largest(self, F.max_pool1d, input)


class MaxPool2d(_MaxPool):
    """The largest number of a window that moves over images.

    Parameters
    ----------
    kernel_size, stride, padding, dilation, return_indices, ceil_mode
        As for `MaxPool1d`; sizes are numbers, or pairs of them.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.MaxPool2d(2)
    >>> layer
    MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)
    >>> layer(cygrad.zeros(1, 3, 8, 8)).shape
    cygrad.Size([1, 3, 4, 4])
    """

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with shorter axes, with `return_indices` together with the places."""
        return _largest(self, F.max_pool2d, input)


class MaxPool3d(_MaxPool):
    """The largest number of a window that moves over volumes.

    Parameters
    ----------
    kernel_size, stride, padding, dilation, return_indices, ceil_mode
        As for `MaxPool1d`; sizes are numbers, or triples of them.
    """

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with shorter axes, with `return_indices` together with the places."""
        return _largest(self, F.max_pool3d, input)


class _MaxUnpool(Module):
    """Puts the largest numbers back; `_sizes` makes a tuple of what a size may be."""

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size = self._sizes(kernel_size)
        self.stride = self._sizes(kernel_size if stride is None else stride)
        self.padding = self._sizes(padding)

    def extra_repr(self):
        """The windows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """What `MaxPool1d` gave, put back to where it was; zeros elsewhere.

    Parameters
    ----------
    kernel_size, stride, padding : int or tuple of int
        Those of the `MaxPool1d`.

    Examples
    --------
    >>> import cygrad
    >>> pool, unpool = cygrad.nn.MaxPool1d(2, return_indices=True), cygrad.nn.MaxUnpool1d(2)
    >>> unpool(*pool(cygrad.tensor([[1., 3., 4., 2.]])))
    tensor([[0., 3., 4., 0.]])
    """

    _sizes = staticmethod(_single)

    def forward(self, input, indices, output_size=None):
        """What a `MaxPool1d` returned with `return_indices` -> (N, C, ...) or (C, ...), as before it."""
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpool):
    """What `MaxPool2d` gave, put back to where it was; zeros elsewhere.

    Parameters
    ----------
    kernel_size, stride, padding : int or pair of int
        Those of the `MaxPool2d`.
    """

    _sizes = staticmethod(_pair)

    def forward(self, input, indices, output_size=None):
        """What a `MaxPool2d` returned with `return_indices` -> (N, C, ...) or (C, ...), as before it."""
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpool):
    """What `MaxPool3d` gave, put back to where it was; zeros elsewhere.

    Parameters
    ----------
    kernel_size, stride, padding : int or triple of int
        Those of the `MaxPool3d`.
    """

    _sizes = staticmethod(_triple)

    def forward(self, input, indices, output_size=None):
        """What a `MaxPool3d` returned with `return_indices` -> (N, C, ...) or (C, ...), as before it."""
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


# ------------------------------------------------------------------------------------------ the mean

class _AvgPool(Module):
    """The mean of each window."""

    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]

    def extra_repr(self):
        """The windows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """The mean of a window that moves over rows.

    Parameters
    ----------
    kernel_size : int or tuple of int
        How many places the window sees.
    stride : int or tuple of int, optional
        How far it moves each time; `kernel_size` when omitted.
    padding : int or tuple of int
        Zeros before and after, at most half of `kernel_size`.
    ceil_mode : bool
        A last window may reach over the end.
    count_include_pad : bool
        Whether the zeros count where a sum is divided by the number of places.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.AvgPool1d(2)(cygrad.tensor([[1., 3., 2., 0.]]))
    tensor([[2., 1.]])
    """

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(kernel_size if stride is None else stride)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input):
        """(N, C, L) or (C, L) -> (N, C, L') or (C, L')."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                            self.count_include_pad)


class _AvgPoolOverSeveral(_AvgPool):
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"]

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override


class AvgPool2d(_AvgPoolOverSeveral):
    """The mean of a window that moves over images.

    Parameters
    ----------
    kernel_size, stride, padding, ceil_mode, count_include_pad
        As for `AvgPool1d`; sizes are numbers, or pairs of them.
    divisor_override : int, optional
        Divide sums by this, not by how many places there are.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.AvgPool2d(3, stride=2, padding=1)
    AvgPool2d(kernel_size=3, stride=2, padding=1)
    """

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with shorter axes."""
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
                            self.divisor_override)


class AvgPool3d(_AvgPoolOverSeveral):
    """The mean of a window that moves over volumes.

    Parameters
    ----------
    kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        As for `AvgPool2d`; sizes are numbers, or triples of them.
    """

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with shorter axes."""
        return F.avg_pool3d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
                            self.divisor_override)

    def __setstate__(self, state):
        super().__setstate__(state)
        for name, usual in (("padding", 0), ("ceil_mode", False), ("count_include_pad", True)):
            self.__dict__.setdefault(name, usual)


# ------------------------------------------------------------------------------------------ the norm

class _LPPool(Module):
    """The p-norm of each window."""

    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self):
        """The norm and the windows."""
        return (f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
                f"ceil_mode={self.ceil_mode}")


class LPPool1d(_LPPool):
    """The p-norm of a window that moves over rows.

    Parameters
    ----------
    norm_type : float
        The p.
    kernel_size : int
        How many places the window sees.
    stride : int, optional
        How far it moves each time; `kernel_size` when omitted.
    ceil_mode : bool
        A last window may reach over the end.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.LPPool1d(2, 2)(cygrad.tensor([[3., 4., 0., 2.]]))
    tensor([[5., 2.]])
    """

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with shorter axes."""
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPool):
    """The p-norm of a window that moves over images.

    Parameters
    ----------
    norm_type, kernel_size, stride, ceil_mode
        As for `LPPool1d`; sizes are numbers, or pairs of them.
    """

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with shorter axes."""
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPool):
    """The p-norm of a window that moves over volumes.

    Parameters
    ----------
    norm_type, kernel_size, stride, ceil_mode
        As for `LPPool1d`; sizes are numbers, or triples of them.
    """

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with shorter axes."""
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)
