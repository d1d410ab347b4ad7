"""Stochastic gradient descent, with momentum and Nesterov's momentum."""
from functools import cache

import cygrad
from cygrad.optim.checks import check_fused, check_fusible
from cygrad.optim.optimizer import Optimizer, _use_grad_for_differentiable, each_group
from cygrad.optim.updates import alike, as_scalar, descent, detached, plus, rounded, unscaled, update

__all__ = ["SGD", "sgd"]


class SGD(Optimizer):
    """Stochastic gradient descent.

    With momentum mu and dampening tau, b <- mu b + (1 - tau) g and p <- p - lr b; the first b is the first gradient.
    Nesterov's momentum goes down g + mu b instead of b.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or groups.
    lr : float or Tensor
        Learning rate.
    momentum, dampening : float
        mu and tau.
    weight_decay : float or Tensor
        Times the parameter, added to the gradient.
    nesterov : bool
        Needs a momentum, and no dampening.
    maximize : bool
        Go up.
    foreach, fused : bool, optional
        PyTorch's choices between ways to compute the same; all run in one pass here.
    differentiable : bool
        Record the step, so that it can be differentiated.

    Raises
    ------
    ValueError
        If an option is out of its range.

    Examples
    --------
    >>> import cygrad
    >>> p = cygrad.tensor([1., 2.], requires_grad=True)
    >>> optimizer = cygrad.optim.SGD([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.8000, 1.6000], requires_grad=True)
    """

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
                 foreach=None, differentiable=False, fused=None):
        if isinstance(lr, cygrad.Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
                                      nesterov=nesterov, maximize=maximize, foreach=foreach,
                                      differentiable=differentiable, fused=fused))
        if fused:
            self._step_supports_amp_scaling = True
        check_fused(fused, foreach, differentiable)

    def __setstate__(self, state):
        super().__setstate__(state)
        self._complete(nesterov=False, maximize=False, foreach=None, differentiable=False, fused=False)

    @_use_grad_for_differentiable
    @each_group
    def step(self, group):
        params = [p for p in group["params"] if p.grad is not None]
        if group["fused"]:
            for param in params:
                check_fusible(param)
        momentum = group["momentum"] != 0
        buffers = [self.state[p].get("momentum_buffer") for p in params] if momentum else []
        sgd(params, [p.grad for p in params], buffers, foreach=group["foreach"], fused=group["fused"],
            grad_scale=getattr(self, "grad_scale", None), found_inf=getattr(self, "found_inf", None),
            weight_decay=group["weight_decay"], momentum=group["momentum"], lr=group["lr"],
            dampening=group["dampening"], nesterov=group["nesterov"], maximize=group["maximize"])
        for param, buffer in zip(params, buffers):
            self.state[param]["momentum_buffer"] = buffer


def sgd(params, d_p_list, momentum_buffer_list, has_sparse_grad=False, foreach=None, fused=None, grad_scale=None,
        found_inf=None, *, weight_decay, momentum, lr, dampening, nesterov, maximize):
    """The step of `SGD` as a function of lists.

    Parameters
    ----------
    params, d_p_list : list of Tensor
        Parameters and their gradients.
    momentum_buffer_list : list of Tensor or None
        With a momentum: a buffer for each, None before the first step, which puts one there.
    has_sparse_grad, foreach : bool
        PyTorch's; nothing depends on them.
    fused : bool, optional
        `grad_scale` and `found_inf` are allowed.
    grad_scale, found_inf : Tensor, optional
        What the gradients are divided by, and whether the step is left out.
    weight_decay, momentum, lr, dampening, nesterov, maximize
        See `SGD`.
    """
    if not unscaled(d_p_list, fused, grad_scale, found_inf):
        return
    decay = bool(weight_decay != 0)
    lr = as_scalar(lr)
    if momentum == 0:
        update(_plain(maximize, decay), [params], [d_p_list], (-lr, weight_decay))
        return
    new = [buffer is None for buffer in momentum_buffer_list]
    for i in range(len(params)):
        if new[i]:
            momentum_buffer_list[i] = cygrad.empty_like(d_p_list[i])
    numbers = (-lr, weight_decay, momentum, 1 - dampening)
    for first, lists in alike(new, (params, momentum_buffer_list, d_p_list)):
        update(_with_momentum(maximize, decay, nesterov, first), lists[:2], lists[2:], numbers,
               writes=(1, 0 if first else 2))


@cache
def _plain(maximize, decay):
    def step(p, g, down, weight_decay):
        return plus(p, descent(g, p, maximize, decay, weight_decay), down),
    return step


@cache
def _with_momentum(maximize, decay, nesterov, first):
    def step(p, b, g, down, weight_decay, momentum, share):
        g = descent(g, p, maximize, decay, weight_decay)
        b = detached(g) if first else plus(rounded(b * momentum), g, share)
        return plus(p, plus(g, b, momentum) if nesterov else b, down), b
    return step
