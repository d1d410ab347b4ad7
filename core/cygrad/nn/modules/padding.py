"""Layers that put something around the last one, two or three axes of their input."""
from cygrad.nn import functional as F
from cygrad.nn.modules.module import Module
from cygrad.nn.modules.utils import _pair, _quadruple, _sextuple

__all__ = ["ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
           "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
           "ReplicationPad3d", "CircularPad1d", "CircularPad2d", "CircularPad3d"]


class _Pad(Module):
    """Pads by a mode of `nn.functional.pad`; `_sizes` makes a tuple of what `padding` may be.

    A `forward` reads only what an instance holds: programs call it with other objects.
    """

    __constants__ = ["padding"]

    def __init__(self, padding):
        super().__init__()
        self.padding = self._sizes(padding)

    def extra_repr(self):
        """How much is put where."""
        return f"{self.padding}"


class _ConstantPad(_Pad):
    __constants__ = ["padding", "value"]

    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        """(...) -> the same with longer axes."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        """How much is put where, and what."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Puts a number around the input.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after.
    value : float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.ConstantPad1d((1, 2), 9.)(cygrad.zeros(1, 2))
    tensor([[9., 0., 0., 9., 9.]])
    """

    _sizes = staticmethod(_pair)


class ConstantPad2d(_ConstantPad):
    """Puts a number around the input.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after: (left, right, top, bottom).
    value : float

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.ConstantPad2d(1, 9.)(cygrad.zeros(1, 1, 1))
    tensor([[[9., 9., 9.],
             [9., 0., 9.],
             [9., 9., 9.]]])
    """

    _sizes = staticmethod(_quadruple)


class ConstantPad3d(_ConstantPad):
    """Puts a number around the input.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after: (left, right, top, bottom, front, back).
    value : float
    """

    _sizes = staticmethod(_sextuple)


class _ZeroPad:
    """What the padding with 0 has beside that with a number."""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        """How much is put where."""
        return f"{self.padding}"


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Puts 0 around the input.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after.
    """


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Puts 0 around the input.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after: (left, right, top, bottom).

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.ZeroPad2d((1, 0, 1, 0))(cygrad.ones(1, 1, 2))
    tensor([[[0., 0., 0.],
             [0., 1., 1.]]])
    """


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Puts 0 around the input.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after: (left, right, top, bottom, front, back).
    """


class _ReflectionPad(_Pad):
    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with longer axes."""
        return F.pad(input, self.padding, "reflect")


class ReflectionPad1d(_ReflectionPad):
    """Puts the input's own other side of its border around it: mirrored, the border not repeated.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after; less than the input's size.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.ReflectionPad1d((2, 1))(cygrad.tensor([[1., 2., 3.]])).tolist()
    [[3.0, 2.0, 1.0, 2.0, 3.0, 2.0]]
    """

    _sizes = staticmethod(_pair)


class ReflectionPad2d(_ReflectionPad):
    """Puts the input's own other side of its border around it: mirrored, the border not repeated.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after: (left, right, top, bottom); less than the input's size.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.ReflectionPad2d((1, 0, 0, 0))(cygrad.arange(4.).view(1, 2, 2))
    tensor([[[1., 0., 1.],
             [3., 2., 3.]]])
    """

    _sizes = staticmethod(_quadruple)


class ReflectionPad3d(_ReflectionPad):
    """Puts the input's own other side of its border around it: mirrored, the border not repeated.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after: (left, right, top, bottom, front, back); less than the input's size.
    """

    _sizes = staticmethod(_sextuple)


class _ReplicationPad(_Pad):
    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with longer axes."""
        return F.pad(input, self.padding, "replicate")


class ReplicationPad1d(_ReplicationPad):
    """Repeats the border of the input around it.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.ReplicationPad1d((2, 1))(cygrad.tensor([[1., 2., 3.]])).tolist()
    [[1.0, 1.0, 1.0, 2.0, 3.0, 3.0]]
    """

    _sizes = staticmethod(_pair)


class ReplicationPad2d(_ReplicationPad):
    """Repeats the border of the input around it.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after: (left, right, top, bottom).
    """

    _sizes = staticmethod(_quadruple)


class ReplicationPad3d(_ReplicationPad):
    """Repeats the border of the input around it.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after: (left, right, top, bottom, front, back).
    """

    _sizes = staticmethod(_sextuple)


class _CircularPad(_Pad):
    def forward(self, input):
        """(N, C, ...) or (C, ...) -> the same with longer axes."""
        axes = int(type(self).__name__[-2])
        if not axes < input.dim() < axes + 3:
            raise ValueError(f"expected {axes + 1}D or {axes + 2}D input (got {input.dim()}D input)")
        return F.pad(input, self.padding, "circular")


class CircularPad1d(_CircularPad):
    """Puts the other end of the input around it.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after; at most the input's size.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.CircularPad1d((2, 1))(cygrad.tensor([[1., 2., 3.]])).tolist()
    [[2.0, 3.0, 1.0, 2.0, 3.0, 1.0]]
    """

    _sizes = staticmethod(_pair)


class CircularPad2d(_CircularPad):
    """Puts the other end of the input around it.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after: (left, right, top, bottom); at most the input's size.
    """

    _sizes = staticmethod(_quadruple)


class CircularPad3d(_CircularPad):
    """Puts the other end of the input around it.

    Parameters
    ----------
    padding : int or tuple of int
        How much before and after: (left, right, top, bottom, front, back); at most the input's size.
    """

    _sizes = staticmethod(_sextuple)
