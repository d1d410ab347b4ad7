"""Schedules along half a cosine (https://arxiv.org/abs/1608.03983)."""
import math

from cygrad.optim.lr_scheduler.base import LRScheduler


class CosineAnnealingLR(LRScheduler):
    """From the first learning rate to `eta_min` and back, along a cosine of `T_max` steps each way.

    Parameters
    ----------
    optimizer : Optimizer
    T_max : int
    eta_min : float
    last_epoch : int
        The number of the last step, -1 at the start.

    Examples
    --------
    >>> import cygrad
    >>> optimizer = cygrad.optim.SGD([cygrad.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = cygrad.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    >>> rates = []
    >>> for _ in range(5):
    ...     optimizer.step()
    ...     rates += [round(rate, 4) for rate in schedule.get_last_lr()]
    ...     schedule.step()
    >>> rates
    [1.0, 0.8536, 0.5, 0.1464, 0.0]
    """

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The next learning rates; for `step` to call.

        Returns
        -------
        list
        """
        self._warn_outside_of_step()
        number, half = self.last_epoch, self.T_max
        if self._is_initial:
            return self._current()
        if self._step_count == 1 and number > 0:
            return self._get_closed_form_lr()
        if (number - 1 - half) % (2 * half) == 0:           # the quotient below would be 0 / 0
            return [group["lr"] + (lr - self.eta_min) * (1 - math.cos(math.pi / half)) / 2
                    for lr, group in zip(self.base_lrs, self.optimizer.param_groups, strict=True)]
        quotient = (1 + math.cos(math.pi * number / half)) / (1 + math.cos(math.pi * (number - 1) / half))
        return [quotient * (group["lr"] - self.eta_min) + self.eta_min for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self):
        return [self.eta_min + (lr - self.eta_min) * (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
                for lr in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """From the first learning rate to `eta_min` along a cosine, again and again.

    Parameters
    ----------
    optimizer : Optimizer
    T_0 : int
        Steps before the first restart.
    T_mult : int
        How many times as long each time is as the one before.
    eta_min : float
    last_epoch : int
        The number of the last step, -1 at the start.

    Raises
    ------
    ValueError
        If a number of steps is not positive.

    Examples
    --------
    >>> import cygrad
    >>> optimizer = cygrad.optim.SGD([cygrad.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = cygrad.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> rates = []
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     rates += schedule.get_last_lr()
    ...     schedule.step()
    >>> rates
    [1.0, 0.5, 1.0, 0.5]
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The next learning rates; for `step` to call.

        Returns
        -------
        list
        """
        self._warn_outside_of_step()
        return [self.eta_min + (lr - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
                for lr in self.base_lrs]

    def step(self, epoch=None):
        """Set the next learning rates; to be called after `Optimizer.step`.

        Parameters
        ----------
        epoch : float, optional
            The number of the step; with a fraction, where between two.
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        with self._within_step():
            self._set(self.get_lr())

    def _go_to(self, epoch):
        """Find out which time it is, and how far it has come."""
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            times = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult ** times - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult ** times
