"""Masks: `nonzero` and what reads or writes where a mask is true."""
from cygrad.dispatch import nonzero_op
from cygrad.ops.registry import op


@op(name="nonzero")
def _nonzero(input, *, out=None, as_tuple=False):
    return nonzero_op(input)
