"""Rprop: a step size for each element, which grows while the gradient keeps its sign."""
from functools import cache

import cygrad
from cygrad.optim.checks import check_capturable, check_lr, check_steps
from cygrad.optim.optimizer import Optimizer, _use_grad_for_differentiable, each_group
from cygrad.optim.updates import alike, as_scalar, rounded, update

__all__ = ["Rprop", "rprop"]


class Rprop(Optimizer):
    """Resilient backpropagation (Riedmiller and Braun, 1993).

    An element's step size is multiplied by eta+ if its gradient has the sign of the one before, by eta- if it has the
    other (this gradient then counts as 0), and kept between two limits; the element goes down by it.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or groups.
    lr : float or Tensor
        The first step size.
    etas : tuple of float
        eta- and eta+.
    step_sizes : tuple of float
        The smallest and the largest step size.
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
    >>> optimizer = cygrad.optim.Rprop([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.9000, 1.9000], requires_grad=True)
    """

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None,
                 maximize=False, differentiable=False):
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, dict(lr=lr, etas=etas, step_sizes=step_sizes, foreach=foreach, maximize=maximize,
                                      differentiable=differentiable, capturable=capturable))

    def __setstate__(self, state):
        super().__setstate__(state)
        self._complete(foreach=None, maximize=False, differentiable=False, capturable=False)

    def _new_state(self, group, param):
        lr = as_scalar(group["lr"])
        return {"step": self._counter(group, param), "prev": cygrad.zeros_like(param),
                "step_size": cygrad.full_like(param.grad, complex(lr, lr) if param.is_complex() else lr)}

    @_use_grad_for_differentiable
    @each_group
    def step(self, group):
        rprop(*self._collect(group, "prev", "step_size", "step"), foreach=group["foreach"],
              capturable=group["capturable"], maximize=group["maximize"], differentiable=group["differentiable"],
              step_size_min=group["step_sizes"][0], step_size_max=group["step_sizes"][1],
              etaminus=group["etas"][0], etaplus=group["etas"][1])


def rprop(params, grads, prevs, step_sizes, state_steps, foreach=None, capturable=False, maximize=False,
          differentiable=False, has_complex=False, *, step_size_min, step_size_max, etaminus, etaplus):
    """The step of `Rprop` as a function of lists.

    Parameters
    ----------
    params, grads, prevs, step_sizes, state_steps : list of Tensor
        One of each for each parameter.
    foreach, has_complex : bool
        PyTorch's; nothing depends on them.
    capturable, maximize, differentiable
        See `Rprop`.
    step_size_min, step_size_max, etaminus, etaplus : float
        Limits and factors of the step sizes.
    """
    check_steps(state_steps, foreach, differentiable)
    if capturable:
        check_capturable(params, state_steps)
    for step in state_steps:
        step += 1
    for dtype, lists in alike([param.dtype for param in params], (params, prevs, step_sizes, grads)):
        factors = cygrad.tensor([etaminus, etaplus], dtype=dtype.to_real()).tolist()        # elements in PyTorch
        update(_formula(maximize), lists[:3], lists[3:], (step_size_min, step_size_max, *factors), capturable,
               (1, 1, 2))


@cache
def _formula(maximize):
    def step(p, prev, size, g, least, most, minus, plus):
        g = -g if maximize else g
        kept = rounded(g * prev)
        size = rounded((size * plus).where(kept > 0, (size * minus).where(kept < 0, size)))
        size = size.where((size < least).logical_not(), least)
        size = rounded(size.where((size > most).logical_not(), most))
        g = g.where((kept < 0).logical_not(), 0)
        return p - g.sign() * size, g, size
    return step
