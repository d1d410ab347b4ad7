"""Adamax: Adam with the largest gradients, decayed, in place of the root of the mean of squares."""
from functools import cache

from cygrad.optim.checks import check_betas, check_capturable, check_lr, check_not_negative, check_steps
from cygrad.optim.optimizer import Optimizer, _use_grad_for_differentiable, each_group
from cygrad.optim.updates import alike, as_scalar, counted, descent, mean_of, plus, rounded, update

__all__ = ["Adamax", "adamax"]


class Adamax(Optimizer):
    """Adamax (https://arxiv.org/abs/1412.6980).

    m <- beta1 m + (1 - beta1) g; u <- max(beta2 u, abs(g) + eps); p <- p - lr m / ((1 - beta1^t) u) in step t.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or groups.
    lr : float or Tensor
        Learning rate.
    betas : tuple of float
        beta1 and beta2.
    eps : float
        Added to the gradient's absolute value.
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
    >>> optimizer = cygrad.optim.Adamax([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.9000, 1.9000], requires_grad=True)
    """

    _zeros = ("exp_avg", "exp_inf")

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
                 differentiable=False, capturable=False):
        check_lr(lr)
        check_not_negative(eps=eps)
        check_betas(betas)
        check_not_negative(weight_decay=weight_decay)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, foreach=foreach,
                                      maximize=maximize, differentiable=differentiable, capturable=capturable))

    def __setstate__(self, state):
        super().__setstate__(state)
        self._complete(foreach=None, maximize=False, differentiable=False, capturable=False)

    @_use_grad_for_differentiable
    @each_group
    def step(self, group):
        adamax(*self._collect(group, "exp_avg", "exp_inf", "step"), eps=group["eps"], beta1=group["betas"][0],
               beta2=group["betas"][1], lr=group["lr"], weight_decay=group["weight_decay"],
               foreach=group["foreach"], maximize=group["maximize"], differentiable=group["differentiable"],
               capturable=group["capturable"])


def adamax(params, grads, exp_avgs, exp_infs, state_steps, foreach=None, maximize=False, differentiable=False,
           capturable=False, has_complex=False, *, eps, beta1, beta2, lr, weight_decay):
    """The step of `Adamax` as a function of lists.

    Parameters
    ----------
    params, grads, exp_avgs, exp_infs, state_steps : list of Tensor
        One of each for each parameter.
    foreach, has_complex : bool
        PyTorch's; nothing depends on them.
    maximize, differentiable, capturable, eps, lr, weight_decay
        See `Adamax`.
    beta1, beta2 : float
        See `Adamax`.
    """
    check_steps(state_steps, foreach, differentiable)
    if capturable:
        check_capturable(params, state_steps, xla=not foreach)
    formula = _formula(maximize, bool(weight_decay != 0))
    for step, lists in alike(counted(state_steps, capturable), (params, exp_avgs, exp_infs, grads)):
        size = as_scalar(lr) / (1 - beta1 ** step)
        update(formula, lists[:3], lists[3:], (beta1, 1 - beta1, beta2, eps, -size, weight_decay), capturable,
               (1, 1, 2))


@cache
def _formula(maximize, decay):
    def step(p, m, u, g, beta1, share1, beta2, eps, down, weight_decay):
        g = descent(g, p, maximize, decay, weight_decay)
        m, u = mean_of(m, g, beta1, share1), rounded(rounded(u * beta2).maximum(plus(g.abs(), eps)))
        return p + m * down / u, m, u
    return step
