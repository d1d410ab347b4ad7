"""All parameters as one vector, and back."""
import cygrad
from cygrad import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters):
    """The elements of all parameters, one after the other.

    Parameters
    ----------
    parameters : iterable of Tensor

    Returns
    -------
    Tensor
        With one axis.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.utils.parameters_to_vector([cygrad.ones(2), cygrad.zeros(1, 2)])
    tensor([1., 1., 0., 0.])
    """
    device, vector = None, []
    for param in parameters:
        device = _same_device(param, device)
        vector.append(param.view(-1))
    return cygrad.cat(vector)


def vector_to_parameters(vec, parameters):
    """Let the parameters have these elements: they become windows on the vector's memory.

    Parameters
    ----------
    vec : Tensor
        With one axis.
    parameters : iterable of Tensor
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {cygrad.typename(vec)}")
    device, start = None, 0
    for param in parameters:
        device = _same_device(param, device)
        param.data = vec[start:start + param.numel()].view_as(param).data
        start += param.numel()


def _same_device(param, device):
    """The device of the parameters so far, if this one is there, too."""
    if device is not None and param.device != device:
        raise TypeError("Found two parameters on different devices, this is currently not supported.")
    return param.device
