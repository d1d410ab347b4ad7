"""`Optimizer`, the base of all: groups of parameters with their options, the state of each parameter, and how both are
written down and loaded.

What an optimizer computes is in the subclasses' files, and how it runs there in `updates.py`. A state dict has
PyTorch's structure: parameters are numbers, in the order of their groups.
"""
import functools
import warnings
from collections import defaultdict
from copy import deepcopy
from itertools import chain

import cygrad
from cygrad.optim.hooks import (Hooked, _global_optimizer_post_hooks, _global_optimizer_pre_hooks,
                                register_optimizer_step_post_hook, register_optimizer_step_pre_hook)
from cygrad.optim.updates import scalar_dtype
from cygrad.utils.whole_class import made_of_parts

__all__ = ["Optimizer", "register_optimizer_step_pre_hook", "register_optimizer_step_post_hook"]


class _RequiredParameter:
    """The default of an option that every group must give."""

    def __repr__(self):
        return "<required parameter>"


required = _RequiredParameter()


def _use_grad_for_differentiable(function):
    """A `step` that records what it computes where the optimizer is differentiable, and only there."""
    @functools.wraps(function)
    def step(self, *args, **kwargs):
        with cygrad.set_grad_enabled(self.defaults["differentiable"]):
            return function(self, *args, **kwargs)
    return step


def each_group(change):
    """An optimizer's `step`, from what it does with one group of parameters."""
    def step(self, closure=None):
        loss = self._loss(closure)
        for group in self.param_groups:
            change(self, group)
        return loss
    step.__doc__, step.__module__, step.__qualname__ = Optimizer.step.__doc__, change.__module__, change.__qualname__
    return step


def _hooked(function):
    """`step` with the hooks before and after it."""
    @functools.wraps(function)
    def step(*args, **kwargs):
        self = args[0]
        for hook in chain(_global_optimizer_pre_hooks.values(), self._optimizer_step_pre_hooks.values()):
            changed = hook(self, args, kwargs)
            if changed is None:
                continue
            if not isinstance(changed, tuple) or len(changed) != 2:
                raise RuntimeError(f"{function} must return None or a tuple of (new_args, new_kwargs), but got "
                                   f"{changed}.")
            args, kwargs = changed
        result = function(*args, **kwargs)
        for hook in chain(self._optimizer_step_post_hooks.values(), _global_optimizer_post_hooks.values()):
            hook(self, args, kwargs)
        return result
    step.hooked = True
    return step


def _part_of(param, state):
    """A parameter's state; of one that is divided among ranks, tensors that know it."""
    if not hasattr(param, "like_this") or not isinstance(state, dict):
        return state
    return {name: param.like_this(value) if isinstance(value, cygrad.Tensor) and value.shape == param.shape else value
            for name, value in state.items()}


@made_of_parts
class Optimizer(Hooked):
    """Base class of all optimizers.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs, or dicts, each a group of parameters (``"params"``) with options of its own.
    defaults : dict
        Options of groups that don't give their own.

    Attributes
    ----------
    param_groups : list of dict
        The groups with their options.
    state : defaultdict
        For each parameter, a dict of what the optimizer remembers of it.
    defaults : dict
        As given.

    Raises
    ------
    TypeError
        If `params` is a tensor, or has elements that are none.
    ValueError
        If there are no parameters, one is not a leaf, or one is in two groups.
    """

    profile_hook_step = staticmethod(_hooked)

    def __init__(self, params, defaults):
        self.defaults = defaults
        self._make_registries()
        self._patch_step_function()
        if isinstance(params, cygrad.Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                            + cygrad.typename(params))
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _patch_step_function(self):
        """Give the class's own `step` its hooks, once."""
        cls = type(self)
        if not getattr(cls.step, "hooked", False):
            cls.step = self.profile_hook_step(cls.step)

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._make_registries()
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self):
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            options = "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
            text += f"\nParameter Group {i}\n{options}"
        return text + ")"

    def step(self, closure=None):
        """Change the parameters by their gradients, once.

        Parameters
        ----------
        closure : callable, optional
            Computes the loss and the gradients again.

        Returns
        -------
        object
            What the closure returned.
        """
        raise NotImplementedError

    def zero_grad(self, set_to_none=True):
        """Forget the gradients of all parameters.

        Parameters
        ----------
        set_to_none : bool
            `grad` becomes None; otherwise its elements become 0, which a step takes for a gradient.
        """
        for group in self.param_groups:
            for param in group["params"]:
                grad = param.grad
                if grad is None:
                    continue
                if set_to_none:
                    param.grad = None
                    continue
                if grad.grad_fn is not None:
                    grad.detach_()
                else:
                    grad.requires_grad_(False)
                grad.zero_()

    # ---- what subclasses' steps need

    def _loss(self, closure):
        """What the closure returns, which computes gradients whatever the caller's mode."""
        if closure is None:
            return None
        with cygrad.enable_grad():
            return closure()

    def _collect(self, group, *names):
        """Lists of the group's parameters that have gradients, of these, and of each part of their state by name.

        The state of a parameter is made by `_new_state(group, param)` when it first has a gradient: a counter of steps
        and the class's `_zeros`, tensors like the parameter, unless the subclass knows better.
        """
        params = [p for p in group["params"] if p.grad is not None]
        states = [self.state[p] for p in params]
        for param, state in zip(params, states):
            if not state:
                state.update(self._new_state(group, param))
        return [params, [p.grad for p in params]] + [[state.get(name) for state in states] for name in names]

    def _new_state(self, group, param):
        return {"step": self._counter(group, param), **{name: cygrad.zeros_like(param) for name in self._zeros}}

    def _counter(self, group, param, value=0.0):
        """A tensor that counts a parameter's steps: on the host, unless a graph or a fused step counts."""
        fused = group.get("fused")
        hosted = not fused and not group.get("capturable")
        return cygrad.tensor(value, dtype=scalar_dtype(fused), device="cpu" if hosted else param.device)

    def _complete(self, *, counters=("step",), **options):
        """Give groups of an older state the options it lacks, and turn its counters into tensors."""
        for group in self.param_groups:
            for name, value in options.items():
                group.setdefault(name, value)
            for param in group["params"]:
                state = self.state.get(param)
                for name in counters if state else ():
                    if name in state and not isinstance(state[name], cygrad.Tensor):
                        state[name] = self._counter(group, param, float(state[name]))

    # ---- groups

    def add_param_group(self, param_group):
        """Add a group of parameters, such as layers that are trained from now on.

        Parameters
        ----------
        param_group : dict
            ``"params"``, a tensor or an iterable of tensors or (name, tensor) pairs, and options; options that are not
            there are the optimizer's defaults.

        Raises
        ------
        TypeError
            If it is no dict, its parameters are a set, or one is no tensor.
        ValueError
            If a parameter is not a leaf, is in another group, or only some have names.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but the ordering of "
                            "tensors in sets will change between runs. Please use a list instead.")
        params = [params] if isinstance(params, cygrad.Tensor) else list(params)
        names = [param[0] for param in params if isinstance(param, tuple)]
        param_group["params"] = params = [param[1] if isinstance(param, tuple) else param for param in params]
        if names:
            if len(names) != len(params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = names
        for param in params:
            self._check_optimizable(param)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        ours = set(params)
        if len(params) != len(ours):
            warnings.warn("optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                          "an error; see github.com/pytorch/pytorch/issues/40967 for more information", stacklevel=3)
        named = "param_names" in param_group
        for group in self.param_groups:
            if ("param_names" in group) != named:
                raise ValueError("all optimizer param groups should be with/without names. cannot add param group "
                                 f"{'with' if named else 'without'} names to the optimizer")
        if not ours.isdisjoint(chain.from_iterable(group["params"] for group in self.param_groups)):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def _check_optimizable(self, param):
        if not isinstance(param, cygrad.Tensor):
            raise TypeError("optimizer can only optimize Tensors, but one of the params is " + cygrad.typename(param))
        if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")

    # ---- state

    def state_dict(self):
        """The options of all groups and the state of all parameters, to be saved.

        Returns
        -------
        dict
            ``"state"``: {number of a parameter: its state}; ``"param_groups"``: the groups, with numbers for
            parameters. The tensors are the optimizer's own, not copies.

        Examples
        --------
        >>> import cygrad
        >>> optimizer = cygrad.optim.SGD([cygrad.ones(2, requires_grad=True)], lr=0.1)
        >>> saved = optimizer.state_dict()
        >>> saved["state"], saved["param_groups"][0]["lr"], saved["param_groups"][0]["params"]
        ({}, 0.1, [0])
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers, groups, first = {}, [], 0
        for group in self.param_groups:
            numbers = {id(param): i for i, param in enumerate(group["params"], first)} | numbers
            first += len(group["params"])
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            groups.append(packed)
        state = {numbers[id(key)] if isinstance(key, cygrad.Tensor) else key: _part_of(key, value)
                 for key, value in self.state.items()}
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            changed = hook(self, result)
            if changed is not None:
                result = changed
        return result

    def load_state_dict(self, state_dict):
        """Take over options and state that `state_dict` returned, here or in PyTorch.

        Parameters
        ----------
        state_dict : dict
            Groups of as many parameters as the optimizer has. Tensors of the state go to the dtype and device of
            their parameters, but for ``"step"``.

        Raises
        ------
        ValueError
            If the groups don't match.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            if changed is not None:
                state_dict = changed
        groups, saved = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(group["params"]) != len(other["params"]) for group, other in zip(groups, saved)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's "
                             "group")
        params = {number: param for group, other in zip(groups, saved)
                  for number, param in zip(other["params"], group["params"])}
        policy = _Policy(state_dict["param_groups"])
        state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in params:
                state[params[key]] = policy.fitted(params[key], key, value)
            else:
                state[key] = value
        for group, other in zip(groups, saved):
            other["params"] = group["params"]
            if "param_names" in group:
                other.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)


class _Policy:
    """Which dtype and device a loaded state gets."""

    def __init__(self, saved_groups):
        self.hosted = {}                # number of a parameter: whether its steps are counted where it lies
        for group in saved_groups:
            hosted = bool(group.get("fused", False) or group.get("capturable", False))
            for number in group["params"]:
                self.hosted.setdefault(number, hosted)

    def fitted(self, param, number, value, key=None):
        """A copy of a state's value for `param`, down to the tensors in it."""
        if isinstance(value, cygrad.Tensor):
            if key == "step":
                return value.to(device=param.device, dtype=cygrad.float32) if self.hosted[number] else value
            if param.is_floating_point():
                return value.to(device=param.device, dtype=param.dtype)
            return value.to(device=param.device)
        if isinstance(value, dict):
            return {name: self.fitted(param, number, part, name) for name, part in value.items()}
        if hasattr(value, "__iter__") and not isinstance(value, str):
            return type(value)(self.fitted(param, number, part) for part in value)
        return value
