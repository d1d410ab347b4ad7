# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""Order along an axis: `sort`, `argsort`, `msort`, `topk`, `kthvalue`. NaN is the largest.

Every sort is stable, except where a few integers or 16-bit floats are sorted and nobody asks for it: there equal ones
are left in the order of PyTorch's algorithms (ties.pyx).
"""
from cygrad.dtype cimport BOOL, CATEGORY_COMPLEX
from cygrad.ops.index.tensor_places cimport without_axis
from cygrad.view cimport wrap_dim
from cygrad.tensor cimport Tensor

from cygrad import return_types
from cygrad.ops.declare.primitives import primitive
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import clone_dense, partial_sort_op, sort_op
from cygrad.ops.declare.op_forms import functions, op
from cygrad.ops.sort.ties import reorder_kth, reorder_largest, reorder_sorted


cdef tuple in_order(Tensor a, int dim, bint descending, bint stable):
    """Raw (values, places) along an axis; equal integers as PyTorch leaves them, unless in their order."""
    cdef tuple found = sort_op(a, dim, descending, True)
    if not stable and a.rank:
        reorder_sorted(found[1], a, dim, descending)
    return found


@primitive
def sort(self, dim, descending):
    return in_order(self, dim, descending, False)


@primitive
def sort_stable(self, dim, descending, stable):
    return in_order(self, dim, descending, stable)


cdef int sortable(Tensor input, dim, str name="sort") except -1:
    """The wrapped dim, once dtype and dim are known to be fit for sorting."""
    cdef int wrapped
    if isinstance(dim, bool) or not isinstance(dim, int):
        raise TypeError(f"{name}() received an invalid combination of arguments - dim must be int, not "
                        f"{type(dim).__name__}")
    wrapped = wrap_dim(dim, input.rank)
    if input.dtype.category == CATEGORY_COMPLEX:
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    return wrapped


@op(name="sort", out="exact")
def _sort(input, dim=-1, descending=False, *, stable=None):
    """The elements in order along an axis, and where they were.

    Parameters
    ----------
    dim : int
    descending : bool
        The largest first.
    stable : bool
        Keep equal elements in their order; left to chance otherwise.

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
    if stable is None:
        return return_types.sort(sort(input, dim, bool(descending)))
    return return_types.sort(sort_stable(input, dim, bool(descending), bool(stable)))


def stable_said(out, input, *args, **kwargs):
    """`out=` belongs to the overload that has `stable`."""
    if "stable" not in kwargs:
        raise TypeError("argsort() received an invalid combination of arguments: out= needs stable")
    return "exact"


@op(out=stable_said)
def argsort(input, dim=-1, descending=False, *, stable=False):
    """The places of the elements in order along an axis: the indices of `sort`.

    Parameters
    ----------
    descending : bool
        The largest first.
    stable : bool
        Keep equal elements in their order; left to chance otherwise.

    Returns
    -------
    Tensor
        int64, of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.argsort(cygrad.tensor([3, 1, 2]))
    tensor([1, 2, 0])
    """
    return in_order(input.detach(), sortable(input, dim, "argsort"), bool(descending), stable)[1]


@op(out="exact")
def msort(input):
    """The elements in ascending order along the first axis.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.msort(cygrad.tensor([[3, 1], [2, 4]]))
    tensor([[2, 1],
            [3, 4]])
    """
    return sort(input, sortable(input, 0), False)[0]


# --------------------------------------------------------------- the first of the order

cdef object TopkResult = return_types.topk, KthvalueResult = return_types.kthvalue


@primitive
def topk(self, k, dim, largest, ordered):
    if not self.dim():
        return sort_op(self, dim, largest, True)
    values, places = partial_sort_op(self, dim, largest, 0, k)
    reorder_largest(places, self, dim, largest, ordered)
    return (values if ordered else self.gather(dim, places)), places


@op(name="topk", out="exact")
def _topk(Tensor input not None, k, dim=-1, largest=True, sorted=True):
    """The `k` largest (or smallest) elements along an axis in order, and where they were.

    Parameters
    ----------
    k : int
    dim : int
    largest : bool
    sorted : bool
        Whether they must be in order.

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
    cdef int axis = wrap_dim(dim, input.rank)
    if not 0 <= k <= (input.sizes[axis] if input.rank else 1):
        raise RuntimeError("selected index k out of range")
    if input.dtype.category == CATEGORY_COMPLEX:
        raise RuntimeError(" topk does not support complex dtypes on CPU")
    if input.dtype.code == BOOL:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    return TopkResult(topk(input, k, axis, bool(largest), bool(sorted)))


@primitive
def kthvalue(self, k, dim, keepdim):
    if not self.dim():
        return clone_dense(self), functions["tensor"](0, device=self.device)
    values, indices = partial_sort_op(self, dim, False, k - 1, 1)
    reorder_kth(indices, self, dim, k - 1)
    return (values, indices) if keepdim else (without_axis(values, dim), without_axis(indices, dim))


@op(name="kthvalue", out="exact", axis=True)
def _kthvalue(Tensor input not None, k, dim=-1, keepdim=False):
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

    Examples
    --------
    >>> import cygrad
    >>> cygrad.kthvalue(cygrad.tensor([3, 1, 2]), 2)
    torch.return_types.kthvalue(
    values=tensor(2),
    indices=tensor(2))
    """
    cdef int axis = wrap_dim(dim, input.rank)
    cdef Py_ssize_t size = input.sizes[axis] if input.rank else 1
    if size == 0:
        raise IndexError(f"kthvalue(): Expected reduction dim {axis} to have non-zero size.")
    if not 1 <= k <= size:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    if input.rank and (input.dtype.category == CATEGORY_COMPLEX or input.dtype.code == BOOL):
        raise NotImplementedError(f"\"kthvalue_cpu\" not implemented for '{SCALAR_NAMES[input.dtype.code]}'")
    return KthvalueResult(kthvalue(input, k, axis, keepdim))
