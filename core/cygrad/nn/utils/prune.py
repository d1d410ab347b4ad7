"""Pruning: parts of parameters set to 0 by masks that hooks put on before each call.

The methods themselves are in `pruning_methods.py`; here are the functions that apply them.
"""
from collections.abc import Iterable

import cygrad
from cygrad.nn.utils.convert_parameters import parameters_to_vector
from cygrad.nn.utils.pruning_methods import (BasePruningMethod, CustomFromMask, Identity, L1Unstructured, LnStructured,
                                             PruningContainer, RandomStructured, RandomUnstructured)

__all__ = ["BasePruningMethod", "PruningContainer", "Identity", "RandomUnstructured", "L1Unstructured",
           "RandomStructured", "LnStructured", "CustomFromMask", "identity", "random_unstructured", "l1_unstructured",
           "random_structured", "ln_structured", "global_unstructured", "custom_from_mask", "remove", "is_pruned"]


def identity(module, name):
    """Put a mask of ones on a parameter, so that it is pruned in form only.

    Parameters
    ----------
    module : Module
    name : str
        Of the parameter, which becomes `name`_orig with a buffer `name`_mask beside it.

    Returns
    -------
    Module
        The same.
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    """Set random elements of a parameter to 0.

    Parameters
    ----------
    module : Module
    name : str
    amount : int or float
        How many, or which part of all.

    Returns
    -------
    Module
        The same.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.nn.utils import prune
    >>> layer = prune.random_unstructured(cygrad.nn.Linear(4, 5), "weight", amount=0.25)
    >>> (layer.weight == 0).sum()
    tensor(5)
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    """Set the least elements of a parameter to 0.

    Parameters
    ----------
    module : Module
    name : str
    amount : int or float
        How many, or which part of all.
    importance_scores : Tensor, optional
        By whose absolute values elements are compared; by default their own.

    Returns
    -------
    Module
        The same.
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    """Set random channels of a parameter to 0.

    Parameters
    ----------
    module : Module
    name : str
    amount : int or float
        How many channels, or which part of all.
    dim : int
        The axis of the channels.

    Returns
    -------
    Module
        The same.
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Set the channels of the least norm of a parameter to 0.

    Parameters
    ----------
    module : Module
    name : str
    amount : int or float
        How many channels, or which part of all.
    n : int, float or str
        Which norm.
    dim : int
        The axis of the channels.
    importance_scores : Tensor, optional
        By whose norms channels are compared; by default their own.

    Returns
    -------
    Module
        The same.
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Prune several parameters as if they were one.

    Parameters
    ----------
    parameters : iterable of (Module, str)
    pruning_method : type
        A method for single elements, such as `L1Unstructured`.
    importance_scores : dict, optional
        From (module, name) to a tensor.
    **kwargs
        For the method, such as `amount`.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    parameters = list(parameters)
    scores = parameters_to_vector([scores.get((module, name), getattr(module, name)) for module, name in parameters])
    masks = parameters_to_vector([getattr(module, name + "_mask", cygrad.ones_like(getattr(module, name)))
                                  for module, name in parameters])
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError('Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
                        f"{pruning_method} of type {method.PRUNING_TYPE}")
    mask = PruningContainer(method).compute_mask(scores, masks)
    start = 0
    for module, name in parameters:
        param = getattr(module, name)
        custom_from_mask(module, name, mask=mask[start:start + param.numel()].view_as(param))
        start += param.numel()


def custom_from_mask(module, name, mask):
    """Set elements of a parameter to 0 where a mask is.

    Parameters
    ----------
    module : Module
    name : str
    mask : Tensor
        Of the parameter's shape.

    Returns
    -------
    Module
        The same.
    """
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module, name):
    """Make the pruning of a parameter final: its elements are 0, and there is no mask any more.

    Parameters
    ----------
    module : Module
    name : str

    Returns
    -------
    Module
        The same.
    """
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module):
    """Whether a parameter of the module, or of one below it, is pruned.

    Parameters
    ----------
    module : Module

    Returns
    -------
    bool
    """
    return any(isinstance(hook, BasePruningMethod)
               for each in module.modules() for hook in each._forward_pre_hooks.values())
