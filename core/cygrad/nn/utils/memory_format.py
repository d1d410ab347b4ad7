"""Weights of convolutions in another memory format, and no other parameter."""
from cygrad.nn.modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def convert_conv2d_weight_memory_format(module, memory_format):
    """Lay out the weights of a module's convolutions of images anew.

    Parameters
    ----------
    module : nn.Module
    memory_format : memory_format
        Most often `channels_last`.

    Returns
    -------
    nn.Module
        The module, which is changed.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.Conv2d(4, 4, 3)
    >>> cygrad.nn.utils.convert_conv2d_weight_memory_format(layer, cygrad.channels_last).weight.stride()
    (36, 1, 12, 4)
    """
    return _converted(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module, memory_format):
    """Lay out the weights of a module's convolutions of volumes anew.

    Parameters
    ----------
    module : nn.Module
    memory_format : memory_format
        Most often `channels_last_3d`.

    Returns
    -------
    nn.Module
        The module, which is changed.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.Conv3d(2, 2, 2)
    >>> cygrad.nn.utils.convert_conv3d_weight_memory_format(layer, cygrad.channels_last_3d).weight.stride()
    (16, 1, 8, 4, 2)
    """
    return _converted(module, memory_format, (Conv3d, ConvTranspose3d))


def _converted(module, memory_format, kinds):
    for each in module.modules():
        if isinstance(each, kinds):
            each.weight.data = each.weight.detach().clone(memory_format=memory_format)
    return module
