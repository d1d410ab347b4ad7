"""Schedules that go up and down, the momentum the other way."""
import math

from cygrad.optim.lr_scheduler.base import LRScheduler, check_optimizer, for_groups, set_value, state_of_function


def bound_momentum(schedule, lowest, highest, fresh):
    """Put a momentum's bounds into the groups, and the highest as what it is at first."""
    optimizer = schedule.optimizer
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    schedule.use_beta1 = "betas" in optimizer.defaults
    lowest = for_groups("base_momentum", optimizer, lowest)
    highest = for_groups("max_momentum", optimizer, highest)
    if fresh:
        for group, low, high in zip(optimizer.param_groups, lowest, highest):
            set_momentum(schedule, group, high)
            group["max_momentum"], group["base_momentum"] = high, low
    return lowest, highest


def set_momentum(schedule, group, momentum):
    if schedule.use_beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


# ------------------------------------------------------- CyclicLR

class CyclicLR(LRScheduler):
    """Between two learning rates, up and down in straight lines (https://arxiv.org/abs/1506.01186).

    Parameters
    ----------
    optimizer : Optimizer
    base_lr, max_lr : float or list of float
        The bounds, for all groups or of each.
    step_size_up, step_size_down : int
        Steps up, and down; the same number by default.
    mode : str
        ``"triangular"``; ``"triangular2"``: the height is halved after each cycle; ``"exp_range"``: times
        `gamma` to the power of the step's number.
    gamma : float
    scale_fn : callable, optional
        The factor of the height instead of a mode's, of the cycle's or the step's number.
    scale_mode : str
        ``"cycle"`` or ``"iterations"``: which number `scale_fn` gets.
    cycle_momentum : bool
        Let the momentum go down where the learning rate goes up.
    base_momentum, max_momentum : float or list of float
        Its bounds.
    last_epoch : int
        The number of the last step, -1 at the start.

    Examples
    --------
    >>> import cygrad
    >>> optimizer = cygrad.optim.SGD([cygrad.ones(1, requires_grad=True)], momentum=0.9)
    >>> schedule = cygrad.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.0, max_lr=1.0, step_size_up=2)
    >>> rates = []
    >>> for _ in range(5):
    ...     optimizer.step()
    ...     rates += schedule.get_last_lr()
    ...     schedule.step()
    >>> rates
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """

    def __init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular",
                 gamma=1.0, scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8,
                 max_momentum=0.9, last_epoch=-1):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = for_groups("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups):
                set_value(group, "lr", lr)
        self.max_lrs = for_groups("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = bound_momentum(self, base_momentum, max_momentum,
                                                                      last_epoch == -1)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self):
        if self._scale_fn_custom is None:
            self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"

    def scale_fn(self, x):
        """The factor of the height.

        Parameters
        ----------
        x : float
            The cycle's number, from 1, or the step's, as `scale_mode` says.

        Returns
        -------
        float
        """
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "exp_range":
            return self.gamma ** x
        return 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else 1.0

    def get_lr(self):
        """The next learning rates, for `step` to call; the momentum is set.

        Returns
        -------
        list
        """
        self._warn_outside_of_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        share = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)

        def height(low, high):
            return (high - low) * share * self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)

        rates = [low + height(low, high) for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]
        if self.cycle_momentum:
            for group, low, high in zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums,
                                        strict=True):
                set_momentum(self, group, high - height(low, high))
        return rates

    def state_dict(self):
        """All attributes but the optimizer, to be saved; `scale_fn` if it is an object with attributes.

        Returns
        -------
        dict
        """
        state = super().state_dict()
        function = state.pop("_scale_fn_custom")
        return {**state, "_scale_fn_custom": None if function is None else state_of_function(function)}

    def load_state_dict(self, state_dict):
        """Take over what `state_dict` returned.

        Parameters
        ----------
        state_dict : dict
        """
        function = state_dict["_scale_fn_custom"]
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_scale_fn_custom"})
        if function is not None:
            self._scale_fn_custom.__dict__.update(function)
        self._init_scale_fn()


# ------------------------------------------------------- OneCycleLR

class OneCycleLR(LRScheduler):
    """Up to a largest learning rate, then down to a much smaller one (https://arxiv.org/abs/1708.07120).

    Parameters
    ----------
    optimizer : Optimizer
    max_lr : float or list of float
        The largest, for all groups or of each.
    total_steps : int, optional
        Steps of the cycle; else `epochs` times `steps_per_epoch`.
    epochs, steps_per_epoch : int, optional
    pct_start : float
        The part of the cycle that goes up.
    anneal_strategy : str
        ``"cos"`` or ``"linear"``.
    cycle_momentum : bool
        Let the momentum go down where the learning rate goes up.
    base_momentum, max_momentum : float or list of float
        Its bounds.
    div_factor : float
        What `max_lr` is divided by for the first learning rate.
    final_div_factor : float
        What that is divided by for the last one.
    three_phase : bool
        Down to the first learning rate as fast as up, then to the last one.
    last_epoch : int
        The number of the last step, -1 at the start.

    Raises
    ------
    ValueError
        If an option is out of its range.

    Examples
    --------
    >>> import cygrad
    >>> optimizer = cygrad.optim.SGD([cygrad.ones(1, requires_grad=True)], momentum=0.9)
    >>> schedule = cygrad.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=5, pct_start=0.5,
    ...                                                 anneal_strategy="linear", div_factor=10.0)
    >>> rates = []
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     rates += [round(rate, 4) for rate in schedule.get_last_lr()]
    ...     schedule.step()
    >>> rates
    [0.1, 0.7, 0.8, 0.4]
    """

    def __init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
                 anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
                 final_div_factor=1e4, three_phase=False, last_epoch=-1):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = self._total(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = self._phases(pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        highest = for_groups("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, highest):
                group["initial_lr"] = lr / div_factor
                group["max_lr"] = lr
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            bound_momentum(self, base_momentum, max_momentum, last_epoch == -1)
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _total(total_steps, epochs, steps_per_epoch):
        if total_steps is not None:
            if total_steps <= 0 or not isinstance(total_steps, int):
                raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
            return total_steps
        if epochs is None or steps_per_epoch is None:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        for name, value in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
            if not isinstance(value, int) or value <= 0:
                raise ValueError(f"Expected positive integer {name}, but got {value}")
        return epochs * steps_per_epoch

    def _phases(self, start, three):
        """The options that learning rate and momentum go between, until which step."""
        def phase(end, *options):
            names = ("start_lr", "end_lr", "start_momentum", "end_momentum")
            return {"end_step": end, **dict(zip(names, options))}

        up = phase(float(start * self.total_steps) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        last = self.total_steps - 1
        if not three:
            return [up, phase(last, "max_lr", "min_lr", "base_momentum", "max_momentum")]
        return [up, phase(float(2 * start * self.total_steps) - 2, "max_lr", "initial_lr", "base_momentum",
                          "max_momentum"),
                phase(last, "initial_lr", "min_lr", "max_momentum", "max_momentum")]

    def _between(self, start, end, share):
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)
        return (end - start) * share + start

    def get_lr(self):
        """The next learning rates, for `step` to call; the momentum is set.

        Returns
        -------
        list

        Raises
        ------
        ValueError
            After the last step.
        """
        self._warn_outside_of_step()
        number = self.last_epoch
        if number > self.total_steps:
            raise ValueError(f"Tried to step {number} times. The specified number of total steps is "
                             f"{self.total_steps}")
        ends = [phase["end_step"] for phase in self._schedule_phases]
        i = next((i for i, end in enumerate(ends) if number <= end), len(ends) - 1)
        phase, first = self._schedule_phases[i], ends[i - 1] if i else 0.0
        share = (number - first) / (ends[i] - first)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], share))
            if self.cycle_momentum:
                set_momentum(self, group, self._between(group[phase["start_momentum"]], group[phase["end_momentum"]],
                                                        share))
        return rates
