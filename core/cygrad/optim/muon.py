"""Muon: momentum of matrices, made orthogonal before it is subtracted."""
import math

import cygrad
from cygrad.optim.checks import check_lr
from cygrad.optim.optimizer import Optimizer, each_group
from cygrad.optim.updates import as_scalar, value_of

__all__ = ["Muon", "muon"]


class Muon(Optimizer):
    """Muon (https://kellerjordan.github.io/posts/muon/), for the matrices of hidden layers.

    b <- mu b + (1 - mu) g; p <- (1 - lr weight_decay) p - lr' O, where O is b, or with Nesterov's momentum a mean of g
    and b, with its singular values moved near 1 by steps of Newton and Schulz, and lr' depends on the matrix's shape.

    Parameters
    ----------
    params : iterable
        Matrices, (name, matrix) pairs or groups.
    lr : float or Tensor
        Learning rate.
    weight_decay : float
        Times `lr`, the part of a parameter that is taken away in a step.
    momentum : float
        mu.
    nesterov : bool
        As above.
    ns_coefficients : tuple of float
        Of X, (X X^T) X and (X X^T)^2 X in a step of Newton and Schulz.
    eps : float
        The least norm to divide by.
    ns_steps : int
        Steps of Newton and Schulz.
    adjust_lr_fn : str, optional
        ``"original"``: lr sqrt(max(1, rows / columns)); ``"match_rms_adamw"``: 0.2 lr sqrt(max(rows, columns)).

    Examples
    --------
    >>> import cygrad
    >>> p = cygrad.eye(2).requires_grad_()
    >>> optimizer = cygrad.optim.Muon([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> bool((p.diagonal() < 1).all())
    True
    """

    def __init__(self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True,
                 ns_coefficients=(3.4445, -4.7750, 2.0315), eps=1e-7, ns_steps=5, adjust_lr_fn=None):
        check_lr(lr, "Learning rate should be >= 0 but is: {}")
        if not 0.0 <= momentum:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, dict(lr=lr, weight_decay=weight_decay, momentum=momentum, nesterov=nesterov,
                                      ns_coefficients=ns_coefficients, eps=eps, ns_steps=ns_steps,
                                      adjust_lr_fn=adjust_lr_fn))
        for group in self.param_groups:
            for param in group["params"]:
                if param.ndim != 2:
                    raise ValueError("Muon only supports 2D parameters whereas we found a parameter with size: "
                                     f"{param.size()}")

    def _new_state(self, group, param):
        if param.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        return {"momentum_buffer": cygrad.zeros_like(param.grad)}

    @cygrad.no_grad()
    @each_group
    def step(self, group):
        muon(*self._collect(group, "momentum_buffer"), lr=group["lr"], weight_decay=group["weight_decay"],
             momentum=group["momentum"], nesterov=group["nesterov"], ns_coefficients=group["ns_coefficients"],
             ns_steps=group["ns_steps"], eps=group["eps"], adjust_lr_fn=group["adjust_lr_fn"], has_complex=False)


def muon(params, grads, muon_momentum_bufs, *, foreach=None, lr, weight_decay, momentum, nesterov, ns_coefficients,
         ns_steps, eps, adjust_lr_fn, has_complex):
    """The step of `Muon` as a function of lists.

    Parameters
    ----------
    params, grads, muon_momentum_bufs : list of Tensor
        One of each for each parameter.
    foreach : bool, optional
        Must not be True.
    lr, weight_decay, momentum, nesterov, ns_coefficients, ns_steps, eps, adjust_lr_fn
        See `Muon`.
    has_complex : bool
        Must be False.
    """
    if foreach:
        raise RuntimeError("Foreach is not supported for Muon yet")
    lr = as_scalar(lr)
    if has_complex:
        raise ValueError("Complex parameters are not supported")
    for param, grad, buffer in zip(params, grads, muon_momentum_bufs):
        if grad.ndim != 2:
            raise ValueError("Param gradient must be a 2D matrix")
        buffer.lerp_(grad, 1 - momentum)
        change = orthogonal(grad.lerp(buffer, momentum) if nesterov else buffer, ns_coefficients, ns_steps, eps)
        param.mul_(1 - lr * weight_decay)
        param.add_(change, alpha=-value_of(adjusted(lr, adjust_lr_fn, *param.shape)))


def orthogonal(matrix, coefficients, steps, eps):
    """A matrix with the singular vectors of `matrix` and singular values near 1, in bfloat16."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = matrix.size(0) > matrix.size(1)
    x = matrix.bfloat16()
    x = x.T if tall else x
    x = x / x.norm().clamp(min=eps)             # no singular value is above 1 from here on
    for _ in range(steps):
        square = x @ x.T
        x = cygrad.addmm(x, cygrad.addmm(square, square, square, beta=b, alpha=c), x, beta=a)
    return x.T if tall else x


def adjusted(lr, how, rows, columns):
    """The learning rate for a matrix of this shape."""
    if how == "match_rms_adamw":
        return lr * (0.2 * math.sqrt(max(rows, columns)))
    return lr * math.sqrt(max(1, rows / columns))
