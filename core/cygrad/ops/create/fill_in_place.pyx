# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""Tensors filled with one value: `fill_`, `zero_` in place, `fill` in a copy."""
from cygrad.tensor cimport Tensor

from cygrad.dispatch.raw import cast_to, clone_like, fill_ as raw_fill
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op


@primitive(name="fill")
def fill_with_number(self, value):
    raw_fill(self, value)
    self._bump_version()


@primitive
def fill_tensor(self, value):
    if value.dtype is self.dtype:
        raw_fill(self, value.item())
    else:
        raw_fill(self, cast_to(value, self.dtype).item())           # one that the dtype can't hold is cast, not refused
    self._bump_version()


@primitive
def filled(self, value):
    out = clone_like(self)
    raw_fill(out, value)
    return out


@primitive
def filled_by_tensor(self, value):
    return filled.forward(self, (value if value.dtype is self.dtype else cast_to(value, self.dtype)).item())


def checked_value(value):
    """The value of a fill, a tensor that must have no axes."""
    if value.dim() != 0:
        raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                           f"{value.dim()} dimensions.")
    return value


@op(method=False)
def fill(input, value):
    """A tensor like `input` full of `value`.

    Parameters
    ----------
    value : number or 0-d Tensor
        What every element is.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.fill(cygrad.tensor([1, 2]), 5)
    tensor([5, 5])
    """
    return filled_by_tensor(input, checked_value(value)) if isinstance(value, Tensor) else filled(input, value)


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
        return fill_tensor.inplace(self, checked_value(value))
    return fill_with_number.inplace(self, value)


@primitive
def zero(self):
    raw_fill(self, 0)
    self._bump_version()


for _filling in (fill_with_number, zero):
    _filling.may_overlap = True
fill_tensor.of_any_dtype = True


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
