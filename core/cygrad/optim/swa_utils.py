"""`cygrad.optim.swa_utils`: a model of averaged weights (https://arxiv.org/abs/1803.05407), and its learning rate."""
import math
from copy import deepcopy
from itertools import chain

import cygrad
from cygrad import nn
from cygrad.optim.lr_scheduler.base import LRScheduler, for_groups

__all__ = ["AveragedModel", "update_bn", "SWALR", "get_ema_multi_avg_fn", "get_swa_multi_avg_fn", "get_ema_avg_fn",
           "get_swa_avg_fn"]


# ------------------------------------------------------- how to average

def _check_decay(decay):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _exact(values):
    return values[0].is_floating_point() or values[0].is_complex()


def get_ema_multi_avg_fn(decay=0.999):
    """What moves averaged weights towards the present ones, in place, keeping `decay` of each.

    Parameters
    ----------
    decay : float
        From 0 to 1.

    Returns
    -------
    callable
        For `AveragedModel`'s `multi_avg_fn`.
    """
    _check_decay(decay)

    @cygrad.no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        exact = _exact(ema_param_list)
        for averaged, current in zip(ema_param_list, current_param_list, strict=True):
            if exact:
                averaged.lerp_(current, 1 - decay)
            else:
                averaged.copy_(averaged * decay + current * (1 - decay))
    return ema_update


def get_swa_multi_avg_fn():
    """What lets averaged weights be the mean of all, in place.

    Returns
    -------
    callable
        For `AveragedModel`'s `multi_avg_fn`.
    """
    @cygrad.no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        exact, share = _exact(averaged_param_list), 1 / (num_averaged + 1)
        for averaged, current in zip(averaged_param_list, current_param_list, strict=True):
            if exact:
                averaged.lerp_(current, share.to(averaged.dtype) if isinstance(share, cygrad.Tensor) else share)
            elif isinstance(num_averaged, cygrad.Tensor):
                averaged.addcdiv_(current - averaged, num_averaged + 1)
            else:
                averaged.add_(current - averaged, alpha=share)
    return swa_update


def get_ema_avg_fn(decay=0.999):
    """What moves an averaged weight towards the present one, keeping `decay` of it.

    Parameters
    ----------
    decay : float
        From 0 to 1.

    Returns
    -------
    callable
        For `AveragedModel`'s `avg_fn`.
    """
    _check_decay(decay)

    @cygrad.no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param
    return ema_update


def get_swa_avg_fn():
    """What lets an averaged weight be the mean of all.

    Returns
    -------
    callable
        For `AveragedModel`'s `avg_fn`.
    """
    @cygrad.no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)
    return swa_update


# ------------------------------------------------------- the model

class AveragedModel(nn.Module):
    """A copy of a model, whose weights become means of the model's.

    Parameters
    ----------
    model : Module
    device : device, optional
        Where the copy is.
    avg_fn : callable, optional
        ``avg_fn(averaged, current, number)``: the new average of a parameter; the mean of all by default.
    multi_avg_fn : callable, optional
        The same for lists of parameters, in place.
    use_buffers : bool
        Average buffers, too, instead of copying them.

    Attributes
    ----------
    module : Module
        The copy.
    n_averaged : Tensor
        How often `update_parameters` was called.

    Examples
    --------
    >>> import cygrad
    >>> model = cygrad.nn.Linear(1, 1, bias=False)
    >>> averaged = cygrad.optim.swa_utils.AveragedModel(model)
    >>> for weight in (1.0, 2.0, 6.0):
    ...     _ = cygrad.nn.init.constant_(model.weight, weight)
    ...     averaged.update_parameters(model)
    >>> averaged.module.weight.item()
    3.0
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", cygrad.tensor(0, dtype=cygrad.int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        """What the copy computes.

        Parameters
        ----------
        *args, **kwargs
            For the copy.

        Returns
        -------
        object
        """
        return self.module(*args, **kwargs)

    def update_parameters(self, model):
        """Take the model's weights into the averages; the first ones are copied.

        Parameters
        ----------
        model : Module
            Of the structure of the copy.
        """
        own, other = self.parameters(), model.parameters()
        if self.use_buffers:
            own, other = chain(self.module.parameters(), self.module.buffers()), chain(other, model.buffers())
        pairs = [(averaged.detach(), current.detach().to(averaged.device)) for averaged, current in zip(own, other)]
        if self.n_averaged == 0:
            for averaged, current in pairs:
                averaged.copy_(current)
        elif self.multi_avg_fn is not None:
            for alike in _by_kind(pairs):
                self.multi_avg_fn(*map(list, zip(*alike)), self.n_averaged.to(alike[0][0].device))
        else:
            average = self.avg_fn or get_swa_avg_fn()
            for averaged, current in pairs:
                averaged.copy_(average(averaged, current, self.n_averaged.to(averaged.device)))
        if not self.use_buffers:
            for averaged, current in zip(self.module.buffers(), model.buffers(), strict=True):
                averaged.detach().copy_(current.detach().to(averaged.device))
        self.n_averaged += 1


def _by_kind(pairs):
    """The pairs, those of one device and dtype together."""
    kinds = {}
    for averaged, current in pairs:
        kinds.setdefault((averaged.device, averaged.dtype), []).append((averaged, current))
    return kinds.values()


@cygrad.no_grad()
def update_bn(loader, model, device=None):
    """Let the model's batch normalization compute its running means and variances anew, in one pass over data.

    Parameters
    ----------
    loader : iterable
        Batches: tensors, or tuples or lists whose first element is the model's input.
    model : Module
    device : device, optional
        Where batches go to.
    """
    kinds = tuple(getattr(nn, name) for name in ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm")
                  if hasattr(nn, name))
    momenta = {module: module.momentum for module in model.modules() if isinstance(module, kinds)}
    for module in momenta:
        module.reset_running_stats()
    if not momenta:
        return
    training = model.training
    model.train()
    for module in momenta:
        module.momentum = None              # the mean of all batches
    for batch in loader:
        batch = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(batch if device is None else batch.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(training)


# ------------------------------------------------------- the learning rate

class SWALR(LRScheduler):
    """From each learning rate to a fixed one, in `anneal_epochs` steps.

    Parameters
    ----------
    optimizer : Optimizer
    swa_lr : float or list of float
        The last learning rate, for all groups or of each.
    anneal_epochs : int
    anneal_strategy : str
        ``"cos"`` or ``"linear"``.
    last_epoch : int
        The number of the last step, -1 at the start.

    Examples
    --------
    >>> import cygrad
    >>> optimizer = cygrad.optim.SGD([cygrad.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = cygrad.optim.swa_utils.SWALR(optimizer, 0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> rates = []
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     rates += schedule.get_last_lr()
    ...     schedule.step()
    >>> rates
    [1.0, 0.75, 0.5, 0.5]
    """

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        for group, lr in zip(optimizer.param_groups, for_groups("swa_lr", optimizer, swa_lr)):
            group["swa_lr"] = lr
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def anneal_func(self, t):
        """How much of the way is gone.

        Parameters
        ----------
        t : float
            How much of the time, from 0 to 1.

        Returns
        -------
        float
        """
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def _gone(self, step):
        return self.anneal_func(max(0, min(1, step / max(1, self.anneal_epochs))))

    def get_lr(self):
        """The next learning rates; for `step` to call.

        Returns
        -------
        list
        """
        self._warn_outside_of_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._gone(step - 1), self._gone(step)
        rates = []
        for group in self.optimizer.param_groups:
            lr, last = group["lr"], group["swa_lr"]
            first = last if before == 1 else (lr - before * last) / (1 - before)
            rates.append(last * now + first * (1 - now))
        return rates
