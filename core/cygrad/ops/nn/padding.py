"""Padding with a constant (`constant_pad_nd`), which `nn.functional.pad` is for its default mode; others:
border_padding.py."""
import operator

from cygrad.dispatch.allocation import empty_near
from cygrad.dispatch.memory_formats import kept
from cygrad.dispatch.raw import clone_like, copy_, fill_
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.operand_types import need_tensors


def numbers(pad):
    """`pad` as a tuple, after PyTorch's refusals."""
    if not isinstance(pad, (tuple, list)):
        raise TypeError(f"pad(): argument 'pad' (position 2) must be tuple of ints, not {type(pad).__name__}")
    if {*map(type, pad)} == {int}:
        return tuple(pad)
    for i, n in enumerate(pad):
        if type(n) is not int and not hasattr(n, "__index__"):
            raise TypeError("pad(): argument 'pad' (position 2) must be tuple of ints, but found element of type "
                            f"{type(n).__name__} at pos {i}")
    return tuple(map(operator.index, pad))


def inner(t, pad):
    """The part of `t` that is not padding; negative padding cuts nothing off here."""
    axis = t.dim()
    for before, after in zip(pad[::2], pad[1::2]):
        axis -= 1
        if before > 0 or after > 0:
            before = before if before > 0 else 0
            t = t.narrow(axis, before, t.size(axis) - before - (after if after > 0 else 0))
    return t


@primitive(name="constant_pad_nd")
def _constant_pad_nd(self, pad, value):
    part = inner(self, [-n for n in pad])
    if max(pad, default=0) <= 0:
        return clone_like(part)
    shape = list(self.shape)
    for k in range(len(pad) // 2):
        shape[-1 - k] += pad[2 * k] + pad[2 * k + 1]
    out = empty_near(self, shape)
    fill_(out, value)
    copy_(inner(out, pad), part)
    return kept(out, self)


@op(method=False)
def constant_pad_nd(input, pad, value=0):
    """`input` with `value` around it, or with its borders cut off.

    Parameters
    ----------
    input : Tensor
    pad : sequence of int
        How many places before and after, in pairs from the last axis on; negative numbers cut.
    value : number

    Returns
    -------
    Tensor
        A copy with other sizes.

    Raises
    ------
    RuntimeError
        For an odd number of numbers, too many of them, or a size below 0.

    Examples
    --------
    >>> cygrad.constant_pad_nd(cygrad.ones(2), (1, 2))
    tensor([0., 1., 1., 0., 0.])
    """
    need_tensors("constant_pad_nd", input=input)
    pad = tuple(pad)
    if len(pad) % 2:
        raise RuntimeError("Length of pad must be even but instead it equals "
                           f"{len(pad)}")
    if len(pad) // 2 > input.dim():
        raise RuntimeError("Length of pad should be no more than twice the number of dimensions of the input. Pad "
                           f"length is {len(pad)}while the input has {input.dim()}dimensions.")
    if pad and min(pad) < 0:
        for k in range(len(pad) // 2):
            cut = input.size(-1 - k) + min(pad[2 * k], 0)
            if cut < 0 or cut + min(pad[2 * k + 1], 0) < 0:
                raise RuntimeError("narrow(): length must be non-negative.")
    return _constant_pad_nd(input, pad, value if max(pad, default=0) > 0 else 0)        # unread where nothing is added
