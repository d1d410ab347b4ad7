"""What windows see that move over images, as columns of a matrix (`unfold`), and such columns added up (`fold`).

`_im2col` and `_col2im` are each other's derivatives.
"""
import math
from functools import lru_cache

from cygrad.backend import BINARY
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.operands import binary_to
from cygrad.dispatch.raw import clone_dense, fill_
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.nn.convolution_calls import out_size
from cygrad.ops.nn.padding import constant_pad_nd
from cygrad.ops.declare.operand_types import need_tensors, refused
from cygrad.tensor import Tensor

ADD = BINARY.index("add")


def seen(whole, kernel, dilation, stride, blocks):
    """A view (N, C, R, S, P, Q) of padded images: what the windows (P, Q) see at their places (R, S)."""
    n, c, h, w = whole.stride()
    strides = n, c, dilation[0] * h, dilation[1] * w, stride[0] * h, stride[1] * w
    return whole.as_strided((*whole.shape[:2], *kernel, *blocks), strides, whole.storage_offset())


# `window`: kernel, dilation, padding, stride; each for rows and columns.
@lru_cache(256)
def blocks_of(size, window):
    """How many windows there are, downwards and across."""
    kernel, dilation, padding, stride = window
    return tuple(map(out_size, size, kernel, stride, padding, dilation))


@primitive(name="im2col")
def _im2col(self, size, window):
    kernel, dilation, padding, stride = window
    blocks = blocks_of(size, window)
    top, left = padding
    whole = constant_pad_nd(self, (left, left, top, top)) if top or left else self
    found = clone_dense(seen(whole if self.dim() == 4 else whole.unsqueeze(0), kernel, dilation, stride, blocks))
    return found.view(*self.shape[:-3], self.shape[-3] * math.prod(kernel), math.prod(blocks))


@primitive(name="col2im")
def _col2im(self, size, window):
    kernel, dilation, padding, stride = window
    blocks = blocks_of(size, window)
    channels = self.shape[-2] // math.prod(kernel)
    parts = self.reshape(-1 if self.dim() == 2 else self.shape[0], channels, *kernel, *blocks)
    whole = empty_near(self, (*parts.shape[:2], *[n + 2 * p for n, p in zip(size, padding)]))
    fill_(whole, 0)
    places = seen(whole, kernel, dilation, stride, blocks)
    for row, part_row in zip(places.unbind(2), parts.unbind(2)):
        for place, part in zip(row.unbind(2), part_row.unbind(2)):      # one window sees every place once at most
            binary_to(ADD, place, part, place)
    if any(padding):
        whole = clone_dense(whole.narrow(2, padding[0], size[0]).narrow(3, padding[1], size[1]))
    return whole if self.dim() == 3 else whole.squeeze(0)


# ---------------------------------------------------------------------------------- what is refused

def pair(function, name, value, place):
    """A size as two numbers."""
    if isinstance(value, int):
        return value, value
    if not isinstance(value, (tuple, list)):
        raise TypeError(f"{function}(): argument '{name}' (position {place}) must be tuple of ints, not "
                        f"{type(value).__name__}")
    if len(value) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(value)}")
    return tuple([n.item() if isinstance(n, Tensor) else n for n in value])


def windows(function, first, kernel_size, dilation, padding, stride):
    """(kernel, dilation, padding, stride) of the arguments, after PyTorch's refusals."""
    given = kernel_size, dilation, padding, stride
    plain = all([type(value) is int or type(value) is tuple and {*map(type, value)} == {int} for value in given])
    return (checked_windows if plain else checked_windows.__wrapped__)(function, first, *given)


@lru_cache(256)
def checked_windows(function, first, *given):
    kernel, dilation, padding, stride = (pair(function, name, value, place) for place, (name, value) in enumerate(
        zip(("kernel_size", "dilation", "padding", "stride"), given), first))
    for numbers, least, words in ((kernel, 1, "kernel size should be greater than zero, but got kernel"),
                                  (dilation, 1, "dilation should be greater than zero, but got dilation"),
                                  (padding, 0, "padding should be non-negative, but got pad"),
                                  (stride, 1, "stride should be greater than zero, but got stride")):
        if numbers[0] < least or numbers[1] < least:
            kind = words.rpartition(" ")[2]
            raise RuntimeError(f"{words}_height: {numbers[0]} {kind}_width: {numbers[1]}")
    return kernel, dilation, padding, stride


@lru_cache(256)
def check_columns(shape, size, window):
    """PyTorch's refusals of columns that are not those of so many windows."""
    kernel, dilation, padding, stride = window
    shape = tuple(shape)
    if len(shape) not in (2, 3) or 0 in shape[len(shape) - 2:]:
        raise RuntimeError("Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
                           f"dimensions for input, but got: {list(shape)}")
    if shape[-2] % math.prod(kernel):
        raise RuntimeError(f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
                           f"got input.size(1)={shape[-2]} and kernel_size={kernel}.")
    blocks = blocks_of(size, window)
    count = math.prod(blocks)
    if shape[-1] != count:
        raise RuntimeError(f"Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
                           f"stride={stride}, expected size of input's dimension 2 to match the calculated number of "
                           f"sliding blocks {blocks[0]} * {blocks[1]} = {count}, but got input.size(2)={shape[-1]}.")
    if min(blocks) < 1:
        raise RuntimeError(f"Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
                           f"stride={stride}, calculated shape of the array of sliding blocks as {tuple(blocks)}, "
                           "which is too small (non-positive)")


def check_dtype(function, input):
    if not (input.is_floating_point() or input.is_complex() or input.dtype.name == "bool"):
        raise refused(f"{function}_out_cpu", input.dtype)


# --------------------------------------------------------------------------------------- public ops

def im2col(input, kernel_size, dilation=1, padding=0, stride=1):
    """What windows see that move over images: a column for each window.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W) or (C, H, W).
    kernel_size : int or pair of int
        (R, S): how many places a window sees.
    dilation, padding, stride : int or pair of int
        Distance of two places that a window sees, zeros on both sides, and distance of two windows.

    Returns
    -------
    Tensor
        (N, C * R * S, L) or (C * R * S, L), with L = P * Q windows, row by row.

    Raises
    ------
    RuntimeError
        If a number is out of range, or no window fits.

    Examples
    --------
    >>> cygrad.nn.functional.unfold(cygrad.arange(6.).view(1, 2, 3), 2)
    tensor([[0., 1.],
            [1., 2.],
            [3., 4.],
            [4., 5.]])
    """
    need_tensors("im2col", input=input)
    window = windows("im2col", 2, kernel_size, dilation, padding, stride)
    kernel, dilation, padding, stride = window
    shape = tuple(input.shape)
    if len(shape) < 3:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-len(shape) or -1}, "
                         f"{max(len(shape), 1) - 1}], but got {2 if len(shape) == 2 else 1})")
    if len(shape) > 4 or 0 in shape[len(shape) - 3:]:
        raise RuntimeError("Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
                           f"dimensions for input, but got: {list(shape)}")
    size = shape[-2:]
    blocks = blocks_of(size, window)
    if min(blocks) < 1:
        raise RuntimeError(f"Given input with spatial size {size}, kernel_size={kernel}, dilation={dilation}, "
                           f"padding={padding}, calculated shape of the array of sliding blocks as {blocks}, but its "
                           "components must be at least one.")
    check_dtype("im2col", input)
    return _im2col(input, size, window)


def col2im(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Columns of windows added up to images: what the gradient of `unfold` computes.

    Parameters
    ----------
    input : Tensor
        (N, C * R * S, L) or (C * R * S, L), as `unfold` returns it.
    output_size : int or pair of int
        (H, W).
    kernel_size, dilation, padding, stride : int or pair of int
        As in `unfold`.

    Returns
    -------
    Tensor
        (N, C, H, W) or (C, H, W).

    Raises
    ------
    RuntimeError
        If a number is out of range, or the columns are not those of so many windows.

    Examples
    --------
    >>> cygrad.nn.functional.fold(cygrad.ones(4, 2), (2, 3), 2)
    tensor([[[1., 2., 1.],
             [1., 2., 1.]]])
    """
    need_tensors("col2im", input=input)
    size = pair("col2im", "output_size", output_size, 2)
    window = windows("col2im", 3, kernel_size, dilation, padding, stride)
    check_columns(input.shape, size, window)
    check_dtype("col2im", input)
    return _col2im(input, size, window)
