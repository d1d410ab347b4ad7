"""Names given, changed and used to line tensors up: `rename`, `refine_names`, `align_to` and their kind.

All of them return views. The rules and errors are PyTorch 1.13's.
"""
from cygrad.named_tensors.names import checked, ellipsis_index, is_ellipsis, without_ellipsis
from cygrad.ops.declare.op_forms import op
from cygrad.ops.shape.views import alias


def _named(tensor, names):
    out = alias(tensor)
    out._set_names(checked(names, tensor.dim()))
    return out


def _renamed(tensor, names, changes, function):
    """The names that `rename(*names)` or `rename(**changes)` gives; None for none."""
    if names and changes:
        raise RuntimeError(
            f"{function}: This function takes either positional args or keyword args, but not both. Use "
            f"tensor.{function}(*names) to name dims and tensor.{function}(**rename_map) to rename dims.")
    if not changes:
        return None if names == (None,) else without_ellipsis(names, tensor.names, function)
    found = list(tensor.names)
    for old, new in changes.items():
        if old not in tensor.names:
            raise RuntimeError(f"{function}: Tried to rename dim '{old}' to dim {new} in Tensor[{tensor.names}] but "
                               f"dim '{old}' does not exist")
        found[tensor.names.index(old)] = new
    return found


@op(only_method=True)
def rename(self, *names, **rename_map):
    """A view with other names.

    Parameters
    ----------
    *names : str, None or ...
        One for each axis; `...` stands for the axes that are not mentioned, which keep their names. None alone takes
        all names away.
    **rename_map : str or None
        ``old="new"``: other axes keep their names.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    RuntimeError
        For a number of names that is not that of the axes, for the same name twice, or an old one that is not there.

    Examples
    --------
    >>> x = cygrad.zeros(2, 3, names=("N", "C"))
    >>> x.rename(C="channels").names, x.rename(None).names
    (('N', 'channels'), (None, None))
    """
    return _named(self, _renamed(self, names, rename_map, "rename"))


@op(only_method=True)
def rename_(self, *names, **rename_map):
    """Give the tensor other names, in place; see `rename`.

    Parameters
    ----------
    *names, **rename_map
        As for `rename`.

    Examples
    --------
    >>> cygrad.zeros(2, names=("N",)).rename_("M").names
    ('M',)
    """
    self.names = _renamed(self, names, rename_map, "rename_")
    return self


@op(only_method=True)
def refine_names(self, *names):
    """A view in which axes without a name get one; a name that is there has to be given as it is.

    Parameters
    ----------
    *names : str, None or ...
        One for each axis; `...` stands for the axes that are not mentioned.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> cygrad.zeros(2, 3, 4).refine_names(..., "H", "W").names
    (None, 'H', 'W')
    """
    names, own = without_ellipsis(names, self.names, "refine_names"), self.names
    start = f"refine_names: cannot coerce Tensor{list(own)} to Tensor{list(names)} because "
    if len(names) != len(own):
        raise RuntimeError(f"{start}they have a different number of dims ({len(own)} and {len(names)} respectively).")
    checked(names, len(names))
    for i, (old, new) in enumerate(zip(own, names)):
        if old is not None and old != new:
            how = "is more specific than" if new is None else "is different from"
            raise RuntimeError(f"{start}{old!r} {how} {new!r} at index {i}")
    return _named(self, names)


@op(only_method=True)
def align_to(self, *names):
    """A view with the axes in the order of `names`; a name that the tensor lacks is a new axis of size 1.

    Parameters
    ----------
    *names : str or ...
        All names of the tensor, in any order, and others; `...` stands for the names that are not mentioned.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    RuntimeError
        If an axis has no name, or its name is not among `names`.

    Examples
    --------
    >>> x = cygrad.zeros(2, 3, 4, names=("N", "H", "W"))
    >>> x.align_to("N", "C", "H", "W").shape, x.align_to("W", ...).names
    (cygrad.Size([2, 1, 3, 4]), ('W', 'N', 'H'))
    """
    place, own = ellipsis_index(names, "align_to"), self.names
    if place is not None:
        order = [name for name in names if not is_ellipsis(name)]
        if None in order:
            raise RuntimeError(f"align_to: the desired order of dimensions cannot contain a None name, got {order}")
        rest = [i for i, name in enumerate(own) if name not in order]
        found = [own.index(name) if name in own else None for name in order]
        return _arranged(self, found[:place] + rest + found[place:],
                         order[:place] + [own[i] for i in rest] + order[place:])
    for i, name in enumerate(own):
        if name is None:
            raise RuntimeError(f"align_to: All input dims must be named. Found unnamed dim at index {i} of "
                               f"Tensor{list(own)}")
        if name not in names:
            raise RuntimeError(f"align_to: Cannot find dim {name!r} from Tensor{list(own)} in desired alignment "
                               f"{list(names)}.")
    return _arranged(self, [own.index(name) if name in own else None for name in names], names)


def _arranged(tensor, axes, names):
    """A view with these axes, None standing for a new one of size 1."""
    plain = tensor._plain()
    out = plain.permute([i for i in axes if i is not None])
    for place, i in enumerate(axes):
        if i is None:
            out = out.unsqueeze(place)
    out._view_instead(plain, tensor)
    out._set_names(checked(names, len(axes)))
    return out


@op(only_method=True)
def align_as(self, other):
    """A view with the axes in the order of other's names; see `align_to`.

    Parameters
    ----------
    other : Tensor
        All of whose axes have names.

    Returns
    -------
    Tensor
        A view.

    Examples
    --------
    >>> image = cygrad.ones(2, 3, 4, names=("N", "C", "W"))
    >>> scale = cygrad.ones(3, names=("C",))
    >>> (image * scale.align_as(image)).names
    ('N', 'C', 'W')
    """
    return align_to(self, *other.names)


@op(method=False)
def align_tensors(*tensors):
    """Views of tensors with the names of the one that has most axes, for broadcasting by name.

    Parameters
    ----------
    *tensors : Tensor
        The names of each have to be among the longest's, in the same order.

    Returns
    -------
    tuple of Tensor

    Examples
    --------
    >>> a = cygrad.zeros(2, 3, 4, names=("N", "H", "W"))
    >>> b = cygrad.zeros(3, names=("H",))
    >>> [t.shape for t in cygrad.align_tensors(a, b)]
    [cygrad.Size([2, 3, 4]), cygrad.Size([1, 3, 1])]
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    longest = max(tensors, key=lambda t: t.dim()).names
    return tuple(_aligned(t, longest) for t in tensors)


def _aligned(tensor, names):
    """A view with new axes of size 1 where `names` has a name that the tensor lacks."""
    own = tensor.names
    axes, dim = [None] * len(names), len(own) - 1
    for place in range(len(names) - 1, -1, -1):
        if dim >= 0 and own[dim] == names[place]:
            if own[dim] is None and len(own) - dim != len(names) - place:
                raise RuntimeError(
                    f"Aligning Tensor{list(own)} to `names` {list(names)} would change the absolute position from the "
                    "right of an unnamed dimension. Please name unnamed dimensions to avoid ambiguity.")
            axes[place], dim = dim, dim - 1
    if dim >= 0:
        raise RuntimeError(f"Could not align Tensor{list(own)} to `names` {list(names)} because {list(own)} is not a "
                           "subsequence of `names`.")
    return _arranged(tensor, axes, names)
