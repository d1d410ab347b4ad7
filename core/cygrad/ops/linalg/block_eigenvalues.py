"""`lobpcg`: a few extreme eigenvalues of symmetric matrices, by products with them alone.

Source: Knyazev, "Toward the optimal preconditioned eigensolver: locally optimal block preconditioned conjugate gradient
method", 2001; the basis of a step is made orthonormal as in Stathopoulos and Wu, "A block orthogonalization procedure
with constant synchronization requirements", 2002, which drops what is nearly dependent.
"""
import math

import cygrad
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op

EPSILON = {"float32": 1.2e-07, "float64": 2.23e-16}
METHODS = "basic", "ortho"


class Iteration:
    """The state of an iteration, as a `tracker` sees it.

    Attributes
    ----------
    iparams, fparams, bparams : dict
        What the call was given: numbers, floats and bools.
    ivars, fvars, bvars, tvars : dict
        What changes: "istep", "iterations_left", "converged_count"; norms; "force_stop", which a tracker may set; the
        relative errors of the eigenpairs, "rerr".
    A, B, iK : Tensor
        The matrices.
    E, X, S, R : Tensor
        Eigenvalues, eigenvectors, the basis of the last step, residuals.
    """

    def __init__(self, A, B, X, iK, k, niter, tol, largest, tracker):
        self.A, self.B, self.iK, self.tracker = A, B, iK, tracker
        m, n = X.shape
        self.iparams = {"m": m, "n": n, "k": k, "niter": niter}
        self.fparams, self.bparams = {"tol": tol}, {"largest": largest}
        X_norm = X.norm().item()
        self.ivars = {"istep": 0, "converged_count": 0, "iterations_left": niter}
        self.fvars = {"X_norm": X_norm, "A_norm": self.times(A, X).norm().item() / X_norm,
                      "B_norm": self.times(B, X).norm().item() / X_norm}
        self.bvars, self.tvars = {"force_stop": False}, {}
        self.P, self.S = None, X
        self.step(orthonormal(X, B), 0)

    def times(self, matrix, block):
        return block if matrix is None else matrix @ block

    def step(self, basis, old):
        """The best vectors in the span of a basis, whose first `old` columns are the last step's."""
        E, Z = cygrad.linalg.eigh(basis.mT @ self.times(self.A, basis))
        if self.bparams["largest"]:
            E, Z = E.flip(-1), Z.flip(-1)
        n = self.iparams["n"]
        self.S, self.E, Z = basis, E[:n], Z[:, :n]
        self.X = basis @ Z
        self.P = basis[:, old:] @ Z[old:] if old else None
        self.R = self.times(self.A, self.X) - self.times(self.B, self.X) * self.E
        self.tvars["rerr"] = rerr = self.R.norm(2, 0) / (
            self.X.norm(2, 0) * (self.fvars["A_norm"] + self.E.abs() * self.fvars["B_norm"]))
        good = (rerr < self.fparams["tol"]).tolist()
        self.ivars["converged_count"] = good.index(False) if False in good else len(good)

    def run(self):
        k = min(self.iparams["k"], self.X.shape[1])      # columns of X that depend on others were left out
        while self.ivars["converged_count"] < k and self.ivars["iterations_left"] > 0 and not self.bvars["force_stop"]:
            new = self.times(self.iK, self.R)
            if self.P is not None:
                new = cygrad.cat([new, self.P], 1)
            n = self.X.shape[1]
            self.step(cygrad.cat([self.X, orthonormal(new, self.B, self.X)], 1), n)
            self.ivars["istep"] += 1
            self.ivars["iterations_left"] -= 1
            if self.tracker is not None:
                self.tracker(self)
        return self.E[:k], self.X[:, :k]


def orthonormal(block, B, known=None):
    """Columns, of unit length in B's product, that span the block beside `known` ones; nearly dependent ones go."""
    for _ in range(2):                  # the second round takes away what rounding left
        if known is not None:
            block = block - known @ ((known if B is None else B @ known).mT @ block)
        gram = block.mT @ (block if B is None else B @ block)
        length = gram.diagonal().clamp_min(0).sqrt()
        kept = length > 0
        block, gram, length = block[:, kept], gram[kept][:, kept], length[kept]
        values, vectors = cygrad.linalg.eigh(gram / length / length.unsqueeze(1))
        large = values > EPSILON[block.dtype.name] * 10 * max(block.shape[1], 1)
        block = (block / length) @ (vectors[:, large] / values[large].sqrt())
    return block


@primitive
def lobpcg_(A, B, X, iK, options):
    """Raw (eigenvalues, eigenvectors) of a batch, one matrix after the other."""
    batch, m = A.shape[:-2], A.shape[-1]
    n = options["n"]
    found = []
    matrices = [None if t is None else t.reshape(-1, *t.shape[-2:]) for t in (B, X, iK)]
    for i, a in enumerate(A.reshape(-1, m, m)):
        b, x, k = (None if t is None else t[i if len(t) > 1 else 0] for t in matrices)
        x = cygrad.randn(m, n, dtype=A.dtype, device=A.device) if x is None else x[:, :n]
        found.append(Iteration(a, b, x, k, *options["iteration"]).run())
    if not found:
        k = options["iteration"][0]
        return A.new_empty(*batch, k), A.new_empty(*batch, m, k)
    E, V = map(cygrad.stack, zip(*found))
    return E.reshape(*batch, -1), V.reshape(*batch, m, -1)


@op(method=False)
def lobpcg(A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None, tracker=None,
           ortho_iparams=None, ortho_fparams=None, ortho_bparams=None):
    """The k largest (or smallest) eigenvalues of symmetric matrices and their eigenvectors, by iteration.

    Parameters
    ----------
    A : Tensor
        (..., m, m), symmetric, of float32 or float64.
    k : int, optional
        How many: 1, or as many as X has columns.
    B : Tensor, optional
        (..., m, m), symmetric and positive-definite: A x = e B x is solved.
    X : Tensor, optional
        (..., m, n): where the iteration begins; random numbers by default.
    n : int, optional
        How many vectors the iteration has: k, or as many as X has columns.
    iK : Tensor, optional
        (..., m, m): a preconditioner, by which residuals are multiplied.
    niter : int, optional
        The most steps; 1000 by default, and without end where it is negative.
    tol : float, optional
        The relative residual at which an eigenpair is good; the root of the dtype's precision by default.
    largest : bool, optional
        The largest eigenvalues (the default), or the smallest.
    method : str, optional
        "basic" or "ortho": both are one method here, which makes the basis of each step orthonormal.
    tracker : callable, optional
        Called after each step with the iteration's state.
    ortho_iparams, ortho_fparams, ortho_bparams : dict, optional
        Parameters of PyTorch's way to make a basis orthonormal; they make no difference here.

    Returns
    -------
    tuple of Tensor
        Eigenvalues (..., k) and eigenvectors (..., m, k), whose signs are left to chance.

    Raises
    ------
    ValueError
        If m is smaller than 3 n, or `method` unknown.

    Notes
    -----
    Gradients of A are those of `linalg.eigh`: eigenvalues must differ. There are none of B.

    Examples
    --------
    >>> values, _ = cygrad.lobpcg(cygrad.arange(9.).diag(), k=2)
    >>> values.round()
    tensor([8., 7.])
    """
    if A.dim() < 2 or A.shape[-2] != A.shape[-1]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if A.dtype.name not in EPSILON:
        raise RuntimeError(f"lobpcg: expected a float32 or float64 matrix, got {SCALAR_NAMES[A.dtype.code]}")
    if method not in (None, *METHODS):
        raise ValueError(f"lobpcg: method must be one of {METHODS}, got {method!r}")
    m, columns = A.shape[-1], None if X is None else X.shape[-1]
    k = (1 if columns is None else columns) if k is None else k
    n = (k if columns is None else columns) if n is None else n
    if n < k:
        raise ValueError(f"lobpcg: an iteration of n={n} vectors does not find k={k} of them")
    if X is not None and not X.any():
        raise ValueError("lobpcg: X, where the iteration begins, must not be zero")
    if m < 3 * n:
        raise ValueError(f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the "
                         f"number of requested eigenpairs (={n})")
    tol = EPSILON[A.dtype.name] ** 0.5 if tol is None else tol
    niter = math.inf if niter is not None and niter < 0 else 1000 if niter is None else niter
    if A.requires_grad:                 # so that the gradient is symmetric, too
        A = (A + A.mT) / 2
    return lobpcg_(A, B, X, iK, {"n": n, "iteration": (k, niter, tol, True if largest is None else largest, tracker)})
