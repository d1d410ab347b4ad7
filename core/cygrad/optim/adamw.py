"""AdamW: Adam whose weight decay does not go through the running means."""
from cygrad.optim.adam import Adam, adam

__all__ = ["AdamW", "adamw"]


class AdamW(Adam):
    """Adam with decoupled weight decay (https://arxiv.org/abs/1711.05101).

    p <- p - lr weight_decay p, then Adam's step.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or groups.
    lr : float or Tensor
        Learning rate.
    betas : tuple of float or of Tensor
        Decay of the running means of the gradient and of its square.
    eps : float
        Added to the root.
    weight_decay : float
        Times `lr`, the part of a parameter that is taken away in a step.
    amsgrad : bool
        Divide by the largest mean of squares so far.
    maximize, foreach, capturable, differentiable, fused
        See `Adam`.

    Examples
    --------
    >>> import cygrad
    >>> p = cygrad.tensor([1., 2.], requires_grad=True)
    >>> optimizer = cygrad.optim.AdamW([p], lr=0.1, weight_decay=0.5)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.8500, 1.8000], requires_grad=True)
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *,
                 maximize=False, foreach=None, capturable=False, differentiable=False, fused=None):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
                         capturable=capturable, differentiable=differentiable, fused=fused,
                         decoupled_weight_decay=True)

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


def adamw(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None, capturable=False,
          differentiable=False, fused=None, grad_scale=None, found_inf=None, has_complex=False, *, amsgrad, beta1,
          beta2, lr, weight_decay, eps, maximize):
    """The step of `AdamW` as a function of lists.

    Parameters
    ----------
    params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps : list of Tensor
        One of each for each parameter.
    foreach, capturable, differentiable, fused, grad_scale, found_inf, has_complex
        See `adam`.
    amsgrad, beta1, beta2, lr, weight_decay, eps, maximize
        See `AdamW`.
    """
    adam(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=foreach, capturable=capturable,
         differentiable=differentiable, fused=fused, grad_scale=grad_scale, found_inf=found_inf,
         has_complex=has_complex, amsgrad=amsgrad, beta1=beta1, beta2=beta2, lr=lr, weight_decay=weight_decay, eps=eps,
         maximize=maximize, decoupled_weight_decay=True)
