"""`unique` and `unique_consecutive`: sort, mark where runs of equal elements begin, and count from there.

Slices are compared by ranks: every column gets the rank of its entries, and neighbouring columns are combined and
ranked again until one is left, so that a lexicographic order of n slices takes log2(their size) sorts.
"""
import functools

from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.raw import fill_ as raw_fill, scan_op, sort_op
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import functions, op
from cygrad.ops.index.tensor_places import mask_places
from cygrad.ops.declare.operand_types import DTYPES, refused
from cygrad.ops.shape.views import wrap
from cygrad.ops.sort.host_loops import distinct_integers, without_repeats
from cygrad.ops.sort.ties import sorted_rows


def begins(rows):
    """Which rows of a non-empty tensor differ from the one before; the first does."""
    changes = rows[1:].ne(rows[:-1])
    if rows.dim() > 1:
        changes = changes.flatten(1).any(1)
    first = empty_near(changes, (1,))
    raw_fill(first, True)
    return functions["cat"]([first, changes])


def runs(marks):
    """(place where each run begins, run of each element, length of each run) from the marks of their beginnings."""
    starts = mask_places(marks)
    run = scan_op(0, marks, 0, starts.dtype).sub(1)                            # cumsum
    ends = functions["cat"]([starts[1:], starts.new_full((1,), marks.numel())])
    return starts, run, ends - starts


def nothing(input):
    """The inverse and counts of no element."""
    return input.new_empty((0,), dtype=functions["tensor"](0).dtype), input.new_empty(
        (0,), dtype=functions["tensor"](0).dtype)


def unsorted(inverse, order):
    """The run of each element before the sort that moved it."""
    return inverse.new_empty(inverse.shape).scatter_(0, order, inverse)


def row_ranks(rows):
    """Ranks of the rows of an (n, m) tensor in lexicographic order: an (n,) tensor; equal rows have equal ranks."""
    ranks = column_ranks(rows)
    n = rows.shape[0]
    while ranks.shape[1] > 1:
        pairs = ranks.shape[1] // 2
        joined = ranks[:, 0:2 * pairs:2] * n + ranks[:, 1:2 * pairs:2]
        if ranks.shape[1] % 2:
            joined = functions["cat"]([joined, ranks[:, -1:]], 1)
        ranks = column_ranks(joined)
    return ranks[:, 0]


def column_ranks(rows):
    """The rank of every entry within its column."""
    values, order = sort_op(rows, 0, False, True)
    changes = values[1:].ne(values[:-1])
    first = empty_near(changes, (1, rows.shape[1]))
    raw_fill(first, False)
    ranks = scan_op(0, functions["cat"]([first, changes]), 0, order.dtype)
    return ranks.new_empty(ranks.shape).scatter_(0, order, ranks)


# -------------------------------------------------------------------- the primitives

@primitive
def distinct(self):
    """The distinct elements alone."""
    found = distinct_integers(self.contiguous())
    if found is None and self.numel():
        found = without_repeats(sort_op(self.reshape(-1), 0, False, True)[0])
    return unique_elements.forward(self)[0] if found is None else found


@primitive
def unique_elements(self):
    flat = self.reshape(-1)
    if not flat.numel():
        inverse, counts = nothing(flat)
        return flat.clone(), inverse.reshape(self.shape), counts
    values, order = sort_op(flat, 0, False, True)
    starts, run, counts = runs(begins(values))
    return values[starts], unsorted(run, order).reshape(self.shape), counts


@primitive
def unique_slices(self, dim):
    if not self.shape[dim]:
        return self.clone(), *nothing(self)
    rows = self.movedim(dim, 0).flatten(1) if self.dim() > 1 else self.unsqueeze(1)
    if rows.is_floating_point() and rows.isnan().any():
        order = sorted_rows(rows.to("cpu", DTYPES["float64"]).contiguous()).to(rows.device)
        starts, run, counts = runs(begins(rows[order]))
    else:
        ranks, order = sort_op(row_ranks(rows), 0, False, True)
        starts, run, counts = runs(begins(ranks))
    return slices_at(self, dim, order[starts]), unsorted(run, order), counts


def slices_at(self, dim, places):
    """Slices of an axis, which lie together in memory."""
    return self.movedim(dim, 0).contiguous().index_select(0, places).movedim(0, dim).detach()


@primitive
def distinct_runs(self):
    """The elements without those equal to the one before, alone."""
    found = without_repeats(self.contiguous().view(-1))
    return unique_runs.forward(self, None)[0] if found is None else found


@primitive
def unique_runs(self, dim):
    if dim is None:
        flat, shape = self.reshape(-1), self.shape
        if not flat.numel():
            inverse, counts = nothing(flat)
            return flat.clone(), inverse.reshape(shape), counts
        starts, run, counts = runs(begins(flat))
        return flat[starts], run.reshape(shape), counts
    if not self.shape[dim]:
        return self.clone(), *nothing(self)
    starts, run, counts = runs(begins(self.movedim(dim, 0)))
    return slices_at(self, dim, starts), run, counts


def checked_dim(input, dim):
    """The axis whose slices are compared."""
    if input.dim() == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    dim = wrap(dim, input.dim())
    others = input.shape[:dim] + input.shape[dim + 1:]
    if 0 in others:
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    return dim


def chosen(found, return_inverse, return_counts):
    """What the caller asked for: a tensor, or a tuple."""
    values, inverse, counts = found
    if not return_inverse and not return_counts:
        return values
    return (values,) + ((inverse,) if return_inverse else ()) + ((counts,) if return_counts else ())


def need_order(input, name):
    if input.dtype.is_complex:
        raise refused(name, input.dtype)


@op
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct elements (slices, with `dim`) in ascending order.

    Parameters
    ----------
    sorted : bool
        Whether they must be in order (they always are).
    return_inverse : bool
        Also return, for each element, which of the distinct ones it is.
    return_counts : bool
        Also return how often each occurs.
    dim : int, optional
        Compare slices of this axis, in lexicographic order, instead of elements.

    Returns
    -------
    Tensor, or tuple of Tensor
        The distinct ones, then the inverse and the counts if asked for. NaN equals nothing.

    Examples
    --------
    >>> cygrad.tensor([3, 1, 3]).unique(return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    need_order(input, "unique" if dim is None else "unique_dim")
    if dim is None:
        if not return_inverse and not return_counts:
            return distinct(input)
        return chosen(unique_elements(input), return_inverse, return_counts)
    return chosen(unique_slices(input, checked_dim(input, dim)), return_inverse, return_counts)


@op(only_method=True)
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The elements (slices, with `dim`) without those equal to the one before.

    Parameters
    ----------
    return_inverse : bool
        Also return, for each element, which of those that stay it is.
    return_counts : bool
        Also return how long each run was.
    dim : int, optional
        Compare slices of this axis instead of elements.

    Returns
    -------
    Tensor, or tuple of Tensor
        Those that stay, then the inverse and the counts if asked for.

    Examples
    --------
    >>> cygrad.tensor([1, 1, 2, 1]).unique_consecutive()
    tensor([1, 2, 1])
    """
    need_order(input, "unique" if dim is None else "unique_dim")
    if dim is not None:
        dim = checked_dim(input, dim)
    elif not return_inverse and not return_counts:
        return distinct_runs(input)
    return chosen(unique_runs(input, dim), return_inverse, return_counts)


@op(method=False, name="unique_consecutive")
@functools.wraps(unique_consecutive)
def _function(input, *places, **words):
    found = unique_consecutive(input, *places, **words)
    if not any(places[:2]):
        return found
    # PyTorch computes what is asked for, but returns the counts if the first place is true, the inverse if the second.
    inverse, counts, dim = words.get("return_inverse", False), words.get("return_counts", places[0]), words.get("dim")
    if len(places) > 1:
        inverse, dim = places[1], places[2] if len(places) > 2 else dim
    found = unique_runs(input, None if dim is None else checked_dim(input, dim))
    if dim is None:
        asked = places[0], words.get("return_counts", places[1] if len(places) > 1 else False)
        found = found[0], *[each if wanted else none for each, wanted, none in zip(found[1:], asked, nothing(input))]
    return chosen(found, inverse, counts)
