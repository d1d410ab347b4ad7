"""`Size`: a tensor's shape, a tuple that prints and slices as PyTorch's."""
from math import prod


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

    def __new__(cls, sizes=()):
        made = tuple.__new__(cls, sizes)
        for i, n in enumerate(made):
            if type(n) is not int and not hasattr(n, "__index__"):
                raise TypeError(f"cygrad.Size() takes an iterable of 'int' (item {i} is '{type(n).__name__}')")
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

    def __getitem__(self, index):
        item = tuple.__getitem__(self, index)
        return Size(item) if type(index) is slice else item

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
