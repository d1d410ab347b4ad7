"""Adadelta: steps in units of the parameter, from running means of squares of gradients and of steps."""
from functools import cache

from cygrad.optim.checks import check_capturable, check_lr, check_not_negative, check_steps
from cygrad.optim.optimizer import Optimizer, _use_grad_for_differentiable, each_group
from cygrad.optim.updates import as_scalar, descent, plus, rounded, squares, update

__all__ = ["Adadelta", "adadelta"]


class Adadelta(Optimizer):
    """Adadelta (https://arxiv.org/abs/1212.5701).

    v <- rho v + (1 - rho) g^2; d = g sqrt(u + eps) / sqrt(v + eps); u <- rho u + (1 - rho) d^2; p <- p - lr d.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or groups.
    lr : float or Tensor
        Scales the steps.
    rho : float
        Decay of the running means.
    eps : float
        Added under the roots.
    weight_decay : float
        Times the parameter, added to the gradient.
    foreach : bool, optional
        PyTorch's choice between ways to compute the same.
    maximize : bool
        Go up.
    capturable : bool
        Count steps on the device, so that a graph can capture the step.
    differentiable : bool
        Record the step, so that it can be differentiated.

    Examples
    --------
    >>> import cygrad
    >>> p = cygrad.tensor([1., 2.], requires_grad=True)
    >>> optimizer = cygrad.optim.Adadelta([p], lr=100)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.6838, 1.6838], requires_grad=True)
    """

    _zeros = ("square_avg", "acc_delta")

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False,
                 maximize=False, differentiable=False):
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative(eps=eps, weight_decay=weight_decay)
        super().__init__(params, dict(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize,
                                      capturable=capturable, foreach=foreach, differentiable=differentiable))

    def __setstate__(self, state):
        super().__setstate__(state)
        self._complete(foreach=None, maximize=False, differentiable=False, capturable=False)

    @_use_grad_for_differentiable
    @each_group
    def step(self, group):
        adadelta(*self._collect(group, "square_avg", "acc_delta", "step"), capturable=group["capturable"],
                 foreach=group["foreach"], differentiable=group["differentiable"], lr=group["lr"],
                 rho=group["rho"], eps=group["eps"], weight_decay=group["weight_decay"],
                 maximize=group["maximize"])


def adadelta(params, grads, square_avgs, acc_deltas, state_steps, capturable=False, foreach=None, differentiable=False,
             has_complex=False, *, lr, rho, eps, weight_decay, maximize):
    """The step of `Adadelta` as a function of lists.

    Parameters
    ----------
    params, grads, square_avgs, acc_deltas, state_steps : list of Tensor
        One of each for each parameter.
    foreach, has_complex : bool
        PyTorch's; nothing depends on them.
    capturable, differentiable, lr, rho, eps, weight_decay, maximize
        See `Adadelta`.
    """
    check_steps(state_steps, foreach, differentiable)
    if capturable:
        check_capturable(params, state_steps, xla=False)
    for step in state_steps:
        step += 1
    update(_formula(maximize, bool(weight_decay != 0)), (params, square_avgs, acc_deltas), [grads],
           (rho, 1 - rho, eps, -as_scalar(lr), weight_decay), capturable, (1, 2, 2))


@cache
def _formula(maximize, decay):
    def step(p, v, u, g, rho, share, eps, down, weight_decay):
        g = descent(g, p, maximize, decay, weight_decay)
        v = squares(v, g, rho, share)
        change = rounded(rounded(root(u, eps) / root(v, eps)) * g)
        return plus(p, change, down), v, squares(u, change, rho, share)

    def root(mean, eps):
        return rounded(plus(mean, eps).sqrt())

    return step
