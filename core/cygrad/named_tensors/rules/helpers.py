"""What the rules are written with."""
from cygrad.ops.shape.views import wrap

RULES = {}          # op -> rule

UNSUPPORTED = ("{} is not yet supported with named tensors. Please drop names via `tensor = tensor.rename(None)`, call "
               "the op with an unnamed tensor, and set names on the result of the operation.")


def rule(ops):
    """Decorator: the rule of these ops."""
    def add(function):
        RULES.update(dict.fromkeys(ops.split(), function))
        return function
    return add


def axes_of(call, dims):
    """Axes of the input (one, or several) as a set of numbers from the front."""
    rank = call.input.dim()
    return {wrap(dim, rank) for dim in (dims if isinstance(dims, (tuple, list)) else (dims,))}


def without(names, removed):
    return tuple(name for i, name in enumerate(names) if i not in removed)


def raised(names, rank):
    """The names of a tensor as it is made to have at least so many axes."""
    if rank == 3 and len(names) in (1, 2):
        names = ((None,) if len(names) == 1 else ()) + names + (None,)
    return (None,) * (rank - len(names)) + names
