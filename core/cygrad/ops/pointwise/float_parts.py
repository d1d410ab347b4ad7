"""Floating-point numbers taken apart, and put together: `frexp`, `ldexp`."""
import cygrad
from cygrad import return_types
from cygrad.dispatch.programs import program, where
from cygrad.ops.declare.operand_types import HALVES, need_tensors
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op

def in_two_passes(integers, bits, bias, tiny):
    """(integers of the float's size, what is done to the numbers, what to their patterns of bits).

    `bits` are those of the fraction, `bias` is how far the exponent is off; `tiny` is the least ordinary number.
    """
    def marked(x):
        """Numbers below the least ordinary one raised, for they have no 1 bit; which are not, and which have parts."""
        ordinary = x.abs() >= tiny
        return where(ordinary, x, x * 2.0**bits), ordinary, x.isfinite() & x.ne(0)

    def parts(pattern, ordinary, parted):
        exponent = pattern.right_shift(bits).bitwise_and(2 * bias + 3)
        mantissa = pattern.bitwise_xor(exponent.left_shift(bits)).bitwise_or(bias << bits)
        return where(parted, mantissa, pattern), where(parted, exponent - where(ordinary, bias, bias + bits), 0)
    return integers, program(marked), program(parts)


_PASSES = {"float32": in_two_passes(cygrad.int32, 23, 126, 2.0**-126),
           "float64": in_two_passes(cygrad.int64, 52, 1022, 2.0**-1022)}


@primitive(name="frexp")
def _frexp(self):
    if self.dtype in HALVES:
        mantissa, exponent = _frexp.forward(self.to(cygrad.float32))
        return mantissa.to(self.dtype), exponent
    integers, marked, parts = _PASSES[self.dtype.name]
    raised, ordinary, parted = marked(self)
    mantissa, exponent = parts(raised.view(integers), ordinary, parted)
    return (cygrad.empty_like(self).copy_(mantissa.view(self.dtype)),
            cygrad.empty_like(self, dtype=cygrad.int32).copy_(exponent))


@op(out="exact")
def frexp(input):
    """Mantissas and exponents: `input` is mantissa * 2 ** exponent.

    Parameters
    ----------
    input : Tensor
        Of a floating-point dtype.
    out : tuple of Tensor, optional
        Written to; of input's dtype and int32.

    Returns
    -------
    return_types.frexp
        ``mantissa``, from 0.5 to below 1 without its sign, and int32 ``exponent``; zeros, infinities and NaN are
        their own mantissas, with the exponent 0.

    Raises
    ------
    RuntimeError
        For integers and complex numbers.

    Examples
    --------
    >>> cygrad.frexp(cygrad.tensor([1., -6.])).mantissa
    tensor([ 0.5000, -0.7500])
    """
    need_tensors("frexp", input=input)
    if not input.is_floating_point():
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return return_types.frexp(_frexp(input))


@primitive(name="ldexp")
def _ldexp(self, other):
    if self.is_complex():
        return self * self.new_full((), 2).pow(other)       # of a complex 2, as in PyTorch: another dtype, other digits
    if not self.is_floating_point() or other.is_floating_point() or other.is_complex():
        return self * cygrad.pow(2.0, other)
    power = other.to(cygrad.float64).clamp(-3000, 3000)     # further numbers overflow or vanish all the same
    half, two = (power / 2).floor(), cygrad.full_like(power, 2.0)           # a tensor: in the memory order of power
    wide = self.to(cygrad.float64)                          # in two steps: 2 ** power alone may have no place
    return (wide * two.pow(half) * two.pow(power - half)).to(self.dtype)


@op(inplace=True, out=True)
def ldexp(input, other):
    """input * 2 ** other, elementwise.

    Parameters
    ----------
    input, other : Tensor
        Their shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape, of a floating-point or complex dtype.

    Examples
    --------
    >>> cygrad.ldexp(cygrad.tensor([1., 3.]), cygrad.tensor([2, -1]))
    tensor([4.0000, 1.5000])
    """
    need_tensors("ldexp", input=input, other=other)
    if input.is_floating_point() and other.dtype is cygrad.bool:
        raise NotImplementedError("\"ldexp_cpu_exp\" not implemented for 'Bool'")
    return _ldexp(input, other)
