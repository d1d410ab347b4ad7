"""Copies with the elements at other places: `repeat`, `flip`, `roll` and their relatives."""
from cygrad.dispatch.allocation import empty_like_strided, empty_near
from cygrad.dispatch.memory_formats import kept
from cygrad.dispatch.raw import arange_into, clone_dense, clone_like, copy_ as raw_copy, flipped, rolled, scan_op
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import functions, op
from cygrad.ops.declare.operand_types import refused
from cygrad.ops.index.tensor_places import take_into
from cygrad.ops.shape.views import wrap
from cygrad.tensor import Tensor


def sizes_in(args, name, what):
    """The ints given as `f(2, 3)`, `f((2, 3))` or `f([2, 3])`."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        return tuple(args[0])
    if not args:
        raise TypeError(f'{name}() missing 1 required positional arguments: "{what}"')
    return args


# ------------------------------------------------------------------------ repeating

@primitive
def repeat(self, repeats):
    shape = (1,) * (len(repeats) - self.dim()) + tuple(self.shape)
    out = empty_near(self, [r * n for r, n in zip(repeats, shape)])
    if out.numel():
        apart = [n for pair in zip(repeats, shape) for n in pair]
        one = [n for size in shape for n in (1, size)]
        raw_copy(out.view(apart), self.reshape(one).expand(apart))
    return out


@op(name="repeat", only_method=True)
def _repeat(self, *repeats):
    """Copies of the tensor side by side along each axis.

    Parameters
    ----------
    *repeats : int, or one tuple of them
        How often along each axis; more of them than axes add axes in front.

    Returns
    -------
    Tensor
        A copy.

    Raises
    ------
    RuntimeError
        If there are fewer numbers than axes.

    Examples
    --------
    >>> cygrad.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    repeats = sizes_in(repeats, "repeat", "repeats")
    if len(repeats) < self.dim():
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return repeat(self, tuple(repeats))


@op
def tile(input, *dims):
    """Copies of the tensor side by side along its last axes; `repeat` where a missing number counts as 1.

    Parameters
    ----------
    *dims : int, or one tuple of them
        How often along each of the last axes; more of them than axes add axes in front.

    Returns
    -------
    Tensor
        A copy.

    Examples
    --------
    >>> cygrad.tile(cygrad.tensor([1, 2]), (2,))
    tensor([1, 2, 1, 2])
    """
    dims = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
    return _repeat(input, (1,) * (input.dim() - len(dims)) + tuple(dims))


def repeat_index(repeats, size=None):
    """How often each place is repeated, as the index of the result, of this size if any: [1, 0, 2] gives [0, 2, 2]."""
    if repeats.dtype.name not in ("int64", "int32"):
        raise refused("repeat_interleave_cpu", repeats.dtype)
    if repeats.dim() != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if repeats.numel() == 0:
        return empty_near(repeats, (0,))
    if repeats.lt(0).any().item():
        raise RuntimeError("repeats can not be negative")
    ends = scan_op(0, repeats, 0, functions["tensor"](0).dtype)                         # cumsum
    total = ends[-1].item()
    if size is not None and size != total:
        raise RuntimeError("allocated size does not match required size")
    steps = ends.new_zeros(total + 1)
    steps = steps.index_add(0, ends, ends.new_ones(ends.shape))[:total]
    return scan_op(0, steps, 0, steps.dtype).to(repeats.dtype)


@op
def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    """Each element (slice, with `dim`) several times, one after the other.

    Parameters
    ----------
    repeats : int or Tensor
        How often: the same number for all, or one for each. Without it, `input` is that tensor and the repeated
        places are returned.
    dim : int, optional
        The axis; all elements in row-major order without it.
    output_size : int, optional
        The size of the axis in the result, if known.

    Returns
    -------
    Tensor
        A copy; with one axis, unless `dim` is given.

    Examples
    --------
    >>> cygrad.tensor([1, 2, 3]).repeat_interleave(cygrad.tensor([1, 0, 2]))
    tensor([1, 3, 3])
    """
    if repeats is None:
        return repeat_index(input, output_size)
    if dim is None:
        input, dim = input.flatten(), 0
    if isinstance(repeats, Tensor) and repeats.dim() > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    dim = wrap(dim, input.dim())
    size = input.shape[dim] if input.dim() else 1
    if isinstance(repeats, Tensor):
        input.size(dim)                 # PyTorch's IndexError
        if repeats.numel() == 1:
            repeats = repeats.reshape(1).expand(size)
        elif repeats.numel() != size:
            raise RuntimeError("repeats must have the same size as input along dim, but got repeats.size(0) = "
                               f"{repeats.numel()} and input.size({dim}) = {size}")
        places = repeat_index(repeats, output_size)
        if input.is_conj():
            return repeat_interleave(input.conj(), repeats, dim).conj()
        if input.is_neg():
            return repeat_interleave(input._neg_view(), repeats, dim)._neg_view()
        return input.index_select(dim, places)
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape = input.shape
    wide = input.unsqueeze(dim + 1).expand(shape[:dim + 1] + (repeats,) + shape[dim + 1:])
    if output_size is not None and output_size != size * repeats:
        raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {size * repeats} but got {output_size}")
    return wide.clone(memory_format=_contiguous).flatten(dim, dim + 1)


from cygrad.devices.device import contiguous_format as _contiguous  # noqa: E402

# ----------------------------------------------------------- turning and shifting

def reversed_places(like, size):
    """size - 1, ..., 1, 0 on like's device."""
    out = empty_near(like, (size,), functions["tensor"](0).dtype)
    arange_into(out, size - 1, -1)
    return out


@primitive
def flip(self, dims):
    out = flipped(self, dims)
    if out is not None:
        return out
    out = empty_like_strided(self, self.dtype)
    if not dims or not self.numel():
        raw_copy(out, self)
        return out
    places, last = [None] * self.dim(), len(dims)
    for i, d in enumerate(sorted(dims)):
        places[d] = reversed_places(self, self.shape[d]).view((-1,) + (1,) * (last - i - 1))
    target = out
    if max(dims) - min(dims) + 1 != last:                       # the axes of indices that are no neighbours come first
        target = out.movedim(tuple(sorted(dims)), tuple(range(last)))
    take_into(self, tuple(places), target)
    return out


@op(name="flip")
def _flip(input, *dims):
    """A copy with the order along some axes reversed.

    Parameters
    ----------
    *dims : int, or one tuple of them

    Returns
    -------
    Tensor
        A copy of input's shape.

    Examples
    --------
    >>> cygrad.tensor([[1, 2], [3, 4]]).flip((1,))
    tensor([[2, 1],
            [4, 3]])
    """
    dims = sizes_in(dims, "flip", "dims")
    return flip(input, distinct(dims, input.dim()))


def distinct(dims, rank):
    """Wrapped dims; raises if one comes twice."""
    if len(dims) == 1 and rank:
        return (wrap(dims[0], rank),)
    found = []
    for d in dims:
        d = wrap(d, rank)
        if d in found:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        found.append(d)
    return tuple(found) if rank else ()


@op
def fliplr(input):
    """A copy with the order along the second axis reversed.

    Returns
    -------
    Tensor
        A copy of input's shape.

    Raises
    ------
    RuntimeError
        For a tensor of fewer than two axes.

    Examples
    --------
    >>> cygrad.fliplr(cygrad.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]])
    """
    if input.dim() < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return _flip(input, (1,))


@op
def flipud(input):
    """A copy with the order along the first axis reversed.

    Returns
    -------
    Tensor
        A copy of input's shape.

    Raises
    ------
    RuntimeError
        For a tensor without axes.

    Examples
    --------
    >>> cygrad.flipud(cygrad.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]])
    """
    if input.dim() < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return _flip(input, (0,))


@primitive
def rot90(self, k, dims):
    k %= 4
    if k == 0:
        return clone_dense(self)
    if k == 2:
        return flip(self, dims)
    turned = flip(self, (dims[1] if k == 1 else dims[0],)).transpose(*dims)
    return turned.detach()


@op(name="rot90")
def _rot90(input, k=1, dims=(0, 1)):
    """A copy turned by 90 degrees, `k` times, in the plane of two axes, from the first towards the second.

    Parameters
    ----------
    input : Tensor
        At least two axes.
    k : int
        How often; negative numbers turn the other way.
    dims : pair of int
        The plane.

    Returns
    -------
    Tensor
        A copy; the two axes have swapped sizes if `k` is odd.

    Examples
    --------
    >>> cygrad.rot90(cygrad.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    rank = input.dim()
    if rank < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {rank}")
    a, b = dims
    if a == b or abs(a - b) == rank:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {a} and dim1 = {b}")
    return rot90(input, k, (wrap(a, rank), wrap(b, rank)))


@primitive
def roll(self, shifts, dims):
    if not self.numel():
        return clone_like(self) if dims or self.dim() == 1 else clone_dense(self)
    if not dims:
        return rolled(self.contiguous(), None, shifts[0])
    moved = self
    for shift, dim in zip(shifts, dims):
        moved = rolled(moved, dim, shift)
    return kept(moved, self)


@op(name="roll")
def _roll(input, shifts, dims=()):
    """A copy with the elements moved along axes; what leaves at one end comes in at the other.

    Parameters
    ----------
    shifts : int or tuple of int
        How many places.
    dims : int or tuple of int, optional
        As many as shifts; without them the elements are moved in row-major order.

    Returns
    -------
    Tensor
        A copy of input's shape.

    Examples
    --------
    >>> cygrad.tensor([1, 2, 3]).roll(1)
    tensor([3, 1, 2])
    """
    shifts = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    dims = (dims,) if isinstance(dims, int) else tuple(dims or ())
    if not dims and len(shifts) == 1:
        return roll(input, shifts, dims)
    if not shifts:
        raise RuntimeError("`shifts` required")
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if dims and not input.dim():
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    if len(dims) == 1 and not input.numel():        # before the axis is looked at, as in PyTorch
        dims = (0,)
    return roll(input, shifts, tuple([wrap(d, input.dim()) for d in dims]))


@primitive
def narrow_copy(self, dim, start, length):
    return clone_dense(self.narrow(dim, start, length))


@op(name="narrow_copy", out="expected")
def _narrow_copy(input, dim, start, length):
    """A copy of what `narrow` shows.

    Parameters
    ----------
    dim, start, length : int
        As in `narrow`.

    Returns
    -------
    Tensor
        Of input's shape, but for axis `dim`, which has `length` elements.

    Examples
    --------
    >>> cygrad.narrow_copy(cygrad.arange(5), 0, 1, 3)
    tensor([1, 2, 3])
    """
    rank = input.dim()
    if not rank:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if dim >= rank:                                         # PyTorch wraps a negative axis alone
        raise RuntimeError("Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  (Could "
                           "this error message be improved?  If so, please report an enhancement request to PyTorch.)")
    dim = wrap(dim, rank)
    size = input.shape[dim]
    if length < 0 and -size <= start <= size:
        start += size if start < 0 else 0
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return narrow_copy(input, dim, start, length)
