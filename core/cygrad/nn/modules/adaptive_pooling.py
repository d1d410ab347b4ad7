"""Pooling layers that are told the output's size: windows that divide the input evenly, or at random."""
from cygrad.nn import functional as F
from cygrad.nn.modules.module import Module
from cygrad.nn.modules.utils import _pair, _triple

__all__ = ["AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d",
           "AdaptiveAvgPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d"]


class _AdaptivePool(Module):
    """Pools to a given size."""

    __constants__ = ["output_size"]

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def extra_repr(self):
        """The output's size."""
        return f"output_size={self.output_size}"


class _AdaptiveMaxPool(_AdaptivePool):
    __constants__ = ["output_size", "return_indices"]

    def __init__(self, output_size, return_indices=False):
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """The largest number of each of so many parts of a row.

    Parameters
    ----------
    output_size : int
        How many parts.
    return_indices : bool
        Return the int64 places of the results, too.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.AdaptiveMaxPool1d(2)(cygrad.tensor([[1., 3., 2., 0.]]))
    tensor([[3., 2.]])
    """

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with axes of the given size, and with `return_indices` the places."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The largest number of each of so many parts of an image.

    Parameters
    ----------
    output_size : int or pair of int
        How many parts along each axis; None for the input's size.
    return_indices : bool
        Return the int64 places of the results, too.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.AdaptiveMaxPool2d(1)(cygrad.arange(9.).view(1, 3, 3))
    tensor([[[8.]]])
    """

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with axes of the given size, and with `return_indices` the places."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """The largest number of each of so many parts of a volume.

    Parameters
    ----------
    output_size : int or triple of int
        How many parts along each axis; None for the input's size.
    return_indices : bool
        Return the int64 places of the results, too.
    """

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with axes of the given size, and with `return_indices` the places."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class AdaptiveAvgPool1d(_AdaptivePool):
    """The mean of each of so many parts of a row.

    Parameters
    ----------
    output_size : int
        How many parts.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.AdaptiveAvgPool1d(2)(cygrad.tensor([[1., 3., 2., 0.]]))
    tensor([[2., 1.]])
    """

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with axes of the given size."""
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptivePool):
    """The mean of each of so many parts of an image.

    Parameters
    ----------
    output_size : int or pair of int
        How many parts along each axis; None for the input's size.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.AdaptiveAvgPool2d((1, 1))
    >>> layer
    AdaptiveAvgPool2d(output_size=(1, 1))
    >>> layer(cygrad.zeros(2, 3, 8, 8)).shape
    cygrad.Size([2, 3, 1, 1])
    """

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with axes of the given size."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptivePool):
    """The mean of each of so many parts of a volume.

    Parameters
    ----------
    output_size : int or triple of int
        How many parts along each axis; None for the input's size.
    """

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with axes of the given size."""
        return F.adaptive_avg_pool3d(input, self.output_size)


class _FractionalMaxPool(Module):
    """The largest numbers of windows whose places are drawn at random."""

    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        super().__init__()
        self.kernel_size = self._sizes(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else self._sizes(output_size)
        self.output_ratio = None if output_ratio is None else self._sizes(output_ratio)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{type(self).__name__} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")


class FractionalMaxPool2d(_FractionalMaxPool):
    """The largest numbers of windows over images, whose distances are drawn at random (Graham, 2014).

    Parameters
    ----------
    kernel_size : int or pair of int
    output_size : int or pair of int, optional
    output_ratio : float or pair of float, optional
        The output's size as a part of the input's. Either this or `output_size` is given.
    return_indices : bool
        Return the int64 places of the results, too.

    Raises
    ------
    ValueError
        If neither or both of `output_size` and `output_ratio` are given, or a ratio is not between 0 and 1.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.FractionalMaxPool2d(2, output_ratio=0.5)(cygrad.zeros(1, 3, 8, 8)).shape
    cygrad.Size([1, 3, 4, 4])
    """

    _sizes = staticmethod(_pair)

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with shorter axes, and with `return_indices` the places."""
        return F.fractional_max_pool2d(input, self.kernel_size, self.output_size, self.output_ratio,
                                       self.return_indices, _random_samples=self._random_samples)


class FractionalMaxPool3d(_FractionalMaxPool):
    """The largest numbers of windows over volumes, whose distances are drawn at random (Graham, 2014).

    Parameters
    ----------
    kernel_size, output_size, output_ratio, return_indices
        As for `FractionalMaxPool2d`; sizes are numbers, or triples of them.

    Raises
    ------
    ValueError
        As for `FractionalMaxPool2d`, and if a size of the window is not positive.
    """

    _sizes = staticmethod(_triple)

    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with shorter axes, and with `return_indices` the places."""
        return F.fractional_max_pool3d(input, self.kernel_size, self.output_size, self.output_ratio,
                                       self.return_indices, _random_samples=self._random_samples)

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        if any(size <= 0 for size in ([kernel_size] if isinstance(kernel_size, int) else kernel_size)):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        super().__init__(kernel_size, output_size, output_ratio, return_indices, _random_samples)
