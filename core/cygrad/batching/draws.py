"""New random tensors inside `vmap`: whether its examples share one, have one each, or may have none."""
import cygrad
from cygrad.autograd.forward_levels import UnbatchedDraw
from cygrad.batching.levels import left, levels
from cygrad.batching.wrapping import batched
from cygrad.tensor import Tensor

RANDOM_ERROR = ("vmap: called random operation while in randomness error mode. Please either use the 'same' or "
                "'different' randomness flags on vmap or perform the randomness operation out of vmap")
SAME_OF_BATCH = ("Vmap does not currently support same randomness with a batched tensor input. Please file an issue "
                 "with functorch")


def for_all(op, tensors, *args, together=True, **kwargs):
    """What an op draws for all examples from tensors that are the same for each; not `together`: one by one."""
    level = levels()[-1]
    with left(level):
        if together:
            spread = [t.expand(level.size, *t.shape) if isinstance(t, Tensor) else t for t in tensors]
            return batched(op(*spread, *args, **kwargs), level)
        return batched(cygrad.stack([op(*tensors, *args, **kwargs) for _ in range(level.size)]), level)


def check_draw():
    """Raise where examples may not share the draw that is made."""
    randomness = levels()[-1].randomness if levels() else "same"
    if randomness == "error":
        raise RuntimeError(RANDOM_ERROR)
    if randomness == "different":
        raise UnbatchedDraw("vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will "
                            "appear like same randomness. If this is necessary for your usage, please file an issue "
                            "with functorch.")


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
