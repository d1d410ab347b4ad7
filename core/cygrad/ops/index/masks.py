"""Masks: reading, filling and writing where a mask is true."""
from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.overlap import refuse_shared
from cygrad.dispatch.operands import fill_where, filled
from cygrad.dispatch.promotion import C_TYPES, check_scalar
from cygrad.dispatch.raw import fill_ as raw_fill
from cygrad.ops.declare.primitives import Written, primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.index.gathering import SET, overlaps, scalar_name, warn_if_expanded
from cygrad.ops.index.tensor_places import mask_places, put_rows, same_shape, take_rows
from cygrad.ops.shape.broadcasting import common_shape
from cygrad.tensor import Tensor

# ---------------------------------------------------------------------- masked_fill

def _masked_fill(self, mask, value):
    if overlaps(self):                              # a kernel may write what it has read before another write
        number = empty_near(self, ())
        raw_fill(number, value.item() if isinstance(value, Tensor) else value)
        put_rows(self, mask_places(mask.expand(self.shape)), self.dim(), number, SET)
    else:
        fill_where(self, mask, value)


@primitive
def masked_fill(self, mask, value):
    return filled(self, mask, value)


@primitive
def masked_fill_tensor(self, mask, value):
    return filled(self, mask, value)


@primitive(name="masked_fill")
def masked_fill_into(self, mask, value):
    _masked_fill(self, mask, value)
    self._bump_version()


@primitive(name="masked_fill_tensor")
def masked_fill_tensor_into(self, mask, value):
    _masked_fill(self, mask, value)
    self._bump_version()


masked_fill_into.may_overlap = masked_fill_tensor_into.may_overlap = True


def check_fill(self, mask, value):
    number = isinstance(value, (int, float, complex))
    if not isinstance(mask, Tensor) or not (number or isinstance(value, Tensor)):
        raise TypeError("masked_fill() received an invalid combination of arguments - got "
                        f"({type(mask).__name__}, {type(value).__name__}), but expected one of: (Tensor mask, Tensor "
                        "value), (Tensor mask, Number value)")
    if not number and value.dim():
        raise RuntimeError("masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                           f"{value.dim()} dimension(s).")
    if mask.dtype.name != "bool":
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                           f"{C_TYPES[mask.dtype.code]}")
    if number:
        check_scalar(self.dtype, value)
    elif value.is_complex() and not self.is_complex():
        check_scalar(self.dtype, value.item())


def _masked_fill_(self, mask, value):
    """In-place version of `masked_fill`: writes the result into the tensor and returns it."""
    self._check_inplace()
    check_fill(self, mask, value)
    if not same_shape(mask, self):
        shape = common_shape((mask, self))
        if shape != self.shape:
            raise RuntimeError(f"output with shape {list(self.shape)} doesn't match the broadcast shape {list(shape)}")
    warn_if_expanded(self, "masked_fill_", "tensor[mask] = scalar")
    refuse_shared(self, mask, False)
    return (masked_fill_tensor_into if isinstance(value, Tensor) else masked_fill_into).inplace(self, mask, value)


@op(name="masked_fill", inplace=_masked_fill_)
def _masked_fill_copy(input, mask, value):
    """`input` with one number where the mask is true.

    Parameters
    ----------
    mask : Tensor
        bool; broadcasts with `input`.
    value : number or 0-d Tensor

    Returns
    -------
    Tensor
        A copy of the broadcast shape.

    Examples
    --------
    >>> cygrad.tensor([1., 2., 3.]).masked_fill(cygrad.tensor([True, False, True]), 0)
    tensor([0., 2., 0.])
    """
    check_fill(input, mask, value)
    return (masked_fill_tensor if isinstance(value, Tensor) else masked_fill)(input, mask, value)


# -------------------------------------------------- elements where the mask is true

@primitive
def masked_select(self, mask, positions, shape):
    return take_rows(self.expand(shape), positions, len(shape))


@op(name="masked_select", out="exact")
def _masked_select(input, mask):
    """The elements of `input` where the mask is true, in row-major order, as one axis.

    Parameters
    ----------
    mask : Tensor
        bool; broadcasts with `input`.

    Returns
    -------
    Tensor
        One axis.

    Examples
    --------
    >>> x = cygrad.tensor([1., 2., 3.])
    >>> x.masked_select(x > 1)
    tensor([2., 3.])
    """
    if mask.dtype.name != "bool":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = input.shape if input.shape == mask.shape else common_shape((mask, input))
    return masked_select(input, mask, mask_places(mask.expand(shape)), shape)


def _masked_scatter(self, mask, source):
    positions = mask_places(mask if same_shape(mask, self) else mask.expand(self.shape))
    count = positions.numel()
    if count > source.numel():
        raise RuntimeError("Number of elements of source < number of ones in mask")
    if count:
        put_rows(self, positions, self.dim(), source.reshape(-1)[:count], SET)


masked_scatter = Written(_masked_scatter, "masked_scatter", True)


def check_masked_scatter(self, mask, source):
    if mask.dtype.name != "bool":
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {scalar_name(mask)}")
    if self.dtype is not source.dtype:
        raise RuntimeError("masked_scatter: expected self and source to have same dtypes but got"
                           f"{scalar_name(self)} and {scalar_name(source)}")


def _masked_scatter_(self, mask, source):
    """In-place version of `masked_scatter`: writes the result into the tensor and returns it."""
    check_masked_scatter(self, mask, source)
    return masked_scatter.inplace_on_itself(self, mask if same_shape(mask, self) else mask.expand(self.shape), source)


@op(name="masked_scatter", inplace=_masked_scatter_)
def _masked_scatter_copy(input, mask, source):
    """`input` with the elements of `source`, in order, where the mask is true.

    Parameters
    ----------
    mask : Tensor
        bool; broadcasts with `input`.
    source : Tensor
        Of input's dtype, with at least as many elements as the mask has true ones.

    Returns
    -------
    Tensor
        A copy of the broadcast shape.

    Raises
    ------
    RuntimeError
        If the dtypes differ, or `source` has too few elements.

    Examples
    --------
    >>> cygrad.zeros(3).masked_scatter(cygrad.tensor([True, False, True]), cygrad.tensor([1., 2.]))
    tensor([1., 0., 2.])
    """
    check_masked_scatter(input, mask, source)
    shape = input.shape if input.shape == mask.shape else common_shape((mask, input))
    return masked_scatter(input if input.shape == shape else input.expand(shape), mask, source)
