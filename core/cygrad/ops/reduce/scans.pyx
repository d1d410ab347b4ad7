# distutils: extra_compile_args = -Os
"""Running sums, products and extremes along an axis: `cumsum`, `cumprod`, `cummax`, `logcumsumexp`."""
from cygrad.ops.declare.op cimport Op
from cygrad.ops.reduce.sums cimport sum_dtype
from cygrad.tensor cimport Tensor

import math
import operator

import cygrad
from cygrad import return_types
from cygrad.ops.declare.primitives import primitive
from cygrad.backend import SCAN
from cygrad.dispatch.raw import cast_to, clone_dense, clone_like, copy_, scan_op
from cygrad.ops.declare.operand_types import BOOL, need_float, refuse_complex_gradient, refused, widened
from cygrad.ops.reduce.sums import axis_of
from cygrad.ops.declare.op_forms import op
from cygrad.autograd.inplace import shadow
from cygrad.ops.pointwise.special import LOGADDEXP
from cygrad.ops.pointwise.single_kernel import check_writable, inplace_result

CUMSUM, CUMPROD, CUMMAX, CUMMIN = [SCAN.index(name) for name in ("cumsum", "cumprod", "cummax", "cummin")]
cdef Op RUNNING_SUM = Op("cumsum", "self", "dim", "dtype")


# --------------------------------------------------------------- running reductions

@primitive(name="cumsum")
def _cumsum(self, dim, dtype):
    return scan_op(CUMSUM, self, dim, dtype) if self.dim() else cast_copy(self, dtype)


@primitive(name="cumprod")
def _cumprod(self, dim, dtype):
    return scan_op(CUMPROD, self, dim, dtype) if self.dim() else cast_copy(self, dtype)


def cast_copy(t, dtype):
    found = cast_to(t, dtype)
    return clone_like(t) if found is t else found


def computable(name, t, dtype):
    """`dtype`, unless a running sum or product of `t` cannot be computed in it."""
    if dtype is BOOL and t.dim() and t.numel():
        raise refused(f"{name}_out_cpu", dtype)
    return dtype


def in_place(running):
    """The in-place form of a scan: it computes in the tensor's own dtype."""
    def inplace(self, dim, *, dtype=None):
        source = shadow(self) if self._tracked() else self
        axis = axis_of(dim, self.dim(), running.name)
        if dtype is not None and dtype is not self.dtype:
            raise RuntimeError(f"Bad in-place call: input tensor dtype {self.dtype.name} and output tensor dtype "
                               f"{dtype.name} should match")
        check_writable(self)
        own = computable(running.name, self, self.dtype)
        return inplace_result(self, running(source, axis, own))
    return inplace


@op(inplace=in_place(_cumsum), out="dtype", axis=True)
def cumsum(Tensor input not None, dim, *, dtype=None):
    """Sums of the elements up to each place along an axis.

    Parameters
    ----------
    input : Tensor
    dim : int
    dtype : dtype, optional
        Of the result, and in which it is computed; int64 for integers by default.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.cumsum(cygrad.tensor([1, 2, 3]), dim=0)
    tensor([1, 3, 6])
    """
    dim = axis_of(dim, input.rank, "cumsum")
    if dtype is None and input.rank:
        dtype = sum_dtype(input, None)
        return RUNNING_SUM.result(scan_op(CUMSUM, input, dim, dtype), input, dim, (dtype,))
    return _cumsum(input, dim, sum_dtype(input, computable("cumsum", input, dtype)))


@op(inplace=in_place(_cumprod), out="dtype", axis=True)
def cumprod(input, dim, *, dtype=None):
    """Products of the elements up to each place along an axis.

    Parameters
    ----------
    input : Tensor
    dim : int
    dtype : dtype, optional
        Of the result, and in which it is computed; int64 for integers by default.

    Returns
    -------
    Tensor
        Of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.cumprod(cygrad.tensor([1, 2, 3, 4]), dim=0)
    tensor([ 1,  2,  6, 24])
    """
    dim = axis_of(dim, input.dim(), "cumprod")
    return _cumprod(input, dim, sum_dtype(input, computable("cumprod", input, dtype)))


def running_extreme(code, self, dim):
    if not self.dim():
        return clone_like(self), cygrad.zeros_like(self, dtype=cygrad.int64)
    return scan_op(code, self, dim, self.dtype)


def need_order(input, name):
    """Complex numbers have none; one or none of them needs none."""
    if input.is_complex():
        if input.dim() and input.numel():
            raise refused(f"{name}_cpu", input.dtype)
        refuse_complex_gradient(input, name)


@primitive(name="cummax")
def _cummax(self, dim):
    return running_extreme(CUMMAX, self, dim)


@primitive(name="cummin")
def _cummin(self, dim):
    return running_extreme(CUMMIN, self, dim)


RUNNING_EXTREME = """The {} element up to each place along an axis, and where it is (the last of equal ones).

    Parameters
    ----------
    input : Tensor
        Of a real dtype.
    dim : int
        The axis.

    Returns
    -------
    return_types.{name}
        ``values`` and int64 ``indices``, of input's shape.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.{name}(cygrad.tensor([2, 3, 1, 3]), dim=0)
    torch.return_types.{name}(
    values=tensor({values}),
    indices=tensor({places}))
    """


def any_axis(input, dim, name):
    """`dim`, which may be any number where there are no elements."""
    return 0 if input.dim() and not input.numel() else axis_of(dim, input.dim(), name)


@op(out="scalar_type", axis=True, doc=RUNNING_EXTREME.format(
    "largest", name="cummax", values=[2, 3, 3, 3], places=[0, 1, 1, 3]))
def cummax(input, dim):
    dim = any_axis(input, dim, "cummax")
    need_order(input, "cummax")
    return return_types.cummax(_cummax(input, dim))


@op(out="scalar_type", axis=True, doc=RUNNING_EXTREME.format(
    "smallest", name="cummin", values=[2, 2, 1, 1], places=[0, 0, 2, 2]))
def cummin(input, dim):
    dim = any_axis(input, dim, "cummin")
    need_order(input, "cummin")
    return return_types.cummin(_cummin(input, dim))


def _by_parts(op, a, b):
    """a + b or a - b without the product by a complex 1 that `add` does, which makes NaN beside an infinite part."""
    return cygrad.view_as_complex(op(cygrad.view_as_real(a), cygrad.view_as_real(b)))


def _added_logarithm(new, old):
    """log(exp(new) + exp(old)) of complex numbers, with PyTorch's answers where a real part is infinite or NaN."""
    turned = new.real < old.real
    smaller, larger = cygrad.where(turned, new, old), cygrad.where(turned, old, new)
    out = _by_parts(operator.add, larger, _by_parts(operator.sub, smaller, larger).exp().log1p())
    same = larger.real.isinf() & (smaller.real == larger.real)
    out = cygrad.where(same, cygrad.where(larger.real < 0, smaller,
                                          _by_parts(operator.add, smaller.exp(), larger.exp()).log()), out)
    return cygrad.where(new.isnan() | old.isnan(), complex(math.nan, math.nan), out)


@primitive(name="logcumsumexp")
@widened
def _logcumsumexp(self, dim):
    """Each pass adds the sums that end 1, 2, 4, ... places before: log2(n) passes, without overflow.

    Complex logarithms are added one by one: their imaginary parts depend on the order.
    """
    out = clone_dense(self)
    n = self.size(dim) if self.dim() else 1
    if self.is_complex():
        before = cygrad.full((), -math.inf, dtype=self.dtype, device=self.device)
        for i in range(n):
            step = out.select(dim, i) if self.dim() else out
            before = step.copy_(_added_logarithm(step, before))
        return out
    shift = 1
    while shift < n:
        rest = out.narrow(dim, shift, n - shift)
        copy_(rest, LOGADDEXP(rest, out.narrow(dim, 0, n - shift)))
        shift *= 2
    return out


@op(out="scalar_type", axis=True)
def logcumsumexp(input, dim):
    """The logarithm of `cumsum` of the exponentials, without overflow.

    Parameters
    ----------
    input : Tensor
        Of a floating-point or complex dtype.
    dim : int
        The axis.

    Returns
    -------
    Tensor
        Of input's shape and dtype.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.logcumsumexp(cygrad.tensor([0., 0., 0.]), dim=0)
    tensor([0.0000, 0.6931, 1.0986])
    """
    need_float(input, "logcumsumexp_out_cpu", complex_too=True)
    return _logcumsumexp(input, axis_of(dim, input.dim(), "logcumsumexp"))
