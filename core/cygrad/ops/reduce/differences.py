"""Differences of neighbours along an axis, and slopes of samples: `diff`, `gradient`."""
import cygrad
from cygrad.ops.declare.operand_types import BOOL, need_tensors
from cygrad.ops.declare.out_arguments import refuse_out_grad, write_out
from cygrad.ops.declare.out_dtypes import check_dtypes
from cygrad.ops.declare.op_forms import op
from cygrad.ops.reduce.integration import divide_by_number
from cygrad.ops.reduce.sums import axis_of
from cygrad.ops.shape.views import wrap
from cygrad.tensor import Tensor

SPACING = "torch.gradient expected spacing to be unspecified, a scalar"


@op(axis=True)
def diff(input, n=1, dim=-1, prepend=None, append=None, *, out=None):
    """Differences of neighbours along an axis, taken n times.

    Parameters
    ----------
    input : Tensor
        With at least one axis.
    n : int
    dim : int
    prepend, append : Tensor, optional
        Joined to the ends of `input` first.

    Returns
    -------
    Tensor
        `n` elements fewer along the axis, after `prepend` and `append` have been joined to it.

    Raises
    ------
    RuntimeError
        For a tensor without axes, or for a negative `n`.

    Examples
    --------
    >>> cygrad.diff(cygrad.tensor([1, 4, 9, 16]))
    tensor([3, 5, 7])
    >>> cygrad.diff(cygrad.tensor([1, 4, 9, 16]), n=2)
    tensor([2, 2])
    """
    if not input.dim():
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    dim = axis_of(dim, input.dim(), "diff")
    if prepend is not None or append is not None:
        if any([t is not None and t.dim() != input.dim() for t in (prepend, append)]):
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
        for i in range(input.dim()):
            for t in (prepend, append):
                if t is not None and i != dim and t.size(i) != input.size(i):
                    raise RuntimeError(
                        "diff expects the shape of tensor to prepend or append to match that of input except along the "
                        f"differencing dimension; input.size({i}) = {input.size(i)}, but got tensor.size({i}) = "
                        f"{t.size(i)}")
    if n == 0:
        return written(cygrad.zeros_like(input).copy_(input), input, n, out)
    if prepend is not None or append is not None:
        input = cygrad.cat([t for t in (prepend, input, append) if t is not None], dim)
    steps = max(min(n, input.size(dim)), out is not None)     # with `out` PyTorch takes no axis of size 0
    for step in range(steps):
        size = input.size(dim)
        later, earlier = input.narrow(dim, 1, max(size - 1, 0)), input.narrow(dim, 0, max(size - 1, 0))
        if out is not None and step == steps - 1:
            return (cygrad.logical_xor if input.dtype is BOOL else cygrad.sub)(later, earlier, out=out)
        input = later != earlier if input.dtype is BOOL else later - earlier
    return written(input, input, n, out)


def written(result, input, n, out):
    """A result, in `out` if one is given."""
    if out is None:
        return result
    refuse_out_grad("diff", input, out)
    check_dtypes("diff", None, (result,), (out,), (input, n), {})
    return write_out("diff", result, out, False, (input,))


def axes_of(input, dim):
    """The axes that are differentiated, counted from the front."""
    if dim is None:
        return list(range(input.dim()))
    axes = [wrap(d, input.dim()) for d in (dim if isinstance(dim, (tuple, list)) else (dim,))]
    for place, axis in enumerate(axes):
        if axis in axes[:place]:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
    return axes


def spacings_of(input, spacing, dim, axes):
    """For each of the axes a distance, or the places of the samples."""
    if not isinstance(spacing, (tuple, list)):
        return [1 if spacing is None else spacing] * len(axes)
    if len(spacing) != len(axes):
        if dim is None:
            raise RuntimeError(f"{SPACING}, or a list of length equal to 'self.dim() = {input.dim()}', since dim "
                               f"argument was not given, but got a list of length {len(spacing)}")
        raise RuntimeError(f"{SPACING} or it's spacing and dim arguments to have the same length, but got a spacing "
                           f"argument of length {len(spacing)} and a dim argument of length {len(axes)}.")
    for each in spacing:
        if isinstance(each, Tensor) and each.dim() != 1:
            raise RuntimeError("torch.gradient expected each element of spacing to have one dimension, but got an "
                               f"element with {each.dim()} dimensions!")
    return list(spacing)


def part(t, axis, start, stop):
    """Places from start to below stop of an axis; they count from the end where negative."""
    size = t.shape[axis]
    start, stop = (place + size if place < 0 else place for place in (start, size if stop is None else stop))
    return t.narrow(axis, start, stop - start)


def at_distance(t, axis, h, edge_order):
    """Samples at equal distances."""
    def at(place):
        return part(t, axis, place, place + 1 if place != -1 else None)
    middle = divide_by_number(divide_by_number(part(t, axis, 2, None) - part(t, axis, 0, -2), 2), h)
    if edge_order == 1:
        first, last = divide_by_number(at(1) - at(0), h), divide_by_number(at(-1) - at(-2), h)
    else:
        first = divide_by_number(-1.5 * at(0) + 2 * at(1) - 0.5 * at(2), h)
        last = divide_by_number(0.5 * at(-3) - 2 * at(-2) + 1.5 * at(-1), h)
    return cygrad.cat([first, middle, last], axis)


def at_places(t, axis, places, edge_order):
    """Samples at places: the slope of the parabola through three neighbours."""
    apart = part(places, 0, 1, None) - part(places, 0, 0, -1)
    left, right = part(apart, 0, 0, -1), part(apart, 0, 1, None)
    shape = [-1 if i == axis else 1 for i in range(t.dim())]
    weights = (-right / (left * (left + right)), (right - left) / (left * right), left / (right * (left + right)))
    a, b, c = (w.reshape(shape) for w in weights)
    middle = (a * part(t, axis, 0, -2) + b * part(t, axis, 1, -1) + c * part(t, axis, 2, None))

    def at(place):
        return part(t, axis, place, place + 1 if place != -1 else None)
    if edge_order == 1:
        first, last = (at(1) - at(0)) / apart[0], (at(-1) - at(-2)) / apart[-1]
    else:
        h, k = apart[0], apart[1]
        first = (-(2 * h + k) / (h * (h + k)) * at(0) + (h + k) / (h * k) * at(1) - h / (k * (h + k)) * at(2))
        h, k = apart[-2], apart[-1]
        last = (k / (h * (h + k)) * at(-3) - (k + h) / (h * k) * at(-2) + (2 * k + h) / (k * (h + k)) * at(-1))
    return cygrad.cat([first, middle, last], axis)


@op(method=False, axis=True)
def gradient(input, *, spacing=None, dim=None, edge_order=1):
    """The slopes of samples of a function along axes, by differences of neighbours.

    Parameters
    ----------
    input : Tensor
        The samples; at least edge_order + 1 along each of the axes.
    spacing : number, sequence of number or of Tensor, optional
        The distance of neighbours, for all axes or one for each; or the places of the samples along each axis. 1
        when omitted.
    dim : int or sequence of int, optional
        The axes; all when omitted.
    edge_order : int
        1 or 2: whether the slope at the ends is that of a line or of a parabola.

    Returns
    -------
    tuple of Tensor
        The slopes along each of the axes, of input's shape.

    Raises
    ------
    RuntimeError
        If there are too few samples, or distances for other axes.

    Examples
    --------
    >>> cygrad.gradient(cygrad.tensor([1., 2., 4.]))
    (tensor([1.0000, 1.5000, 2.0000]),)
    """
    need_tensors("gradient", input=input)
    if input.dtype is cygrad.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    axes = axes_of(input, dim)
    spacings = spacings_of(input, spacing, dim, axes)
    for axis in axes:
        if input.shape[axis] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple([(at_places if isinstance(each, Tensor) else at_distance)(input, axis, each, edge_order)
                  for axis, each in zip(axes, spacings)])
