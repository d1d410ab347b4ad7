"""`cygrad.utils.scipy`: SciPy's optimisers with gradients and products with the Hessian from autograd.

SciPy is an optional dependency: ``pip install cygrad[scipy]``. It works on NumPy arrays of float64 on the host; the
function is called with tensors of the dtype and on the device of the starting point.
"""
import cygrad
from cygrad.autograd import grad

__all__ = ["minimize"]

# Methods that use derivatives; the others would be given none, and SciPy warns of those that they don't take.
_WITH_GRADIENT = {"cg", "bfgs", "newton-cg", "l-bfgs-b", "tnc", "slsqp", "dogleg", "trust-ncg", "trust-krylov",
                  "trust-exact", "trust-constr"}
_WITH_PRODUCTS = {"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"}
_WITH_HESSIAN = {"dogleg", "trust-exact"}


class _Objective:
    """The function of a vector of NumPy's as SciPy calls it: value and gradient at once, products with the Hessian."""

    def __init__(self, fun, x0, args):
        self.fun, self.x0, self.args = fun, x0, args

    def tensor(self, x):
        """SciPy's vector as a tensor like the starting point."""
        return cygrad.as_tensor(x).to(self.x0.device, self.x0.dtype).reshape(self.x0.shape)

    def array(self, x):
        """A tensor as SciPy's vector."""
        return x.detach().reshape(-1).to(cygrad.float64).cpu().numpy()

    def at(self, x):
        """The point, and the function's value there with its graph."""
        point = self.tensor(x).clone().requires_grad_()
        with cygrad.enable_grad():
            value = self.fun(point, *self.args)
        if not isinstance(value, cygrad.Tensor) or value.numel() != 1:
            is_tensor = isinstance(value, cygrad.Tensor)
            kind = f"shape {tuple(value.shape)}" if is_tensor else f"type {type(value).__name__}"
            raise TypeError(f"minimize: fun must return a tensor of one element, but what it returned is of {kind}")
        return point, value

    def value(self, x):
        """The value alone."""
        with cygrad.no_grad():
            return float(self.fun(self.tensor(x), *self.args))

    def value_and_gradient(self, x):
        point, value = self.at(x)
        if not value.requires_grad:
            raise RuntimeError("minimize: the value of fun doesn't depend on its argument through ops that autograd "
                               "records; choose a method without derivatives, such as 'Nelder-Mead'")
        gradient, = grad(value, point)
        return float(value.detach()), self.array(gradient)

    def product(self, x, vector, *_):
        """The Hessian times a vector, by differentiating the gradient's product with it."""
        point, value = self.at(x)
        gradient, = grad(value, point, create_graph=True)
        if not gradient.requires_grad:                              # a linear function
            return self.array(cygrad.zeros_like(point))
        product, = grad(gradient, point, self.tensor(vector), allow_unused=True)
        return self.array(cygrad.zeros_like(point) if product is None else product)

    def hessian(self, x, *_):
        """The whole matrix."""
        found = cygrad.autograd.functional.hessian(lambda point: self.fun(point, *self.args), self.tensor(x))
        size = self.x0.numel()
        return found.detach().reshape(size, size).to(cygrad.float64).cpu().numpy()


def minimize(fun, x0, args=(), method=None, *, jac=None, hess=None, hessp=None, **options):
    """Minimise a function of a tensor by `scipy.optimize.minimize`, with derivatives from autograd.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args)`` gives a tensor of one element; x is a tensor like x0.
    x0 : Tensor
        Where to start: floating-point, of any shape, on any device.
    args : tuple, optional
        Further arguments of `fun`.
    method : str, optional
        One of SciPy's; BFGS, or L-BFGS-B or SLSQP with `bounds` or `constraints`, by default. Newton-CG, trust-ncg,
        trust-krylov and trust-constr get products with the Hessian, dogleg and trust-exact the Hessian.
    jac, hess, hessp : optional
        SciPy's arguments, on NumPy vectors, in the place of autograd.
    **options
        SciPy's other arguments: `bounds`, `constraints`, `tol`, `callback`, `options`. Functions among them get NumPy
        vectors, as SciPy calls them.

    Returns
    -------
    scipy.optimize.OptimizeResult
        SciPy's, but `x` and `jac` are tensors like x0.

    Raises
    ------
    TypeError
        If x0 is no floating-point tensor, or `fun` returns something else than a tensor of one element.

    Examples
    --------
    >>> import cygrad
    >>> from cygrad.utils.scipy import minimize
    >>> found = minimize(lambda x: ((x - cygrad.tensor([1., 2.])) ** 2).sum(), cygrad.zeros(2))
    >>> found.x.round(decimals=3)
    tensor([1., 2.])
    """
    from scipy import optimize                          # optional dependency

    if not isinstance(x0, cygrad.Tensor) or not x0.is_floating_point():
        kind = x0.dtype if isinstance(x0, cygrad.Tensor) else type(x0).__name__
        raise TypeError(f"minimize: x0 must be a floating-point tensor, not {kind}")
    objective = _Objective(fun, x0.detach(), tuple(args) if isinstance(args, (tuple, list)) else (args,))
    name = method.lower() if isinstance(method, str) else None
    with_gradient = jac is None and (name is None or name in _WITH_GRADIENT)
    if hess is None and hessp is None and name in _WITH_PRODUCTS:
        hessp = objective.product
    if hess is None and name in _WITH_HESSIAN:
        hess = objective.hessian
    found = optimize.minimize(objective.value_and_gradient if with_gradient else objective.value, objective.array(x0),
                              method=method, jac=True if with_gradient else jac, hess=hess, hessp=hessp, **options)
    for key in ("x", "jac"):
        if getattr(found.get(key), "size", None) == x0.numel():
            found[key] = objective.tensor(found[key])
    return found
