"""Names of axes: not there yet. What asks for them gets a clear error instead of a tensor without them."""


def _missing(what):
    return NotImplementedError(f"{what}: cygrad has no named axes yet; address axes by number")


def rename_(tensor, names):
    """Give a tensor's axes names; only None, no name, is possible so far."""
    if names is not None and any(name is not None for name in names):
        raise _missing(f"names={tuple(names)!r}")


def position(tensor, name):
    """The position of the axis of this name."""
    raise _missing(f"axis {name!r}")


def unify_into(out, *operands):
    """Name the axes of a result as its operands' are."""
    raise _missing("an op on named tensors")
