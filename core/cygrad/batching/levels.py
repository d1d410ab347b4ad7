"""The levels of `vmap` that a thread is in, and how tensors get into them and out again."""
import threading

from cygrad.autograd.forward_levels import count_batches, set_depth, set_tangent, visible_tangents
from cygrad.autograd.modes import count_transforms, grad_mode, set_grad_mode
from cygrad.batching.wrapping import BatchedTensor, batched, is_batched

# .levels: the levels that this thread is in, .derivatives: the numbers of transforms that differentiate; the outermost
# first.
_thread = threading.local()


class BatchLevel:
    """One call of a function by `vmap`: how many examples there are, and what random ops may do.

    Transforms of all kinds are numbered from 1, the outermost; `depth` is this one's number.
    """
    __slots__ = ("size", "randomness", "depth")

    def __init__(self, size, randomness, depth):
        self.size, self.randomness, self.depth = size, randomness, depth


def levels():
    """The levels that this thread is in, the outermost first."""
    if not hasattr(_thread, "levels"):
        _thread.levels = []
    return _thread.levels


class entered:
    """Context manager: a level of `vmap` over `size` examples."""

    def __init__(self, size, randomness="error"):
        self.size, self.randomness = size, randomness

    def __enter__(self):
        count_batches(1)
        self.mode = grad_mode()
        if not self.mode:
            set_grad_mode(2)
        level = BatchLevel(self.size, self.randomness, count_transforms(1))
        levels().append(level)
        return level

    def __exit__(self, *error):
        levels().pop()
        count_transforms(-1)
        count_batches(-1)
        set_grad_mode(self.mode)


def derivatives():
    """The numbers of the transforms that this thread is in and that differentiate, the outermost first."""
    if not hasattr(_thread, "derivatives"):
        _thread.derivatives = []
    return _thread.derivatives


class differentiating:
    """Context manager: a transform that differentiates."""

    def __enter__(self):
        derivatives().append(count_transforms(1))

    def __exit__(self, *error):
        derivatives().pop()
        count_transforms(-1)


def uncounted(function):
    """A function for `vmap` to which it is no transform: PyTorch computes batches of gradients by an older `vmap`."""
    def run(*args):
        transforms = count_transforms(0)
        count_transforms(-transforms)
        try:
            return function(*args)
        finally:
            count_transforms(transforms)
    return run


class left:
    """Context manager: outside of a level again, and of all transforms inside of it."""

    def __init__(self, level):
        self.level = level

    def __enter__(self):
        self.levels, self.derivatives = levels()[:], derivatives()[:]
        levels()[:] = [each for each in levels() if each.depth < self.level.depth]
        derivatives()[:] = [number for number in derivatives() if number < self.level.depth]
        self.batches = len(self.levels) - len(levels())
        self.transforms = count_transforms(0) - self.level.depth + 1
        count_batches(-self.batches)
        count_transforms(-self.transforms)

    def __exit__(self, *error):
        levels()[:], derivatives()[:] = self.levels, self.derivatives
        count_batches(self.batches)
        count_transforms(self.transforms)


# ------------------------------------------------------------------- one level

def level_of(tensors):
    """The innermost level at which one of these is batched."""
    found = None
    for t in tensors:
        if isinstance(t, BatchedTensor) and (found is None or t.level.depth > found.depth):
            found = t.level
    return found


def lifted(t, level):
    """A tensor of which only a tangent is batched at a level, as one that is batched itself; others as they are."""
    if isinstance(t, BatchedTensor):
        inner = t.value if t.level is level else lifted(t.value, level)
        return t if inner is t.value else within(batched(inner.value.movedim(1, 0), t.level), level)
    found = visible_tangents(t)
    if not any(holds(tangent, level) for tangent in found.values()):
        return t
    before = set_depth(0)                   # the tangents are spread by themselves
    try:
        value = t.expand(level.size, *t.shape)
    finally:
        set_depth(before)
    for each, tangent in found.items():
        set_tangent(value, each, whole(tangent, level))
    return batched(value, level)


def holds(t, level):
    """Whether a tensor is batched at a level, or what is inside it."""
    while isinstance(t, BatchedTensor):
        if t.level is level:
            return True
        t = t.value
    return False


def whole(t, level):
    """The values of all examples, along axis 0; those of a tensor that is the same for all of them are expanded."""
    t = lifted(t, level)
    if is_batched(t, level):
        return t.value
    if holds(t, level):                     # inside another level
        return batched(whole(t.value, level).movedim(0, 1), t.level)
    return t.expand(level.size, *t.shape)


# -------------------------------------------------------------- all levels: for derivatives

def bare(t):
    """(the tensor with all examples of all levels, the levels as they were around it)."""
    dress = []
    while isinstance(t, BatchedTensor):
        dress.append(t.level)
        t = t.value
    return t, tuple(dress)


def dressed(t, dress):
    """The tensor in these levels again."""
    for level in reversed(dress):
        t = within(t, level)
    return t


def within(t, level):
    """The tensor, its axis 0 being the batch of a level; inside the levels that are deeper."""
    if isinstance(t, BatchedTensor) and t.level.depth > level.depth:
        return batched(within(t.value.movedim(1, 0), level), t.level)
    return batched(t, level)


def spread(t, wanted=None):
    """The tensor batched at every level that the thread is in, or at the levels of a dress (the innermost first)."""
    wanted = levels()[::-1] if wanted is None else wanted
    if not wanted:
        return t
    level, rest = wanted[0], wanted[1:]
    return batched(spread(whole(t, level), rest), level)


def dual(value, tangent, make):
    """``make(value, tangent)`` of what is inside the levels that `value` is batched at; a tangent may have more."""
    if isinstance(value, BatchedTensor):
        return batched(dual(value.value, whole(tangent, value.level), make), value.level)
    return make(value, tangent)


def parted(t, part):
    """The two results of ``part(inner)`` for what is inside all levels, in these levels; the second may be None."""
    if not isinstance(t, BatchedTensor):
        return part(t)
    first, second = parted(t.value, part)
    return batched(first, t.level), None if second is None else within(second, t.level)
