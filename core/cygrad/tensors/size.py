"""`Size`: a tensor's shape, a tuple that prints and slices as PyTorch's. Its `__getitem__` is in view.pyx, in C."""
from math import prod
from operator import index


def _int(value, place):
    """An element of a size as an int."""
    try:
        return index(value)
    except (TypeError, RuntimeError):
        kind = type(value).__name__
        raise TypeError(f"cygrad.Size() takes an iterable of 'int' (item {place} is '{kind}')") from None


class Size(tuple):
    """Sizes of a tensor's axes: a tuple of ints that keeps its type when sliced, added or repeated.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(2, 3).shape
    cygrad.Size([2, 3])
    >>> cygrad.Size([2, 3]).numel()
    6
    """

    __slots__ = ()

    def __new__(cls, sizes=(), /):
        made = tuple.__new__(cls, sizes)
        for n in made:
            if type(n) is not int:
                return tuple.__new__(cls, [_int(each, place) for place, each in enumerate(made)])
        return made

    def numel(self):
        """Product of the sizes.

        Returns
        -------
        int
            1 for no axes.

        Examples
        --------
        >>> import cygrad
        >>> cygrad.zeros(2, 3).shape.numel()
        6
        """
        return prod(self)

    def __repr__(self):
        return f"cygrad.Size([{', '.join(map(str, self))}])"

    def __add__(self, other):
        return Size(tuple.__add__(self, other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other):
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, count):
        return Size(tuple.__mul__(self, count))

    __rmul__ = __mul__

    def __reduce__(self):
        return Size, (tuple(self),)


Size.__module__ = "cygrad"
