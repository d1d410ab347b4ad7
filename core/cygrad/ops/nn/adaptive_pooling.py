"""Pooling to a given size: windows that cover the input as evenly as they can, or at random places (`fractional`)."""
import cygrad
from cygrad.dispatch.memory_formats import format_of
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.registry import op
from cygrad.ops.nn.pooling_windows import adaptive, largest_of, mean_of
from cygrad.ops.declare.operand_types import need_tensors, refused


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
    for i in axes:
        if shape[i] == 0:
            raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input "
                               "has "
                               f"sizes {list(shape)} with dimension {i} being empty")


def boxes_for(input, sizes):
    inner = tuple(input.shape)[input.dim() - len(sizes):]
    return tuple(adaptive(n, max(out, 1)) for n, out in zip(inner, sizes))


# ---------------------------------------------------------------------------------------- the mean

def adaptive_mean(name, axes, input, output_size):
    need_tensors(name, input=input)
    shape = tuple(input.shape)
    sizes = output_sizes(name, axes, output_size, shape)
    if len(sizes) != axes:
        raise RuntimeError(f"{name}: output_size must be {axes}")
    if min(sizes) < 0:
        shown = f"{sizes[0]}, {','.join(map(str, sizes[1:]))}"
        raise RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0 but received "
                           f"{{{shown}}}")
    if len(shape) not in (axes + 1, axes + 2):
        raise RuntimeError(f"{name}(): Expected {axes + 1}D or {axes + 2}D tensor, but got {list(shape)}")
    check_filled(name, shape, range(len(shape) - axes, len(shape)))
    if max(sizes) == 1 and min(sizes) == 1:
        found = input.mean(tuple(range(-axes, 0)), keepdim=True)
        if axes == 2 and format_of(input) is not None:          # any stride says so of one place; this is PyTorch's
            n, c = found.shape[:2]
            return found.as_strided((n, c, 1, 1), (c, 1, c, c))
        return found
    if not input.is_floating_point() and (input.numel() or axes == 3):
        raise refused(name if axes == 2 else f"{name}_cpu", input.dtype)
    return mean_of[name](input, boxes_for(input, sizes), sizes, None)


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
    >>> import cygrad
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
    >>> import cygrad
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
    >>> import cygrad
    >>> cygrad.nn.functional.adaptive_avg_pool3d(cygrad.arange(8.).view(1, 2, 2, 2), 1)
    tensor([[[[3.5000]]]])
    """
    return adaptive_mean("adaptive_avg_pool3d", 3, input, output_size)


# ------------------------------------------------------------------------------------- the largest

def adaptive_largest(name, axes, input, output_size):
    need_tensors(name, input=input)
    shape = tuple(input.shape)
    sizes = output_sizes(name, axes, output_size, shape)
    if len(shape) not in (axes + 1, axes + 2):
        raise RuntimeError(f"{name}(): Expected {axes + 1}D or {axes + 2}D tensor, but got: {list(shape)}")
    check_filled(name, shape, range(1, len(shape)))
    if len(sizes) != axes:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {axes}")
    if min(sizes) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {next(n for n in sizes if n < 0)}: "
                           f"{[*shape[:len(shape) - axes], *sizes]}")
    if not input.is_floating_point():
        raise refused(name if axes == 2 else f"{name}_cpu", input.dtype)
    return largest_of[name](input, boxes_for(input, sizes), sizes)


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
    >>> import cygrad
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
    >>> import cygrad
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
    >>> import cygrad
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
    >>> import cygrad
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
    >>> import cygrad
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
    >>> import cygrad
    >>> cygrad.nn.functional.adaptive_max_pool3d(cygrad.arange(8.).view(1, 2, 2, 2), 1)
    tensor([[[[7.]]]])
    """
    found = adaptive_max_pool3d_with_indices(input, output_size)
    return found if return_indices else found[0]


# --------------------------------------------------------------------------------------- fractional

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
    if self.numel() == 0:
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


@primitive(name="fractional_max_pool2d")
def _fractional_max_pool2d(self, kernel, sizes, samples):
    return fractional(self, kernel, sizes, samples)


@primitive(name="fractional_max_pool3d")
def _fractional_max_pool3d(self, kernel, sizes, samples):
    return fractional(self, kernel, sizes, samples)



def for_each_axis(axes, value, name, function):
    value = (value,) if isinstance(value, int) else tuple(value)
    if len(value) not in (1, axes):
        raise RuntimeError(f"{function}: {name} must either be a single Int or tuple of "
                           f"{'three ' if axes == 3 else ''}Ints")
    return value * axes if len(value) == 1 else value


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
    >>> import cygrad
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
    >>> import cygrad
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
    >>> import cygrad
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
    >>> import cygrad
    >>> cygrad.nn.functional.fractional_max_pool3d(cygrad.zeros(1, 5, 5, 5), 2, output_size=3).shape
    cygrad.Size([1, 3, 3, 3])
    """
    found = fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)
    return found if return_indices else found[0]
