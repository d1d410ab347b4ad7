"""Images and volumes looked at where a grid says (`grid_sample`), and grids of affine maps (`affine_grid`).

A sample is a sum of places next to a point, times weights that depend on the point. Backends have kernels for it and
its gradient. `sampled` says it with ops that have derivatives: for backends without the kernels, and to be
differentiated as it stands where a gradient is recorded; `slopes` runs it again, so that nothing of it is kept.
"""
import itertools
import math
from functools import lru_cache

import cygrad
from cygrad.autograd.forward_levels import requiring_gradient
from cygrad.autograd.modes import grad_mode
from cygrad.backend import SAMPLING_PADDING as PADDINGS
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.fallback import OF_OPS, call
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import copy_
from cygrad.errors import warn
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.nn.resampling import cubic
from cygrad.ops.declare.operand_types import FLOAT32, HALVES, need_tensors, refused

MODES = ("nearest", "bilinear", "bicubic")              # backend.SAMPLING
CHANGED = ("Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
           "specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for "
           "details.")


# ------------------------------------------------------------------------------------------ points

def clipped(at, size):
    """Within the axis; where it is not inside, nothing depends on the point."""
    return cygrad.where(at > 0, cygrad.where(at < size - 1, at, size - 1.0), 0.0)


def reflected(at, low, span):
    """Mirrored at `low` and `low + span`, as often as it takes."""
    if span == 0:
        return at * 0
    apart = (at - low).abs()
    rest, times = apart.fmod(span), (apart.detach() / span).floor()
    return cygrad.where(times % 2 == 0, rest + low, span - rest + low)


def inside(at, size, padding, align):
    """Where the point is seen, as the padding has it; what is not a number is nowhere."""
    if padding == "border":
        at = clipped(at, size)
    elif padding == "reflection":
        at = clipped(reflected(at, 0.0, size - 1.0) if align else reflected(at, -0.5, float(size)), size)
    return cygrad.where(at.detach().abs() < 2.0**31, at, -100.0)


def places(at, size, mode, padding, align):
    """[(place, weight or None)] along an axis for points at -1 ... 1."""
    at = (at + 1) / 2 * (size - 1) if align else ((at + 1) * size - 1) / 2
    if mode == "bicubic":
        first = at.detach().floor()
        apart = at - first
        weights = [cubic(x, -0.75) for x in (apart + 1, apart, 1 - apart, 2 - apart)]
        return [(inside(first + k, size, padding, align), weight) for k, weight in zip((-1, 0, 1, 2), weights)]
    at = inside(at, size, padding, align)
    if mode == "nearest":
        return [(at.detach().round(), None)]
    first = at.detach().floor()
    return [(first, first + 1 - at), (first + 1, at - first)]


def sampled(input, grid, mode, padding, align):
    """(N, C, ...) at (N, ..., axes) -> (N, C, ...); grids have the last axis of the input first."""
    sizes, (images, channels) = tuple(input.shape[2:]), input.shape[:2]
    made = tuple(grid.shape[1:-1])
    x = input.reshape(images, channels, math.prod(sizes))
    points = grid.reshape(images, math.prod(made), len(sizes))
    if x.dtype in HALVES and mode != "nearest":         # which place is the nearest is seen in 16 bits
        x, points = x.to(FLOAT32), points.to(FLOAT32)
    along = [places(points[..., -1 - i], size, mode, padding, align) for i, size in enumerate(sizes)]
    total = x.new_zeros(images, channels, points.shape[1])
    for taps in itertools.product(*along):
        flat, seen, weight = 0, True, None
        for (place, factor), size in zip(taps, sizes):
            place = place.detach()
            seen = (place >= 0) & (place < size) & seen
            flat = flat * size + place.clamp(0, size - 1).long()
            weight = factor if weight is None else weight * factor
        found = x.gather(2, flat.unsqueeze(1).expand(total.shape))
        if weight is not None:
            found = found * weight.unsqueeze(1)
        total = total + cygrad.where(seen.unsqueeze(1), found, 0.0)
    return total.view(images, channels, *made).to(input.dtype)


# ---------------------------------------------------------------------------- with their own nodes

def sampler(name):
    return primitive(lambda tensors, input, grid, mode, padding, align: by_kernel(input, grid, mode, padding, align),
                     name=name)


def codes(mode, padding, align):
    return MODES.index(mode), PADDINGS.index(padding), align


def widened(mode, *tensors):
    """Operands as kernels take them; None for 16-bit floats where 16 bits decide which place is the nearest."""
    if tensors[0].dtype not in HALVES:
        return tensors
    return None if mode == "nearest" else [t.to(FLOAT32) for t in tensors]


def by_kernel(input, grid, mode, padding, align):
    shape = (*input.shape[:2], *grid.shape[1:-1])
    wide = widened(mode, input, grid)
    if wide is None or 0 in shape:
        return sampled(input, grid, mode, padding, align)
    out = empty_near(wide[0], shape)
    call(out, "grid_sample", (*codes(mode, padding, align), *wide, out), (5,))
    return out if out.dtype is input.dtype else out.to(input.dtype)


def slopes_by_kernel(grad, input, grid, mode, padding, align, needs):
    """The gradients of `sampled`, or None."""
    wide = widened(mode, grad, input, grid)
    if wide is None or 0 in grad.shape:
        return None
    made = [cygrad.empty_like(t, memory_format=cygrad.contiguous_format) if need else None
            for t, need in zip(wide[1:], needs)]
    call(grad, "grid_sample_backward", (*codes(mode, padding, align), *wide, *made), (6, 7))
    return [t if t is None else t.to(grad.dtype) for t in made]


def compose(mode, padding, align, input, grid, out):
    copy_(out, sampled(input, grid, MODES[mode], PADDINGS[padding], align))


def compose_backward(mode, padding, align, grad, input, grid, grad_input, grad_grid):
    needs = grad_input is not None, grad_grid is not None
    found = slopes_of_ops(grad, input, grid, MODES[mode], PADDINGS[padding], align, needs)
    for out, slope in zip((grad_input, grad_grid), found):
        if out is not None:
            copy_(out, slope)


OF_OPS.update(grid_sample=compose, grid_sample_backward=compose_backward)


_sampled = {axes: sampler(f"grid_sampler_{axes}d") for axes in (2, 3)}


def slopes(grad, input, grid, mode, padding, align, needs):
    """The gradients of `sampled`, to be differentiated again if gradients are recorded."""
    found = None if grad_mode() else slopes_by_kernel(grad, input, grid, mode, padding, align, needs)
    return found or slopes_of_ops(grad, input, grid, mode, padding, align, needs)


def slopes_of_ops(grad, input, grid, mode, padding, align, needs):
    again = grad_mode()
    with cygrad.enable_grad():
        # Leaves of their own: in the first pass, and in forward mode, where nothing requires a gradient.
        input, grid = (t if again and t.requires_grad else requiring_gradient(t.detach(), need)
                       for t, need in zip((input, grid), needs))
        out = sampled(input, grid, mode, padding, align)
        wanted = [t for t, need in zip((input, grid), needs) if need]
        found = iter(cygrad.autograd.grad(out, wanted, grad, create_graph=again, allow_unused=True)
                     if out.requires_grad else [None] * len(wanted))
    given = [next(found) if need else None for need in needs]
    return [cygrad.zeros_like(t) if need and slope is None else slope
            for t, need, slope in zip((input, grid), needs, given)]


# --------------------------------------------------------------------------------------- public ops

@lru_cache(256)
def check_shapes(input, grid, mode):
    """PyTorch's refusals, in its order."""
    shapes = f"but got input with sizes {list(input)} and grid with sizes {list(grid)}"
    if not input or not grid:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if input[:1] != grid[:1]:
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, {shapes}")
    axes = len(input) - 2
    if grid[-1] != axes:
        raise RuntimeError(f"grid_sampler(): expected grid to have size {axes} in last dimension, but got grid with "
                           f"sizes {list(grid)}")
    for i, size in enumerate(input[2:], 2):
        if size <= 0:
            raise RuntimeError("grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
                               f"sizes {list(input)} with dimension {i} being empty")
    if axes not in (2, 3) or len(grid) != len(input):
        raise RuntimeError(f"grid_sampler(): expected {4 if axes == 2 else 5}D input and grid with same number of "
                           f"dimensions, {shapes}")
    if axes == 3 and mode == "bicubic":
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")


def check(input, grid, mode):
    """All of PyTorch's refusals, in its order."""
    check_shapes(input.shape, grid.shape, mode)
    axes = input.dim() - 2
    if not input.is_floating_point():
        raise refused(f"grid_sampler_{axes}d_cpu{'_kernel_impl' if axes == 2 else ''}", input.dtype)
    if grid.dtype is not input.dtype:
        raise RuntimeError(f"expected scalar type {SCALAR_NAMES[input.dtype.code]} but found "
                           f"{SCALAR_NAMES[grid.dtype.code]}")


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """Images or volumes looked at where a grid says.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W) or (N, C, D, H, W).
    grid : Tensor
        (N, P, Q, 2) or (N, O, P, Q, 3): points (x, y) or (x, y, z), from -1 to 1 along each axis.
    mode : str
        "bilinear" (of volumes trilinear), "nearest" or, for images, "bicubic".
    padding_mode : str
        What is outside: "zeros", "border" or "reflection".
    align_corners : bool, optional
        Whether -1 and 1 are the centres of the first and the last places, not their borders; False when omitted.

    Returns
    -------
    Tensor
        (N, C, P, Q) or (N, C, O, P, Q).

    Raises
    ------
    ValueError
        If there is no such mode or padding.
    RuntimeError
        If shapes or dtypes don't fit.

    Examples
    --------
    >>> image, grid = cygrad.tensor([[[[1., 2.], [3., 4.]]]]), cygrad.tensor([[[[0., 0.], [-1., 1.]]]])
    >>> cygrad.nn.functional.grid_sample(image, grid, align_corners=True)
    tensor([[[[2.5000, 3.0000]]]])
    """
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but "
                         f"got: '{mode}'")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', "
                         f"but got: '{padding_mode}'")
    if align_corners is None:
        warn(CHANGED)
    need_tensors("grid_sampler", input=input, grid=grid)
    check(input, grid, mode)
    return _sampled[input.dim() - 2]((input, grid), input, grid, mode, padding_mode, bool(align_corners))


def base_grid(theta, sizes, align):
    """(places, axes + 1): the points that are mapped, from -1 to 1, and 1."""
    def line(n):
        ends = 0.0 if n == 1 else 1.0 if align else (n - 1) / n
        return cygrad.linspace(-ends, ends, n, dtype=theta.dtype, device=theta.device)
    axes = cygrad.meshgrid(*map(line, sizes), indexing="ij")
    return cygrad.stack([*reversed(axes), cygrad.ones_like(axes[0])], -1).view(-1, len(sizes) + 1)


@primitive(name="affine_grid_generator")
def _affine_grid(theta, size, align):
    points = base_grid(theta, size[2:], align).expand(size[0], -1, -1)
    return points.bmm(theta.transpose(1, 2)).view(size[0], *size[2:], len(size) - 2)


def affine_slope(grad, size, align):
    flat = grad.reshape(size[0], -1, len(size) - 2)
    return base_grid(grad, size[2:], align).expand(size[0], -1, -1).mT.bmm(flat).mT


def affine_grid(theta, size, align_corners=None):
    """The grid for `grid_sample` by which an affine map moves images or volumes.

    Parameters
    ----------
    theta : Tensor
        (N, 2, 3) or (N, 3, 4): from the result's points, with a 1 behind, to the input's.
    size : sequence of int
        (N, C, H, W) or (N, C, D, H, W) of the result.
    align_corners : bool, optional
        As in `grid_sample`.

    Returns
    -------
    Tensor
        (N, H, W, 2) or (N, D, H, W, 3).

    Raises
    ------
    ValueError
        If `theta` has no floats or not this shape, or a size is not positive.
    NotImplementedError
        If there are more or fewer axes.

    Examples
    --------
    >>> same = cygrad.tensor([[[1., 0., 0.], [0., 1., 0.]]])
    >>> cygrad.nn.functional.affine_grid(same, (1, 1, 1, 2), align_corners=True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])
    """
    need_tensors("affine_grid", theta=theta)
    if align_corners is None:
        warn(CHANGED)
        align_corners = False
    if not theta.is_floating_point():
        given = str(theta.dtype).replace("cygrad", "torch")
        raise ValueError(f"Expected theta to have floating point type, but got {given}")
    size = tuple(size)
    axes = len(size) - 2
    if axes not in (2, 3):
        raise NotImplementedError("affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
                                  f"respectively. Got size {size}.")
    if theta.dim() != 3 or tuple(theta.shape[1:]) != (axes, axes + 1):
        given = str(theta.shape).replace("cygrad", "torch")
        raise ValueError(f"Expected a batch of {axes}D affine matrices of shape Nx{axes}x{axes + 1} for size {size}. "
                         f"Got {given}.")
    if align_corners and min(size[2:]) == 1:
        warn("Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
             "is not an intended use case of affine_grid. See the documentation of affine_grid for details.")
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    if theta.shape[0] != size[0]:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{size[0]}, {axes + 1}] "
                           f"but got: [{theta.shape[0]}, {axes + 1}].")
    return _affine_grid(theta, size, bool(align_corners))
