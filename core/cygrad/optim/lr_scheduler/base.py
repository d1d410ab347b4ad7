"""`LRScheduler`, the base of all schedules: counting steps, writing learning rates into an optimizer's groups.

A schedule computes the next learning rates in `get_lr`, mostly from the present ones, so that several can be in use at
once; `_get_closed_form_lr`, where there is one, computes them from the step's number alone.
"""
import functools
import types
import warnings
import weakref
from contextlib import contextmanager

import cygrad
from cygrad.optim.optimizer import Optimizer
from cygrad.optim.updates import as_scalar

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose.")
_ORDER = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


# ------------------------------------------------------- options of groups, which may be tensors

def copied(value):
    """An option's value that nobody else changes."""
    return value.clone() if isinstance(value, cygrad.Tensor) else value


def values_of(optimizer, key):
    """An option of each group."""
    return [copied(group[key]) for group in optimizer.param_groups]


def set_value(group, key, value):
    """Change an option of a group; a tensor stays the same tensor."""
    if isinstance(group[key], cygrad.Tensor):
        group[key].fill_(as_scalar(value))
    else:
        group[key] = value


def for_groups(name, optimizer, value):
    """A value for each group, of one for all or a list of them."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        value = [value] * groups
    elif len(value) != groups:
        raise ValueError(f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
                         f"param_groups has {groups}.")
    return list(map(copied, value))


def check_optimizer(optimizer):
    """What is scheduled is an optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def watch(optimizer):
    """Let the optimizer remember that it has made a step, so that steps in the wrong order are noticed."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    function, owner = optimizer.step.__func__, weakref.ref(optimizer)

    @functools.wraps(function)
    def step(*args, **kwargs):
        optimizer = owner()
        optimizer._opt_called = True
        return function(optimizer, *args, **kwargs)

    step._wrapped_by_lr_sched = True
    optimizer.step = step


# ------------------------------------------------------- state of functions

def state_of_function(function):
    """The attributes of an object that is called; None of a plain function."""
    return None if isinstance(function, types.FunctionType) else function.__dict__.copy()


class LRScheduler:
    """Base class of all schedules.

    Parameters
    ----------
    optimizer : Optimizer
        Its groups' ``"lr"`` are what changes.
    last_epoch : int
        The number of the last step, -1 at the start. Resuming, make the schedule before `Optimizer.load_state_dict`.

    Attributes
    ----------
    base_lrs : list
        The learning rates at the start.
    last_epoch : int
        The number of the last step.

    Raises
    ------
    TypeError
        If it is no optimizer.
    KeyError
        If a schedule is resumed whose groups have no ``"initial_lr"``.
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer, last_epoch=-1):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
                    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for "
                    "a fresh training run (not recommended)")
        self.base_lrs = values_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        watch(optimizer)
        self._initial_step()

    def _initial_step(self):
        """The step that sets the first learning rates."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    # ---- state

    def state_dict(self):
        """All attributes but the optimizer, to be saved.

        Returns
        -------
        dict
        """
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict):
        """Take over what `state_dict` returned.

        Parameters
        ----------
        state_dict : dict
        """
        self.__dict__.update(state_dict)

    # ---- learning rates

    def get_last_lr(self):
        """The learning rates that the last step set.

        Returns
        -------
        list
            One for each group, of the type that its ``"lr"`` has.
        """
        return self._last_lr

    def get_lr(self):
        """The next learning rates; for `step` to call.

        Returns
        -------
        list
            One for each group.
        """
        raise NotImplementedError

    def _current(self):
        """The learning rates as they are."""
        return values_of(self.optimizer, "lr")

    def _scaled(self, factor):
        """The learning rates as they are, times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _warn_outside_of_step(self):
        if not self._get_lr_called_within_step:
            warnings.warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                          UserWarning, stacklevel=2)

    @contextmanager
    def _within_step(self):
        self._get_lr_called_within_step = True
        try:
            yield
        finally:
            self._get_lr_called_within_step = False

    def step(self, epoch=None):
        """Set the next learning rates; to be called after `Optimizer.step`.

        Parameters
        ----------
        epoch : int, optional
            Deprecated: the number of the step.
        """
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn("Seems like `optimizer.step()` has been overridden after learning rate scheduler "
                              "initialization. Please, make sure to call `optimizer.step()` before "
                              f"`lr_scheduler.step()`. {_ORDER}", UserWarning, stacklevel=2)
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn("Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and "
                              "later, you should call them in the opposite order: `optimizer.step()` before "
                              "`lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first "
                              f"value of the learning rate schedule. {_ORDER}", UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch=None):
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        with self._within_step():
            closed = epoch is not None and hasattr(self, "_get_closed_form_lr")
            self._set(self._get_closed_form_lr() if closed else self.get_lr())

    def _set(self, values):
        """Write learning rates into the groups."""
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            set_value(group, "lr", value)
        self._last_lr = self._current()


class _LRScheduler(LRScheduler):
    """The older name of `LRScheduler`."""
