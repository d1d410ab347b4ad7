"""If one of these fails, a solver, decomposition or norm of matrices is wrong."""

import cygrad
import numpy as np
import pytest
from cygrad import linalg
from matrices import array, close, identity, matrix, message, positive, tensor

DTYPES = ("float32", "float64", "complex64", "complex128")
INF, NAN = float("inf"), float("nan")
SHAPES = [(3, 3), (4, 3), (3, 4), (2, 4, 3), (2, 1, 3, 4), (1, 1)]
SQUARES = [(3, 3), (2, 3, 3), (2, 1, 4, 4), (1, 1), (20, 20)]


# ---- systems ---------------------------------------------------------------------------------------------------------


def test_by_hand():
    a = cygrad.tensor([[2.0, 1.0], [1.0, 3.0]])  # det = 2*3 - 1*1 = 5, inverse = [3 -1; -1 2] / 5
    close(linalg.inv(a), [[0.6, -0.2], [-0.2, 0.4]], "float32")
    close(cygrad.det(a), 5.0, "float32")
    assert cygrad.det(cygrad.tensor([[1.0, 2.0], [3.0, 4.0]])).item() == -2.0  # exactly, as PyTorch's
    close(linalg.solve(a, cygrad.tensor([5.0, 10.0])), [1.0, 3.0], "float32")
    sign, size = cygrad.slogdet(cygrad.tensor([[0.0, 2.0], [1.0, 0.0]]))  # det = -2
    assert sign.item() == -1 and abs(size.item() - np.log(2)) < 1e-6
    close(linalg.eigvalsh(cygrad.tensor([[2.0, 1.0], [1.0, 2.0]])), [1.0, 3.0], "float32")
    close(linalg.svdvals(cygrad.tensor([[3.0, 0.0], [0.0, -4.0]])), [4.0, 3.0], "float32")
    close(linalg.cholesky(cygrad.tensor([[4.0, 2.0], [2.0, 5.0]])), [[2.0, 0.0], [1.0, 2.0]], "float32")
    # exp([0 t; 0 0]) = [1 t; 0 1], and a rotation by an angle of 1
    close(linalg.matrix_exp(cygrad.tensor([[0.0, 7.0], [0.0, 0.0]])), [[1.0, 7.0], [0.0, 1.0]], "float32")
    rotation = [[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]]
    close(linalg.matrix_exp(cygrad.tensor([[0.0, -1.0], [1.0, 0.0]])), rotation, "float32")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES)
def test_inverse_and_determinant(shape, dtype):
    a = matrix(shape, dtype, 4.0)
    for x in (a, a.mT):
        close(linalg.inv(x) @ x, identity(shape[-1], x), dtype)
    close(cygrad.inverse(a) @ a, identity(shape[-1], a), dtype)
    wanted = np.linalg.det(array(shape, dtype, 4.0))
    close(linalg.det(a) / tensor(wanted, dtype), np.ones(shape[:-2]), dtype)
    sign, size = linalg.slogdet(a)
    close(sign * size.exp() / tensor(wanted, dtype), np.ones(shape[:-2]), dtype)
    assert size.dtype is a.abs().dtype


@pytest.mark.parametrize("dtype", DTYPES)
def test_solve(dtype):
    a, n = matrix((2, 3, 3), dtype, 4.0), matrix((3, 3), dtype, 4.0)
    for left, right in [(a, (2, 3, 2)), (n, (3, 2)), (n, (2, 4, 3, 2)), (a, (3, 5)), (a, (4, 1, 3, 2))]:
        b = matrix(right, dtype)
        close(left @ linalg.solve(left, b), b.expand((left @ b).shape), dtype)
        close(linalg.solve(left, b.mT, left=False) @ left, b.mT.expand((b.mT @ left).shape), dtype)
    vectors = matrix((2, 3), dtype)
    close((a @ linalg.solve(a, vectors).unsqueeze(-1)).squeeze(-1), vectors, dtype)
    close(n @ linalg.solve(n, vectors[0]), vectors[0], dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_triangular_systems(dtype, upper, unit):
    a, b = matrix((2, 3, 3), dtype, 4.0), matrix((3, 2), dtype)
    t = a.triu() if upper else a.tril()
    if unit:
        t = t - t.diagonal(0, -2, -1).diag_embed() + identity(3, t)
    close(t @ linalg.solve_triangular(a, b, upper=upper, unitriangular=unit), b.expand(2, 3, 2), dtype)
    x = linalg.solve_triangular(a, b.mT, upper=upper, left=False, unitriangular=unit)
    close(x @ t, b.mT.expand(2, 2, 3), dtype)
    for transpose in (False, True):
        x, copy = cygrad.triangular_solve(b, a, upper, transpose, unit)
        close((t.mT if transpose else t) @ x, b.expand(2, 3, 2), dtype)
        close(copy, a, dtype)


def test_empty_matrices():
    empty, one = cygrad.empty, cygrad.ones
    assert linalg.inv(empty(2, 0, 0)).shape == (2, 0, 0)
    assert linalg.det(empty(2, 0, 0)).tolist() == [1.0, 1.0]
    assert [t.item() for t in linalg.slogdet(empty(0, 0))] == [1.0, 0.0]
    assert linalg.solve(empty(0, 0), empty(0, 3)).shape == (0, 3)
    assert linalg.solve(one(2, 2) + cygrad.eye(2), empty(2, 0)).shape == (2, 0)
    assert [tuple(t.shape) for t in linalg.svd(empty(2, 0, 3))] == [(2, 0, 0), (2, 0), (2, 3, 3)]
    assert linalg.svd(empty(0, 3)).Vh.tolist() == np.eye(3).tolist()
    assert [tuple(t.shape) for t in linalg.qr(empty(3, 0), "complete")] == [(3, 3), (3, 0)]
    assert [tuple(t.shape) for t in linalg.lu(empty(0, 3))] == [(0, 0), (0, 0), (0, 3)]
    assert linalg.eigh(empty(0, 0)).eigenvalues.shape == (0,) and linalg.eig(empty(0, 0))[1].shape == (0, 0)
    assert linalg.pinv(empty(0, 3)).shape == (3, 0) and linalg.matrix_rank(empty(2, 0, 3)).tolist() == [0, 0]
    assert linalg.lstsq(one(4, 0), one(4, 2)).solution.shape == (0, 2)
    assert linalg.matrix_norm(empty(3, 0), 2).item() == 0 and linalg.matrix_norm(empty(0, 3)).item() == 0


# ---- decompositions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_lu(shape, dtype):
    a = matrix(shape, dtype)
    p, lower, upper = linalg.lu(a)
    close(p @ lower @ upper, a, dtype)
    close(lower.tril(-1) + cygrad.eye(*lower.shape[-2:], dtype=a.dtype), lower, dtype)
    close(upper.triu(), upper, dtype)
    compact = linalg.lu_factor(a)
    for got, wanted in zip(cygrad.lu_unpack(*compact), (p, lower, upper)):
        close(got, wanted, dtype)
    assert compact.pivots.dtype is cygrad.int32


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("adjoint", [False, True])
def test_lu_solve(dtype, adjoint):
    a, b = matrix((2, 3, 3), dtype), matrix((3, 2), dtype)
    factors, whole = linalg.lu_factor(a), a.mH if adjoint else a
    close(whole @ linalg.lu_solve(*factors, b, adjoint=adjoint), b.expand(2, 3, 2), dtype)
    close(linalg.lu_solve(*factors, b.mT, left=False, adjoint=adjoint) @ whole, b.mT.expand(2, 2, 3), dtype)
    close(a @ cygrad.lu_solve(b, *factors), b.expand(2, 3, 2), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(dtype, upper):
    a, b = positive((2, 3, 3), dtype), matrix((3, 2), dtype)
    factor = linalg.cholesky(a, upper=upper)
    close(factor.mH @ factor if upper else factor @ factor.mH, a, dtype)
    close(factor.triu() if upper else factor.tril(), factor, dtype)
    close(a @ cygrad.cholesky_solve(b, factor, upper), b.expand(2, 3, 2), dtype)
    close(a @ cygrad.cholesky_inverse(factor, upper), identity(3, a), dtype)
    half = a.triu() if upper else a.tril()
    close(linalg.cholesky(half, upper=upper), factor, dtype)  # one triangle is read


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_qr(shape, dtype):
    a, (m, n) = matrix(shape, dtype), shape[-2:]
    for mode, k in (("reduced", min(m, n)), ("complete", m)):
        q, r = linalg.qr(a, mode)
        assert q.shape == (*shape[:-2], m, k) and r.shape == (*shape[:-2], k, n)
        close(q @ r, a, dtype)
        close(q.mH @ q, identity(k, a), dtype)
        close(r.triu(), r, dtype)
    close(linalg.qr(a, "r").R, linalg.qr(a).R, dtype)
    assert linalg.qr(a, "r").Q.shape == (0,)
    close(cygrad.qr(a, some=False).Q, q, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_svd(shape, dtype):
    a, (m, n), k = matrix(shape, dtype), shape[-2:], min(shape[-2:])
    for full in (True, False):
        u, s, vh = linalg.svd(a, full_matrices=full)
        assert u.shape[-1] == (m if full else k) and vh.shape[-2] == (n if full else k)
        close(u[..., :k] * s.unsqueeze(-2) @ vh[..., :k, :], a, dtype)
        close(u.mH @ u, identity(u.shape[-1], a), dtype)
        close(vh @ vh.mH, identity(vh.shape[-2], a), dtype)
    close(s, np.linalg.svd(array(shape, dtype), compute_uv=False), dtype)
    close(linalg.svdvals(a), s, dtype)
    u, s, v = cygrad.svd(a)
    close((u * s.unsqueeze(-2)) @ v.mH, a, dtype)
    assert cygrad.svd(a, compute_uv=False).U.abs().sum().item() == 0


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES)
def test_eigenvalues(shape, dtype):
    a, n = matrix(shape, dtype), shape[-1]
    for uplo in "LU":
        w, v = linalg.eigh(a, uplo)
        half = a.tril() if uplo == "L" else a.triu()
        diagonal = a.diagonal(0, -2, -1)
        whole = half + half.mH - (diagonal.conj() if a.is_complex() else diagonal).diag_embed()
        if a.is_complex():
            whole = whole - cygrad.complex(cygrad.zeros_like(diagonal.real), diagonal.imag).diag_embed()
        close(whole @ v, v * w.unsqueeze(-2), dtype)
        close(v.mH @ v, identity(n, a), dtype)
        close(linalg.eigvalsh(a, uplo), w, dtype)
    w, v = linalg.eig(a)
    assert w.is_complex() and v.is_complex()
    close((a if a.is_complex() else cygrad.complex(a, cygrad.zeros_like(a))) @ v, v * w.unsqueeze(-2), dtype)
    close((v.abs() ** 2).sum(-2), np.ones(shape[:-1]), dtype)


# ---- least squares, pseudo-inverse, norms ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("driver", ["gels", "gelsy", "gelsd", "gelss"])
def test_lstsq(dtype, driver):
    for shape in ((5, 3), (3, 5), (2, 4, 4)):
        a, b = matrix(shape, dtype), matrix((*shape[:-1], 2), dtype)
        x, residuals, rank, values = linalg.lstsq(a, b, driver=driver)
        close(x, linalg.pinv(a) @ b, dtype)
        if driver != "gels":
            assert rank.tolist() == np.full(shape[:-2], min(shape[-2:])).tolist()
        if driver in ("gelsd", "gelss"):
            close(values, linalg.svdvals(a), dtype)
        if shape[-2] > shape[-1] and driver != "gelsy":
            close(residuals, ((a @ x - b).abs() ** 2).sum(-2), dtype)
    vector = matrix((5,), dtype)
    close(linalg.lstsq(matrix((5, 3), dtype), vector).solution, linalg.pinv(matrix((5, 3), dtype)) @ vector, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_pinv(shape, dtype):
    a = matrix(shape, dtype)
    for x in (a, a[..., :1] @ a[..., :1, :]):  # full rank, and rank 1
        p = linalg.pinv(x)
        close(x @ p @ x, x, dtype)
        close(p @ x @ p, p, dtype)
        close((x @ p).mH, x @ p, dtype)
        close((p @ x).mH, p @ x, dtype)
    s = positive((3, 3), dtype)
    close(linalg.pinv(s, hermitian=True), linalg.inv(s), dtype)


def test_rank_and_cutoffs():
    a = cygrad.tensor([1.0, 1e-3, 1e-9]).diag()
    assert linalg.matrix_rank(a).item() == 2
    assert linalg.matrix_rank(a, atol=0.1).item() == 1 and linalg.matrix_rank(a, rtol=1e-4).item() == 2
    assert linalg.matrix_rank(a, tol=1e-10).item() == 3 and linalg.matrix_rank(-a, hermitian=True).item() == 2
    close(linalg.pinv(a, rcond=0.1), [[1.0, 0, 0], [0, 0, 0], [0, 0, 0]])
    two = cygrad.stack([a, a])
    assert linalg.matrix_rank(two, atol=cygrad.tensor([0.1, 1e-10])).tolist() == [1, 3]


@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, INF, -INF])
def test_matrix_norm(ord):
    a = array((2, 3, 4))
    for dims in ((-2, -1), (0, 2), (2, 0)):
        close(linalg.matrix_norm(tensor(a), ord, dims), np.linalg.norm(a, ord, dims))
        close(linalg.matrix_norm(tensor(a), ord, dims, True), np.linalg.norm(a, ord, dims, True))
    close(linalg.norm(tensor(a[0]), ord), np.linalg.norm(a[0], ord))
    close(linalg.cond(matrix((3, 3), shift=3.0), ord), np.linalg.cond(array((3, 3), shift=3.0), ord))


def test_norm():
    a = array((2, 3, 4))
    close(linalg.norm(tensor(a)), np.sqrt((a * a).sum()))
    close(linalg.norm(tensor(a), 1, 1), np.linalg.norm(a, 1, 1))
    close(linalg.norm(tensor(a), dim=(0, 1)), np.linalg.norm(a, "fro", (0, 1)))
    assert linalg.matrix_norm(cygrad.ones(2, 2), dtype=cygrad.float64).dtype is cygrad.float64
    assert linalg.cond(cygrad.zeros(2, 2), 1).item() == INF


def test_powers_and_products():
    a = array((2, 3, 3), shift=2.0)
    for n in (-3, -1, 0, 1, 2, 3, 6):
        close(linalg.matrix_power(tensor(a), n), np.linalg.matrix_power(a, n))
    chain = [array((2, 9)), array((9, 3)), array((3, 8)), array((8,))]
    close(linalg.multi_dot([tensor(t) for t in chain]), np.linalg.multi_dot(chain))
    close(linalg.vecdot(tensor(a), tensor(a)[0]), (a * a[0]).sum(-1))
    close(linalg.tensorinv(tensor(array((6, 2, 3))), 1), np.linalg.tensorinv(array((6, 2, 3)), 1))
    system = array((2, 3, 6))
    close(linalg.tensorsolve(tensor(system), tensor(a[0, :2])), np.linalg.tensorsolve(system, a[0, :2]))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0])
def test_matrix_exp(scale):
    """exp(A) = V exp(diag w) V^H for Hermitian A; small and large norms in one batch."""
    a = positive((3, 4, 4), "complex128") * scale / 30
    a = a * cygrad.tensor([1.0, 0.01, 3.0], dtype=cygrad.complex128).reshape(3, 1, 1)
    w, v = linalg.eigh(a)
    wanted = (v * w.exp().unsqueeze(-2)) @ v.mH
    close(linalg.matrix_exp(a) / wanted.abs().amax(), wanted / wanted.abs().amax())


def test_matrix_exp_keeps_single_precision():
    x = (cygrad.arange(1280, dtype=cygrad.float64) * .37).sin().reshape(80, 4, 4) * 1.5
    a = (x @ x.mT + 3 * cygrad.eye(4)).float()
    exact = linalg.matrix_exp(a.double())
    error = (linalg.matrix_exp(a) - exact).abs().amax((1, 2)) / exact.abs().amax((1, 2))
    assert error.max() < 4e-6                       # Pade's quotient of degree 13: 17e-6


# ---- errors ----------------------------------------------------------------------------------------------------------


def test_singular_matrices():
    zero, one = cygrad.zeros, cygrad.ones
    assert issubclass(linalg.LinAlgError, RuntimeError)
    singular = "the inversion could not be completed because the input matrix is singular."
    assert message(linalg.inv, zero(2, 2)) == f"_LinAlgError: linalg.inv: The diagonal element 1 is zero, {singular}"
    batch = cygrad.stack([cygrad.eye(2), one(2, 2)])
    assert message(cygrad.inverse, batch) == (
        f"_LinAlgError: linalg.inv: (Batch element 1): The diagonal element 2 is zero, {singular}")
    assert linalg.inv_ex(batch).info.tolist() == [0, 2]
    assert message(linalg.solve, zero(2, 2), one(2)) == (
        "_LinAlgError: torch.linalg.solve: The solver failed because the input matrix is singular.")
    assert linalg.solve_ex(batch, one(2, 2)).info.tolist() == [0, 2]
    assert linalg.solve_ex(zero(2, 2), one(3, 2, 1)).info.item() == 1
    indefinite = "the input is not positive-definite (the leading minor of order 1 is not positive-definite)."
    assert message(linalg.cholesky, -cygrad.eye(2)) == (
        f"_LinAlgError: linalg.cholesky: The factorization could not be completed because {indefinite}")
    assert message(cygrad.cholesky, -cygrad.eye(2).expand(2, 2, 2)) == (
        f"_LinAlgError: cholesky: (Batch element 0): The factorization could not be completed because {indefinite}")
    assert linalg.cholesky_ex(-cygrad.eye(2)).info.item() == 1
    assert message(cygrad.cholesky_inverse, zero(2, 2)).endswith(singular)
    assert message(linalg.lu_factor, zero(2, 2)).startswith(
        "RuntimeError: torch.linalg.lu_factor: U[1,1] is zero and using it on lu_solve would result in a division by")
    assert linalg.solve_triangular(zero(1, 1), one(1, 1), upper=True).item() == INF
    assert cygrad.logdet(zero(2, 2)).item() == -INF and cygrad.logdet(-cygrad.eye(1)).isnan().item()


def test_refused_input():
    one = cygrad.ones
    for function, name in ((linalg.inv, "linalg.inv"), (linalg.det, "linalg.det"), (linalg.cholesky, "linalg.cholesky"),
                           (linalg.eigh, "linalg.eigh"), (linalg.matrix_exp, "linalg.matrix_exp")):
        assert message(function, one(2, 3)) == (
            f"RuntimeError: {name}: A must be batches of square matrices, but they are 2 by 3 matrices")
        assert message(function, one(3)) == f"RuntimeError: {name}: The input tensor A must have at least 2 dimensions."
    assert message(linalg.inv, one(2, 2).long()) == (
        "RuntimeError: linalg.inv: Expected a floating point or complex tensor as input. Got Long")
    assert message(linalg.inv, one(2, 2).half()) == (
        "RuntimeError: linalg.inv: Low precision dtypes not supported. Got Half")
    assert message(linalg.eigh, one(2, 2), "X") == "RuntimeError: Expected UPLO argument to be 'L' or 'U', but got X"
    assert message(linalg.qr, one(2, 2), "full") == (
        "RuntimeError: qr received unrecognized mode 'full' but expected one of 'reduced' (default), 'r', or "
        "'complete'")
    assert message(linalg.solve, cygrad.eye(2), one(3)) == (
        "RuntimeError: linalg.solve: Incompatible shapes of A and B for the equation AX = B (2x2 and 3x1)")
    assert message(linalg.solve, cygrad.eye(2), one(2).double()) == (
        "RuntimeError: linalg.solve: Expected A and B to have the same dtype, but found A of type Float and B of type "
        "Double instead")
    assert message(linalg.solve, one(3, 2, 2), one(4, 2, 5)) == (
        "RuntimeError: The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0")
    assert message(linalg.lstsq, one(3, 2), one(2, 1)) == (
        "RuntimeError: torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
    assert message(linalg.matrix_norm, one(3, 3), 3) == "RuntimeError: linalg.matrix_norm: Order 3 not supported."
    assert message(linalg.svd, cygrad.full((2, 2), NAN)).startswith(
        "_LinAlgError: linalg.svd: The algorithm failed to converge because the input matrix contained non-finite")
    assert message(linalg.eig, cygrad.full((2, 2), NAN)) == (
        "RuntimeError: torch.linalg.eig: input tensor should not contain infs or NaNs.")
    assert message(linalg.multi_dot, [one(2, 3), one(4, 5)]) == (
        "RuntimeError: multi_dot(): tensors 0 and 1 with shapes [2, 3] and [4, 5] cannot be multiplied")


@pytest.mark.parametrize("dtype", DTYPES)
def test_infinities_end_in_nan(dtype):
    """LAPACK's steps towards singular values never end where a matrix has infinities: it is not asked."""
    for shape in SHAPES:
        a = cygrad.zeros(shape, dtype=getattr(cygrad, dtype))
        a[..., 0, 0] = -INF
        for result in (*linalg.svd(a), *linalg.svd(a, full_matrices=False), linalg.svdvals(a), linalg.pinv(a)):
            assert result.isnan().any()
        for driver in ("gelsd", "gelss"):
            found = linalg.lstsq(a, a, driver=driver)
            assert found.solution.isnan().all() and found.singular_values.isnan().all() and not found.rank.any()
    batch = cygrad.stack([cygrad.eye(2), cygrad.full((2, 2), INF)])
    assert linalg.svdvals(batch)[0].tolist() == [1, 1]


def test_results():
    """Names, printed form, LAPACK's memory order, `out=`, and that a result is nobody's view."""
    a = cygrad.tensor([[2.0, 0.0], [0.0, 4.0]])
    found = linalg.slogdet(a)
    assert repr(found) == "torch.return_types.linalg_slogdet(\nsign=tensor(1.),\nlogabsdet=tensor(2.0794))"
    for out in (linalg.inv(a), linalg.solve(a, a), linalg.cholesky(a), *linalg.qr(a)):
        assert out.stride() == (1, 2) and not out._is_view()
    target = cygrad.empty(0)
    assert linalg.inv(a, out=target) is target and target.tolist() == [[0.5, 0.0], [0.0, 0.25]]
    assert message(linalg.inv, a, out=cygrad.empty(0, dtype=cygrad.float64)) == (
        "RuntimeError: Expected out tensor to have dtype float, but got double instead")
    q, r = cygrad.empty(0), cygrad.empty(0)
    assert linalg.qr(a, out=(q, r)).Q is q and r.shape == (2, 2)


# ---- a few eigenvalues --------------------------------------------------------------------------------------------


def test_a_few_eigenvalues(rng):
    """`lobpcg` against all of them, with a preconditioner, a second matrix and a tracker."""
    a = rng.standard_normal((40, 40))
    a = cygrad.from_numpy(a + a.T + 20 * np.diag(np.arange(40.0)))
    want = np.linalg.eigvalsh(a.numpy())
    steps = []
    values, vectors = cygrad.lobpcg(a, k=3, tracker=lambda state: steps.append(state.ivars["istep"]))
    np.testing.assert_allclose(values.numpy(), want[::-1][:3])
    np.testing.assert_allclose((a @ vectors).numpy(), (vectors * values).numpy(), atol=1e-4)
    assert steps == list(range(1, len(steps) + 1))
    count = []
    cygrad.lobpcg(a, k=3, largest=False, iK=(a + 0.1).inverse(), tracker=count.append)
    assert len(count) < len(steps)
    scale = cygrad.arange(1.0, 41.0, dtype=a.dtype)
    values, vectors = cygrad.lobpcg(a, k=2, B=scale.diag(), largest=False, niter=-1)
    whole = np.linalg.eigvals(a.numpy() / scale.numpy()[:, None]).real
    np.testing.assert_allclose(values.numpy(), np.sort(whole)[:2])
    values, _ = cygrad.lobpcg(cygrad.stack([a, -a]), X=cygrad.ones(2, 40, 1, dtype=a.dtype))
    np.testing.assert_allclose(values.numpy(), [[want[-1]], [-want[0]]])
    stopped = []

    def stop(state):
        state.bvars["force_stop"] = True
        stopped.append(state)
    cygrad.lobpcg(a, k=3, tracker=stop)
    assert len(stopped) == 1


def test_too_many_eigenvalues_are_refused():
    with pytest.raises(ValueError, match=r"number of A rows \(=9\) is smaller than 3 x .* eigenpairs \(=4\)"):
        cygrad.lobpcg(cygrad.eye(9), k=4)
    with pytest.raises(ValueError, match="method"):
        cygrad.lobpcg(cygrad.eye(9), method="power")
    with pytest.raises(AssertionError, match="square"):
        cygrad.lobpcg(cygrad.ones(9, 3))
    with pytest.raises(RuntimeError, match="got Long"):
        cygrad.lobpcg(cygrad.eye(9, dtype=cygrad.int64))


def test_lobpcg_of_no_matrices_and_of_bad_beginnings():
    values, vectors = cygrad.lobpcg(cygrad.ones(0, 9, 9), k=2)
    assert values.shape == (0, 2) and vectors.shape == (0, 9, 2)
    a = cygrad.diag(cygrad.arange(1.0, 10))
    with pytest.raises(ValueError, match="n=1 vectors does not find k=2"):
        cygrad.lobpcg(a, k=2, X=cygrad.ones(9, 1))
    with pytest.raises(ValueError, match="must not be zero"):
        cygrad.lobpcg(a, X=cygrad.zeros(9, 1))
