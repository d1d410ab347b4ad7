"""Shapes by views: axes moved, joined, split up and repeated without a copy where there is a view.

What one view op can do is in `views.pyx`; here are those that PyTorch makes of several.
"""
from cygrad.dtype import DType
from cygrad.errors import DeviceMismatch, warn
from cygrad.ops.declare.registry import op
from cygrad.ops.shape.geometry import reinterpreted
from cygrad.ops.shape.joining import listed
from cygrad.ops.shape.views import alias, wrap
from cygrad.tensor import Tensor
from cygrad.tensors.size import Size

UNEXPECTED = "unflatten got an unexpected error:\n"

# ---------------------------------------------------------------- order of the axes

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
    >>> import cygrad
    >>> cygrad.zeros(2, 3, 4).movedim(0, 2).shape
    cygrad.Size([3, 4, 2])
    """
    if isinstance(source, int) and isinstance(destination, int):
        source, destination = (source,), (destination,)
    if len(source) != len(destination):
        raise RuntimeError(f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain "
                           f"the same number of dims as destination ({list(destination)} dims)")
    rank = input.dim()
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
    >>> import cygrad
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
    >>> import cygrad
    >>> cygrad.adjoint(cygrad.tensor([[1 + 1j, 2 - 3j]]))
    tensor([[1.-1.j],
            [2.+3.j]])
    """
    return _adjoint(input, "adjoint()")


def _adjoint(input, name):
    if input.dim() == 1:
        raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if input.dim() == 0:
        warn("adjoint() is deprecated on 0-D tensors. Consider using x.conj().")
        return input.conj()
    out = input.transpose(-2, -1)
    return out.conj() if input.dtype.is_complex else out


def matrix_adjoint(self):
    """`Tensor.mH`."""
    return _adjoint(self, "mH" if self.dim() == 1 else "adjoint()")


def conjugate_transpose(self):
    """`Tensor.H`."""
    if self.dim() == 0:
        warn("Tensor.H is deprecated on 0-D tensors. Consider using x.conj().")
        return self.conj()
    if self.dim() != 2:
        tail = " For batches of matrices, consider using tensor.mH" if self.dim() > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {self.dim()}-D tensor.{tail}")
    return _adjoint(self, "H")


# ------------------------------------------------------------- fewer and more axes

@op
def ravel(input):
    """All elements in row-major order, as one axis; a view where there is one.

    Returns
    -------
    Tensor
        One axis; a view where there is one, else a copy.

    Examples
    --------
    >>> import cygrad
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
    >>> import cygrad
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
    sizes = tuple(count // known if n == -1 else n for n in sizes)
    return input.view(input.shape[:dim] + sizes + input.shape[dim + 1:])


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
        return tuple([function(t) for t in listed(tensors, name)])
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


# --------------------------------------------------------------------- broadcasting

@op(method=False)
def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to.

    Parameters
    ----------
    *shapes : int or tuple of int

    Returns
    -------
    Size
        The common shape.

    Raises
    ------
    RuntimeError
        If they don't broadcast.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.broadcast_shapes((2, 1), (3,))
    cygrad.Size([2, 3])
    """
    found = []
    for k, shape in enumerate(shapes):
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if any(n < 0 for n in shape):
            raise ValueError("Attempting to broadcast a dimension with negative length!")
        found = [1] * (len(shape) - len(found)) + found
        for i in range(-1, -1 - len(shape), -1):
            if shape[i] == 1 or shape[i] == found[i]:
                continue
            if found[i] != 1:
                raise RuntimeError(f"Attempting to broadcast a dimension of length {shape[i]} at {i}! Mismatching "
                                   f"argument at index {k} had {shape}; but expected shape should be broadcastable to "
                                   f"{found}")
            found[i] = shape[i]
    return Size(found)


def common_shape(tensors):
    """The shape that tensors broadcast to, with the error that ops raise."""
    shape = ()
    for t in tensors:
        other = t.shape
        if other == shape:
            continue
        rank = max(len(shape), len(other))
        a, b = (1,) * (rank - len(shape)) + tuple(shape), (1,) * (rank - len(other)) + tuple(other)
        for i in range(rank - 1, -1, -1):
            if a[i] != b[i] and 1 not in (a[i], b[i]):
                raise RuntimeError(f"The size of tensor a ({a[i]}) must match the size of tensor b ({b[i]}) at "
                                   f"non-singleton dimension {i}")
        shape = tuple(n if m == 1 else m for m, n in zip(a, b))
    return shape


@op(method=False)
def broadcast_tensors(*tensors):
    """Tuple of the tensors, expanded to their common shape.

    Parameters
    ----------
    *tensors : Tensor, or one sequence of them
        Their shapes broadcast.

    Returns
    -------
    tuple of Tensor
        Views.

    Raises
    ------
    RuntimeError
        If they don't broadcast.

    Examples
    --------
    >>> import cygrad
    >>> [t.shape for t in cygrad.broadcast_tensors(cygrad.zeros(2, 1), cygrad.zeros(3))]
    [cygrad.Size([2, 3]), cygrad.Size([2, 3])]
    """
    shape = common_shape(listed(tensors, "broadcast_tensors"))
    return tuple([t if t.shape == shape else t.expand(shape) for t in tensors])


def plain_text(t):
    """A tensor as PyTorch's errors print it: rows of numbers, then type and sizes."""
    rows = t.tolist()
    while t.dim() > 2 and rows:
        rows, t = rows[0], t[0]
    lines = "".join(" ".join(f"{n:2g}" for n in row) + "\n" for row in rows) if t.dim() == 2 else ""
    return lines + "[ " + t.type() + "{" + ",".join(map(str, t.shape)) + "} ]"


@op(method=False)
def meshgrid(*tensors, indexing=None):
    """Tuple of the coordinates of a grid, from those along its axes.

    Parameters
    ----------
    *tensors : Tensor, or one sequence of them
        One axis each, or none.
    indexing : {"ij", "xy"}
        Which axis the first tensor runs along: "ij", the first; "xy", the second.

    Returns
    -------
    tuple of Tensor
        Views, a tensor for each one given.

    Examples
    --------
    >>> import cygrad
    >>> x, y = cygrad.meshgrid(cygrad.tensor([1, 2]), cygrad.tensor([3, 4, 5]), indexing="ij")
    >>> y
    tensor([[3, 4, 5],
            [3, 4, 5]])
    """
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tensors[0]
    tensors = listed(tensors, "meshgrid")
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for t in tensors:
        if t.dim() > 1:
            raise RuntimeError("cygrad.meshgrid: Expected 0D or 1D tensor in the tensor list but got: " + plain_text(t))
        if t.dtype is not tensors[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
        if t.device != tensors[0].device:
            raise DeviceMismatch("meshgrid expects all tensors to have the same device")
    if indexing is None:
        warn("cygrad.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise RuntimeError('cygrad.meshgrid: indexing must be one of "xy" or "ij", but received: ' + indexing)
    swapped = indexing == "xy" and len(tensors) >= 2
    if swapped:
        tensors[0], tensors[1] = tensors[1], tensors[0]
    shape = [t.numel() for t in tensors]
    grids = []
    for i, t in enumerate(tensors):
        grids.append(t.view([-1 if k == i else 1 for k in range(len(tensors))]).expand(shape))
    if swapped:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


# ------------------------------------------------------------------ other dtype

def view_dtype(self, dtype):
    """`self.view(dtype)`: the same bytes; a view that carries no gradient."""
    if not isinstance(dtype, DType):
        raise TypeError(f"view(): argument 'dtype' must be cygrad.dtype, not {type(dtype).__name__}")
    return reinterpreted(self, dtype)
