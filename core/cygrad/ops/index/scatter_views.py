"""Copies with another tensor in a window (`select_scatter`, `slice_scatter`, `diagonal_scatter`), `fill_diagonal_`."""
from cygrad.dispatch.raw import clone_like, copy_ as raw_copy
from cygrad.ops.declare.operand_types import refuse_complex_gradient
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.shape.geometry import window
from cygrad.ops.shape.slices import slice_along
from cygrad.ops.shape.views import wrap


def copy_in_place(self):
    """A copy with self's strides and offset: one of all of its storage, unless places of self are there twice."""
    strides = self.stride()
    if 0 in strides and any([step == 0 and n > 1 for step, n in zip(strides, self.shape)]):
        return clone_like(self)
    length = self._storage().nbytes() // self.itemsize
    if length == self.numel() and self.is_contiguous():
        out = clone_like(self)
        if out.stride() == strides:
            return out
    all_of_it = clone_like(window(self, None, 0, (length,)))
    return window(all_of_it, None, self.storage_offset(), self.shape, strides)


def placed(self, src, seen):
    """A copy of `self` with `src` in the window of it that the function returns."""
    out = copy_in_place(self)
    part = seen(out)
    if part.shape != src.shape:
        raise RuntimeError("expected src to have a size equal to the slice of self. src size = "
                           f"{list(src.shape)}, slice size = {list(part.shape)}")
    raw_copy(part, src)
    return out


@primitive
def select_scatter(self, src, dim, index):
    return placed(self, src, lambda t: t.select(dim, index))


@op(name="select_scatter", out="expected")
def _select_scatter(input, src, dim, index):
    """`input` with `src` in the place of ``input.select(dim, index)``.

    Parameters
    ----------
    src : Tensor
        Of the shape of that slice.
    dim, index : int

    Returns
    -------
    Tensor
        A copy of input's shape.

    Examples
    --------
    >>> cygrad.select_scatter(cygrad.zeros(2, 2), cygrad.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    refuse_complex("select_scatter", input, src)
    return select_scatter(input, src, dim, index)


def refuse_complex(name, *tensors):
    """PyTorch's refusal where it has no complex derivative."""
    for each in tensors if tensors[0].is_complex() else ():
        refuse_complex_gradient(each, name, True)


@primitive
def slice_scatter(self, src, dim, start, end, step):
    return placed(self, src, lambda t: slice_along(t, dim, slice(start, end, step)))


@op(name="slice_scatter", out="expected")
def _slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    """`input` with `src` in the place of ``input[start:end:step]`` along axis `dim`.

    Parameters
    ----------
    src : Tensor
        Of the shape of that slice.
    dim : int
    start, end, step : int, optional

    Returns
    -------
    Tensor
        A copy of input's shape.

    Examples
    --------
    >>> cygrad.slice_scatter(cygrad.zeros(4), cygrad.ones(2), 0, 1, 3)
    tensor([0., 1., 1., 0.])
    """
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    if not input.dim():
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    refuse_complex("slice_scatter", input, src)
    return slice_scatter(input, src, wrap(dim, input.dim()), start, end, step)


@primitive
def diagonal_scatter(self, src, offset, dim1, dim2):
    return placed(self, src, lambda t: t.diagonal(offset, dim1, dim2))


@op(name="diagonal_scatter", out="expected")
def _diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """`input` with `src` in the place of ``input.diagonal(offset, dim1, dim2)``.

    Parameters
    ----------
    src : Tensor
        Of the shape of that diagonal.
    offset, dim1, dim2 : int

    Returns
    -------
    Tensor
        A copy of input's shape.

    Examples
    --------
    >>> cygrad.diagonal_scatter(cygrad.zeros(2, 2), cygrad.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return diagonal_scatter(input, src, offset, dim1, dim2)


@primitive
def as_strided_scatter(self, src, size, stride, storage_offset):
    """With all of the storage, which the window may reach beyond the tensor."""
    out = copy_in_place(self)
    part = out.as_strided(size, stride, storage_offset)
    if part.shape != src.shape:
        raise RuntimeError("expected src to have a size equal to the slice of self. src size = "
                           f"{list(src.shape)}, slice size = {list(part.shape)}")
    part.copy_(src)
    return out


@op(name="as_strided_scatter", out="expected")
def _as_strided_scatter(input, src, size, stride, storage_offset=None):
    """`input` with `src` in the place of ``input.as_strided(size, stride, storage_offset)``.

    Parameters
    ----------
    src : Tensor
        Of the shape `size`.
    size, stride : sequence of int
        The window.
    storage_offset : int, optional
        Where it begins in the storage; where `input` does when omitted.

    Returns
    -------
    Tensor
        A copy of input's shape and strides.

    Raises
    ------
    RuntimeError
        If `src` has not this shape, or the window is not inside the tensor's memory.

    Examples
    --------
    >>> cygrad.as_strided_scatter(cygrad.zeros(2, 2), cygrad.ones(2), (2,), (3,))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return as_strided_scatter(input, src, tuple(size), tuple(stride), storage_offset)


@op(only_method=True)
def fill_diagonal_(self, fill_value, wrap=False):
    """Fill the main diagonal with a number, in place.

    Parameters
    ----------
    fill_value : number
    wrap : bool
        In a matrix taller than wide, start again below the diagonal's end.

    Raises
    ------
    RuntimeError
        For fewer than two axes, or more than two of different sizes.

    Examples
    --------
    >>> cygrad.zeros(2, 2).fill_diagonal_(5)
    tensor([[5., 0.],
            [0., 5.]])
    """
    if self.dim() < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.dim() > 2 and len(set(self.shape)) != 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    step, (height, width) = sum(self.stride()), self.shape[:2]
    self.as_strided((min(self.shape),), (step,)).fill_(fill_value)
    if wrap and self.dim() == 2:
        for start in range(width + 1, height, width + 1):
            first = self.storage_offset() + start * self.stride(0)
            self.as_strided((min(width, height - start),), (step,), first).fill_(fill_value)
    return self
