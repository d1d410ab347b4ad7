"""Tensors without their history: `detach`, and `detach_` in place."""
from cygrad.autograd.modes import inference_mode_enabled
from cygrad.ops.declare.op_forms import op


@op(only_method=True)
def detach_(self):
    """Cut the tensor off from its history, in place.

    Raises
    ------
    RuntimeError
        For a view.

    Examples
    --------
    >>> x = cygrad.ones(1, requires_grad=True) * 2
    >>> x.detach_().requires_grad
    False
    """
    if inference_mode_enabled():                # where tensors are made that have none, and others keep theirs
        return self
    if self._is_view():
        raise RuntimeError("Can't detach views in-place. Use detach() instead. If you are using "
                           "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, "
                           "gradients are views of DDP buckets, and hence detach_() cannot be called on these "
                           "gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
                           "torch/optim/optimizer.py as the solution.")
    self._drop_history()
    return self


@op(method=False)
def detach(input):
    """The tensor cut off from its history; `Tensor.detach` as a function.

    Returns
    -------
    Tensor
        On the same memory; it requires no gradient.

    Examples
    --------
    >>> cygrad.detach(cygrad.ones(1, requires_grad=True)).requires_grad
    False
    """
    return input.detach()
