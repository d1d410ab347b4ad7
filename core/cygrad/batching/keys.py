"""Keys on what stands in for a batch: ``x[key]`` and ``x[key] = value``, with tensors in the key or without."""
import cygrad
from cygrad.autograd.forward_levels import NoBatchingRule
from cygrad.batching.dispatch import in_place_error
from cygrad.batching.levels import is_batched, level_of, whole
from cygrad.batching.wrapping import batched
from cygrad.ops.index.index_put import stands_for_tuple
from cygrad.tensor import Tensor


def parts_of(key):
    """The key as a tuple, without an ellipsis at its end."""
    if isinstance(key, list) and key and not all(type(k) is int for k in key) and stands_for_tuple(key):
        key = tuple(key)
    return key if isinstance(key, tuple) else (key,)


def level_in(x, key, *values):
    return level_of(t for t in (x, *parts_of(key), *values) if isinstance(t, Tensor))


def getitem(x, key):
    """``x[key]``."""
    level = level_in(x, key)
    try:
        return batched(whole(x, level)[whole_key(x, key, level)], level)
    except NoBatchingRule:
        return batched(cygrad.stack([example(x, level, i)[example_key(key, level, i)] for i in range(level.size)]),
                       level)


def example(t, level, i):
    return t.value.select(0, i) if is_batched(t, level) else t


def example_key(key, level, i):
    """The key of example i."""
    return tuple([example(k, level, i) if isinstance(k, Tensor) else k for k in parts_of(key)])


def setitem(x, key, value):
    """``x[key] = value``."""
    level = level_in(x, key, value)
    if not is_batched(x, level):
        raise RuntimeError(in_place_error(level))
    try:
        whole_ = whole_key(x, key, level)
    except NoBatchingRule:
        for i in range(level.size):
            x.value.select(0, i)[example_key(key, level, i)] = example(value, level, i)
        return
    if is_batched(value, level):
        value = lined_up(value.value, window_rank(x, key))
    x.value[whole_] = value


def lined_up(value, rank):
    """The values of a batch, with axes of size 1 put in or left out so that examples have this rank."""
    while value.dim() - 1 > rank and value.shape[1] == 1:
        value = value.squeeze(1)
    missing = rank - (value.dim() - 1)
    return value[(slice(None), *(None,) * missing)] if missing > 0 else value


def window_rank(x, key):
    """How many axes an example of ``x[key]`` has."""
    like = cygrad.empty(x.shape)
    plain = tuple([cygrad.zeros(k.shape, dtype=k.dtype) if isinstance(k, Tensor) else k for k in parts_of(key)])
    return like[plain].dim()


def whole_key(x, key, level):
    """The key of all examples: the batch's axis as it is; or, where a tensor in it is batched, by its places."""
    key = parts_of(key)
    tensors = [k for k in key if isinstance(k, Tensor)]
    if any(is_batched(k, level) and k.dtype is cygrad.bool for k in tensors):
        raise RuntimeError("vmap: It looks like you're attempting to use a boolean mask as a key, whose result has a "
                           "shape that depends on the data. We don't support that yet, please shout over at "
                           "https://github.com/pytorch/functorch/issues/256 .")
    if not any(is_batched(k, level) for k in tensors):
        advanced = [i for i, k in enumerate(key) if isinstance(k, (Tensor, list))]
        if advanced and separated(key, advanced):
            return front_key(x, key, level, [])
        return (slice(None), *key)
    return front_key(x, key, level, tensors)


def separated(key, places):
    """Whether something stands between the tensors of a key, so that their axes come first in the result."""
    return any(not isinstance(key[i], (Tensor, list, int)) for i in range(places[0], places[-1] + 1))


def front_key(x, key, level, tensors):
    """A key whose first part are the places in the batch, shaped to go along with the other tensors of the key."""
    rank = max([k.dim() for k in key if isinstance(k, Tensor)] + [cygrad.tensor(k).dim() for k in key
                                                                  if isinstance(k, list)])
    places = cygrad.arange(level.size, device=x.device).reshape(-1, *(1,) * rank)
    found = []
    for k in key:
        if is_batched(k, level):
            k = lined_up(k.value, rank)
        found.append(k)
    if not separated(key, [i for i, k in enumerate(key) if isinstance(k, (Tensor, list))] or [0]):
        first = next(i for i, k in enumerate(key) if isinstance(k, (Tensor, list)))
        if any(k is None or isinstance(k, slice) or k is Ellipsis for k in key[:first]):
            raise NoBatchingRule("a key with tensors behind slices")
    return (places, *found)


def put(level, x, indices, values, accumulate, in_place):
    """``index_put`` of examples."""
    if in_place and not is_batched(x, level):
        raise RuntimeError(in_place_error(level))
    target = x.value if in_place else whole(x, level)
    key = tuple([slice(None) if k is None else k for k in indices])
    key = front_key(x, key, level, indices)
    if is_batched(values, level):
        values = lined_up(values.value, window_rank(x, tuple([slice(None) if k is None else k for k in indices])))
    made = tuple([None if isinstance(k, slice) else k for k in key])
    if in_place:
        target.index_put_(made, values, accumulate)
        return x
    return target.index_put(made, values, accumulate)
