"""Gradients kept from becoming too large, all together or each element by itself."""
import functools
import types
import warnings

import cygrad
from cygrad import Tensor

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]


def _unrecorded(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with cygrad.no_grad():
            return function(*args, **kwargs)
    return wrapper


def _as_list(tensors):
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


@_unrecorded
def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of all tensors as if they were one vector.

    Parameters
    ----------
    tensors : iterable of Tensor, or Tensor
    norm_type : float
    error_if_nonfinite : bool
        Whether an infinite norm, or one that is no number, raises a RuntimeError.
    foreach : bool, optional
        Makes no difference.

    Returns
    -------
    Tensor
        Without axes, on the device of the first.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.nn.utils.get_total_norm([cygrad.tensor([3.0]), cygrad.tensor([4.0])])
    tensor(5.)
    """
    tensors, norm_type = _as_list(tensors), float(norm_type)
    if not tensors:
        return cygrad.tensor(0.0)
    norms = [cygrad.linalg.vector_norm(each, norm_type).to(tensors[0].device) for each in tensors]
    total = cygrad.linalg.vector_norm(cygrad.stack(norms), norm_type)
    if error_if_nonfinite and not total.isfinite():
        raise RuntimeError(f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it "
                           "cannot be clipped. To disable this error and scale the gradients by the non-finite norm "
                           "anyway, set `error_if_nonfinite=False`")
    return total


@_unrecorded
def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale gradients in place by max_norm / total_norm, if that is less than 1.

    Parameters
    ----------
    parameters : iterable of Tensor, or Tensor
    max_norm : float
    total_norm : Tensor
        As `get_total_norm` gives it.
    foreach : bool, optional
        Makes no difference.
    """
    grads = [param.grad for param in _as_list(parameters) if param.grad is not None]
    max_norm = float(max_norm)
    if grads:
        factor = cygrad.clamp(max_norm / (total_norm + 1e-6), max=1.0)
        for grad in grads:
            grad.mul_(factor.to(grad.device))


@_unrecorded
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale gradients in place so that their norm, as if they were one vector, is no more than `max_norm`.

    Parameters
    ----------
    parameters : iterable of Tensor, or Tensor
    max_norm : float
    norm_type : float
    error_if_nonfinite : bool
        Whether an infinite norm, or one that is no number, raises a RuntimeError.
    foreach : bool, optional
        Makes no difference.

    Returns
    -------
    Tensor
        The norm before.

    Examples
    --------
    >>> import cygrad
    >>> p = cygrad.zeros(2, requires_grad=True)
    >>> p.grad = cygrad.tensor([3.0, 4.0])
    >>> cygrad.nn.utils.clip_grad_norm_(p, 1.0)
    tensor(5.)
    >>> p.grad
    tensor([0.6000, 0.8000])
    """
    was_generator = isinstance(parameters, types.GeneratorType)
    parameters = _as_list(parameters)
    if was_generator and not parameters:
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=3)
    grads = [param.grad for param in parameters if param.grad is not None]
    divided = any(hasattr(param, "total_norm") for param in parameters)
    total = _norm_over_ranks(parameters, float(norm_type)) if divided else None
    if total is None or error_if_nonfinite and not total.isfinite():
        total = get_total_norm(grads, norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total)
    return total


def _norm_over_ranks(parameters, norm_type):
    """The norm of gradients of which each rank has a part (`distributed.fsdp`), and of those that all ranks have."""
    parts, norms = {}, []
    for param in parameters:
        if hasattr(param, "total_norm"):
            parts.setdefault(param.process_group, (param, []))[1].append(param)
        elif param.grad is not None:
            norms.append(cygrad.linalg.vector_norm(param.grad, norm_type))
    for first, params in parts.values():
        own = get_total_norm([param.new_zeros(()) if param.grad is None else param.grad for param in params], norm_type)
        norms.append(first.total_norm(own, norm_type))
    return cygrad.linalg.vector_norm(cygrad.stack(norms), norm_type)


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Deprecated: use `clip_grad_norm_`."""
    warnings.warn("`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
                  FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@_unrecorded
def clip_grad_value_(parameters, clip_value, foreach=None):
    """Limit each element of the gradients, in place, to between -clip_value and clip_value.

    Parameters
    ----------
    parameters : iterable of Tensor, or Tensor
    clip_value : float
    foreach : bool, optional
        Makes no difference.
    """
    clip_value = float(clip_value)
    grads = [param.grad for param in _as_list(parameters) if param.grad is not None]
    if not grads:
        raise RuntimeError("clip_grad_value_: there is no gradient")
    for grad in grads:
        grad.clamp_(min=-clip_value, max=clip_value)
