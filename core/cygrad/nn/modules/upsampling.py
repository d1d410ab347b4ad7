"""Layers that resample signals, images and volumes."""
from cygrad.nn import functional as F
from cygrad.nn.modules.module import Module

__all__ = ["Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"]


class Upsample(Module):
    """Signals, images or volumes resampled to another size.

    Parameters
    ----------
    size : int or tuple of int, optional
        The result's sizes.
    scale_factor : float or tuple of float, optional
        How much larger the result is, where `size` is omitted.
    mode : str
        "nearest", "linear", "bilinear", "bicubic", "trilinear", or another one of `nn.functional.interpolate`.
    align_corners : bool, optional
        In the interpolating modes, whether the centres of the first and the last places are kept, not their borders.
    recompute_scale_factor : bool, optional
        Whether the scale is that of the sizes, rounded as they are, and not `scale_factor`.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.Upsample(scale_factor=2, mode="bilinear")
    >>> layer
    Upsample(scale_factor=2.0, mode='bilinear')
    >>> layer(cygrad.zeros(1, 3, 4, 5)).shape
    cygrad.Size([1, 3, 8, 10])
    """

    __constants__ = ["size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor"]

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(map(float, scale_factor))
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input):
        """(N, C, ...) -> the same with other sizes."""
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners,
                             recompute_scale_factor=self.recompute_scale_factor)

    def __setstate__(self, state):
        state.setdefault("recompute_scale_factor", True)        # as it was before there was a choice
        super().__setstate__(state)

    def extra_repr(self):
        """Size or scale, and the mode."""
        size = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{size}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images resampled in the mode "nearest".

    Parameters
    ----------
    size, scale_factor
        As for `Upsample`.
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images resampled in the mode "bilinear" with `align_corners`.

    Parameters
    ----------
    size, scale_factor
        As for `Upsample`.
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
