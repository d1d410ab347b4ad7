# distutils: extra_compile_args = -Os
"""Variance and its relatives: `var`, `std`, `var_mean`, `std_mean`."""
from libc.math cimport isinf

from cygrad cimport backend as k
from cygrad.backend cimport Backend
from cygrad.dispatch.axis_reductions cimport reduce
from cygrad.tensors.elements cimport scalar_value
from cygrad.tensors.element_stores cimport from_bfloat
from cygrad.dtype cimport BFLOAT16 as BFLOAT16_CODE, DType, FLOAT32 as FLOAT32_CODE, FLOAT64 as FLOAT64_CODE, dtype_of
from cygrad.ops.declare.op cimport Op
from cygrad.ops.reduce.sums cimport average, count_of, every_axis
from cygrad.dispatch.programs cimport Program, is_half
from cygrad.tensor cimport Tensor
from cygrad.view cimport data

import cygrad
from cygrad.ops.declare.primitives import primitive
from cygrad.errors import warn
from cygrad.dispatch.raw import cast_to
from cygrad.ops.declare.operand_types import is_integral
from cygrad.ops.reduce.sums import EVERY, axes as axes_of
from cygrad.ops.declare.op_forms import op
from cygrad.dispatch.programs import program

cdef DType FLOAT32 = dtype_of(FLOAT32_CODE)
cdef Op VAR = Op("var", "self", "dim", "correction", "keepdim")
cdef Op STD = Op("std", "self", "dim", "correction", "keepdim")


# ------------------------------------------------------------------------ variance

def _apart(x, mean):
    apart = x - mean
    return apart, apart


def _variance(squares, rest, n, degrees):
    return (squares - rest * rest / n) / degrees


cdef tuple MOMENTS = (k.SQUARE_SUM, k.SUM)
cdef Program APART = program(_apart)
cdef Program VARIANCE = program(_variance)
cdef Program DEVIATION = program(lambda squares, rest, n, degrees: _variance(squares, rest, n, degrees).sqrt())


cdef bint beyond(Tensor found, double least, double most):
    """Whether a float32 or bfloat16 number in host memory is nothing (also NaN) between these two."""
    cdef Py_ssize_t i, inside = 0
    cdef float value
    cdef float *floats = <float *>data(found)
    cdef unsigned short *halves = <unsigned short *>data(found)
    if found.dtype.code == FLOAT32_CODE:
        for i in range(found.elements):
            inside += floats[i] >= least and floats[i] <= most
    else:
        for i in range(found.elements):
            value = from_bfloat(halves[i])
            inside += value >= least and value <= most
    return inside != found.elements


cdef Tensor in_float64(Tensor found, Tensor x, tuple axes, double correction, bint keepdim, Program finish):
    """`found`, or where squares of float32 may have overflowed or vanished, what float64 gives: PyTorch sums in it."""
    if (found.dtype.code != FLOAT32_CODE and found.dtype.code != BFLOAT16_CODE or found.memory.pointer == NULL
            or not beyond(found, 1e-30 if finish is VARIANCE else 1e-15, 1e30 if finish is VARIANCE else 1e15)):
        return found
    x = cast_to(x, dtype_of(FLOAT64_CODE))
    return cast_to(spread_about(mean_of(x, axes), x, axes, correction, keepdim, finish), found.dtype)


cdef Tensor mean_of(Tensor x, tuple axes):
    """The mean with axes of size 1, raw; in float32 for 16-bit floats."""
    return average(x, axes, True, FLOAT32 if is_half(x) else x.dtype)


cdef Tensor spread_about(object center, Tensor x, tuple axes, double correction, bint keepdim, Program finish):
    """What `finish` makes of the second moment about the mean (a tensor, or a number for all), raw.

    The mean is subtracted first, and what rounding left of it corrected for.
    """
    cdef Py_ssize_t n = x.elements if axes is None else count_of(x, axes)
    cdef double divisor = n - correction
    if not divisor > 0:                     # also NaN, as in PyTorch
        divisor = 0
    return APART.reduced(MOMENTS, axes, keepdim, x.dtype, (x, center), finish, (<double>n, divisor))


cdef Tensor whole_spread(Tensor x, Program finish):
    """That of all elements, unbiased, of a float32 or float64 tensor."""
    cdef Tensor total
    if not (<Backend>x.memory.backend).host_memory:
        return spread_about(mean_of(x, every_axis(x)), x, None, 1, False, finish)
    total = reduce(k.SUM, x, every_axis(x), False, x.dtype)
    return in_float64(spread_about(<double>scalar_value(total) / x.elements, x, None, 1, False, finish), x,
                      every_axis(x), 1, False, finish)


cdef bint has_infinity(Tensor found) noexcept:
    """Whether a dense tensor of float32 or float64 has an infinite element; False where the host doesn't see it."""
    cdef Py_ssize_t i, count = 0
    cdef float *floats
    cdef double *doubles
    if found.memory.pointer == NULL:
        return False
    floats, doubles = <float *>data(found), <double *>data(found)
    for i in range(found.elements):
        count += (isinf(floats[i]) if found.dtype.code == FLOAT32_CODE else isinf(doubles[i])) != 0
    return count > 0


def share_by_share(mean, x, axes):
    """Infinite means as PyTorch has them, which adds the shares one after another: NaN if another follows infinity."""
    if not x.dim():
        return mean
    x = last = x.detach()
    for axis in axes:
        last = last.narrow(axis, x.shape[axis] - 1, 1)
    only_last = last.isinf() & (x.isinf().sum(axes, True) == 1)
    return mean.masked_fill(mean.isinf() & ~only_last, float("nan"))


cdef Tensor spread_alone(Tensor x, axes, correction, bint keepdim, Program finish):
    """Without the mean that nobody asked for."""
    cdef tuple reduced = EVERY[x.rank] if axes is None else axes
    cdef Tensor found = spread_about(mean_of(x, reduced), x, reduced, correction, keepdim, finish)
    return in_float64(found, x, reduced, correction, keepdim, finish)


cdef tuple spread_and_mean(Tensor x, tuple axes, correction, bint keepdim, Program finish):
    """Both in x's dtype."""
    cdef Tensor mean = mean_of(x, axes), spread = spread_about(mean, x, axes, correction, keepdim, finish)
    spread = in_float64(spread, x, axes, correction, keepdim, finish)
    if has_infinity(mean):
        mean = share_by_share(mean, x, axes)
    return spread, cast_to(mean, x.dtype).view(spread.shape).detach()


def variance(x, axes, correction, keepdim):
    """(variance, mean), raw."""
    axes = EVERY[x.dim()] if axes is None else axes
    if x.is_complex():
        (var_r, mean_r), (var_i, mean_i) = [variance(part, axes, correction, keepdim) for part in (x.real, x.imag)]
        return var_r + var_i, cygrad.complex(mean_r, mean_i)
    return spread_and_mean(x, axes, correction, keepdim, VARIANCE)


def deviation(x, axes, correction, keepdim):
    """(standard deviation, mean), raw."""
    if x.is_complex():
        var, mean = variance(x, axes, correction, keepdim)
        return var.sqrt(), mean
    return spread_and_mean(x, EVERY[x.dim()] if axes is None else axes, correction, keepdim, DEVIATION)


cdef bint is_plain(Tensor x, dim, unbiased, keepdim, correction):
    """Whether a call of `var` or `std` has neither options nor a warning to give."""
    return (dim is None and unbiased is None and keepdim is False and correction is None and x.elements > 1
            and (x.dtype.code == FLOAT32_CODE or x.dtype.code == FLOAT64_CODE))


@primitive(name="var")
def _var(self, dim, correction, keepdim):
    return variance(self, dim, correction, keepdim)[0] if self.is_complex() else spread_alone(
        self, dim, correction, keepdim, VARIANCE)


@primitive(name="std")
def _std(self, dim, correction, keepdim):
    return deviation(self, dim, correction, keepdim)[0] if self.is_complex() else spread_alone(
        self, dim, correction, keepdim, DEVIATION)


@primitive(name="var_mean")
def _var_mean(self, dim, correction, keepdim):
    return variance(self, dim, correction, keepdim)


@primitive(name="std_mean")
def _std_mean(self, dim, correction, keepdim):
    return deviation(self, dim, correction, keepdim)


def spread(moment, name, input, dim, unbiased, keepdim, correction):
    """Sort out the arguments of `var` and its relatives, whose second positional one may be `unbiased`."""
    if isinstance(dim, bool):
        if unbiased is not None:
            raise TypeError(f"{name}() received an invalid combination of arguments")
        dim, unbiased = None, dim
    if unbiased is not None:
        if correction is not None:
            raise TypeError(f"{name}() received an invalid combination of arguments - got unbiased and correction")
        correction = 1 if unbiased else 0
    elif correction is None:
        correction = 1
    if is_integral(input):
        which = "std and var" if name in ("std", "var") else name
        raise RuntimeError(f"{which} only support floating point and complex dtypes")
    rank = input.dim()
    axes = None if dim is None else axes_of(dim, rank, name) or EVERY[rank]
    if (count_of(input, EVERY[rank] if axes is None else axes) if input.numel() else 0) <= correction:
        warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
             "factor (input numel divided by output numel).")
    return moment(input, axes, correction, keepdim)


PARAMETERS = """

    Parameters
    ----------
    input : Tensor
        Of a floating-point or complex dtype.
    dim : int or tuple of int, optional
        Axes to reduce; None or () for all.
    unbiased : bool, optional
        Divide by n - 1 (the default) or n. As the only positional argument after `input` it may stand first.
    keepdim : bool
        Keep the axes, with size 1.
    correction : number, optional
        Divide by n - correction.

    Returns
    -------
    {}
        Without the axes that were reduced.

    Raises
    ------
    RuntimeError
        For integers and bools.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.{}(cygrad.tensor([1., 2., 3., 4.]))
    {}
    """


@op(axis=True, out=True)
def var(Tensor input not None, dim=None, unbiased=None, keepdim=False, *, correction=None):
    if is_plain(input, dim, unbiased, keepdim, correction):
        return VAR.result(whole_spread(input, VARIANCE), input, None, (1, False))
    return spread(_var, "var", input, dim, unbiased, keepdim, correction)


@op(axis=True, out=True)
def std(Tensor input not None, dim=None, unbiased=None, keepdim=False, *, correction=None):
    if is_plain(input, dim, unbiased, keepdim, correction):
        return STD.result(whole_spread(input, DEVIATION), input, None, (1, False))
    return spread(_std, "std", input, dim, unbiased, keepdim, correction)


@op(axis=True, method=False)
def var_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    return spread(_var_mean, "var_mean", input, dim, unbiased, keepdim, correction)


@op(axis=True, method=False)
def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    return spread(_std_mean, "std_mean", input, dim, unbiased, keepdim, correction)


var.__doc__ = "The variance of all elements, or of those along some axes." + PARAMETERS.format(
    "Tensor", "var", "tensor(1.6667)")
std.__doc__ = "The standard deviation of all elements, or of those along some axes." + PARAMETERS.format(
    "Tensor", "std", "tensor(1.2910)")
var_mean.__doc__ = "(variance, mean) of all elements, or of those along some axes." + PARAMETERS.format(
    "tuple of Tensor", "var_mean", "(tensor(1.6667), tensor(2.5000))")
std_mean.__doc__ = "(standard deviation, mean) of all elements, or of those along some axes." + PARAMETERS.format(
    "tuple of Tensor", "std_mean", "(tensor(1.2910), tensor(2.5000))")
