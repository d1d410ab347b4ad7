"""Schedules that multiply learning rates by a factor: a function's, a constant one, one that falls step by step."""
from bisect import bisect_right
from collections import Counter

from cygrad.optim.lr_scheduler.base import LRScheduler, state_of_function


class WithFunctions(LRScheduler):
    """A schedule by a function for each group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * groups
        elif len(lr_lambda) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda)
        self._check_lambdas()
        super().__init__(optimizer, last_epoch)

    def _check_lambdas(self):
        pass

    def state_dict(self):
        """All attributes but the optimizer, to be saved; of the functions, those that are objects with attributes.

        Returns
        -------
        dict
        """
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = list(map(state_of_function, self.lr_lambdas))
        return state

    def load_state_dict(self, state_dict):
        """Take over what `state_dict` returned.

        Parameters
        ----------
        state_dict : dict
        """
        functions = state_dict["lr_lambdas"]
        self.__dict__.update((key, value) for key, value in state_dict.items() if key != "lr_lambdas")
        for function, state in zip(self.lr_lambdas, functions):
            if state is not None:
                function.__dict__.update(state)


class LambdaLR(WithFunctions):
    """Sets learning rates to their first values times a function of the step's number.

    Parameters
    ----------
    optimizer : Optimizer
    lr_lambda : callable or list of callable
        ``lr_lambda(number)``, for all groups or one for each.
    last_epoch : int
        The number of the last step, -1 at the start.

    Examples
    --------
    >>> import cygrad
    >>> optimizer = cygrad.optim.SGD([cygrad.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = cygrad.optim.lr_scheduler.LambdaLR(optimizer, lambda number: 1 / (1 + number))
    >>> optimizer.step(), schedule.step()
    (None, None)
    >>> schedule.get_last_lr()
    [0.25]
    """

    def get_lr(self):
        """The next learning rates; for `step` to call.

        Returns
        -------
        list
        """
        self._warn_outside_of_step()
        return [lr * function(self.last_epoch) for function, lr in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(WithFunctions):
    """Multiplies learning rates by a function of the step's number.

    Parameters
    ----------
    optimizer : Optimizer
    lr_lambda : callable or list of callable
        ``lr_lambda(number)``, for all groups or one for each.
    last_epoch : int
        The number of the last step, -1 at the start.

    Examples
    --------
    >>> import cygrad
    >>> optimizer = cygrad.optim.SGD([cygrad.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = cygrad.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda step: 0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     rates += schedule.get_last_lr()
    ...     schedule.step()
    >>> rates
    [1.0, 0.5, 0.25, 0.125]
    """

    def _check_lambdas(self):
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")

    def get_lr(self):
        """The next learning rates; for `step` to call.

        Returns
        -------
        list
        """
        self._warn_outside_of_step()
        if self._is_initial:
            return self._current()
        return [group["lr"] * function(self.last_epoch)
                for function, group in zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)]


class StepLR(LRScheduler):
    """Multiplies learning rates by `gamma` after every `step_size` steps.

    Parameters
    ----------
    optimizer : Optimizer
    step_size : int
    gamma : float
    last_epoch : int
        The number of the last step, -1 at the start.

    Examples
    --------
    >>> import cygrad
    >>> optimizer = cygrad.optim.SGD([cygrad.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = cygrad.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> rates = []
    >>> for _ in range(5):
    ...     optimizer.step()
    ...     rates += schedule.get_last_lr()
    ...     schedule.step()
    >>> rates
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The next learning rates; for `step` to call.

        Returns
        -------
        list
        """
        self._warn_outside_of_step()
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self._scaled(self.gamma) if due else self._current()

    def _get_closed_form_lr(self):
        return [lr * self.gamma ** (self.last_epoch // self.step_size) for lr in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiplies learning rates by `gamma` at the steps named.

    Parameters
    ----------
    optimizer : Optimizer
    milestones : iterable of int
        Numbers of the steps; one that occurs twice counts twice.
    gamma : float
    last_epoch : int
        The number of the last step, -1 at the start.

    Examples
    --------
    >>> import cygrad
    >>> optimizer = cygrad.optim.SGD([cygrad.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = cygrad.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     rates += schedule.get_last_lr()
    ...     schedule.step()
    >>> rates
    [1.0, 0.5, 0.5, 0.25]
    """

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The next learning rates; for `step` to call.

        Returns
        -------
        list
        """
        self._warn_outside_of_step()
        if self.last_epoch not in self.milestones:
            return self._current()
        return self._scaled(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self):
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [lr * self.gamma ** passed for lr in self.base_lrs]


class ConstantLR(LRScheduler):
    """Multiplies learning rates by `factor` for the first `total_iters` steps.

    Parameters
    ----------
    optimizer : Optimizer
    factor : float
        From 0 to 1.
    total_iters : int
    last_epoch : int
        The number of the last step, -1 at the start.

    Examples
    --------
    >>> import cygrad
    >>> optimizer = cygrad.optim.SGD([cygrad.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = cygrad.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> rates = []
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     rates += schedule.get_last_lr()
    ...     schedule.step()
    >>> rates
    [0.5, 0.5, 1.0, 1.0]
    """

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The next learning rates; for `step` to call.

        Returns
        -------
        list
        """
        self._warn_outside_of_step()
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        return self._scaled(1.0 / self.factor) if self.last_epoch == self.total_iters else self._current()

    def _get_closed_form_lr(self):
        factor = self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor)
        return [lr * factor for lr in self.base_lrs]


class LinearLR(LRScheduler):
    """Multiplies learning rates by a factor that goes from `start_factor` to `end_factor` in `total_iters` equal steps.

    Parameters
    ----------
    optimizer : Optimizer
    start_factor, end_factor : float
        From 0 to 1, the first greater than 0.
    total_iters : int
    last_epoch : int
        The number of the last step, -1 at the start.

    Examples
    --------
    >>> import cygrad
    >>> optimizer = cygrad.optim.SGD([cygrad.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = cygrad.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.25, total_iters=3)
    >>> rates = []
    >>> for _ in range(5):
    ...     optimizer.step()
    ...     rates += schedule.get_last_lr()
    ...     schedule.step()
    >>> rates
    [0.25, 0.5, 0.75, 1.0, 1.0]
    """

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The next learning rates; for `step` to call.

        Returns
        -------
        list
        """
        self._warn_outside_of_step()
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._current()
        rise = self.end_factor - self.start_factor
        return self._scaled(1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))

    def _get_closed_form_lr(self):
        rise = (self.end_factor - self.start_factor) * min(self.total_iters, self.last_epoch) / self.total_iters
        return [lr * (self.start_factor + rise) for lr in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiplies learning rates by `gamma` after every step.

    Parameters
    ----------
    optimizer : Optimizer
    gamma : float
    last_epoch : int
        The number of the last step, -1 at the start.

    Examples
    --------
    >>> import cygrad
    >>> optimizer = cygrad.optim.SGD([cygrad.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = cygrad.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     rates += schedule.get_last_lr()
    ...     schedule.step()
    >>> rates
    [1.0, 0.5, 0.25, 0.125]
    """

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The next learning rates; for `step` to call.

        Returns
        -------
        list
        """
        self._warn_outside_of_step()
        return self._current() if self._is_initial else self._scaled(self.gamma)

    def _get_closed_form_lr(self):
        return [lr * self.gamma ** self.last_epoch for lr in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Multiplies learning rates by (1 - number / total_iters)^power, until this is 0.

    Parameters
    ----------
    optimizer : Optimizer
    total_iters : int
    power : float
    last_epoch : int
        The number of the last step, -1 at the start.

    Examples
    --------
    >>> import cygrad
    >>> optimizer = cygrad.optim.SGD([cygrad.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = cygrad.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4)
    >>> rates = []
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     rates += schedule.get_last_lr()
    ...     schedule.step()
    >>> rates
    [1.0, 0.75, 0.5, 0.25]
    """

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The next learning rates; for `step` to call.

        Returns
        -------
        list
        """
        self._warn_outside_of_step()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._current()
        now, before = 1.0 - self.last_epoch / self.total_iters, 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._scaled((now / before) ** self.power)

    def _get_closed_form_lr(self):
        left = (1.0 - min(self.total_iters, self.last_epoch) / self.total_iters) ** self.power
        return [lr * left for lr in self.base_lrs]
