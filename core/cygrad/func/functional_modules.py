"""Modules as functions of their parameters and buffers, for `grad` and `vmap`; batch norms that allow it."""
import functools

import cygrad
from cygrad.autograd.modes import count_transforms
from cygrad.utils._pytree import tree_flatten


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Call a module with other tensors in the places of its parameters and buffers.

    Parameters
    ----------
    module : nn.Module
    parameter_and_buffer_dicts : dict of str to Tensor, or a sequence of them
        The tensors, by the names that the module has for them.
    args : object or tuple
        The arguments of the call.
    kwargs : dict, optional
    tie_weights : bool
        Whether a tensor replaces every parameter that is one with the named one.
    strict : bool
        Whether every parameter and buffer has to be named, and no other.

    Returns
    -------
    object
        What the module returns.

    Raises
    ------
    ValueError
        If the second argument is neither a dict nor a sequence of them, or a name is in several.

    Examples
    --------
    >>> import cygrad
    >>> layer = cygrad.nn.Linear(2, 1, bias=False)
    >>> cygrad.func.functional_call(layer, {"weight": cygrad.ones(1, 2)}, cygrad.tensor([[3., 4.]]))
    tensor([[7.]])
    """
    from cygrad.nn.utils.stateless import call_with      # start-up time
    named = parameter_and_buffer_dicts
    if isinstance(named, (list, tuple)):
        if not all(isinstance(each, dict) for each in named):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        keys = [key for each in named for key in each]
        repeated = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
        if repeated:
            raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
        named = {key: value for each in named for key, value in each.items()}
    elif not isinstance(named, dict):
        raise ValueError("Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
                         f"{type(named)}")
    return call_with(module, named, args, kwargs, tie_weights=tie_weights, strict=strict)


def stack_module_state(models):
    """The parameters and buffers of modules of one kind, stacked: for `vmap` over an ensemble.

    Parameters
    ----------
    models : sequence of nn.Module

    Returns
    -------
    tuple of dict
        (parameters, buffers): by their names, with the models along axis 0.

    Raises
    ------
    RuntimeError
        If there are none, or they are of different classes or modes.

    Examples
    --------
    >>> import cygrad
    >>> models = [cygrad.nn.Linear(2, 3) for _ in range(4)]
    >>> parameters, buffers = cygrad.func.stack_module_state(models)
    >>> parameters["weight"].shape
    cygrad.Size([4, 3, 2])
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({bool(model.training) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if not all(type(model) is type(models[0]) for model in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    return tuple({name: stacked([each[name] for each in all_], name) for name in all_[0]}
                 for all_ in (parameters, buffers))


def stacked(tensors, name):
    """The tensors that all modules have under one name, stacked, as a leaf of the graph."""
    needing = {t.requires_grad for t in tensors}
    if len(needing) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    return cygrad.stack([t.detach() for t in tensors]).requires_grad_(needing.pop())


def replace_all_batch_norm_modules_(root):
    """Let every batch norm of a module forget its running statistics, which `vmap` can't update: it uses the batch's.

    Parameters
    ----------
    root : nn.Module

    Returns
    -------
    nn.Module
        `root`, which is changed.

    Examples
    --------
    >>> import cygrad
    >>> net = cygrad.func.replace_all_batch_norm_modules_(cygrad.nn.Sequential(cygrad.nn.BatchNorm1d(2)))
    >>> net[0].running_mean is None
    True
    """
    from cygrad.nn.modules.batchnorm import _BatchNorm      # start-up time
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def functionalize(func, *, remove="mutations"):
    """The function itself: it takes and gives the same, and there is no tracer whose graph could lack its mutations.

    Parameters
    ----------
    func : callable
    remove : {"mutations", "mutations_and_views"}

    Returns
    -------
    callable

    Raises
    ------
    RuntimeError
        For another `remove`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.func.functionalize(lambda x: x.clone().add_(1))(cygrad.zeros(2))
    tensor([1., 1.])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError("functionalize(f, remove='mutations'): unrecognized argument. Valid choices for the "
                           f"`remove` argument are: 'mutations' and 'mutations_and_views'. Got: remove={remove}")

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        count_transforms(1)
        try:
            found = func(*args, **kwargs)
        finally:
            count_transforms(-1)
        given = {t.untyped_storage()._cdata for t in tree_flatten((args, kwargs))[0] if isinstance(t, cygrad.Tensor)}
        for t in tree_flatten(found)[0]:        # nothing changed in PyTorch's but the arguments
            if isinstance(t, cygrad.Tensor) and not t.is_inference() and t.untyped_storage()._cdata not in given:
                t._count_from(0)
        return found
    return wrapper
