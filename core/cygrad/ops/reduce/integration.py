"""The trapezoidal rule along an axis."""
import cygrad
from cygrad.ops.declare.registry import op
from cygrad.ops.reduce.sums import axis_of


def areas(name, y, x, dx, dim):
    """Twice the areas between neighbours along axis `dim` of y."""
    if x is not None and dx is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments: x and dx exclude each other")
    dim = axis_of(dim, y.dim(), name)
    n = y.size(dim)
    if y.dtype is cygrad.bool:
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
    height = y.narrow(dim, 1, n - 1) + y.narrow(dim, 0, n - 1)
    if x is None:
        return height, dim, 1 if dx is None else dx
    if x.dtype is cygrad.bool:
        raise RuntimeError(f"{name}: received a bool input for `x`, but bool is not supported")
    if x.dim() == 1:
        if x.size(0) != n:
            raise RuntimeError(f"{name}(): There must be one `x` value for each sample point")
        x = x.view((n,) + (1,) * (y.dim() - 1 - dim))
        width = x.narrow(0, 1, n - 1) - x.narrow(0, 0, n - 1)
    else:
        x = x.view((1,) * (y.dim() - x.dim()) + tuple(x.shape)) if x.dim() < y.dim() else x
        width = x.narrow(dim, 1, x.size(dim) - 1) - x.narrow(dim, 0, x.size(dim) - 1)
    return height * width, dim, 1


@op(method=False, aliases=("trapz",), axis=True)
def trapezoid(y, x=None, *, dx=None, dim=-1):
    """The integral along an axis, by the trapezoidal rule.

    Parameters
    ----------
    y : Tensor
        Values of the function.
    x : Tensor, optional
        The places of the values: one axis, or broadcastable to y.
    dx : number, optional
        The distance of the places, 1 by default.
    dim : int

    Returns
    -------
    Tensor
        y's shape without axis `dim`.

    Raises
    ------
    RuntimeError
        If both `x` and `dx` are given, or `x` does not fit `y`.

    Notes
    -----
    The sum of ``(x[i + 1] - x[i]) * (y[i] + y[i + 1]) / 2``.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.trapezoid(cygrad.tensor([1., 2., 4.]))
    tensor(4.5000)
    >>> cygrad.trapezoid(cygrad.tensor([1., 2., 4.]), cygrad.tensor([0., 1., 3.]))
    tensor(7.5000)
    """
    if y.size(dim) == 0:
        return cygrad.zeros_like(y.sum(dim))
    parts, dim, step = areas("trapezoid", y, x, dx, dim)
    total = parts.sum(dim)
    return total / 2.0 if x is not None else total * (step / 2)


@op(method=False, axis=True)
def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    """The integrals up to each place along an axis, by the trapezoidal rule.

    Parameters
    ----------
    y : Tensor
        Values of the function.
    x : Tensor, optional
        The places of the values: one axis, or broadcastable to y.
    dx : number, optional
        The distance of the places, 1 by default.
    dim : int
        The axis along which the values lie.

    Returns
    -------
    Tensor
        y's shape with one element less along axis `dim`.

    Raises
    ------
    RuntimeError
        If both `x` and `dx` are given, or `x` does not fit `y`.

    Examples
    --------
    >>> import cygrad
    >>> cygrad.cumulative_trapezoid(cygrad.tensor([1., 2., 4.]))
    tensor([1.5000, 4.5000])
    """
    if y.dim() and y.size(dim) == 0:
        return y / 2.0
    parts, dim, step = areas("cumulative_trapezoid", y, x, dx, dim)
    return (parts if x is not None or step == 1 else parts * step).cumsum(dim) / 2.0
