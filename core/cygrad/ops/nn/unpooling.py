"""The reverse of `max_pool` with its indices: numbers put back to where they were the largest, zeros elsewhere."""
import math

from cygrad.devices.determinism import alert
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.declare.primitives import primitive
from cygrad.dispatch.memory_formats import kept
from cygrad.ops.nn.pooling_windows import INT64
from cygrad.ops.declare.operand_types import need_tensors, refused


def put_back(self, indices, sizes):
    """Raw; of several numbers for one place the last counts."""
    lead = tuple(self.shape)[:self.dim() - len(sizes)]
    out = self.new_zeros((*lead, math.prod(sizes)))
    if self.numel() and out.numel():
        out.scatter_(-1, indices.reshape(*lead, -1), self.reshape(*lead, -1))
    out = out.view(*lead, *sizes)
    return kept(out, self) if len(sizes) == 2 else out


@primitive(name="max_unpool2d")
def _max_unpool2d(self, indices, sizes):
    return put_back(self, indices, sizes)


@primitive(name="max_unpool3d")
def _max_unpool3d(self, indices, sizes):
    return put_back(self, indices, sizes)


def unpool_slope(grad, indices, sizes):
    lead = tuple(indices.shape)[:indices.dim() - len(sizes)]
    flat, one = grad.reshape(*lead, math.prod(sizes)), (*lead, math.prod(indices.shape[len(lead):]))
    return flat.gather(-1, indices.reshape(one)).view(indices.shape)


def unpooled_sizes(input, kernel, stride, padding, output_size):
    """The sizes of the result: what `max_pool` needs at least, or the ones asked for, which may not be far from it."""
    axes = len(kernel)
    least = [(input.size(i - axes) - 1) * stride[i] + kernel[i] - 2 * padding[i] for i in range(axes)]
    if output_size is None:
        return tuple(least)
    given = output_size[2:] if len(output_size) == axes + 2 else output_size
    if len(given) != axes:
        raise ValueError(f"output_size should be a sequence containing {axes} or {axes + 2} elements, but it has a "
                         f"length of '{len(given)}'")
    for i in range(axes):
        low, high = least[i] - stride[i], least[i] + stride[i]
        if not low < given[i] < high:
            raise ValueError(f'invalid output_size "{given}" (dim {i} must be between {low} and {high})')
    return tuple(given)


def check(axes, input, indices, sizes):
    """PyTorch's refusals, in its order."""
    shape, ranks = tuple(input.shape), f"{axes + 1}d or {axes + 2}d"
    if axes == 2 and len(sizes) != 2:
        raise RuntimeError("There should be exactly two elements (height, width) in output_size, but got "
                           f"{len(sizes)} elements.")
    if indices.dtype is not INT64:
        found = f" but got: {SCALAR_NAMES[indices.dtype.code]}" if axes == 2 else ""
        raise RuntimeError(f"elements in indices should be type int64{found}")
    if len(shape) not in (axes + 1, axes + 2):
        raise RuntimeError(f"Input to max_unpooling{axes}d should be a {ranks} Tensor, but got a tensor with "
                           f"{len(shape)} dimensions.")
    if tuple(indices.shape) != shape:
        raise RuntimeError(f"Expected shape of indices to be same as that of the input tensor ({list(shape)}) but "
                           f"got indices tensor with shape: {list(indices.shape)}")
    for i in range(1, len(shape)):
        if shape[i] == 0:
            raise RuntimeError(f"max_unpooling{axes}d_forward_out_cpu(): Expected input to have non-zero size for "
                               f"non-batch dimensions, but got {list(shape)} with dimension {i} being empty.")
    if not input.is_floating_point():
        raise refused(f"max_unpool{axes}d", input.dtype)
    if indices.numel():
        wrong = (indices < 0) | (indices >= math.prod(sizes))
        if math.prod(sizes) and wrong.any().item():
            raise RuntimeError(f"Found an invalid max index: {indices[wrong][0].item()} (output volumes are of size "
                               f"{'x'.join(map(str, sizes))})")


def unpool(axes, input, indices, kernel_size, stride, padding, output_size):
    """The sizes of the result."""
    def each(value):
        return tuple(value) if hasattr(value, "__iter__") else (value,) * axes
    kernel = each(kernel_size)
    step, padding = kernel if stride is None else each(stride), each(padding)
    sizes = unpooled_sizes(input, kernel, step, padding, output_size)
    for i, size in enumerate(sizes):
        if size < 0:
            raise ValueError("max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                             f"output_size[{i}]={size}")
    for name, value in (("output_size", sizes),) + (("stride", step), ("padding", padding)) * (axes == 3):
        if {*map(type, value)} - {int}:
            raise TypeError(f"max_unpool{axes}d(): argument '{name}' must be tuple of ints, not {value}")
        if axes > 1 and len(value) != axes:
            words = "two elements (height, width)" if axes == 2 else "three elements (depth, height, width)"
            raise RuntimeError(f"There should be exactly {words} in {name}, but got {len(value)} elements.")
    if axes == 3 and min(step) <= 0:
        raise RuntimeError(f"strides should be greater than zero, but got stride: {list(step)}")
    return sizes


def run(input, indices, sizes, axes):
    need_tensors(f"max_unpool{axes}d", input=input, indices=indices)
    alert(f"max_unpooling{axes}d_forward_out")
    check(axes, input, indices, sizes)
    return (_max_unpool2d if axes == 2 else _max_unpool3d)(input, indices, sizes)


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """What `max_pool1d` gave, put back to the places in `indices`; zeros elsewhere.

    Parameters
    ----------
    input, indices : Tensor
        What `max_pool1d` returned with `return_indices`.
    kernel_size, stride, padding
        What it was given.
    output_size : sequence of int, optional
        The size of what it was given, where that is not clear.

    Returns
    -------
    Tensor
        Of the shape that was pooled.

    Examples
    --------
    >>> pool, unpool = cygrad.nn.functional.max_pool1d, cygrad.nn.functional.max_unpool1d
    >>> unpool(*pool(cygrad.tensor([[1., 3., 4., 2.]]), 2, return_indices=True), 2)
    tensor([[0., 3., 4., 0.]])
    """
    sizes = unpool(1, input, indices, kernel_size, stride, padding, output_size)
    return run(input.unsqueeze(-1), indices.unsqueeze(-1), (*sizes, 1), 2).squeeze(-1)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """What `max_pool2d` gave, put back to the places in `indices`; zeros elsewhere; arguments as in `max_unpool1d`.

    Parameters
    ----------
    input, indices : Tensor
        What `max_pool2d` returned with `return_indices`.
    kernel_size, stride, padding, output_size
        As in `max_unpool1d`, for two axes.

    Returns
    -------
    Tensor
        Of the shape that was pooled.

    Examples
    --------
    >>> F = cygrad.nn.functional
    >>> F.max_unpool2d(*F.max_pool2d(cygrad.arange(4.).view(1, 2, 2), 2, return_indices=True), 2)
    tensor([[[0., 0.],
             [0., 3.]]])
    """
    sizes = unpool(2, input, indices, kernel_size, stride, padding, output_size)
    return run(input, indices, sizes, 2)


def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """What `max_pool3d` gave, put back to the places in `indices`; zeros elsewhere; arguments as in `max_unpool1d`.

    Parameters
    ----------
    input, indices : Tensor
        What `max_pool3d` returned with `return_indices`.
    kernel_size, stride, padding, output_size
        As in `max_unpool1d`, for three axes.

    Returns
    -------
    Tensor
        Of the shape that was pooled.

    Examples
    --------
    >>> F = cygrad.nn.functional
    >>> F.max_unpool3d(*F.max_pool3d(cygrad.arange(8.).view(1, 2, 2, 2), 2, return_indices=True), 2).shape
    cygrad.Size([1, 2, 2, 2])
    """
    sizes = unpool(3, input, indices, kernel_size, stride, padding, output_size)
    return run(input, indices, sizes, 3)
