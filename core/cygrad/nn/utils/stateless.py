"""A module called with other parameters and buffers than its own."""
import contextlib
import warnings

from cygrad import Tensor

__all__ = ["functional_call"]


def _owner(module, path):
    """(the module that has the member, its name)."""
    where, _, name = path.rpartition(".")
    return module.get_submodule(where), name


def _tied(module, given):
    """`given`, with each value also under the other names that its tensor has in the module."""
    names = {}
    for members in (module.named_parameters(remove_duplicate=False), module.named_buffers(remove_duplicate=False)):
        for name, tensor in members:
            names.setdefault(tensor, []).append(name)
    found = dict(given)
    for tied in names.values():
        present = [name for name in tied if name in given]
        if len(tied) < 2 or not present:
            continue
        if len({id(given[name]) for name in present}) > 1:
            raise ValueError(f"functional_call got multiple values for keys {sorted(tied)}, which are tied. Consider "
                             "using tie_weights=False")
        found.update((name, given[present[0]]) for name in tied)
    return found


def _check(module, given):
    """Refuse keys that the module has not got, and the lack of those that it has."""
    known = [name for name, _ in (*module.named_parameters(remove_duplicate=False),
                                  *module.named_buffers(remove_duplicate=False))]
    messages = []
    for kind, keys in (("Unexpected", [name for name in given if name not in known]),
                       ("Missing", [name for name in known if name not in given])):
        if keys:
            messages.append(f"{kind} key(s): {', '.join(map(repr, sorted(keys)))}.")
    if messages:
        listed = "\n\t".join(messages)
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t{listed}")


_ABSENT = object()


def _swap(module, path, value):
    """Let the module have another tensor, or none if it is _ABSENT; returns the one it had. Nothing is registered."""
    if value is not None and value is not _ABSENT and not isinstance(value, Tensor):
        raise TypeError(f"{value} is not an instance of torch.Tensor")
    owner, name = _owner(module, path)
    old = getattr(owner, name, _ABSENT)
    if value is _ABSENT:
        delattr(owner, name)
        return old
    for members in (owner._parameters, owner._buffers):
        if name in members:
            old, members[name] = members[name], value
            return old
    if old is not _ABSENT and not isinstance(old, Tensor):
        raise TypeError(f"attribute `{path}`: {old} is not an instance of torch.Tensor")
    setattr(owner, name, value)
    return old


@contextlib.contextmanager
def _reparametrize_module(module, parameters_and_buffers, tie_weights=False, strict=False):
    """The module with these tensors for a `with` block; what it has at the end goes back into the dict."""
    given = _tied(module, parameters_and_buffers) if tie_weights else dict(parameters_and_buffers)
    if strict:
        _check(module, given)
    originals = {}
    try:
        for path, value in given.items():
            originals[path] = _swap(module, path, value)
        yield
    finally:
        for path, value in originals.items():
            now = _swap(module, path, value)
            if path in parameters_and_buffers:
                parameters_and_buffers[path] = now


def call_with(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Call a module with the tensors given in the places of its own; see `functional_call`."""
    from cygrad.nn.parallel import DataParallel      # start-up time
    if isinstance(module, DataParallel):
        raise RuntimeError("The stateless API can't be used with nn.DataParallel module")
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _reparametrize_module(module, parameters_and_buffers, tie_weights=tie_weights, strict=strict):
        return module(*args, **(kwargs or {}))


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Call a module as if it had other parameters and buffers. Deprecated in favour of `func.functional_call`.

    Parameters
    ----------
    module : Module
        It has its own again afterwards.
    parameters_and_buffers : dict of str to Tensor
        By their paths. What `forward` puts in the place of a buffer is in the dict afterwards.
    args : tuple, or anything else for a single argument
    kwargs : dict, optional
    tie_weights : bool
        Whether a tensor that has several paths in the module is replaced at all of them.
    strict : bool
        Whether exactly the module's paths have to be there.

    Returns
    -------
    object
        What the module returned.
    """
    warnings.warn("`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a "
                  "future version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in "
                  "replacement.", FutureWarning, stacklevel=2)
    return call_with(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
