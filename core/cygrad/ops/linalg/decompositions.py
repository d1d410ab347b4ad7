"""Orthogonal decompositions of matrices: QR, singular values, eigenvalues.

Each op with a node of its own is a `@primitive` that returns raw results of LAPACK's routines (`ops/linalg/lapack.py`);
`cygrad.linalg` has the functions that have no method. Derivatives are in `autograd/derivatives/decompositions.py`.
"""
from cygrad import return_types
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.dispatch.raw import copy_, fill_
from cygrad.errors import warn_once
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op, with_out
from cygrad.ops.linalg.batches import columns, run
from cygrad.ops.linalg.lapack import (LinAlgError, adjoint, check_info, exact_out, eye_like, need_float, need_kernel,
                                      need_matrix, need_square, new, real_of)
from cygrad.ops.linalg.solvers import filled_like

# -------------------------------------------------------------------------- QR

@primitive(name="linalg_qr")
def _qr(self, mode):
    m, n = self.shape[-2:]
    batch, k = self.shape[:-2], m if mode == "complete" else min(m, n)
    q = columns(self, (*batch, m, k)) if mode != "r" else None
    r = columns(self, (*batch, k, n))
    if self.numel():
        run("qr", (self,), (q, r), (2, 2), complete=mode == "complete")
    else:
        fill_(r, 0)
        if q is not None and q.numel():
            copy_(q, eye_like(self, m).expand(q.shape))
    return new(self, (0,)) if q is None else q, r


def qr(A, mode="reduced"):
    """Q and R with A = Q @ R: orthonormal columns and an upper triangular matrix.

    Parameters
    ----------
    A : Tensor
        (..., m, n).
    mode : {"reduced", "complete", "r"}
        Q is (..., m, k) and R (..., k, n) with k = min(m, n), or k = m if complete; "r" leaves Q empty.

    Returns
    -------
    return_types.linalg_qr
        ``Q`` and ``R``.

    Examples
    --------
    >>> q, r = cygrad.linalg.qr(cygrad.tensor([[1., 2.], [3., 4.]]))
    >>> cygrad.allclose(q @ r, cygrad.tensor([[1., 2.], [3., 4.]]), atol=1e-5)
    True
    """
    need_matrix(A, "linalg.qr")
    need_float(A, "linalg.qr", low=True)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
                           "'complete'")
    need_kernel(A, "geqrf_cpu")
    return return_types.linalg_qr(_qr(A, mode))


qr = exact_out("linalg_qr", qr)


@op(name="qr", out="expected")
def _qr_old(input, some=True):
    """Q and R with input = Q @ R; all columns of Q where `some` is False. See `linalg.qr`.

    Parameters
    ----------
    input : Tensor
        (..., m, n).
    some : bool
        Whether Q has min(m, n) columns, not m.

    Returns
    -------
    return_types.qr
        ``Q`` and ``R``.

    Examples
    --------
    >>> q, r = cygrad.qr(cygrad.tensor([[1., 2.], [3., 4.]]))
    >>> cygrad.allclose(q @ r, cygrad.tensor([[1., 2.], [3., 4.]]), atol=1e-5)
    True
    """
    warn_once("torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\n"
              "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\n"
              "Q, R = torch.qr(A, some)\nshould be replaced with\n"
              "Q, R = torch.linalg.qr(A, 'reduced' if some else 'complete')")
    return return_types.qr(tuple(qr(input, "reduced" if some else "complete")))


# ------------------------------------------------------------- singular values

@primitive(name="linalg_svd")
def _svd(self, full_matrices, compute_uv):
    m, n = self.shape[-2:]
    batch, k = self.shape[:-2], min(m, n)
    s, info = new(self, (*batch, k), real_of(self)), filled_like(self, batch)
    u = columns(self, (*batch, m, m if full_matrices else k)) if compute_uv else None
    vh = columns(self, (*batch, n if full_matrices else k, n)) if compute_uv else None
    if self.numel():
        run("svd", (self,), (u, s, vh, info), (2, 1, 2, 0), full_matrices=bool(full_matrices))
        check_info(info, diverged)
    elif compute_uv:
        for t in (u, vh):
            if t.numel():
                copy_(t, eye_like(self, t.shape[-1]).expand(t.shape))
    return (u, s, vh) if compute_uv else (new(self, (0,)), s, new(self, (0,)))


def diverged(where, code):
    cause = ("the input matrix contained non-finite values" if code < 0 else
             f"the input matrix is ill-conditioned or has too many repeated singular values (error code: {code})")
    raise LinAlgError(f"linalg.svd: {where}The algorithm failed to converge because {cause}.")


def refuse_driver(driver):
    if driver is not None:
        raise RuntimeError("torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with "
                           "cuSOLVER backend.")


def check_svd(A, driver):
    need_matrix(A, "linalg.svd")
    need_float(A, "linalg.svd", low=True)
    if A.numel():
        need_kernel(A, "linalg_svd_cpu")
    refuse_driver(driver)


def svd(A, full_matrices=True, *, driver=None):
    """U, S and Vh with A = U @ diag(S) @ Vh, singular values S descending.

    Parameters
    ----------
    A : Tensor
        (..., m, n).
    full_matrices : bool
        U (..., m, m) and Vh (..., n, n); otherwise (..., m, k) and (..., k, n) with k = min(m, n).
    driver : {"gesvd", "gesvdj", "gesvda"}, optional
        For CUDA; refused on the CPU.

    Returns
    -------
    return_types.linalg_svd
        ``U``, ``S`` and ``Vh``.

    Notes
    -----
    Gradients through U and Vh exist where singular values differ and only for what does not depend on their signs
    (phases, if complex).

    Examples
    --------
    >>> u, s, vh = cygrad.linalg.svd(cygrad.tensor([[3., 0.], [0., -2.]]))
    >>> s
    tensor([3., 2.])
    """
    check_svd(A, driver)
    return return_types.linalg_svd(_svd(A, full_matrices, True))


svd = exact_out("linalg_svd", svd)


def svdvals(A, *, driver=None):
    """The singular values of matrices, descending: (..., m, n) gives (..., min(m, n)).

    Parameters
    ----------
    A : Tensor
        (..., m, n), floating-point or complex.
    driver : optional
        As for `svd`.

    Returns
    -------
    Tensor
        (..., min(m, n)), real.

    Examples
    --------
    >>> cygrad.linalg.svdvals(cygrad.tensor([[3., 0.], [0., -2.]]))
    tensor([3., 2.])
    """
    check_svd(A, driver)
    return _svd(A, False, A._tracked())[1]


svdvals = exact_out("linalg_svdvals", svdvals)


@op(name="svd", out="expected")
def _svd_old(input, some=True, compute_uv=True):
    """U, S and V (not Vh) with input = U @ diag(S) @ V^H; zeros for U and V unless `compute_uv`. See `linalg.svd`.

    Parameters
    ----------
    input : Tensor
        (..., m, n), floating-point or complex.
    some : bool
        Whether U and V have min(m, n) columns, not m and n.
    compute_uv : bool
        Whether U and V are wanted.

    Returns
    -------
    return_types.svd
        ``U``, ``S`` and ``V``.

    Examples
    --------
    >>> cygrad.svd(cygrad.tensor([[3., 0.], [0., -2.]])).S
    tensor([3., 2.])
    """
    need_matrix(input, "linalg.svd")
    if not compute_uv:
        m, n = input.shape[-2:]
        u, vh = (input.new_empty((*input.shape[:-2], size, size)).zero_() for size in (m, n))
        return return_types.svd((u, svdvals(input), adjoint(vh)))
    u, s, vh = svd(input, not some)
    return return_types.svd((u, s, adjoint(vh)))


# ------------------------------------------------------------------ eigenvalues

@primitive(name="linalg_eigh")
def _eigh(self, UPLO, compute_v):
    batch, n = self.shape[:-2], self.shape[-1]
    w, info = new(self, (*batch, n), real_of(self)), filled_like(self, batch)
    v = columns(self, self.shape) if compute_v else None
    if self.numel():
        run("eigh", (self,), (w, v, info), (1, 2, 0), upper=UPLO in "Uu")
        check_info(info, eigh_diverged)
    return w, new(self, (0,)) if v is None else v


def eigh_diverged(where, code):
    raise LinAlgError(f"linalg.eigh: {where}The algorithm failed to converge because the input matrix is "
                      f"ill-conditioned or has too many repeated eigenvalues (error code: {code}).")


def checked_eigh(A, UPLO):
    need_square(A, "linalg.eigh")
    if UPLO not in ("L", "U", "l", "u"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    if A.numel():
        need_kernel(A, "linalg_eigh_cpu")


def eigh(A, UPLO="L"):
    """Eigenvalues, ascending, and orthonormal eigenvectors of symmetric (Hermitian) matrices.

    Parameters
    ----------
    A : Tensor
        (..., n, n).
    UPLO : {"L", "U"}
        Which triangle is read.

    Returns
    -------
    (eigenvalues, eigenvectors)
        (..., n), real, and (..., n, n), in columns.

    Examples
    --------
    >>> cygrad.linalg.eigh(cygrad.tensor([[2., 0.], [0., 1.]])).eigenvalues
    tensor([1., 2.])
    """
    checked_eigh(A, UPLO)
    return return_types.linalg_eigh(_eigh(A, UPLO, True))


eigh = exact_out("linalg_eigh", eigh)


def eigvalsh(A, UPLO="L"):
    """The eigenvalues of symmetric (Hermitian) matrices, ascending; see `eigh`.

    Parameters
    ----------
    A : Tensor
        (..., n, n), floating-point or complex.
    UPLO : {"L", "U"}
        Which triangle is read.

    Returns
    -------
    Tensor
        (..., n), real.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge.

    Examples
    --------
    >>> cygrad.linalg.eigvalsh(cygrad.tensor([[2., 1.], [1., 2.]]))
    tensor([1., 3.])
    """
    checked_eigh(A, UPLO)
    return _eigh(A, UPLO, A._tracked())[0]


eigvalsh = exact_out("linalg_eigvalsh", eigvalsh)


@primitive(name="linalg_eig")
def _eig(self, compute_v):
    dtype = self.dtype.to_complex()
    w, info = new(self, self.shape[:-1], dtype), filled_like(self, self.shape[:-2])
    v = columns(self, self.shape, dtype) if compute_v else None
    if self.numel():
        run("eig", (self,), (w, v, info), (1, 2, 0))
        check_info(info, eig_diverged)
    return w, new(self, (0,), dtype) if v is None else v


def eig_diverged(where, code):
    raise LinAlgError(f"linalg.eig: {where}The algorithm failed to converge because the input matrix is "
                      f"ill-conditioned or has too many repeated eigenvalues (error code: {code}).")


def checked_eig(A, name):
    need_square(A, name)
    if not (A.is_floating_point() or A.is_complex()):
        raise RuntimeError(f"Unknown Complex ScalarType for {SCALAR_NAMES[A.dtype.code]}")
    need_kernel(A, "linalg_eig_cpu")
    if not A.detach().isfinite().all().item():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")


def eig(A):
    """Complex eigenvalues and eigenvectors of square matrices.

    Parameters
    ----------
    A : Tensor
        (..., n, n), floating-point or complex.

    Returns
    -------
    (eigenvalues, eigenvectors)
        (..., n) and (..., n, n), complex; the vectors are columns of length 1.

    Examples
    --------
    >>> cygrad.linalg.eig(cygrad.tensor([[2., 0.], [0., 1.]])).eigenvalues
    tensor([2.+0.j, 1.+0.j])
    """
    checked_eig(A, "linalg.eig")
    return return_types.linalg_eig(_eig(A, True))


eig = with_out("linalg_eig", eig)


def eigvals(A):
    """The complex eigenvalues of square matrices; see `eig`.

    Parameters
    ----------
    A : Tensor
        (..., n, n), floating-point or complex.

    Returns
    -------
    Tensor
        (..., n), complex; in no order.

    Examples
    --------
    >>> cygrad.linalg.eigvals(cygrad.tensor([[0., 1.], [-1., 0.]])).real.abs()
    tensor([0., 0.])
    """
    checked_eig(A, "linalg.eigvals")
    return _eig(A, A._tracked())[0]


eigvals = with_out("linalg_eigvals", eigvals)
