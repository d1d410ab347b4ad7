"""Adafactor: steps over the root of a mean of squares, which of a matrix is kept as one row and one column."""
import cygrad
from cygrad.optim.checks import check_lr
from cygrad.optim.optimizer import Optimizer, each_group
from cygrad.optim.updates import as_scalar, counted

__all__ = ["Adafactor", "adafactor"]


class Adafactor(Optimizer):
    """Adafactor (https://arxiv.org/abs/1804.04235).

    In step t the means of g^2 along the last two axes, R and C, decay by 1 - t^beta2_decay;
    V = R C / max(mean of R, eps1) and U = g / max(sqrt(V), eps1); p <- p - a U / max(1, RMS(U) / d), where
    a = max(eps2, RMS(p)) min(lr, 1 / sqrt(t)). Of vectors V itself is kept.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or groups.
    lr : float or Tensor
        The largest relative step size.
    beta2_decay : float
        Not positive.
    eps : tuple of float
        eps1, None for that of the dtype, and eps2.
    d : float
        From which RMS on a step is made smaller.
    weight_decay : float
        Times `lr`, the part of a parameter that is taken away in a step.
    foreach : bool, optional
        PyTorch's choice between ways to compute the same.
    maximize : bool
        Go up.

    Examples
    --------
    >>> import cygrad
    >>> p = cygrad.tensor([3., 4.], requires_grad=True)
    >>> optimizer = cygrad.optim.Adafactor([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([2.6464, 3.6464], requires_grad=True)
    """

    def __init__(self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None,
                 maximize=False):
        check_lr(lr, "Learning rate should be >= 0 but is: {}")
        if not 0.0 >= beta2_decay:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not 0.0 <= eps[0]:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not 0.0 <= eps[1]:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not 1.0 <= d:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(params, dict(lr=lr, beta2_decay=beta2_decay, eps=eps, d=d, weight_decay=weight_decay,
                                      foreach=foreach, maximize=maximize))

    def __setstate__(self, state):
        super().__setstate__(state)
        self._complete(foreach=None)

    def _new_state(self, group, param):
        if param.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        grad, state = param.grad, {"step": self._counter(group, param)}
        if grad.dim() > 1:
            state["row_var"] = grad.new_zeros([*grad.shape[:-1], 1])
            state["col_var"] = grad.new_zeros([*grad.shape[:-2], 1, grad.shape[-1]])
        else:
            state["variance"] = cygrad.zeros_like(grad)
        return state

    @cygrad.no_grad()
    @each_group
    def step(self, group):
        adafactor(*self._collect(group, "row_var", "col_var", "variance", "step"), foreach=group["foreach"],
                  grad_scale=getattr(self, "grad_scale", None), found_inf=getattr(self, "found_inf", None),
                  d=group["d"], lr=group["lr"], beta2_decay=group["beta2_decay"],
                  weight_decay=group["weight_decay"], eps1=group["eps"][0], eps2=group["eps"][1],
                  maximize=group["maximize"])


def adafactor(params, grads, row_vars, col_vars, variances, state_steps, foreach=None, grad_scale=None, found_inf=None,
              has_complex=False, *, d, lr, beta2_decay, weight_decay, eps1, eps2, maximize):
    """The step of `Adafactor` as a function of lists.

    Parameters
    ----------
    params, grads, state_steps : list of Tensor
        One of each for each parameter.
    row_vars, col_vars, variances : list of Tensor or None
        Of gradients with two or more axes the first two, of others the third.
    foreach, has_complex : bool
        PyTorch's; nothing depends on them.
    grad_scale, found_inf : None
        Gradients must have been unscaled before.
    d, lr, beta2_decay, weight_decay, maximize
        See `Adafactor`.
    eps1, eps2 : float
        See `Adafactor`.
    """
    if not all(isinstance(step, cygrad.Tensor) for step in state_steps):
        raise RuntimeError("`state_steps` argument must contain a list of singleton tensors")
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Grad scaling should occur outside of optimizer.step()")
    lr = as_scalar(lr)
    for param, grad, row, column, variance, step in zip(params, grads, row_vars, col_vars, variances,
                                                        counted(state_steps)):
        grad = -grad if maximize else grad
        if eps1 is None:
            eps1 = cygrad.finfo(param.dtype).eps
        share = step ** beta2_decay
        size = max(eps2, rms(param)) * min(lr, 1 / step ** 0.5)
        if weight_decay != 0:
            param.mul_(1 - lr * weight_decay)
        estimate = (factored(grad, row, column, share, eps1) if grad.dim() > 1 else
                    whole(grad, variance, share))
        change = estimate.clamp_(min=eps1 * eps1).rsqrt_().mul_(grad)
        down = size / max(1.0, rms(change) / d)
        param.add_(change, alpha=-(down.item() if isinstance(down, cygrad.Tensor) else down))


def rms(values):
    """The root of the mean of squares, as a number."""
    return values.norm(2).item() / values.numel() ** 0.5


def factored(grad, row, column, share, eps):
    """The estimate of g^2 from its means along rows and columns, which get their new values."""
    if row is None or column is None:
        raise AssertionError("row_var and col_var should be defined when grad is multidimensional")
    row.lerp_(grad.norm(dim=-1, keepdim=True).square_().div_(grad.size(-1)), share)
    column.lerp_(grad.norm(dim=-2, keepdim=True).square_().div_(grad.size(-2)), share)
    return (row @ column).div_(row.mean(dim=-2, keepdim=True).clamp_(min=eps))


def whole(grad, variance, share):
    """The mean of g^2, which gets its new value, as a copy."""
    if variance is None:
        raise AssertionError("variance should be defined when grad is a vector")
    return variance.lerp_(grad * grad, share).clone()
