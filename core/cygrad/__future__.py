"""`cygrad.__future__`: what modules may do otherwise when they are converted, with PyTorch's names.

By default `Module.to()` and its kind put new data into the parameters that are there.
"""

_chosen = {"overwrite": False, "swap": False}


def set_overwrite_module_params_on_conversion(value):
    """Whether a module that is converted gets new parameters in place of its own.

    Parameters
    ----------
    value : bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.__future__.set_overwrite_module_params_on_conversion(True)
    >>> layer = cygrad.nn.Linear(2, 2)
    >>> before = layer.weight
    >>> layer.double().weight is before
    False
    >>> cygrad.__future__.set_overwrite_module_params_on_conversion(False)
    """
    _chosen["overwrite"] = value


def get_overwrite_module_params_on_conversion():
    """Whether a module that is converted gets new parameters in place of its own.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.__future__.get_overwrite_module_params_on_conversion()
    False
    """
    return _chosen["overwrite"]


def set_swap_module_params_on_conversion(value):
    """Whether `Module.to()`, its kind and `load_state_dict` exchange parameters with new ones (`utils.swap_tensors`).

    Parameters
    ----------
    value : bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.__future__.set_swap_module_params_on_conversion(False)
    """
    _chosen["swap"] = value


def get_swap_module_params_on_conversion():
    """Whether `Module.to()`, its kind and `load_state_dict` exchange parameters with new ones.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cygrad
    >>> cygrad.__future__.get_swap_module_params_on_conversion()
    False
    """
    return _chosen["swap"]
