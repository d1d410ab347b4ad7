"""Pooling: the largest number or the mean of a window that moves over the last one, two or three axes.

Those over one axis are those over two of an axis of size 1 more, as in PyTorch.
"""
import math
from functools import lru_cache

import cygrad
from cygrad.ops.declare.primitives import own
from cygrad.ops.declare.op_forms import op, with_out
from cygrad.ops.nn.pooling_windows import MAX, averaged, largest_of, mean_of, pooled, window
from cygrad.ops.nn.pooling_checks import (check_largest_1d, check_planes_2d, check_planes_3d, each_axis, single_number)
from cygrad.ops.declare.operand_types import BOOL, HALVES, hashable, need_tensors, refused
from cygrad.tensor import Tensor


# ------------------------------------------------------------------------------------ the largest

@lru_cache(1024, typed=True)
def plan(name, axes, shape, kernel_size, stride, padding, dilation, ceil_mode, margin=False):
    """(boxes, sizes of the result) of a call, which is checked."""
    kernel, stride, padding, dilation = each_axis(name, axes, kernel_size, stride, padding, dilation)
    sizes = (check_planes_2d if axes == 2 else check_planes_3d)(name, shape, kernel, stride, padding, dilation,
                                                                ceil_mode)
    margins = padding if margin else (0,) * axes
    return tuple(map(window, kernel, stride, padding, dilation, margins)), sizes


def max_pool(name, axes, input, kernel_size, stride, padding, dilation, ceil_mode, places=True):
    """(largest, places) over two axes or three; without places where nobody asks for them or a gradient."""
    if type(input) is not Tensor:
        need_tensors(name, input=input)
    boxes, sizes = plan(name, axes, input.shape, hashable(kernel_size), hashable(stride), hashable(padding),
                        hashable(dilation), bool(ceil_mode))
    if input.is_complex() or input.dtype is BOOL:
        raise refused("max_pool2d" if axes == 2 else "max_pool3d", input.dtype)
    if places or input._tracked():
        return largest_of[f"max_pool{axes}d_with_indices"](input, boxes, sizes)
    return pooled(MAX, input, boxes, sizes), None


@op(method=False)
def max_pool1d_with_indices(input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False,
                            return_indices=False):
    """`max_pool1d`, and where in its row each result is.

    Parameters
    ----------
    input, kernel_size, stride, padding, dilation, ceil_mode
        As in `nn.functional.max_pool1d`.
    return_indices : bool
        Makes no difference here.

    Returns
    -------
    tuple of Tensor
        The results, and their int64 places.

    Examples
    --------
    >>> cygrad.max_pool1d_with_indices(cygrad.tensor([[1., 3., 2., 0.]]), 2)
    (tensor([[3., 2.]]), tensor([[1, 2]]))
    """
    need_tensors("max_pool1d", input=input)
    stride = kernel_size if stride is None or stride in ((), []) else stride
    kernel, stride, padding, dilation = (single_number("max_pool1d", name, value) for name, value in (
        ("kernel_size", kernel_size), ("stride", stride), ("padding", padding), ("dilation", dilation)))
    check_rows("max_pool1d", input)
    return rows_pooled(input, kernel, stride, padding, dilation, ceil_mode, True)


def rows_pooled(input, kernel, stride, padding, dilation, ceil_mode, places):
    found = max_pool("max_pool2d", 2, input.unsqueeze(-2), (1, kernel), (1, stride), (0, padding), (1, dilation),
                     ceil_mode, places)
    return tuple(t if t is None else t.squeeze(-2) for t in found)


def check_rows(name, input):
    shape = tuple(input.shape)
    if len(shape) not in (2, 3):
        raise RuntimeError(f"Expected 2 to 3 dimensions, but got {len(shape)}-dimensional tensor for argument #1 "
                           "'self' "
                           f"(while checking arguments for {name})")
    if 0 in shape[1 if len(shape) == 3 else 0:]:
        raise RuntimeError(f"{name}() Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, "
                           f"but got:{list(shape)}")


@op(method=False, name="max_pool1d")
def largest_of_rows(input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    """The largest number of a window that moves over rows; see `nn.functional.max_pool1d`.

    Parameters
    ----------
    input, kernel_size, stride, padding, dilation, ceil_mode
        As in `nn.functional.max_pool1d`.

    Returns
    -------
    Tensor
        Of as many axes.

    Examples
    --------
    >>> cygrad.max_pool1d(cygrad.tensor([[1., 3., 2., 0.]]), 2)
    tensor([[3., 2.]])
    """
    need_tensors("max_pool1d", input=input)
    numbers = check_largest_1d(input.shape, hashable(kernel_size), hashable(stride), hashable(padding),
                               hashable(dilation), bool(ceil_mode))
    if not input.is_floating_point():
        raise refused("max_pool1d_impl", input.dtype)
    found = rows_pooled(input, *numbers, ceil_mode, False)[0]
    if not input._tracked():
        own(found, (input,))
        if input.dim() == 2:
            found._bump_version()               # an axis was taken away in place
    return found


@op(method=False, name="max_pool2d")
def largest_of_images(input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    """The largest number of a window that moves over images; see `nn.functional.max_pool2d`.

    Parameters
    ----------
    input, kernel_size, stride, padding, dilation, ceil_mode
        As in `nn.functional.max_pool2d`.

    Returns
    -------
    Tensor
        Of as many axes.

    Examples
    --------
    >>> cygrad.max_pool2d(cygrad.arange(4.).view(1, 2, 2), 2)
    tensor([[[3.]]])
    """
    return max_pool("max_pool2d", 2, input, kernel_size, stride, padding, dilation, ceil_mode, False)[0]


@op(method=False, name="max_pool3d")
def largest_of_volumes(input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    """The largest number of a window that moves over volumes; see `nn.functional.max_pool3d`.

    Parameters
    ----------
    input, kernel_size, stride, padding, dilation, ceil_mode
        As in `nn.functional.max_pool3d`.

    Returns
    -------
    Tensor
        Of as many axes.

    Examples
    --------
    >>> cygrad.max_pool3d(cygrad.arange(8.).view(1, 2, 2, 2), 2)
    tensor([[[[7.]]]])
    """
    return max_pool("max_pool3d", 3, input, kernel_size, stride, padding, dilation, ceil_mode, False)[0]


def max_pool2d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
                            return_indices=False):
    """`max_pool2d`, and where in its plane each result is: row * width + column.

    Parameters
    ----------
    input, kernel_size, stride, padding, dilation, ceil_mode
        As in `max_pool2d`.
    return_indices : bool
        Makes no difference here.

    Returns
    -------
    tuple of Tensor
        The results, and their int64 places.

    Examples
    --------
    >>> cygrad.nn.functional.max_pool2d_with_indices(cygrad.arange(4.).view(1, 2, 2), 2)
    (tensor([[[3.]]]), tensor([[[3]]]))
    """
    return max_pool("max_pool2d", 2, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
                            return_indices=False):
    """`max_pool3d`, and where in its volume each result is, counted row by row.

    Parameters
    ----------
    input, kernel_size, stride, padding, dilation, ceil_mode
        As in `max_pool3d`.
    return_indices : bool
        Makes no difference here.

    Returns
    -------
    tuple of Tensor
        The results, and their int64 places.

    Examples
    --------
    >>> cygrad.nn.functional.max_pool3d_with_indices(cygrad.arange(8.).view(1, 2, 2, 2), 2)[1]
    tensor([[[[7]]]])
    """
    return max_pool("max_pool3d", 3, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest number of a window that moves over rows.

    Parameters
    ----------
    input : Tensor
        (N, C, L) or (C, L).
    kernel_size : int
        How many places the window sees.
    stride : int, optional
        How far it moves each time; `kernel_size` when omitted.
    padding : int
        Places without a number before and after, at most half of `kernel_size`.
    dilation : int
        Distance of two places that the window sees.
    ceil_mode : bool
        A last window may reach over the end.
    return_indices : bool
        Return the int64 places of the results, too.

    Returns
    -------
    Tensor, or tuple of Tensor
        The results, with their places if asked for.

    Examples
    --------
    >>> cygrad.nn.functional.max_pool1d(cygrad.tensor([[1., 3., 2., 0.]]), 2)
    tensor([[3., 2.]])
    """
    pool = cygrad.max_pool1d_with_indices if return_indices else cygrad.max_pool1d
    return pool(input, kernel_size, () if stride is None else stride, padding, dilation, ceil_mode)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest number of a window that moves over images.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W) or (C, H, W).
    kernel_size, stride, padding, dilation : int or pair of int
        As in `max_pool1d`, for two axes.
    ceil_mode : bool
    return_indices : bool
        Return the int64 places of the results, too: row * W + column.

    Returns
    -------
    Tensor, or tuple of Tensor
        The results, with their places if asked for.

    Examples
    --------
    >>> cygrad.nn.functional.max_pool2d(cygrad.arange(16.).view(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """
    if not return_indices:
        return cygrad.max_pool2d(input, kernel_size, () if stride is None else stride, padding, dilation, ceil_mode)
    return max_pool("max_pool2d", 2, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest number of a window that moves over volumes.

    Parameters
    ----------
    input : Tensor
        (N, C, D, H, W) or (C, D, H, W).
    kernel_size, stride, padding, dilation : int or triple of int
        As in `max_pool1d`, for three axes.
    ceil_mode : bool
    return_indices : bool
        Return the int64 places of the results, too.

    Returns
    -------
    Tensor, or tuple of Tensor
        The results, with their places if asked for.

    Examples
    --------
    >>> cygrad.nn.functional.max_pool3d(cygrad.arange(8.).view(1, 2, 2, 2), 2)
    tensor([[[[7.]]]])
    """
    if not return_indices:
        return cygrad.max_pool3d(input, kernel_size, () if stride is None else stride, padding, dilation, ceil_mode)
    return max_pool("max_pool3d", 3, input, kernel_size, stride, padding, dilation, ceil_mode)


# ---------------------------------------------------------------------------------------- the mean

def avg_pool(name, axes, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    if type(input) is not Tensor:
        need_tensors(name, input=input)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    boxes, sizes = plan(name, axes, input.shape, hashable(kernel_size), hashable(stride), hashable(padding), 1,
                        bool(ceil_mode), bool(count_include_pad))
    if not (input.is_floating_point() or input.dtype.name == "int64") or axes == 3 and input.dtype in HALVES:
        raise refused(name if axes == 2 else "avg_pool3d_out_frame", input.dtype)
    mean = mean_of[name] if input._tracked() else averaged
    return mean(input, boxes, sizes, divisor_override)


@op(method=False)
def avg_pool1d(input, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of a window that moves over rows.

    Parameters
    ----------
    input : Tensor
        (N, C, L) or (C, L).
    kernel_size : int
        How many places the window sees.
    stride : int, optional
        How far it moves each time; `kernel_size` when omitted.
    padding : int
        Zeros before and after, at most half of `kernel_size`.
    ceil_mode : bool
        A last window may reach over the end.
    count_include_pad : bool
        Zeros of the padding count in the mean.

    Returns
    -------
    Tensor
        Means, of as many axes.

    Examples
    --------
    >>> cygrad.avg_pool1d(cygrad.tensor([[1., 3., 2., 0.]]), 2)
    tensor([[2., 1.]])
    """
    need_tensors("avg_pool1d", input=input)
    kernel, step, padding = (single_number("avg_pool1d", name, value) for name, value in (
        ("kernel_size", kernel_size), ("stride", kernel_size if stride is None or stride in ((), []) else stride),
        ("padding", padding)))
    check_rows("avg_pool1d", input)
    return avg_pool("avg_pool2d", 2, input.unsqueeze(-2), (1, kernel), (1, step), (0, padding), ceil_mode,
                    count_include_pad, None).squeeze(-2)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):
    """The mean of a window that moves over images.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W) or (C, H, W).
    kernel_size, stride, padding : int or pair of int
        As in `avg_pool1d`, for two axes.
    ceil_mode, count_include_pad : bool
    divisor_override : int, optional
        Divide sums by this, not by how many places there are.

    Returns
    -------
    Tensor
        Means, of as many axes.

    Examples
    --------
    >>> cygrad.nn.functional.avg_pool2d(cygrad.arange(16.).view(1, 4, 4), 2)
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """
    return avg_pool("avg_pool2d", 2, input, kernel_size, stride, padding, ceil_mode, count_include_pad,
                    divisor_override)


def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):
    """The mean of a window that moves over volumes.

    Parameters
    ----------
    input : Tensor
        (N, C, D, H, W) or (C, D, H, W).
    kernel_size, stride, padding : int or triple of int
        As in `avg_pool1d`, for three axes.
    ceil_mode, count_include_pad : bool
    divisor_override : int, optional
        Divide sums by this, not by how many places there are.

    Returns
    -------
    Tensor
        Means, of as many axes.

    Examples
    --------
    >>> cygrad.nn.functional.avg_pool3d(cygrad.arange(8.).view(1, 2, 2, 2), 2)
    tensor([[[[3.5000]]]])
    """
    return avg_pool("avg_pool3d", 3, input, kernel_size, stride, padding, ceil_mode, count_include_pad,
                    divisor_override)


avg_pool2d, avg_pool3d = (with_out(pool.__name__, pool, "expected") for pool in (avg_pool2d, avg_pool3d))


# ------------------------------------------------------------------------------------------- norms

def lp_pool(axes, largest, mean, input, norm_type, kernel_size, stride, ceil_mode):
    count = kernel_size
    if axes > 1:
        sizes = (kernel_size,) * axes if isinstance(kernel_size, int) else tuple(kernel_size)
        if len(sizes) != axes:
            word = "not enough" if len(sizes) < axes else "too many"
            given = f", got {len(sizes)}" if len(sizes) < axes else ""
            raise ValueError(f"{word} values to unpack (expected {axes}{given})")
        count = math.prod(sizes)
    if isinstance(norm_type, (int, float)) and abs(norm_type) == math.inf:
        return (largest(input.abs(), kernel_size, stride, 0, 1, ceil_mode) if norm_type > 0
                else -largest(-input.abs(), kernel_size, stride, 0, 1, ceil_mode))
    from cygrad.nn.functional import relu      # knot: it needs this module
    out = mean(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (out.sign() * relu(out.abs())).mul(count).pow(1.0 / norm_type)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of a window that moves over rows.

    Parameters
    ----------
    input : Tensor
        (N, C, L) or (C, L).
    norm_type : float
        The p.
    kernel_size, stride, ceil_mode
        As in `avg_pool1d`.

    Returns
    -------
    Tensor
        Norms, of as many axes.

    Examples
    --------
    >>> cygrad.nn.functional.lp_pool1d(cygrad.tensor([[3., 4., 0., 2.]]), 2, 2)
    tensor([[5., 2.]])
    """
    return lp_pool(1, max_pool1d, avg_pool1d, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of a window that moves over images; arguments as in `lp_pool1d`, for two axes.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W) or (C, H, W).
    norm_type : float
        The p.
    kernel_size, stride, ceil_mode
        As in `avg_pool2d`.

    Returns
    -------
    Tensor
        Norms, of as many axes.

    Examples
    --------
    >>> cygrad.nn.functional.lp_pool2d(cygrad.tensor([[[3., 0.], [0., 4.]]]), 2, 2)
    tensor([[[5.]]])
    """
    return lp_pool(2, max_pool2d, avg_pool2d, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of a window that moves over volumes; arguments as in `lp_pool1d`, for three axes.

    Parameters
    ----------
    input : Tensor
        (N, C, D, H, W) or (C, D, H, W).
    norm_type : float
        The p.
    kernel_size, stride, ceil_mode
        As in `avg_pool3d`.

    Returns
    -------
    Tensor
        Norms, of as many axes.

    Examples
    --------
    >>> cygrad.nn.functional.lp_pool3d(cygrad.full((1, 2, 2, 2), 2.), 3, 2)
    tensor([[[[4.]]]])
    """
    return lp_pool(3, max_pool3d, avg_pool3d, input, norm_type, kernel_size, stride, ceil_mode)
