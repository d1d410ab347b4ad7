"""Functions of square matrices made of products: powers and the exponential."""
import functools
from math import factorial

import cygrad
from cygrad.ops.declare.primitives import primitive
from cygrad.ops.declare.op_forms import op, with_out
from cygrad.ops.linalg import solvers
from cygrad.ops.linalg.composed_products import need_int
from cygrad.ops.linalg.lapack import HALVES, exact_out, eye_like, need_float, need_square

# ---------------------------------------------------------------------- powers

def matrix_power(input, n):
    """Integer powers of square matrices; negative ones of their inverses.

    Parameters
    ----------
    input : Tensor
        (..., m, m).
    n : int

    Returns
    -------
    Tensor
        (..., n, n).

    Raises
    ------
    LinAlgError
        For a negative power of a singular matrix.

    Examples
    --------
    >>> cygrad.matrix_power(cygrad.tensor([[1., 1.], [0., 1.]]), 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
    need_square(input, "linalg.matrix_power")
    need_int(n, "matrix_power", "n", 2)
    if n == 0:
        return input.clone(memory_format=cygrad.contiguous_format).copy_(eye_like(input, input.shape[-1]))
    if n == 1:
        return input.clone(memory_format=cygrad.contiguous_format)
    if n == -1:
        return solvers.inv(input)
    if n < 0:
        input, n = solvers.inv(input), -n
    if n == 3:
        return (input @ input) @ input
    found, square = None, input
    while True:
        n, odd = divmod(n, 2)
        if odd:
            found = square if found is None else found @ square
        if not n:
            return found
        square = square @ square


copied_power, multiplied_power = with_out("matrix_power", matrix_power), exact_out("matrix_power", matrix_power)


def linalg_matrix_power(A, n, *, out=None):
    """Integer powers of square matrices; see `cygrad.matrix_power`.

    Parameters
    ----------
    A : Tensor
        (..., n, n), floating-point or complex.
    n : int
        The exponent.

    Returns
    -------
    Tensor
        (..., n, n).

    Raises
    ------
    LinAlgError
        For a negative power of a singular matrix.

    Examples
    --------
    >>> cygrad.linalg.matrix_power(cygrad.tensor([[1., 1.], [0., 1.]]), 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
    return (copied_power if n in (0, 1) else multiplied_power)(A, n, out=out)


@op(name="matrix_power")
@functools.wraps(matrix_power)
def _matrix_power(input, n, *, out=None):
    return linalg_matrix_power(input, n, out=out)


# ----------------------------------------------------------------- exponential

# The Taylor polynomial of degree 18 is accurate to double precision up to this norm: 1.09**19 / 19! is 4e-17. A
# quotient of polynomials (Pade's) needs fewer products, but loses a digit in single precision.
TAYLOR_NORM = 1.09


def exponential(a):
    """exp of square matrices by scaling and squaring; each matrix is halved as often as its own norm asks."""
    if a.numel() == 0:
        return a.clone()
    norm = a.abs().sum(-2).amax(-1)
    halvings = (norm / TAYLOR_NORM).log2().ceil().clamp(0, 1000).nan_to_num(0, 0, 0)
    scale = (2.0 ** -halvings).unsqueeze(-1).unsqueeze(-1)
    x, one = a * scale.to(a.dtype), eye_like(a, a.shape[-1])
    x2 = x @ x
    x3, x4 = x2 @ x, x2 @ x2
    found = x2 / factorial(18) + x / factorial(17) + one / factorial(16)
    for k in (12, 8, 4, 0):                     # four terms of the series a product (Paterson and Stockmeyer, 1973)
        terms = x3 / factorial(k + 3) + x2 / factorial(k + 2) + x / factorial(k + 1) + one / factorial(k)
        found = found @ x4 + terms
    for i in range(int(halvings.max().item())):
        found = cygrad.where((halvings > i).unsqueeze(-1).unsqueeze(-1), found @ found, found)
    return found.contiguous()


@primitive(name="linalg_matrix_exp")
def _matrix_exp(self):
    if self.dtype in HALVES:
        return exponential(self.float()).to(self.dtype)
    return exponential(self)


@op
def matrix_exp(input):
    """The exponential of square matrices, the sum of all A**k / k!.

    Parameters
    ----------
    input : Tensor
        (..., n, n), floating-point or complex.

    Returns
    -------
    Tensor
        (..., n, n).

    Notes
    -----
    Scaling and squaring with a Pade approximant (Higham 2005).

    Examples
    --------
    >>> cygrad.matrix_exp(cygrad.tensor([[0., 1.], [0., 0.]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    need_square(input, "linalg.matrix_exp")
    need_float(input, "linalg.matrix_exp", low=True)
    return _matrix_exp(input)
