"""NAdam: Adam with Nesterov's momentum."""
from functools import cache

import cygrad
from cygrad.optim.checks import check_betas, check_capturable, check_lr, check_not_negative, check_steps
from cygrad.optim.optimizer import Optimizer, _use_grad_for_differentiable, each_group
from cygrad.optim.updates import (alike, as_scalar, counted, decayed, mean_of, narrow, plus, rounded, squares, update,
                                  value_of)

__all__ = ["NAdam", "nadam"]


class NAdam(Optimizer):
    """NAdam (https://openreview.net/forum?id=OM0jvwB8jIp57ZJjtNEZ).

    Adam's m' is a mean of the gradient and of the m to come: mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2) tells how
    much of each.

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
    momentum_decay : float
        How fast mu comes near beta1.
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
    >>> optimizer = cygrad.optim.NAdam([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.8944, 1.8944], requires_grad=True)
    """

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False,
                 differentiable=False):
        check_lr(lr)
        check_not_negative(eps=eps)
        check_betas(betas)
        check_not_negative(weight_decay=weight_decay, momentum_decay=momentum_decay)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                                      momentum_decay=momentum_decay, decoupled_weight_decay=decoupled_weight_decay,
                                      maximize=maximize, foreach=foreach, capturable=capturable,
                                      differentiable=differentiable))

    def __setstate__(self, state):
        super().__setstate__(state)
        self._complete(counters=("step", "mu_product"), maximize=False, foreach=None, capturable=False,
                       differentiable=False, decoupled_weight_decay=False)

    def _new_state(self, group, param):
        return {"step": self._counter(group, param), "mu_product": self._counter(group, param, 1.0),
                "exp_avg": cygrad.zeros_like(param), "exp_avg_sq": cygrad.zeros_like(param)}

    @_use_grad_for_differentiable
    @each_group
    def step(self, group):
        nadam(*self._collect(group, "exp_avg", "exp_avg_sq", "mu_product", "step"), beta1=group["betas"][0],
              beta2=group["betas"][1], lr=group["lr"], weight_decay=group["weight_decay"],
              momentum_decay=group["momentum_decay"], eps=group["eps"], maximize=group["maximize"],
              decoupled_weight_decay=group["decoupled_weight_decay"], foreach=group["foreach"],
              capturable=group["capturable"], differentiable=group["differentiable"])


def nadam(params, grads, exp_avgs, exp_avg_sqs, mu_products, state_steps, decoupled_weight_decay=False, foreach=None,
          capturable=False, differentiable=False, has_complex=False, maximize=False, *, beta1, beta2, lr, weight_decay,
          momentum_decay, eps):
    """The step of `NAdam` as a function of lists.

    Parameters
    ----------
    params, grads, exp_avgs, exp_avg_sqs, mu_products, state_steps : list of Tensor
        One of each for each parameter.
    foreach, has_complex : bool
        PyTorch's; nothing depends on them.
    decoupled_weight_decay, capturable, differentiable, maximize, lr, weight_decay, momentum_decay, eps
        See `NAdam`.
    beta1, beta2 : float
        See `NAdam`.
    """
    check_steps(state_steps)
    check_steps(mu_products, foreach, differentiable, name="mu_products")
    if capturable:
        check_capturable(params, mu_products, state_steps, xla=not foreach,
                         names="params, mu_products, and state_steps" if foreach else
                         "params, mu_products and state_steps")
    lr = as_scalar(lr)
    decay = bool(weight_decay != 0) and ("decoupled" if decoupled_weight_decay else "coupled")
    factor = 1 - lr * weight_decay if decay == "decoupled" else weight_decay

    def mu_of(step):
        return beta1 * (1.0 - 0.5 * 0.96 ** (step * momentum_decay))

    steps = counted(state_steps, capturable)
    for step, mu_product in zip(steps, mu_products):
        mu_product *= mu_of(step)
    products = mu_products if capturable or differentiable else [product.item() for product in mu_products]
    for (step, product, exact), lists in alike(list(zip(steps, products, narrow(params))),
                                               (params, exp_avgs, exp_avg_sqs, grads)):
        mu, next_mu = mu_of(step), mu_of(step + 1)
        correction = 1 - beta2 ** step
        root = 1 if exact else correction ** 0.5
        now, later = -lr * (1.0 - mu) / (1.0 - product), -lr * next_mu / (1.0 - product * next_mu)
        if not capturable and not differentiable:
            now, later = value_of(now), value_of(later)
        update(_formula(maximize, decay, exact), lists[:3], lists[3:],
               (beta1, 1 - beta1, beta2, 1 - beta2, now * root, later * root, eps * root, correction, factor),
               capturable, (2 + (decay == "decoupled"), 1, 2))


@cache
def _formula(maximize, decay, exact):
    def step(p, m, v, g, beta1, share1, beta2, share2, now, later, eps, correction, factor):
        p, g = decayed(p, g, maximize, decay, factor)
        m, v = mean_of(m, g, beta1, share1), squares(v, g, beta2, share2)
        if not exact:           # the correction's root is in the numbers
            return p + (g * now + m * later) / (v.sqrt() + eps), m, v
        scale = plus(rounded(rounded(v / correction).sqrt()), eps)
        return rounded(p + g * now / scale) + m * later / scale, m, v
    return step
