"""The trapezoidal rule along an axis."""
import cygrad
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op
from cygrad.ops.reduce.sums import axis_of


@primitive
def divide_by_number(self, other):
    return self / other


@primitive
def multiply_by_number(self, other):
    return self * other


@primitive
def add_number(self, other):
    return self + other


@primitive
def subtract_number(self, other):
    return self - other


def checked(name, y, x, dx):
    """What both refuse of their operands."""
    if x is not None and dx is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments: x and dx exclude each other")
    if y.dtype is cygrad.bool or x is not None and x.dtype is cygrad.bool:
        raise RuntimeError(f"{name}: received a bool input for {'`x` or ' * (x is not None)}`y`, but bool is not "
                           "supported")
    if isinstance(dx, (bool, complex)):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")


def areas(name, y, x, dx, dim):
    """Twice the areas between neighbours along axis `dim` of y."""
    if x is None:
        return neighbours(y, dim)[1] + neighbours(y, dim)[0], 1 if dx is None else dx
    n = y.size(dim)
    dim = axis_of(dim, y.dim(), "slice")
    if x.dim() == 1:
        if x.size(0) != n:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = x.view((n,) + (1,) * (y.dim() - 1 - dim))
        before, after = neighbours(x, 0)
    else:
        x = x.view((1,) * (y.dim() - x.dim()) + tuple(x.shape)) if x.dim() < y.dim() else x
        before, after = neighbours(x, dim)
    return (neighbours(y, dim)[1] + neighbours(y, dim)[0]) * (after - before), 1


def neighbours(t, dim):
    """All elements along an axis but the last, and all but the first."""
    if not t.dim():
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    n = t.size(dim)
    return t.narrow(dim, 0, max(n - 1, 0)), t.narrow(dim, min(n, 1), max(n - 1, 0))


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
    >>> cygrad.trapezoid(cygrad.tensor([1., 2., 4.]))
    tensor(4.5000)
    >>> cygrad.trapezoid(cygrad.tensor([1., 2., 4.]), cygrad.tensor([0., 1., 3.]))
    tensor(7.5000)
    """
    if y.size(dim if x is None or y.dim() else 0) == 0:
        return y.new_empty(y.shape[:dim] + y.shape[dim:][1:]).zero_()      # PyTorch counts this change, too
    checked("trapezoid", y, x, dx)
    if x is not None:
        parts = areas("trapezoid", y, x, dx, dim)[0]
        return divide_by_number(parts.sum(axis_of(dim, y.dim(), "slice")), 2.0)     # of y's axes; x may have more
    ends = multiply_by_number(y.select(dim, 0) + y.select(dim, -1), 0.5)
    return multiply_by_number(y.sum(dim) - ends, 1 if dx is None else dx)


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
    >>> cygrad.cumulative_trapezoid(cygrad.tensor([1., 2., 4.]))
    tensor([1.5000, 4.5000])
    """
    if x is not None:
        dim = axis_of(dim, y.dim(), "cumulative_trapezoid")
    checked("cumulative_trapezoid", y, x, dx)
    parts, step = areas("cumulative_trapezoid", y, x, dx, dim)
    if x is not None:
        return divide_by_number(parts.cumsum(dim), 2.0)
    return multiply_by_number(parts, step / 2.0).cumsum(dim)
