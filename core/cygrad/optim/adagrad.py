"""Adagrad: steps over the root of the sum of all squared gradients so far."""
from functools import cache

import cygrad
from cygrad.optim.checks import check_fused, check_fusible, check_lr, check_not_negative, check_steps
from cygrad.optim.optimizer import Optimizer, _use_grad_for_differentiable, each_group
from cygrad.optim.updates import alike, as_scalar, counted, descent, plus, rounded, unscaled, update

__all__ = ["Adagrad", "adagrad"]


class Adagrad(Optimizer):
    """Adagrad (http://jmlr.org/papers/v12/duchi11a.html).

    s <- s + g^2; p <- p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps) in step t.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or groups.
    lr : float or Tensor
        Learning rate.
    lr_decay : float
        Makes it smaller with each step.
    weight_decay : float
        Times the parameter, added to the gradient.
    initial_accumulator_value : float
        What s is at first.
    eps : float
        Added to the root.
    foreach, fused : bool, optional
        PyTorch's choices between ways to compute the same; all run in one pass here.
    maximize : bool
        Go up.
    differentiable : bool
        Record the step, so that it can be differentiated.

    Examples
    --------
    >>> import cygrad
    >>> p = cygrad.tensor([1., 2.], requires_grad=True)
    >>> optimizer = cygrad.optim.Adagrad([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.9000, 1.9000], requires_grad=True)
    """

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10,
                 foreach=None, *, maximize=False, differentiable=False, fused=None):
        check_lr(lr)
        check_not_negative(lr_decay=lr_decay, weight_decay=weight_decay,
                           initial_accumulator_value=initial_accumulator_value, eps=eps)
        super().__init__(params, dict(lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
                                      initial_accumulator_value=initial_accumulator_value, foreach=foreach,
                                      maximize=maximize, differentiable=differentiable, fused=fused))
        check_fused(fused, foreach, differentiable)
        if fused:
            self._step_supports_amp_scaling = True
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param].update(self._new_state(group, param, initial_accumulator_value))

    def __setstate__(self, state):
        super().__setstate__(state)
        self._complete(foreach=None, maximize=False, differentiable=False, fused=None)

    def _new_state(self, group, param, first=None):
        first = self.defaults["initial_accumulator_value"] if first is None else first
        if param.is_complex():
            first = complex(first, first)
        return {"step": self._counter(group, param), "sum": cygrad.full_like(param, first)}

    def share_memory(self):
        """Let other processes see the sums of squares."""
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param]["sum"].share_memory_()

    @_use_grad_for_differentiable
    @each_group
    def step(self, group):
        lists = self._collect(group, "sum", "step")
        if group["fused"]:
            for param in lists[0]:
                check_fusible(param)
        adagrad(*lists, fused=group["fused"], grad_scale=getattr(self, "grad_scale", None),
                found_inf=getattr(self, "found_inf", None), foreach=group["foreach"],
                differentiable=group["differentiable"], lr=group["lr"], weight_decay=group["weight_decay"],
                lr_decay=group["lr_decay"], eps=group["eps"], maximize=group["maximize"])


def adagrad(params, grads, state_sums, state_steps, fused=None, grad_scale=None, found_inf=None, has_sparse_grad=False,
            foreach=None, differentiable=False, has_complex=False, *, lr, weight_decay, lr_decay, eps, maximize):
    """The step of `Adagrad` as a function of lists.

    Parameters
    ----------
    params, grads, state_sums, state_steps : list of Tensor
        One of each for each parameter.
    fused : bool, optional
        `grad_scale` and `found_inf` are allowed.
    grad_scale, found_inf : Tensor, optional
        What the gradients are divided by, and whether the step is left out.
    has_sparse_grad, foreach, has_complex : bool
        PyTorch's; nothing depends on them.
    differentiable, lr, weight_decay, lr_decay, eps, maximize
        See `Adagrad`.
    """
    check_steps(state_steps, foreach, differentiable)
    if fused and differentiable:
        raise RuntimeError("adagrad with fused=True does not support differentiable=True")
    if not unscaled(grads, fused, grad_scale, found_inf):
        return
    formula = _formula(maximize, bool(weight_decay != 0))
    for step, lists in alike(counted(state_steps), (params, state_sums, grads)):
        update(formula, lists[:2], lists[2:], (eps, -as_scalar(lr) / (1 + (step - 1) * lr_decay), weight_decay))


@cache
def _formula(maximize, decay):
    def step(p, total, g, eps, down, weight_decay):
        g = descent(g, p, maximize, decay, weight_decay)
        total = rounded(total + g * g)
        return p + g * down / plus(rounded(total.sqrt()), eps), total
    return step
