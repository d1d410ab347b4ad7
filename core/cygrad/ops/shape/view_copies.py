"""What shows a tensor's elements otherwise, in memory of its own: `view_copy`, `permute_copy` and their kind.

Each is the view of that name and then a copy. Beside them stand `unsafe_split` and its kind, parts on the tensor's
memory that nobody takes for views: autograd does not look at what is written to them.
"""
import inspect

import cygrad
from cygrad.autograd.inplace import forget_history
from cygrad.ops.declare.operand_types import refuse_complex_gradient
from cygrad.ops.declare.out_arguments import refuse_out_grad, write_out
from cygrad.dispatch.raw import clone_dense
from cygrad.ops.declare.out_dtypes import check_dtypes
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.shape.slices import slice_along, split_at, split_evenly
from cygrad.ops.shape.views import wrap
from cygrad.tensor import Tensor

_DOC = """{what}, as a copy.

Parameters
----------
input : Tensor
    What is shown.{parameters}
out : optional
    Written to; of the dtype of the result.

Returns
-------
{kind}
    With memory of its own.

Examples
--------
>>> import cygrad
>>> cygrad.{name}({call})
{shown}
"""
SEVERAL = ("split", "split_with_sizes", "unbind")
_MATRIX = [[1.0, 2.0], [3.0, 4.0]]


def sliced(input, dim=0, start=None, end=None, step=1):
    """`slice` as a function: the places from `start` to `end` of an axis."""
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    if not input.dim():
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    return slice_along(input, wrap(dim, input.dim()), slice(start, end, step))


def viewed(input, size=None, *, dtype=None):
    """`view` with its size or dtype by name; where memory does not allow it, the copy alone has the shape."""
    if isinstance(size, cygrad.dtype):
        size, dtype = None, size
    return input.reshape(size) if dtype is None else input.view(dtype)


def squeezed(input, dim=None):
    """`squeeze` with one axis, several or all."""
    return input.squeeze() if dim is None else input.squeeze(dim)


# name: (the view, what it is, its other parameters, those of an example)
_VIEWS = {
    "alias": (lambda input: input.view_as(input), "The tensor", "", ()),
    "as_strided": (lambda input, size, stride, storage_offset=None: input.as_strided(size, stride, storage_offset),
                   "The elements that sizes and strides say", """
size, stride : sequence of int
    Of the result, in the tensor's storage.
storage_offset : int, optional
    Where it begins; where the tensor does when omitted.""", ((2,), (3,))),
    "detach": (lambda input: input.detach(), "The tensor without its history", "", ()),
    "diagonal": (lambda input, offset=0, dim1=0, dim2=1: input.diagonal(offset, dim1, dim2), "A diagonal", """
offset : int
    Which one; the main one is 0.
dim1, dim2 : int
    The axes.""", ()),
    "expand": (lambda input, size, *, implicit=False: input.expand(size), "The tensor repeated where an axis is 1", """
size : sequence of int
    Of the result; -1 leaves a size as it is.
implicit : bool
    Makes no difference.""", ((1, 2, 2),)),
    "permute": (lambda input, dims: input.permute(dims), "The axes in another order", """
dims : sequence of int
    Which axis comes where.""", ((1, 0),)),
    "select": (lambda input, dim, index: input.select(dim, index), "One place of an axis", """
dim : int
    The axis.
index : int
    The place.""", (0, 1)),
    "slice": (sliced, "Places of an axis", """
dim : int
    The axis.
start, end, step : int, optional
    As in a slice of Python.""", (0, 1)),
    "split": (lambda input, split_size, dim=0: input.split(split_size, dim), "Parts of an axis", """
split_size : int
    Of each part; the last may be smaller.
dim : int
    The axis.""", (1,)),
    "split_with_sizes": (lambda input, split_sizes, dim=0: input.split_with_sizes(split_sizes, dim),
                         "Parts of an axis", """
split_sizes : sequence of int
    Of the parts.
dim : int
    The axis.""", ([1, 1],)),
    "squeeze": (squeezed, "The tensor without axes of size 1", """
dim : int or sequence of int, optional
    Which; all when omitted.""", ()),
    "t": (lambda input: input.t(), "The matrix transposed", "", ()),
    "transpose": (lambda input, dim0, dim1: input.transpose(dim0, dim1), "Two axes in each other's place", """
dim0, dim1 : int
    The axes.""", (0, 1)),
    "unbind": (lambda input, dim=0: input.unbind(dim), "All places of an axis", """
dim : int
    The axis.""", ()),
    "unfold": (lambda input, dimension, size, step: input.unfold(dimension, size, step), "Windows of an axis", """
dimension, size, step : int
    As in `Tensor.unfold`.""", (0, 2, 1)),
    "unsqueeze": (lambda input, dim: input.unsqueeze(dim), "The tensor with one axis more", """
dim : int
    Where it comes.""", (0,)),
    "view": (viewed, "The elements in another shape", """
size : sequence of int
    Of as many elements.
dtype : dtype
    What the bytes are, in the place of sizes.""", ((4,),)),
    "view_as_complex": (lambda input: cygrad.view_as_complex(input), "Pairs of real numbers as complex ones", "", ()),
    "view_as_real": (lambda input: cygrad.view_as_real(input), "Complex numbers as pairs of real ones", "", ()),
}


def copied(self, show):
    """Copies of what `show` makes of the tensor."""
    shown = show(self)
    if isinstance(shown, tuple):
        return tuple([part.clone(memory_format=cygrad.contiguous_format) for part in shown])
    return shown.clone(memory_format=cygrad.contiguous_format)


def node_of(view_name, args, kwargs):
    """The name of the row of derivatives: `squeeze` has one for each way to call it, other dtypes have none."""
    if view_name == "view" and any(isinstance(each, cygrad.dtype) for each in (*args, *kwargs.values())):
        return None
    if view_name != "squeeze" or not (args or kwargs):
        return view_name
    dim = args[0] if args else kwargs["dim"]
    return "squeeze_dim" if isinstance(dim, int) else "squeeze_dims"


def add_copy(view_name, view, what, parameters, arguments):
    """Register the op `{view_name}_copy`."""
    name, several = view_name + "_copy", view_name in SEVERAL

    def function(input, *args, **kwargs):
        if type(input) is Tensor and not input._tracked():
            shown = view(input, *args, **kwargs)
            return tuple([clone_dense(part) for part in shown]) if several else clone_dense(shown)
        row = node_of(view_name, args, kwargs)
        if row is None:
            return copied(input.detach(), lambda t: view(t, *args, **kwargs))
        if view_name in ("select", "slice"):
            refuse_complex_gradient(input, name)
        return _copied[row](input, lambda t: view(t, *args, **kwargs))

    def recorded_with_out_argument(input, *args, out=None, **kwargs):
        """`function` with `out=`, which has a graph, but no derivative."""
        if out is None:
            return function(input, *args, **kwargs)
        if out.is_leaf:
            refuse_out_grad(name, out, None)
        made = copied(input.detach(), lambda t: view(t, *args, **kwargs))
        refuse_out_grad(name, input.detach(), out.detach())
        check_dtypes(name, "expected", (made,), (out,), (), {})
        write_out(name, made, out, "exact")
        if input._tracked() or out._tracked():
            forget_history("view_copy", out, input)
        return out
    function.__signature__ = recorded_with_out_argument.__signature__ = inspect.signature(view)
    recorded_with_out_argument.direct, recorded_with_out_argument.into = function, None
    values = [1 + 2j] if view_name == "view_as_real" else _MATRIX
    doc = _DOC.format(what=what, parameters=parameters, kind="tuple of Tensor" if view_name in SEVERAL else "Tensor",
                      name=name, call=", ".join([f"cygrad.tensor({values})", *map(repr, arguments)]),
                      shown=function(cygrad.tensor(values), *arguments))
    op(function if several else recorded_with_out_argument, name=name, method=False, doc=doc,
       out="expected" if several else False, axis=view_name == "squeeze")


_copied = {name: primitive(copied, name="copied_" + name) for name in ("squeeze_dim", "squeeze_dims", *_VIEWS)}
for _name, _row in _VIEWS.items():
    add_copy(_name, *_row)


# ------------------------------------------------------------------------------- parts that are no views

@op
def unsafe_split(input, split_size, dim=0):
    """Consecutive parts of an axis on the tensor's memory, which autograd does not take for views; see `split`.

    Parameters
    ----------
    split_size : int
        The size of each part; the last may be smaller.
    dim : int
        The axis.

    Returns
    -------
    tuple of Tensor
        The parts. If both the tensor and one of them are changed in place, gradients are wrong without a word.

    Examples
    --------
    >>> cygrad.unsafe_split(cygrad.tensor([1, 2, 3]), 2)
    (tensor([1, 2]), tensor([3]))
    """
    return split_evenly(input, split_size, dim, not cygrad.is_inference_mode_enabled())     # where all parts are alike


@op
def unsafe_split_with_sizes(input, split_sizes, dim=0):
    """Parts of these sizes on the tensor's memory, which autograd does not take for views; see `split_with_sizes`.

    Parameters
    ----------
    split_sizes : sequence of int
        Of the parts; they add up to the axis' size.
    dim : int
        The axis.

    Returns
    -------
    tuple of Tensor
        The parts. If both the tensor and one of them are changed in place, gradients are wrong without a word.

    Examples
    --------
    >>> cygrad.unsafe_split_with_sizes(cygrad.tensor([1, 2, 3]), [1, 2])
    (tensor([1]), tensor([2, 3]))
    """
    return split_at(input, split_sizes, dim, not cygrad.is_inference_mode_enabled())


@op
def unsafe_chunk(input, chunks, dim=0):
    """At most so many equal parts on the tensor's memory, which autograd does not take for views; see `chunk`.

    Parameters
    ----------
    chunks : int
        At least 1.
    dim : int
        The axis.

    Returns
    -------
    tuple of Tensor
        The parts. If both the tensor and one of them are changed in place, gradients are wrong without a word.

    Examples
    --------
    >>> cygrad.unsafe_chunk(cygrad.tensor([1, 2, 3]), 2)
    (tensor([1, 2]), tensor([3]))
    """
    if input.dim() == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = input.shape[wrap(dim, input.dim())]
    if size == 0:
        return unsafe_split_with_sizes(input, (0,) * chunks, dim)
    return split_evenly(input, (size + chunks - 1) // chunks, dim, not cygrad.is_inference_mode_enabled())
