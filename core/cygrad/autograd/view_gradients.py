"""Gradients through windows on a storage: in-place changes of views, and `as_strided`.

A base is a set of places in a storage; a view is another. The gradient of one from that of the other is moved through
a flat buffer that covers both, addressed with the same strides.
"""
import cygrad


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


def copy_slices_backward(grad, base, view, function):
    """Gradients of the inputs of an in-place op on a view, from the gradient of the base.

    Parameters
    ----------
    grad : Tensor
        Gradient of the base after the change.
    base, view : (size, stride, offset)
        Their geometry in the storage.
    function : callable
        Gradients of the op's inputs from that of its result; the first input is the view before the change.

    Returns
    -------
    list of Tensor or None
        The gradient of the base before the change, then those of the op's other inputs.
    """
    size, stride, offset = base
    view_size, view_stride, view_offset = view
    low = min(offset, view_offset)
    length = max(offset - low + _span(size, stride), view_offset - low + _span(view_size, view_stride))
    flat = grad.new_zeros(length)
    flat.as_strided(size, stride, offset - low).copy_(grad)
    window = flat.as_strided(view_size, view_stride, view_offset - low)
    found = function(window.clone())
    if found and found[0] is not None:
        window.copy_(found[0].expand(view_size))
    else:
        window.zero_()
    return [flat.as_strided(size, stride, offset - low), *found[1:]]


def copy_parts_backward(grad, base, view, function):
    """`copy_slices_backward` where one of base and view is complex and the other shows its parts: in real numbers."""
    if grad.is_complex():
        found = copy_slices_backward(cygrad.view_as_real(grad), _parts(*base), view, function)
        return [cygrad.view_as_complex(found[0].contiguous()), *found[1:]]

    def of_parts(window):
        first, *others = function(cygrad.view_as_complex(window))
        return [None if first is None else cygrad.view_as_real(first), *others]
    return copy_slices_backward(grad, base, _parts(*view), of_parts)


def _parts(size, stride, offset):
    """The geometry of a complex tensor's real numbers: a last axis more."""
    return (*size, 2), (*[2 * s for s in stride], 1), 2 * offset


def window_of_parts(base, size, stride, offset):
    """A window on the parts of a complex base, or (of a real base) a window of complex numbers; recorded."""
    if base.is_complex():
        return cygrad.view_as_real(base).as_strided(size, stride, offset)
    return cygrad.view_as_complex(base.as_strided(*_parts(size, stride, offset)))


def as_strided_backward(grad, geometry, size, stride, storage_offset):
    """Gradient of `as_strided` with respect to its input, which lies in the storage as `geometry` says."""
    in_size, in_stride, in_offset = geometry
    offset = in_offset if storage_offset is None else storage_offset
    low = min(in_offset, offset)
    length = max(in_offset - low + _span(in_size, in_stride), offset - low + _span(size, stride))
    if _overlaps(size, stride):
        places = _places(grad, length).as_strided(size, stride, offset - low).reshape(-1)
        flat = grad.new_zeros(length).index_add(0, places, grad.reshape(-1))
    else:
        flat = grad.new_zeros(length)
        flat.as_strided(size, stride, offset - low).copy_(grad)
    if _overlaps(in_size, in_stride):                       # places that the input shows more than once share
        places = _places(grad, length).as_strided(in_size, in_stride, in_offset - low).reshape(-1)
        count = flat.new_zeros(length).index_add(0, places, flat.new_ones(places.numel()))
        flat = flat / count.clamp(min=1)
    return flat.as_strided(in_size, in_stride, in_offset - low)


def _places(like, length):
    return cygrad.arange(length, device=like.device)
