"""RAdam: Adam whose first steps, while the mean of squares is of few, don't divide by its root."""
from functools import cache

import cygrad
from cygrad.optim.checks import check_betas, check_capturable, check_lr, check_not_negative, check_steps
from cygrad.optim.optimizer import Optimizer, _use_grad_for_differentiable, each_group
from cygrad.optim.updates import alike, as_scalar, counted, decayed, mean_of, plus, rounded, squares, update

__all__ = ["RAdam", "radam"]


class RAdam(Optimizer):
    """RAdam (https://arxiv.org/abs/1908.03265).

    With rho = 2 / (1 - beta2) - 1 and rho_t = rho - 2 t beta2^t / (1 - beta2^t), a step is Adam's times
    sqrt((rho_t - 4) (rho_t - 2) rho / ((rho - 4) (rho - 2) rho_t)) where rho_t > 5, else lr m'.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or groups.
    lr : float or Tensor
        Learning rate.
    betas : tuple of float
        Decay of the running means of the gradient and of its square.
    eps : float
        Added to the root.
    weight_decay : float
        Times the parameter, added to the gradient; or, decoupled, times `lr` taken from the parameter.
    decoupled_weight_decay : bool
        As in `AdamW`.
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
    >>> optimizer = cygrad.optim.RAdam([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.8000, 1.6000], requires_grad=True)
    """

    _zeros = ("exp_avg", "exp_avg_sq")

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False):
        check_lr(lr)
        check_not_negative(eps=eps)
        check_betas(betas)
        check_not_negative(weight_decay=weight_decay)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize,
                                      foreach=foreach, capturable=capturable,
                                      decoupled_weight_decay=decoupled_weight_decay, differentiable=differentiable))

    def __setstate__(self, state):
        super().__setstate__(state)
        self._complete(foreach=None, maximize=False, differentiable=False, decoupled_weight_decay=False,
                       capturable=False)

    @_use_grad_for_differentiable
    @each_group
    def step(self, group):
        radam(*self._collect(group, "exp_avg", "exp_avg_sq", "step"), beta1=group["betas"][0],
              beta2=group["betas"][1], lr=group["lr"], weight_decay=group["weight_decay"], eps=group["eps"],
              maximize=group["maximize"], foreach=group["foreach"], capturable=group["capturable"],
              differentiable=group["differentiable"], decoupled_weight_decay=group["decoupled_weight_decay"])


def radam(params, grads, exp_avgs, exp_avg_sqs, state_steps, decoupled_weight_decay=False, foreach=None,
          differentiable=False, capturable=False, has_complex=False, maximize=False, *, beta1, beta2, lr, weight_decay,
          eps):
    """The step of `RAdam` as a function of lists.

    Parameters
    ----------
    params, grads, exp_avgs, exp_avg_sqs, state_steps : list of Tensor
        One of each for each parameter.
    foreach, has_complex : bool
        PyTorch's; nothing depends on them.
    decoupled_weight_decay, differentiable, capturable, maximize, lr, weight_decay, eps
        See `RAdam`.
    beta1, beta2 : float
        See `RAdam`.
    """
    check_steps(state_steps, foreach, differentiable)
    if capturable:
        check_capturable(params, state_steps, xla=not foreach)
    lr = as_scalar(lr)
    decay = bool(weight_decay != 0) and ("decoupled" if decoupled_weight_decay else "coupled")
    factor = 1 - lr * weight_decay if decay == "decoupled" else weight_decay
    rho = 2 / (1 - beta2) - 1
    for step, lists in alike(counted(state_steps, capturable), (params, exp_avgs, exp_avg_sqs, grads)):
        power = beta2 ** step
        rho_t = rho - 2 * step * power / (1 - power)
        correction = 1 - beta1 ** step
        plain = -1 / correction
        if capturable:
            rectified = ((rho_t - 4) * (rho_t - 2) * rho / ((rho - 4) * (rho - 2) * rho_t) * (1 - power)) ** 0.5
            adaptive = cygrad.where(rho_t > 5.0, plain * rectified, 0.0)
            sizes = lr * cygrad.where(rho_t > 5.0, 0.0, plain), lr * adaptive, 1, 1
            formula = _captured(maximize, decay)
        elif rho_t > 5.0:
            rectified = ((rho_t - 4) * (rho_t - 2) * rho / ((rho - 4) * (rho - 2) * rho_t)) ** 0.5
            sizes = correction, -lr, (1 - power) ** 0.5, rectified
            formula = _adaptive(maximize, decay)
        else:
            sizes = correction, -lr, 1, 1
            formula = _plain(maximize, decay)
        update(formula, lists[:3], lists[3:], (beta1, 1 - beta1, beta2, 1 - beta2, *sizes, eps, factor), capturable,
               (1 + (decay == "decoupled"), 1, 2))


def _formula(change):
    """What makes a formula of a step that adds change(m, v, sizes, eps) to the parameter."""
    @cache
    def made(maximize, decay):
        def step(p, m, v, g, beta1, share1, beta2, share2, first, second, third, fourth, eps, factor):
            p, g = decayed(p, g, maximize, decay, factor)
            m, v = mean_of(m, g, beta1, share1), squares(v, g, beta2, share2)
            return p + change(m, v, (first, second, third, fourth), eps), m, v
        return step
    return made


def _straight(m, v, sizes, eps):
    correction, down, _, _ = sizes
    return rounded(rounded(m / correction) * down)


def _scaled(m, v, sizes, eps):
    root, rectified = sizes[2:]
    scale = rounded(root / plus(rounded(v.sqrt()), eps))
    return rounded(rounded(_straight(m, v, sizes, eps) * scale) * rectified)


_plain = _formula(_straight)
_adaptive = _formula(_scaled)
_captured = _formula(lambda m, v, sizes, eps: m * sizes[0] + m / (v.sqrt() + eps) * sizes[1])
