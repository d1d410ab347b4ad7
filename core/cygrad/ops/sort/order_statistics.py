"""Medians, the mode and quantiles: what is read off a sorted axis."""
import math

import cygrad
from cygrad import return_types
from cygrad.dispatch.operands import select
from cygrad.dispatch.raw import clone_like, copy_ as raw_copy, in_steps, partial_sort_op, reduce_dims, sort_op
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.operand_types import BOOL, DTYPES, FLOAT32, is_integral, refuse_complex_gradient, refused
from cygrad.ops.reduce.extremes import need_elements, take_along
from cygrad.ops.reduce.sums import EVERY, MAX, SUM, axis_of
from cygrad.ops.sort.host_loops import ends_of_longest_runs
from cygrad.ops.sort.ties import reorder_sorted
from cygrad.tensor import Tensor

INT64 = DTYPES["int64"]
FEW = 256           # elements up to which sorting all costs little more than finding the middle one


def middle(t, dim, skip_nan, keepdim):
    """(values, indices) of the lower median along an axis, in whose order NaN comes last."""
    if not t.dim():
        return clone_like(t), cygrad.zeros_like(t, dtype=INT64)
    n = t.size(dim)
    if not t.numel() or not (t.is_floating_point() and math.isnan(
            reduce_dims(MAX, t, EVERY[t.dim()], False, t.dtype).item())):
        place = (n - 1) // 2
        found = partial_sort_op(t, dim, False, place, 1)
        if 0 < t.numel() <= FEW:                # of equal elements the one that a stable sort has there, as in PyTorch
            raw_copy(found[1], sort_op(t, dim, False, True)[1].narrow(dim, place, 1))
        return found if keepdim else tuple([each.squeeze(dim) for each in found])
    values, order = sort_op(t, dim, False, True)
    missing = reduce_dims(SUM, t.isnan(), (dim,), True, INT64)
    if skip_nan:
        place = ((n - missing - 1) // 2).clamp_min(0)
    else:
        place = select(missing > 0, n - missing, (n - 1) // 2)
    if not keepdim:
        place = place.squeeze(dim)
    return take_along(values, place, dim, keepdim), take_along(order, place, dim, keepdim)


@primitive(name="median")
def _median(self):
    if not self.numel():
        return median_of_nothing(self)
    flat = self.reshape(-1)
    if self.is_floating_point():
        largest = reduce_dims(MAX, flat, (0,), False, flat.dtype)
        if not self.is_meta and math.isnan(largest.item()):
            return largest
    return partial_sort_op(flat, 0, False, (flat.numel() - 1) // 2, 1)[0].view(())


@primitive(name="nanmedian")
def _nanmedian(self):
    return middle(self.reshape(-1), 0, True, False)[0] if self.numel() else median_of_nothing(self)


def median_of_nothing(t):
    """NaN, as PyTorch converts it to the dtype."""
    if t.dtype is BOOL:
        value = True
    elif is_integral(t):
        value = -2 ** 63 if t.dtype is INT64 else -2 ** 31 if t.dtype is DTYPES["int32"] else 0
    else:
        value = math.nan
    return cygrad.full((), value, dtype=t.dtype, device=t.device)


@primitive(name="median_dim")
def _median_dim(self, dim, keepdim):
    return middle(self, dim, False, keepdim)


@primitive(name="nanmedian_dim")
def _nanmedian_dim(self, dim, keepdim):
    return middle(self, dim, True, keepdim)


def median_form(name, whole, some, input, dim, keepdim):
    if dim is not None:
        dim = axis_of(dim, input.dim(), name)
        need_elements(input, (dim,), "median")
    if (input.is_complex() or input.dtype is BOOL) and (input.numel() or dim is not None):
        raise refused("median_cpu" if dim is None else "median_out", input.dtype)
    if dim is None:
        refuse_complex_gradient(input, name)
        return whole(input)
    return getattr(return_types, name)(some(input, dim, keepdim))


@op(axis=True, out="exact")
def median(input, dim=None, keepdim=False):
    """The lower median of all elements, or along an axis; NaN if any element is.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    dim : int, optional
        The axis; None for all elements.

    Returns
    -------
    Tensor, or return_types.median
        With `dim`: ``values`` and int64 ``indices``.

    Examples
    --------
    >>> cygrad.median(cygrad.tensor([3., 1., 2., 4.]))
    tensor(2.)
    """
    return median_form("median", _median, _median_dim, input, dim, keepdim)


@op(axis=True, out="exact")
def nanmedian(input, dim=None, keepdim=False):
    """The lower median of the elements that are not NaN, of all or along an axis.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    dim : int, optional
        The axis; None for all elements.

    Returns
    -------
    Tensor, or return_types.nanmedian
        With `dim`: ``values`` and int64 ``indices``.

    Examples
    --------
    >>> cygrad.nanmedian(cygrad.tensor([cygrad.nan, 3., 1.]))
    tensor(1.)
    """
    return median_form("nanmedian", _nanmedian, _nanmedian_dim, input, dim, keepdim)


@primitive(name="mode")
def _mode(self, dim, keepdim):
    """Runs of equal elements in the sorted tensor; the first of the longest ends where the length is largest."""
    if not self.dim():
        return clone_like(self), cygrad.zeros_like(self, dtype=INT64)
    values, order = sort_op(self, dim, False, True)
    reorder_sorted(order, self, dim, False)
    n = self.size(dim)
    if n == 0 or self.numel() == 0:
        shape = tuple([1 if i == dim else m for i, m in enumerate(self.shape) if keepdim or i != dim])
        return cygrad.empty(shape, dtype=self.dtype, device=self.device), cygrad.empty(shape, dtype=INT64,
                                                                                      device=self.device)
    best = None
    unordered = self.isnan() if self.is_floating_point() else None
    if unordered is None or not bool(unordered.any()):
        unordered, best = None, ends_of_longest_runs(values.movedim(dim, -1).contiguous())
    if best is not None:
        if keepdim:
            best = best.unsqueeze(dim)
        return take_along(values, best, dim, keepdim), take_along(order, best, dim, keepdim)
    places = cygrad.arange(n, device=self.device).view((n,) + (1,) * (self.dim() - 1 - dim)).expand(self.shape)
    starts = cygrad.zeros_like(places)
    fresh = values.narrow(dim, 1, n - 1) != values.narrow(dim, 0, n - 1)
    starts = cygrad.cat([starts.narrow(dim, 0, 1), select(fresh, places.narrow(dim, 1, n - 1), 0)], dim)
    length = places - starts.cummax(dim).values
    best = length.argmax(dim, keepdim)
    values, order = take_along(values, best, dim, keepdim), take_along(order, best, dim, keepdim)
    if unordered is not None and n <= 16:
        rows = self.movedim(dim, -1).reshape(-1, n).tolist()
        order = cygrad.tensor([_first_mode(row) for row in rows], device=self.device).view(order.shape)
        values = take_along(self, order, dim, keepdim)
    return values, order


def _first_mode(row):
    """The place of a row's mode, where short rows with NaN are sorted by insertion: NaN is never less, nor equal."""
    places = list(range(len(row)))
    for i in range(1, len(row)):
        value, to = row[places[i]], i
        if value < row[places[0]]:
            to = 0
        else:
            while value < row[places[to - 1]]:
                to -= 1
        places.insert(to, places.pop(i))
    best = run = most = 0
    for i, place in enumerate(places):
        run += 1
        if i + 1 == len(places) or row[place] != row[places[i + 1]]:
            if run > most:
                best, most = place, run
            run = 0
    return best


@op(axis=True, out="exact")
def mode(input, dim=-1, keepdim=False):
    """The most frequent element along an axis (the smallest of several) and the last place where it is.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    dim : int
    keepdim : bool
        Keep the axis, with size 1.

    Returns
    -------
    return_types.mode
        ``values`` and int64 ``indices``.

    Examples
    --------
    >>> cygrad.mode(cygrad.tensor([1, 2, 2, 3, 3]))
    torch.return_types.mode(
    values=tensor(2),
    indices=tensor(2))
    """
    dim = axis_of(dim, input.dim(), "mode")
    need_elements(input, (dim,), "mode")
    if input.is_complex() and input.dim() and input.numel():
        raise refused("mode_cpu", input.dtype)
    refuse_complex_gradient(input, "mode")
    return return_types.mode(_mode(input, dim, keepdim))


# ------------------------------------------------------------------------- quantiles

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantiles(name, input, q, dim, keepdim, interpolation, skip_nan):
    """Sorted values between which each quantile lies, and their weighted mean."""
    if input.dtype not in (FLOAT32, DTYPES["float64"]):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if input.numel() == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if isinstance(q, Tensor):
        if q.dim() > 1:
            raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
        if q.dtype is not input.dtype:
            raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
        if dim is not None:
            axis_of(dim, input.dim(), name)
        if not bool(((q >= 0).logical_and(q <= 1)).all()):
            raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    elif not 0 <= q <= 1:
        raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q:g}")
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError(f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
                           f"{interpolation}")
    several = isinstance(q, Tensor) and q.dim() == 1
    if not isinstance(q, Tensor):
        q = cygrad.tensor(q, dtype=input.dtype, device=input.device)
    if dim is not None:
        dim = axis_of(dim, input.dim(), name)
    shape = list(input.shape)
    if dim is None or not shape:
        shape, ordered = [1] * len(shape) if keepdim else [], input.flatten()
    else:
        shape[dim:dim + 1] = [1] if keepdim else []
        ordered = input if dim == input.dim() - 1 else input.unsqueeze(-1).transpose(dim, -1)
    ordered = ordered.sort(-1).values
    ordered = ordered.view(*shape, ordered.size(-1))
    found = between(ordered, q.reshape(-1), interpolation, skip_nan)        # (..., number of quantiles)
    if several:
        found = found.unsqueeze_(0).transpose_(0, -1)
    return found.squeeze_(-1)


def between(ordered, q, interpolation, skip_nan):
    n = ordered.size(-1)
    nan = ordered.isnan()
    if skip_nan:
        last = ((n - 1) - nan.sum(-1, True)).clamp_min(0)
        ranks = q * last
    else:
        ranks = q * (n - 1)
        ranks = ranks.expand(tuple(ordered.shape[:-1]) + (q.numel(),))
        ranks = cygrad.where(nan.any(-1, True), float(n - 1), ranks)
    if interpolation == "lower":
        ranks = ranks.floor()
    elif interpolation == "higher":
        ranks = ranks.ceil()
    elif interpolation == "nearest":
        ranks = ranks.round()
    below = ranks.long()
    values = ordered.gather(-1, below)
    if interpolation in ("linear", "midpoint"):
        weights = cygrad.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
        values = in_steps(values.lerp(ordered.gather(-1, ranks.ceil().long()), weights))
    return values


@op(axis=True, out="exact")
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """The q-quantiles of all elements, or along an axis; NaN if any element is.

    Parameters
    ----------
    input : Tensor
        Of dtype float32 or float64.
    q : float or Tensor
        In [0, 1]; a 1-d tensor gives a result with a first axis for the quantiles.
    dim : int, optional
        The axis; None for all elements.
    keepdim : bool
        Keep the axis, with size 1.
    interpolation : {"linear", "lower", "higher", "midpoint", "nearest"}
        What a quantile between two elements is.

    Returns
    -------
    Tensor
        Of input's dtype, without the axis; an axis for the quantiles comes first.

    Raises
    ------
    RuntimeError
        For another dtype, no elements, or a `q` outside [0, 1].

    Examples
    --------
    >>> cygrad.quantile(cygrad.tensor([0., 1., 2., 3.]), 0.5)
    tensor(1.5000)
    >>> cygrad.quantile(cygrad.tensor([0., 1., 2., 3.]), cygrad.tensor([0.25, 0.75]))
    tensor([0.7500, 2.2500])
    """
    return quantiles("quantile", input, q, dim, keepdim, interpolation, False)


@op(axis=True, out="exact")
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """`quantile` of the elements that are not NaN.

    Parameters
    ----------
    input : Tensor
        Of dtype float32 or float64.
    q : float or Tensor
        In [0, 1]; a 1-d tensor gives a result with a first axis for the quantiles.
    dim : int, optional
        The axis; None for all elements.
    interpolation : {"linear", "lower", "higher", "midpoint", "nearest"}
        What a quantile between two elements is.

    Returns
    -------
    Tensor
        Of input's dtype, without the axis; an axis for the quantiles comes first.

    Raises
    ------
    RuntimeError
        For another dtype, no elements, or a `q` outside [0, 1].

    Examples
    --------
    >>> cygrad.nanquantile(cygrad.tensor([0., cygrad.nan, 2., 4.]), 0.5)
    tensor(2.)
    """
    return quantiles("nanquantile", input, q, dim, keepdim, interpolation, True)
