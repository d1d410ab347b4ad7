"""Names of axes: what they may be, how two tensors' names match, and which names products have.

Names are tuples with a str or None for each axis; None is a wildcard that matches every name. The rules, and the words
of the errors, are those of PyTorch 1.13's named tensors. Which op follows which rule is in `rules`.
"""
MAX_RANK = 64


def checked(names, rank):
    """The names of a tensor with `rank` axes as it keeps them: a tuple, or None if no axis has a name."""
    if names is None:
        return None
    if isinstance(names, str):
        raise TypeError(f"names: expected a sequence of str or None, one for each axis, got {names!r}")
    names = tuple(names)
    if rank > MAX_RANK:
        raise RuntimeError(f"Named tensors only support up to {MAX_RANK} dims: Attempted to create a tensor with dim "
                           f"{rank} with names {list(names)}")
    for name in names:
        if name is not None:
            check_name(name)
    if len(names) != rank:
        raise RuntimeError(f"Number of names ({len(names)}) and number of dimensions in tensor ({rank}) do not match. "
                           f"Attempted to create a tensor with names {list(names)}")
    given = [name for name in names if name is not None]
    if len(set(given)) != len(given):
        raise RuntimeError(f"Cannot construct a tensor with duplicate names. Got names: {list(names)}.")
    return names if given else None


def check_name(name):
    if not isinstance(name, str):
        raise TypeError(f"names: a name must be a str or None, not {type(name).__name__}")
    if not name.isidentifier():
        raise RuntimeError("Invalid name: a valid identifier contains only digits, alphabetical characters, and/or "
                           f"underscore and starts with a non-digit. got: '{name}'.")


def rename_(tensor, names):
    """Give a tensor's axes these names (None: no names), in place."""
    tensor._set_names(checked(names, tensor.dim()))


def position(tensor, name):
    """The position of the axis of this name."""
    names = tensor.names
    if name not in names:
        raise RuntimeError(f"Name {name!r} not found in Tensor{list(names)}.")
    return names.index(name)


def positions(tensor, dims):
    """`dims`, which may be an axis, or a tuple or list of them, with positions for names."""
    if isinstance(dims, str):
        return position(tensor, dims)
    if isinstance(dims, (tuple, list)) and any(isinstance(dim, str) for dim in dims):
        return tuple(position(tensor, dim) if isinstance(dim, str) else dim for dim in dims)
    return dims


# ------------------------------------------------------------------- two tensors' names

def unify(names, other, action="broadcast"):
    """The names of two operands that are lined up from the right; raises where they differ or are misaligned."""
    rank = max(len(names), len(other))
    padded = (None,) * (rank - len(names)) + tuple(names), (None,) * (rank - len(other)) + tuple(other)
    found = []
    for a, b in zip(*map(reversed, padded)):
        if a is not None and b is not None and a != b:
            raise RuntimeError(f"Error when attempting to {action} dims {list(names)} and dims {list(other)}: dim "
                               f"{a!r} and dim {b!r} are at the same position from the right but do not match.")
        if a is None or b is None:
            check_alignment(a, names, other, action)
            check_alignment(b, other, names, action)
        found.append(b if a is None else a)
    return tuple(reversed(found))


def check_alignment(name, names, other, action):
    """Raise if `name`, which met no name, is elsewhere among the other's."""
    if name is not None and name in other:
        raise RuntimeError(f"Misaligned dims when attempting to {action} dims {list(names)} and dims {list(other)}: "
                           f"dim {name!r} appears in a different position from the right across both lists.")


def unified(values, action="broadcast"):
    """The names of all tensors among `values`, lined up from the right."""
    found = ()
    for value in values:
        if hasattr(value, "names"):
            found = unify(found, value.names, action)
    return found


def check_written(names, computed):
    """An `out=` with names has to have those of the result."""
    if names != computed:
        raise RuntimeError(f"Name mismatch: specified out tensor with names {list(names)} are not the same as the "
                           f"computed output names {list(computed)}. Please rename the out tensor's dimensions.")


# ------------------------------------------------------------------------------ products

def matmul(names, other):
    """The names of a matrix product: batch axes are unified, the axes that are multiplied are gone."""
    batch, other_batch = names[:-2], other[:-2]
    features, other_features = names[-2:], other[-2:]
    check_distinct(batch, other_features, names, other, "second", "first")
    check_distinct(other_batch, features, names, other, "first", "second")
    found = unify(batch, other_batch) + features[:-1] + other_features[1:]
    if len(names) > 1 and len(other) > 1 and found[-1] is not None and found[-2] == found[-1]:
        raise RuntimeError(f"Matrix multiplying Tensor{list(names)} with Tensor{list(other)} would produce output "
                           f"tensor with duplicate names {list(found)}. Please rename the input tensors to prevent "
                           "this.")
    return found


def check_distinct(batch, features, names, other, feature_side, batch_side):
    """Raise if an axis of the batch of one operand is among the last two of the other."""
    if any(name is not None and name in batch for name in features):
        raise RuntimeError(
            f"Misaligned dims when batch matrix multiplying Tensor{list(names)} and Tensor{list(other)}: there is "
            f"overlap between the feature dims of the {feature_side} tensor ({list(features)}) and the batch dims of "
            f"the {batch_side} tensor ({list(batch)}). Please ensure batch dims are not present in the feature dims.")


# ------------------------------------------------------------------------------ ellipsis

def is_ellipsis(name):
    return name is Ellipsis or name == "..."


def ellipsis_index(names, function):
    """Where `...` is among the names given to `function`; None without one."""
    found = [i for i, name in enumerate(names) if is_ellipsis(name)]
    if len(found) > 1:
        raise RuntimeError(f"{function}: More than one Ellipsis ('...') found in names ({names}). This function "
                           "supports up to one Ellipsis.")
    return found[0] if found else None


def without_ellipsis(names, own, function):
    """`names` with the tensor's `own` in the place of `...`."""
    i = ellipsis_index(names, function)
    if i is None:
        return tuple(names)
    return tuple(names[:i]) + tuple(own[i:len(own) - (len(names) - i - 1)]) + tuple(names[i + 1:])
