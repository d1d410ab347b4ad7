"""Functions that `torch` itself has beside `nn.functional` and `linalg`, under other names or with other arguments."""
import cygrad
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.errors import warn
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.operand_types import need_tensors
from cygrad.ops.linalg.distances import _norm
from cygrad.ops.nn import grid_sampling, shuffles

MODES, PADDINGS = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")


@op(method=False)
def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    """Images or volumes looked at where a grid says; see `nn.functional.grid_sample`.

    Parameters
    ----------
    input, grid, align_corners
        As in `nn.functional.grid_sample`.
    interpolation_mode : {0, 1, 2}
        "bilinear", "nearest" and "bicubic".
    padding_mode : {0, 1, 2}
        "zeros", "border" and "reflection".

    Returns
    -------
    Tensor
        (N, C, P, Q) or (N, C, O, P, Q).

    Examples
    --------
    >>> image, grid = cygrad.tensor([[[[1., 2.], [3., 4.]]]]), cygrad.tensor([[[[0., 0.], [-1., 1.]]]])
    >>> cygrad.grid_sampler(image, grid, 0, 0, True)
    tensor([[[[2.5000, 3.0000]]]])
    """
    need_tensors("grid_sampler", input=input, grid=grid)
    grid_sampling.check_shapes(input.shape, grid.shape, "")
    return grid_sampling.grid_sample(input, grid, MODES[interpolation_mode], PADDINGS[padding_mode],
                                     bool(align_corners))


@op(method=False)
def grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners):
    """Images looked at where a grid says; see `nn.functional.grid_sample`.

    Parameters
    ----------
    input, grid, interpolation_mode, padding_mode, align_corners
        As in `grid_sampler`.

    Returns
    -------
    Tensor
        (N, C, P, Q).

    Examples
    --------
    >>> image, grid = cygrad.tensor([[[[1., 2.], [3., 4.]]]]), cygrad.tensor([[[[0., 0.], [-1., 1.]]]])
    >>> cygrad.grid_sampler_2d(image, grid, 0, 0, True)
    tensor([[[[2.5000, 3.0000]]]])
    """
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


@op(method=False)
def grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners):
    """Volumes looked at where a grid says; see `nn.functional.grid_sample`.

    Parameters
    ----------
    input, grid, interpolation_mode, padding_mode, align_corners
        As in `grid_sampler`.

    Returns
    -------
    Tensor
        (N, C, O, P, Q).

    Examples
    --------
    >>> volume, grid = cygrad.tensor([1., 3.]).view(1, 1, 1, 1, 2), cygrad.zeros(1, 1, 1, 1, 3)
    >>> cygrad.grid_sampler_3d(volume, grid, 0, 0, True)
    tensor([[[[[2.]]]]])
    """
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


@op(method=False)
def affine_grid_generator(theta, size, align_corners):
    """The grid for `grid_sampler` by which an affine map moves images or volumes; see `nn.functional.affine_grid`.

    Parameters
    ----------
    theta, size, align_corners
        As in `nn.functional.affine_grid`.

    Returns
    -------
    Tensor
        (N, H, W, 2) or (N, D, H, W, 3).

    Examples
    --------
    >>> same = cygrad.tensor([[[1., 0., 0.], [0., 1., 0.]]])
    >>> cygrad.affine_grid_generator(same, (1, 1, 1, 2), True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])
    """
    if len(size) not in (4, 5):
        raise RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.")
    theta.transpose(1, 2)               # for its errors
    return grid_sampling.affine_grid(theta, size, bool(align_corners))


@op(method=False)
def native_channel_shuffle(input, groups):
    """Channels in another order; see `channel_shuffle`.

    Parameters
    ----------
    input, groups
        As in `channel_shuffle`.

    Returns
    -------
    Tensor
        As the input.

    Examples
    --------
    >>> cygrad.native_channel_shuffle(cygrad.arange(6.).view(1, 6, 1), 2).flatten()
    tensor([0., 3., 1., 4., 2., 5.])
    """
    return shuffles.channel_shuffle(input, groups)


@op(method=False)
def native_dropout(input, p, train):
    """`dropout`, and the mask of the elements that stay.

    Parameters
    ----------
    input : Tensor
    p : float
        The probability of 0.
    train : bool or None
        Where False, all elements stay as they are; None is True.

    Returns
    -------
    tuple of Tensor
        Of input's shape, and of dtype bool.

    Examples
    --------
    >>> cygrad.native_dropout(cygrad.ones(2), 0.5, False)
    (tensor([1., 1.]), tensor([True, True]))
    """
    if train is False or not input.numel():
        return input.clone(), cygrad.ones_like(input, dtype=cygrad.bool)
    if not (input.is_floating_point() or input.is_complex()):
        raise RuntimeError("result type Float can't be cast to the desired output type "
                           + SCALAR_NAMES[input.dtype.code])
    if p == 1:
        none = cygrad.zeros_like(input, dtype=cygrad.bool)
        return input * none, none
    stay = cygrad.empty_like(input.detach(), dtype=cygrad.bool).bernoulli_(1 - p)
    return input * stay * (1 / (1 - p)), stay


CHANNELS = "Input dim 2 (input channels) is not == dim 1 in the weight tensor"


@op(method=False)
def conv_tbc(input, weight, bias, pad=0):
    """A convolution of sequences whose axes are time, batch and channels.

    Parameters
    ----------
    input : Tensor
        (T, N, C).
    weight : Tensor
        (K, C, M), a filter for each of M results.
    bias : Tensor
        (M,).
    pad : int
        Zeros before and after each sequence.

    Returns
    -------
    Tensor
        (T + 2 pad - K + 1, N, M).

    Raises
    ------
    RuntimeError
        If shapes don't fit.

    Examples
    --------
    >>> cygrad.conv_tbc(cygrad.tensor([[[1.]], [[2.]], [[4.]]]), cygrad.ones(2, 1, 1), cygrad.zeros(1)).flatten()
    tensor([3., 6.])
    """
    if input.dim() != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if weight.dim() != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias.dim() != 1:
        raise RuntimeError("Bias must be 1-D")
    if input.size(2) != weight.size(1):
        raise RuntimeError(CHANNELS)
    if weight.size(2) != bias.size(0):
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    out = cygrad.nn.functional.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return out.permute(2, 0, 1).contiguous()


@op(method=False, out="exact")
def frobenius_norm(input, dim, keepdim=False):
    """The square root of the sum of squares along axes; `linalg.vector_norm` is the new name.

    Parameters
    ----------
    input : Tensor
        Of floats or complex numbers.
    dim : int or tuple of int
        At most two axes; all for ().
    keepdim : bool
        Whether they stay, with one element.

    Returns
    -------
    Tensor
        Real.

    Examples
    --------
    >>> cygrad.frobenius_norm(cygrad.tensor([[3., 4.], [0., 2.]]), dim=1)
    tensor([5., 2.])
    """
    warn("at::frobenius_norm is deprecated and it is just left for JIT compatibility. It will be removed in a future "
         "PyTorch release. Please use `linalg.vector_norm(A, 2., dim, keepdim)` instead")
    axes = (dim,) if isinstance(dim, int) else tuple(dim)
    if len(axes) > 2:
        raise RuntimeError(f"Expected at most 2 dimensions, but got {len(axes)} dimensions instead.")
    return _norm(input, 2, axes or None, keepdim)


@op(method=False, out="exact")
def nuclear_norm(input, dim=None, keepdim=False):
    """The sum of a matrix's singular values; `linalg.matrix_norm` is the new name.

    Parameters
    ----------
    input : Tensor
        A matrix, or with `dim` more of them.
    dim : tuple of int, optional
        The two axes of the matrices. A bool here is `keepdim`.
    keepdim : bool
        Whether they stay, with one element.

    Returns
    -------
    Tensor
        Real.

    Examples
    --------
    >>> cygrad.nuclear_norm(cygrad.tensor([[3., 0.], [0., 4.]]))
    tensor(7.)
    """
    warn("at::nuclear_norm is deprecated and it is just left for JIT compatibility. It will be removed in a future "
         "PyTorch release. Please use `linalg.matrix_norm(A, 'nuc', dim, keepdim)` instead")
    if isinstance(dim, bool):
        dim, keepdim = None, dim
    axes = (-2, -1) if dim is None else (dim, dim) if isinstance(dim, int) else tuple(dim)
    return cygrad.linalg.matrix_norm(input, "nuc", axes, keepdim)


@op(method=False)
def norm_except_dim(v, pow=2, dim=0):
    """Norms along all axes but one, which stays.

    Parameters
    ----------
    v : Tensor
    pow : int
        The order of the norm.
    dim : int
        The axis; the norm of the whole tensor for -1.

    Returns
    -------
    Tensor
        With one element along the other axes.

    Examples
    --------
    >>> cygrad.norm_except_dim(cygrad.tensor([[3., 4.], [0., 2.]]))
    tensor([[5.],
            [2.]])
    """
    if dim == -1:
        return v.norm(pow)
    if dim in (0, v.dim() - 1):
        size = [1] * v.dim()
        size[dim] = v.size(dim)
        rows = v.contiguous().view((-1, size[dim]) if dim else (size[0], -1))
        return _norm(rows, pow, (0 if dim else 1,), False).view(size)
    return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)
