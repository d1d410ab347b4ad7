"""New random tensors inside `vmap`: whether its examples share one, have one each, or may have none."""
from cygrad.batching.levels import left, levels
from cygrad.batching.wrapping import batched

RANDOM_ERROR = ("vmap: called random operation while in randomness error mode. Please either use the 'same' or "
                "'different' randomness flags on vmap or perform the randomness operation out of vmap")
SAME_OF_BATCH = ("Vmap does not currently support same randomness with a batched tensor input. Please file an issue "
                 "with functorch")


def for_each_example(size, make):
    """What `make(size)` gives for all examples of the innermost level, batched; None where they share one draw."""
    if not levels():
        return None
    level = levels()[-1]
    if level.randomness == "error":
        raise RuntimeError(RANDOM_ERROR)
    if level.randomness == "same":
        return None
    shape = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    with left(level):
        found = make((level.size, *shape))
    return batched(found, level)
