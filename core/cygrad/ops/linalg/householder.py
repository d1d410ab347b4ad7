"""Orthogonal matrices kept as Householder's reflections: `geqrf` makes them, `orgqr` and `ormqr` multiply them.

The reflections 1 - tau_i v_i v_i^H lie below the diagonal of a matrix, their ones left out. Their product is
1 - V T V^H, with T = (1 + D U)^-1 D for the diagonal matrix D of all tau and the strict upper triangle U of V^H V
(Schreiber and Van Loan, "A storage-efficient WY representation for products of Householder transformations", 1989):
three products of matrices and a triangular system, which have derivatives.
"""
import cygrad
from cygrad import return_types
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import copy_
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.linalg.batches import columns, run
from cygrad.ops.linalg.lapack import adjoint, eye_like, need_kernel, new
from cygrad.ops.declare.operand_types import need_tensors


@primitive(name="geqrf")
def _geqrf(self):
    out, tau = columns(self, self.shape), new(self, (*self.shape[:-2], min(self.shape[-2:])))
    if out.numel():
        run("geqrf", (self,), (out, tau), (2, 1))
    return out, tau


@op(out=True)
def geqrf(input):
    """The QR factorisation as LAPACK keeps it: R, and reflections whose product is Q.

    Parameters
    ----------
    input : Tensor
        (..., m, n), floating-point or complex.
    out : tuple of Tensor, optional
        Written to.

    Returns
    -------
    return_types.geqrf
        ``a`` (..., m, n), with R in its upper triangle and the reflections' vectors below it, and ``tau``
        (..., min(m, n)), their factors; see `linalg.householder_product`.

    Examples
    --------
    >>> a, tau = cygrad.geqrf(cygrad.tensor([[3., 1.], [4., 2.]]))
    >>> a[0, 0]
    tensor(-5.)
    """
    need_tensors("geqrf", input=input)
    if input.dim() < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    need_kernel(input, "geqrf_cpu")
    if input.is_complex() and input._tracked():
        raise RuntimeError("geqrf does not support automatic differentiation for outputs with complex dtype.")
    return return_types.geqrf(_geqrf(input))


def reflections(a, tau):
    """(V, T) with 1 - V T V^H the product of the reflections."""
    count = tau.shape[-1]
    vectors = a[..., :count].tril(-1)
    vectors = vectors + cygrad.eye(a.shape[-2], count, dtype=a.dtype, device=a.device)
    factors = tau.unsqueeze(-1)
    mixed = eye_like(a, count) + factors * (adjoint(vectors) @ vectors).triu(1)
    return vectors, cygrad.linalg.solve_triangular(mixed, tau.diag_embed(), upper=True, unitriangular=True)


def check(name, kernel, input, tau):
    if input.dim() < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if name == "torch.linalg.householder_product":
        if input.shape[-2] < input.shape[-1]:
            raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
        if tau.dim() == 0:
            raise IndexError("Dimension specified as -1 but tensor has no dimensions")
        if input.shape[-1] < tau.shape[-1]:
            raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if input.dim() - tau.dim() != 1:
        raise RuntimeError(f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to "
                           f"{tau.dim()} and input.ndim is equal to {input.dim()}")
    if tau.shape[:-1] != input.shape[:-2]:
        raise RuntimeError(f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
                           f"{list(tau.shape[:-1])}")


def column_major(t):
    """`t` with the columns of its matrices as runs in memory, which is LAPACK's order."""
    out = columns(t, t.shape)
    copy_(out, t)
    return out


def first_columns(input, tau):
    """The first columns of the product of the reflections."""
    m, n = input.shape[-2:]
    vectors, inner = reflections(input, tau)
    return (cygrad.eye(m, n, dtype=input.dtype, device=input.device)
            - vectors @ (inner @ adjoint(vectors[..., :n, :])))


def product(input, tau, other, left, transpose):
    """The product of all reflections times `other`, or `other` times it."""
    vectors, inner = reflections(input, tau)
    inner = adjoint(inner) if transpose else inner
    if left:
        return other - vectors @ (inner @ (adjoint(vectors) @ other))
    return other - ((other @ vectors) @ inner) @ adjoint(vectors)


@primitive(name="linalg_householder_product")
def _first_columns(tensors, input, tau):
    return column_major(first_columns(input, tau))


@primitive(name="ormqr")
def _product(tensors, input, tau, other, left, transpose):
    return column_major(product(input, tau, other, left, transpose))


@op(name="orgqr", out=True)
def householder_product(input, tau):
    """The first columns of the product of Householder's reflections (of `geqrf`).

    Parameters
    ----------
    input : Tensor
        (..., m, n) with n <= m: the reflections' vectors, below the diagonal; what else there is is not looked at.
    tau : Tensor
        (..., k) with k <= n: the reflections' factors.
    out : Tensor, optional
        Written to.

    Returns
    -------
    Tensor
        (..., m, n).

    Raises
    ------
    RuntimeError
        If shapes or dtypes don't fit.

    Examples
    --------
    >>> x = cygrad.tensor([[3., 1.], [4., 2.]])
    >>> cygrad.linalg.householder_product(*cygrad.geqrf(x))
    tensor([[-0.6000, -0.8000],
            [-0.8000,  0.6000]])
    """
    name = "torch.linalg.householder_product"
    need_tensors("linalg_householder_product", input=input, tau=tau)
    check(name, "orgqr_cpu", input, tau)
    if input.dtype is not tau.dtype:
        raise RuntimeError(f"{name}: tau dtype {SCALAR_NAMES[tau.dtype.code]} does not match input dtype "
                           f"{SCALAR_NAMES[input.dtype.code]}")
    need_kernel(input, "orgqr_cpu")
    return _first_columns((input, tau), input, tau)


@op(out="exact")
def ormqr(input, tau, other, left=True, transpose=False):
    """The product of the orthogonal matrix that Householder's reflections make (of `geqrf`) and another matrix.

    Parameters
    ----------
    input : Tensor
        (..., m, k): the reflections' vectors, below the diagonal.
    tau : Tensor
        (..., k): their factors.
    other : Tensor
        (..., m, n), or (..., n, m) where `left` is False.
    left : bool
        On which side of `other` the orthogonal matrix stands.
    transpose : bool
        Take its adjoint.
    out : Tensor, optional
        Written to.

    Returns
    -------
    Tensor
        Of the shape of `other`.

    Raises
    ------
    RuntimeError
        If shapes or dtypes don't fit.

    Examples
    --------
    >>> x = cygrad.tensor([[3., 1.], [4., 2.]])
    >>> cygrad.ormqr(*cygrad.geqrf(x), x, transpose=True)[0, 0]
    tensor(-5.)
    """
    name = "torch.ormqr"
    need_tensors("ormqr", input=input, tau=tau, other=other)
    for each, what in ((input, "input"), (other, "other")):
        if each.dim() < 2:
            raise RuntimeError(f"{name}: {what} must have at least 2 dimensions.")
    side = -2 if left else -1
    if other.shape[side] < tau.size(-1):
        raise RuntimeError(f"{name}: other.shape[{side}] must be greater than or equal to tau.shape[-1]")
    if other.shape[side] != input.shape[-2]:
        raise RuntimeError(f"{name}: other.shape[{side}] must be equal to input.shape[-2]")
    if tau.dim() and tau.shape[-1] > min(other.shape[side], input.shape[-1]):
        raise RuntimeError(f"{name}: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])")
    check(name, "ormqr_cpu", input, tau)
    if other.dim() != input.dim():
        raise RuntimeError(f"{name}: Expected other to have the same number of dimensions as input, but got other.ndim "
                           f"equal to {other.dim()} and input.ndim is equal to {input.dim()}")
    if other.shape[:-2] != input.shape[:-2]:
        raise RuntimeError(f"{name}: Expected batch dimensions of other to be equal to input.shape[:-2], but got "
                           f"{list(other.shape[:-2])}")
    for each, what in ((tau, "tau"), (other, "other")):
        if each.dtype is not input.dtype:
            raise RuntimeError(f"{name}: Expected input and {what} to have the same dtype, but input has dtype"
                               f"{SCALAR_NAMES[input.dtype.code]} and {what} has dtype "
                               f"{SCALAR_NAMES[each.dtype.code]}")
    need_kernel(input, "ormqr_cpu")
    return _product((input, tau, other), input, tau, other, left, transpose)
