"""ASGD: stochastic gradient descent that also keeps the mean of the parameters of all steps."""
from functools import cache

import cygrad
from cygrad.optim.checks import check_capturable, check_lr, check_not_negative, check_steps
from cygrad.optim.optimizer import Optimizer, _use_grad_for_differentiable, each_group
from cygrad.optim.updates import alike, as_scalar, counted, descent, plus, rounded, scalar_dtype, update, value_of

__all__ = ["ASGD", "asgd"]


class ASGD(Optimizer):
    """Averaged stochastic gradient descent (Polyak and Juditsky, 1992).

    p <- (1 - lambd eta) p - eta g; ax <- ax + mu (p - ax); then eta = lr / (1 + lambd lr t)^alpha and
    mu = 1 / max(1, t - t0) after step t. The mean is in the state, as ``"ax"``.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or groups.
    lr : float or Tensor
        Learning rate.
    lambd : float
        Decay.
    alpha : float
        Power by which eta becomes smaller.
    t0 : float
        The step from which on a mean is formed.
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
    >>> optimizer = cygrad.optim.ASGD([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.8000, 1.6000], requires_grad=True)
    """

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
                 differentiable=False, capturable=False):
        check_lr(lr)
        check_not_negative(weight_decay=weight_decay)
        super().__init__(params, dict(lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay,
                                      foreach=foreach, maximize=maximize, differentiable=differentiable,
                                      capturable=capturable))

    def __setstate__(self, state):
        super().__setstate__(state)
        self._complete(counters=("step", "eta", "mu"), foreach=None, maximize=False, differentiable=False,
                       capturable=False)

    def _counter(self, group, param, value=0.0):
        return cygrad.tensor(value, dtype=scalar_dtype(), device=param.device)

    def _new_state(self, group, param):
        return {"step": self._counter(group, param), "eta": self._counter(group, param, value_of(group["lr"])),
                "mu": self._counter(group, param, 1.0), "ax": cygrad.zeros_like(param)}

    @_use_grad_for_differentiable
    @each_group
    def step(self, group):
        asgd(*self._collect(group, "ax", "mu", "eta", "step"), lambd=group["lambd"], lr=group["lr"],
             t0=group["t0"], alpha=group["alpha"], weight_decay=group["weight_decay"], foreach=group["foreach"],
             maximize=group["maximize"], differentiable=group["differentiable"], capturable=group["capturable"])


def asgd(params, grads, axs, mus, etas, state_steps, foreach=None, maximize=False, differentiable=False,
         capturable=False, has_complex=False, *, lambd, lr, t0, alpha, weight_decay):
    """The step of `ASGD` as a function of lists.

    Parameters
    ----------
    params, grads, axs, mus, etas, state_steps : list of Tensor
        One of each for each parameter.
    foreach, has_complex : bool
        PyTorch's; nothing depends on them.
    maximize, differentiable, capturable, lambd, lr, t0, alpha, weight_decay
        See `ASGD`.
    """
    check_steps((), foreach, differentiable)
    if capturable:
        check_capturable(params, mus, etas, state_steps, names="params, mus, etas, and state_steps", xla=not foreach)
    lr = as_scalar(lr)
    steps = counted(state_steps, capturable)
    if not capturable:
        keys = [(step, eta.item(), mu.item()) for step, eta, mu in zip(steps, etas, mus)]
    else:
        keys = list(zip(steps, etas, mus))
    for (step, eta, mu), lists in alike(keys, (params, axs, grads, etas, mus, state_steps)):
        first = not capturable and mu == 1
        update(_formula(maximize, bool(weight_decay != 0), first), lists[:2], lists[2:3],
               (1 - lambd * eta, -eta, mu, weight_decay), capturable, (2, 1))
        # PyTorch's foreach takes the count as a tensor: eta in its dtype from the first operation on.
        count = lists[5][0] if foreach else step
        next_eta = lr / (1 + lambd * lr * count) ** alpha
        next_mu = 1 / ((step - t0).clamp(min=1) if capturable else max(1, step - t0))
        for values, value in ((lists[3], next_eta), (lists[4], next_mu)):
            value = cygrad.as_tensor(value)         # of the default dtype first, as in PyTorch, if it is a number
            for target in values:
                target.copy_(value)


@cache
def _formula(maximize, decay, first):
    def step(p, ax, g, kept, down, mu, weight_decay):
        p = plus(rounded(p * kept), descent(g, p, maximize, decay, weight_decay), down)
        return p, p if first else ax + rounded(rounded(p - ax) * mu)
    return step
