"""If one of these fails, SciPy's optimisers no longer get right derivatives, or what they give is no tensor."""
import cygrad
import numpy as np
import pytest
from cygrad.utils.scipy import minimize
from extras import library

optimize = library("scipy.optimize")


def rosenbrock(x):
    x = x.reshape(-1)
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


START = cygrad.tensor([[1.3, 0.7], [0.8, 1.9]], dtype=cygrad.float64)


@pytest.mark.parametrize("method", [None, "BFGS", "CG", "L-BFGS-B", "TNC", "SLSQP", "Newton-CG", "trust-ncg",
                                    "trust-krylov", "trust-exact", "trust-constr", "Nelder-Mead", "Powell"])
def test_every_method_finds_the_minimum(method):
    limits = {"xatol": 1e-8, "fatol": 1e-8} if method == "Nelder-Mead" else {}
    found = minimize(rosenbrock, START, method=method, options=limits)
    assert found.x.shape == START.shape and found.x.dtype is cygrad.float64 and not found.x.requires_grad
    assert cygrad.allclose(found.x, cygrad.ones_like(START), atol=2e-3)


def test_it_takes_the_steps_that_scipy_takes_with_the_same_derivatives():
    ours = minimize(rosenbrock, START, method="Newton-CG")
    theirs = optimize.minimize(optimize.rosen, START.reshape(-1).numpy(), method="Newton-CG", jac=optimize.rosen_der,
                               hessp=optimize.rosen_hess_prod)
    assert ours.nit == theirs.nit and np.allclose(ours.x.reshape(-1).numpy(), theirs.x)
    whole = minimize(rosenbrock, START, method="trust-exact")
    known = optimize.minimize(optimize.rosen, START.reshape(-1).numpy(), method="trust-exact", jac=optimize.rosen_der,
                              hess=optimize.rosen_hess)
    assert whole.nit == known.nit


def test_arguments_bounds_and_dtypes():
    found = minimize(lambda x, a: ((x - a) ** 2).sum(), cygrad.zeros(3), args=cygrad.tensor([1., 2., 3.]),
                     bounds=[(0, 1.5)] * 3)
    assert found.x.dtype is cygrad.float32 and cygrad.allclose(found.x, cygrad.tensor([1., 1.5, 1.5]))
    assert isinstance(found.jac, cygrad.Tensor)
    with cygrad.no_grad():
        assert minimize(lambda x: x ** 2, cygrad.tensor(3.)).x.abs() < 1e-4


def test_a_linear_part_has_no_curvature():
    found = minimize(lambda x: x.sum(), cygrad.zeros(2), method="trust-constr", bounds=[(-1, 1)] * 2)
    assert cygrad.allclose(found.x, -cygrad.ones(2), atol=1e-3)


def test_wrong_arguments():
    with pytest.raises(TypeError, match="floating-point tensor, not list"):
        minimize(rosenbrock, [1., 2.])
    with pytest.raises(TypeError, match="not cygrad.int64"):
        minimize(rosenbrock, cygrad.tensor([1, 2]))
    with pytest.raises(TypeError, match=r"shape \(2,\)"):
        minimize(lambda x: x * 2, cygrad.zeros(2))
    with pytest.raises(TypeError, match="float"):
        minimize(lambda x: 1.5, cygrad.zeros(2))
    with pytest.raises(RuntimeError, match="autograd records"):
        minimize(lambda x: cygrad.tensor(float(x.detach().sum())), cygrad.zeros(2))
