"""Functions of networks by the names and with the numbers for words that they have in the namespace itself."""
from cygrad.ops.declare.registry import op
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
    >>> import cygrad
    >>> image, grid = cygrad.tensor([[[[1., 2.], [3., 4.]]]]), cygrad.tensor([[[[0., 0.], [-1., 1.]]]])
    >>> cygrad.grid_sampler(image, grid, 0, 0, True)
    tensor([[[[2.5000, 3.0000]]]])
    """
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
    >>> import cygrad
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
    >>> import cygrad
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
    >>> import cygrad
    >>> same = cygrad.tensor([[[1., 0., 0.], [0., 1., 0.]]])
    >>> cygrad.affine_grid_generator(same, (1, 1, 1, 2), True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])
    """
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
    >>> import cygrad
    >>> cygrad.native_channel_shuffle(cygrad.arange(6.).view(1, 6, 1), 2).flatten()
    tensor([0., 3., 1., 4., 2., 5.])
    """
    return shuffles.channel_shuffle(input, groups)
