"""The layers of `einops.layers.torch` as modules of cygrad's, to be imported from here instead; they need einops."""
from einops.layers import RearrangeMixin, ReduceMixin
from einops.layers._einmix import _EinmixMixin

import cygrad
from cygrad import nn

__all__ = ["EinMix", "Rearrange", "Reduce"]


class Rearrange(RearrangeMixin, nn.Module):
    """`einops.rearrange` as a layer.

    Parameters
    ----------
    pattern : str
        Axes before and after an arrow.
    **axes_lengths : int
        Sizes of axes by name.

    Raises
    ------
    einops.EinopsError
        For a pattern that can't be read.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.einops_layers import Rearrange  # doctest: +SKIP
    >>> Rearrange("b c h w -> b (c h w)")(cygrad.ones(2, 3, 4, 4)).shape  # doctest: +SKIP
    cygrad.Size([2, 48])
    """

    def forward(self, input):
        """The tensor rearranged."""
        return self._apply_recipe(input)


class Reduce(ReduceMixin, nn.Module):
    """`einops.reduce` as a layer.

    Parameters
    ----------
    pattern : str
        Axes before and after an arrow.
    reduction : str
        "min", "max", "sum", "mean" or "prod".
    **axes_lengths : int
        Sizes of axes by name.

    Raises
    ------
    einops.EinopsError
        For a pattern that can't be read.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.einops_layers import Reduce  # doctest: +SKIP
    >>> Reduce("b c (h 2) (w 2) -> b c h w", "max")(cygrad.ones(2, 3, 4, 4)).shape  # doctest: +SKIP
    cygrad.Size([2, 3, 2, 2])
    """

    def forward(self, input):
        """The tensor reduced."""
        return self._apply_recipe(input)


class EinMix(_EinmixMixin, nn.Module):
    """A linear layer over axes that patterns name.

    Parameters
    ----------
    pattern : str
        Axes of the input and of the result.
    weight_shape : str
        Axes of the weight.
    bias_shape : str, optional
        Axes of the bias; without it there is none.
    **axes_lengths : int
        Sizes of axes by name.

    Raises
    ------
    einops.EinopsError
        For patterns that don't fit each other.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.einops_layers import EinMix  # doctest: +SKIP
    >>> EinMix("t b i -> t b o", weight_shape="i o", i=3, o=4)(cygrad.ones(5, 2, 3)).shape  # doctest: +SKIP
    cygrad.Size([5, 2, 4])
    """

    def _create_parameters(self, weight_shape, weight_bound, bias_shape, bias_bound):
        def drawn(shape, bound):
            return nn.Parameter(cygrad.zeros(shape).uniform_(-bound, bound))
        self.weight = drawn(weight_shape, weight_bound)
        self.bias = None if bias_shape is None else drawn(bias_shape, bias_bound)

    def _create_rearrange_layers(self, pre_reshape_pattern, pre_reshape_lengths, post_reshape_pattern,
                                 post_reshape_lengths):
        def layer(pattern, lengths):
            return None if pattern is None else Rearrange(pattern, **lengths)
        self.pre_rearrange = layer(pre_reshape_pattern, pre_reshape_lengths)
        self.post_rearrange = layer(post_reshape_pattern, post_reshape_lengths)

    def forward(self, input):
        """The products summed, with the bias."""
        if self.pre_rearrange is not None:
            input = self.pre_rearrange(input)
        result = cygrad.einsum(self.einsum_pattern, input, self.weight)
        if self.bias is not None:
            result += self.bias
        return result if self.post_rearrange is None else self.post_rearrange(result)
