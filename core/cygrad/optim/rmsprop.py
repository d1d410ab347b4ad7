"""RMSprop: steps over the root of a running mean of the squared gradients."""
from functools import cache

import cygrad
from cygrad.optim.checks import check_capturable, check_lr, check_not_negative, check_steps
from cygrad.optim.optimizer import Optimizer, _use_grad_for_differentiable, each_group
from cygrad.optim.updates import as_scalar, descent, mean_of, plus, rounded, squares, update

__all__ = ["RMSprop", "rmsprop"]


class RMSprop(Optimizer):
    """RMSprop (G. Hinton's lecture notes; centered: https://arxiv.org/abs/1308.0850).

    v <- alpha v + (1 - alpha) g^2; p <- p - lr g / (sqrt(v) + eps). Centered, v is less the square of the gradient's
    running mean; with a momentum mu, b <- mu b + g / (sqrt(v) + eps) and p <- p - lr b.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or groups.
    lr : float or Tensor
        Learning rate.
    alpha : float
        Decay of the running means.
    eps : float
        Added to the root.
    weight_decay : float
        Times the parameter, added to the gradient.
    momentum : float
        mu.
    centered : bool
        Divide by an estimate of the gradient's deviation.
    capturable : bool
        Count steps on the device, so that a graph can capture the step.
    foreach : bool, optional
        PyTorch's choice between ways to compute the same.
    maximize : bool
        Go up.
    differentiable : bool
        Record the step, so that it can be differentiated.

    Examples
    --------
    >>> import cygrad
    >>> p = cygrad.tensor([1., 2.], requires_grad=True)
    >>> optimizer = cygrad.optim.RMSprop([p], lr=0.1, alpha=0.)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.9000, 1.9000], requires_grad=True)
    """

    _zeros = ("square_avg",)

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
                 capturable=False, foreach=None, maximize=False, differentiable=False):
        check_lr(lr)
        check_not_negative(eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(params, dict(lr=lr, momentum=momentum, alpha=alpha, eps=eps, centered=centered,
                                      weight_decay=weight_decay, capturable=capturable, foreach=foreach,
                                      maximize=maximize, differentiable=differentiable))

    def __setstate__(self, state):
        super().__setstate__(state)
        self._complete(momentum=0, centered=False, foreach=None, maximize=False, differentiable=False,
                       capturable=False)

    def _new_state(self, group, param):
        state = super()._new_state(group, param)
        if group["momentum"] > 0:
            state["momentum_buffer"] = cygrad.zeros_like(param)
        if group["centered"]:
            state["grad_avg"] = cygrad.zeros_like(param)
        return state

    @_use_grad_for_differentiable
    @each_group
    def step(self, group):
        rmsprop(*self._collect(group, "square_avg", "grad_avg", "momentum_buffer", "step"),
                foreach=group["foreach"], maximize=group["maximize"], differentiable=group["differentiable"],
                capturable=group["capturable"], lr=group["lr"], alpha=group["alpha"], eps=group["eps"],
                weight_decay=group["weight_decay"], momentum=group["momentum"], centered=group["centered"])


def rmsprop(params, grads, square_avgs, grad_avgs, momentum_buffer_list, state_steps, foreach=None, maximize=False,
            differentiable=False, capturable=False, has_complex=False, *, lr, alpha, eps, weight_decay, momentum,
            centered):
    """The step of `RMSprop` as a function of lists.

    Parameters
    ----------
    params, grads, square_avgs, grad_avgs, momentum_buffer_list, state_steps : list of Tensor
        One of each for each parameter; `grad_avgs` is read if `centered`, the buffers with a momentum only.
    foreach, has_complex : bool
        PyTorch's; nothing depends on them.
    maximize, differentiable, capturable, lr, alpha, eps, weight_decay, momentum, centered
        See `RMSprop`.
    """
    check_steps(state_steps, foreach, differentiable)
    if capturable:
        check_capturable(params, state_steps)
    for step in state_steps:
        step += 1
    written = [params, square_avgs] + [grad_avgs] * bool(centered) + [momentum_buffer_list] * (momentum > 0)
    update(_formula(maximize, bool(weight_decay != 0), centered, momentum > 0), written, [grads],
           (alpha, 1 - alpha, eps, -as_scalar(lr), weight_decay, momentum), capturable,
           (1, 2) + (1,) * bool(centered) + (2,) * (momentum > 0))


@cache
def _formula(maximize, decay, centered, momentum):
    def scaled(p, v, mean, g, alpha, share, eps, weight_decay):
        """The gradient, the root that it is divided by, and the new means."""
        g = descent(g, p, maximize, decay, weight_decay)
        v = squares(v, g, alpha, share)
        mean = mean_of(mean, g, alpha, share) if centered else None
        root = plus(rounded((rounded(v - mean * mean) if centered else v).sqrt()), eps)
        return g, root, v, mean

    def step(p, v, g, alpha, share, eps, down, weight_decay, mu):
        g, root, v, _ = scaled(p, v, None, g, alpha, share, eps, weight_decay)
        return p + g * down / root, v

    def step_with_momentum(p, v, b, g, alpha, share, eps, down, weight_decay, mu):
        g, root, v, _ = scaled(p, v, None, g, alpha, share, eps, weight_decay)
        b = rounded(rounded(b * mu) + g / root)
        return plus(p, b, down), v, b

    def centered_step(p, v, mean, g, alpha, share, eps, down, weight_decay, mu):
        g, root, v, mean = scaled(p, v, mean, g, alpha, share, eps, weight_decay)
        return p + g * down / root, v, mean

    def centered_step_with_momentum(p, v, mean, b, g, alpha, share, eps, down, weight_decay, mu):
        g, root, v, mean = scaled(p, v, mean, g, alpha, share, eps, weight_decay)
        b = rounded(rounded(b * mu) + g / root)
        return plus(p, b, down), v, mean, b

    if centered:
        return centered_step_with_momentum if momentum else centered_step
    return step_with_momentum if momentum else step
