"""Largest and smallest elements, and where they are: max, min, amax, amin, aminmax, argmax, argmin."""
from cygrad cimport backend as k
from cygrad.dispatch.axis_reductions cimport reduce
from cygrad.dtype cimport BOOL as BOOL_CODE, CATEGORY_COMPLEX
from cygrad.ops.declare.op cimport Op
from cygrad.ops.reduce.sums cimport axes_of, every_axis
from cygrad.tensor cimport Tensor, alias

import cygrad
from cygrad import return_types
from cygrad.ops.declare.primitives import primitive
from cygrad.dispatch.raw import argreduce, clone_like, gather_op, reduce_dims
from cygrad.ops.declare.operand_types import refused
from cygrad.ops.reduce.sums import EVERY, MAX, MIN, axis_of
from cygrad.ops.declare.op_forms import op

cdef Op WHOLE_MAX = Op("max", "self")
cdef Op WHOLE_MIN = Op("min", "self")
cdef Op MAX_ALONG = Op("amax", "self", "dim", "keepdim")
cdef Op MIN_ALONG = Op("amin", "self", "dim", "keepdim")


def need_elements(input, axes, name, text="{}(): Expected reduction dim {} to have non-zero size."):
    """Raise unless every axis to be reduced has elements."""
    if input.numel() == 0 and input.dim():
        for axis in axes:
            if input.size(axis) == 0:
                raise IndexError(text.format(name, axis))


def refuse_empty(input, name, error=RuntimeError, more=" Specify the reduction dim with the 'dim' argument."):
    if (<Tensor>input).elements == 0:
        raise error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{more}")


cdef Tensor extreme_of_axes(int code, Op op, str name, str kernel, Tensor input, object dim, bint keepdim):
    cdef tuple axes = () if dim is None else axes_of(dim, input.rank, name)
    if not axes:
        refuse_empty(input, name)
        axes = every_axis(input)
    if input.elements == 0:
        need_elements(input, axes, name)
    if input.dtype.category == CATEGORY_COMPLEX:
        if input.elements:
            raise refused(kernel, input.dtype)
        if input._tracked():
            raise RuntimeError(f"{name} does not support automatic differentiation for outputs with complex dtype.")
    return op.result(reduce(code, input, axes, keepdim, input.dtype), input, axes, (keepdim,))


OF_AXES = """The {} element, of all or along some axes; equal ones share the gradient.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    dim : int or tuple of int
        Axes to reduce; () for all.
    keepdim : bool
        Keep the axes, with size 1.

    Returns
    -------
    Tensor
        Of input's dtype; NaN if any element is.

    Raises
    ------
    IndexError
        Where there is no element to choose from.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.{}(cygrad.tensor([[1., 3.], [5., 2.]]), dim=1)
    tensor({})
    """


@op(axis=True, out="exact", doc=OF_AXES.format("largest", "amax", "[3., 5.]"))
def amax(Tensor input not None, dim=(), bint keepdim=False):
    return extreme_of_axes(k.MAX, MAX_ALONG, "amax", "max_values_cpu", input, dim, keepdim)


@op(axis=True, out="exact", doc=OF_AXES.format("smallest", "amin", "[1., 2.]"))
def amin(Tensor input not None, dim=(), bint keepdim=False):
    return extreme_of_axes(k.MIN, MIN_ALONG, "amin", "min_values_cpu", input, dim, keepdim)


@primitive(name="max_dim")
def _max_dim(self, dim, keepdim):
    return along(k.ARGMAX, self, dim, keepdim)


@primitive(name="min_dim")
def _min_dim(self, dim, keepdim):
    return along(k.ARGMIN, self, dim, keepdim)


def along(code, t, dim, keepdim):
    """(values, indices) of the extremes along an axis."""
    indices = argreduce(code, t, dim, keepdim)
    return take_along(t, indices, dim, keepdim), indices


def take_along(t, indices, dim, keepdim):
    """The elements of `t` at one index along an axis for each place of the others."""
    if t.dim() == 0:
        return clone_like(t)
    if keepdim:
        return gather_op(t, indices, dim)
    values = gather_op(t, indices.detach().unsqueeze(dim), dim)
    return values.view(tuple(indices.shape)).detach()


cdef object extreme(str name, int code, Op whole, some, Tensor input, object dim, bint keepdim, object other):
    """`max` or `min` in its three forms."""
    if other is None and isinstance(dim, Tensor):
        other, dim = dim, None
    if other is not None and (dim is not None or keepdim):
        raise TypeError(f"{name}() got an unexpected keyword argument 'other'")
    if other is not None:
        return (cygrad.maximum if name == "max" else cygrad.minimum)(input, other)
    if dim is None:
        refuse_empty(input, name)
        if input.dtype.category == CATEGORY_COMPLEX:
            raise refused(f"{name}_all", input.dtype)
        return whole.result(reduce(code, input, every_axis(input), False, input.dtype), input, None, ())
    dim = axis_of(dim, input.dim(), name)
    need_elements(input, (dim,), name)
    if input.is_complex():
        raise RuntimeError(f"{name}(): does not support complex input")
    return (MaxResult if code == k.MAX else MinResult)(some(input, dim, keepdim))


cdef object MaxResult = return_types.max, MinResult = return_types.min


IN_THREE_FORMS = """The {extreme} element; along an axis: these and where they are; of two tensors: `{of_two}`.

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    dim : int or Tensor, optional
        An axis, or the second tensor.
    keepdim : bool
        Keep the axis, with size 1.
    other : Tensor, optional
        The second tensor.

    Returns
    -------
    Tensor, or return_types.{name}
        With `dim`: values and indices; of equal elements the first counts, and NaN is the {extreme}.

    Examples
    --------
    >>> import cygrad
    >>> values, indices = cygrad.{name}(cygrad.tensor([[1., 3.], [5., 2.]]), dim=1)
    >>> indices
    tensor({places})
    """


@op(name="max", axis=True, out=True,
    doc=IN_THREE_FORMS.format(name="max", extreme="largest", of_two="maximum", places=[1, 0]))
def max_(Tensor input not None, dim=None, bint keepdim=False, *, other=None):
    return extreme("max", k.MAX, WHOLE_MAX, _max_dim, input, dim, keepdim, other)


@op(name="min", axis=True, out=True,
    doc=IN_THREE_FORMS.format(name="min", extreme="smallest", of_two="minimum", places=[0, 1]))
def min_(Tensor input not None, dim=None, bint keepdim=False, *, other=None):
    return extreme("min", k.MIN, WHOLE_MIN, _min_dim, input, dim, keepdim, other)


@primitive(name="aminmax")
def _aminmax(self, dim, keepdim):
    axes = EVERY[self.dim()] if dim is None else (dim,)
    return reduce_dims(MIN, self, axes, keepdim, self.dtype), reduce_dims(MAX, self, axes, keepdim, self.dtype)


@op(axis=True, out="exact")
def aminmax(input, *, dim=None, keepdim=False):
    """The smallest and the largest element, of all or along an axis.

    Parameters
    ----------
    input : Tensor
        Of a real dtype; not empty.
    dim : int, optional
        The axis to reduce; None for all.

    Returns
    -------
    return_types.aminmax
        ``min`` and ``max``, of input's dtype; NaN if any element is.

    Raises
    ------
    RuntimeError
        For a complex tensor.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.aminmax(cygrad.tensor([3, 1, 2]))
    torch.return_types.aminmax(
    min=tensor(1),
    max=tensor(3))
    """
    if dim is None:
        if input.numel() == 0:
            raise RuntimeError("aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
                               "identity.")
    else:
        dim = axis_of(dim, input.dim(), "aminmax")
        need_elements(input, (dim,), "aminmax", "{}: Expected reduction dim {} to have non-zero size.")
    if input.is_complex():
        if dim is not None and not input.dim():
            raise RuntimeError(str(refused("aminmax", input.dtype)))
        raise refused("aminmax_cpu", input.dtype)
    return return_types.aminmax(_aminmax(input, dim, keepdim))


cdef object position(int code, str name, Tensor input, object dim, bint keepdim):
    """`argmax` or `argmin`."""
    if input.dtype.category == CATEGORY_COMPLEX or input.dtype.code == BOOL_CODE:
        kind = "bool" if input.dtype.code == BOOL_CODE else "complex"
        raise RuntimeError(f"{name}(): does not support {kind} input")
    if dim is None:
        refuse_empty(input, name, IndexError, "")
        flat = input if input.rank == 1 else alias(input).reshape(-1)
        found = argreduce(code, flat, 0, False)
        return found.view((1,) * input.dim()).detach() if keepdim else found
    dim = axis_of(dim, input.rank, name)
    if input.elements == 0:
        need_elements(input, (dim,), name)
    return argreduce(code, input, dim, keepdim)


WHERE = """The index of the {} element, in the flattened tensor or along an axis; the first of equal ones.

    Parameters
    ----------
    input : Tensor
        Of a real dtype other than bool; not empty.
    dim : int, optional
        The axis; None for the flattened tensor.
    keepdim : bool
        Keep the axis, with size 1.

    Returns
    -------
    Tensor
        Of dtype int64.

    Raises
    ------
    IndexError
        Where there is no element to choose from.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.{}(cygrad.tensor([[1., 3.], [5., 2.]]), dim=1)
    tensor({})
    """


@op(axis=True, out="exact", doc=WHERE.format("largest", "argmax", [1, 0]))
def argmax(Tensor input not None, dim=None, bint keepdim=False):
    return position(k.ARGMAX, "argmax", input, dim, keepdim)


@op(axis=True, out="exact", doc=WHERE.format("smallest", "argmin", [0, 1]))
def argmin(Tensor input not None, dim=None, bint keepdim=False):
    return position(k.ARGMIN, "argmin", input, dim, keepdim)
