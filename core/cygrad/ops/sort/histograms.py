"""Histograms over several axes: `histogramdd`."""
import math
from builtins import range as builtins_range

import cygrad
from cygrad import return_types
from cygrad.dispatch.promotion import C_TYPES
from cygrad.ops.declare.registry import op
from cygrad.ops.pointwise.several_operands import need_tensors, refused
from cygrad.ops.sort.searching import positions
from cygrad.tensor import Tensor

NAME = "torch.histogramdd: "


def check(input, bins, weight):
    """PyTorch's refusals, in its order."""
    if input.dtype not in (cygrad.float32, cygrad.float64):
        raise refused("histogramdd", input.dtype)
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
    if weight is not None:
        if weight.dtype is not input.dtype:
            raise RuntimeError(f"{NAME}if weight tensor is provided, input tensor and weight tensor should have the "
                               f"same dtype, but got input({C_TYPES[input.dtype.code]}), and "
                               f"weight({C_TYPES[weight.dtype.code]})")
        if weight.shape != input.shape[:-1]:
            raise RuntimeError(f"{NAME}if weight tensor is provided it should have the same shape as the input tensor "
                               "excluding its innermost dimension, but got input with shape "
                               f"{list(input.shape)} and weight with shape {list(weight.shape)}")


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
    >>> import cygrad
    >>> cygrad.histogramdd(cygrad.tensor([[0., 1.], [1., 0.], [2., 2.]]), bins=[2, 2]).hist
    tensor([[0., 1.],
            [1., 1.]])
    """
    need_tensors("histogramdd", input=input)
    if isinstance(bins, int):
        bins = [bins] * (input.shape[-1] if input.dim() else 0)
    check(input, bins, weight)
    data = input.detach().reshape(-1, input.shape[-1])
    given = all(isinstance(edges, Tensor) for edges in bins)
    if given:
        edges = tuple(each.detach() for each in bins)
    else:
        edges = tuple(cygrad.linspace(low, high, count + 1, dtype=input.dtype, device=input.device)
                      for (low, high), count in zip(ranges_of(data, range), bins))
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
    hist = hist.reshape(sizes)
    if density:
        hist = hist / hist.sum()
        for axis, each in enumerate(edges):
            hist = hist / (each[1:] - each[:-1]).reshape([-1 if i == axis else 1 for i in builtins_range(len(edges))])
    return return_types.histogramdd((hist, edges))
