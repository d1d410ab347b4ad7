"""Operands of more axes than kernels walk, taken apart into such as they do."""
from cygrad.tensor import as_tensor_view

RANK = 8


def parts(shape, dim, views):
    """The whole in views of RANK axes at most: [(dim, views, `dim` and the axes of more than one element)].

    The views have the sizes `shape`, but for axis `dim`, which is never taken apart; a view may be None.
    """
    axes = [axis for axis, size in enumerate(shape) if size != 1 or axis == dim]
    if len(axes) <= RANK:
        return [(dim, views, axes)]
    split = min((axis for axis in axes if axis != dim), key=shape.__getitem__)
    rest, found = shape[:split] + shape[split + 1:], []
    for place in range(shape[split]):
        pieces = [view if view is None else as_tensor_view(view).select(split, place) for view in views]
        found += parts(rest, dim - (split < dim), pieces)
    return found


def by_rows(entry, *views):
    """`entry` of the parts of views that are computed row by row, along the last axis."""
    shape = tuple(views[0].shape)
    for _, pieces, _ in parts(shape, len(shape) - 1, views):
        entry(*pieces)
