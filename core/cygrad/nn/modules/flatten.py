"""Layers that merge axes into one, or make several of one."""
from cygrad.nn.modules.module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Merges the axes from one to another into one.

    Parameters
    ----------
    start_dim, end_dim : int

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.Flatten()(cygrad.zeros(8, 3, 4, 4)).shape
    cygrad.Size([8, 48])
    """

    __constants__ = ["start_dim", "end_dim"]

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input):
        """(N, ...) -> (N, elements), if no axes were chosen."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        """The axes."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Makes several axes of one.

    Parameters
    ----------
    dim : int or str
    unflattened_size : tuple or list of int
        One may be -1.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.Unflatten(1, (3, 4))(cygrad.zeros(8, 12)).shape
    cygrad.Size([8, 3, 4])
    """

    __constants__ = ["dim", "unflattened_size"]

    def __init__(self, dim, unflattened_size):
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError("unflattened_size must be a tuple of ints, but found type "
                            f"{type(unflattened_size).__name__}")
        for place, length in enumerate(unflattened_size):
            if not isinstance(length, int):
                raise TypeError("unflattened_size must be tuple of ints, but found element of type "
                                f"{type(length).__name__} at pos {place}")
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input):
        """(..., n, ...) -> (..., *unflattened_size, ...)."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self):
        """The axis and what becomes of it."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
