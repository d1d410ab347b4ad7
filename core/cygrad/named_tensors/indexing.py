"""`x[key]` and `x[key] = value` of named tensors."""
from cygrad.named_tensors.call import run
from cygrad.named_tensors.names import unify
from cygrad.ops.index.tensor_places import is_mask
from cygrad.ops.index.index_put import parts_of
from cygrad.tensor import Tensor


def getitem(tensor, key):
    """``tensor[key]``: an axis keeps its name under a slice or one vector of indices, and is gone under a number."""
    return run(Tensor.__getitem__, (tensor, key), {}, names_of(tensor, key))


def setitem(tensor, key, value):
    """``tensor[key] = value``: the names of `value` have to match those of ``tensor[key]``."""
    if isinstance(value, Tensor) and type(value) is not Tensor and value.names == (None,) * value.dim() and (
            not tensor.has_names()):
        from cygrad.batching import keys      # start-up time
        return keys.setitem(tensor, key, value)
    if isinstance(value, Tensor):
        unify(names_of(tensor, key), value.names)
    run(Tensor.__setitem__, (tensor, key, value), {}, None, [(tensor, tensor.names)])


def names_of(tensor, key):
    """The names of ``tensor[key]``."""
    parts = parts_of(key)
    if not any(part is Ellipsis for part in parts):
        parts.append(Ellipsis)
    covered = tensor.dim() - sum(map(axes_taken, parts))
    names, axis, found, indexed = tensor.names, 0, [], []
    for part in parts:
        taken = covered if part is Ellipsis else axes_taken(part)
        own = names[axis:axis + taken]
        if part is Ellipsis or isinstance(part, slice):
            found += own
        elif part is None:
            found.append(None)
        elif isinstance(part, (bool, Tensor)):
            vector = isinstance(part, Tensor) and part.dim() == 1
            rank = part.dim() if isinstance(part, Tensor) and not is_mask(part) else 1
            indexed.append((len(found), own if vector else (None,) * rank))
        axis += taken
    if not indexed:
        return tuple(found)
    # Where index tensors stand side by side, the axes they make are there; else first.
    place = indexed[0][0] if len({place for place, _ in indexed}) == 1 else 0
    made = indexed[0][1] if len(indexed) == 1 else (None,) * max(len(made) for _, made in indexed)
    return (*found[:place], *made, *found[place:])


def axes_taken(part):
    """How many axes of the tensor a part of a key (not the ellipsis) speaks of."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    return part.dim() if isinstance(part, Tensor) and is_mask(part) else 1
