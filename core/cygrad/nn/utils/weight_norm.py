"""A weight as a length times a direction (Salimans and Kingma, 2016), computed by a hook before each call.

`parametrizations.weight_norm` is the newer form.
"""
import warnings

import cygrad
from cygrad.nn.parameter import Parameter, is_lazy

__all__ = ["WeightNorm", "weight_norm", "remove_weight_norm"]


class WeightNorm:
    """The hook.

    Parameters
    ----------
    name : str
        Of the weight.
    dim : int or None
        The axis whose places have a length each; None for one length in all.
    """

    def __init__(self, name, dim):
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module):
        """The weight from its length and direction."""
        return cygrad._weight_norm(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    @staticmethod
    def apply(module, name, dim):
        """Take a module's weight apart; returns the hook."""
        warnings.warn("`torch.nn.utils.weight_norm` is deprecated in favor of "
                      "`torch.nn.utils.parametrizations.weight_norm`.", FutureWarning, stacklevel=3)
        if _place_of(module, name) is not None:
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        hook = WeightNorm(name, dim)
        weight = getattr(module, name)
        if is_lazy(weight):
            raise ValueError("The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run "
                             "the dummy forward before applying weight normalization")
        del module._parameters[name]
        module.register_parameter(name + "_g", Parameter(cygrad.norm_except_dim(weight, 2, hook.dim).data))
        module.register_parameter(name + "_v", Parameter(weight.data))
        setattr(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module):
        """Put the weight together again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"]
        del module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module))


def _place_of(module, name):
    """The number of the module's hook for a weight, if it has one."""
    return next((number for number, hook in module._forward_pre_hooks.items()
                 if isinstance(hook, WeightNorm) and hook.name == name), None)


def weight_norm(module, name="weight", dim=0):
    """Let a module have the length and direction of its weight as parameters: `name`_g and `name`_v.

    Parameters
    ----------
    module : Module
    name : str
    dim : int or None
        The axis whose places have a length each; None for one length in all.

    Returns
    -------
    Module
        The same.
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module, name="weight"):
    """Undo `weight_norm`.

    Parameters
    ----------
    module : Module
    name : str

    Returns
    -------
    Module
        The same.
    """
    place = _place_of(module, name)
    if place is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    module._forward_pre_hooks.pop(place).remove(module)
    return module
