"""`x[key]` and `x[key] = value` of named tensors."""
from cygrad.names import unify
from cygrad.named_call import Stripped, run
from cygrad.ops.indexing import is_mask, parts_of
from cygrad.tensor import Tensor


def getitem(tensor, key):
    """``tensor[key]``: an axis keeps its name under a slice or a vector of indices, and is gone under a number."""
    return run(Tensor.__getitem__, (tensor, key), {}, names_of(tensor, key))


def setitem(tensor, key, value):
    """``tensor[key] = value``: the names of `value` have to match those of ``tensor[key]``."""
    names = names_of(tensor, key)
    if isinstance(value, Tensor):
        unify(names, value.names)
    run(Tensor.__setitem__, (tensor, key, value), {}, None, [(tensor, tensor.names)])


def names_of(tensor, key):
    """The names of ``tensor[key]``."""
    parts = [part.item() if isinstance(part, Tensor) and not part.dim() else part for part in parts_of(key)]
    used = sum(part.dim() if isinstance(part, Tensor) and is_mask(part) else 1 for part in parts
               if part is not None and part is not Ellipsis and part is not True and part is not False)
    rest, names, found, indexed = tensor.dim() - used, tensor.names, [], []
    if Ellipsis not in [part for part in parts if not isinstance(part, Tensor)]:
        parts.append(Ellipsis)
    axis = 0
    for part in parts:
        if part is Ellipsis:
            found += names[axis:axis + max(rest, 0)]
            axis += rest
            rest = 0
        elif part is None:
            found.append(None)
        elif isinstance(part, slice):
            found += names[axis:axis + 1]
            axis += 1
        elif isinstance(part, Tensor) or isinstance(part, bool):
            mask = isinstance(part, bool) or is_mask(part)
            indexed.append((len(found), 1 if mask else part.dim(), names[axis:axis + 1] if not mask or part.dim() == 1
                            else (None,)) if not isinstance(part, bool) else (len(found), 1, (None,)))
            axis += 0 if isinstance(part, bool) else part.dim() if mask else 1
        else:
            axis += 1
    return _with_indexed(found, indexed)


def _with_indexed(found, indexed):
    """Names with those of the axes that index tensors make: in their place, or first if they are not side by side."""
    if not indexed:
        return tuple(found)
    rank = max(rank for _, rank, _ in indexed)
    place = indexed[0][0] if len({place for place, _, _ in indexed}) == 1 else 0
    given = tuple(indexed[0][2]) if len(indexed) == 1 and rank == 1 else (None,) * rank
    return tuple(found[:place]) + given + tuple(found[place:])
