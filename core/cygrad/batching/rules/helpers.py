"""What rules of several sections share."""
from cygrad.batching.levels import is_batched, whole
from cygrad.batching.wrapping import batched

RULES = {}          # {op: rule}


def rule(names):
    """Decorator: the rule of these ops."""
    def add(function):
        for name in names.split():
            RULES[name] = function
        return function
    return add


def axis(dim, rank, extra=0):
    """Where an example's axis is in the whole batch; raises PyTorch's error for one that it does not have."""
    span = max(rank + extra, 1)
    if not -span <= dim < span:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], but got {dim})")
    return dim % span + 1


def axes(dims, rank):
    return tuple([axis(dim, rank) for dim in dims])


def ranked(t, level, rank):
    """The values of a batched tensor with axes of size 1 put in after the batch's, so that examples have this rank."""
    value = t.value
    missing = rank - (value.dim() - 1)
    return value if missing <= 0 else value.view(value.shape[0], *(1,) * missing, *value.shape[1:]) if (
        value.is_contiguous()) else value[(slice(None), *(None,) * missing)]


def folded(value):
    """The batch and the first axis of its examples as one axis."""
    return value.flatten(0, 1)


def apart(value, level):
    """The undoing of `folded`."""
    return value.unflatten(0, (level.size, -1 if level.size else 0))


def example(t, level):
    """A tensor as it is in the function, which a rule in terms of other ops returns: batched in any case."""
    return batched(whole(t, level), level)


__all__ = ["RULES", "apart", "axes", "axis", "example", "folded", "is_batched", "ranked", "rule", "whole"]
