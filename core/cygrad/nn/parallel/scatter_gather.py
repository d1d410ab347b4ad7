"""Arguments of a module divided among devices, as `DataParallel` does it where there are several.

What is no tensor goes to every device as it is. There is one device of a kind here, so a tensor has none to go to.
"""
import cygrad

__all__ = ["gather", "scatter", "scatter_kwargs"]


def _shared(value, count):
    """The value once for each device; of a container, one with its own share of what is in it."""
    if isinstance(value, cygrad.Tensor):
        raise RuntimeError("scatter: there are no several devices among which a tensor could be divided")
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [type(value)(*each) for each in zip(*(_shared(item, count) for item in value))]
    if isinstance(value, (tuple, list)) and value:
        kind = tuple if isinstance(value, tuple) else list
        return list(map(kind, zip(*(_shared(item, count) for item in value))))
    if isinstance(value, dict) and value:
        return [type(value)(each) for each in zip(*(_shared(item, count) for item in value.items()))]
    return [value] * count


def scatter(inputs, target_gpus, dim=0):
    """The inputs for each of several devices.

    Parameters
    ----------
    inputs : object
        No tensor, and no container of tensors: these can't be divided here.
    target_gpus : sequence
        The devices.
    dim : int
        The axis that would be divided.

    Returns
    -------
    list
        The inputs, once for each device.

    Raises
    ------
    RuntimeError
        For tensors.

    Examples
    --------
    >>> from cygrad.nn.parallel import scatter
    >>> scatter({"scale": 2}, [0, 1])
    [{'scale': 2}, {'scale': 2}]
    """
    return _shared(inputs, len(target_gpus))


def scatter_kwargs(inputs, kwargs, target_gpus, dim=0):
    """Positional and keyword arguments for each of several devices, as `scatter` gives them.

    Parameters
    ----------
    inputs : tuple
    kwargs : dict or None
    target_gpus : sequence
    dim : int

    Returns
    -------
    tuple
        Tuples of positional arguments, and dicts, one each for a device.

    Raises
    ------
    RuntimeError
        For tensors.

    Examples
    --------
    >>> from cygrad.nn.parallel.scatter_gather import scatter_kwargs
    >>> scatter_kwargs((5,), {"a": 2}, [0, 1])
    (((5,), (5,)), ({'a': 2}, {'a': 2}))
    """
    return tuple(scatter(inputs, target_gpus, dim)), tuple(scatter(kwargs or {}, target_gpus, dim))


def gather(outputs, target_device, dim=0):
    """The results of several devices as one; of tensors in the processor's memory there are none.

    Parameters
    ----------
    outputs : sequence
        What each device gave.
    target_device : int or device
    dim : int

    Raises
    ------
    AssertionError
        For the tensors that are here, with PyTorch's words.
    TypeError
        For what is neither a tensor nor a container of tensors.

    Examples
    --------
    >>> import cygrad
    >>> try:
    ...     cygrad.nn.parallel.gather([cygrad.ones(2)], 0)
    ... except AssertionError as error:
    ...     print(error)
    Gather function not implemented for CPU tensors
    """
    first = outputs[0]
    if isinstance(first, cygrad.Tensor):
        raise AssertionError("Gather function not implemented for CPU tensors")
    if first is None:
        return None
    if isinstance(first, dict):
        return type(first)((key, gather([each[key] for each in outputs], target_device, dim)) for key in first)
    parts = [gather(each, target_device, dim) for each in zip(*outputs)]
    return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
