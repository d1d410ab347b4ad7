"""Pooling to a given size: windows that cover the input as evenly as they can."""
from functools import lru_cache

import cygrad
from cygrad.dispatch.memory_formats import format_of
from cygrad.ops.declare.operand_types import hashable, need_tensors, refused
from cygrad.ops.declare.op_forms import op
from cygrad.ops.nn.pooling_windows import adaptive, largest_of, mean_of


def output_sizes(name, axes, output_size, sizes):
    """A number for each axis; None takes the input's size."""
    if isinstance(output_size, int):
        return (output_size,) * axes
    found = tuple(output_size)
    if len(sizes) <= len(found):
        raise ValueError(f"Input dimension should be at least {len(found) + 1}")
    return tuple(own if n is None else n for n, own in zip(found, sizes[len(sizes) - len(found):]))


def check_filled(name, shape, axes):
    """Refuse an input of which one of these axes has size 0."""
    for i in axes if 0 in shape else ():
        if shape[i] == 0:
            raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input "
                               "has "
                               f"sizes {list(shape)} with dimension {i} being empty")


def planned(check, name, axes, input, output_size):
    """(boxes, sizes) of a call, which is checked; kept for plain numbers."""
    size = hashable(output_size)
    plain = type(size) is int or type(size) is tuple and all([type(n) is int or n is None for n in size])
    return (plan if plain else plan.__wrapped__)(check, name, axes, input.shape, size)


@lru_cache(1024)
def plan(check, name, axes, shape, output_size):
    sizes = output_sizes(name, axes, output_size, shape)
    check(name, axes, shape, sizes)
    return tuple([adaptive(n, max(out, 1)) for n, out in zip(shape[len(shape) - axes:], sizes)]), sizes


# ---------------------------------------------------------------------------------------- the mean

def check_mean(name, axes, shape, sizes):
    if len(sizes) != axes:
        raise RuntimeError(f"{name}: output_size must be {axes}")
    if min(sizes) < 0:
        shown = f"{sizes[0]}, {','.join(map(str, sizes[1:]))}"
        raise RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0 but received "
                           f"{{{shown}}}")
    one = max(sizes) == 1 and min(sizes) == 1           # of any number of axes
    if not one and len(shape) not in (axes + 1, axes + 2):
        raise RuntimeError(f"{name}(): Expected {axes + 1}D or {axes + 2}D tensor, but got {list(shape)}")
    if not one and len(shape) >= axes:
        check_filled(name, shape, range(len(shape) - axes if axes == 2 else 1, len(shape)))


def adaptive_mean(name, axes, input, output_size):
    need_tensors(name, input=input)
    boxes, sizes = planned(check_mean, name, axes, input, output_size)
    if max(sizes) == 1 and min(sizes) == 1:
        found = input.mean(tuple(range(-axes, 0)), keepdim=True)
        if format_of(input) is not None:            # any stride says so of one place; this is PyTorch's
            n, c = found.shape[:2]
            return found.as_strided_((n, c, *sizes), (c, 1, *[c] * axes))
        return found
    if not input.is_floating_point() and (input.numel() or axes == 3):
        raise refused(name if axes == 2 else f"{name}_cpu", input.dtype)
    return mean_of[name](input, boxes, sizes, None)


@op(method=False)
def adaptive_avg_pool1d(input, output_size):
    """Means of `output_size` windows that cover each row as evenly as they can.

    Parameters
    ----------
    input : Tensor
        (N, C, L) or (C, L).
    output_size : int

    Returns
    -------
    Tensor
        (N, C, output_size) or (C, output_size).

    Examples
    --------
    >>> cygrad.adaptive_avg_pool1d(cygrad.tensor([[1., 3., 5., 7.]]), 2)
    tensor([[2., 6.]])
    """
    size = check_rows("adaptive_avg_pool1d", input, output_size)
    return adaptive_mean("adaptive_avg_pool2d", 2, input.unsqueeze(-2), (1, size)).squeeze(-2)


def check_rows(name, input, output_size):
    """The size for an input of rows, which is checked."""
    need_tensors(name, input=input)
    if input.dim() not in (2, 3):
        raise RuntimeError(f"Expected 2 to 3 dimensions, but got {input.dim()}-dimensional tensor for argument #1 "
                           "'self' "
                           f"(while checking arguments for {name})")
    size = (output_size,) if isinstance(output_size, int) else tuple(output_size)
    if size == (None,):
        raise TypeError(f"{name}(): argument 'output_size' (position 2) must be tuple of ints, but found element of "
                        "type NoneType at pos 0")
    if len(size) != 1:
        raise RuntimeError(f"{name}() argument 'output_size' should contain one int (got {len(size)})")
    return size[0]


def adaptive_avg_pool2d(input, output_size):
    """Means of windows that cover each image as evenly as they can.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W) or (C, H, W).
    output_size : int or pair of int or None
        How many rows and columns of windows; None takes the input's size.

    Returns
    -------
    Tensor
        Of input's shape but for its last two axes, which have `output_size`.

    Examples
    --------
    >>> cygrad.nn.functional.adaptive_avg_pool2d(cygrad.arange(6.).view(1, 2, 3), (1, 2))
    tensor([[[2., 3.]]])
    """
    return adaptive_mean("adaptive_avg_pool2d", 2, input, output_size)


def adaptive_avg_pool3d(input, output_size):
    """Means of windows that cover each volume as evenly as they can.

    Parameters
    ----------
    input : Tensor
        (N, C, D, H, W) or (C, D, H, W).
    output_size : int or triple of int or None
        How many windows along each axis; None takes the input's size.

    Returns
    -------
    Tensor
        Of input's shape but for its last three axes, which have `output_size`.

    Examples
    --------
    >>> cygrad.nn.functional.adaptive_avg_pool3d(cygrad.arange(8.).view(1, 2, 2, 2), 1)
    tensor([[[[3.5000]]]])
    """
    return adaptive_mean("adaptive_avg_pool3d", 3, input, output_size)


# ------------------------------------------------------------------------------------- the largest

def check_largest(name, axes, shape, sizes):
    if len(shape) not in (axes + 1, axes + 2):
        raise RuntimeError(f"{name}(): Expected {axes + 1}D or {axes + 2}D tensor, but got: {list(shape)}")
    check_filled(name, shape, range(1, len(shape)))
    if len(sizes) != axes:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {axes}")
    if min(sizes) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {next(n for n in sizes if n < 0)}: "
                           f"{[*shape[:len(shape) - axes], *sizes]}")


def adaptive_largest(name, axes, input, output_size):
    need_tensors(name, input=input)
    boxes, sizes = planned(check_largest, name, axes, input, output_size)
    if not input.is_floating_point():
        raise refused(name if axes == 2 else f"{name}_cpu", input.dtype)
    return largest_of[name](input, boxes, sizes)


@op(method=False, name="adaptive_max_pool1d")
def adaptive_max_pool1d_with_indices(input, output_size, return_indices=False):
    """The largest numbers of `output_size` windows that cover each row, and their places in the row.

    Parameters
    ----------
    input : Tensor
        (N, C, L) or (C, L).
    output_size : int
        How many windows.
    return_indices : bool
        Makes no difference here.

    Returns
    -------
    tuple of Tensor
        The results, and their int64 places.

    Examples
    --------
    >>> cygrad.nn.functional.adaptive_max_pool1d_with_indices(cygrad.tensor([[1., 3., 2., 0.]]), 2)
    (tensor([[3., 2.]]), tensor([[1, 2]]))
    """
    size = check_rows("adaptive_max_pool1d", input, output_size)
    check_filled("adaptive_max_pool1d", tuple(input.shape), range(1, input.dim()))
    found = adaptive_largest("adaptive_max_pool2d", 2, input.unsqueeze(-2), (1, size))
    return found[0].squeeze(-2), found[1].squeeze(-2)


def adaptive_max_pool2d_with_indices(input, output_size, return_indices=False):
    """`adaptive_max_pool2d`, and where in its plane each result is.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W) or (C, H, W).
    output_size : int or pair of int or None
        As in `adaptive_max_pool2d`.
    return_indices : bool
        Makes no difference here.

    Returns
    -------
    tuple of Tensor
        The results, and their int64 places.

    Examples
    --------
    >>> cygrad.nn.functional.adaptive_max_pool2d_with_indices(cygrad.arange(4.).view(1, 2, 2), 1)
    (tensor([[[3.]]]), tensor([[[3]]]))
    """
    return adaptive_largest("adaptive_max_pool2d", 2, input, output_size)


def adaptive_max_pool3d_with_indices(input, output_size, return_indices=False):
    """`adaptive_max_pool3d`, and where in its volume each result is.

    Parameters
    ----------
    input : Tensor
        (N, C, D, H, W) or (C, D, H, W).
    output_size : int or triple of int or None
        As in `adaptive_max_pool3d`.
    return_indices : bool
        Makes no difference here.

    Returns
    -------
    tuple of Tensor
        The results, and their int64 places.

    Examples
    --------
    >>> cygrad.nn.functional.adaptive_max_pool3d_with_indices(cygrad.arange(8.).view(1, 2, 2, 2), 1)[1]
    tensor([[[[7]]]])
    """
    return adaptive_largest("adaptive_max_pool3d", 3, input, output_size)


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """The largest numbers of `output_size` windows that cover each row as evenly as they can.

    Parameters
    ----------
    input : Tensor
        (N, C, L) or (C, L).
    output_size : int
    return_indices : bool
        Return the int64 places of the results, too.

    Returns
    -------
    Tensor, or tuple of Tensor
        (N, C, output_size) or (C, output_size), with the places if asked for.

    Examples
    --------
    >>> cygrad.nn.functional.adaptive_max_pool1d(cygrad.tensor([[1., 3., 7., 5.]]), 2)
    tensor([[3., 7.]])
    """
    found = cygrad.adaptive_max_pool1d(input, output_size)
    return found if return_indices else found[0]


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """The largest numbers of windows that cover each image as evenly as they can.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W) or (C, H, W).
    output_size : int or pair of int or None
        How many rows and columns of windows; None takes the input's size.
    return_indices : bool
        Return the int64 places of the results, too.

    Returns
    -------
    Tensor, or tuple of Tensor
        The results, with their places if asked for.

    Examples
    --------
    >>> cygrad.nn.functional.adaptive_max_pool2d(cygrad.arange(16.).view(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """
    found = adaptive_max_pool2d_with_indices(input, output_size)
    return found if return_indices else found[0]


def adaptive_max_pool3d(input, output_size, return_indices=False):
    """The largest numbers of windows that cover each volume as evenly as they can.

    Parameters
    ----------
    input : Tensor
        (N, C, D, H, W) or (C, D, H, W).
    output_size : int or triple of int or None
    return_indices : bool
        Return the int64 places of the results, too.

    Returns
    -------
    Tensor, or tuple of Tensor
        The results, with their places if asked for.

    Examples
    --------
    >>> cygrad.nn.functional.adaptive_max_pool3d(cygrad.arange(8.).view(1, 2, 2, 2), 1)
    tensor([[[[7.]]]])
    """
    found = adaptive_max_pool3d_with_indices(input, output_size)
    return found if return_indices else found[0]
