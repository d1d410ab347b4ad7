# distutils: extra_compile_args = -Os --param=max-inline-insns-size=10 -DCYGRAD_COUNT_INLINE
"""Which elements are not zero, and how many: `any`, `all`, `count_nonzero`."""
from cygrad cimport backend as k
from cygrad.dispatch.axis_reductions cimport reduce
from cygrad.dispatch.kernel_calls cimport binary, cast
from cygrad.dispatch.programs cimport Program
from cygrad.dispatch.promotion cimport TO_BOOL
from cygrad.dtype cimport BOOL as BOOL_CODE, DType, INT64 as INT64_CODE, UINT8 as UINT8_CODE, dtype_of, plain_of
from cygrad.ops.reduce.sums cimport axes_of, every_axis, some_axes
from cygrad.tensor cimport Tensor

from cygrad.dispatch.programs import program
from cygrad.ops.declare.op_forms import op

cdef DType BOOL = dtype_of(BOOL_CODE), INT64 = dtype_of(INT64_CODE), UINT8 = dtype_of(UINT8_CODE)
cdef Program NONZERO = program(lambda x: x.ne(0))
cdef tuple SUMMED = (k.SUM,)


cdef Tensor logical(int code, str name, Tensor input, object dim, bint keepdim):
    cdef Tensor out
    if isinstance(dim, (tuple, list)) and not dim:
        out = binary(k.NE, input, 0, TO_BOOL)
    else:
        out = reduce(code, input, every_axis(input) if dim is None else axes_of(dim, input.rank, name), keepdim, BOOL)
    return cast(out, UINT8 if plain_of(input.dtype) is UINT8 else BOOL)


LOGICAL = """Whether {} not zero.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    dim : int or tuple of int, optional
        Axes to reduce; None for all.
    keepdim : bool
        Keep the axes, with size 1.

    Returns
    -------
    Tensor
        Of dtype bool; uint8 for uint8.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.{}(cygrad.tensor([[0, 1], [2, 3]]), dim=1)
    tensor({})
    """


def written_dtype(out, *args, **kwargs):
    """How `out` may differ in dtype: a byte may stand for a truth value, as it did of old."""
    return "any" if out.dtype.name in ("uint8", "bool") else "exact"


def any_into(input, dim=None, keepdim=False, *, out, **words):
    """Bytes are of the operand as bytes, in which .5 is none."""
    if type(out) is Tensor and type(input) is Tensor and (<Tensor>out).dtype is UINT8 and input.dtype is not UINT8:
        return any_(cast(input, UINT8), dim, keepdim, out=out, **words)


def all_into(input, dim=None, keepdim=False, *, out, **words):
    if type(out) is Tensor and type(input) is Tensor and (<Tensor>out).dtype is UINT8 and input.dtype is not UINT8:
        return all_(cast(input, UINT8), dim, keepdim, out=out, **words)


@op(name="any", axis=True, out=written_dtype, into=any_into,
    doc=LOGICAL.format("any element (of all, or along some axes) is", "any", "[True, True]"))
def any_(Tensor input not None, dim=None, bint keepdim=False):
    return logical(k.ANY, "any", input, dim, keepdim)


@op(name="all", axis=True, out=written_dtype, into=all_into,
    doc=LOGICAL.format("all elements (or all along some axes) are", "all", "[False,  True]"))
def all_(Tensor input not None, dim=None, bint keepdim=False):
    return logical(k.ALL, "all", input, dim, keepdim)


@op(axis=True)
def count_nonzero(Tensor input not None, dim=None):
    """Number of elements that are not zero, in all or along some axes.

    Parameters
    ----------
    input : Tensor
        Any shape and dtype.
    dim : int or tuple of int, optional
        Axes to count along; None for all.

    Returns
    -------
    Tensor
        Of dtype int64, without the axes.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.count_nonzero(cygrad.tensor([[0, 1], [2, 3]]), dim=0)
    tensor([1, 2])
    """
    cdef tuple axes = every_axis(input) if dim is None else some_axes(dim, input, "count_nonzero")
    if input.dtype is not BOOL:
        if not (<k.Backend>input.memory.backend).host_memory:
            return NONZERO.reduced(SUMMED, axes, False, INT64, (input,))
        input = binary(k.NE, input, 0, TO_BOOL)
    return reduce(k.SUM, input, axes, False, INT64)
