"""Axes in another order: `movedim`, `swapaxes`, `adjoint` and the attributes `mT`, `H`."""
from cygrad.errors import warn
from cygrad.ops.declare.op_forms import op
from cygrad.ops.shape.views import alias, wrap


@op(aliases=("moveaxis",))
def movedim(input, source, destination):
    """A view with some axes at other places, the rest in order.

    Parameters
    ----------
    source, destination : int or tuple of int
        Where each axis is, and where it comes; equally many, none twice.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    RuntimeError
        If their numbers differ, or an axis is named twice.

    Examples
    --------
    >>> cygrad.zeros(2, 3, 4).movedim(0, 2).shape
    cygrad.Size([3, 4, 2])
    """
    rank = input.dim()
    if type(source) is int and type(destination) is int and rank:
        order = list(range(rank))
        axis = order.pop(wrap(source, rank))
        order.insert(wrap(destination, rank), axis)
        return input.permute(order)
    if isinstance(source, int) and isinstance(destination, int):
        source, destination = (source,), (destination,)
    if len(source) != len(destination):
        raise RuntimeError(f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain "
                           f"the same number of dims as destination ({list(destination)} dims)")
    moved, places = [wrap(d, rank) for d in source], [wrap(d, rank) for d in destination]
    for dims, given, name in ((moved, source, "source"), (places, destination, "destination")):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")
    if rank == 0:
        return alias(input)
    order = [d for d in range(rank) if d not in moved]
    for place, d in sorted(zip(places, moved)):
        order.insert(place, d)
    return input.permute(order)


@op(aliases=("swapdims",))
def swapaxes(input, axis0, axis1):
    """A view with two axes swapped; `transpose` by another name.

    Parameters
    ----------
    axis0, axis1 : int
        The two axes.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> cygrad.swapaxes(cygrad.zeros(2, 3, 4), 0, 2).shape
    cygrad.Size([4, 3, 2])
    """
    return input.transpose(axis0, axis1)


@op
def adjoint(input):
    """The conjugate transpose of the last two axes.

    Parameters
    ----------
    input : Tensor
        (..., m, n).

    Returns
    -------
    Tensor
        (..., n, m).

    Raises
    ------
    RuntimeError
        For a tensor of one axis; without axes it is deprecated.

    Examples
    --------
    >>> cygrad.adjoint(cygrad.tensor([[1 + 1j, 2 - 3j]]))
    tensor([[1.-1.j],
            [2.+3.j]])
    """
    return _adjoint(input, "adjoint()")


def _adjoint(input, name):
    if input.dim() == 1:
        raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if input.dim() == 0:
        warn(f"{name.replace('mH', 'Tensor.mH')} is deprecated on 0-D tensors. Consider using x.conj().")
        return input.conj()
    out = input.transpose(-2, -1)
    return out.conj() if input.dtype.is_complex else out


def matrix_adjoint(self):
    """`Tensor.mH`."""
    return _adjoint(self, "mH")


def conjugate_transpose(self):
    """`Tensor.H`."""
    if self.dim() == 0:
        warn("Tensor.H is deprecated on 0-D tensors. Consider using x.conj().")
        return self.conj()
    if self.dim() != 2:
        tail = " For batches of matrices, consider using tensor.mH" if self.dim() > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {self.dim()}-D tensor.{tail}")
    return _adjoint(self, "H")
