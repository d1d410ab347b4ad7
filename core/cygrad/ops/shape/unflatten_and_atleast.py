"""Fewer and more axes, by views where there is one: `ravel`, `unflatten`, `atleast_1d`; and `view` as another dtype.
"""
from cygrad.dtype import DType
from cygrad.ops.declare.op_forms import op
from cygrad.ops.shape.cat_and_stack import listed
from cygrad.ops.shape.geometry import reinterpreted
from cygrad.ops.shape.views import wrap
from cygrad.tensor import Tensor

UNEXPECTED = "unflatten got an unexpected error:\n"

@op
def ravel(input):
    """All elements in row-major order, as one axis; a view where there is one.

    Returns
    -------
    Tensor
        One axis; a view where there is one, else a copy.

    Examples
    --------
    >>> cygrad.ravel(cygrad.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    return input.contiguous().view(-1)


@op
def unflatten(input, dim, sizes):
    """One axis as several, of these sizes; one of them may be -1.

    Parameters
    ----------
    dim : int
        The axis.
    sizes : sequence of int
        Their product is the axis' size.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    RuntimeError
        If the sizes don't amount to the axis'.

    Examples
    --------
    >>> cygrad.zeros(2, 6).unflatten(1, (-1, 3)).shape
    cygrad.Size([2, 2, 3])
    """
    sizes = tuple(sizes)
    dim = wrap(dim, input.dim())
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if not input.dim():
        raise RuntimeError(UNEXPECTED + f"Dimension specified as {dim} but tensor has no dimensions")
    count = input.shape[dim]
    known = 1
    for i, n in enumerate(sizes):
        if n < -1:
            raise RuntimeError(UNEXPECTED + f"invalid shape dimension {n} at index {i} of shape {list(sizes)}")
        if n == -1 and -1 in sizes[:i]:
            raise RuntimeError(UNEXPECTED + "only one dimension can be inferred")
        known *= 1 if n == -1 else n
    if -1 in sizes and count == known == 0:
        raise RuntimeError(UNEXPECTED + f"cannot reshape tensor of 0 elements into shape {list(sizes)} because the "
                           "unspecified dimension size -1 can be any value and is ambiguous")
    if (known == 0 or count % known if -1 in sizes else count != known):
        raise RuntimeError(f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} "
                           f"({count}) in the input tensor")
    shape = list(input.shape)
    shape[dim:dim + 1] = [count // known if n == -1 else n for n in sizes] if -1 in sizes else sizes
    return input.view(shape)


def _for_each(name, function):
    """A function of one tensor for several, or a sequence of them: then a tuple is returned."""
    def many(*tensors):
        if len(tensors) == 1:
            if isinstance(tensors[0], Tensor):
                return function(tensors[0])
            if not isinstance(tensors[0], (list, tuple)):
                raise TypeError(f"{name}() received an invalid combination of arguments - got "
                                f"({type(tensors[0]).__name__}), but expected one of: a Tensor, a tuple of Tensors")
            tensors = tensors[0]
        return tuple(map(function, listed(tensors, name)))
    many.__doc__ = f"""{function.__doc__}

    Parameters
    ----------
    *tensors : Tensor, or one sequence of them
        Any shape and dtype.

    Returns
    -------
    Tensor, or tuple of Tensor
        Views where axes are added, else the tensors themselves.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.{name}(cygrad.tensor(5)).shape
    cygrad.Size({[1] * int(name[-2])})
    """
    op(many, name=name, method=False)
    return function


def _to_1d(input):
    """The tensor with at least one axis; several tensors give a tuple."""
    return input.reshape(1) if input.dim() == 0 else input


def _to_2d(input):
    """The tensor with at least two axes, new ones in front; several tensors give a tuple."""
    rank = input.dim()
    return input.reshape(1, 1) if rank == 0 else input.unsqueeze(0) if rank == 1 else input


def _to_3d(input):
    """The tensor with at least three axes, as images are stacked; several tensors give a tuple."""
    rank = input.dim()
    if rank == 0:
        return input.reshape(1, 1, 1)
    if rank == 1:
        return input.unsqueeze(0).unsqueeze(-1)
    return input.unsqueeze(-1) if rank == 2 else input


at_least_1d = _for_each("atleast_1d", _to_1d)
at_least_2d = _for_each("atleast_2d", _to_2d)
at_least_3d = _for_each("atleast_3d", _to_3d)


# ------------------------------------------------------------------ other dtype

def view_dtype(self, dtype):
    """`self.view(dtype)`: the same bytes; a view that carries no gradient."""
    if not isinstance(dtype, DType):
        raise TypeError(f"view(): argument 'dtype' must be cygrad.dtype, not {type(dtype).__name__}")
    return reinterpreted(self, dtype)
