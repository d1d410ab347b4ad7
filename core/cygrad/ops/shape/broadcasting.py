"""Shapes that broadcast: `broadcast_shapes`, `broadcast_tensors`, `meshgrid`."""
from cygrad.errors import DeviceMismatch, warn
from cygrad.ops.declare.op_forms import op
from cygrad.ops.shape.cat_and_stack import listed
from cygrad.tensors.size import Size


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
    >>> cygrad.broadcast_shapes((2, 1), (3,))
    cygrad.Size([2, 3])
    """
    shapes = [(shape,) if isinstance(shape, int) else shape for shape in shapes if shape is not None]
    for shape in shapes:
        if not isinstance(shape, (tuple, list, str)):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}")
    found = [1] * max(map(len, shapes), default=0)
    for k, shape in enumerate(shapes):
        for i in range(-1, -1 - len(shape), -1):
            if shape[i] == 1 or shape[i] == found[i]:
                continue
            if found[i] != 1:
                raise RuntimeError(f"Attempting to broadcast a dimension of length {shape[i]} at {i}! Mismatching "
                                   f"argument at index {k} had {shape}; but expected shape should be broadcastable to "
                                   f"{found}")
            if shape[i] < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            found[i] = shape[i]
    return Size(found)


def common_shape(tensors):
    """The shape that tensors broadcast to, with the error that ops raise."""
    shape = tensors[0].shape if tensors else ()
    for t in tensors:
        other = t.shape
        if other == shape:
            continue
        if shape[-len(other):] == other or not other:
            continue
        if other[-len(shape):] == shape or not shape:
            shape = other
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
    >>> x, y = cygrad.meshgrid(cygrad.tensor([1, 2]), cygrad.tensor([3, 4, 5]), indexing="ij")
    >>> y
    tensor([[3, 4, 5],
            [3, 4, 5]])
    """
    if indexing is not None and not isinstance(indexing, str):
        raise TypeError(f"meshgrid(): argument 'indexing' must be str, not {type(indexing).__name__}")
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
