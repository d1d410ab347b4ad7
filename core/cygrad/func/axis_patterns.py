"""`rearrange`: axes permuted, taken apart and put together as a pattern says, in the notation of einops."""
import math
import re

import cygrad

ELLIPSIS = "…"
UNIT = "1"


class DimensionBindError(Exception):
    """The sizes that a pattern gives to axes don't agree with the tensor's."""


def rearrange(tensor, pattern, **axes_lengths):
    """A tensor with its axes in another order, taken apart or put together.

    Parameters
    ----------
    tensor : Tensor or sequence of Tensor
        A sequence is stacked along a first axis.
    pattern : str
        Names of the axes before, `->`, and after; what stands in parentheses is one axis, and `...` any number of them.
    **axes_lengths : int
        Sizes of axes that one axis is taken apart into; one of them can be left out.

    Returns
    -------
    Tensor
        A view where that can be.

    Raises
    ------
    ValueError
        For a pattern that makes no sense, or doesn't for this tensor.
    DimensionBindError
        If sizes don't fit.

    Notes
    -----
    The notation is that of einops (Rogozhnikov, 2022).

    Examples
    --------
    >>> import cygrad
    >>> images = cygrad.zeros(32, 30, 40, 3)
    >>> cygrad.func.rearrange(images, "b h w c -> (b h) w c").shape
    cygrad.Size([960, 40, 3])
    >>> cygrad.func.rearrange(images, "b (h h1) (w w1) c -> b h w (c h1 w1)", h1=2, w1=2).shape
    cygrad.Size([32, 15, 20, 12])
    """
    if not isinstance(tensor, cygrad.Tensor):
        tensor = cygrad.stack(tensor)
    before, after = sides(pattern)
    for size in axes_lengths.values():
        if not isinstance(size, int):
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(size)}")
    check_names(before, after, pattern, axes_lengths)
    rank, named = tensor.dim(), len(before) - (ELLIPSIS in before)
    if named > rank or named < rank and ELLIPSIS not in before:
        raise ValueError(f"Number of dimensions in pattern ({named}) must be equal to the number of dimensions in the "
                         f"tensor ({rank})")
    rest = [f"{ELLIPSIS}{i}" for i in range(rank - named)]
    before, after = (written_out(side, rest) for side in (before, after))
    lengths = {}
    for group, size in zip(before, tensor.shape):
        lengths.update(sizes_of(group, size, axes_lengths))
    order = [name for group in before for name in group]
    apart = tensor.reshape([lengths[name] for name in order])
    moved = apart.permute([order.index(name) for group in after for name in group])
    return moved.reshape([math.prod(lengths[name] for name in group) for group in after])


def written_out(side, rest):
    """The axes of a side with names for those that `...` stands for."""
    found = []
    for group in side:
        if group == ELLIPSIS:
            found += [[name] for name in rest]
        else:
            found.append([each for name in group for each in (rest if name == ELLIPSIS else [name])])
    return found


def sides(pattern):
    """The axes before and after: each a list of names that make one axis, or ELLIPSIS."""
    parts = pattern.split("->")
    if len(parts) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    return list(map(groups, parts))


def groups(text):
    found, inner = [], None
    if "." in text:
        if text.count("...") != 1 or text.count(".") != 3:
            raise ValueError("Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ")
        text = text.replace("...", ELLIPSIS)
    for word in re.findall(r"[()]|[^\s()]+", text):
        if word == "(":
            if inner is not None:
                raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
            inner = []
        elif word == ")":
            if inner is None:
                raise ValueError("Brackets are not balanced")
            found.append(inner)
            inner = None
        elif word == UNIT:
            if inner is None:
                found.append([])
        else:
            check_name(word)
            if inner is not None:
                inner.append(word)
            else:
                found.append(word if word == ELLIPSIS else [word])
    if inner is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{text.replace(ELLIPSIS, '...')}'")
    return found


def check_name(word):
    if word == ELLIPSIS:
        return
    if word.isdecimal():
        raise ValueError("rearrange only supports unnamed axes of size 1")
    why = ("not a valid python identifier" if not word.isidentifier() else
           "axis name should should not start or end with underscore" if "_" in (word[0], word[-1]) else None)
    if why:
        raise ValueError(f"Invalid axis identifier: {word}\n{why}")


def check_names(before, after, pattern, lengths):
    names = [[name for group in side for name in group] for side in (before, after)]
    for side in names:
        for name in side:
            if side.count(name) > 1:
                raise ValueError(f"Indexing expression contains duplicate dimension '{name}'")
    if ELLIPSIS in names[1] and ELLIPSIS not in names[0]:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if ELLIPSIS in names[0] and ELLIPSIS not in before:
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    if set(names[0]) != set(names[1]):
        raise ValueError("Identifiers only on one side of rearrange expression (should be on both): "
                         f"{set(names[0]) ^ set(names[1])}")
    unknown = set(lengths) - set(names[0])
    if unknown:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")


def sizes_of(group, size, given):
    """{name: size} of the axes that one axis of this size is taken apart into."""
    found = {name: given[name] for name in group if name in given}
    missing = [name for name in group if name not in given]
    known = math.prod(found.values())
    if len(missing) > 1:
        raise DimensionBindError(f"cannot infer the sizes of two dimensions at once {missing[0]} and {missing[1]}")
    if missing:
        if not known or size % known:
            sizes = tuple(given.get(name, "?") for name in group)
            raise DimensionBindError(f"inferred dimension does not evenly fit into larger dimension: {size} vs {sizes}")
        found[missing[0]] = size // known
    elif known != size:
        raise DimensionBindError(f"Dimension sizes to do not match ({size} != {known}) when matching dimension pack "
                                 f"({', '.join(group)}{',' * (len(group) == 1)})")
    return found
