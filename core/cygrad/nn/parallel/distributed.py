"""`DistributedDataParallel`: a module on every rank, each with its part of the batch; gradients are averaged."""
import inspect
import warnings
from contextlib import contextmanager

import cygrad
import cygrad.distributed as dist
from cygrad.distributed.algorithms.join import Join, Joinable, JoinHook
from cygrad.futures import Future
from cygrad.nn.modules.module import Module
from cygrad.nn.modules.syncbatchnorm import SyncBatchNorm
from cygrad.nn.parallel.reducer import Reducer
from cygrad.nn.parameter import UninitializedParameter

__all__ = ["DistributedDataParallel"]

TYPE_NAMES = {cygrad.float64: "double", cygrad.float32: "float", cygrad.float16: "c10::Half",
              cygrad.bfloat16: "c10::BFloat16"}         # as PyTorch's logs write them


def _or_world(group):
    """A group, or that of all processes; raises where there is none."""
    dist.get_world_size(group)
    return dist.group.WORLD if group is None else group


class DistributedDataParallel(Module, Joinable):
    """
    A module around another, the same on all ranks, whose gradients are averaged while the backward pass runs.

    Parameters
    ----------
    module : Module
        Of the same parameters on all ranks; they get the values of rank 0.
    device_ids, output_device, dim : optional
        As in PyTorch, for a module on one device: at most one.
    broadcast_buffers : bool, optional
        Buffers get the values of rank 0 before each forward pass; True by default.
    init_sync : bool
        Compare and copy parameters now.
    process_group : ProcessGroup, optional
        All ranks by default.
    bucket_cap_mb : float, optional
        Gradients are sent in messages of so many MiB; 25 by default.
    find_unused_parameters : bool
        The outputs of some passes don't depend on all parameters.
    gradient_as_bucket_view : bool
        Gradients stay in the memory from which they are sent: no copy back.
    static_graph : bool
        Which parameters are used does not change: it is looked up once.
    check_reduction : bool
        Not used.
    device_mesh : DeviceMesh, optional
        Of one axis, whose ranks they are; instead of `process_group`.
    forward_sync_buffers : bool, optional
        As `broadcast_buffers`; False still gives buffers the values of rank 0 now.

    Raises
    ------
    RuntimeError
        If no parameter requires a gradient or one has no shape yet, or the ranks' modules differ.
    ValueError
        If `device_ids` are given for a module on the host, or are several.

    Notes
    -----
    The loss of each rank is the mean over its part of the batch, and the gradients are the mean over the ranks: with
    parts of one size that is the gradient of one process with the whole batch.

    Examples
    --------
    >>> import cygrad, cygrad.distributed as dist
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    >>> model = cygrad.nn.parallel.DistributedDataParallel(cygrad.nn.Linear(2, 1))
    >>> model(cygrad.ones(4, 2)).sum().backward()
    >>> model.module.weight.grad
    tensor([[4., 4.]])
    >>> dist.destroy_process_group()
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0, broadcast_buffers=None, init_sync=True,
                 process_group=None, bucket_cap_mb=None, find_unused_parameters=False, check_reduction=False,
                 gradient_as_bucket_view=False, static_graph=False, *, device_mesh=None, forward_sync_buffers=None):
        Module.__init__(self)
        Joinable.__init__(self)
        self.parameters_to_ignore = ignored = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        taken = [(name, parameter) for name, parameter in module.named_parameters() if name not in ignored]
        trained = [(name, parameter) for name, parameter in taken if parameter.requires_grad]
        self.process_group = self._group_of(process_group, device_mesh)
        _check_module([parameter for _, parameter in taken], device_ids, output_device)
        self.module, self.device = module, taken[0][1].device
        self.device_ids, self.output_device, self.dim = device_ids, output_device, dim
        wish = broadcast_buffers if forward_sync_buffers is None else forward_sync_buffers
        self.broadcast_buffers = self.forward_sync_buffers = wish is not False
        self.find_unused_parameters, self.static_graph = find_unused_parameters, static_graph
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.bucket_bytes_cap = int((25 if bucket_cap_mb is None else bucket_cap_mb) * 1024 * 1024)
        self.buffers_in_step = [each for name, each in module.named_buffers() if name not in ignored]
        if init_sync:
            self._compare(trained)
            self._copy_from_first([each for name, each in module.named_parameters() if name not in ignored])
            if self.broadcast_buffers or forward_sync_buffers is not None:
                self._copy_from_first(self.buffers_in_step)
        self.reducer = self._new_reducer()

    @staticmethod
    def _group_of(process_group, device_mesh):
        """The group that the arguments mean."""
        if device_mesh is not None:
            if process_group is not None:
                raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
            if device_mesh.ndim != 1:
                raise RuntimeError(f"Only 1D device mesh is supported, but got {device_mesh}.")
            return device_mesh.get_group()
        return _or_world(process_group)

    def _new_reducer(self):
        trained = [parameter for name, parameter in self.module.named_parameters()
                   if parameter.requires_grad and name not in self.parameters_to_ignore]
        return Reducer(trained, self.process_group, self.bucket_bytes_cap,
                       self.find_unused_parameters or self.static_graph, self.gradient_as_bucket_view)

    def __getstate__(self):
        """Without what belongs to this process; only a module of the group of all processes can be copied."""
        if self.process_group is not dist.group.WORLD:
            raise RuntimeError("DDP Pickling/Unpickling are only supported when using DDP with the default process "
                               "group. That is, when you have called init_process_group and have not passed "
                               "process_group argument to DDP constructor")
        return {name: value for name, value in self.__dict__.items()
                if name not in ("process_group", "reducer", "_has_hook")}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.process_group = _or_world(None)
        self.reducer = self._new_reducer()

    def _set_static_graph(self):
        """Say after the fact what `static_graph=True` says."""
        if self.static_graph:
            warnings.warn("You've set static_graph to be True, no need to set it again.", stacklevel=2)
            return
        if self.reducer.steps:
            raise RuntimeError("set_static_graph() should be called before training loop starts and after "
                               "DistributedDataParallel is constructed.")
        if self.find_unused_parameters:
            warnings.warn("You passed find_unused_parameters=true to DistributedDataParallel, `_set_static_graph` will "
                          "detect unused parameters automatically, so you do not need to set "
                          "find_unused_parameters=true, just be sure these unused parameters will not change during "
                          "training loop while calling `_set_static_graph`.", stacklevel=2)
        self.static_graph = self.reducer.find_unused = True

    def _update_process_group(self, new_process_group):
        """Average over other ranks from now on."""
        self.process_group = self.reducer.group = new_process_group
        if not getattr(self, "_has_hook", False):
            self.reducer.hook_state = new_process_group

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(module, params_and_buffers_to_ignore):
        """Let a module that is wrapped later keep these parameters and buffers to itself, by their names."""
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore

    def _compare(self, trained):
        """Refuse modules that are not the same on all ranks."""
        shapes = [(list(parameter.shape), parameter.dtype.name) for _, parameter in trained]
        found = [None] * self.process_group.size()
        dist.all_gather_object(found, shapes, self.process_group)
        for rank, other in enumerate(found):
            if len(other) != len(found[0]):
                raise RuntimeError(f"DDP expects same model across all ranks, but Rank 0 has {len(found[0])} params, "
                                   f"while rank {rank} has inconsistent {len(other)} params.")
            for number, (first, here) in enumerate(zip(found[0], other)):
                if first != here:
                    raise RuntimeError(f"params[{number}] ({trained[number][0]}) in this process appears not to match "
                                       f"across ranks: {first} on rank 0, {here} on rank {rank}")

    def _copy_from_first(self, tensors, root=0):
        """Give all ranks the values of rank 0, or of another, in one message for each dtype."""
        kinds = {}
        for tensor in tensors:
            kinds.setdefault((tensor.dtype, tensor.device), []).append(tensor.detach())
        for same in kinds.values():
            flat = cygrad.cat([tensor.reshape(-1) for tensor in same])
            dist.broadcast(flat, group=self.process_group, group_src=root)
            if self.process_group.rank() != root:
                start = 0
                for tensor in same:
                    tensor.copy_(flat[start:start + tensor.numel()].view(tensor.shape))
                    start += tensor.numel()

    # ------------------------------------------------------------ a step

    def forward(self, *inputs, **kwargs):
        """What the module returns; the gradients of the backward pass that follows will be averaged."""
        syncs = cygrad.is_grad_enabled() and self.require_backward_grad_sync
        if syncs:
            self.reducer.check_finished()
        if self._join_config.enable:
            counting = Join.notify_join_context(self)
            if counting is not None and not self._divide_by_initial_world_size:
                counting.wait()
                self.reducer.scale = self.process_group.size() / counting.result()[0].item()
            if cygrad.is_grad_enabled():
                self._anyone(syncs)
        if self.broadcast_buffers and self.require_forward_param_sync and self.buffers_in_step:
            self._copy_from_first(self.buffers_in_step, self._busy_rank(True) if self._join_config.enable else 0)
        outputs = self.module(*inputs, **kwargs)
        if cygrad.is_grad_enabled():
            self.require_forward_param_sync = self.require_backward_grad_sync
        if syncs:
            found = list(tensors_in(outputs))
            if any(tensor.requires_grad for tensor in found):
                self.reducer.prepare(found)
        else:
            self.reducer.expecting = False
        return outputs

    @contextmanager
    def no_sync(self):
        """Inside the block gradients are gathered on each rank, and not averaged; those of the next pass, with all
        that is gathered, are."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def register_comm_hook(self, state, hook):
        """
        Average the gradients by a function of one's own.

        Parameters
        ----------
        state : object
            Its first argument.
        hook : callable
            ``hook(state, bucket)`` returns a Future of a tensor like ``bucket.buffer()``.

        Raises
        ------
        TypeError
            If it can't be called.
        ValueError
            If its annotations say other types.
        RuntimeError
            If there is one already.
        """
        _check_hook(hook)
        if getattr(self, "_has_hook", False):
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self._has_hook = True
        self.reducer.hook, self.reducer.hook_state = hook, state

    def _get_ddp_logging_data(self):
        """What the module was wrapped with, under PyTorch's names; without its times of single passes."""
        parameters = self.reducer.parameters
        found = {
            "module_name": type(self.module).__name__, "backend_name": self.process_group.name(),
            "world_size": self.process_group.size(), "rank": dist.get_rank(),
            "iteration": self.reducer.steps, "num_parameter_tensors": len(parameters),
            "total_parameter_size_bytes": sum(each.numel() * each.element_size() for each in parameters),
            "dtypes": ", ".join(sorted({TYPE_NAMES.get(each.dtype, each.dtype.name) for each in parameters})),
            "bucket_cap_bytes": self.bucket_bytes_cap,
            "bucket_sizes": ", ".join(str(bucket.gradients.buffer().numel() * bucket.gradients.buffer().element_size())
                                      for bucket in self.reducer.buckets),
            "device_ids": ", ".join(map(str, self.device_ids or ())),
            "output_device": -1 if self.output_device is None else self.output_device,
            "broadcast_buffers": int(self.broadcast_buffers), "is_multi_device_module": 0,
            "find_unused_parameters": int(self.find_unused_parameters),
            "gradient_as_bucket_view": int(self.gradient_as_bucket_view),
            "has_sync_bn": int(any(isinstance(each, SyncBatchNorm) for each in self.module.modules()))}
        if self.static_graph:
            found["static_graph"] = 1
        if getattr(self, "_has_hook", False):
            hook = self.reducer.hook
            found["comm_hook"] = getattr(hook, "__qualname__", type(hook).__qualname__)
        return found

    # ------------------------------------------------------------ ranks with different numbers of inputs

    _divide_by_initial_world_size = True

    def join(self, divide_by_initial_world_size=True, enable=True, throw_on_early_termination=False):
        """
        A block in which ranks have different numbers of inputs: those at their ends answer the others.

        Parameters
        ----------
        divide_by_initial_world_size : bool
            Gradients are sums over the busy ranks divided by the number of all; else by that of the busy ones.
        enable : bool
            False: nothing happens.
        throw_on_early_termination : bool
            All ranks raise as soon as one is at its end.

        Returns
        -------
        Join
        """
        return Join([self], enable, throw_on_early_termination,
                    divide_by_initial_world_size=divide_by_initial_world_size)

    def join_hook(self, **kwargs):
        """What this rank does for others when its inputs are over."""
        return _JoinHook(self, **kwargs)

    @property
    def join_device(self):
        """Where the parameters are."""
        return next(self.module.parameters()).device

    @property
    def join_process_group(self):
        """The group over which gradients are averaged."""
        return self.process_group

    def _anyone(self, flag):
        """Whether some rank says so."""
        count = cygrad.tensor([int(flag)], dtype=cygrad.int32)
        dist.all_reduce(count, group=self.process_group)
        return bool(count.item())

    def _busy_rank(self, busy):
        """The last rank that is not at its end."""
        number = cygrad.tensor([self.process_group.rank() if busy else -1], dtype=cygrad.int32)
        dist.all_reduce(number, dist.ReduceOp.MAX, self.process_group)
        return int(number.item())


def _check_module(parameters, device_ids, output_device):
    """Refuse a module that there is nothing to average of, or devices that it is not on."""
    if not any(parameter.requires_grad for parameter in parameters):
        raise RuntimeError("DistributedDataParallel is not needed when a module doesn't have any parameter that "
                           "requires a gradient.")
    if any(isinstance(parameter, UninitializedParameter) for parameter in parameters):
        raise RuntimeError("Modules with uninitialized parameters can't be used with `DistributedDataParallel`. Run a "
                           "dummy forward pass to correctly initialize the modules")
    if device_ids is not None and len(device_ids) > 1:
        raise ValueError("device_ids can only be None or contain a single element.")
    devices = {parameter.device for parameter in parameters}
    if len({device.type for device in devices}) != 1:
        raise ValueError("DistributedDataParallel's input module must be on the same type of devices, but input module "
                         f"parameters locate in { {device.type for device in devices} }.")
    if (device_ids or output_device is not None) and (len(devices) > 1 or parameters[0].device.type == "cpu"):
        raise ValueError("DistributedDataParallel device_ids and output_device arguments only work with "
                         "single-device/multiple-device GPU modules or CPU modules, but got device_ids "
                         f"{device_ids}, output_device {output_device}, and module parameters {devices}.")


def _check_hook(hook):
    """Refuse what can't be called, or says of itself that it takes or gives something else."""
    if not callable(hook):
        raise TypeError("Communication hook must be callable.")
    said = inspect.signature(hook)
    bucket = said.parameters.get("bucket")
    if bucket is not None and bucket.annotation not in (inspect.Parameter.empty, dist.GradBucket):
        raise ValueError("Communication hook: bucket annotation should be dist.GradBucket.")
    if said.return_annotation not in (inspect.Signature.empty, Future[cygrad.Tensor]):
        raise ValueError("Communication hook: return annotation should be torch.futures.Future[torch.Tensor].")


class _JoinHook(JoinHook):
    """The collectives of a step, with zeros for gradients."""

    def __init__(self, model, divide_by_initial_world_size=True, **_):
        self.model = model
        model._divide_by_initial_world_size = divide_by_initial_world_size
        model.reducer.scale, self.busy = 1, 1

    def main_hook(self):
        """Answer a step of the others."""
        model = self.model
        model.reducer.scale = 1 if model._divide_by_initial_world_size else model.process_group.size() / self.busy
        syncs = model._anyone(False)
        if model.broadcast_buffers and model.require_forward_param_sync and model.buffers_in_step:
            model._copy_from_first(model.buffers_in_step, model._busy_rank(False))
        model.require_forward_param_sync = syncs
        if syncs:
            model.reducer.answer()

    def post_hook(self, is_last_joiner):
        """Give all ranks the weights of one that was busy to the end."""
        model = self.model
        root = model._busy_rank(is_last_joiner)
        model._copy_from_first([*model.module.parameters(), *model.buffers_in_step], root)


def tensors_in(value):
    """The tensors in tuples, lists, dicts and objects with attributes."""
    if isinstance(value, cygrad.Tensor):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from tensors_in(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from tensors_in(getattr(value, name))
