"""Covariance and correlation matrices: composites."""
import cygrad
from cygrad.dispatch.promotion import SCALAR_NAMES
from cygrad.errors import warn
from cygrad.ops.declare.op_forms import op
from cygrad.ops.declare.operand_types import BOOL, is_integral
from cygrad.tensor import Tensor


@op
def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariance matrix of variables in rows and observations in columns.

    Parameters
    ----------
    input : Tensor
        With at most two axes; one axis is one variable.
    correction : int
        The sum of products is divided by n - correction.
    fweights : Tensor, optional
        Integer frequencies of the observations.
    aweights : Tensor, optional
        Weights of the observations.

    Returns
    -------
    Tensor
        (variables, variables); a single number for one variable.

    Raises
    ------
    RuntimeError
        For a tensor of more than two axes, of bools, or for weights that don't fit the observations.

    Examples
    --------
    >>> cygrad.cov(cygrad.tensor([[1., 2., 3.], [1., 0., 5.]]))
    tensor([[1., 2.],
            [2., 7.]])
    """
    if input.dim() > 2:
        raise RuntimeError("cov(): expected input to have two or fewer dimensions but got an input with "
                           f"{input.dim()} dimensions")
    if input.dtype is BOOL:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input.view(1, -1) if input.dim() < 2 else input
    count = x.size(1)
    weights = checked_weights(fweights, aweights, count)
    total = count if weights is None else weights.sum()
    if weights is not None and total == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    if count == 0:
        mean = x.sum(1, dtype=None if not is_integral(x) else cygrad.get_default_dtype()) / total
    else:
        mean = (x if weights is None else x * weights).sum(1) / total
    if weights is not None and aweights is not None and correction:
        divisor = total - correction * (weights * aweights).sum() / total
    else:
        divisor = total - correction if correction else total
    if divisor <= 0:
        warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
             "observations.")
        divisor = divisor * 0 if isinstance(divisor, Tensor) else 0
    apart = x - mean.unsqueeze(1)
    weighted = apart if weights is None else apart * weights
    return (cygrad.mm(apart, weighted.t().conj()) / divisor).squeeze()


def checked_weights(fweights, aweights, count):
    """The product of both kinds of weights, or None."""
    for name, weights, integral in (("fweights", fweights, True), ("aweights", aweights, False)):
        if weights is None:
            continue
        if weights.dim() > 1:
            raise RuntimeError(f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
                               f"{weights.dim()} dimensions")
        if is_integral(weights) != integral or weights.dtype.name == "bool" or weights.is_complex():
            kind = "integral" if integral else "floating point"
            raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {name} with "
                               f"{SCALAR_NAMES[weights.dtype.code]} dtype")
        if weights.numel() != count:
            raise RuntimeError(f"cov(): expected {name} to have the same numel as there are observations in the input "
                               f"but got {weights.numel()} != {count}")
        if count and not bool((weights >= 0).all()):
            raise RuntimeError(f"cov(): {name} cannot be negative")
    if fweights is None or aweights is None:
        return aweights if fweights is None else fweights
    return fweights * aweights


@op
def corrcoef(input):
    """Pearson's correlation coefficients of variables in rows and observations in columns.

    Parameters
    ----------
    input : Tensor
        (variables, observations), or one variable's observations.

    Returns
    -------
    Tensor
        (variables, variables), with ones on the diagonal; a single number for one variable.

    Raises
    ------
    RuntimeError
        For a tensor of more than two axes.

    Notes
    -----
    The covariance of two variables divided by the product of their standard deviations.

    Examples
    --------
    >>> cygrad.corrcoef(cygrad.tensor([[1., 2., 3.], [1., 0., 5.]]))
    tensor([[1.0000, 0.7559],
            [0.7559, 1.0000]])
    """
    if input.dim() > 2:
        raise RuntimeError("corrcoef(): expected input to have two or fewer dimensions but got an input with "
                           f"{input.dim()} dimensions")
    c = cov(input)
    if c.dim() == 0:
        return c / c
    deviation = c.diagonal().real.sqrt() if c.is_complex() else c.diagonal().sqrt()
    c = c / deviation.view(-1, 1) / deviation.view(1, -1)
    return cygrad.complex(c.real.clip(-1, 1), c.imag.clip(-1, 1)) if c.is_complex() else c.clip(-1, 1)
