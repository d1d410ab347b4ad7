"""If one of these fails, the gradient of a solver, decomposition or norm of matrices is wrong."""

import cygrad
import numpy as np
import pytest
from cygrad import linalg
from matrices import close, matrix, message, positive, tensor


def leaf(shape, dtype, shift=0.0):
    return matrix(shape, dtype, shift).requires_grad_()


def hermitian(x):
    return (x + x.mH) / 2


def check(function, *inputs, second=True):
    assert cygrad.autograd.gradcheck(function, inputs, atol=1e-6, rtol=1e-4)
    assert not second or cygrad.autograd.gradgradcheck(function, inputs, atol=1e-5, rtol=1e-4)


FIELDS = pytest.mark.parametrize("dtype", ["float64", "complex128"])
RECTANGLES = pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 4), (2, 3, 2)])


@FIELDS
def test_gradients_of_systems(dtype):
    a, n = leaf((2, 3, 3), dtype, 3.0), leaf((3, 3), dtype, 3.0)
    check(linalg.inv, a)
    check(linalg.solve, n, leaf((3, 2), dtype))
    check(linalg.solve, n, leaf((3,), dtype))
    check(linalg.solve, a, leaf((2, 3), dtype))
    check(linalg.solve, n, leaf((2, 3, 2), dtype))
    check(lambda x, y: linalg.solve(x, y, left=False), a, leaf((1, 2, 3), dtype))
    check(cygrad.det, a)
    check(cygrad.slogdet, n)
    check(lambda x: linalg.matrix_power(x, -2), n)
    check(linalg.matrix_exp, a)


@FIELDS
@pytest.mark.parametrize("upper", [False, True])
def test_gradients_of_triangular_systems(dtype, upper):
    a, b = leaf((3, 3), dtype, 3.0), leaf((3, 2), dtype)
    for unit in (False, True):
        check(lambda x, y: linalg.solve_triangular(x, y, upper=upper, unitriangular=unit), a, b)
        check(lambda x, y: linalg.solve_triangular(x, y.mT, upper=upper, left=False, unitriangular=unit), a, b)
    for transpose in (False, True):
        check(lambda x, y: cygrad.triangular_solve(y, x, upper, transpose), a, b)


@FIELDS
@pytest.mark.parametrize("upper", [False, True])
def test_gradients_of_cholesky(dtype, upper):
    a, b = positive((3, 3), dtype).requires_grad_(), leaf((3, 2), dtype)
    check(lambda x: linalg.cholesky(hermitian(x), upper=upper), a)
    check(lambda x, y: cygrad.cholesky_solve(y, linalg.cholesky(hermitian(x), upper=upper), upper), a, b)
    check(lambda x: cygrad.cholesky_inverse(linalg.cholesky(hermitian(x), upper=upper), upper), a)


@FIELDS
@RECTANGLES
def test_gradients_of_factors(dtype, shape):
    a = leaf(shape, dtype, 2.0)
    check(lambda x: linalg.lu(x)[1:], a)
    check(lambda x: cygrad.lu_unpack(*linalg.lu_factor(x))[1:], a)
    check(linalg.qr, a)
    check(linalg.svdvals, a)
    check(linalg.pinv, a)


@FIELDS
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_gradients_of_lu_solve(dtype, left, adjoint):
    def solve(x, y):
        return linalg.lu_solve(*linalg.lu_factor(x), y if left else y.mT, left=left, adjoint=adjoint)

    check(solve, leaf((3, 3), dtype, 3.0), leaf((3, 2), dtype))


@FIELDS
@RECTANGLES
def test_gradients_of_singular_vectors(dtype, shape):
    """Through what does not depend on their phases."""
    def function(x):
        u, s, vh = linalg.svd(x, full_matrices=False)
        return u.abs(), vh.abs(), (u * s.sqrt().unsqueeze(-2)) @ vh

    check(function, leaf(shape, dtype, 2.0))


@FIELDS
def test_gradients_of_eigenvectors(dtype):
    def symmetric(x):
        w, v = linalg.eigh(hermitian(x))
        return w, v.abs(), (v * w.exp().unsqueeze(-2)) @ v.mH

    def general(x):
        w, v = linalg.eig(x)
        return w, v.abs()

    check(symmetric, leaf((3, 3), dtype))
    check(lambda x: linalg.eigvalsh(hermitian(x)), leaf((2, 3, 3), dtype))
    check(general, leaf((3, 3), dtype))
    check(linalg.eigvals, leaf((2, 3, 3), dtype))


@FIELDS
@RECTANGLES
def test_gradients_of_least_squares(dtype, shape):
    a, b = leaf(shape, dtype, 2.0), leaf((*shape[:-1], 2), dtype)
    check(lambda x, y: linalg.lstsq(x, y).solution, a, b)
    check(lambda x, y: linalg.lstsq(x, y[..., 0]).solution, a, b)
    check(lambda x, y: linalg.lstsq(x, y, driver="gelsd")[:2], a, b)


def test_gradient_of_singular_determinants():
    # The adjugate of [1 2; 2 4] is [4 -2; -2 1]; of a matrix of rank 1 in three dimensions, zero. As in PyTorch a pass
    # that is not recorded makes it of the factors, whose zeros it replaces: then it is 0.
    for values, wanted in (([[1.0, 2.0], [2.0, 4.0]], [[4.0, -2.0], [-2.0, 1.0]]), (np.ones((3, 3)), np.zeros((3, 3)))):
        a = tensor(values).requires_grad_()
        close(cygrad.autograd.grad(cygrad.det(a), a, create_graph=True)[0].detach(), wanted)
        cygrad.det(a).backward()
        close(a.grad, np.zeros_like(wanted))


def test_refused_gradients():
    tall = leaf((4, 3), "float64")
    assert message(linalg.qr(tall, "complete").R.sum().backward) == (
        "RuntimeError: The QR decomposition is not differentiable when mode='complete' and nrows > ncols. As a "
        "workaround, use mode='reduced'.")
    assert "mode='r'" in message(linalg.qr(tall, "r").R.sum().backward)
    phase = leaf((3, 3), "complex128")
    assert "specified up to multiplication by e^{i phi}" in message(linalg.svd(phase).U.sum().imag.backward)
    assert "specified up to multiplication by e^{i phi}" in message(
        linalg.eigh(hermitian(phase)).eigenvectors.sum().imag.backward)


def test_nodes():
    a = positive((3, 3)).requires_grad_()
    for function, name in [
        (linalg.inv, "LinalgInvExBackward0"), (linalg.det, "LinalgDetBackward0"), (cygrad.logdet, "WhereBackward0"),
        (lambda x: linalg.slogdet(x)[1], "LinalgSlogdetBackward0"), (linalg.cholesky, "LinalgCholeskyExBackward0"),
        (cygrad.cholesky, "CholeskyBackward0"), (lambda x: linalg.qr(x)[0], "LinalgQrBackward0"),
        (linalg.svdvals, "LinalgSvdBackward0"), (linalg.eigvalsh, "LinalgEighBackward0"),
        (linalg.eigvals, "LinalgEigBackward0"), (linalg.pinv, "LinalgPinvBackward0"),
        (lambda x: linalg.solve(x, x), "LinalgSolveExBackward0"), (lambda x: linalg.lu(x)[1], "LinalgLuBackward0"),
        (lambda x: linalg.lu_factor(x)[0], "LinalgLuFactorExBackward0"),
        (linalg.matrix_exp, "LinalgMatrixExpBackward0"),
        (lambda x: linalg.lstsq(x, x)[0], "LinalgLstsqBackward0"),
        (lambda x: linalg.solve_triangular(x, x, upper=True), "LinalgSolveTriangularBackward0"),
    ]:
        assert function(a).grad_fn.name() == name
    assert not linalg.lu(a).P.requires_grad and not linalg.lstsq(a, a, driver="gelsd").singular_values.requires_grad
