"""`nn.functional.interpolate` and the older functions it has taken the place of: which resampling is meant."""
import math
import numbers

from cygrad.errors import warn
from cygrad.ops.nn.adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from cygrad.ops.nn.resampling import LINEAR, resample

MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
NOT_ALIGNED = ("align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
               "trilinear")
AREA = {1: adaptive_avg_pool1d, 2: adaptive_avg_pool2d, 3: adaptive_avg_pool3d}


def for_each_axis(input, value, name):
    """`size` or `scale_factor` as a list, a number for each axis."""
    axes = input.dim() - 2
    if not isinstance(value, (tuple, list)):
        return [value] * axes
    if len(value) != axes:
        what, given, letter = (("output", f"output size of {value}", "o") if name == "size" else
                               ("scale_factor", f"scale_factor of shape {value}", "s"))
        word = "output size" if name == "size" else "scale_factor"
        raise ValueError(f"Input and {what} must have the same number of spatial dimensions, but got input with "
                         f"spatial dimensions of {list(input.shape[2:])} and {given}. Please provide input tensor in "
                         f"(N, C, d1, d2, ...,dK) format and {word} in ({letter}1, {letter}2, ...,{letter}K) format.")
    if name == "size" and not all(hasattr(n, "__index__") for n in value):
        raise TypeError("expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but "
                        f"got size with types {list(map(type, value))}")
    return list(value)


def sizes_and_scales(input, size, scale_factor, recompute):
    """(sizes of the result, scales or None's)."""
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None:
        sizes = for_each_axis(input, size, "size")
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return list(map(whole, sizes)), [None] * len(sizes)
    scales = for_each_axis(input, scale_factor, "scale_factor")
    try:
        scales = [float(number(scale)) for scale in scales]
        sizes = [math.trunc(n * scale) for n, scale in zip(input.shape[2:], scales)]
    except (ValueError, OverflowError):
        if recompute:
            raise
        raise RuntimeError("value cannot be converted to type int64_t without overflow") from None
    return sizes, [None] * len(sizes) if recompute else scales


def number(n):
    if not isinstance(n, numbers.Real):
        raise TypeError(f"interpolate(): argument 'scale_factors' must be tuple of floats, not {type(n).__name__}")
    return n


def whole(n):
    if hasattr(n, "__index__") and not isinstance(n, bool):
        return n.__index__()
    raise TypeError(f"interpolate(): argument 'size' must be int or tuple of ints, not {type(n).__name__}")


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
                antialias=False):
    """Signals, images or volumes resampled to another size.

    Parameters
    ----------
    input : Tensor
        (N, C, L), (N, C, H, W) or (N, C, D, H, W).
    size : int or sequence of int, optional
        The result's sizes.
    scale_factor : float or sequence of float, optional
        How much larger the result is, where `size` is omitted.
    mode : str
        "nearest", "nearest-exact" (which sees pixels as areas); "linear", "bilinear", "trilinear", for one, two and
        three axes; "bicubic" and, with `antialias`, "lanczos", for two; "area", the mean of what an output covers.
    align_corners : bool, optional
        In the interpolating modes, whether the centres of the first and the last places are kept, not their borders.
    recompute_scale_factor : bool, optional
        Whether the scale is that of the sizes, rounded as they are, and not `scale_factor`.
    antialias : bool
        Whether images that get smaller are smoothed, in the modes "bilinear", "bicubic" and "lanczos".

    Returns
    -------
    Tensor
        The input's shape with other sizes.

    Raises
    ------
    ValueError
        If neither or both of `size` and `scale_factor` are given, or options don't belong to the mode.
    NotImplementedError
        If there is no such mode for so many axes.
    RuntimeError
        If a size is not positive.

    Notes
    -----
    Cubic weights are Keys's (1981) with a = -0.75; against aliasing -0.5, as in Pillow.

    Examples
    --------
    >>> x = cygrad.tensor([[[1., 2., 3.]]])
    >>> cygrad.nn.functional.interpolate(x, scale_factor=2)
    tensor([[[1., 1., 2., 2., 3., 3.]]])
    >>> cygrad.nn.functional.interpolate(x, size=5, mode="linear", align_corners=True)
    tensor([[[1.0000, 1.5000, 2.0000, 2.5000, 3.0000]]])
    """
    plain = mode in ("nearest", "area", "nearest-exact")
    if plain and align_corners is not None:
        raise ValueError(NOT_ALIGNED)
    axes = input.dim() - 2
    recompute = recompute_scale_factor or mode == "area" and size is None
    sizes, scales = sizes_and_scales(input, size, scale_factor, recompute)
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and axes == 2):
        raise ValueError("Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D "
                         "tensor as input")
    if axes in (1, 2, 3):
        if mode in ("nearest", "nearest-exact"):
            name = f"upsample_{mode.replace('-', '_')}{axes}d"
            return resample(input, name, mode, sizes, scales, False)
        if mode == "area":
            return AREA[axes](input, sizes)
        if axes == 2 and antialias:
            kind = {"bilinear": "linear", "bicubic": "cubic", "lanczos": "lanczos"}[mode]
            return resample(input, f"upsample_{mode}2d_aa", kind + " smooth", sizes, scales, align_corners)
        if mode == LINEAR[axes] or mode == "bicubic" and axes == 2:
            name = f"upsample_{mode}{axes}d"
            return resample(input, name, "cubic" if mode == "bicubic" else "linear", sizes, scales, align_corners)
        if mode in LINEAR.values():
            wanted = next(n for n, word in LINEAR.items() if word == mode)
            raise NotImplementedError(f"Got {axes + 2}D input, but {mode} mode needs {wanted + 2}D input")
    raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the "
                              f"modes: {MODES} (got {mode})")


def older(name):
    warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.")


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """`interpolate` by an older name.

    Parameters
    ----------
    input : Tensor
        (N, C, ...).
    size : int or sequence of int, optional
    scale_factor : float or sequence of float, optional
        One of both: the new sizes, or the factors of the old ones.
    mode : str
    align_corners : bool, optional
        As for `interpolate`.

    Returns
    -------
    Tensor
        (N, C, ...) with other sizes.

    Examples
    --------
    >>> cygrad.nn.functional.upsample(cygrad.ones(1, 1, 2, 2), scale_factor=2).shape
    cygrad.Size([1, 1, 4, 4])
    """
    older("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    """`interpolate` in the mode "nearest", by an older name.

    Parameters
    ----------
    input : Tensor
        (N, C, ...).
    size : int or sequence of int, optional
    scale_factor : float or sequence of float, optional
        One of both: the new sizes, or the factors of the old ones.

    Returns
    -------
    Tensor
        (N, C, ...) with other sizes.

    Examples
    --------
    >>> cygrad.nn.functional.upsample_nearest(cygrad.ones(1, 1, 2, 2), scale_factor=2).shape
    cygrad.Size([1, 1, 4, 4])
    """
    older("upsample_nearest")
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    """`interpolate` in the mode "bilinear" with `align_corners`, by an older name.

    Parameters
    ----------
    input : Tensor
        (N, C, ...).
    size : int or sequence of int, optional
    scale_factor : float or sequence of float, optional
        One of both: the new sizes, or the factors of the old ones.

    Returns
    -------
    Tensor
        (N, C, ...) with other sizes.

    Examples
    --------
    >>> cygrad.nn.functional.upsample_bilinear(cygrad.ones(1, 1, 2, 2), scale_factor=2).shape
    cygrad.Size([1, 1, 4, 4])
    """
    older("upsample_bilinear")
    return interpolate(input, size, scale_factor, "bilinear", True)
