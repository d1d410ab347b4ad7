"""Adam and AdamW: steps along running means of the gradient, over the root of those of its square."""
from functools import cache

import cygrad
from cygrad.optim.checks import (check_betas, check_capturable, check_fused, check_fusible, check_not_negative,
                                 check_steps)
from cygrad.optim.optimizer import Optimizer, _use_grad_for_differentiable, each_group
from cygrad.optim.updates import (alike, as_scalar, counted, decayed, mean_of, narrow, plus, rounded, squares, unscaled,
                                  update, value_of)

__all__ = ["Adam", "adam"]


class Adam(Optimizer):
    """Adam (https://arxiv.org/abs/1412.6980).

    m <- beta1 m + (1 - beta1) g; v <- beta2 v + (1 - beta2) g^2;
    p <- p - lr m' / (sqrt(v') + eps), where m' and v' are divided by 1 - beta1^t and 1 - beta2^t in step t.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or groups.
    lr : float or Tensor
        Learning rate.
    betas : tuple of float or of Tensor
        beta1 and beta2.
    eps : float
        Added to the root.
    weight_decay : float
        Times the parameter, added to the gradient; or, decoupled, times `lr` taken from the parameter.
    amsgrad : bool
        Divide by the largest v so far (https://openreview.net/forum?id=ryQu7f-RZ).
    foreach, fused : bool, optional
        PyTorch's choices between ways to compute the same; all run in one pass here.
    maximize : bool
        Go up.
    capturable : bool
        Count steps on the device, so that a graph can capture the step.
    differentiable : bool
        Record the step, so that it can be differentiated.
    decoupled_weight_decay : bool
        As in `AdamW`.

    Raises
    ------
    ValueError
        If an option is out of its range.

    Examples
    --------
    >>> import cygrad
    >>> p = cygrad.tensor([1., 2.], requires_grad=True)
    >>> optimizer = cygrad.optim.Adam([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.9000, 1.9000], requires_grad=True)
    """

    _zeros = ("exp_avg", "exp_avg_sq")

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False):
        if isinstance(lr, cygrad.Tensor):
            if foreach and not capturable:
                raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
            if lr.numel() != 1:
                raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        check_not_negative(eps=eps)
        check_betas(betas)
        check_not_negative(weight_decay=weight_decay)
        self._check_kinds(betas, foreach, capturable)
        super().__init__(params, dict(lr=lr, betas=tuple(map(as_scalar, betas)), eps=eps, weight_decay=weight_decay,
                                      amsgrad=amsgrad, maximize=maximize, foreach=foreach, capturable=capturable,
                                      differentiable=differentiable, fused=fused,
                                      decoupled_weight_decay=decoupled_weight_decay))
        if fused and not differentiable:
            self._step_supports_amp_scaling = True
        check_fused(fused, foreach, differentiable)

    @staticmethod
    def _check_kinds(betas, foreach, capturable):
        if not any(isinstance(betas[0], kind) and isinstance(betas[1], kind) for kind in (float, cygrad.Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")
        for i in range(2):
            if isinstance(betas[i], cygrad.Tensor):
                if foreach and not capturable:
                    raise ValueError(f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
                if betas[i].numel() != 1:
                    raise ValueError(f"Tensor betas[{i}] must be 1-element")

    def __setstate__(self, state):
        super().__setstate__(state)
        self._complete(amsgrad=False, maximize=False, foreach=None, capturable=False, differentiable=False,
                       decoupled_weight_decay=False, fused=None)

    def _new_state(self, group, param):
        if group["fused"]:
            check_fusible(param)
        state = super()._new_state(group, param)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = cygrad.zeros_like(param)
        return state

    @_use_grad_for_differentiable
    @each_group
    def step(self, group):
        lists = self._collect(group, "exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step")
        if group["differentiable"] and any(step.requires_grad for step in lists[-1]):
            raise RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")
        if group["foreach"] and isinstance(group["lr"], cygrad.Tensor) and not group["capturable"]:
            raise RuntimeError("lr as a Tensor is not supported for capturable=False and foreach=True")
        adam(*lists, foreach=group["foreach"], capturable=group["capturable"],
             differentiable=group["differentiable"], fused=group["fused"],
             grad_scale=getattr(self, "grad_scale", None), found_inf=getattr(self, "found_inf", None),
             decoupled_weight_decay=group["decoupled_weight_decay"], amsgrad=group["amsgrad"],
             beta1=group["betas"][0], beta2=group["betas"][1], lr=group["lr"], weight_decay=group["weight_decay"],
             eps=group["eps"], maximize=group["maximize"])


def adam(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None, capturable=False,
         differentiable=False, fused=None, grad_scale=None, found_inf=None, has_complex=False,
         decoupled_weight_decay=False, *, amsgrad, beta1, beta2, lr, weight_decay, eps, maximize):
    """The step of `Adam` as a function of lists.

    Parameters
    ----------
    params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps : list of Tensor
        One of each for each parameter; `max_exp_avg_sqs` is read with `amsgrad` only.
    foreach, has_complex : bool
        PyTorch's; nothing depends on them.
    capturable, differentiable, decoupled_weight_decay, amsgrad, lr, weight_decay, eps, maximize
        See `Adam`.
    fused : bool, optional
        `grad_scale` and `found_inf` are allowed.
    grad_scale, found_inf : Tensor, optional
        What the gradients are divided by, and whether the step is left out.
    beta1, beta2 : float or Tensor
        See `Adam`.
    """
    check_steps(state_steps, foreach, differentiable)
    if fused and differentiable:
        raise RuntimeError("Adam with fused=True does not support differentiable=True")
    if capturable and not fused:
        check_capturable(params, state_steps, xla=not foreach)
    if not unscaled(grads, fused, grad_scale, found_inf):
        return
    lr, beta1, beta2 = as_scalar(lr), as_scalar(beta1), as_scalar(beta2)
    decay = bool(weight_decay != 0) and ("decoupled" if decoupled_weight_decay else "coupled")
    factor = 1 - lr * weight_decay if decay == "decoupled" else weight_decay
    steps = counted(state_steps, capturable)
    if differentiable and not capturable:
        steps = state_steps
    written = [params, exp_avgs, exp_avg_sqs] + [max_exp_avg_sqs] * bool(amsgrad)
    for (step, exact), lists in alike(list(zip(steps, narrow(params))), [*written, grads]):
        root = (1 - beta2 ** step) ** 0.5
        size = lr / (1 - beta1 ** step)
        if not capturable and not differentiable:
            root, size = value_of(root), value_of(size)
        # (1 - beta1) m is as exact as a parameter is: PyTorch takes it in the parameter's dtype.
        share = 1 - (beta1.to(lists[0][0].dtype) if isinstance(beta1, cygrad.Tensor) else beta1)
        sizes = (-size, eps, root) if exact else (size * -root, root * eps, 1)
        update(_formula(maximize, decay, amsgrad, exact), lists[:-1], lists[-1:],
               (beta1, share, beta2, 1 - beta2, *sizes, factor), capturable, (1 + (decay == "decoupled"), 1, 2, 1))


@cache
def _formula(maximize, decay, amsgrad, exact):
    def moments(p, m, v, g, beta1, share1, beta2, share2, factor):
        p, g = decayed(p, g, maximize, decay, factor)
        return p, mean_of(m, g, beta1, share1), squares(v, g, beta2, share2)

    # m / (sqrt(v) / root + eps) is m * root / (sqrt(v) + eps * root), if not exactly
    def moved(p, m, v, down, eps, root):
        if exact:
            return p + m * down / plus(rounded(rounded(v.sqrt()) / root), eps)
        return p + m / (v.sqrt() + eps) * down

    def step(p, m, v, g, beta1, share1, beta2, share2, down, eps, root, factor):
        p, m, v = moments(p, m, v, g, beta1, share1, beta2, share2, factor)
        return moved(p, m, v, down, eps, root), m, v

    def amsgrad_step(p, m, v, most, g, beta1, share1, beta2, share2, down, eps, root, factor):
        p, m, v = moments(p, m, v, g, beta1, share1, beta2, share2, factor)
        most = rounded(most.maximum(v))
        return moved(p, m, most, down, eps, root), m, v, most

    return amsgrad_step if amsgrad else step
