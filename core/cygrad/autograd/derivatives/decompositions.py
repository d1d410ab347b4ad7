"""Derivatives of solvers and decompositions of matrices, for real and complex ones.

`G` is the gradient of a real loss L with dL = Re tr(G^H dA). Where a decomposition is free up to signs or phases, the
formulas hold for losses that do not depend on them. Sources: Giles, "Collected matrix derivative results for forward
and reverse mode AD", 2008 (inverse, determinant, solve); Murray, "Differentiation of the Cholesky decomposition", 2016;
Walter and Lehmann, "Algorithmic differentiation of linear algebra functions with application in optimum experimental
design", 2012 (QR, LU, eigenvalues); Townsend, "Differentiating the singular value decomposition", 2016; Boeddeker et
al., "On the computation of complex-valued gradients", 2019 (eigenvalues); Golub and Pereyra, "The differentiation of
pseudo-inverses and nonlinear least squares problems whose variables separate", 1973.
"""
import cygrad
from cygrad.autograd.derivative import derivative
from cygrad.autograd.modes import grad_mode
from cygrad.autograd.derivatives.helpers import conj, no_derivative, not_implemented, of_composite, times
from cygrad.ops.linalg.lu import permutation_matrix
from cygrad.ops.linalg.householder import first_columns, product
from cygrad.ops.linalg.lapack import adjoint, eye_like


def grad_at(grads, i, like):
    """Gradient number i, zeros like `like` where none arrived."""
    return cygrad.zeros_like(like) if grads[i] is None else grads[i]


def halved(t):
    """`t` with the diagonal of its matrices halved."""
    n = t.shape[-1]
    return t * (1 - 0.5 * eye_like(t, n))


def on_diagonal(t, dtype):
    """Diagonal matrices of `dtype` of the last axis of t."""
    return t.to(dtype).diag_embed()


# ------------------------------------------------------------- inverse and systems

derivative("linalg_inv_ex", name="LinalgInvExBackward0", self=lambda grad, result:
           None if grad is None else -(adjoint(result[0]) @ (grad @ adjoint(result[0]))))
derivative("linalg_solve_ex", name="LinalgSolveExBackward0",
           self=lambda grad, self, left, vector, result: solve_matrix(grad, self, left, vector, result[0]),
           other=lambda grad, self, left, vector, result: (result[0], solve_right(grad, self, left, vector))[1])
derivative("linalg_solve_triangular", name="LinalgSolveTriangularBackward0",
           self=lambda grad, self, upper, left, unitriangular, result:
           triangular_matrix(grad, self, upper, left, unitriangular, result),
           other=lambda grad, self, upper, left, unitriangular, result:
           cygrad.linalg.solve_triangular(adjoint(self), grad, upper=not upper, left=left, unitriangular=unitriangular))
derivative("triangular_solve",
           self=lambda grads, A, upper, transpose, unitriangular, result:
           None if grads[0] is None else old_triangular_right(grads[0], A, upper, transpose, unitriangular),
           A=lambda grads, A, upper, transpose, unitriangular, result:
           old_triangular_matrix(grads, A, upper, transpose, unitriangular, result[0]))


def solve_right(grad, a, left, vector):
    """x = A^-1 b gives A^-H G for b."""
    if grad is None:
        return None
    g = grad.unsqueeze(-1) if vector else grad
    found = cygrad.linalg.solve(adjoint(a), g, left=left)
    return found.squeeze(-1) if vector else found


def solve_matrix(grad, a, left, vector, x):
    """And -A^-H G x^H for A."""
    if grad is None:
        return None
    g, x = (grad.unsqueeze(-1), x.unsqueeze(-1)) if vector else (grad, x)
    right = cygrad.linalg.solve(adjoint(a), g, left=left)
    return -(right @ adjoint(x)) if left else -(adjoint(x) @ right)


def triangular_matrix(grad, a, upper, left, unit, x):
    right = cygrad.linalg.solve_triangular(adjoint(a), grad, upper=not upper, left=left, unitriangular=unit)
    found = -(right @ adjoint(x)) if left else -(adjoint(x) @ right)
    return triangle(found, upper, unit)


def triangle(t, upper, unit=False):
    return t.triu(int(unit)) if upper else t.tril(-int(unit))


def old_triangular_right(grad, a, upper, transpose, unit):
    a = a.conj() if transpose else adjoint(a)
    return cygrad.linalg.solve_triangular(a, grad, upper=upper if transpose else not upper, unitriangular=unit)


def old_triangular_matrix(grads, a, upper, transpose, unit, x):
    """The solution depends on A, and so does the copy of A."""
    found = None
    if grads[0] is not None:
        right = old_triangular_right(grads[0], a, upper, transpose, unit)
        found = triangle(-x.conj() @ right.mT if transpose else -right @ adjoint(x), upper, unit)
    if grads[1] is not None:
        found = grads[1] if found is None else found + grads[1]
    return found


derivative("linalg_householder_product", tensors=lambda grad, input, tau:
           of_composite(first_columns, (input, tau), (grad,)))
derivative("ormqr", tensors=lambda grad, input, tau, other, left, transpose:
           of_composite(lambda *args: product(*args, left, transpose), (input, tau, other), (grad,)))
derivative("geqrf", self=no_derivative("geqrf"))
derivative("linalg_ldl_factor_ex", name="NotImplemented", self=not_implemented("aten::linalg_ldl_factor_ex"))
derivative("linalg_ldl_solve", name="NotImplemented", self=not_implemented("aten::linalg_ldl_solve"),
           other=not_implemented("aten::linalg_ldl_solve"))

# ---------------------------------------------------------------- determinants

derivative("linalg_det", name="LinalgDetBackward0", self=lambda grad, self, result: det_backward(grad, self, result))
derivative("linalg_slogdet", name="LinalgSlogdetBackward0",
           self=lambda grads, self, result: slogdet_backward(grads, self, result[0]))


def det_backward(grad, a, det):
    """d det = det tr(A^-1 dA) = tr(adj(A) dA); the adjugate of a singular matrix from its singular values.

    PyTorch takes these in a recorded pass only: else zeros are made small in the factors, and the gradient is 0.
    """
    if a.shape[-1] == 1 or not a.numel():
        return grad.unsqueeze(-1).unsqueeze(-1) if a.numel() else a.new_empty(a.shape)
    singular = not bool((det.detach() != 0).all())
    if not singular or not grad_mode():
        diagonal = on_diagonal((grad * conj(det)).unsqueeze(-1).expand(a.shape[:-1]), a.dtype)
        if not singular:
            return cygrad.linalg.solve(adjoint(a), diagonal.mT)
        factors, pivots, _ = cygrad.linalg.lu_factor_ex(a)
        pivot = factors.diagonal(0, -2, -1)
        pivot.masked_fill_(pivot == 0, cygrad.finfo(a.dtype).eps)
        return cygrad.linalg.lu_solve(factors, pivots, diagonal, adjoint=True)
    u, s, vh = cygrad.linalg.svd(a)
    n = s.shape[-1]
    own = cygrad.eye(n, dtype=cygrad.bool, device=s.device)
    others = s.unsqueeze(-2).expand(*s.shape, n).masked_fill(own, 1).prod(-1)
    phase = conj(cygrad.linalg.det(u) * cygrad.linalg.det(vh)) * grad
    return (u * (phase.unsqueeze(-1) * others).unsqueeze(-2)) @ vh


def slogdet_backward(grads, a, sign):
    """d log det = tr(A^-1 dA) has d logabsdet for its real part and, times sign, d sign for its imaginary one."""
    factor = grads[1]
    if grads[0] is not None and a.is_complex():
        phase = (conj(grads[0]) * sign).imag
        factor = cygrad.complex(cygrad.zeros_like(phase) if factor is None else factor, -phase)
    if factor is None:
        return None
    return cygrad.linalg.solve(adjoint(a), on_diagonal(factor.unsqueeze(-1).expand(a.shape[:-1]), a.dtype).mT)


# --------------------------------------------------------------- least squares

derivative("linalg_lstsq",
           self=lambda grads, self, other, vector, result: lstsq_matrix(grads, self, other, vector, result),
           other=lambda grads, self, other, vector, result: lstsq_right(grads, self, other, vector, result))
derivative("linalg_pinv", self=lambda grad, self, result: pinv_backward(grad, self, result))


def pinv_backward(grad, a, p):
    """Golub and Pereyra 1973: dP = -P dA P + P P^H dA^H (1 - A P) + (1 - P A) dA^H P^H P."""
    ph, gh = adjoint(p), adjoint(grad)
    if a.shape[-2] <= a.shape[-1]:
        k = gh @ p
        kp = k @ ph
        return -adjoint(p @ k) + kp - (a @ p) @ kp + (ph @ p) @ (gh - k @ a)
    third = ph @ (p @ gh)
    return -ph @ grad @ ph + (gh - a @ (p @ gh)) @ p @ ph + third - (third @ p) @ a


def lstsq_right(grads, a, b, vector, result):
    found, x = None, result[0]                  # which may not have been changed
    if grads[0] is not None:
        g = grads[0].unsqueeze(-1) if vector else grads[0]
        found = adjoint(cygrad.linalg.pinv(a)) @ g
    if grads[1] is not None and result[1].numel():
        right = 2 * rest_of(a, b, vector, x) * grads[1].unsqueeze(-2)
        found = right if found is None else found + right
    return found if found is None or not vector else found.squeeze(-1)


def lstsq_matrix(grads, a, b, vector, result):
    """x = pinv(A) b; the residuals |b - A x|^2 depend on A directly, and through x not at all (A^H (b - A x) = 0)."""
    found, x = None, result[0]
    if grads[0] is not None:
        g, right = (grads[0].unsqueeze(-1), b.unsqueeze(-1)) if vector else (grads[0], b)
        found = pinv_backward(g @ adjoint(right), a, cygrad.linalg.pinv(a))
    if grads[1] is not None and result[1].numel():
        direct = -2 * (rest_of(a, b, vector, x) * grads[1].unsqueeze(-2)) @ adjoint(x.unsqueeze(-1) if vector else x)
        found = direct if found is None else found + direct
    return found


def rest_of(a, b, vector, x):
    return b.unsqueeze(-1) - a @ x.unsqueeze(-1) if vector else b - a @ x


# ------------------------------------------------------------------------- LU

derivative("linalg_lu_factor_ex", self=lambda grad, result: lu_factor_backward(grad, result[0], result[1]))
derivative("linalg_lu", self=lambda grads, result: lu_backward(grads[0], grads[1], *result))
derivative("lu_unpack", self=lambda grads, self_shape: unpack_backward(grads[0], grads[1], self_shape))
derivative("linalg_lu_solve",
           self=lambda grad, self, pivots, left, adjoint_, result:
           lu_solve_matrix(grad, self, pivots, left, adjoint_, result),
           other=lambda grad, self, pivots, left, adjoint_, result:
           cygrad.linalg.lu_solve(self, pivots, grad, left=left, adjoint=not adjoint_))


def lu_factor_backward(grad, lu, pivots):
    if grad is None:
        return None
    _, lower, upper = cygrad.lu_unpack(lu, pivots, unpack_pivots=False)
    k = lower.shape[-1]
    return lu_backward(grad[..., :k].tril(-1), grad[..., :k, :].triu(), lower, upper, pivots)


def lu_backward(lower_grad, upper_grad, lower, upper, pivots):
    """With M = L^-1 P^T dA U^-1: dL = L tril(M, -1), dU = triu(M) U; what sticks out of the square follows from it."""
    if lower_grad is None and upper_grad is None:
        return None
    gl = cygrad.zeros_like(lower) if lower_grad is None else lower_grad
    gu = cygrad.zeros_like(upper) if upper_grad is None else upper_grad
    m, n, k = lower.shape[-2], upper.shape[-1], lower.shape[-1]
    low, up = lower[..., :k, :], upper[..., :, :k]
    below = adjoint(low) @ gl[..., :k, :]
    above = gu[..., :k] @ adjoint(up)
    if m > n:
        above = above - adjoint(lower[..., k:, :]) @ gl[..., k:, :]
    if n > m:
        below = below - gu[..., k:] @ adjoint(upper[..., k:])
    inner = below.tril(-1) + above.triu()
    solve = cygrad.linalg.solve_triangular
    found = solve(adjoint(up), solve(adjoint(low), inner, upper=True, unitriangular=True), upper=False, left=False)
    if m > n:
        found = cygrad.cat([found, solve(adjoint(up), gl[..., k:, :], upper=False, left=False)], -2)
    if n > m:
        found = cygrad.cat([found, solve(adjoint(low), gu[..., k:], upper=True, unitriangular=True)], -1)
    return permutation_matrix(pivots, m, found) @ found


def unpack_backward(lower_grad, upper_grad, shape):
    """The parts of the compact LU that L and U were made of."""
    m, n = shape[-2:]
    found = None
    if lower_grad is not None and lower_grad.dim() > 1:
        found = lower_grad.tril(-1)
        if n > m:
            found = cygrad.cat([found, found.new_zeros(*shape[:-1], n - m)], -1)
    if upper_grad is not None and upper_grad.dim() > 1:
        part = upper_grad.triu()
        if m > n:
            part = cygrad.cat([part, part.new_zeros(*shape[:-2], m - n, n)], -2)
        found = part if found is None else found + part
    return found


def lu_solve_matrix(grad, lu, pivots, left, flip, x):
    """Through the two triangular systems; x @ A = b is the adjoint system of A^H."""
    g = grad if left else adjoint(grad)
    x = x if left else adjoint(x)
    p, lower, upper = cygrad.lu_unpack(lu, pivots)
    solve = cygrad.linalg.solve_triangular
    if flip == left:                                      # U^H L^H P^T x = b; w = P^T x
        w, gw = p.mT @ x, p.mT @ g
        gv = solve(lower, gw, upper=False, unitriangular=True)
        gl = -w @ adjoint(gv)
        gu = -(adjoint(lower) @ w) @ adjoint(solve(upper, gv, upper=True))
    else:                                                 # L U x = P^T b; y = U x
        gy = solve(adjoint(upper), g, upper=False)
        gu = -gy @ adjoint(x)
        gl = -solve(adjoint(lower), gy, upper=True, unitriangular=True) @ adjoint(upper @ x)
    return gl.tril(-1) + gu.triu()


# -------------------------------------------------------------------- Cholesky

derivative("linalg_cholesky_ex", self=lambda grad, upper, result: cholesky_backward(grad, result[0], upper))
derivative("cholesky", self=lambda grad, upper, result: cholesky_backward(grad, result, upper))
derivative("cholesky_solve", self=lambda grad, input2, upper, result: cygrad.cholesky_solve(grad, input2, upper),
           input2=lambda grad, input2, upper, result: cholesky_solve_factor(grad, input2, upper, result))
derivative("cholesky_inverse",
           self=lambda grad, self, upper, result: cholesky_inverse_backward(grad, self, upper, result))


def cholesky_backward(grad, factor, upper):
    """Murray 2016: L^-H phi(L^H G) L^-1, phi half of the lower triangle, mirrored."""
    if grad is None:
        return None
    lower, g = (adjoint(factor), adjoint(grad)) if upper else (factor, grad)
    inner = adjoint(lower) @ g
    inner = times(inner.tril() + adjoint(inner.tril(-1)), 0.5)
    solve = cygrad.linalg.solve_triangular
    return solve(lower, solve(adjoint(lower), inner, upper=True), upper=False, left=False)


def cholesky_solve_factor(grad, factor, upper, x):
    common = cygrad.cholesky_solve(grad, factor, upper) @ adjoint(x)
    common = common + adjoint(common)
    return -(factor @ common) if upper else -(common @ factor)


def cholesky_inverse_backward(grad, factor, upper, inverse):
    common = inverse @ ((grad + adjoint(grad)) @ inverse)
    return -(factor @ common) if upper else -(common @ factor)


# ------------------------------------------------------------------------- QR

derivative("linalg_qr", self=lambda grads, mode, result: qr_backward(grads, mode, *result))


def qr_backward(grads, mode, q, r):
    """dA R^-1 = dQ + Q T with T = dR R^-1 upper triangular and Q^H dQ skew-Hermitian (Walter and Lehmann 2012)."""
    if mode == "r":
        raise RuntimeError("The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
                           "linalg.qr(A, mode='reduced') if you are going to require gradients.")
    m, n = q.shape[-2], r.shape[-1]
    if mode == "complete" and m > n:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols. As a "
                           "workaround, use mode='reduced'.")
    if grads[0] is None and grads[1] is None:
        return None
    gq, gr = grad_at(grads, 0, q), grad_at(grads, 1, r)
    if m < n:                                             # A = Q [R1 R2]: R2 = Q^H A2
        k = m
        rest = gr[..., k:]
        gq = gq + q @ (r[..., k:] @ adjoint(rest))
        return cygrad.cat([square_qr(gq, gr[..., :k], q, r[..., :k]), q @ rest], -1)
    return square_qr(gq, gr, q, r)


def square_qr(gq, gr, q, r):
    inner = (gr @ adjoint(r) - adjoint(q) @ gq).triu()
    inner = inner + adjoint(inner)                        # real diagonal, doubled
    return cygrad.linalg.solve_triangular(adjoint(r), q @ halved(inner) + gq, upper=False, left=False)


# ------------------------------------------------------------- singular values

derivative("linalg_svd", self=lambda grads, compute_uv, result: svd_backward(grads, *result))


def svd_backward(grads, u, s, vh):
    """Townsend 2016; columns of U and V beyond the singular values don't count."""
    gu, gs, gvh = grads
    if gu is None and gs is None and gvh is None:
        return None
    k = s.shape[-1]
    m, n = u.shape[-2], vh.shape[-1]
    u = u if m == k else u[..., :k]
    vh = vh if n == k else vh[..., :k, :]
    if gu is None and gvh is None:
        return u @ (gs.unsqueeze(-1) * vh) if m >= n else (u * gs.unsqueeze(-2)) @ vh
    size = s.unsqueeze(-2)
    gap = (s * s).unsqueeze(-2) - (s * s).unsqueeze(-1) + cygrad.eye(k, dtype=s.dtype, device=s.device)
    inner = 0 if gs is None else on_diagonal(gs, u.dtype)
    phase = None
    if gu is not None:
        gu = gu[..., :k]
        turn = adjoint(u) @ gu
        skew = turn - adjoint(turn)
        inner = inner + skew / gap * size
        phase = turn
    if gvh is not None:
        gv = adjoint(gvh[..., :k, :])
        turn = vh @ gv
        skew = turn - adjoint(turn)
        inner = inner + size.mT * (skew / gap)
        phase = turn if phase is None else phase + turn
    if u.is_complex():
        check_phase(phase, "svd_backward", "singular vectors")
        if gu is not None:                                # the phase of v fixed, that of u turns
            turn = (adjoint(u) @ gu).diagonal(0, -2, -1).imag
            inner = skewless(inner) + cygrad.complex(cygrad.zeros_like(turn), turn / s).diag_embed()
        else:
            inner = skewless(inner)
    found = u @ (inner @ vh) if m >= n else u @ inner @ vh
    if gu is not None and m > k:
        side = gu / size
        found = found + (side - u @ (adjoint(u) @ side)) @ vh
    if gvh is not None and n > k:
        side = gvh[..., :k, :] / size.mT
        found = found + u @ (side - (side @ adjoint(vh)) @ vh)
    return found


def skewless(t):
    """`t` with the real part of its diagonal only."""
    diagonal = t.diagonal(0, -2, -1)
    turned = diagonal.imag
    return t - cygrad.complex(cygrad.zeros_like(turned), turned).diag_embed()


def check_phase(turn, name, what):
    """Refuse a loss that depends on the phases of complex vectors."""
    imaginary = turn.detach().diagonal(0, -2, -1).imag.abs()
    if imaginary.numel() and not bool((imaginary <= 1e-2).all()):
        raise RuntimeError(f"{name}: The {what} in the complex case are specified up to multiplication by e^{{i phi}}. "
                           "The specified loss function depends on this phase term, making it ill-defined.")


# ------------------------------------------------------------------ eigenvalues

derivative("lobpcg_", name="LOBPCGAutogradFunctionBackward", A=lambda grads, A, B, result:
           few_pairs_backward(grads, A, B, *result))
derivative("linalg_eigh", self=lambda grads, result: eigh_backward(grads, *result))
derivative("linalg_eig", self=lambda grads, self, result: eig_backward(grads, self, *result))


def few_pairs_backward(grads, A, B, values, vectors):
    """dx = (e B - A)^+ dA x for each pair; x is put into the kernel of e B - A, which makes the inverse that."""
    weighed = vectors if B is None else B @ vectors
    found = None
    if grads[0] is not None:
        found = (vectors * grads[0].unsqueeze(-2)) @ vectors.mT
    if grads[1] is not None:
        x, bx, g = (t.mT.unsqueeze(-1) for t in (vectors, weighed, grads[1]))          # (..., k, m, 1)
        shifted = values[..., None, None] * (eye_like(A, A.shape[-1]) if B is None else B.unsqueeze(-3))
        y = cygrad.linalg.solve(shifted - A.unsqueeze(-3) + bx @ bx.mT, g - bx @ (x.mT @ g))
        part = (y @ x.mT).sum(-3)
        found = part if found is None else found + part
    return found


def eigh_backward(grads, w, v):
    """V (diag(g) + skew(V^H G) / (w_j - w_i)) V^H."""
    gw, gv = grads
    if gw is None and gv is None:
        return None
    if gv is None:
        return (v * gw.unsqueeze(-2)) @ adjoint(v)
    turn = adjoint(v) @ gv
    if v.is_complex():
        check_phase(turn, "linalg_eigh_backward", "eigenvectors")
    turn = (turn - adjoint(turn)) * 0.5                   # V^H dV is skew-Hermitian
    one = cygrad.eye(w.shape[-1], dtype=w.dtype, device=w.device)
    inner = turn / (w.unsqueeze(-2) - w.unsqueeze(-1) + one) * (1 - one)
    if gw is not None:
        inner = inner + on_diagonal(gw, v.dtype)
    return v @ (inner @ adjoint(v))


def eig_backward(grads, a, w, v):
    """V^-H (diag(g) + (V^H G - V^H V diag(Re V^H G)) / conj(w_j - w_i)) V^H, for vectors of length 1."""
    gw, gv = grads
    if gw is None and gv is None:
        return None
    vh = adjoint(v)
    if gv is None:
        inner = gw.unsqueeze(-1) * vh
    else:
        turn = vh @ gv
        diagonal = turn.diagonal(0, -2, -1)
        check_phase(turn, "linalg_eig_backward", "eigenvectors")
        turn = turn - (vh @ v) * diagonal.real.unsqueeze(-2)
        one = eye_like(w, w.shape[-1])
        inner = turn / (conj(w.unsqueeze(-2) - w.unsqueeze(-1)) + one) * (1 - one)
        if gw is not None:
            inner = inner + gw.diag_embed()
        inner = inner @ vh
    found = cygrad.linalg.solve(vh, inner)
    return found if a.is_complex() else found.real


# ----------------------------------------------------------------- exponential

derivative("linalg_matrix_exp", self=lambda grad, self: matrix_exp_backward(grad, self))


def matrix_exp_backward(grad, a):
    """The upper right block of exp([[A^H, G], [0, A^H]]) (Mathias, "A chain rule for matrix functions", 1996)."""
    n, ah = a.shape[-1], adjoint(a)
    top = cygrad.cat([ah, grad], -1)
    bottom = cygrad.cat([cygrad.zeros_like(ah), ah], -1)
    return cygrad.matrix_exp(cygrad.cat([top, bottom], -2))[..., :n, n:]
