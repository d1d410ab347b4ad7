"""Gradients through windows on a storage: in-place changes of views, and `as_strided`.

A base is a set of places in a storage; a view is another. The gradient of one from that of the other is moved through
a flat buffer that covers both, addressed with the same strides.
"""
import cygrad
from cygrad.autograd.forward_levels import batch_depth
from cygrad.dispatch.lazy_views import CONJUGATED, NEGATED, laziness


def _span(size, stride):
    """Elements between the first and the last place, inclusive; 0 for an empty view."""
    if 0 in size:
        return 0
    return sum((n - 1) * s for n, s in zip(size, stride)) + 1


def _overlaps(size, stride):
    """Whether two indices may address one place (never wrong when it says no)."""
    reached = 0
    for s, n in sorted((s, n) for n, s in zip(size, stride) if n > 1):
        if s <= reached:
            return True
        reached += (n - 1) * s
    return False


def changed(t, lazy):
    """What a lazy view with these flags shows of `t`."""
    t = t.conj() if lazy & CONJUGATED else t
    return t._neg_view() if lazy & NEGATED else t


def copy_slices_backward(grad, base, view, function, base_lazy=0, view_lazy=0):
    """Gradients of the inputs of an in-place op on a view, from the gradient of the base.

    Parameters
    ----------
    grad : Tensor
        Gradient of the base after the change.
    base, view : (size, stride, offset)
        Their geometry in the storage.
    function : callable
        Gradients of the op's inputs from that of its result; the first input is the view before the change.
    base_lazy, view_lazy : int
        What the two make of what lies in memory. The gradient of that is what their own are views of.

    Returns
    -------
    list of Tensor or None
        The gradient of the base before the change, then those of the op's other inputs.
    """
    size, stride, offset = base
    view_size, view_stride, view_offset = view
    low = min(offset, view_offset)
    length = max(offset - low + _span(size, stride), view_offset - low + _span(view_size, view_stride))
    if (low == offset and length == _span(size, stride) and not base_lazy and not batch_depth()
            and not _overlaps(size, stride)):
        flat = made = grad.new_empty_strided(size, stride)          # the base's memory alone: no view of anything
    else:
        flat = grad.new_zeros(length)
        made = changed(flat.as_strided(size, stride, offset - low), base_lazy)
    made.copy_(grad)
    window = changed(flat.as_strided(view_size, view_stride, view_offset - low), view_lazy)
    found = function(window.clone())
    if found and found[0] is not None:
        window.copy_(found[0])
    else:
        window.zero_()
    if made is not flat:
        made = changed(flat.as_strided(size, stride, offset - low), base_lazy)
    return [made, *found[1:]]


def copy_parts_backward(grad, base, view, function, base_lazy=0, view_lazy=0):
    """`copy_slices_backward` where one of base and view is complex and the other shows its parts: in real numbers."""
    if grad.is_complex():
        found = copy_slices_backward(_reals(changed(grad, base_lazy)), _parts(*base), view, function, 0, view_lazy)
        return [changed(cygrad.view_as_complex(found[0].contiguous()), base_lazy), *found[1:]]

    def of_parts(window):
        first, *others = function(changed(cygrad.view_as_complex(window), view_lazy))
        return [None if first is None else _reals(changed(first, view_lazy)), *others]
    return copy_slices_backward(grad, base, _parts(*view), of_parts, base_lazy, 0)


def _reals(t):
    """The parts of a complex tensor, which may be lazy."""
    return cygrad.view_as_real(t.resolve_conj().resolve_neg())


def _parts(size, stride, offset):
    """The geometry of a complex tensor's real numbers: a last axis more."""
    return (*size, 2), (*[2 * s for s in stride], 1), 2 * offset


def window_on(base, view):
    """A view's window on its base anew: of the parts of complex numbers, of complex numbers, lazy or not; recorded."""
    size, stride, offset = view.shape, view.stride(), view.storage_offset()
    if base.is_complex() == view.is_complex():      # (most are transposed before they are conjugated)
        same = (size, stride, offset) == (base.shape, base.stride(), base.storage_offset())
        shown = base if same else base.as_strided(size, stride, offset)
        return changed(shown, laziness(base) ^ laziness(view))
    shown = changed(base, laziness(base))
    if base.is_complex():
        parts = changed(cygrad.view_as_real(shown), laziness(view))
        same = (size, stride, offset) == (parts.shape, parts.stride(), parts.storage_offset())
        return parts if same else parts.as_strided(size, stride, offset)
    wanted = _parts(size, stride, offset)
    if wanted != (shown.shape, shown.stride(), shown.storage_offset()):
        shown = shown.as_strided(*wanted)
    return changed(cygrad.view_as_complex(shown), laziness(view))


def as_strided_backward(grad, geometry, size, stride, storage_offset):
    """Gradient of `as_strided` with respect to its input, which lies in the storage as `geometry` says."""
    in_size, in_stride, in_offset = geometry
    offset = in_offset if storage_offset is None else storage_offset
    low = min(in_offset, offset)
    length = max(in_offset - low + _span(in_size, in_stride), offset - low + _span(size, stride))
    if _overlaps(size, stride):
        places = _places(grad, length).as_strided(size, stride, offset - low).reshape(-1)
        flat = grad.new_zeros(length).index_add(0, places, grad.reshape(-1))
        flat._bump_version()                                # which PyTorch adds to in place
    else:
        flat = grad.new_zeros(length)
        flat.as_strided(size, stride, offset - low).copy_(grad)
    if _overlaps(in_size, in_stride):                       # places that the input shows more than once share
        places = _places(grad, length).as_strided(in_size, in_stride, in_offset - low).reshape(-1)
        count = flat.new_zeros(length).index_add(0, places, flat.new_ones(places.numel()))
        flat = flat / count.masked_fill(count == 0, 1)
    return flat.as_strided(in_size, in_stride, in_offset - low)


def _places(like, length):
    return cygrad.arange(length, device=like.device)
