"""Counting: `bincount`, `histc`, `histogram`, and over several axes `histogramdd`."""
import math
from builtins import range as builtins_range

import cygrad
from cygrad import return_types
from cygrad.dispatch.promotion import C_TYPES
from cygrad.ops.declare.out_arguments import refuse_out_grad, write_each
from cygrad.dispatch.raw import scatter_into
from cygrad.ops.declare.primitives import own, primitive
from cygrad.ops.declare.op_forms import functions, op
from cygrad.ops.index.gathering import ADD
from cygrad.ops.declare.out_dtypes import check_dtypes
from cygrad.ops.declare.operand_types import need_tensors, refused
from cygrad.ops.sort.host_loops import bin_counts, counts_of
from cygrad.ops.sort.searching import DTYPES, positions
from cygrad.tensor import Tensor

NAME = "torch.histogramdd: "


@primitive(name="histogram")
def _noted(self, bins, weight, hist, edges):
    """Counts and edges that were computed without a graph; PyTorch records them, but has no derivative."""
    return hist, edges


@primitive(name="histogramdd")
def _noted_grid(self, bins, weight, hist, edges):
    return hist, *edges


def check(input, bins, weight):
    """PyTorch's refusals, in its order, but for that of a dtype, which comes last."""
    if input.dim() < 2:
        raise RuntimeError(f"{NAME}input tensor should have at least 2 dimensions")
    axes = input.shape[-1]
    if len(bins) != axes:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    for dim, edges in enumerate(bins):
        if not isinstance(edges, Tensor):
            if edges <= 0:
                raise RuntimeError(f"{NAME}bins tensor should have at least 1 element, but got {max(edges + 1, 0)} "
                                   f"elements in the bins tensor for dimension {dim}")
            continue
        if edges.dtype is not input.dtype:
            raise RuntimeError(f"{NAME}input tensor and bins tensors should have the same dtype, but got input with "
                               f"dtype {C_TYPES[input.dtype.code]} and bins for dimension {dim} with dtype "
                               f"{C_TYPES[edges.dtype.code]}")
        if edges.dim() != 1:
            raise RuntimeError(f"{NAME}bins tensor should have one dimension, but got {edges.dim()} dimensions in the "
                               f"bins tensor for dimension {dim}")
        if not edges.numel():
            raise RuntimeError(f"{NAME}bins tensor should have at least 1 element, but got 0 elements in the bins "
                               f"tensor for dimension {dim}")
        if edges.numel() == 1:
            raise RuntimeError(f"cygrad.histogram(): bins must be > 0, but got 0 for dimension {dim}")
    if weight is not None:
        if weight.dtype is not input.dtype:
            raise RuntimeError(f"{NAME}if weight tensor is provided, input tensor and weight tensor should have the "
                               f"same dtype, but got input({C_TYPES[input.dtype.code]}), and "
                               f"weight({C_TYPES[weight.dtype.code]})")
        if weight.shape != input.shape[:-1]:
            raise RuntimeError(f"{NAME}if weight tensor is provided it should have the same shape as the input tensor "
                               "excluding its innermost dimension, but got input with shape "
                               f"{list(input.shape)} and weight with shape {list(weight.shape)}")


def need_kernel(input, given):
    """Refuse numbers that there is no kernel for: of bins whose range is `given`, or of those of data."""
    if not input.is_floating_point() or not given and input.element_size() < 4:
        raise refused("histogram_cpu" if given else "histogramdd", input.dtype)


def ranges_of(data, range):
    """[(low, high)] of each column, wider by a half on both sides where that is a point."""
    axes = data.shape[1]
    if range is None:
        if not data.shape[0]:
            return [(0.0, 1.0)] * axes
        found = list(zip(data.amin(0).tolist(), data.amax(0).tolist()))
    else:
        if len(range) != 2 * axes:
            raise RuntimeError(f"{NAME}for a {axes}-dimensional histogram range should have {2 * axes} elements, but "
                               f"got {len(range)}")
        found = list(zip(range[::2], range[1::2]))
    for dim, (low, high) in enumerate(found):
        if not (math.isfinite(low) and math.isfinite(high)):
            raise RuntimeError(f"{NAME}dimension {dim}'s range [{low:g}, {high:g}] is not finite")
        if low > high:
            raise RuntimeError(f"{NAME}min should not exceed max, but got min {low:g} max {high:g} for dimension "
                               f"{dim}")
    return [(low - 0.5, high + 0.5) if low == high else (low, high) for low, high in found]


@op(method=False)
def histogramdd(input, bins, range=None, weight=None, density=False):
    """How many points lie in each cell of a grid, and the edges of the cells along each axis.

    Parameters
    ----------
    input : Tensor
        (..., D): points of D coordinates; float32 or float64.
    bins : int, sequence of int or of Tensor
        How many equally wide cells along all axes or along each, or their D ascending lists of edges.
    range : sequence of float, optional
        The least and the greatest coordinate, two numbers for each axis; those of the points when omitted.
    weight : Tensor, optional
        (...): what each point counts.
    density : bool
        Divide by the total and by the volume of each cell.

    Returns
    -------
    return_types.histogramdd
        ``hist``, with D axes, and ``bin_edges``, a tuple of D vectors.

    Raises
    ------
    RuntimeError
        If shapes or dtypes don't fit, or a range has no end.

    Examples
    --------
    >>> cygrad.histogramdd(cygrad.tensor([[0., 1.], [1., 0.], [2., 2.]]), bins=[2, 2]).hist
    tensor([[0., 1.],
            [1., 1.]])
    """
    need_tensors("histogramdd", input=input)
    if isinstance(bins, int):
        bins = [bins] * input.size(-1)
    given = all(isinstance(edges, Tensor) for edges in bins)
    if input.dim() > 1 and not given:
        ranges = ranges_of(input.detach().reshape(-1, input.shape[-1]), range)
        if range is None:
            need_kernel(input, not input.numel())
    check(input, bins, weight)
    need_kernel(input, True)
    data = input.detach().reshape(-1, input.shape[-1])
    if given:
        edges = tuple(each.detach() for each in bins)
    else:
        edges = tuple(cygrad.linspace(low, high, count + 1, dtype=input.dtype, device=input.device)
                      for (low, high), count in zip(ranges, bins))
    sizes = [each.numel() - 1 for each in edges]
    cell = cygrad.zeros(data.shape[:1], dtype=cygrad.int64, device=input.device)
    inside = cygrad.ones_like(cell, dtype=cygrad.bool)
    for column, each, size in zip(data.unbind(1), edges, sizes):
        inside &= (column >= each[0]) & (column <= each[-1])
        cell = cell * size + positions(each, column.contiguous(), True).sub(1).clamp(0, max(size - 1, 0))
    parts = data.new_ones(data.shape[:1]) if weight is None else weight.detach().reshape(-1)
    hist = data.new_zeros(math.prod(sizes))
    if hist.numel():
        hist = hist.index_add(0, cell.masked_select(inside), parts.masked_select(inside))
    hist = own(hist.reshape(sizes), ())
    if density:
        hist = hist / hist.sum()
        for axis, each in enumerate(edges):
            hist = hist / (each[1:] - each[:-1]).reshape([-1 if i == axis else 1 for i in builtins_range(len(edges))])
    bins = tuple(bins) if given else ()
    hist, *noted = _noted_grid(input, bins, weight, hist, () if given else edges)
    return return_types.histogramdd((hist, bins if given else tuple(noted)))


# ------------------------------------------------------------------------- counting

def counted(places, size, like):
    """How often each of 0 to size - 1 is among the places, which are these and int64; of the dtype of `like`."""
    out = like.new_zeros(size)
    if places.numel():
        scatter_into(ADD, out, 0, places, like.new_ones(()).expand(places.shape))
    return out


@primitive
def weighted_bincount(self, weights, size):
    return weights.new_zeros(size).index_add(0, self, weights)


@op
def bincount(input, weights=None, minlength=0):
    """How often each number occurs (with weights: the sum of its weights).

    Parameters
    ----------
    input : Tensor
        One axis of non-negative integers.
    weights : Tensor, optional
        One for each number.
    minlength : int
        The least number of bins.

    Returns
    -------
    Tensor
        int64; float32 or float64 with weights.

    Examples
    --------
    >>> cygrad.tensor([0, 2, 2]).bincount()
    tensor([1, 0, 2])
    """
    if input.dtype.is_floating_point or input.dtype.is_complex or input.dtype.name == "bool":
        raise refused("bincount_cpu", input.dtype)
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input.dim() == 1 and input.numel() == 0:
        return input.new_zeros(minlength, dtype=DTYPES["int64"])
    if input.dim() == 1 and weights is None:
        found = counts_of(input, minlength)
        if found is not None:
            return found
    if input.dim() != 1 or input.min().item() < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and (weights.dim() != 1 or weights.shape != input.shape):
        raise RuntimeError("weights should be 1-d and have the same length as input")
    size = max(input.max().item() + 1, minlength)
    places = input.to(DTYPES["int64"])
    if weights is None:
        return counted(places, size, places)
    if weights.dtype.name != "float32":
        weights = weights.to(DTYPES["float64"])
    return weighted_bincount(places, weights, size)


def outer_range(input, low, high, name, margin):
    """The range of a histogram: that of the data where both bounds are equal; wider by a margin if that is a point."""
    if low == high and input.numel():
        low, high = input.min().item(), input.max().item()
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"cygrad.{name}: range of [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(f"cygrad.{name}: max must be larger than min")
    return (low - margin, high + margin) if low == high else (low, high)


@op(out="exact")
def histc(input, bins=100, min=0, max=0):
    """How many elements lie in each of equally wide bins.

    Parameters
    ----------
    bins : int
    min, max : number
        The range, its ends included; elements outside it are not counted. If both are equal, the range of the data.

    Returns
    -------
    Tensor
        Of input's dtype.

    Examples
    --------
    >>> cygrad.tensor([1., 2., 1.]).histc(bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    if isinstance(bins, bool) or not isinstance(bins, int):
        raise TypeError(f"histc(): argument 'bins' (position 2) must be int, not {type(bins).__name__}")
    if bins <= 0:
        raise RuntimeError(f"cygrad.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if min > max:
        raise RuntimeError("cygrad.histc: max must be larger than min")
    if not input.dtype.is_floating_point:
        for bound in (min, max) if min < max or input.numel() else (min - 1, max + 1):
            input.new_full((), float(bound))                   # raises where the dtype can't hold it
        if not math.isfinite(float(min) - float(max)):
            raise RuntimeError(f"cygrad.histc: range of [{min:g}, {max:g}] is not finite")
        raise refused("histogram_cpu", input.dtype)
    low, high = float(min), float(max)
    if low == high or not math.isfinite(high - low):
        low, high = outer_range(input.detach(), low, high, "histc", 1)
    found = bin_counts(input, bins, low, high)
    if found is not None:
        return found
    data = input.detach().reshape(-1)
    low, high = data.new_full((), low).item(), data.new_full((), high).item()
    width = data.new_full((), high - low).item()                # rounded to the dtype, as all of this is
    data = data.masked_select((data >= low) & (data <= high))
    places = ((data - low) * bins / width).to(DTYPES["int64"]).clamp(0, bins - 1)
    return counted(places, bins, data)


@op
def histogram(input, bins=100, *, range=None, weight=None, density=False, out=None):
    """How many elements lie in each bin, and the edges of the bins.

    Parameters
    ----------
    bins : int or Tensor
        How many equally wide bins, or their edges in ascending order; the last bin includes its right edge.
    range : (float, float), optional
        The range of equally wide bins; that of the data when omitted.
    weight : Tensor, optional
        Of input's shape: what each element counts.
    density : bool
        Divide by the total and by the width of each bin.

    Returns
    -------
    hist, bin_edges : Tensor
        As a named tuple, of input's dtype.

    Examples
    --------
    >>> cygrad.histogram(cygrad.tensor([1., 2., 1.]), 3, range=(0., 3.)).hist
    tensor([0., 2., 1.])
    """
    data = input.detach().reshape(-1)
    if not isinstance(bins, Tensor) and bins <= 0:
        raise RuntimeError(f"cygrad.histogramdd(): bins must be > 0, but got {bins} for dimension 0")
    if out is not None:
        if isinstance(out, (tuple, list)) and len(out) != 2:
            raise TypeError(f"expected tuple of 2 elements but got {len(out)}")
        check_dtypes("histogram", None, (input, input), out, (), {})
    if not isinstance(bins, Tensor):
        if range is None:
            need_kernel(input, not input.numel())
        else:
            (low, high), = ranges_of(data[:0].unsqueeze(1), range)
    parts = data.new_ones(data.shape) if weight is None else weight.detach().reshape(-1)
    check(data.unsqueeze(1), [bins], parts)
    if isinstance(bins, Tensor):
        edges = bins.detach().clone()
    else:
        if range is None:
            low, high = outer_range(data, 0.0, 0.0, "histogramdd", 0.5) if data.numel() else (0.0, 1.0)
        edges = functions["linspace"](low, high, bins + 1, dtype=input.dtype, device=input.device)
    need_kernel(input, True)
    count = edges.numel() - 1
    inside = (data >= edges[0]) & (data <= edges[-1])
    places = positions(edges, data.masked_select(inside), True).sub(1).clamp(max=count - 1)
    hist = data.new_zeros(count).index_add(0, places, parts.masked_select(inside))
    if density:
        hist = hist / (hist.sum() * (edges[1:] - edges[:-1]))
    if out is None:
        return return_types.histogram(_noted(input, bins, weight, hist, edges))
    found = hist, edges
    for each in out:
        refuse_out_grad("histogram", input, each)
    return return_types.histogram_out(write_each("histogram", found, out, True, (input, bins, weight)))
