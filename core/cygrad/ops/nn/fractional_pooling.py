"""Pooling over windows whose sizes vary by chance: `fractional_max_pool2d`, `fractional_max_pool3d`."""
import cygrad
from cygrad.ops.declare.operand_types import refused
from cygrad.ops.declare.primitives import primitive


def starts(samples, size, outputs, kernel):
    """(..., outputs): where windows begin, by a random number u for each plane (Graham, 2014).

    The i-th is floor((i + u) * alpha) - floor(u * alpha), the last one at the end.
    """
    if outputs == 1:
        return cygrad.full((*samples.shape, 1), size - kernel, dtype=cygrad.int64, device=samples.device)
    order, drawn = cygrad.arange(outputs - 1, dtype=samples.dtype, device=samples.device), samples.unsqueeze(-1)
    alpha = samples.new_tensor(size - kernel) / samples.new_tensor(outputs - 1)
    begun = ((order + drawn) * alpha).to(cygrad.int64) - (drawn * alpha).to(cygrad.int64)
    return cygrad.constant_pad_nd(begun, (0, 1), size - kernel)


def fractional_places(shape, kernel, sizes, samples):
    """(planes, outputs, places of a window): where in its plane each output looks, first row by row."""
    axes, inner = len(sizes), shape[len(shape) - len(sizes):]
    planes, places = samples.shape[0] * samples.shape[1], None
    for i in range(axes):
        column = i if axes == 3 else 1 - i              # PyTorch's first number is for the width of images
        begun = starts(samples.reshape(planes, -1)[:, column], inner[i], sizes[i], kernel[i])
        seen = begun.unsqueeze(-1) + cygrad.arange(kernel[i], device=samples.device)        # (planes, outputs, places)
        if places is None:
            places = seen
        else:
            places = (places * inner[i]).view(planes, places.shape[1], 1, -1, 1) + seen.view(planes, 1, sizes[i], 1, -1)
            places = places.reshape(planes, -1, places.shape[3] * kernel[i])
    return places


def fractional(self, kernel, sizes, samples):
    """(largest of each window, its place in the plane)."""
    axes = len(sizes)
    lead = tuple(self.shape)[:self.dim() - axes]
    if self.numel() == 0 or 0 in sizes:
        return self.new_empty((*lead, *sizes)), self.new_empty((*lead, *sizes), dtype=cygrad.int64)
    places = fractional_places(tuple(self.shape), kernel, sizes, samples)
    flat = self.reshape(places.shape[0], -1)
    seen = flat.gather(1, places.reshape(len(flat), -1)).view(places.shape)
    chosen = seen.argmax(-1, keepdim=True)
    if self.is_floating_point() and seen.numel():       # of several NaN the last
        order = cygrad.arange(seen.shape[-1], device=seen.device)
        nan = cygrad.where(seen.isnan(), order, -1).amax(-1, keepdim=True)
        chosen = cygrad.where(nan >= 0, nan, chosen)
    return (seen.gather(-1, chosen).view(*lead, *sizes), places.gather(-1, chosen).view(*lead, *sizes))


@primitive(name="fractional_max_pool2d", constants=("fractional_max_pool2d", "random_samples"))
def _fractional_max_pool2d(self, kernel, sizes, random_samples):
    return fractional(self, kernel, sizes, random_samples)


@primitive(name="fractional_max_pool3d", constants=("fractional_max_pool3d", "random_samples"))
def _fractional_max_pool3d(self, kernel, sizes, random_samples):
    return fractional(self, kernel, sizes, random_samples)



def for_each_axis(axes, value, name, function):
    value = (value,) * axes if isinstance(value, int) else tuple(value)
    if len(value) != axes:
        raise RuntimeError(f"{function}: {name} must either be a single Int or tuple of "
                           f"{'three ' if axes == 3 else ''}Ints")
    return value


def fractional_pool(name, axes, input, kernel_size, output_size, output_ratio, samples):
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if output_size is None:
        if axes == 2 and len(output_ratio) > 2:
            raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
        ratio = (output_ratio,) * axes if isinstance(output_ratio, (int, float)) else tuple(output_ratio)
        output_size = tuple(int(input.size(i - axes) * ratio[i]) for i in range(axes))
    if samples is None:
        batch = 1 if input.dim() == axes + 1 else input.size(0)
        samples = cygrad.rand(batch, input.size(-axes - 1), axes, dtype=input.dtype, device=input.device)
    kernel = for_each_axis(axes, kernel_size, "kernel_size", name)
    sizes = for_each_axis(axes, output_size, "output_size", name)
    check_fractional(name, axes, input, kernel, sizes, samples)
    used = samples[:1 if input.dim() == axes + 1 else input.size(0)]
    return (_fractional_max_pool2d if axes == 2 else _fractional_max_pool3d)(input, kernel, sizes, used)


def check_fractional(name, axes, input, kernel, sizes, samples):
    """PyTorch's refusals, in its order."""
    shape, where = tuple(input.shape), name if axes == 2 else f"{name}_out"
    if len(shape) not in (axes + 1, axes + 2):
        raise RuntimeError(f"{where}(): Expected {axes + 1}D or {axes + 2}D tensor, but got: {list(shape)}")
    for i in range(1 if len(shape) == axes + 2 else 0, len(shape)):
        if shape[i] == 0:
            raise RuntimeError(f"{where}(): Expected input to have non-zero size for non-batch dimensions, but "
                               f"got{list(shape)} with dimension {i} being empty.")
    for label, n, k, out in zip(("time", "height", "width")[3 - axes:], shape[len(shape) - axes:], kernel, sizes):
        if out + k - 1 > n - (axes == 3):               # as PyTorch has it: volumes need one place more
            raise RuntimeError(f"{where}(): pool {label} {k} too large relative to input {label} {n}")
    if min(sizes) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {next(n for n in sizes if n < 0)}: "
                           f"{[*shape[:len(shape) - axes], *sizes]}")
    if samples.dtype is not input.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    if samples.dim() != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.dim()}")
    batch, channels = 1 if len(shape) == axes + 1 else shape[0], shape[-axes - 1]
    if samples.size(0) < batch:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if samples.size(1) != channels:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if samples.size(2) != axes:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {axes}; got {samples.size(2)}.")
    if not input.is_floating_point():
        raise refused(f"{name}_out_frame", input.dtype)


def fractional_max_pool2d_with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                                       _random_samples=None):
    """`fractional_max_pool2d`, and where in its plane each result is.

    Parameters
    ----------
    input : Tensor
        (N, C, H, W) or (C, H, W).
    kernel_size, output_size, output_ratio : optional
        As in `fractional_max_pool2d`.
    return_indices : bool
        Makes no difference here.

    Returns
    -------
    tuple of Tensor
        The results, and their int64 places.

    Examples
    --------
    >>> F = cygrad.nn.functional
    >>> [t.shape for t in F.fractional_max_pool2d_with_indices(cygrad.zeros(1, 5, 5), 2, 3)]
    [cygrad.Size([1, 3, 3]), cygrad.Size([1, 3, 3])]
    """
    return fractional_pool("fractional_max_pool2d", 2, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool3d_with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                                       _random_samples=None):
    """`fractional_max_pool3d`, and where in its volume each result is.

    Parameters
    ----------
    input : Tensor
        (N, C, D, H, W) or (C, D, H, W).
    kernel_size, output_size, output_ratio : optional
        As in `fractional_max_pool3d`.
    return_indices : bool
        Makes no difference here.

    Returns
    -------
    tuple of Tensor
        The results, and their int64 places.

    Examples
    --------
    >>> F = cygrad.nn.functional
    >>> [t.shape for t in F.fractional_max_pool3d_with_indices(cygrad.zeros(1, 5, 5, 5), 2, 3)]
    [cygrad.Size([1, 3, 3, 3]), cygrad.Size([1, 3, 3, 3])]
    """
    return fractional_pool("fractional_max_pool3d", 3, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                          _random_samples=None):
    """The largest numbers of windows whose distances are drawn at random (Graham, 2014).

    Parameters
    ----------
    input : Tensor
        (N, C, H, W) or (C, H, W).
    kernel_size : int or pair of int
    output_size : int or pair of int, optional
    output_ratio : float or pair of float, optional
        The output's size as a part of the input's, where `output_size` is omitted.
    return_indices : bool
        Return the int64 places of the results, too.

    Returns
    -------
    Tensor, or tuple of Tensor
        The results, with their places if asked for.

    Raises
    ------
    ValueError
        Unless one of `output_size` and `output_ratio` is given.

    Examples
    --------
    >>> cygrad.nn.functional.fractional_max_pool2d(cygrad.zeros(1, 5, 5), 2, output_size=3).shape
    cygrad.Size([1, 3, 3])
    """
    found = fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)
    return found if return_indices else found[0]


def fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                          _random_samples=None):
    """The largest numbers of windows whose distances are drawn at random; see `fractional_max_pool2d`.

    Parameters
    ----------
    input : Tensor
        (N, C, D, H, W) or (C, D, H, W).
    kernel_size : int or triple of int
        How many places a window sees along each axis.
    output_size : int or triple of int, optional
        How many windows along each axis.
    output_ratio : float or triple of float, optional
        The output's size as a part of the input's, where `output_size` is omitted.
    return_indices : bool
        Return the int64 places of the results, too.

    Returns
    -------
    Tensor, or tuple of Tensor
        The results, with their places if asked for.

    Raises
    ------
    ValueError
        Unless one of `output_size` and `output_ratio` is given.

    Examples
    --------
    >>> cygrad.nn.functional.fractional_max_pool3d(cygrad.zeros(1, 5, 5, 5), 2, output_size=3).shape
    cygrad.Size([1, 3, 3, 3])
    """
    found = fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)
    return found if return_indices else found[0]
