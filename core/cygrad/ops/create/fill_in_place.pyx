"""Tensors filled in place: `fill_`, `zero_`."""
from cygrad.tensor cimport Tensor

from cygrad.dispatch.raw import cast_to, fill_ as raw_fill
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.registry import op


@primitive
def fill(self, value):
    raw_fill(self, value)
    self._bump_version()


@primitive
def fill_tensor(self, value):
    if value.dtype is self.dtype:
        raw_fill(self, value.item())
    else:
        raw_fill(self, cast_to(value, self.dtype).item())           # one that the dtype can't hold is cast, not refused
    self._bump_version()


@op(only_method=True)
def fill_(self, value):
    """Set every element to `value` (a number or a 0-d tensor).

    Parameters
    ----------
    value : number or 0-d Tensor
        What every element becomes.

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.zeros(2).fill_(5)
    tensor([5., 5.])
    """
    if isinstance(value, Tensor):
        if value.dim() != 0:
            raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                               f"{value.dim()} dimensions.")
        return fill_tensor.inplace(self, value)
    return fill.inplace(self, value)


@primitive
def zero(self):
    raw_fill(self, 0)
    self._bump_version()


for _filling in (fill, zero):
    _filling.may_overlap = True


@op(only_method=True)
def zero_(self):
    """Set every element to zero.

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.ones(2).zero_()
    tensor([0., 0.])
    """
    return zero.inplace(self)
