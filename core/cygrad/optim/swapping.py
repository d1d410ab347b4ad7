"""Other parameters and another state in an optimizer, for a while."""
import contextlib
from collections import defaultdict

import cygrad

_NAME = "swap_in_optimizer_params_and_state"


@contextlib.contextmanager
def swap_in_optimizer_params_and_state(optimizer, swapin_parameters, swapin_optim_state):
    """A `with` block in which an optimizer has other parameters, options and states than before and after it.

    Parameters
    ----------
    optimizer : Optimizer
        It must have made a step: its state is not empty.
    swapin_parameters : dict of Tensor
        The parameters, in the optimizer's order.
    swapin_optim_state : dict
        Options and states, as of `Optimizer.state_dict`. Steps in the block change its tensors, nothing else of it.

    Yields
    ------
    None

    Raises
    ------
    RuntimeError
        If what comes in does not have the optimizer's structure.

    Examples
    --------
    >>> import cygrad
    >>> p, q = cygrad.ones(1, requires_grad=True), cygrad.zeros(1, requires_grad=True)
    >>> p.grad, q.grad = cygrad.ones(1), cygrad.ones(1)
    >>> optimizer = cygrad.optim.SGD([p], lr=0.5, momentum=0.9)
    >>> optimizer.step()
    >>> with cygrad.optim.swap_in_optimizer_params_and_state(optimizer, {"q": q}, optimizer.state_dict()):
    ...     optimizer.step()
    >>> p, q
    (tensor([0.5000], requires_grad=True), tensor([-0.9500], requires_grad=True))
    """
    state, swaps = _checked(optimizer, list(swapin_parameters.values()), swapin_optim_state)
    held = optimizer.state, list(map(dict, optimizer.param_groups))
    try:
        swapped = defaultdict(dict)
        for group, other, params in swaps:
            for param, number in zip(params, other["params"]):
                swapped[param] = dict(state.get(number, {}))
            group.update(other, params=params)
        optimizer.state = swapped
        yield
    finally:
        optimizer.state, groups = held
        for group, before in zip(optimizer.param_groups, groups):
            group.clear()
            group.update(before)


def _checked(optimizer, params, saved):
    """The state that comes in, and for each group: (the group, its other options, its other parameters)."""
    if not optimizer.state:
        raise RuntimeError(f"{_NAME} requires initialized optimizer state.")
    if not isinstance(saved, dict):
        raise RuntimeError(f"{_NAME} requires a DCP-style optimizer state_dict.")
    state, groups = _checked_state(saved.get("state")), saved.get("param_groups")
    if not isinstance(groups, list):
        raise RuntimeError(f"{_NAME} requires swapin_optim_state['param_groups'] to be a list of param-group dicts, "
                           f"got {type(groups).__name__}.")
    if len(optimizer.param_groups) != len(groups):
        raise RuntimeError("swapin_optim_state has a different number of parameter groups than the live optimizer.")
    swaps, numbers, first = [], set(), 0
    for i, (group, other) in enumerate(zip(optimizer.param_groups, groups)):
        own = _checked_group(i, group, other)
        numbers.update(own)
        if first + len(own) > len(params):
            raise RuntimeError(f"{_NAME} requires the explicit parameter state to match optimizer.param_groups "
                               "ordering.")
        swaps.append((group, other, params[first:first + len(own)]))
        first += len(own)
    others = [key for key in state if key not in numbers]
    if others:
        raise RuntimeError(f"{_NAME} requires swapin_optim_state['state'] to be keyed only by packed parameter ids "
                           f"from param_groups[*]['params']; got extra keys {others!r}.")
    return state, swaps


def _checked_state(state):
    if not isinstance(state, dict):
        raise RuntimeError(f"{_NAME} requires swapin_optim_state['state'] to be a dict mapping packed parameter ids "
                           f"to per-param state dicts, got {type(state).__name__}.")
    if any(isinstance(key, cygrad.Tensor) for key in state):
        raise RuntimeError(f"{_NAME} requires optimizer.state_dict()-style state keyed by packed parameter ids.")
    if any(isinstance(key, int) and not isinstance(value, dict) for key, value in state.items()):
        raise RuntimeError(f"{_NAME} requires per-parameter optimizer state entries to be dictionaries.")
    return state


def _checked_group(i, group, other):
    """The numbers of the group's parameters."""
    if not isinstance(other, dict):
        raise RuntimeError(f"{_NAME} requires each optimizer param group to be a dictionary.")
    numbers = other.get("params")
    if not isinstance(numbers, list) or not all(isinstance(number, int) for number in numbers):
        raise RuntimeError(f"{_NAME} requires optimizer.state_dict()-style param_groups[*]['params'] entries keyed by "
                           "packed parameter ids.")
    if len(group["params"]) != len(numbers):
        raise RuntimeError(f"swapin_optim_state param group {i} has a different number of params than the live "
                           "optimizer param group.")
    theirs, ours = [key for key in other if key not in group], [key for key in group if key not in other]
    if theirs or ours:
        raise RuntimeError(f"{_NAME} requires optimizer.state_dict()-style param group keys to exactly match the live "
                           f"optimizer group keys for group {i}. Keys only in swap-in: {theirs}. Keys only in live: "
                           f"{ours}.")
    return numbers
