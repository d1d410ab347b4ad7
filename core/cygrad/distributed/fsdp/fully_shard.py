"""`fully_shard`: a module whose parameters are divided among the ranks, and whole only while it computes."""
import functools

import cygrad
import cygrad.distributed as dist
from cygrad.distributed.fsdp.sharding_policies import MixedPrecisionPolicy, OffloadPolicy
from cygrad.distributed.fsdp.sharded_parameter import ShardedParameter
from cygrad.distributed.fsdp.sharded_pass import ShardedPass
from cygrad.distributed.fsdp.unit import Unit
from cygrad.nn import Module, ModuleDict, ModuleList

__all__ = ["FSDPModule", "UnshardHandle", "fully_shard", "register_fsdp_forward_method"]

AS_IT_IS, STAYS = MixedPrecisionPolicy(), OffloadPolicy()


def fully_shard(module, *, mesh=None, reshard_after_forward=None, shard_placement_fn=None,
                mp_policy=AS_IT_IS, offload_policy=STAYS, ignored_params=None,
                dp_mesh_dims=None):
    """
    Divide a module's parameters, their gradients and so the optimiser's state among the ranks, in place.

    Each rank keeps some rows of every parameter. Before the module is called the rest is gathered, and given back
    afterwards; in the backward pass once more, and the gradients are averaged and divided. Applied to layers first and
    to the whole network last, no rank holds more than two layers at a time: the next is gathered while one computes.

    Parameters
    ----------
    module : Module or list of Module
        Of the same parameters, and the same values, on all ranks. What of it was divided before keeps to itself.
    mesh : DeviceMesh, optional
        All ranks by default. Of two axes: parameters are divided along the second and kept twice along the first.
    reshard_after_forward : bool or int, optional
        Give the whole parameters back between the forward and the backward pass; by default all but those of the
        outermost module. A number is taken as True.
    shard_placement_fn, dp_mesh_dims : None
        Not there yet: parameters are divided along their first axis.
    mp_policy : MixedPrecisionPolicy
    offload_policy : OffloadPolicy
        Rows are in host memory in any case.
    ignored_params : set of Parameter, optional
        Left as they are.

    Returns
    -------
    Module
        The same, of a class that is an `FSDPModule`, too.

    Raises
    ------
    ValueError
        If it is a container without a `forward`, or a parameter has no axes.

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> from cygrad.distributed.fsdp import fully_shard
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> model = cygrad.nn.Sequential(cygrad.nn.Linear(2, 4), cygrad.nn.ReLU(), cygrad.nn.Linear(4, 1))
    >>> for layer in (model[0], model[2]):
    ...     layer = fully_shard(layer)
    >>> model = fully_shard(model)
    >>> optimizer = cygrad.optim.Adam(model.parameters())       # of this rank's rows
    >>> model(cygrad.ones(3, 2)).sum().backward()
    >>> optimizer.step()
    >>> dist.destroy_process_group()
    """
    modules = list(module) if isinstance(module, (list, tuple)) else [module]
    if shard_placement_fn is not None or dp_mesh_dims is not None:
        raise NotImplementedError("fully_shard: shard_placement_fn and dp_mesh_dims are not there yet")
    for each in modules:
        if isinstance(each, (ModuleList, ModuleDict)) and type(each).forward is Module.forward:
            raise ValueError(f"fully_shard does not support containers that do not implement forward: {each}")
        if isinstance(each, FSDPModule):
            raise AssertionError("Each distinct composable distributed API can only be applied to a module once. "
                                 f"fully_shard has already been applied to the following module:\n{each}")
    group, replicas = groups_of(mesh)
    if isinstance(reshard_after_forward, int):
        reshard_after_forward = bool(reshard_after_forward)
    places = places_of(modules, set(map(id, ignored_params or ())))
    unit = Unit(modules, places, group, replicas, reshard_after_forward, mp_policy)
    for each in modules:
        each.__dict__["_fsdp_unit"] = unit
        each.__class__ = sharded_class(type(each))
        each.register_forward_pre_hook(_before_forward, prepend=True, with_kwargs=True)
        each.register_forward_hook(_after_forward, always_call=True)
    for owner in {id(owner): owner for where in places for owner, _ in where}.values():
        owner.register_state_dict_post_hook(_mark_shards)
    return module


def groups_of(mesh):
    """(group that divides, group that keeps the same or None) of a mesh."""
    if mesh is None:
        if dist.group.WORLD is None:
            raise ValueError("Default process group has not been initialized, please make sure to call "
                             "init_process_group.")
        return dist.group.WORLD, None
    if mesh.ndim > 2:
        raise ValueError(f"fully_shard expects a 1D or 2D DeviceMesh but got {mesh}")
    return mesh.get_group(mesh.ndim - 1), mesh.get_group(0) if mesh.ndim == 2 else None


def places_of(modules, ignored):
    """For each parameter that no other unit has: where it is."""
    found, seen = {}, set()

    def visit(module):
        if id(module) in seen or isinstance(module, FSDPModule):
            return
        seen.add(id(module))
        for name, parameter in module._parameters.items():
            if parameter is not None and id(parameter) not in ignored and not isinstance(parameter, ShardedParameter):
                found.setdefault(id(parameter), []).append((module, name))
        for child in module.children():
            visit(child)

    for module in modules:
        visit(module)
    return list(found.values())


@functools.cache
def sharded_class(kind):
    """The class that `fully_shard` gives a module of class `kind`."""
    return type(f"FSDP{kind.__name__}", (FSDPModule, kind), {"__module__": kind.__module__})


def units_below(modules):
    """All units of some modules and of what is in them."""
    found = {}
    for module in modules:
        for each in module.modules():
            if isinstance(each, FSDPModule):
                found.setdefault(id(each._fsdp_unit), each._fsdp_unit)
    return list(found.values())


# ---------------------------------------------------------------------- around a call

def _before_forward(module, args, kwargs):
    unit = module._fsdp_unit
    if ShardedPass.current is None:
        units = units_below(unit.modules)
        for each in units:
            each.entered, each.left = set(), set()
            each.refresh()
            if not each.kept:
                each.drop()
        ShardedPass.current = ShardedPass(unit, units)
    if not unit.entered:
        ShardedPass.current.enter(unit)
    unit.entered.add(id(module))
    if unit.policy.param_dtype is not None and unit.policy.cast_forward_inputs:
        args, kwargs = (cast(each, unit.policy.param_dtype) for each in (args, kwargs))
    return args, kwargs


def _after_forward(module, args, result):
    unit = module._fsdp_unit
    if id(module) not in unit.entered:      # raised before it was
        return None
    unit.left.add(id(module))
    running = ShardedPass.current
    if len(unit.left) == len(unit.modules) or unit is running.outermost:
        unit.entered, unit.left = set(), set()
        running.leave(unit)
        if unit is running.outermost:
            ShardedPass.current = None
            for each in running.units:
                if each.entered:            # an exception has ended the pass between two of its modules
                    each.entered, each.left = set(), set()
                    running.leave(each)
            running.end()
    return None if unit.policy.output_dtype is None else cast(result, unit.policy.output_dtype)


def cast(value, dtype):
    """Floating-point tensors in tuples, lists and dicts as this dtype."""
    if isinstance(value, cygrad.Tensor):
        return value.to(dtype) if value.is_floating_point() else value
    if type(value) in (tuple, list):
        return type(value)(cast(each, dtype) for each in value)
    if type(value) is dict:
        return {key: cast(each, dtype) for key, each in value.items()}
    return value


def _mark_shards(module, state_dict, prefix, local_metadata):
    """In a state dict, replace each rank's rows by a tensor that knows the whole parameter's shape."""
    for name, parameter in module._parameters.items():
        key = prefix + name
        if isinstance(parameter, ShardedParameter) and key in state_dict:
            state_dict[key] = parameter.like_this(state_dict[key])


# ---------------------------------------------------------------------- what users call

class UnshardHandle:
    """What `FSDPModule.unshard(async_op=True)` returns: `wait` ends when the parameters are whole."""

    def __init__(self, unit):
        self._unit = unit

    def wait(self):
        """Wait for the whole parameters."""
        if self._unit is not None:
            _make_whole(self._unit)
            self._unit = None


def _make_whole(unit):
    unit.gather()
    unit.put(unit.full or [])


class FSDPModule:
    """The base class that `fully_shard` adds to a module's own."""

    def unshard(self, async_op=False):
        """
        Gather the module's own parameters, until `reshard`; all ranks call it.

        Parameters
        ----------
        async_op : bool
            Return a handle instead of waiting.

        Returns
        -------
        UnshardHandle or None
        """
        unit = self._fsdp_unit
        unit.kept = True
        unit.start()
        if async_op:
            return UnshardHandle(unit)
        _make_whole(unit)
        return None

    def reshard(self):
        """Give the whole parameters back."""
        unit = self._fsdp_unit
        unit.kept = False
        unit.drop()
        unit.put(unit.shards)

    def _each(self, recurse):
        return units_below([self]) if recurse else [self._fsdp_unit]

    def set_requires_gradient_sync(self, requires_gradient_sync, *, recurse=True):
        """Whether the next backward passes reduce gradients, or gather them, whole, on each rank."""
        for unit in self._each(recurse):
            unit.syncs = requires_gradient_sync

    def set_is_last_backward(self, is_last_backward):
        """Not needed: each backward pass ends by itself."""

    def set_requires_all_reduce(self, requires_all_reduce, *, recurse=True):
        """Whether gradients are averaged over ranks that have the same rows (a mesh of two axes)."""
        for unit in self._each(recurse):
            unit.syncs_replicas = requires_all_reduce

    def set_reshard_after_forward(self, reshard_after_forward, recurse=True):
        """Change what `fully_shard` was told."""
        for unit in self._each(recurse):
            unit.reshard_after_forward = bool(reshard_after_forward)

    def set_reshard_after_backward(self, reshard_after_backward, *, recurse=True):
        """Whether the whole parameters are given back after the backward pass; else at the next forward pass."""
        for unit in self._each(recurse):
            unit.reshards_after_backward = reshard_after_backward

    def set_unshard_in_backward(self, unshard_in_backward):
        """Whether the backward pass gathers this module's parameters ahead; what is needed is gathered anyway."""
        self._fsdp_unit.unshards_in_backward = unshard_in_backward

    def set_modules_to_forward_prefetch(self, modules):
        """Begin to gather these modules' parameters when this one is called; by default those of the module that was
        called next in the last pass."""
        self._fsdp_unit.prefetch_forward = [module._fsdp_unit for module in modules]

    def set_modules_to_backward_prefetch(self, modules):
        """Begin to gather these modules' parameters when the backward pass comes to this one."""
        self._fsdp_unit.prefetch_backward = [module._fsdp_unit for module in modules]

    def set_gradient_divide_factor(self, factor):
        """Divide the sum of all ranks' gradients by this, and not by their number."""
        self._fsdp_unit.divide_factor = factor

    set_reduce_scatter_divide_factor = set_gradient_divide_factor


def register_fsdp_forward_method(module, method_name):
    """
    Gather a module's parameters around another of its methods, too.

    Parameters
    ----------
    module : Module
        After `fully_shard`; others stay as they are.
    method_name : str

    Raises
    ------
    ValueError
        If there is no such method.
    """
    if not isinstance(module, FSDPModule):
        return
    if not hasattr(module, method_name):
        raise ValueError(f"{type(module)} does not have a method {method_name}")
    method = getattr(module, method_name)

    @functools.wraps(method)
    def wrapped(*args, **kwargs):
        args, kwargs = _before_forward(module, args, kwargs)
        result = None
        try:
            result = method(*args, **kwargs)
        finally:
            changed = _after_forward(module, args, result)
        return result if changed is None else changed

    module.__dict__[method_name] = wrapped
