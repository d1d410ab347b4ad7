"""How values of several ranks become one: `ReduceOp.SUM` and its kind, and the dtypes that each is defined for."""
import enum

import cygrad

__all__ = ["ReduceOp", "RedOpType", "reduce_op", "of", "reducible", "scaled_sum"]


class RedOpType(enum.Enum):
    """The kinds of reduction, numbered as PyTorch's."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM, UNUSED = range(10)

    def __str__(self):
        return f"RedOpType.{self.name}"


class _ReduceOpOf(type):
    """Lets the constants pass for ReduceOps, as PyTorch's do."""

    def __instancecheck__(cls, value):
        return isinstance(value, RedOpType) or super().__instancecheck__(value)


class ReduceOp(metaclass=_ReduceOpOf):
    """
    A reduction: one of the constants `SUM`, `AVG`, `PRODUCT`, `MIN`, `MAX`, `BAND`, `BOR`, `BXOR`, or a scaled sum.

    Parameters
    ----------
    op : RedOpType
        One of the constants.

    Examples
    --------
    >>> from cygrad.distributed import ReduceOp
    >>> ReduceOp.SUM, ReduceOp(ReduceOp.MAX) == ReduceOp.MAX
    (<RedOpType.SUM: 0>, True)
    """

    RedOpType = RedOpType

    def __init__(self, op, factor=None):
        self.op, self.factor = RedOpType(op.op if type(op) is ReduceOp else op), factor

    def __eq__(self, other):
        if isinstance(other, RedOpType):
            return self.op is other
        return type(other) is ReduceOp and (self.op, self.factor) == (other.op, other.factor)

    def __hash__(self):
        return hash(self.op)

    def __repr__(self):
        return repr(self.op)

    def __str__(self):
        return str(self.op)


for _op in RedOpType:
    setattr(ReduceOp, _op.name, _op)


class reduce_op:
    """The older name of `ReduceOp`'s constants."""

    SUM, PRODUCT, MIN, MAX = RedOpType.SUM, RedOpType.PRODUCT, RedOpType.MIN, RedOpType.MAX


def of(op):
    """The ReduceOp of what a caller gave: a constant or a ReduceOp."""
    if type(op) is ReduceOp:
        return op
    if not isinstance(op, RedOpType):
        raise TypeError(f"expected a ReduceOp, such as ReduceOp.SUM, but got {type(op).__name__}")
    return ReduceOp(op)


def scaled_sum(factor):
    """
    A sum whose terms are multiplied by a factor first, PyTorch's `PREMUL_SUM`.

    Parameters
    ----------
    factor : float or Tensor
        What each rank multiplies its own values with.

    Returns
    -------
    ReduceOp

    Examples
    --------
    >>> from cygrad.distributed.reduce_op import scaled_sum
    >>> scaled_sum(0.5)
    <RedOpType.PREMUL_SUM: 8>
    """
    return ReduceOp(RedOpType.PREMUL_SUM, factor)


# Reductions of bool as those of 0 and 1 in bytes, with PyTorch's results.
OF_BOOL = {RedOpType.SUM: RedOpType.MAX, RedOpType.PRODUCT: RedOpType.MIN}
BITWISE = (RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR)


def reducible(name, op, dtype, is_complex):
    """(op for the group, what is done to its input, what to its result) of a reduction, or its refusal."""
    kind = op.op
    if kind is RedOpType.UNUSED:
        raise RuntimeError("Unhandled ReduceOp")
    if is_complex and kind not in (RedOpType.SUM, RedOpType.AVG, RedOpType.PREMUL_SUM):
        raise ValueError(f"{name} does not support {op} on complex tensors")
    if kind in BITWISE and (dtype.is_floating_point or is_complex):
        raise RuntimeError(f"Cannot use ReduceOp.{kind.name} with non-integral dtype")
    if kind is RedOpType.AVG:
        if not dtype.is_floating_point and not is_complex:
            raise RuntimeError(f"result type Float can't be cast to the desired output type {dtype}")
        return RedOpType.SUM, None, lambda buffer, size: buffer.div_(size)
    if kind is RedOpType.PREMUL_SUM:
        return RedOpType.SUM, lambda buffer: buffer.mul_(op.factor), None
    return (OF_BOOL.get(kind, kind) if dtype == cygrad.bool else kind), None, None
