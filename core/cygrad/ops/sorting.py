"""Order along an axis: `sort`, `argsort`, `msort`, `topk`, `kthvalue`. NaN is the largest; every sort is stable."""
import math

from cygrad import return_types
from cygrad.autograd.node import primitive
from cygrad.dispatch import SCALAR_NAMES, clone_dense, sort_op
from cygrad.ops.registry import functions, op
from cygrad.ops.views import wrap


@primitive
def sort(self, dim, descending):
    return sort_op(self, dim, descending, True)


@primitive
def sort_stable(self, dim, descending):
    return sort_op(self, dim, descending, True)


def sortable(input, dim, name="sort"):
    """The wrapped dim, once dtype and dim are known to be fit for sorting."""
    if isinstance(dim, bool) or not isinstance(dim, int):
        raise TypeError(f"{name}() received an invalid combination of arguments - dim must be int, not "
                        f"{type(dim).__name__}")
    dim = wrap(dim, input.dim())
    if input.dtype.is_complex:
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    return dim


@op(name="sort", out="exact")
def _sort(input, dim=-1, descending=False, *, stable=None):
    """The elements in order along an axis, and where they were.

    Parameters
    ----------
    dim : int
    descending : bool
        The largest first.
    stable : bool
        Keep equal elements in their order (always so here).

    Returns
    -------
    values, indices : Tensor
        As a named tuple; `indices` is int64.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([3, 1, 2]).sort().indices
    tensor([1, 2, 0])
    """
    dim = sortable(input, dim)
    return return_types.sort((sort if stable is None else sort_stable)(input, dim, bool(descending)))


@op
def argsort(input, dim=-1, descending=False, *, stable=False):
    """The places of the elements in order along an axis: the indices of `sort`."""
    return sort_op(input.detach(), sortable(input, dim, "argsort"), bool(descending), True)[1]


@op(out="exact")
def msort(input):
    """The elements in ascending order along the first axis."""
    return sort(input, sortable(input, 0), False)[0]


# --------------------------------------------------------------- the first of the order

MANY = 8192                 # elements from which it pays to look for candidates before sorting


def candidates(x, k, largest):
    """(elements, their places) along the last axis among which the first k in order are; None to sort them all.

    The axis is cut into groups. Whatever is among the first k lies in one of the k groups whose extremes come first
    (or in the rest that fills no group), so only those are kept.
    """
    n = x.shape[-1]
    size = max(math.isqrt(n // max(k, 1)), 1)
    count = n // size
    if size < 4 or count <= k:
        return None
    lead = tuple(x.shape[:-1])
    groups = x.narrow(-1, 0, count * size).reshape(lead + (count, size))
    extremes = groups.amax(-1) if largest else groups.amin(-1)
    if not largest and x.dtype.is_floating_point and extremes.isnan().any().item():
        return None                                                 # NaN hides what else is in its group
    chosen = sort_op(extremes, x.dim() - 1, largest, True)[1].narrow(-1, 0, k).unsqueeze(-1)
    inside = functions["arange"](size, device=x.device)
    elements = groups.gather(-2, chosen.expand(lead + (k, size))).reshape(lead + (k * size,))
    places = (chosen * size + inside).reshape(lead + (k * size,))
    rest = n - count * size
    if rest:
        tail = (inside[:rest] + count * size).expand(lead + (rest,))
        elements = functions["cat"]([elements, x.narrow(-1, count * size, rest)], -1)
        places = functions["cat"]([places, tail], -1)
    return elements, places


@primitive
def topk(self, k, dim, largest):
    if self.numel() >= MANY:
        found = candidates(self.movedim(dim, -1).contiguous(), k, largest)
        if found is not None:
            elements, places = found
            values, order = sort_op(elements, self.dim() - 1, largest, True)
            indices = places.gather(-1, order.narrow(-1, 0, k))
            return clone_dense(values.narrow(-1, 0, k).movedim(-1, dim)), clone_dense(indices.movedim(-1, dim))
    values, indices = sort_op(self, dim, largest, True)
    if not self.dim():
        return values, indices
    return clone_dense(values.narrow(dim, 0, k)), clone_dense(indices.narrow(dim, 0, k))


@op(name="topk", out="exact")
def _topk(input, k, dim=-1, largest=True, sorted=True):
    """The `k` largest (or smallest) elements along an axis in order, and where they were.

    Parameters
    ----------
    k : int
    dim : int
    largest : bool
    sorted : bool
        Whether they must be in order (they always are).

    Returns
    -------
    values, indices : Tensor
        As a named tuple; `indices` is int64.

    Raises
    ------
    RuntimeError
        If the axis has fewer than `k` elements.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.tensor([3, 1, 2]).topk(2).values
    tensor([3, 2])
    """
    dim = wrap(dim, input.dim())
    if not 0 <= k <= (input.shape[dim] if input.dim() else 1):
        raise RuntimeError("selected index k out of range")
    if input.dtype.is_complex:
        raise RuntimeError(" topk does not support complex dtypes on CPU")
    if input.dtype.name == "bool":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    return return_types.topk(topk(input, k, dim, bool(largest)))


@primitive
def kthvalue(self, k, dim, keepdim):
    if not self.dim():
        return clone_dense(self), functions["tensor"](0, device=self.device)
    found = []
    for t in sort_op(self, dim, False, True):
        found.append(clone_dense(t.narrow(dim, k - 1, 1) if keepdim else t.select(dim, k - 1)))
    return tuple(found)


@op(name="kthvalue", out="exact", axis=True)
def _kthvalue(input, k, dim=-1, keepdim=False):
    """The `k`-th smallest element along an axis, and where it was.

    Parameters
    ----------
    k : int
        Counted from 1.
    dim : int
    keepdim : bool
        Keep the axis, of size 1.

    Returns
    -------
    values, indices : Tensor
        As a named tuple; `indices` is int64.
    """
    dim = wrap(dim, input.dim())
    size = input.shape[dim] if input.dim() else 1
    if size == 0:
        raise IndexError(f"kthvalue(): Expected reduction dim {dim} to have non-zero size.")
    if not 1 <= k <= size:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}")
    if input.dim() and (input.dtype.is_complex or input.dtype.name == "bool"):
        raise NotImplementedError(f"\"kthvalue_cpu\" not implemented for '{SCALAR_NAMES[input.dtype.code]}'")
    return return_types.kthvalue(kthvalue(input, k, dim, keepdim))
