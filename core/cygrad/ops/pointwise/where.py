"""Selection by a condition: `where`."""
from cygrad.dispatch.operands import select
from cygrad.dispatch.promotion import SCALAR_NAMES, result_type
from cygrad.dispatch.raw import cast_to
from cygrad.errors import warn
from cygrad.ops.declare.operand_types import BOOL
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.tensor import Tensor

_where = primitive(select, name="where")


@op(method=False, out=True)
def where(condition, input=None, other=None):
    """`input` where `condition` holds, else `other`; with the condition alone, the indices where it holds.

    Parameters
    ----------
    condition : Tensor
        Of dtype bool; all three broadcast.
    input, other : Tensor or number
        Their dtypes promote.

    Returns
    -------
    Tensor, or tuple of Tensor
        The tuple has one index tensor for each axis, as `nonzero(as_tuple=True)`.

    Examples
    --------
    >>> x = cygrad.tensor([-1., 2.])
    >>> cygrad.where(x > 0, x, 0.)
    tensor([0., 2.])
    """
    if not type(condition) is type(input) is type(other) is Tensor:
        if input is None and other is None:
            return condition.nonzero(as_tuple=True)
        if (not isinstance(condition, Tensor) or not isinstance(input, (Tensor, int, float, complex))
                or not isinstance(other, (Tensor, int, float, complex))):
            given = ", ".join(type(x).__name__ for x in (condition, input, other) if x is not None)
            raise TypeError(f"where() received an invalid combination of arguments - got ({given}), but expected one "
                            "of:\n * (Tensor condition)\n * (Tensor condition, Tensor or Number input, Tensor or "
                            "Number other)")
        if type(input) is complex or type(other) is complex:    # the tensor is converted by an op of its own
            dtype = result_type(input, other)
            input, other = (x.to(dtype) if isinstance(x, Tensor) else x for x in (input, other))
    return _where(condition if condition.dtype is BOOL else as_condition(condition), input, other)


@op(name="where", only_method=True)
def _where_method(self, condition, other):
    """`self` where `condition` holds, else `other`.

    Parameters
    ----------
    condition : Tensor
        bool; broadcasts with the others.
    other : Tensor or number
        Taken where the condition is false.

    Returns
    -------
    Tensor
        Of the broadcast shape and promoted dtype.

    Examples
    --------
    >>> cygrad.tensor([1, 2]).where(cygrad.tensor([True, False]), 0)
    tensor([1, 0])
    """
    return where(condition, self, other)


def as_condition(t):
    """A condition as bool; PyTorch still takes uint8, with a warning."""
    if t.dtype.name != "uint8":
        raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with dtype "
                           f"{SCALAR_NAMES[t.dtype.code]}")
    warn("where received a uint8 condition tensor. This behavior is deprecated and will be removed in a "
         "future version of PyTorch. Use a boolean condition instead.")
    return cast_to(t, BOOL)
